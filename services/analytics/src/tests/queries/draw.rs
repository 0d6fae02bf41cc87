//! Random queries that use everything in the registry: members, operators and granularities, also in lists
//! and comparisons.

use serde_json::{Value, json};

use super::super::dice::Dice;
use crate::members::{DIMENSIONS, MEASURES};

/// Draws queries and their parts.
pub struct Draw(pub Dice);

const ZONES: [&str; 6] =
    ["UTC", "Asia/Manila", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"];
const TEXTS: [&str; 16] = [
    "acme", "AC", "%", "_", "\\", "Zoë", "ü", "pending", "Complete", "variance", "s-1", "D-00", "short",
    "portal", "DR-3", "nobody",
];
pub const TEXT_OPERATORS: [&str; 16] = [
    "equals",
    "notEquals",
    "in",
    "notIn",
    "contains",
    "notContains",
    "startsWith",
    "notStartsWith",
    "endsWith",
    "notEndsWith",
    "gt",
    "gte",
    "lt",
    "lte",
    "set",
    "notSet",
];
pub const TIME_OPERATORS: [&str; 17] = [
    "equals",
    "notEquals",
    "in",
    "notIn",
    "gt",
    "gte",
    "lt",
    "lte",
    "inDateRange",
    "notInDateRange",
    "onTheDate",
    "beforeDate",
    "beforeOrOnDate",
    "afterDate",
    "afterOrOnDate",
    "set",
    "notSet",
];
pub const NUMBER_OPERATORS: [&str; 10] =
    ["equals", "notEquals", "in", "notIn", "gt", "gte", "lt", "lte", "set", "notSet"];
/// Operators that accept null as their only value.
const LISTS: [&str; 4] = ["equals", "notEquals", "in", "notIn"];
pub const FORMATS: [&str; 3] = ["default", "compact", "columnar"];
/// Number of measures, the first of [`MEASURES`], for which roll-ups suffice.
const ROLLED_UP: usize = 8;
pub const TIMES: [&str; 2] = ["Delivery.scheduledatetime", "Delivery.deliverydatetime"];
const UNITS: [&str; 8] = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];
/// Ranges, most of them around clock changes.
const RANGES: [[&str; 2]; 7] = [
    ["2024-03-30", "2024-04-02"],
    ["2024-10-26", "2024-10-28"],
    ["2024-03-31T02:30:00.000", "2024-03-31T03:30:00.000"],
    ["2024-10-27T02:15:00.000", "2024-10-27T02:45:00.000"],
    ["2024-02-01", "2024-12-31"],
    ["2024-04-06", "2024-04-08"],
    ["2024-03-10T01:00:00.000", "2024-03-10T10:59:59.999"],
];

