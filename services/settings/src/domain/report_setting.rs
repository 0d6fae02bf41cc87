//! Validation of report definitions.

use std::collections::BTreeSet;

use kit::Result;
use kit::input::{Check, limits, text};
use kit::text::fold;
use proto::common::v1::{Filter as WireFilter, SortDirection};
use proto::settings::v1 as wire;
use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};

use super::report_member::{self, Kind, Member, ReportKey};
use ::store::filter::{MAX_FILTERS, MAX_VALUE_CHARS, MAX_VALUES};

const NAME_CHARS: usize = 100;
const LABEL_CHARS: usize = 100;
const MAX_COLUMNS: usize = 40;
const MAX_SORTS: usize = 5;
const RANGE_DAYS: std::ops::RangeInclusive<u32> = 1..=366;
const WIDTH: std::ops::RangeInclusive<u32> = 40..=600;
/// The operators of filters. There are none for times, because the report's range limits times.
const OPERATORS: [&str; 6] = ["contains", "!contains", "equals", "!equals", "startsWith", "endsWith"];
/// Maximum number of definitions that are kept.
pub const MOST: u64 = 200;

::store::text_enum!(
    /// The period that a report is grouped by.
    Granularity {
        Second => "second",
        Minute => "minute",
        Hour => "hour",
        Day => "day",
        Week => "week",
        Month => "month",
        Quarter => "quarter",
        Year => "year",
    }
);

proto::same_enum!(wire::Granularity => Granularity {
    Second => Second,
    Minute => Minute,
    Hour => Hour,
    Day => Day,
    Week => Week,
    Month => Month,
    Quarter => Quarter,
    Year => Year,
});

::store::text_enum!(
    /// Export format.
    Format { Csv => "csv", Xlsx => "xlsx", Pdf => "pdf" }
);

proto::same_enum!(wire::ReportFormat => Format { Csv => Csv, Xlsx => Xlsx, Pdf => Pdf });

/// Everything that can be changed about a report definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportSetting {
    pub name: String,
    pub report_key: ReportKey,
    pub columns: Vec<Column>,
    pub default_filters: Vec<Filter>,
    pub range_days: u32,
    pub granularity: Option<Granularity>,
    pub group_by: Vec<String>,
    pub sort: Vec<Sort>,
    pub format: Format,
    pub is_active: bool,
}

/// A column. Stored as JSON, like all lists of a definition, because nothing searches in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub member: String,
    /// Empty means the member's own label.
    pub label: String,
    pub visible: bool,
    pub width: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    pub key: String,
    pub operator: String,
    pub values: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    pub member: String,
    pub descending: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Columns(pub Vec<Column>);
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Filters(pub Vec<Filter>);
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Members(pub Vec<String>);
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Sorts(pub Vec<Sort>);

/// Parses a report definition. The error lists all wrong fields; members are checked only if the kind of
/// report is known.
pub fn read(input: wire::ReportSettingInput) -> Result<ReportSetting> {
    let granularity = match input.granularity() {
        wire::Granularity::Unspecified => None,
        known => Granularity::try_from(known).ok(),
    };
    let format = Format::try_from(input.format());
    let wire::ReportSettingInput {
        name,
        report_key,
        columns,
        default_filters,
        range_days,
        granularity: _,
        group_by,
        sort,
        format: _,
        is_active,
    } = input;
    let mut check = Check::new();
    let name = check.required("name", "Name", &name, NAME_CHARS);
    let key = ReportKey::parse(&report_key)
        .ok_or_else(|| format!("Report must be one of {}", ReportKey::SPELLINGS.join(", ")));
    let key = check.read("reportKey", key);
    let days = RANGE_DAYS.contains(&range_days);
    check.require(days, "rangeDays", "Range must be between 1 and 366 days");
    if days {
        check.read("granularity", check_granularity(granularity, range_days));
    }
    let format = format.map_err(|_| "Format must be csv, xlsx or pdf");
    let format = check.read("format", format).unwrap_or(Format::Csv);
    let columns = columns.into_iter().map(column).collect::<Vec<_>>();
    let default_filters = default_filters.into_iter().map(filter).collect::<Vec<_>>();
    let sort = sort.into_iter().map(self::sort).collect::<Vec<_>>();
    if let Some(key) = key {
        check.read("columns", check_columns(key, &columns, granularity));
        check.read("defaultFilters", check_filters(&default_filters));
        check.read("groupBy", check_groups(key, &columns, &group_by));
        check.read("sort", check_sorts(&columns, &sort));
    }
    check.done(ReportSetting {
        name,
        report_key: key.unwrap_or(ReportKey::Deliveries),
        columns,
        default_filters,
        range_days,
        granularity,
        group_by,
        sort,
        format,
        is_active,
    })
}

fn column(it: wire::ReportColumn) -> Column {
    let wire::ReportColumn { member, label, visible, width } = it;
    Column { member, label: label.trim().to_owned(), visible, width }
}

fn filter(it: WireFilter) -> Filter {
    let WireFilter { key, operator, values } = it;
    Filter { key, operator, values: values.iter().map(|value| value.trim().to_owned()).collect() }
}

fn sort(it: wire::ReportSort) -> Sort {
    let descending = it.direction() == SortDirection::Desc;
    Sort { member: it.member, descending }
}

