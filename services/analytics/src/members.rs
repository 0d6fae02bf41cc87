//! The registry of members: every cube, dimension and measure that a query may name.
//!
//! `/meta`, the checks of a query and the statements are all made from these tables; a name that is not here
//! is in no statement. Titles are those of the screens. Start at [`DIMENSIONS`] and [`MEASURES`].

/// A group of members in `/meta`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cube {
    pub name: &'static str,
    pub title: &'static str,
}

pub const CUBES: [Cube; 5] = [
    Cube { name: "Delivery", title: "Deliveries" },
    Cube { name: "CustomerReport", title: "Customers" },
    Cube { name: "Variance", title: "Variances" },
    Cube { name: "Driver", title: "Drivers" },
    Cube { name: "Shipment", title: "Shipments" },
];

/// The tables that members come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    Delivery,
    Variance,
    Driver,
    Shipment,
    Source,
}

impl Table {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delivery => "delivery_fact",
            Self::Variance => "variance_fact",
            Self::Driver => "driver_fact",
            Self::Shipment => "shipment_fact",
            Self::Source => "source_fact",
        }
    }

    /// Column that names a row.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Delivery => "delivery_id_key",
            Self::Variance => "variance_id",
            Self::Driver => "driver_id_key",
            Self::Shipment => "shipment_number_key",
            Self::Source => "source_id",
        }
    }
}

/// How the values of a dimension are kept and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text. `key` is the column that holds it folded: what is compared, grouped and sorted by.
    Text { key: &'static str },
    /// A time, in UTC.
    Instant,
}

/// Something to group and filter by.
#[derive(Debug, Clone, Copy)]
pub struct Dimension {
    /// `Cube.member`
    pub name: &'static str,
    pub title: &'static str,
    pub short_title: &'static str,
    pub table: Table,
    pub column: &'static str,
    pub kind: Kind,
}

impl PartialEq for Dimension {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Dimension {
    pub fn is_time(&self) -> bool {
        self.kind == Kind::Instant
    }

    /// Column to compare, group and sort by.
    pub fn compared(&self) -> &'static str {
        match self.kind {
            Kind::Text { key } => key,
            Kind::Instant => self.column,
        }
    }

    /// Whether it names a row of its cube.
    pub fn is_key(&self) -> bool {
        self.compared() == self.table.key() || self.name == "Driver.driverId"
    }
}

const fn text(
    name: &'static str,
    title: &'static str,
    short_title: &'static str,
    table: Table,
    column: &'static str,
    key: &'static str,
) -> Dimension {
    Dimension { name, title, short_title, table, column, kind: Kind::Text { key } }
}

const fn time(name: &'static str, title: &'static str, column: &'static str) -> Dimension {
    Dimension { name, title, short_title: title, table: Table::Delivery, column, kind: Kind::Instant }
}

pub const COMPLETE: &[&str] = &["Complete_No_Variance", "Complete_With_Variance"];

use Table::{Delivery, Driver, Shipment, Source, Variance};

/// Every dimension, times included. `Driver.driverId` is that of the delivery, so that a driver of a file whom
/// nobody knows is shown as well.
#[rustfmt::skip]
pub const DIMENSIONS: &[Dimension] = &[
    time("Delivery.scheduledatetime", "Dispatch Date and Time", "schedule_date_time"),
    time("Delivery.deliverydatetime", "Processed at Date", "delivery_date_time"),
    text("Delivery.id", "Delivery Doc", "Delivery Doc", Delivery, "delivery_id", "delivery_id_key"),
    text("Delivery.shipmentnumber", "Shipment no.", "Shipment no.", Delivery, "shipment_number", "shipment_number_key"),
    text("Delivery.deliverystatus", "Delivery Status", "Delivery Status", Delivery, "delivery_status", "delivery_status_key"),
    text("Delivery.trucker", "Trucker", "Trucker", Delivery, "trucker", "trucker_key"),
    text("Delivery.scanmode", "Scan Mode", "Scan Mode", Delivery, "scan_mode", "scan_mode_key"),
    text("Delivery.source", "Source", "Source", Source, "source", "source_key"),
    text("Delivery.outcomeReason", "Outcome Reason", "Outcome Reason", Delivery, "outcome_reason", "outcome_reason_key"),
    text("CustomerReport.customername", "Customer Name", "Customer Name", Delivery, "customer_name", "customer_name_key"),
    text("Variance.reason", "Variance Reason", "Reason", Variance, "reason", "reason_key"),
    text("Variance.kind", "Variance Kind", "Kind", Variance, "kind", "kind_key"),
    text("Variance.responsible", "Variance Responsible", "Responsible", Variance, "responsible", "responsible_key"),
    text("Driver.driverId", "Driver ID", "Driver ID", Delivery, "driver_id", "driver_id_key"),
    text("Driver.driverName", "Driver Name", "Driver Name", Driver, "driver_name", "driver_name_key"),
    text("Shipment.shipmentstatus", "Shipment Status", "Shipment Status", Shipment, "shipment_status", "shipment_status_key"),
];