impl Draw {
    pub fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.0.roll(items.len())]
    }

    fn some<T: Copy + PartialEq>(&mut self, items: &[T], most: usize) -> Vec<T> {
        let mut drawn = Vec::new();
        for _ in 0..self.0.roll(most.min(items.len()) + 1) {
            let one = self.of(items);
            if !drawn.contains(&one) {
                drawn.push(one);
            }
        }
        drawn
    }

    /// Draws a request: mostly one query, sometimes a comparison or a list.
    pub fn request(&mut self) -> Value {
        let mut query = self.query();
        let first_unit = query["timeDimensions"][0]["granularity"].clone();
        if first_unit.is_string() && self.0.chance(10) {
            let mut other = self.query();
            other["timeDimensions"] = json!([self.time(false)]);
            other["timeDimensions"][0]["granularity"] = first_unit;
            other["timeDimensions"][0]["dateRange"] = query["timeDimensions"][0]["dateRange"].clone();
            return json!([query, other]);
        }
        if query["timeDimensions"][0].is_object() && self.0.chance(10) {
            let time = query["timeDimensions"][0].as_object_mut().into_iter().next().unwrap();
            time.remove("dateRange");
            // Both ranges are short enough for buckets of seconds.
            time.insert("compareDateRange".into(), json!([RANGES[2], RANGES[3]]));
        }
        query
    }

    /// Draws a query for the values of a dropdown, which are found one by one in an index.
    fn dropdown(&mut self) -> Value {
        let member = self.of(&["CustomerReport.customername", "Driver.driverId"]);
        let mut query =
            json!({ "dimensions": [member], "timezone": self.of(&ZONES), "limit": 1 + self.0.roll(8) });
        if member == "Driver.driverId" || self.0.chance(70) {
            let text = self.of(&["a", "AC", "acme", "b", "ü", "dr-", "DR-2", "Zo", "", "x"]);
            query["filters"] = json!([{ "member": member, "operator": "startsWith", "values": [text] }]);
        }
        if self.0.chance(80) {
            query["timeDimensions"] = json!([{ "dimension": TIMES[0], "dateRange": self.of(&RANGES) }]);
        }
        if self.0.chance(50) {
            query["order"] = json!({ member: "asc" });
        }
        if self.0.chance(30) {
            query["offset"] = json!(self.0.roll(4));
        }
        query
    }

    pub fn query(&mut self) -> Value {
        if self.0.chance(5) {
            return self.dropdown();
        }
        let names: Vec<&str> = DIMENSIONS.iter().map(|it| it.name).collect();
        let counted: Vec<&str> = MEASURES.iter().map(|it| it.name).collect();
        // Half of the queries use only members in roll-ups. Otherwise roll-ups would rarely be tested.
        let rolled_up = self.0.chance(50);
        let few = ["Delivery.deliverystatus", "Delivery.source", "Delivery.scanmode", "Delivery.trucker"];
        let (dimensions, measures) = if rolled_up {
            (self.some(&few, 2), self.some(&counted[..ROLLED_UP], 3))
        } else {
            (self.some(&names, 3), self.some(&counted, 3))
        };
        let mut times = Vec::new();
        for _ in 0..self.0.roll(3) {
            times.push(self.time(rolled_up));
        }
        if measures.is_empty() && dimensions.is_empty() && times.iter().all(|it| it["granularity"].is_null())
        {
            return self.query();
        }
        let leaves = if rolled_up { (&few[..], &counted[..ROLLED_UP]) } else { (&names[..], &counted[..]) };
        let filters: Vec<Value> = (0..self.0.roll(3)).map(|_| self.filter(leaves)).collect();
        let mut query = json!({
            "measures": measures, "dimensions": dimensions, "timeDimensions": times, "filters": filters,
            "timezone": self.of(&ZONES), "total": self.0.chance(50), "ungrouped": self.0.chance(10),
        });
        if self.0.chance(40) {
            query["limit"] = json!(self.0.roll(12));
            query["offset"] = json!(self.0.roll(5));
        }
        if self.0.chance(30) {
            query["responseFormat"] = json!(self.of(&FORMATS));
        }
        if self.0.chance(50) {
            let all: Vec<&str> = measures.iter().chain(&dimensions).copied().collect();
            let order = self.some(&all, 2).into_iter().map(|name| json!([name, self.of(&["asc", "desc"])]));
            query["order"] = order.collect();
        }
        query
    }

    fn time(&mut self, rolled_up: bool) -> Value {
        let mut time = json!({ "dimension": if rolled_up { TIMES[0] } else { self.of(&TIMES) } });
        if rolled_up && self.0.chance(30) {
            time["dimension"] = json!(TIMES[1]);
        }
        let range = self.0.chance(70).then(|| self.0.roll(RANGES.len()));
        if let Some(range) = range {
            time["dateRange"] = json!(RANGES[range]);
        }
        if self.0.chance(70) {
            // In longer ranges, buckets of seconds would exceed the limit.
            let finest = if range.is_none_or(|it| matches!(it, 2 | 3 | 6)) { 0 } else { 2 };
            time["granularity"] = json!(self.of(&UNITS[finest..]));
        }
        time
    }

    /// Draws a filter on one of these dimensions or measures.
    fn filter(&mut self, (names, counted): (&[&str], &[&str])) -> Value {
        let word = self.of(&["and", "or"]);
        if self.0.chance(4) {
            return json!({ word: [] });
        }
        if self.0.chance(25) {
            let of: Vec<Value> = (0..self.0.roll(4)).map(|_| self.leaf(names, counted)).collect();
            return json!({ word: [{ "or": of }, self.leaf(names, counted)] });
        }
        if self.0.chance(25) {
            let (member, operator) = (self.of(counted), self.of(&NUMBER_OPERATORS));
            let mut values: Vec<Value> =
                (0..1 + self.0.roll(3)).map(|_| json!(self.0.roll(8).to_string())).collect();
            self.add_null(operator, &mut values);
            return json!({ "member": member, "operator": operator, "values": values });
        }
        self.leaf(names, counted)
    }

    /// Sometimes adds null to the values, or makes null the only value.
    fn add_null(&mut self, operator: &str, values: &mut Vec<Value>) {
        if self.0.chance(20) {
            values.push(Value::Null);
        }
        if LISTS.contains(&operator) && self.0.chance(10) {
            *values = vec![Value::Null];
        }
    }

    fn leaf(&mut self, names: &[&str], counted: &[&str]) -> Value {
        if self.0.chance(10) {
            return json!({ "member": self.of(counted), "operator": "measureFilter" });
        }
        let member = self.of(names);
        if TIMES.contains(&member) {
            let operator = self.of(&TIME_OPERATORS);
            let is_range = matches!(operator, "inDateRange" | "notInDateRange");
            let mut values = match is_range {
                true => self.of(&RANGES).map(Value::from).to_vec(),
                false => (0..1 + self.0.roll(2)).map(|_| json!(self.of(&RANGES)[self.0.roll(2)])).collect(),
            };
            if operator == "onTheDate" {
                values.truncate(1);
            }
            self.add_null(operator, &mut values);
            return json!({ "member": member, "operator": operator, "values": values });
        }
        let operator = self.of(&TEXT_OPERATORS);
        let mut values: Vec<Value> = (0..1 + self.0.roll(3)).map(|_| json!(self.of(&TEXTS))).collect();
        self.add_null(operator, &mut values);
        json!({ "member": member, "operator": operator, "values": values })
    }
}
