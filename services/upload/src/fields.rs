//! The fields that each list can be filtered and sorted by.

use ::store::filter::{Field, FieldKind};

use crate::entity::upload_log::{Column as Log, Status};
use crate::entity::upload_row::Column as Row;

pub const UPLOAD_LOGS: &[Field<Log>] = &[
    Field::new("filename", Log::Filename, FieldKind::Text { folded: Log::FilenameKey }),
    Field::new("status", Log::Status, FieldKind::Choice(Status::SPELLINGS)),
    Field::new("sourceId", Log::SourceId, FieldKind::Id).unsortable(),
    Field::new("uploadedBy", Log::UploadedBy, FieldKind::Text { folded: Log::UploadedByKey }),
    Field::new("createdAt", Log::CreatedAt, FieldKind::Instant),
];

pub const UPLOAD_ROWS: &[Field<Row>] = &[
    Field::new("rowNumber", Row::RowNumber, FieldKind::Number),
    Field::new("deliveryId", Row::DeliveryId, FieldKind::Text { folded: Row::DeliveryIdKey }),
];
