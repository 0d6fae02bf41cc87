//! The members of analytics: the names that its queries and report definitions use.
//!
//! This is the only list of members. Analytics adds where values are stored, settings adds which report may
//! use which member. Titles are those of the screens.

/// A group of members.
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

/// The kind of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string to group and filter by.
    Dimension,
    /// A time to group by days, weeks and so on.
    Time,
    /// A number computed from a group, such as a count or an average.
    Measure,
}

crate::same_enum!(crate::settings::v1::ReportMemberKind => Kind {
    Dimension => Dimension, Measure => Measure, Time => Time,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// `Cube.member`
    pub name: &'static str,
    pub title: &'static str,
    /// The title within its cube.
    pub short_title: &'static str,
    pub kind: Kind,
    /// All values of the dimension if they are a fixed set; otherwise empty.
    pub values: &'static [&'static str],
}

impl Member {
    pub fn cube(&self) -> &'static str {
        cube_of(self.name)
    }
}

const fn dimension(name: &'static str, title: &'static str, short_title: &'static str) -> Member {
    Member { name, title, short_title, kind: Kind::Dimension, values: &[] }
}

const fn choice(name: &'static str, title: &'static str, values: &'static [&'static str]) -> Member {
    Member { values, ..dimension(name, title, title) }
}

const fn time(name: &'static str, title: &'static str) -> Member {
    Member { name, title, short_title: title, kind: Kind::Time, values: &[] }
}

const fn measure(name: &'static str, title: &'static str, short_title: &'static str) -> Member {
    Member { name, title, short_title, kind: Kind::Measure, values: &[] }
}

/// The time that reports are limited to and grouped by.
pub const DISPATCH: &str = "Delivery.scheduledatetime";

const DELIVERY_STATUSES: &[&str] =
    &["Pending", "Complete_No_Variance", "Complete_With_Variance", "Undelivered", "Rejected"];
const SHIPMENT_STATUSES: &[&str] = &["Pending", "Partial", "Completed"];
const YES_NO: &[&str] = &["Yes", "No"];

/// Every member, in display order.
pub const MEMBERS: &[Member] = &[
    time(DISPATCH, "Dispatch Date and Time"),
    time("Delivery.deliverydatetime", "Processed at Date"),
    dimension("Delivery.id", "Delivery Doc", "Delivery Doc"),
    dimension("Delivery.shipmentnumber", "Shipment no.", "Shipment no."),
    choice("Delivery.deliverystatus", "Delivery Status", DELIVERY_STATUSES),
    dimension("Delivery.trucker", "Trucker", "Trucker"),
    choice("Delivery.scanmode", "Scan Mode", YES_NO),
    dimension("Delivery.source", "Source", "Source"),
    dimension("Delivery.outcomeReason", "Outcome Reason", "Outcome Reason"),
    // Yes while a late update from a driver waits for review, otherwise No.
    choice("Delivery.conflict", "Conflict", YES_NO),
    dimension("CustomerReport.customername", "Customer Name", "Customer Name"),
    dimension("Variance.reason", "Variance Reason", "Reason"),
    dimension("Variance.kind", "Variance Kind", "Kind"),
    dimension("Variance.responsible", "Variance Responsible Party", "Responsible party"),
    dimension("Driver.driverId", "Driver ID", "Driver ID"),
    dimension("Driver.driverName", "Driver Name", "Driver Name"),
    choice("Shipment.shipmentstatus", "Shipment Status", SHIPMENT_STATUSES),
    measure("Delivery.count", "Deliveries", "Deliveries"),
    measure("Delivery.pendingCount", "Pending Deliveries", "Pending"),
    measure("Delivery.completedCount", "Completed Deliveries", "Completed"),
    measure("Delivery.onTimeRate", "On-time Rate", "On time"),
    measure("Delivery.firstAttemptRate", "First-attempt Rate", "On first attempt"),
    measure("Delivery.perfectRate", "Perfect Rate", "Perfect"),
    measure("Delivery.avgStopMinutes", "Average Minutes per Stop", "Minutes per stop"),
    measure("Delivery.lateEventCount", "Late Events", "Late events"),
    measure("Variance.count", "Variances", "Variances"),
    measure("Variance.quantity", "Variance Quantity", "Quantity"),
    measure("Shipment.count", "Shipments", "Shipments"),
];

pub fn member(name: &str) -> Option<&'static Member> {
    MEMBERS.iter().find(|it| it.name == name)
}

/// Returns the member with this name. For constants only: there, an unknown name does not compile.
pub const fn named(name: &str) -> &'static Member {
    let mut at = 0;
    while at < MEMBERS.len() {
        if is_same(MEMBERS[at].name, name) {
            return &MEMBERS[at];
        }
        at += 1;
    }
    panic!("there is no member of this name")
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns the part of a member's name before the dot.
pub fn cube_of(name: &str) -> &str {
    name.split_once('.').map_or(name, |(cube, _)| cube)
}

pub fn is_cube(name: &str) -> bool {
    CUBES.iter().any(|it| it.name == name)
}
