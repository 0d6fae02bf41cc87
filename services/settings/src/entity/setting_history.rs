use sea_orm::entity::prelude::*;

/// A change of a setting. Rows are only added.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "setting_history")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub setting_id: String,
    /// The setting's version after the change.
    #[sea_orm(primary_key, auto_increment = false)]
    pub version: i64,
    pub at: DateTimeUtc,
    pub actor: String,
    pub before: String,
    pub after: String,
}

impl ActiveModelBehavior for ActiveModel {}
