//! Queries by the hundred, each answered by the statements and by an evaluator that has none.

mod calendar;
mod data;
mod draw;
mod evaluator;
mod heavy;
mod hostile;

use ::store::testing::{Backend, TestDb};
use ::store::{Db, Reading};
use chrono::{DateTime, Utc};

use super::dice::Dice;
use crate::Migrator;
use crate::query::check::{Query, check};
use crate::query::plan::{Source, plan, plan_of_facts};
use crate::query::run::{self, Rows};
pub use data::Data;
use draw::Draw;
use evaluator::Evaluator;

/// Requests about the same deliveries.
const BATCH: u64 = 1_000;

/// A number of the environment, such as the size of a run; `just analytics` sets those of the full length.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// The answer of the facts, whatever the roll-ups have.
async fn of_facts(db: &Db, query: &Query) -> Rows {
    let read = db.begin_read(Reading::Report).await.unwrap();
    let mut room = run::MAX_BYTES;
    run::rows(&read, &plan_of_facts(query), &mut room).await.unwrap()
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
            match run::run(db, &asked.queries).await {
                Ok(found) => break found,
                // Of so few rows only a machine that stands still makes too many.
                Err(error) if error.reason == "ANALYTICS_TOO_SLOW" => {}
                Err(error) => panic!("{text}\n{error:?}"),
            }
        };
        for (query, found) in asked.queries.iter().zip(found) {
            let expected = Evaluator::new(data, query).run();
            assert_eq!(found, expected, "{text}");
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
