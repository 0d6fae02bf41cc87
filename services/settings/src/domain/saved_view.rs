//! Validation of saved views: the filters, sort order and columns of a list; or a query of the query lab.
//!
//! Fields and columns are those of the browser's list; a test on each side compares them with
//! `frontend/src/test/saved-view-fields.json`.

use std::collections::{BTreeMap, BTreeSet};

use kit::Result;
use kit::input::{Check, text};
use kit::principal::Role;
use proto::settings::v1 as wire;
use sea_orm::{FromJsonQueryResult, Iterable};
use serde::{Deserialize, Serialize};

use ::store::filter::{MAX_FILTERS, MAX_VALUE_CHARS, MAX_VALUES};

const NAME_CHARS: usize = 60;
const STATE_BYTES: usize = 8 << 10;
/// The same limit as in the browser's editor.
const QUERY_CHARS: usize = 20_000;
const MAX_SORTS: usize = 3;
const LABEL_CHARS: usize = 300;
const WIDTH: std::ops::RangeInclusive<u32> = 60..=600;
/// Maximum number of views that a person may have.
pub const MOST: u64 = 50;
/// Maximum number of shared queries, for all people together.
pub const MOST_SHARED: u64 = 200;

::store::text_enum!(
    /// A list whose views can be saved. In the query lab, the saved views are queries.
    List { Deliveries => "deliveries", QueryLab => "queryLab" }
);

/// The kind of values that a filter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Choice,
    Range,
}

impl Kind {
    pub fn operators(self) -> &'static [&'static str] {
        match self {
            Self::Text => &[
                "contains",
                "!contains",
                "equals",
                "!equals",
                "startsWith",
                "endsWith",
                "isEmpty",
                "!isEmpty",
            ],
            Self::Choice => &["equals", "!equals", "isEmpty", "!isEmpty"],
            Self::Range => &["inDateRange", "isEmpty", "!isEmpty"],
        }
    }
}

impl List {
    /// Returns the roles that may have saved views of this list.
    pub fn roles(self) -> &'static [Role] {
        match self {
            Self::Deliveries => Role::STAFF,
            Self::QueryLab => Role::ADMINS,
        }
    }

    pub fn fields(self) -> &'static [(&'static str, Kind)] {
        match self {
            Self::Deliveries => &[
                ("id", Kind::Text),
                ("customername", Kind::Text),
                ("trucker", Kind::Text),
                ("dateRange", Kind::Range),
                ("deliverystatus", Kind::Choice),
                ("reason", Kind::Text),
                ("outcomeReason", Kind::Choice),
                ("scanmode", Kind::Choice),
                ("shipmentnumber", Kind::Text),
                ("shipmentstatus", Kind::Choice),
                ("scheduledatetime", Kind::Range),
                ("deliverydatetime", Kind::Range),
                ("referencedoc", Kind::Text),
                ("driverId", Kind::Text),
                ("sourceId", Kind::Choice),
                ("uploadLogId", Kind::Choice),
                ("dueAt", Kind::Range),
                ("conflict", Kind::Choice),
            ],
            Self::QueryLab => &[],
        }
    }

    /// Returns the columns, each with whether the list can be sorted by it.
    pub fn columns(self) -> &'static [(&'static str, bool)] {
        match self {
            Self::Deliveries => &[
                ("id", true),
                ("scheduledatetime", true),
                ("deliverystatus", true),
                ("driverId", true),
                ("linecount", false),
                ("customername", true),
                ("trucker", false),
                ("shipmentnumber", false),
                ("referencedoc", false),
                ("deliverydatetime", false),
            ],
            Self::QueryLab => &[],
        }
    }
}

/// Everything that can be changed about a saved view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedView {
    pub name: String,
    pub list: List,
    pub state: State,
    /// Whether others may run the query; false for views of lists.
    pub shared: bool,
}

/// The content of a saved view. Stored as JSON, because nothing searches it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(untagged)]
pub enum State {
    List(ListState),
    Query(QueryState),
}

/// A query of the query lab, as its author wrote it. Only analytics parses it, when it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryState {
    pub query: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListState {
    pub filters: Vec<Filter>,
    pub sort: Vec<Sort>,
    pub columns: Columns,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    pub key: String,
    pub operator: String,
    pub values: Vec<Value>,
}

/// A filter's value, and its label on the screen, such as the name of a driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    pub label: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sort {
    pub key: String,
    pub direction: Direction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Asc,
    Desc,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Columns {
    pub order: Vec<String>,
    pub hidden: Vec<String>,
    pub pinned: Vec<String>,
    /// Widths of columns, in pixels.
    pub widths: BTreeMap<String, u32>,
}

