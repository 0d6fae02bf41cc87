//! Where the values of each member are stored, and how they are compared and counted. A member is a
//! dimension or a measure.
//!
//! Names and titles are in [`proto::members`], the registry that report definitions use, too. `/meta`, query
//! validation and the SQL statements are all based on [`DIMENSIONS`] and [`MEASURES`], so a statement can
//! contain no other names.

pub use proto::members::{CUBES, Cube, cube_of, is_cube};
use proto::members::{Member, named};

/// The tables that contain the values of members.
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

    /// Returns the key column.
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

/// How the values of a dimension are stored and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text. `key` is the column with its folded form, by which it is compared, grouped and sorted. With
    /// `is_blank_missing`, both columns are empty, not NULL, in rows without a value.
    Text { key: &'static str, is_blank_missing: bool },
    /// A boolean, displayed and compared as Yes or No.
    YesNo,
    /// A time, in UTC.
    Instant,
}

/// A member to group and filter by.
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

    /// Returns the column to compare, group and sort by.
    pub fn compared(&self) -> &'static str {
        match self.kind {
            Kind::Text { key, .. } => key,
            Kind::YesNo | Kind::Instant => self.column,
        }
    }

    /// Returns whether the dimension identifies a row of its cube.
    pub fn is_key(&self) -> bool {
        self.compared() == self.table.key() || self.name == "Driver.driverId"
    }
}

const fn dimension_of(name: &str, table: Table, column: &'static str, kind: Kind) -> Dimension {
    let Member { name, title, short_title, .. } = *named(name);
    Dimension { name, title, short_title, table, column, kind }
}

const fn text(name: &str, table: Table, column: &'static str, key: &'static str) -> Dimension {
    dimension_of(name, table, column, Kind::Text { key, is_blank_missing: false })
}

const fn blank_text(name: &str, table: Table, column: &'static str, key: &'static str) -> Dimension {
    dimension_of(name, table, column, Kind::Text { key, is_blank_missing: true })
}

const fn time(name: &str, column: &'static str) -> Dimension {
    dimension_of(name, Table::Delivery, column, Kind::Instant)
}

const fn yes_no(name: &str, column: &'static str) -> Dimension {
    dimension_of(name, Table::Delivery, column, Kind::YesNo)
}

pub const COMPLETE: &[&str] = &["Complete_No_Variance", "Complete_With_Variance"];

use Table::{Delivery, Driver, Shipment, Source, Variance};

/// All dimensions, including times. `Driver.driverId` is read from deliveries, so that unknown drivers in
/// imported files appear, too.
#[rustfmt::skip]
pub const DIMENSIONS: &[Dimension] = &[
    time("Delivery.scheduledatetime", "schedule_date_time"),
    time("Delivery.deliverydatetime", "delivery_date_time"),
    text("Delivery.id", Delivery, "delivery_id", "delivery_id_key"),
    text("Delivery.shipmentnumber", Delivery, "shipment_number", "shipment_number_key"),
    text("Delivery.deliverystatus", Delivery, "delivery_status", "delivery_status_key"),
    blank_text("Delivery.trucker", Delivery, "trucker", "trucker_key"),
    text("Delivery.scanmode", Delivery, "scan_mode", "scan_mode_key"),
    text("Delivery.source", Source, "source", "source_key"),
    text("Delivery.outcomeReason", Delivery, "outcome_reason", "outcome_reason_key"),
    yes_no("Delivery.conflict", "conflict"),
    text("CustomerReport.customername", Delivery, "customer_name", "customer_name_key"),
    text("Variance.reason", Variance, "reason", "reason_key"),
    text("Variance.kind", Variance, "kind", "kind_key"),
    text("Variance.responsible", Variance, "responsible", "responsible_key"),
    text("Driver.driverId", Delivery, "driver_id", "driver_id_key"),
    text("Driver.driverName", Driver, "driver_name", "driver_name_key"),
    text("Shipment.shipmentstatus", Shipment, "shipment_status", "shipment_status_key"),
];

/// How a measure is computed from the rows of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// Number of rows.
    Rows,
    /// Number of rows with one of these delivery statuses.
    RowsWith(&'static [&'static str]),
    /// Percentage of rows where this column is true, among the rows where it is not NULL.
    Rate(&'static str),
    /// Mean of a column of seconds, in minutes, without the rows where it is NULL.
    MeanMinutes(&'static str),
    /// Sum of a column of whole numbers.
    Sum(&'static str),
    /// Sum of a column of thousandths.
    Thousandths(&'static str),
}

/// A count, sum or average over a group.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// `Cube.member`
    pub name: &'static str,
    pub title: &'static str,
    pub short_title: &'static str,
    pub table: Table,
    pub aggregate: Aggregate,
    /// Members shown in a drill-down.
    pub drill: &'static [&'static str],
}

impl Measure {
    pub fn is_rate(&self) -> bool {
        matches!(self.aggregate, Aggregate::Rate(_))
    }
}

const fn measure(name: &str, table: Table, aggregate: Aggregate, drill: &'static [&'static str]) -> Measure {
    let Member { name, title, short_title, .. } = *named(name);
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
    measure("Delivery.count", Delivery, Aggregate::Rows, DELIVERIES),
    measure("Delivery.pendingCount", Delivery, Aggregate::RowsWith(&["Pending"]), DELIVERIES),
    measure("Delivery.completedCount", Delivery, Aggregate::RowsWith(COMPLETE), DELIVERIES),
    measure("Delivery.onTimeRate", Delivery, Aggregate::Rate("on_time"), DELIVERIES),
    measure("Delivery.firstAttemptRate", Delivery, Aggregate::Rate("first_attempt"), DELIVERIES),
    measure("Delivery.perfectRate", Delivery, Aggregate::Rate("perfect"), DELIVERIES),
    measure("Delivery.avgStopMinutes", Delivery, Aggregate::MeanMinutes("stop_seconds"), DELIVERIES),
    measure("Delivery.lateEventCount", Delivery, Aggregate::Sum("late_events"), DELIVERIES),
    measure("Variance.count", Variance, Aggregate::Rows, VARIANCES),
    measure("Variance.quantity", Variance, Aggregate::Thousandths("quantity_thousandths"), VARIANCES),
    measure("Shipment.count", Shipment, Aggregate::Rows, SHIPMENTS),
];

pub fn dimension(name: &str) -> Option<&'static Dimension> {
    DIMENSIONS.iter().find(|it| it.name == name)
}

pub fn measure_named(name: &str) -> Option<&'static Measure> {
    MEASURES.iter().find(|it| it.name == name)
}

#[cfg(test)]
mod tests {
    use proto::members::{Kind as Registered, MEMBERS};

    use super::*;

    #[test]
    fn every_member_of_the_registry_is_kept_somewhere() {
        for member in MEMBERS {
            match member.kind {
                Registered::Measure => assert!(measure_named(member.name).is_some(), "{}", member.name),
                kind => {
                    let known = dimension(member.name).unwrap_or_else(|| panic!("{}", member.name));
                    assert_eq!(known.is_time(), kind == Registered::Time, "{}", member.name);
                }
            }
            assert!(is_cube(member.cube()), "{}", member.name);
        }
        assert_eq!(DIMENSIONS.len() + MEASURES.len(), MEMBERS.len());
    }
}
