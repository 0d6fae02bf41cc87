use sea_orm::entity::prelude::*;

/// One delivery as it is now.
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
    /// As lists show it: `Pending`, `Complete_No_Variance` and so on.
    pub delivery_status: String,
    pub delivery_status_key: String,
    pub trucker: String,
    pub trucker_key: String,
    /// `Yes` or `No`.
    pub scan_mode: String,
    pub scan_mode_key: String,
    /// Its name is in `source_fact`, as sources are renamed.
    pub source_id: Option<Uuid>,
    pub customer_name: String,
    pub customer_name_key: String,
    /// Its name is in `driver_fact`. A driver of an imported file may be unknown there.
    pub driver_id: Option<String>,
    pub driver_id_key: Option<String>,
    /// Code of the reason of the whole delivery, while it is Undelivered or Rejected.
    pub outcome_reason: Option<String>,
    pub outcome_reason_key: Option<String>,
    pub schedule_date_time: DateTimeUtc,
    /// Nothing while Pending.
    pub delivery_date_time: Option<DateTimeUtc>,
    /// Nothing where the question does not arise; `facts` has the meaning of these three.
    pub on_time: Option<bool>,
    pub first_attempt: Option<bool>,
    pub perfect: Option<bool>,
    /// From arrival to departure; nothing where either is unknown. Whole, so that sums are exact.
    pub stop_seconds: Option<i64>,
    pub late_events: i32,
    /// A superseded update waits for a review.
    pub conflict: bool,
}

impl ActiveModelBehavior for ActiveModel {}
