use proto::upload::v1 as wire;
use sea_orm::entity::prelude::*;

/// A corrected cell of a refused row. Kept until the row is imported.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_correction")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub upload_log_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub row_number: i64,
    /// Index of the column, from 0.
    #[sea_orm(primary_key, auto_increment = false)]
    pub place: i32,
    pub value: String,
    pub corrected_by: String,
    pub corrected_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::UploadCorrection {
    fn from(row: Model) -> Self {
        let Model { upload_log_id: _, row_number: _, place, value, corrected_by: _, corrected_at: _ } = row;
        wire::UploadCorrection { column: place.unsigned_abs(), value }
    }
}
