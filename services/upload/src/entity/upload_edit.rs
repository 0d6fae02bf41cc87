use proto::upload::v1 as wire;
use sea_orm::entity::prelude::*;

/// A cell that somebody changed in a checked file. It replaces the file's cell whenever the file is read.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_edit")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub upload_log_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub row_number: i64,
    /// Index of the column, from 0.
    #[sea_orm(primary_key, auto_increment = false)]
    pub place: i32,
    pub value: String,
    pub edited_by: String,
    pub edited_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::UploadCorrection {
    fn from(row: Model) -> Self {
        let Model { upload_log_id: _, row_number: _, place, value, edited_by: _, edited_at: _ } = row;
        wire::UploadCorrection { column: place.unsigned_abs(), value }
    }
}
