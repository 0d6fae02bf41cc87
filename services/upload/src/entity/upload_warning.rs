use proto::upload::v1 as wire;
use sea_orm::entity::prelude::*;

/// Something in an imported file that a person should check.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_warning")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub upload_log_id: Uuid,
    /// Counts from 0, in the order in which the warnings were found.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i32,
    pub line: Option<i64>,
    pub heading: Option<String>,
    pub code: String,
    pub text: String,
}

impl ActiveModelBehavior for ActiveModel {}

/// Leaves out the sheet, which is added later.
impl From<Model> for wire::UploadWarning {
    fn from(row: Model) -> Self {
        let Model { upload_log_id: _, number, line, heading, code, text } = row;
        wire::UploadWarning {
            number: number.unsigned_abs(),
            line: line.and_then(|line| u32::try_from(line).ok()),
            column: heading,
            code,
            text,
            sheet: None,
        }
    }
}
