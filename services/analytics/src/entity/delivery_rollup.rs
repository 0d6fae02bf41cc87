use sea_orm::entity::prelude::*;

::store::spelled!(
    /// The time whose hour a roll-up goes by. Deliveries that are Pending have no row of those processed.
    Axis {
        Scheduled => "scheduled",
        Processed => "processed",
    }
);

::store::spelled!(
    /// The dimensions that a roll-up keeps apart: delivery status alone, which is five rows an hour and what dashboards
    /// ask for; with source and scan mode; and with the trucker as well. Customers and drivers are too many for a
    /// roll-up to save anything.
    Grain {
        Outcome => "outcome",
        Status => "status",
        Trucker => "trucker",
    }
);

/// The additive parts of all measures of the deliveries in one UTC hour with the same dimensions.
///
/// Each delivery is in one row of each grain on each axis that it has a time for. So a query reads rows of one axis
/// and one grain.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery_rollup")]
pub struct Model {
    /// A hash of what the row is about.
    #[sea_orm(primary_key, auto_increment = false)]
    pub rollup_id: Uuid,
    pub axis: Axis,
    pub grain: Grain,
    /// Begin of the hour.
    pub hour: DateTimeUtc,
    pub delivery_status: String,
    pub delivery_status_key: String,
    pub source_id: Option<Uuid>,
    /// Empty in `Grain::Outcome`; `source_id` is null too.
    pub scan_mode: String,
    pub scan_mode_key: String,
    /// In the grain of truckers alone.
    pub trucker: Option<String>,
    pub trucker_key: Option<String>,
    pub deliveries: i64,
    /// How many have an answer, and how many have yes.
    pub on_time_known: i64,
    pub on_time: i64,
    pub first_attempt_known: i64,
    pub first_attempt: i64,
    pub perfect_known: i64,
    pub perfect: i64,
    /// How many have a duration, and their sum.
    pub stops: i64,
    pub stop_seconds: i64,
    pub late_events: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// The columns that are added up.
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
