//! Random queries, each answered by statements and, independently, by an evaluator.

mod calendar;
mod data;
mod draw;
mod evaluator;
mod heavy;
mod hostile;

use std::collections::BTreeSet;
use std::time::Instant;

use ::store::testing::{Backend, TestDb, sqlite_plan};
use ::store::{Db, Reading};
use chrono::{DateTime, Utc};
use sea_orm::DbBackend;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::dice::Dice;
use crate::Migrator;
use crate::answers::LIMITS;
use crate::members::{MEASURES, measure_named};
use crate::query::answer;
use crate::query::check::{Query, check};
use crate::query::plan::{Source, plan, plan_of_facts};
use crate::query::run::{self, Rows, Within};
use crate::query::sql::Sql;
pub use data::Data;
use draw::{Draw, FORMATS, NUMBER_OPERATORS, TEXT_OPERATORS, TIME_OPERATORS, TIMES};
use evaluator::Evaluator;

/// Number of requests per set of deliveries.
const BATCH: u64 = 1_000;

/// Returns a number from the environment. `just analytics` sets the numbers of a full run.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// Returns the longest time limit that any request has.
pub fn patient() -> Within {
    Within { until: Instant::now() + LIMITS.longest, stop: CancellationToken::new() }
}

/// Returns the answer computed from facts, even where roll-ups suffice.
async fn of_facts(db: &Db, query: &Query) -> Rows {
    loop {
        let read = db.begin_read(Reading::Report).await.unwrap();
        let mut room = run::MAX_BYTES;
        match run::rows(&read, &plan_of_facts(query), &mut room, &patient()).await {
            Ok(rows) => return rows,
            // With so few rows, only a stalling machine is too slow: retry.
            Err(error) if error.reason == "ANALYTICS_TOO_SLOW" => {}
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// Returns the rows of a result, decoded from its response format.
fn decoded(result: &Value, columns: &[String]) -> Value {
    let data = &result["data"];
    let cell = |of: &dyn Fn(usize) -> Value, column: &String| {
        let members = data["members"].as_array().unwrap();
        of(members.iter().position(|it| it == column.as_str()).unwrap())
    };
    let row = |of: &dyn Fn(usize) -> Value| columns.iter().map(|it| cell(of, it)).collect::<Value>();
    match result["query"]["responseFormat"].as_str() {
        Some("compact") => {
            let rows = data["dataset"].as_array().unwrap();
            rows.iter().map(|it| row(&|at| it[at].clone())).collect()
        }
        Some(_) => {
            let count = data["columns"][0].as_array().map_or(0, Vec::len);
            (0..count).map(|number| row(&|at| data["columns"][at][number].clone())).collect()
        }
        None => {
            let rows = data.as_array().unwrap();
            rows.iter().map(|it| columns.iter().map(|name| it[name].clone()).collect::<Value>()).collect()
        }
    }
}

#[derive(Default)]
struct Seen {
    queries: u64,
    by_rollup: u64,
    with_rows: u64,
}

impl Seen {
    async fn ask(&mut self, db: &Db, data: &Data, text: &str) {
        let asked =
            check(text, at("2024-06-01T00:00:00Z")).unwrap_or_else(|error| panic!("{text}\n{error:?}"));
        let found = loop {
            match run::run(db, &asked.queries, &patient()).await {
                Ok(found) => break found,
                // With so few rows, only a stalling machine is too slow: retry.
                Err(error) if error.reason == "ANALYTICS_TOO_SLOW" => {}
                Err(error) => panic!("{text}\n{error:?}"),
            }
        };
        let answer = answer::load(&asked, found.clone(), true, at("2024-06-01T00:00:00Z"), db.backend());
        let answer: Value = serde_json::from_str(&answer.unwrap()).unwrap();
        for (query, (found, answered)) in
            asked.queries.iter().zip(found.into_iter().zip(answer["results"].as_array().unwrap()))
        {
            let expected = Evaluator::new(data, query).run();
            assert_eq!(found, expected, "{text}");
            assert_eq!(decoded(answered, &expected.columns), json!(expected.rows), "in its format: {text}");
            self.queries += 1;
            self.with_rows += u64::from(!expected.rows.is_empty());
            if plan(query).source != Source::Facts {
                self.by_rollup += 1;
                assert_eq!(of_facts(db, query).await, expected, "of the facts: {text}");
            }
        }
    }
}

async fn ask(backend: Backend) {
    let (requests, seed) = (number("WAYBILL_QUERIES", 400), number("WAYBILL_QUERY_SEED", 2024));
    let mut seen = Seen::default();
    for batch in 0..requests.div_ceil(BATCH) {
        let test = TestDb::migrated::<Migrator>(backend).await;
        let data = Data::new(seed.wrapping_add(batch), 160);
        data.insert(&test.db).await;
        let mut draw = Draw(Dice::new(seed.wrapping_mul(31).wrapping_add(batch)));
        for _ in 0..BATCH.min(requests - batch * BATCH) {
            seen.ask(&test.db, &data, &draw.request().to_string()).await;
        }
        test.close().await;
    }
    eprintln!(
        "{} queries, {} of them by a roll-up, {} with rows",
        seen.queries, seen.by_rollup, seen.with_rows
    );
    assert!(seen.by_rollup > seen.queries / 10, "{} queries read a roll-up", seen.by_rollup);
    assert!(seen.with_rows > seen.queries / 3, "{} queries had rows", seen.with_rows);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_query_answers_what_the_evaluator_does_on_sqlite() {
    ask(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_query_answers_what_the_evaluator_does_on_postgres() {
    ask(Backend::Postgres).await;
}

store::on_both!(
    deliveries_with_a_reason_and_those_without_it_are_all_deliveries,
    Migrator,
    |db: Db| async move {
        let data = Data::new(7, 160);
        data.insert(&db).await;
        let count = async |filters: Value| {
            let text = json!({ "measures": ["Delivery.count"], "filters": filters }).to_string();
            let asked = check(&text, at("2024-06-01T00:00:00Z")).unwrap();
            let rows = run::run(&db, &asked.queries, &patient()).await.unwrap().remove(0).rows;
            rows[0][0].as_deref().unwrap().parse::<usize>().unwrap()
        };
        let reasons_of = |delivery: &str| -> BTreeSet<&str> {
            let own = data.variances.iter().filter(|it| it.delivery_id_key == delivery);
            own.filter_map(|it| it.reason_key.as_deref()).collect()
        };
        let several = data.deliveries.iter().filter(|it| reasons_of(&it.delivery_id_key).len() > 1).count();
        assert!(several > 0, "no delivery has two reasons");
        let reasons: BTreeSet<&str> = data.variances.iter().filter_map(|it| it.reason.as_deref()).collect();
        for reason in reasons {
            let of = |operator: &str| json!([{ "member": "Variance.reason", "operator": operator, "values": [reason] }]);
            let (with, without) = (count(of("equals")).await, count(of("notEquals")).await);
            assert_eq!(with + without, data.deliveries.len(), "{reason}");
        }
    }
);

/// Otherwise Postgres would search all variances for each delivery, once they no longer fit in its memory for hashing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_variances_of_a_delivery_are_found_in_their_index() {
    let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
    let filter = json!({ "member": "Variance.reason", "operator": "notEquals", "values": ["x"] });
    let text = json!({ "measures": ["Delivery.count"], "filters": [filter] }).to_string();
    let asked = check(&text, at("2024-06-01T00:00:00Z")).unwrap();
    let statement = DbBackend::Sqlite.build(&Sql::new(&plan(&asked.queries[0]), DbBackend::Sqlite).rows());
    let plan = sqlite_plan(test.db.read(), statement).await;
    assert!(!plan.lines().any(|it| it.starts_with("SCAN variance_fact")), "{plan}");
    test.close().await;
}

/// Collects the operators that filters use, each with its member.
fn leaves(filters: &Value, found: &mut BTreeSet<String>) {
    for filter in filters.as_array().into_iter().flatten() {
        for word in ["and", "or"] {
            if filter[word].as_array().is_some_and(Vec::is_empty) {
                found.insert(format!("{word} of nothing"));
            }
            leaves(&filter[word], found);
        }
        let (Some(member), Some(operator)) = (filter["member"].as_str(), filter["operator"].as_str()) else {
            continue;
        };
        let is_measure = measure_named(member).is_some();
        let kind = match operator {
            "measureFilter" => member,
            _ if is_measure => "number",
            _ if TIMES.contains(&member) => "time",
            _ => "text",
        };
        found.insert(format!("{operator} of {kind}"));
        if is_measure && operator != "measureFilter" {
            found.insert(format!("groups by {member}"));
        }
        if filter["values"].as_array().is_some_and(|it| it.contains(&Value::Null)) {
            found.insert(format!("null for {kind}"));
        }
    }
}

#[test]
fn every_operator_is_drawn_on_everything_that_takes_it() {
    let mut draw = Draw(Dice::new(2024));
    let mut found = BTreeSet::new();
    for _ in 0..3_000 {
        let request = draw.request();
        for query in request.as_array().unwrap_or(&vec![request.clone()]) {
            leaves(&query["filters"], &mut found);
            found.extend(query["responseFormat"].as_str().map(|it| format!("as {it}")));
        }
    }
    let of = |operators: &[&str], kind: &str| -> Vec<String> {
        operators.iter().map(|it| format!("{it} of {kind}")).collect()
    };
    let mut wanted = of(&TEXT_OPERATORS, "text");
    wanted.extend(of(&TIME_OPERATORS, "time"));
    wanted.extend(of(&NUMBER_OPERATORS, "number"));
    wanted.extend(of(&["and", "or"], "nothing"));
    wanted.extend(MEASURES.iter().map(|it| format!("measureFilter of {}", it.name)));
    wanted.extend(MEASURES.iter().map(|it| format!("groups by {}", it.name)));
    wanted.extend(["text", "time", "number"].map(|kind| format!("null for {kind}")));
    wanted.extend(FORMATS.map(|format| format!("as {format}")));
    let missing: Vec<_> = wanted.iter().filter(|it| !found.contains(*it)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
