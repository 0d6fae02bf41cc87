//! What reports are made of: dimensions, measures and times of the cubes, with the labels that the
//! screens have for them.

use proto::settings::v1 as wire;

::store::spelled!(
    /// What a report is about.
    ReportKey {
        Customers => "customers",
        Deliveries => "deliveries",
        Drivers => "drivers",
        Shipments => "shipments",
        Variances => "variances",
    }
);

/// What a member is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// To group and filter by.
    Dimension,
    /// Counted or averaged over a group.
    Measure,
    /// To be cut into days, weeks and so on.
    Time,
}

proto::same_enum!(wire::ReportMemberKind => Kind { Dimension => Dimension, Measure => Measure, Time => Time });

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// cube.member
    pub name: &'static str,
    pub title: &'static str,
    pub kind: Kind,
}

const fn dimension(name: &'static str, title: &'static str) -> Member {
    Member { name, title, kind: Kind::Dimension }
}

const fn measure(name: &'static str, title: &'static str) -> Member {
    Member { name, title, kind: Kind::Measure }
}

const fn time(name: &'static str, title: &'static str) -> Member {
    Member { name, title, kind: Kind::Time }
}

const CUSTOMER: &[Member] = &[dimension("CustomerReport.customername", "Customer Name")];
const DELIVERY: &[Member] = &[
    dimension("Delivery.id", "Delivery Doc"),
    dimension("Delivery.shipmentnumber", "Shipment no."),
    dimension("Delivery.deliverystatus", "Delivery Status"),
    dimension("Delivery.trucker", "Trucker"),
    dimension("Delivery.scanmode", "Scan Mode"),
    dimension("Delivery.source", "Source"),
];
const DRIVER: &[Member] =
    &[dimension("Driver.driverId", "Driver ID"), dimension("Driver.driverName", "Driver Name")];
const SHIPMENT: &[Member] = &[dimension("Shipment.shipmentstatus", "Shipment Status")];
const VARIANCE: &[Member] = &[
    dimension("Variance.reason", "Reason"),
    dimension("Variance.kind", "Kind"),
    dimension("Variance.responsible", "Responsible"),
];
const TIMES: &[Member] = &[
    time("Delivery.scheduledatetime", "Dispatch Date and Time"),
    time("Delivery.deliverydatetime", "Processed at Date"),
];
const OF_DELIVERIES: &[Member] = &[
    measure("Delivery.count", "Deliveries"),
    measure("Delivery.pendingCount", "Pending"),
    measure("Delivery.completedCount", "Completed"),
    measure("Delivery.onTimeRate", "On time"),
    measure("Delivery.firstAttemptRate", "At the first attempt"),
    measure("Delivery.perfectRate", "Perfect"),
    measure("Delivery.avgStopMinutes", "Minutes per stop"),
    measure("Delivery.lateEventCount", "Late events"),
];
const OF_VARIANCES: &[Member] =
    &[measure("Variance.count", "Variances"), measure("Variance.quantity", "Quantity")];
const OF_SHIPMENTS: &[Member] = &[measure("Shipment.count", "Shipments")];

impl ReportKey {
    fn groups(self) -> &'static [&'static [Member]] {
        match self {
            Self::Customers => &[CUSTOMER, DELIVERY, TIMES, OF_DELIVERIES],
            Self::Deliveries => &[DELIVERY, CUSTOMER, DRIVER, SHIPMENT, TIMES, OF_DELIVERIES],
            Self::Drivers => &[DRIVER, DELIVERY, CUSTOMER, TIMES, OF_DELIVERIES],
            Self::Shipments => &[SHIPMENT, DELIVERY, CUSTOMER, DRIVER, TIMES, OF_SHIPMENTS, OF_DELIVERIES],
            Self::Variances => &[VARIANCE, DELIVERY, CUSTOMER, DRIVER, TIMES, OF_VARIANCES],
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        use sea_orm::Iterable;
        Self::iter().find(|key| key.as_str() == text)
    }

    /// What a report of this kind may be made of.
    pub fn members(self) -> impl Iterator<Item = &'static Member> {
        self.groups().iter().copied().flatten()
    }

    pub fn member(self, name: &str) -> Option<&'static Member> {
        self.members().find(|member| member.name == name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use sea_orm::Iterable;

    use super::*;

    #[test]
    fn every_report_has_dimensions_measures_and_times_each_named_once() {
        for key in ReportKey::iter() {
            let names: BTreeSet<_> = key.members().map(|it| it.name).collect();
            let titles: BTreeSet<_> = key.members().map(|it| it.title).collect();
            assert_eq!(names.len(), key.members().count(), "{}", key.as_str());
            assert_eq!(titles.len(), names.len(), "{}", key.as_str());
            for kind in [Kind::Dimension, Kind::Measure, Kind::Time] {
                assert!(key.members().any(|it| it.kind == kind), "{} {kind:?}", key.as_str());
            }
            assert_eq!(ReportKey::parse(key.as_str()), Some(key));
        }
        assert_eq!(ReportKey::parse("Deliveries"), None);
    }

    #[test]
    fn what_the_specification_names_is_there_under_its_labels() {
        let title = |key: ReportKey, name| key.member(name).map(|it| it.title);
        assert_eq!(title(ReportKey::Deliveries, "Delivery.id"), Some("Delivery Doc"));
        assert_eq!(title(ReportKey::Deliveries, "Delivery.scheduledatetime"), Some("Dispatch Date and Time"));
        for name in [
            "CustomerReport.customername",
            "Delivery.shipmentnumber",
            "Delivery.deliverystatus",
            "Variance.reason",
            "Driver.driverId",
            "Driver.driverName",
            "Shipment.shipmentstatus",
        ] {
            let known = ReportKey::iter().any(|key| title(key, name).is_some());
            assert!(known, "{name}");
        }
        assert_eq!(title(ReportKey::Customers, "Variance.reason"), None);
    }
}
