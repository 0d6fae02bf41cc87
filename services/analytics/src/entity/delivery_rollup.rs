use sea_orm::entity::prelude::*;

::store::text_enum!(
    /// Which time of a delivery decides the hour of its row. Pending deliveries have no row for `processed`.
    Axis {
        Scheduled => "scheduled",
        Processed => "processed",
    }
);

::store::text_enum!(
    /// The dimensions of a roll-up. `Outcome` has only the delivery status: that is five rows per hour, and
    /// all that dashboards need. `Status` adds source and scan mode, `Trucker` also adds the trucker.
    /// Customers and drivers are in none: they are too many for a roll-up to help.
    Grain {
        Outcome => "outcome",
        Status => "status",
        Trucker => "trucker",
    }
);

/// Sums over the deliveries in one UTC hour with equal dimensions, from which all measures can be computed.
///
/// For each axis on which a delivery has a time, it is counted in one row of each grain. So a query reads
/// only the rows of one axis and one grain.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery_rollup")]
pub struct Model {
    /// A hash of the row's axis, grain, hour and dimensions.
    #[sea_orm(primary_key, auto_increment = false)]
    pub rollup_id: Uuid,
    pub axis: Axis,
    pub grain: Grain,
    /// Start of the hour.
    pub hour: DateTimeUtc,
    pub delivery_status: String,
    pub delivery_status_key: String,
    pub source_id: Option<Uuid>,
    /// Empty in `Grain::Outcome`, where `source_id` is NULL, too.
    pub scan_mode: String,
    pub scan_mode_key: String,
    /// Set in `Grain::Trucker` only.
    pub trucker: Option<String>,
    pub trucker_key: Option<String>,
    pub deliveries: i64,
    /// In `<measure>_known`: number of deliveries to which the measure applies. In `<measure>`: number of
    /// those that meet it.
    pub on_time_known: i64,
    pub on_time: i64,
    pub first_attempt_known: i64,
    pub first_attempt: i64,
    pub perfect_known: i64,
    pub perfect: i64,
    /// Number of deliveries with a known stop duration; `stop_seconds` is the sum of these durations.
    pub stops: i64,
    pub stop_seconds: i64,
    pub late_events: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// The columns with sums.
pub const SUMS: [Column; 10] = [
    Column::Deliveries,
    Column::OnTimeKnown,
    Column::OnTime,
    Column::FirstAttemptKnown,
    Column::FirstAttempt,
    Column::PerfectKnown,
    Column::Perfect,
    Column::Stops,
    Column::StopSeconds,
    Column::LateEvents,
];
