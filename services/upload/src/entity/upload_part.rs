use sea_orm::entity::prelude::*;

/// The rows of one batch of a checked file, with what the import would do with each.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_part")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub upload_log_id: Uuid,
    /// Number of the batch. Parts in this order are the rows of the file in their order.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i32,
    pub first_row: i64,
    pub last_row: i64,
    pub created: i32,
    pub updated: i32,
    pub skipped: i32,
    pub refused: i32,
    /// The rows, in the format of `store::parts`.
    pub data: Vec<u8>,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
