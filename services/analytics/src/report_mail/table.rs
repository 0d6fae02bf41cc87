//! The rows of a report as a file, with the columns of the report page.

use std::borrow::Cow;

use kit::Result;
use kit::sheet::{Cell, csv_file, xlsx_file};
use proto::deliveries::v1::Reason;
use proto::members::{DISPATCH, member};
use proto::settings::v1::ReportSettingInput;

use super::query::{DayRange, Members};
use crate::query::run::Rows;

/// Maximum number of characters of the report's name in the name of the file.
const NAME_CHARS: usize = 80;

/// The dimension whose values are codes of reasons.
pub const REASON: &str = "Delivery.outcomeReason";
const STATUS: &str = "Delivery.deliverystatus";

/// A column of the file.
struct Column {
    /// Its name in the rows of the answer.
    key: String,
    title: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Time,
    Text,
    Number,
}

/// Writes the file of a report. `reasons` are needed only if it shows [`REASON`].
pub fn file(report: &ReportSettingInput, rows: &Rows, reasons: &[Reason], is_xlsx: bool) -> Result<Vec<u8>> {
    let columns = columns(report);
    let header: Vec<String> = columns.iter().map(|column| column.title.clone()).collect();
    let places: Vec<Option<usize>> =
        columns.iter().map(|column| rows.columns.iter().position(|name| *name == column.key)).collect();
    let granularity = Members::of(report).granularity;
    let status = rows.columns.iter().position(|name| name == STATUS);
    let cells = rows.rows.iter().map(|row| {
        let status = status.and_then(|at| row.get(at)).and_then(Option::as_deref);
        let values = columns.iter().zip(&places).map(|(column, place)| {
            let value = place.and_then(|at| row.get(at)).and_then(Option::as_deref);
            match value {
                Some(code) if column.key == REASON && !code.is_empty() => {
                    Cell::Text(reason(reasons, code, status))
                }
                value => cell(column, value.unwrap_or_default(), granularity),
            }
        });
        values.collect()
    });
    let cells: Vec<Vec<Cell<'_>>> = cells.collect();
    match is_xlsx {
        true => xlsx_file(&header, &cells),
        false => csv_file(&header, &cells),
    }
}

/// Returns the columns that the report shows, in its order. Time buckets come first unless the report orders
/// them.
fn columns(report: &ReportSettingInput) -> Vec<Column> {
    let Members { dimensions, measures, granularity } = Members::of(report);
    let of = |key: String, name: &str, kind: Kind| {
        let saved = report.columns.iter().position(|column| column.member == name);
        let own = saved.and_then(|at| report.columns.get(at));
        let label = own.map(|column| column.label.clone()).filter(|label| !label.is_empty());
        let title = label.unwrap_or_else(|| member(name).map_or(name, |it| it.short_title).to_owned());
        let first = if kind == Kind::Time { 0 } else { report.columns.len() + 1 };
        let place = saved.map_or(first, |at| at + 1);
        (place, own.is_none_or(|column| column.visible), Column { key, title, kind })
    };
    let time = granularity.map(|unit| of(format!("{DISPATCH}.{unit}"), DISPATCH, Kind::Time));
    let texts = dimensions.into_iter().map(|name| of(name.to_owned(), name, Kind::Text));
    let numbers = measures.into_iter().map(|name| of(name.to_owned(), name, Kind::Number));
    let mut all: Vec<_> = time.into_iter().chain(texts).chain(numbers).collect();
    all.sort_by_key(|(place, _, _)| *place);
    all.into_iter().filter(|(_, is_shown, _)| *is_shown).map(|(_, _, column)| column).collect()
}

fn cell<'a>(column: &Column, value: &'a str, granularity: Option<&str>) -> Cell<'a> {
    match column.kind {
        Kind::Text => Cell::Text(label(&column.key, value).into()),
        _ if value.is_empty() => Cell::Empty,
        Kind::Time => Cell::Text(bucket(value, granularity.unwrap_or_default()).into()),
        Kind::Number => Cell::Decimal(value.into()),
    }
}

