//! The members that each kind of report may use. Names and titles are in [`proto::members`], the registry
//! that analytics also uses.

use proto::members::{DISPATCH, MEMBERS};
pub use proto::members::{Kind, Member};

::store::text_enum!(
    /// The kind of a report, by what its rows are about.
    ReportKey {
        Customers => "customers",
        Deliveries => "deliveries",
        Drivers => "drivers",
        Shipments => "shipments",
        Variances => "variances",
    }
);

impl ReportKey {
    /// Returns the cubes whose dimensions the report can group by, beginning with the report's own cube; and
    /// the cubes whose measures it can show.
    const fn cubes(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Customers => (&["CustomerReport", "Delivery"], &["Delivery"]),
            Self::Deliveries => (&["Delivery", "CustomerReport", "Driver", "Shipment"], &["Delivery"]),
            Self::Drivers => (&["Driver", "Delivery", "CustomerReport"], &["Delivery"]),
            Self::Shipments => {
                (&["Shipment", "Delivery", "CustomerReport", "Driver"], &["Shipment", "Delivery"])
            }
            Self::Variances => (&["Variance", "Delivery", "CustomerReport", "Driver"], &["Variance"]),
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        use sea_orm::Iterable;
        Self::iter().find(|key| key.as_str() == text)
    }

    /// Returns the members that this kind of report may show: dimensions, the dispatch time and measures. Its
    /// filters may use all dimensions ([`dimension`]).
    pub fn members(self) -> impl Iterator<Item = &'static Member> {
        let (grouped, counted) = self.cubes();
        let of = |kind: Kind, cubes: &'static [&'static str]| {
            let of_cube = move |cube: &&'static str| {
                let cube = *cube;
                MEMBERS.iter().filter(move |it| it.kind == kind && it.cube() == cube)
            };
            cubes.iter().flat_map(of_cube)
        };
        // Rows are grouped by no other time.
        let time = proto::members::member(DISPATCH);
        of(Kind::Dimension, grouped).chain(time).chain(of(Kind::Measure, counted))
    }

    pub fn member(self, name: &str) -> Option<&'static Member> {
        self.members().find(|member| member.name == name)
    }
}

/// Returns a dimension that reports of any kind may filter by.
pub fn dimension(name: &str) -> Option<&'static Member> {
    proto::members::member(name).filter(|it| it.kind == Kind::Dimension)
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
            let titles: BTreeSet<_> = key.members().map(|it| it.short_title).collect();
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
    fn the_filters_of_all_reports_are_dimensions_of_one_or_another() {
        // The form of a report setting offers these as filters.
        let shown: BTreeSet<_> = [ReportKey::Variances, ReportKey::Shipments]
            .into_iter()
            .flat_map(ReportKey::members)
            .filter(|it| it.kind == Kind::Dimension)
            .map(|it| it.name)
            .collect();
        let all: BTreeSet<_> =
            MEMBERS.iter().filter(|it| it.kind == Kind::Dimension).map(|it| it.name).collect();
        assert_eq!(shown, all);
    }

    #[test]
    fn what_the_specification_names_is_there_under_its_labels() {
        let title = |key: ReportKey, name| key.member(name).map(|it| it.short_title);
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
        assert_eq!(title(ReportKey::Variances, "Variance.reason"), Some("Reason"));
        assert_eq!(title(ReportKey::Customers, "Variance.reason"), None);
        assert!(dimension("Variance.reason").is_some());
        assert!(dimension("Variance.count").is_none() && dimension("Delivery.scheduledatetime").is_none());
    }
}
