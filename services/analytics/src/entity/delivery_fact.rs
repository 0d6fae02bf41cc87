use sea_orm::entity::prelude::*;

/// The current state of one delivery.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery_fact")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_id_key: String,
    pub delivery_id: String,
    pub sequence: i64,
    pub run: i64,
    pub shipment_number: String,
    pub shipment_number_key: String,
    /// The status in the spelling of lists: `Pending`, `Complete_No_Variance` and so on.
    pub delivery_status: String,
    pub delivery_status_key: String,
    pub trucker: String,
    pub trucker_key: String,
    /// Whether the delivery was scanned: `Yes` or `No`.
    pub scan_mode: String,
    pub scan_mode_key: String,
    /// The source's name is in `source_fact`, because sources can be renamed.
    pub source_id: Option<Uuid>,
    pub customer_name: String,
    pub customer_name_key: String,
    /// The driver's name is in `driver_fact`. An imported delivery may name an unknown driver.
    pub driver_id: Option<String>,
    pub driver_id_key: Option<String>,
    /// Reason code of the whole delivery, while it is Undelivered or Rejected.
    pub outcome_reason: Option<String>,
    pub outcome_reason_key: Option<String>,
    pub schedule_date_time: DateTimeUtc,
    /// When the delivery was processed; NULL while it is Pending.
    pub delivery_date_time: Option<DateTimeUtc>,
    /// Defined in `facts`; NULL where it does not apply.
    pub on_time: Option<bool>,
    /// Defined in `facts`; NULL where it does not apply.
    pub first_attempt: Option<bool>,
    /// Defined in `facts`; NULL where it does not apply.
    pub perfect: Option<bool>,
    /// Duration of the stop, see `facts`; NULL if it is unknown. An integer, so that sums are exact.
    pub stop_seconds: Option<i64>,
    pub late_events: i32,
    /// Whether a superseded update waits for review.
    pub conflict: bool,
}

impl ActiveModelBehavior for ActiveModel {}
