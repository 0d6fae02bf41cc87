use sea_orm::entity::prelude::*;

::store::spelled!(
    /// The time from which a row's hour is taken. Pending deliveries have no row for `processed`.
    Axis {
        Scheduled => "scheduled",
        Processed => "processed",
    }
);

::store::spelled!(
    /// The dimensions of a roll-up: delivery status alone, which is five rows per hour and what dashboards
    /// ask for; with source and scan mode; and with the trucker as well. A roll-up by customer or driver
    /// would not help, because there are too many of them.
    Grain {
        Outcome => "outcome",
        Status => "status",
        Trucker => "trucker",
    }
);

/// Additive parts of all measures, for the deliveries in one UTC hour with the same dimensions.
///
/// Each delivery is in one row of each grain on each axis for which it has a time. So a query reads the rows
/// of one axis and one grain.
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
    /// Empty in `Grain::Outcome`; there, `source_id` is NULL, too.
    pub scan_mode: String,
    pub scan_mode_key: String,
    /// Set only in the grain with truckers.
    pub trucker: Option<String>,
    pub trucker_key: Option<String>,
    pub deliveries: i64,
    /// For how many deliveries it is known whether they were on time, and for how many the answer is yes.
    pub on_time_known: i64,
    pub on_time: i64,
    pub first_attempt_known: i64,
    pub first_attempt: i64,
    pub perfect_known: i64,
    pub perfect: i64,
    /// Number of deliveries with a known duration, and the sum of the durations.
    pub stops: i64,
    pub stop_seconds: i64,
    pub late_events: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// The summed columns.
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
