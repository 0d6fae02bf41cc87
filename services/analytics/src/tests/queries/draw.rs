//! Queries drawn from the registry: every member, operator and granularity, and what a list or a comparison makes of them.

use serde_json::{Value, json};

use super::super::dice::Dice;
use crate::members::{DIMENSIONS, MEASURES};

/// Draws what a query is made of.
pub struct Draw(pub Dice);

const ZONES: [&str; 6] =
    ["UTC", "Asia/Manila", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"];
const TEXTS: [&str; 16] = [
    "acme", "AC", "%", "_", "\\", "Zoë", "ü", "pending", "Complete", "variance", "s-1", "D-00", "short",
    "portal", "DR-3", "nobody",
];
const TEXT_OPERATORS: [&str; 14] = [
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
    "lte",
    "set",
    "notSet",
];
const TIME_OPERATORS: [&str; 9] = [
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
const TIMES: [&str; 2] = ["Delivery.scheduledatetime", "Delivery.deliverydatetime"];
const UNITS: [&str; 8] = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];
/// Around the changes of the clocks, and not.
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

    /// What a request asks: one query mostly, now and then a comparison or a list.
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
            // Both ranges are short enough for seconds.
            time.insert("compareDateRange".into(), json!([RANGES[2], RANGES[3]]));
        }
        query
    }

    /// The values of a dropdown, which are found by walking along an index.
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
        // Half of them name what the roll-ups have, or these would hardly be asked.
        let rolled_up = self.0.chance(50);
        let few = ["Delivery.deliverystatus", "Delivery.source", "Delivery.scanmode", "Delivery.trucker"];
        let (dimensions, measures) = if rolled_up {
            (self.some(&few, 2), self.some(&counted[..8], 3))
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
        let (leaves, depth) = (if rolled_up { &few[..] } else { &names[..] }, 2);
        let filters: Vec<Value> = (0..self.0.roll(3)).map(|_| self.filter(leaves, depth)).collect();
        let mut query = json!({
            "measures": measures, "dimensions": dimensions, "timeDimensions": times, "filters": filters,
            "timezone": self.of(&ZONES), "total": self.0.chance(50), "ungrouped": self.0.chance(10),
        });
        if self.0.chance(40) {
            query["limit"] = json!(self.0.roll(12));
            query["offset"] = json!(self.0.roll(5));
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
            // A long range has no more than so many seconds.
            let finest = if range.is_none_or(|it| matches!(it, 2 | 3 | 6)) { 0 } else { 2 };
            time["granularity"] = json!(self.of(&UNITS[finest..]));
        }
        time
    }

    fn filter(&mut self, names: &[&str], depth: usize) -> Value {
        if depth > 0 && self.0.chance(25) {
            let of: Vec<Value> = (0..1 + self.0.roll(3)).map(|_| self.leaf(names)).collect();
            let word = self.of(&["and", "or"]);
            return json!({ word: [{ "or": of }, self.leaf(names)] });
        }
        if self.0.chance(20) {
            let member = self.of(&MEASURES.iter().map(|it| it.name).collect::<Vec<_>>()[..8]);
            let operator = self.of(&["gt", "gte", "lt", "lte", "equals", "notEquals", "set", "notSet"]);
            return json!({ "member": member, "operator": operator, "values": [self.0.roll(8).to_string()] });
        }
        self.leaf(names)
    }

    fn leaf(&mut self, names: &[&str]) -> Value {
        if self.0.chance(7) {
            return json!({ "member": "Delivery.completedCount", "operator": "measureFilter" });
        }
        let member = self.of(names);
        if TIMES.contains(&member) {
            let operator = self.of(&TIME_OPERATORS);
            let range = self.of(&RANGES);
            let is_range = operator.ends_with("InDateRange") || operator == "inDateRange";
            let values = if is_range { json!(range) } else { json!([range[0]]) };
            return json!({ "member": member, "operator": operator, "values": values });
        }
        let mut values: Vec<Value> = (0..1 + self.0.roll(3)).map(|_| json!(self.of(&TEXTS))).collect();
        if self.0.chance(20) {
            values.push(Value::Null);
        }
        json!({ "member": member, "operator": self.of(&TEXT_OPERATORS), "values": values })
    }
}
