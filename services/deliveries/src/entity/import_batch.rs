use sea_orm::entity::prelude::*;

/// The answer to each batch of an import, returned again when the batch is repeated.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_batch")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub upload_log_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch: i32,
    pub answer: Vec<u8>,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