/// Refuses a range for which analytics would refuse the query.
fn check_granularity(granularity: Option<Granularity>, range_days: u32) -> Result<(), String> {
    let per_day = match granularity {
        Some(Granularity::Second) => 86_400,
        Some(Granularity::Minute) => 1_440,
        Some(Granularity::Hour) => 24,
        _ => 1,
    };
    let most = limits::TIME_GROUPS / per_day;
    match most {
        _ if range_days <= most => Ok(()),
        0 => Err("Choose a longer unit of time".to_owned()),
        most => Err(format!("Choose a longer unit of time, or a range of at most {most} days")),
    }
}

fn check_columns(key: ReportKey, columns: &[Column], granularity: Option<Granularity>) -> Result<(), String> {
    if !(1..=MAX_COLUMNS).contains(&columns.len()) {
        return Err(format!("Columns must be 1 to {MAX_COLUMNS}"));
    }
    once("Columns", columns.iter().map(|it| it.member.as_str()))?;
    for Column { member, label, visible, width } in columns {
        let member = known(key, member)?;
        if *visible && member.kind == Kind::Time && granularity.is_none() {
            return Err(format!("Choose a granularity, or remove {}", member.short_title));
        }
        text::line(&format!("The label of {}", member.short_title), Some(label), LABEL_CHARS)?;
        if width.is_some_and(|width| !WIDTH.contains(&width)) {
            let (least, most) = (WIDTH.start(), WIDTH.end());
            return Err(format!("The width of {} must be between {least} and {most}", member.short_title));
        }
    }
    match columns.iter().any(|column| column.visible) {
        true => Ok(()),
        false => Err("Columns must include at least one that is shown".to_owned()),
    }
}

fn check_filters(filters: &[Filter]) -> Result<(), String> {
    if filters.len() > MAX_FILTERS {
        return Err(format!("Filters must be no more than {MAX_FILTERS}"));
    }
    for Filter { key, operator, values } in filters {
        let member = report_member::dimension(key).ok_or_else(|| not_filtered(key))?;
        let title = member.short_title;
        if !OPERATORS.contains(&operator.as_str()) {
            return Err(format!("The filter on {title} must use one of {}", OPERATORS.join(", ")));
        }
        if !(1..=MAX_VALUES).contains(&values.len()) {
            return Err(format!("The filter on {title} must have 1 to {MAX_VALUES} values"));
        }
        for value in values {
            text::required(&format!("A value of the filter on {title}"), value, MAX_VALUE_CHARS)?;
            if !can_match(member, operator, value) {
                let known = member.values.join(", ");
                return Err(format!("A value of the filter on {title} must be one of {known}"));
            }
        }
    }
    Ok(())
}

/// Returns whether a filter with this value can match. A label, such as that of a status, matches none of the
/// values that analytics compares, so the report would be empty without an error.
fn can_match(member: &Member, operator: &str, value: &str) -> bool {
    let wanted = fold(value);
    let matches = |known: &&str| {
        let known = fold(known);
        match operator.trim_start_matches('!') {
            "contains" => known.contains(&wanted),
            "startsWith" => known.starts_with(&wanted),
            "endsWith" => known.ends_with(&wanted),
            _ => known == wanted,
        }
    };
    member.values.is_empty() || member.values.iter().any(matches)
}

fn check_groups(key: ReportKey, columns: &[Column], groups: &[String]) -> Result<(), String> {
    once("Grouping", groups.iter().map(String::as_str))?;
    for name in groups {
        let member = dimension(key, name)?;
        among(columns, member.name, member.short_title)?;
    }
    Ok(())
}

fn check_sorts(columns: &[Column], sorts: &[Sort]) -> Result<(), String> {
    if sorts.len() > MAX_SORTS {
        return Err(format!("Sorting must be by no more than {MAX_SORTS} columns"));
    }
    once("Sorting", sorts.iter().map(|it| it.member.as_str()))?;
    sorts.iter().try_for_each(|it| among(columns, &it.member, &brief(&it.member)))
}

fn once<'a>(label: &str, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("{label} must name {} once", brief(name)));
        }
    }
    Ok(())
}

fn among(columns: &[Column], name: &str, shown: &str) -> Result<(), String> {
    match columns.iter().any(|column| column.member == name) {
        true => Ok(()),
        false => Err(format!("{shown} must be among the columns")),
    }
}

fn known(key: ReportKey, name: &str) -> Result<&'static Member, String> {
    key.member(name).ok_or_else(|| format!("{} is not available in reports on {}", brief(name), key.as_str()))
}

fn dimension(key: ReportKey, name: &str) -> Result<&'static Member, String> {
    let member = known(key, name)?;
    match member.kind {
        Kind::Dimension => Ok(member),
        _ => Err(format!("{} cannot be grouped by", member.short_title)),
    }
}

fn not_filtered(name: &str) -> String {
    let shown = proto::members::member(name).map_or_else(|| brief(name), |it| it.short_title.to_owned());
    format!("{shown} cannot be filtered by")
}

/// Truncates a name for display, because the request may contain any text as a name.
fn brief(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_graphic()).take(60).collect()
}

#[cfg(test)]
#[path = "report_setting_tests.rs"]
mod tests;
