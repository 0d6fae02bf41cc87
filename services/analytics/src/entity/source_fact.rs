use sea_orm::entity::prelude::*;

/// One source with its current name.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "source_fact")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub source_id: Uuid,
    pub source: String,
    pub source_key: String,
    pub sequence: i64,
    pub run: i64,
}

impl ActiveModelBehavior for ActiveModel {}
