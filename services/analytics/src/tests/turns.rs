//! Concurrent computations, their time limits, and the shares of accounts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ::store::Db;
use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use kit::clock::Clock;
use kit::gate;
use kit::{Error, Kind, Result};
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::queries::{Data, at};
use crate::Migrator;
use crate::answers::{Answers, Asker, LIMITS, Limits, Run};
use crate::entity::data_version;
use crate::query::check::{Query, check};
use crate::query::run::{Rows, Within, stopped};

const NOW: &str = "2024-06-01T00:00:00Z";
/// Queries with a `limit` above this are slow: they run until they are released.
const QUICK: u64 = 100;
const SLOW: u64 = 1_000;

/// Runs queries on the database, slow ones only after they are released.
struct Runner {
    db: Db,
    released: Semaphore,
    begun: AtomicUsize,
    running: AtomicUsize,
    longest: std::sync::Mutex<Duration>,
}

#[async_trait]
impl Run for Runner {
    async fn run(&self, queries: &[Query], within: &Within) -> Result<Vec<Rows>> {
        *self.longest.lock().unwrap() = within.until - Instant::now();
        if queries[0].limit > QUICK {
            self.begun.fetch_add(1, Ordering::SeqCst);
            self.running.fetch_add(1, Ordering::SeqCst);
            let released = within.stop.run_until_cancelled(self.released.acquire()).await;
            self.running.fetch_sub(1, Ordering::SeqCst);
            released.ok_or_else(stopped)?.unwrap().forget();
        }
        self.db.run(queries, within).await
    }
}

struct Stage {
    db: Db,
    runner: Arc<Runner>,
    answers: Answers,
}

impl Stage {
    async fn new(db: Db, limits: Limits) -> Self {
        Data::new(1, 3).insert(&db).await;
        let runner = Arc::new(Runner {
            db: db.clone(),
            released: Semaphore::new(0),
            begun: AtomicUsize::default(),
            running: AtomicUsize::default(),
            longest: std::sync::Mutex::default(),
        });
        let answers = Answers::with(db.clone(), Clock::fixed(at(NOW)), runner.clone(), limits);
        Self { db, runner, answers }
    }

    fn ask(&self, account: &str, is_lab: bool, limit: u64) -> JoinHandle<Result<Value, Error>> {
        let query = json!({ "measures": ["Delivery.count"], "dimensions": ["Delivery.id"], "limit": limit });
        let asked = check(&query.to_string(), at(NOW)).unwrap();
        let (answers, account) = (self.answers.clone(), account.to_owned());
        tokio::spawn(async move {
            let (body, _) = answers.load(asked, false, Asker { account, is_lab }).await?;
            Ok(serde_json::from_str(&body).unwrap())
        })
    }

    fn release(&self, queries: usize) {
        self.runner.released.add_permits(queries);
    }

