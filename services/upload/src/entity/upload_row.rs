use proto::upload::v1 as wire;
use sea_orm::FromJsonQueryResult;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::file::refused::DOCUMENT_REFUSED;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub column: Option<String>,
    /// Index of the column, from 0. Earlier releases did not record it.
    #[serde(default)]
    pub column_index: Option<u32>,
    pub code: String,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Messages(pub Vec<Message>);

impl Messages {
    /// Returns whether the row itself was refused, and not only because of another row of its document.
    pub fn are_about_the_row(&self) -> bool {
        self.0.iter().any(|message| message.code != DOCUMENT_REFUSED)
    }
}

impl From<Message> for wire::UploadRowMessage {
    fn from(message: Message) -> Self {
        let Message { column, column_index, code, text } = message;
        wire::UploadRowMessage { column, column_index, code, text }
    }
}

/// A list of strings, stored as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Texts(pub Vec<String>);

/// A refused row. Accepted rows are counted, not stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_row")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub upload_log_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub row_number: i64,
    pub delivery_id: Option<String>,
    pub delivery_id_key: Option<String>,
    pub messages: Messages,
    /// The cells as in the file, one for each heading; NULL when they are too long to keep.
    pub cells: Option<Texts>,
}

impl ActiveModelBehavior for ActiveModel {}

/// Leaves out corrections and the sheet, which are added later.
impl From<Model> for wire::UploadRow {
    fn from(row: Model) -> Self {
        let Model { upload_log_id, row_number, delivery_id, delivery_id_key: _, messages, cells } = row;
        wire::UploadRow {
            upload_log_id: upload_log_id.to_string(),
            row_number: u32::try_from(row_number).unwrap_or(u32::MAX),
            delivery_id,
            messages: messages.0.into_iter().map(Into::into).collect(),
            cells: cells.map(|cells| cells.0).unwrap_or_default(),
            corrections: Vec::new(),
            sheet_row: 0,
            sheet: None,
        }
    }
}
