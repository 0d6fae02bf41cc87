use sea_orm::entity::prelude::*;

/// A shipment whose last delivery left it. Kept so that an older event does not restore it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "removed_shipment")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub shipment_number_key: String,
    pub sequence: i64,
    /// Number of the last rebuild that saw the removal.
    pub run: i64,
}

impl ActiveModelBehavior for ActiveModel {}
