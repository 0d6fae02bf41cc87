use sea_orm::entity::prelude::*;

/// A counter of attempts. See `crate::throttle`.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "throttle")]
pub struct Model {
    /// A keyed digest of the counted name or address. The text itself is not stored, because people type
    /// passwords into the name field.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: Vec<u8>,
    pub count: i32,
    /// When the next attempt is allowed.
    pub open_at: DateTimeUtc,
    /// When the counter expires.
    pub expires_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