    /// Waits until exactly this many slow queries run.
    async fn runs(&self, queries: usize) {
        while self.runner.running.load(Ordering::SeqCst) != queries {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Waits until exactly this many requests wait for an answer.
    async fn waits(&self, requests: usize) {
        while self.answers.waiters() != requests {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    fn begun(&self) -> usize {
        self.runner.begun.load(Ordering::SeqCst)
    }

    async fn change_data(&self) {
        // Import `ExprTrait` only here: elsewhere its `is_null` would also apply to JSON values.
        use sea_orm::sea_query::{Expr, ExprTrait};
        let raise = data_version::Entity::update_many()
            .col_expr(data_version::Column::Version, Expr::col(data_version::Column::Version).add(1));
        let tx = self.db.begin().await.unwrap();
        raise.exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
    }
}

fn rows(answer: &Value) -> usize {
    answer["data"].as_array().unwrap_or_else(|| panic!("{answer}")).len()
}

const PATIENT: Limits = Limits { hold: Duration::from_secs(300), ..LIMITS };
const HURRIED: Limits = Limits { hold: Duration::from_millis(30), ..LIMITS };

store::on_both!(a_second_account_is_answered_while_the_first_floods, Migrator, |db: Db| async move {
    let gate = gate::Limits { waiting_each: 20, ..LIMITS.gate };
    let stage = Stage::new(db, Limits { gate, ..PATIENT }).await;
    let share = gate.running_each + gate.waiting_each;
    let ask = |at: usize| stage.ask("first", false, SLOW + at as u64);
    let mut flood: FuturesUnordered<_> = (0..3 * share).map(ask).collect();
    for _ in 0..2 * share {
        let refused = flood.next().await.unwrap().unwrap().unwrap_err();
        assert_eq!((refused.kind, refused.reason.as_str()), (Kind::RateLimited, "ANALYTICS_SHARE_USED"));
    }
    stage.runs(LIMITS.gate.running_each).await;

    let begun = Instant::now();
    for limit in 1..=20 {
        assert!(rows(&stage.ask("second", false, limit).await.unwrap().unwrap()) > 0);
    }
    // Ten seconds suffice for 20 quick queries, even on a busy machine. The flood is still running.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(stage.runner.running.load(Ordering::SeqCst), LIMITS.gate.running_each);
    stage.release(share);
    while let Some(answer) = flood.next().await {
        assert_eq!(rows(&answer.unwrap().unwrap()), 3, "all that were let in are answered");
    }
});

store::on_both!(when_all_places_are_taken_another_account_can_retry, Migrator, |db: Db| async move {
    let gate = gate::Limits { waiting: 0, ..LIMITS.gate };
    let stage = Stage::new(db, Limits { gate, ..PATIENT }).await;
    let ask = |at: u64| stage.ask(["one", "two"][at as usize % 2], false, SLOW + at);
    let running: Vec<_> = (0..LIMITS.gate.running as u64).map(ask).collect();
    stage.runs(LIMITS.gate.running).await;
    let refused = stage.ask("three", false, 1).await.unwrap().unwrap_err();
    assert_eq!((refused.kind, refused.reason.as_str()), (Kind::Unavailable, "ANALYTICS_BUSY"));
    stage.release(LIMITS.gate.running);
    for answer in running {
        assert_eq!(rows(&answer.await.unwrap().unwrap()), 3);
    }
});

store::on_both!(a_page_with_forty_queries_is_answered_in_full, Migrator, |db: Db| async move {
    const QUERIES: u64 = 40;
    let stage = Stage::new(db, Limits { patience: Duration::from_secs(300), ..HURRIED }).await;
    let page: Vec<_> = (0..QUERIES).map(|at| stage.ask("somebody", false, SLOW + at)).collect();
    for asked in page {
        assert_eq!(asked.await.unwrap().unwrap()["error"], "Continue wait");
    }
    stage.release(QUERIES as usize);
    for at in 0..QUERIES {
        let answer = loop {
            let answer = stage.ask("somebody", false, SLOW + at).await.unwrap().unwrap();
            if answer["error"].is_null() {
                break answer;
            }
        };
        assert_eq!(rows(&answer), 3);
    }
    assert_eq!(stage.begun(), QUERIES as usize, "each is computed once");

    // From Query Lab, more queries at once are a mistake.
    let lab = (0..=LIMITS.of_lab_each).map(|at| stage.ask("somebody", true, 2 * SLOW + at as u64));
    let lab = futures::future::join_all(lab.collect::<Vec<_>>()).await;
    let refused: Vec<Error> = lab.into_iter().filter_map(|it| it.unwrap().err()).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].kind, Kind::RateLimited);
});

store::on_both!(
    a_client_that_is_told_to_wait_finds_the_answer_when_it_asks_again,
    Migrator,
    |db: Db| async move {
        let stage = Stage::new(db, Limits { patience: Duration::from_secs(300), ..HURRIED }).await;
        let held = stage.ask("somebody", false, SLOW).await.unwrap().unwrap();
        assert_eq!(held, json!({ "error": "Continue wait", "stage": "Executing query", "timeElapsed": 0 }));
        // A change of the data does not restart the computation.
        stage.change_data().await;
        stage.release(1);
        let answer = loop {
            let answer = stage.ask("somebody", false, SLOW).await.unwrap().unwrap();
            if answer["error"].is_null() {
                break answer;
            }
        };
        assert_eq!((rows(&answer), stage.begun()), (3, 1), "computed once");
        // The first request of another client is computed anew, from current data.
        stage.release(1);
        while !stage.ask("another", false, SLOW).await.unwrap().unwrap()["error"].is_null() {}
        assert_eq!(stage.begun(), 2);
    }
);

store::on_both!(a_computation_stops_when_nobody_waits_for_it, Migrator, |db: Db| async move {
    let stage = Stage::new(db.clone(), PATIENT).await;
    let (one, other) = (stage.ask("somebody", false, SLOW), stage.ask("somebody", false, SLOW));
    let queued: Vec<_> = (1..4).map(|at| stage.ask("somebody", false, SLOW + at)).collect();
    stage.waits(5).await;
    stage.runs(2).await;
    for gone in queued {
        gone.abort();
    }
    stage.waits(2).await;
    stage.runs(1).await;
    one.abort();
    assert!(one.await.is_err());
    stage.release(1);
    assert_eq!(rows(&other.await.unwrap().unwrap()), 3, "one of two still waited");

    let last = stage.ask("somebody", false, SLOW + 9);
    stage.runs(1).await;
    last.abort();
    stage.runs(0).await;

    // The client was told to retry, but does not.
    let limits = Limits { patience: Duration::from_millis(50), ..HURRIED };
    let hurried = Answers::with(db, Clock::fixed(at(NOW)), stage.runner.clone(), limits);
    let stage = Stage { answers: hurried, ..stage };
    assert_eq!(stage.ask("somebody", false, SLOW + 10).await.unwrap().unwrap()["error"], "Continue wait");
    stage.runs(0).await;
});

store::on_both!(the_query_lab_has_one_turn_and_less_time, Migrator, |db: Db| async move {
    let stage = Stage::new(db, PATIENT).await;
    let lab = [stage.ask("one", true, SLOW), stage.ask("two", true, SLOW + 1)];
    stage.runs(1).await;
    let report = stage.ask("one", false, SLOW + 2);
    stage.runs(2).await;
    assert_eq!(rows(&stage.ask("two", false, 1).await.unwrap().unwrap()), 1);
    assert_eq!(stage.begun(), 2, "one of the lab, and the report");
    stage.release(3);
    for answer in lab {
        assert_eq!(rows(&answer.await.unwrap().unwrap()), 3);
    }
    assert_eq!(rows(&report.await.unwrap().unwrap()), 3);
    assert_eq!(rows(&stage.ask("one", true, 2).await.unwrap().unwrap()), 2);
    assert!(*stage.runner.longest.lock().unwrap() <= LIMITS.longest_of_lab);
});

store::on_both!(no_statement_begins_when_the_time_is_over_or_nobody_waits, Migrator, |db: Db| async move {
    Data::new(1, 3).insert(&db).await;
    let queries = check(r#"{"measures":["Delivery.count"]}"#, at(NOW)).unwrap().queries;
    let over = Within { until: Instant::now(), stop: Default::default() };
    assert_eq!(db.run(&queries, &over).await.unwrap_err().reason, "ANALYTICS_TOO_SLOW");
    let alone = Within { until: Instant::now() + LIMITS.longest, stop: Default::default() };
    alone.stop.cancel();
    assert_eq!(db.run(&queries, &alone).await.unwrap_err().reason, "ANALYTICS_STOPPED");
});