/// Returns the value of a dimension as the report page shows it.
fn label<'a>(member: &str, value: &'a str) -> &'a str {
    match (member, value) {
        ("Driver.driverId", "") => "Unassigned",
        (_, "") => "None",
        ("Delivery.deliverystatus", "Complete_No_Variance") => "Complete no variance",
        ("Delivery.deliverystatus", "Complete_With_Variance") => "Complete with variance",
        _ => value,
    }
}

/// Returns the label of a reason of an outcome. If the status is known, it tells reasons with the same code apart;
/// otherwise the label names all of them, as on the report page.
fn reason<'a>(reasons: &'a [Reason], code: &'a str, status: Option<&str>) -> Cow<'a, str> {
    let same = || reasons.iter().filter(|it| it.code == code && it.applies_to != "variance");
    let wanted = status.map(|status| if status == "Rejected" { "rejected" } else { "undelivered" });
    if let Some(of_status) = same().find(|it| wanted == Some(it.applies_to.as_str())) {
        return of_status.label.as_str().into();
    }
    let mut labels: Vec<&str> = Vec::new();
    for it in same() {
        if !labels.contains(&it.label.as_str()) {
            labels.push(&it.label);
        }
    }
    if labels.is_empty() { code.into() } else { labels.join(" / ").into() }
}

/// Shortens a local time such as 2026-11-21T00:00:00.000 to the precision of its unit: a day becomes 2026-11-21.
fn bucket(value: &str, unit: &str) -> String {
    let length = match unit {
        "second" => 19,
        "minute" | "hour" => 16,
        _ => 10,
    };
    value.get(..length).unwrap_or(value).replace('T', " ")
}

/// Returns the name of the file: the report's name without characters that no file can have, and the last day.
pub fn name(report: &str, days: DayRange, is_xlsx: bool) -> String {
    let plain = |c: char| if c.is_control() || "/\\:*?\"<>|".contains(c) { ' ' } else { c };
    let name: String = report.chars().map(plain).take(NAME_CHARS).collect();
    let name: Vec<&str> = name.split_whitespace().collect();
    let name = name.join(" ");
    let name = name.trim_start_matches(['.', ' ']);
    let name = if name.is_empty() { "Report" } else { name };
    format!("{name} {}.{}", days.last, if is_xlsx { "xlsx" } else { "csv" })
}

#[cfg(test)]
mod tests {
    use calamine::{Data, Reader, Xlsx};
    use proto::settings::v1::{Granularity, ReportColumn};

    use super::*;

    fn report() -> ReportSettingInput {
        let column = |member: &str, label: &str, visible| ReportColumn {
            member: member.into(),
            label: label.into(),
            visible,
            width: None,
        };
        ReportSettingInput {
            report_key: "deliveries".into(),
            columns: vec![
                column("Delivery.count", "", true),
                column("Delivery.trucker", "Carrier", true),
                column("Delivery.source", "", false),
            ],
            granularity: Granularity::Day.into(),
            ..Default::default()
        }
    }

    fn rows() -> Rows {
        let text = |text: &str| Some(text.to_owned());
        let columns = [
            "Delivery.trucker",
            "Delivery.source",
            "Delivery.scheduledatetime.day",
            "Delivery.scheduledatetime",
            "Delivery.count",
        ];
        let day = || text("2026-11-21T00:00:00.000");
        Rows {
            columns: columns.map(str::to_owned).into(),
            rows: vec![
                vec![text("=Åsa, Ltd"), text("Web"), day(), day(), text("12")],
                vec![None, None, day(), day(), text("0.5")],
            ],
            total: None,
        }
    }

