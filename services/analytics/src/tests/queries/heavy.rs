//! Runs the largest queries that the limits allow: they end, and their answers are right.

use std::time::{Duration, Instant};

use ::store::Db;
use serde_json::{Value, json};

use super::{Data, Evaluator, at, patient};
use crate::Migrator;
use crate::members::{DIMENSIONS, MEASURES};
use crate::query::check::check;
use crate::query::filter::{
    MAX_DEPTH, MAX_GROUPS, MAX_LEAVES, MAX_VALUE_CHARS, MAX_VALUES, MAX_VALUES_IN_ALL,
};
use crate::query::run;

/// Time limit for one query. There are few rows: the database spends most of the time on parsing and planning
/// the statement.
const LONGEST: Duration = Duration::from_secs(10);

fn nested(leaf: Value) -> Value {
    (1..MAX_DEPTH).fold(leaf, |inner, level| {
        if level % 2 == 0 { json!({ "or": [inner] }) } else { json!({ "and": [inner] }) }
    })
}

/// Nests groups of these leaves, each group as the last part of the one around it.
fn nested_last(leaves: &[Value]) -> Value {
    (2..MAX_DEPTH).fold(json!({ "or": leaves }), |inner, level| {
        let parts: Vec<&Value> = leaves.iter().chain([&inner]).collect();
        if level % 2 == 0 { json!({ "and": parts }) } else { json!({ "or": parts }) }
    })
}

fn largest() -> Vec<Value> {
    let names = |kind: &str| {
        DIMENSIONS
            .iter()
            .map(|it| it.name)
            .filter(|it| kind.is_empty() || it.starts_with(kind))
            .collect::<Vec<_>>()
    };
    let measures: Vec<&str> = MEASURES.iter().map(|it| it.name).collect();
    let leaf = |operator: &str, values: Vec<String>| json!({ "member": "Delivery.trucker", "operator": operator, "values": values });
    let many = |count: usize| (0..count).map(|it| format!("{it:x}")).collect::<Vec<_>>();
    let long = |count: usize| {
        (0..count).map(|it| format!("{it:0>width$}", width = MAX_VALUE_CHARS)).collect::<Vec<_>>()
    };
    let all_texts = MAX_VALUES_IN_ALL / MAX_VALUES;
    let of_each_level = vec![leaf("endsWith", many(MAX_VALUES_IN_ALL / MAX_LEAVES)); MAX_LEAVES / MAX_DEPTH];
    let time = |unit: &str| json!({ "dimension": "Delivery.scheduledatetime", "granularity": unit });
    let units = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];
    let with = |filters: Value| json!({ "measures": ["Delivery.count"], "filters": filters });
    vec![
        with(json!(vec![nested(leaf("notContains", many(MAX_VALUES))); all_texts])),
        with(json!([{ "or": vec![leaf("contains", many(MAX_VALUES)); all_texts] }])),
        with(json!([{ "or": vec![leaf("endsWith", many(MAX_VALUES_IN_ALL / MAX_LEAVES)); MAX_LEAVES] }])),
        with(json!(vec![leaf("startsWith", many(MAX_VALUES)); all_texts])),
        with(json!([nested_last(&of_each_level)])),
        with(json!(vec![json!({ "or": [] }); MAX_GROUPS])),
        with(json!([{ "or": vec![json!({ "or": [] }); MAX_GROUPS - 1] }])),
        with(json!([leaf("equals", long(MAX_VALUES))])),
        with(json!(vec![
            json!({ "member": "Delivery.scheduledatetime", "operator": "in",
            "values": vec!["2024-03-31"; MAX_VALUES] });
            all_texts
        ])),
        with(json!(vec![
            json!({ "member": "Delivery.onTimeRate", "operator": "in",
            "values": (0..10).collect::<Vec<_>>() });
            MAX_LEAVES
        ])),
        json!({ "measures": measures, "dimensions": names(""), "timeDimensions": units.map(time), "total": true,
            "timezone": "Africa/Casablanca", "limit": 50_000 }),
        json!({ "dimensions": names("Delivery."), "timeDimensions": units.map(time), "ungrouped": true,
            "timezone": "Africa/Casablanca" }),
        json!({ "measures": measures, "timeDimensions": [{ "dimension": "Delivery.scheduledatetime",
            "granularity": "second", "compareDateRange": vec![["2024-03-31T00:00:00", "2024-03-31T13:00:00"]; 10] }] }),
    ]
}

store::on_both!(the_largest_queries_that_are_allowed_end, Migrator, |db: Db| async move {
    let data = Data::new(3, 160);
    data.insert(&db).await;
    for (number, query) in largest().into_iter().enumerate() {
        let text = query.to_string();
        let asked =
            check(&text, at("2024-06-01T00:00:00Z")).unwrap_or_else(|error| panic!("{number}: {error:?}"));
        let begun = Instant::now();
        let found = run::run(&db, &asked.queries, &patient()).await;
        assert!(begun.elapsed() < LONGEST, "{number}: {:?}", begun.elapsed());
        let found = match found {
            Ok(found) => found,
            // On a busy machine, a query may end by exceeding its time limit.
            Err(error) if error.reason == "ANALYTICS_TOO_SLOW" => continue,
            Err(error) => panic!("{number}: {error:?}"),
        };
        assert_eq!(found[0], Evaluator::new(&data, &asked.queries[0]).run(), "{number}");
    }
});
