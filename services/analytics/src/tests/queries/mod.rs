//! Queries by the hundred, each answered by the statements and by an evaluator that has none.

mod calendar;
mod data;
mod evaluator;

use ::store::{Db, Reading};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::dice::Dice;
use crate::Migrator;
use crate::members::{DIMENSIONS, MEASURES};
use crate::query::check::{Query, check};
use crate::query::plan::{Source, plan, plan_of_facts};
use crate::query::run::{self, Rows};
pub use data::Data;
use evaluator::Evaluator;

/// Queries of one run on each database.
const QUERIES: usize = 400;

pub fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// Draws what a query is made of.
struct Draw(Dice);

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
    fn of<T: Copy>(&mut self, items: &[T]) -> T {
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

    fn query(&mut self) -> Value {
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

/// The answer of the facts, whatever the roll-ups have.
async fn of_facts(db: &Db, query: &Query) -> Rows {
    let read = db.begin_read(Reading::Report).await.unwrap();
    let mut room = run::MAX_BYTES;
    run::rows(&read, &plan_of_facts(query), &mut room).await.unwrap()
}

store::on_both!(every_query_answers_what_the_evaluator_does, Migrator, |db: Db| async move {
    let data = Data::new(7, 160);
    data.insert(&db).await;
    let mut draw = Draw(Dice::new(2024));
    let (mut by_rollup, mut with_rows) = (0, 0);
    for number in 0..QUERIES {
        let text = draw.query().to_string();
        let asked = check(&text, at("2024-06-01T00:00:00Z"))
            .unwrap_or_else(|error| panic!("{number}: {text}\n{error:?}"));
        let query = &asked.queries[0];
        let expected = Evaluator::new(&data, query).run();
        let found =
            run::run(&db, &asked.queries).await.unwrap_or_else(|error| panic!("{number}: {text}\n{error:?}"));
        assert_eq!(found[0], expected, "{number}: {text}");
        with_rows += usize::from(!expected.rows.is_empty());
        if plan(query).source != Source::Facts {
            by_rollup += 1;
            assert_eq!(of_facts(&db, query).await, expected, "{number}, of the facts: {text}");
        }
    }
    assert!(by_rollup > QUERIES / 10, "{by_rollup} queries read a roll-up");
    assert!(with_rows > QUERIES / 3, "{with_rows} queries had rows");
});