impl State {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

pub fn read_list(list: &str) -> Result<List> {
    parse_list(list).map_err(|text| kit::Error::invalid_field("list", text))
}

fn parse_list(list: &str) -> std::result::Result<List, String> {
    let known = List::iter().find(|known| known.as_str() == list);
    known.ok_or_else(|| format!("List must be one of {}", List::SPELLINGS.join(", ")))
}

/// Parses a saved view. The error lists all wrong fields.
pub fn read(input: wire::SavedViewInput) -> Result<SavedView> {
    let wire::SavedViewInput { name, list, state, shared } = input;
    let mut check = Check::new();
    let name = check.required_name("name", "Name", &name, NAME_CHARS);
    let list = check.read("list", parse_list(&list));
    let state = list.and_then(|list| match list {
        List::QueryLab => check.read("state", parse_query(&state)).map(State::Query),
        List::Deliveries => read_list_state(&mut check, list, &state).map(State::List),
    });
    let is_query = list == Some(List::QueryLab);
    check.require(!shared || is_query, "shared", "Only queries of the query lab can be shared");
    match (list, state) {
        (Some(list), Some(state)) => check.done(SavedView { name, list, state, shared }),
        _ => Err(check.refusal()),
    }
}

fn read_list_state(check: &mut Check, list: List, json: &str) -> Option<ListState> {
    let state = check.read("state", parse_list_state(json))?;
    check.read("state", check_filters(list, &state.filters));
    check.read("state", check_sort(list, &state.sort));
    check.read("state", check_columns(list, &state.columns));
    Some(state)
}

fn parse_list_state(json: &str) -> std::result::Result<ListState, String> {
    if json.len() > STATE_BYTES {
        return Err("View is too large to save. Remove some filter values.".to_owned());
    }
    serde_json::from_str(json)
        .map_err(|_| "View must have the filters, sort and columns of a list".to_owned())
}

fn parse_query(json: &str) -> std::result::Result<QueryState, String> {
    let wrong = || "Query must be a JSON object or a list of objects".to_owned();
    let state: QueryState = serde_json::from_str(json).map_err(|_| wrong())?;
    if state.query.chars().count() > QUERY_CHARS {
        return Err(format!("Query must have no more than {QUERY_CHARS} characters"));
    }
    match serde_json::from_str(&state.query) {
        Ok(serde_json::Value::Object(_)) => Ok(state),
        Ok(serde_json::Value::Array(all)) if all.iter().all(serde_json::Value::is_object) => Ok(state),
        _ => Err(wrong()),
    }
}

type Checked = std::result::Result<(), String>;

fn check_filters(list: List, filters: &[Filter]) -> Checked {
    if filters.len() > MAX_FILTERS {
        return Err(format!("View must have no more than {MAX_FILTERS} filters"));
    }
    for Filter { key, operator, values } in filters {
        let known = list.fields().iter().find(|(known, _)| known == key);
        let &(field, kind) = known.ok_or_else(|| format!("The list has no filter {}", brief(key)))?;
        if !kind.operators().contains(&operator.as_str()) {
            let known = kind.operators().join(", ");
            return Err(format!("The filter on {field} must use one of {known}"));
        }
        let wanted = match operator.as_str() {
            "isEmpty" | "!isEmpty" => 0..=0,
            "inDateRange" => 1..=2,
            _ => 1..=MAX_VALUES,
        };
        if !wanted.contains(&values.len()) {
            let (least, most) = wanted.into_inner();
            return Err(format!("The filter on {field} must have {least} to {most} values"));
        }
        for Value { label, value } in values {
            text::required(&format!("A value of the filter on {field}"), value, MAX_VALUE_CHARS)?;
            text::line(&format!("A label of the filter on {field}"), Some(label), LABEL_CHARS)?;
        }
    }
    Ok(())
}

fn check_sort(list: List, sort: &[Sort]) -> Checked {
    if sort.len() > MAX_SORTS {
        return Err(format!("View must be sorted by no more than {MAX_SORTS} columns"));
    }
    let mut seen = BTreeSet::new();
    for Sort { key, .. } in sort {
        if !list.columns().iter().any(|(known, sorts)| known == key && *sorts) {
            return Err(format!("The list can't be sorted by {}", brief(key)));
        }
        if !seen.insert(key) {
            return Err(format!("View must be sorted by {key} once"));
        }
    }
    Ok(())
}

fn check_columns(list: List, columns: &Columns) -> Checked {
    let Columns { order, hidden, pinned, widths } = columns;
    for ids in [order, hidden, pinned] {
        let mut seen = BTreeSet::new();
        for id in ids {
            known_column(list, id)?;
            if !seen.insert(id) {
                return Err(format!("View must name the column {id} once"));
            }
        }
    }
    for (id, width) in widths {
        known_column(list, id)?;
        if !WIDTH.contains(width) {
            let (least, most) = (WIDTH.start(), WIDTH.end());
            return Err(format!("The width of {id} must be between {least} and {most}"));
        }
    }
    Ok(())
}

fn known_column(list: List, id: &str) -> Checked {
    match list.columns().iter().any(|(known, _)| *known == id) {
        true => Ok(()),
        false => Err(format!("The list has no column {}", brief(id))),
    }
}

/// Truncates a text for an error message.
fn brief(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

#[cfg(test)]
#[path = "saved_view_tests.rs"]
mod tests;