/// How a measure comes from the rows of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// How many rows.
    Rows,
    /// How many rows with one of these delivery statuses.
    RowsWith(&'static [&'static str]),
    /// Hundredths of rows where the column is true, of those where it is known.
    Rate(&'static str),
    /// Mean of seconds where they are known, in minutes.
    MeanMinutes(&'static str),
    /// Sum of a whole number.
    Sum(&'static str),
    /// Sum of thousandths.
    Thousandths(&'static str),
}

/// Something counted or averaged over a group.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// `Cube.member`
    pub name: &'static str,
    pub title: &'static str,
    pub short_title: &'static str,
    pub table: Table,
    pub aggregate: Aggregate,
    /// What a drill-down shows.
    pub drill: &'static [&'static str],
}

impl Measure {
    pub fn is_rate(&self) -> bool {
        matches!(self.aggregate, Aggregate::Rate(_))
    }
}

const fn measure(
    name: &'static str,
    title: &'static str,
    short_title: &'static str,
    table: Table,
    aggregate: Aggregate,
    drill: &'static [&'static str],
) -> Measure {
    Measure { name, title, short_title, table, aggregate, drill }
}

const DELIVERIES: &[&str] = &[
    "Delivery.id",
    "CustomerReport.customername",
    "Delivery.deliverystatus",
    "Delivery.trucker",
    "Driver.driverId",
    "Delivery.scheduledatetime",
];
const VARIANCES: &[&str] = &[
    "Delivery.id",
    "CustomerReport.customername",
    "Variance.reason",
    "Variance.kind",
    "Delivery.scheduledatetime",
];
const SHIPMENTS: &[&str] = &["Delivery.shipmentnumber", "Shipment.shipmentstatus"];

#[rustfmt::skip]
pub const MEASURES: &[Measure] = &[
    measure("Delivery.count", "Deliveries", "Deliveries", Delivery, Aggregate::Rows, DELIVERIES),
    measure("Delivery.pendingCount", "Pending Deliveries", "Pending", Delivery, Aggregate::RowsWith(&["Pending"]), DELIVERIES),
    measure("Delivery.completedCount", "Completed Deliveries", "Completed", Delivery, Aggregate::RowsWith(COMPLETE), DELIVERIES),
    measure("Delivery.onTimeRate", "On-time Rate", "On time", Delivery, Aggregate::Rate("on_time"), DELIVERIES),
    measure("Delivery.firstAttemptRate", "First-attempt Rate", "At the first attempt", Delivery, Aggregate::Rate("first_attempt"), DELIVERIES),
    measure("Delivery.perfectRate", "Perfect Rate", "Perfect", Delivery, Aggregate::Rate("perfect"), DELIVERIES),
    measure("Delivery.avgStopMinutes", "Average Minutes per Stop", "Minutes per stop", Delivery, Aggregate::MeanMinutes("stop_seconds"), DELIVERIES),
    measure("Delivery.lateEventCount", "Late Events", "Late events", Delivery, Aggregate::Sum("late_events"), DELIVERIES),
    measure("Variance.count", "Variances", "Variances", Variance, Aggregate::Rows, VARIANCES),
    measure("Variance.quantity", "Variance Quantity", "Quantity", Variance, Aggregate::Thousandths("quantity_thousandths"), VARIANCES),
    measure("Shipment.count", "Shipments", "Shipments", Shipment, Aggregate::Rows, SHIPMENTS),
];

pub fn dimension(name: &str) -> Option<&'static Dimension> {
    DIMENSIONS.iter().find(|it| it.name == name)
}

pub fn measure_named(name: &str) -> Option<&'static Measure> {
    MEASURES.iter().find(|it| it.name == name)
}

/// The part of a member's name before the dot.
pub fn cube_of(name: &str) -> &str {
    name.split_once('.').map_or(name, |(cube, _)| cube)
}

pub fn is_cube(name: &str) -> bool {
    CUBES.iter().any(|it| it.name == name)
}
