use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::allowed::Standing;
use crate::domain::delivery::{Priority, ScanMode, Status};
// Renamed, because the macro below defines its own `Relation`.
use crate::domain::state::{Place, Relation as RecipientRelation};

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id_key: String,
    pub id: String,
    pub deliverystatus: Status,
    pub shipmentnumber: String,
    pub shipmentnumber_key: String,
    pub customername: String,
    pub customername_key: String,
    pub trucker: String,
    pub trucker_key: String,
    pub driver_id: Option<String>,
    pub driver_id_key: Option<String>,
    pub scheduledatetime: DateTimeUtc,
    pub deliverydatetime: Option<DateTimeUtc>,
    pub scanmode: ScanMode,
    pub referencedoc: Option<String>,
    pub referencedoc_key: Option<String>,
    pub source_id: Option<Uuid>,
    /// The import that created the delivery.
    pub upload_log_id: Option<Uuid>,
    /// The import that last named the delivery.
    pub last_upload_log_id: Option<Uuid>,
    pub linecount: i32,
    pub customeraddress: String,
    pub time_window_start: Option<DateTimeUtc>,
    pub time_window_end: Option<DateTimeUtc>,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    pub contact_email: Option<String>,
    pub instructions: Option<String>,
    pub internal_note: Option<String>,
    pub priority: Priority,
    pub attempt: i32,
    pub max_attempts: i32,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    pub updated_at: DateTimeUtc,
    pub updated_by: String,
    pub version: i64,
    /// The planned location, if known.
    pub address_lat: Option<f64>,
    pub address_lng: Option<f64>,
    pub address_accuracy: Option<f64>,
    // The columns from here to `late` are the outcome of the current attempt. They are not set while Pending.
    pub received_by: Option<String>,
    pub received_by_relation: Option<RecipientRelation>,
    pub outcome_reason: Option<String>,
    pub outcome_note: Option<String>,
    pub outcome_lat: Option<f64>,
    pub outcome_lng: Option<f64>,
    pub outcome_accuracy: Option<f64>,
    pub outcome_occurred_at: Option<DateTimeUtc>,
    pub outcome_received_at: Option<DateTimeUtc>,
    pub late: bool,
    /// Whether a driver's event was superseded and waits for review.
    pub conflict: bool,
    /// The newest version of the delivery form; 0 before the first.
    pub form_version: i32,
    /// When somebody other than a driver last changed the status or the lines.
    pub office_decided_at: Option<DateTimeUtc>,
    /// The import that left the delivery incomplete, because some of its lines were refused.
    pub incomplete_upload_id: Option<Uuid>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// Returns the planned location.
    pub fn address_place(&self) -> Option<Place> {
        place(self.address_lat, self.address_lng, self.address_accuracy)
    }

    /// Returns where the outcome was recorded.
    pub fn outcome_place(&self) -> Option<Place> {
        place(self.outcome_lat, self.outcome_lng, self.outcome_accuracy)
    }
}

/// Builds a location from its columns.
pub fn place(lat: Option<f64>, lng: Option<f64>, accuracy: Option<f64>) -> Option<Place> {
    Some(Place { lat: lat?, lng: lng?, accuracy })
}

impl From<&Model> for Standing {
    fn from(row: &Model) -> Self {
        Self {
            status: row.deliverystatus,
            attempt: row.attempt,
            max_attempts: row.max_attempts,
            has_lines: row.linecount > 0,
            has_form: row.form_version > 0,
        }
    }
}

/// Leaves the allowed actions empty, because they depend on the caller, and has neither items nor history.
impl From<Model> for wire::Delivery {
    #[allow(clippy::too_many_lines)] // one line per column, so that none can be forgotten
    fn from(row: Model) -> Self {
        let (planned, there) = (row.address_place(), row.outcome_place());
        let Model {
            id_key: _,
            id,
            deliverystatus,
            shipmentnumber,
            shipmentnumber_key: _,
            customername,
            customername_key: _,
            trucker,
            trucker_key: _,
            driver_id,
            driver_id_key: _,
            scheduledatetime,
            deliverydatetime,
            scanmode,
            referencedoc,
            referencedoc_key: _,
            source_id,
            upload_log_id,
            last_upload_log_id: _,
            linecount,
            customeraddress,
            time_window_start,
            time_window_end,
            contact_name,
            contact_phone,
            contact_email,
            instructions,
            internal_note,
            priority,
            attempt,
            max_attempts,
            created_at,
            created_by,
            updated_at,
            updated_by,
            version,
            address_lat: _,
            address_lng: _,
            address_accuracy: _,
            received_by,
            received_by_relation,
            outcome_reason,
            outcome_note,
            outcome_lat: _,
            outcome_lng: _,
            outcome_accuracy: _,
            outcome_occurred_at,
            outcome_received_at,
            late,
            conflict,
            form_version,
            office_decided_at: _,
            incomplete_upload_id,
        } = row;
        wire::Delivery {
            id,
            deliverystatus: wire::DeliveryStatus::from(deliverystatus).into(),
            shipmentnumber,
            customername,
            trucker,
            driver_id,
            scheduledatetime: Some(proto::timestamp(scheduledatetime)),
            deliverydatetime: deliverydatetime.map(proto::timestamp),
            scanmode: wire::ScanMode::from(scanmode).into(),
            referencedoc,
            source_id: source_id.map(|id| id.to_string()),
            upload_log_id: upload_log_id.map(|id| id.to_string()),
            linecount: linecount.unsigned_abs(),
            customeraddress,
            time_window_start: time_window_start.map(proto::timestamp),
            time_window_end: time_window_end.map(proto::timestamp),
            contact_name,
            contact_phone,
            contact_email,
            instructions,
            internal_note,
            priority: wire::Priority::from(priority).into(),
            attempt: attempt.unsigned_abs(),
            max_attempts: max_attempts.unsigned_abs(),
            created_at: Some(proto::timestamp(created_at)),
            created_by,
            updated_at: Some(proto::timestamp(updated_at)),
            updated_by,
            version: version.unsigned_abs(),
            address_point: planned.map(Into::into),
            received_by,
            received_by_relation: received_by_relation.map(|it| wire::Relation::from(it).into()),
            outcome_reason,
            outcome_note,
            outcome_point: there.map(Into::into),
            outcome_distance_m: planned.zip(there).map(|(planned, there)| planned.distance_m(there)),
            outcome_occurred_at: outcome_occurred_at.map(proto::timestamp),
            outcome_received_at: outcome_received_at.map(proto::timestamp),
            late,
            conflict,
            form_version: form_version.unsigned_abs(),
            allowed_actions: Vec::new(),
            items: None,
            history: None,
            incomplete_upload_log_id: incomplete_upload_id.map(|id| id.to_string()),
        }
    }
}
