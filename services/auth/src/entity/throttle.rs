use sea_orm::entity::prelude::*;

/// How often something was tried. See `crate::throttle`.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "throttle")]
pub struct Model {
    /// A keyed digest of what is counted: people type passwords into the field for the name.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: Vec<u8>,
    pub count: i32,
    /// From when on the next one is let in.
    pub open_at: DateTimeUtc,
    /// When the count is forgotten.
    pub expires_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
