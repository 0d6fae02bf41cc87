//! The query of a saved report, the same as that of the report page (`features/reports/definition.ts`).

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use proto::common::v1::{Filter, SortDirection};
use proto::members::{DISPATCH, Kind, member};
use proto::settings::v1::{Granularity, ReportColumn, ReportSettingInput};
use serde_json::{Value, json};

/// Maximum number of rows, as on the report page.
pub const ROW_LIMIT: usize = 5_000;

/// The days that a report covers, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayRange {
    pub first: NaiveDate,
    pub last: NaiveDate,
}

impl DayRange {
    /// Returns that many days up to and including `last`.
    pub fn up_to(last: NaiveDate, count: u32) -> Self {
        let before = Days::new(u64::from(count.saturating_sub(1)));
        Self { first: last.checked_sub_days(before).unwrap_or(last), last }
    }
}

/// The members of a report that its query asks for.
pub struct Members<'a> {
    pub dimensions: Vec<&'a str>,
    pub measures: Vec<&'a str>,
    /// The unit by which rows are grouped by time.
    pub granularity: Option<&'static str>,
}

impl<'a> Members<'a> {
    pub fn of(report: &'a ReportSettingInput) -> Self {
        let names = |kind: Kind, is_wanted: &dyn Fn(&ReportColumn) -> bool| -> Vec<&'a str> {
            let columns = report.columns.iter().filter(|column| is_wanted(column));
            let names = columns.map(|column| column.member.as_str());
            names.filter(|name| member(name).is_some_and(|it| it.kind == kind)).collect()
        };
        // A dimension or a time that is not shown must not split rows that look the same without it.
        let is_grouped = |column: &ReportColumn| {
            column.visible && (report.group_by.is_empty() || report.group_by.contains(&column.member))
        };
        let mut measures = names(Kind::Measure, &|_| true);
        if measures.is_empty() {
            measures.push(if report.report_key == "variances" { "Variance.count" } else { "Delivery.count" });
        }
        let hides_time = report.columns.iter().any(|column| column.member == DISPATCH && !column.visible);
        let granularity = unit(report.granularity()).filter(|_| !hides_time);
        Self { dimensions: names(Kind::Dimension, &is_grouped), measures, granularity }
    }
}

fn unit(granularity: Granularity) -> Option<&'static str> {
    match granularity {
        Granularity::Unspecified => None,
        Granularity::Second => Some("second"),
        Granularity::Minute => Some("minute"),
        Granularity::Hour => Some("hour"),
        Granularity::Day => Some("day"),
        Granularity::Week => Some("week"),
        Granularity::Month => Some("month"),
        Granularity::Quarter => Some("quarter"),
        Granularity::Year => Some("year"),
    }
}

/// Writes the query of a report in the language of [`crate::query`].
pub fn text(report: &ReportSettingInput, days: DayRange, zone: &str) -> String {
    let Members { dimensions, measures, granularity } = Members::of(report);
    let mut time =
        json!({ "dimension": DISPATCH, "dateRange": [days.first.to_string(), days.last.to_string()] });
    if let Some(granularity) = granularity {
        time["granularity"] = json!(granularity);
    }
    let is_asked = |name: &str| {
        measures.contains(&name) || dimensions.contains(&name) || (name == DISPATCH && granularity.is_some())
    };
    let order = report.sort.iter().filter(|sort| is_asked(&sort.member)).map(|sort| {
        let direction = if sort.direction() == SortDirection::Desc { "desc" } else { "asc" };
        json!([sort.member, direction])
    });
    let order: Vec<Value> = order.collect();
    let mut query = json!({
        "measures": measures,
        "dimensions": dimensions,
        "timeDimensions": [time],
        "filters": filters(&report.default_filters),
        "limit": ROW_LIMIT,
        "timezone": zone,
    });
    if !order.is_empty() {
        query["order"] = Value::Array(order);
    }
    query.to_string()
}

/// Values of one member are joined by OR; negated values and different members are joined by AND.
fn filters(filters: &[Filter]) -> Vec<Value> {
    let mut all = Vec::new();
    let mut positive: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for Filter { key, operator, values } in filters {
        let (name, is_negated) = match operator.as_str() {
            "!contains" => ("notContains", true),
            "!equals" => ("notEquals", true),
            own => (own, false),
        };
        let leaf = json!({ "member": key, "operator": name, "values": values });
        match is_negated {
            true => all.push(leaf),
            false => positive.entry(key).or_default().push(leaf),
        }
    }
    all.extend(positive.into_values().map(|mut leaves| match leaves.len() {
        1 => leaves.remove(0),
        _ => json!({ "or": leaves }),
    }));
    all
}

