use sea_orm::entity::prelude::*;

/// A delivery that an undo of its import took away. Kept so that an older event does not bring it back.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "removed_delivery")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_id_key: String,
    pub sequence: i64,
    /// The rebuild that began last when it was removed.
    pub run: i64,
}

impl ActiveModelBehavior for ActiveModel {}