    #[test]
    fn a_file_has_the_columns_that_the_report_shows_in_its_order() {
        let file = file(&report(), &rows(), &[], false).unwrap();
        let text = String::from_utf8(file).unwrap();
        let expected = "\u{feff}Dispatch Date and Time,Deliveries,Carrier\r\n2026-11-21,12,\"'=Åsa, Ltd\"\r\n2026-11-21,0.5,None\r\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn values_are_labeled_as_on_the_page() {
        let column =
            |member: &str| ReportColumn { member: member.into(), visible: true, ..Default::default() };
        let names = ["Delivery.deliverystatus", "Driver.driverId", "Driver.driverName"];
        let report = ReportSettingInput {
            columns: names.into_iter().chain(["Delivery.count"]).map(column).collect(),
            ..Default::default()
        };
        let row = |texts: [&str; 4]| {
            texts.into_iter().map(|text| Some(text.to_owned()).filter(|text| !text.is_empty())).collect()
        };
        let rows = Rows {
            columns: names.into_iter().chain(["Delivery.count"]).map(str::to_owned).collect(),
            rows: vec![
                row(["Complete_No_Variance", "D-1", "Ana", "2"]),
                row(["Complete_With_Variance", "", "", "1"]),
                row(["Rejected", "D-2", "Ben", ""]),
            ],
            total: None,
        };
        let text = String::from_utf8(file(&report, &rows, &[], false).unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let expected = [
            "Complete no variance,D-1,Ana,2",
            "Complete with variance,Unassigned,None,1",
            "Rejected,D-2,Ben,",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn reasons_are_labeled_for_the_status_of_their_row() {
        let known = |applies_to: &str, code: &str, label: &str| Reason {
            applies_to: applies_to.into(),
            code: code.into(),
            label: label.into(),
            ..Default::default()
        };
        let reasons = [
            known("variance", "other", "Other, an item"),
            known("undelivered", "other", "Other, not attempted"),
            known("rejected", "other", "Other, refused"),
            known("undelivered", "recipient_absent", "Recipient absent"),
        ];
        let labels = |names: &[&str], values: &[&[&str]]| -> Vec<String> {
            let names = [names, &["Delivery.count"]].concat();
            let column = |member: &&str| ReportColumn {
                member: (*member).into(),
                visible: true,
                ..Default::default()
            };
            let report =
                ReportSettingInput { columns: names.iter().map(column).collect(), ..Default::default() };
            let cell = |text: &&str| Some((*text).to_owned()).filter(|text| !text.is_empty());
            let rows = Rows {
                columns: names.iter().map(|name| (*name).to_owned()).collect(),
                rows: values.iter().map(|row| row.iter().map(cell).collect()).collect(),
                total: None,
            };
            let text = String::from_utf8(file(&report, &rows, &reasons, false).unwrap()).unwrap();
            text.lines().skip(1).map(str::to_owned).collect()
        };
        assert_eq!(
            labels(
                &[REASON, STATUS],
                &[&["other", "Undelivered", "1"], &["other", "Rejected", "2"], &["", "Pending", "3"]]
            ),
            ["\"Other, not attempted\",Undelivered,1", "\"Other, refused\",Rejected,2", "None,Pending,3"]
        );
        assert_eq!(
            labels(
                &[REASON, "Driver.driverId"],
                &[&["recipient_absent", "D-1", "1"], &["was_deleted", "D-1", "2"], &["other", "D-1", "3"]]
            ),
            [
                "Recipient absent,D-1,1",
                "was_deleted,D-1,2",
                "\"Other, not attempted / Other, refused\",D-1,3"
            ]
        );
    }

    #[test]
    fn a_workbook_has_numbers_and_texts() {
        let file = file(&report(), &rows(), &[], true).unwrap();
        let mut book: Xlsx<_> = Xlsx::new(std::io::Cursor::new(file)).unwrap();
        let sheet = book.worksheet_range("Report").unwrap();
        let cells: Vec<&Data> = sheet.rows().nth(1).unwrap().iter().collect();
        assert_eq!(
            cells,
            [&Data::String("2026-11-21".into()), &Data::Float(12.0), &Data::String("=Åsa, Ltd".into())]
        );
    }

    #[test]
    fn a_time_is_as_exact_as_its_unit() {
        let value = "2026-11-21T07:30:15.000";
        for (unit, text) in
            [("second", "2026-11-21 07:30:15"), ("hour", "2026-11-21 07:30"), ("month", "2026-11-21")]
        {
            assert_eq!(bucket(value, unit), text);
        }
    }

    #[test]
    fn a_file_name_is_one_that_every_system_takes() {
        let days = DayRange::up_to("2026-11-21".parse().unwrap(), 7);
        assert_eq!(name("Fahrer: nach / Größe", days, false), "Fahrer nach Größe 2026-11-21.csv");
        assert_eq!(name("../..", days, true), "Report 2026-11-21.xlsx");
        assert_eq!(name(&"é".repeat(200), days, true).chars().count(), 96);
    }
}
