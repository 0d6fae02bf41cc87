use proto::upload::v1 as wire;
use sea_orm::entity::prelude::*;

/// A field of a stored delivery that an import would change, found by a dry run.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_change")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub upload_log_id: Uuid,
    /// Counts from 0, in the order in which the changes were found.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i32,
    pub delivery_id: String,
    pub item_number: Option<String>,
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::UploadChange {
    fn from(row: Model) -> Self {
        let Model { upload_log_id: _, number: _, delivery_id, item_number, field, before, after } = row;
        wire::UploadChange { delivery_id, item_number, field, before, after }
    }
}
