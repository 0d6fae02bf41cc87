use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::attachment::{Kind, Origin};

/// A file that proves an outcome. The database refuses to change or delete a row.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "attachment")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub delivery_key: String,
    pub delivery_id: String,
    pub attempt: i32,
    pub item_key: Option<String>,
    pub item_number: Option<String>,
    pub kind: Kind,
    /// Unique, because one object is one attachment.
    #[sea_orm(unique)]
    pub object_key: String,
    /// The object's URL without its query, as it was when the file was added. Hosts change, so `object_key`
    /// says where the file is; see `storage::to_wire`.
    pub url: String,
    pub filename: String,
    pub content_type: String,
    pub size_bytes: i64,
    pub sha256: Vec<u8>,
    /// Size of a picture in pixels; NULL for other files.
    pub width: Option<i32>,
    pub height: Option<i32>,
    pub captured_at: DateTimeUtc,
    pub received_at: DateTimeUtc,
    pub lat: Option<f64>,
    pub lng: Option<f64>,
    pub accuracy: Option<f64>,
    pub captured_by: String,
    pub source: Origin,
    pub added_after_completion: bool,
    pub note: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::Attachment {
    fn from(row: Model) -> Self {
        let Model {
            id,
            delivery_key: _,
            delivery_id,
            attempt,
            item_key: _,
            item_number,
            kind,
            object_key: _,
            url,
            filename,
            content_type,
            size_bytes,
            sha256,
            width,
            height,
            captured_at,
            received_at,
            lat,
            lng,
            accuracy,
            captured_by,
            source,
            added_after_completion,
            note,
        } = row;
        wire::Attachment {
            id: id.to_string(),
            delivery_id,
            attempt: attempt.unsigned_abs(),
            item_number,
            kind: kind.as_str().to_owned(),
            url,
            filename,
            content_type,
            size_bytes: size_bytes.unsigned_abs(),
            sha256: hex::encode(sha256),
            width: width.map(i32::unsigned_abs),
            height: height.map(i32::unsigned_abs),
            captured_at: Some(proto::timestamp(captured_at)),
            received_at: Some(proto::timestamp(received_at)),
            point: lat.zip(lng).map(|(lat, lng)| wire::GeoPoint { lat, lng, accuracy }),
            captured_by,
            source: source.as_str().to_owned(),
            added_after_completion,
            note,
        }
    }
}
