use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

use super::delivery::place;
use super::edit;
use crate::domain::delivery::{ActorType, Status};

/// A change of status; the creation counts as one. The database refuses to change or delete a row.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery_status_history")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    /// 1, 2, 3 … without gaps within a delivery.
    #[sea_orm(primary_key, auto_increment = false)]
    pub step: i32,
    pub id: Uuid,
    pub delivery_id: String,
    pub shipmentnumber: String,
    pub from_status: Option<Status>,
    pub to_status: Status,
    pub attempt: i32,
    pub occurred_at: DateTimeUtc,
    pub received_at: DateTimeUtc,
    pub actor_type: ActorType,
    pub actor_name: String,
    pub note: Option<String>,
    pub upload_log_id: Option<Uuid>,
    pub reason_code: Option<String>,
    pub lat: Option<f64>,
    pub lng: Option<f64>,
    pub accuracy: Option<f64>,
    pub late: bool,
    /// Whether the step is recorded without an effect on the delivery.
    pub superseded: bool,
    /// Id of the step that this step corrects.
    pub correction_of: Option<Uuid>,
    /// What the step changed besides the status, as written by `edit::write`.
    pub changes: Option<String>,
    pub client_event_id: Option<Uuid>,
    /// NULL in steps that are older than the column.
    pub actor_name_key: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::DeliveryStatusHistory {
    fn from(row: Model) -> Self {
        let Model {
            delivery_key: _,
            step: _,
            id,
            delivery_id,
            shipmentnumber,
            from_status,
            to_status,
            attempt,
            occurred_at,
            received_at,
            actor_type,
            actor_name,
            note,
            upload_log_id,
            reason_code,
            lat,
            lng,
            accuracy,
            late,
            superseded,
            correction_of,
            changes,
            client_event_id,
            actor_name_key: _,
        } = row;
        wire::DeliveryStatusHistory {
            id: id.to_string(),
            delivery_id,
            shipmentnumber,
            from_status: from_status.map(|status| wire::DeliveryStatus::from(status).into()),
            to_status: wire::DeliveryStatus::from(to_status).into(),
            attempt: attempt.unsigned_abs(),
            occurred_at: Some(proto::timestamp(occurred_at)),
            received_at: Some(proto::timestamp(received_at)),
            actor_type: actor_type.as_str().to_owned(),
            actor_name,
            note,
            reason_code,
            point: place(lat, lng, accuracy).map(Into::into),
            late,
            superseded,
            correction_of: correction_of.map(|id| id.to_string()),
            changes: changes.as_deref().map(edit::read).unwrap_or_default(),
            client_event_id: client_event_id.map(|id| id.to_string()),
            upload_log_id: upload_log_id.map(|id| id.to_string()),
        }
    }
}
