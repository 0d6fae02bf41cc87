use sea_orm::entity::prelude::*;

/// A delivery that the undo of its import removed. Kept so that an older event does not restore it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "removed_delivery")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_id_key: String,
    pub sequence: i64,
    /// Number of the last rebuild that saw the removal.
    pub run: i64,
}

impl ActiveModelBehavior for ActiveModel {}
