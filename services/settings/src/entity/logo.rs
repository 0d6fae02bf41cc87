use sea_orm::entity::prelude::*;

/// A published logo, which has an object in storage.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "logo")]
pub struct Model {
    /// The digest of the logo's bytes, with `.png` or `.svg`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub file: String,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    /// When the logo was last created, or saved in the setting.
    pub wanted_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