#[cfg(test)]
mod tests {
    use proto::settings::v1::{ReportColumn, ReportSort};

    use super::*;
    use crate::query::check::check;

    fn report() -> ReportSettingInput {
        let column =
            |member: &str| ReportColumn { member: member.into(), visible: true, ..Default::default() };
        let filter = |key: &str, operator: &str, value: &str| Filter {
            key: key.into(),
            operator: operator.into(),
            values: vec![value.into()],
        };
        ReportSettingInput {
            name: "By carrier".into(),
            report_key: "deliveries".into(),
            columns: vec![column("Delivery.trucker"), column(DISPATCH), column("Delivery.count")],
            default_filters: vec![
                filter("Delivery.trucker", "startsWith", "A"),
                filter("Delivery.trucker", "equals", "B"),
                filter("Delivery.scanmode", "!equals", "No"),
            ],
            range_days: 7,
            granularity: Granularity::Week.into(),
            sort: vec![
                ReportSort { member: "Delivery.count".into(), direction: SortDirection::Desc.into() },
                ReportSort { member: "Delivery.source".into(), direction: SortDirection::Asc.into() },
            ],
            ..Default::default()
        }
    }

    #[test]
    fn a_report_becomes_the_query_of_its_page() {
        let days = DayRange::up_to("2026-11-21".parse().unwrap(), 7);
        let text = text(&report(), days, "Asia/Manila");
        let query: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            query,
            json!({
                "measures": ["Delivery.count"],
                "dimensions": ["Delivery.trucker"],
                "timeDimensions": [{ "dimension": DISPATCH, "dateRange": ["2026-11-15", "2026-11-21"], "granularity": "week" }],
                "filters": [
                    { "member": "Delivery.scanmode", "operator": "notEquals", "values": ["No"] },
                    { "or": [
                        { "member": "Delivery.trucker", "operator": "startsWith", "values": ["A"] },
                        { "member": "Delivery.trucker", "operator": "equals", "values": ["B"] },
                    ] },
                ],
                "order": [["Delivery.count", "desc"]],
                "limit": 5000,
                "timezone": "Asia/Manila",
            })
        );
        check(&text, "2026-11-21T08:00:00Z".parse().unwrap()).unwrap();
    }

    #[test]
    fn a_month_may_be_grouped_by_minutes_and_a_year_by_hours() {
        let now = "2026-11-21T08:00:00Z".parse().unwrap();
        let checked = |granularity: Granularity, days: u32| {
            let report = ReportSettingInput { granularity: granularity.into(), ..report() };
            let days = DayRange::up_to("2026-11-21".parse().unwrap(), days);
            check(&text(&report, days, "America/New_York"), now).map(drop)
        };
        for (granularity, days) in [(Granularity::Minute, 34), (Granularity::Hour, 366)] {
            checked(granularity, days).unwrap();
        }
        let error = checked(Granularity::Second, 1).unwrap_err();
        assert!(error.message.contains("more than 50000 seconds"), "{error}");
    }

    #[test]
    fn rows_are_split_by_columns_that_are_shown_and_grouped() {
        let shown =
            |member: &str, visible| ReportColumn { member: member.into(), visible, ..Default::default() };
        let mut report = ReportSettingInput {
            columns: vec![
                shown("Delivery.trucker", true),
                shown("Delivery.source", false),
                shown("Delivery.scanmode", true),
                shown(DISPATCH, true),
                shown("Delivery.pendingCount", false),
            ],
            granularity: Granularity::Day.into(),
            ..Default::default()
        };
        assert_eq!(Members::of(&report).dimensions, ["Delivery.trucker", "Delivery.scanmode"]);
        report.group_by = vec!["Delivery.scanmode".into(), "Delivery.source".into()];
        let members = Members::of(&report);
        assert_eq!(members.dimensions, ["Delivery.scanmode"]);
        assert_eq!((members.measures, members.granularity), (vec!["Delivery.pendingCount"], Some("day")));
        report.columns[3].visible = false;
        assert_eq!(Members::of(&report).granularity, None);
    }

    #[test]
    fn a_report_without_a_measure_counts() {
        for (key, count) in [("variances", "Variance.count"), ("drivers", "Delivery.count")] {
            let report = ReportSettingInput { report_key: key.into(), ..ReportSettingInput::default() };
            assert_eq!(Members::of(&report).measures, [count]);
        }
    }

    #[test]
    fn a_range_includes_its_last_day() {
        let last = "2026-03-01".parse().unwrap();
        assert_eq!(DayRange::up_to(last, 1).first, last);
        assert_eq!(DayRange::up_to(last, 366).first.to_string(), "2025-03-01");
    }
}
