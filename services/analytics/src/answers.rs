//! Answers of `Load`, kept as long as the data has not changed.
//!
//! The key is the normalized query, with its dates resolved, and the version of the data. The version is read after
//! each request came, so an answer is never older than the last event that was applied, and a screen that asks the
//! same again costs one short read, which requests that come meanwhile share. All who may ask see the same data;
//! rights are no part of the key.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use kit::clock::Clock;
use kit::gate::Gate;
use kit::{Error, Result};
use moka::future::Cache;
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use store::Db;

use crate::entity::data_version;
use crate::query::check::{Asked, Query};
use crate::query::{answer, run};

/// Bytes of answers that are kept.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// An answer that nobody asks for again is dropped.
const IDLE: Duration = Duration::from_secs(300);
/// Requests that run at once, and that wait for their turn.
const RUNNING: usize = 4;
const WAITING: usize = 256;
/// How long a request is held before its client is told to ask again; clients do so at once.
const HOLD: Duration = Duration::from_secs(8);
/// Of all queries of a request together, also when nobody waits any more.
const LONGEST: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub struct Answers {
    db: Db,
    clock: Clock,
    kept: Cache<String, Arc<str>>,
    gate: Gate,
    /// The read of the version that has not begun yet.
    next: Arc<Mutex<Option<VersionRead>>>,
    reading: Arc<tokio::sync::Mutex<()>>,
}

type VersionRead = Shared<BoxFuture<'static, Result<i64, Arc<Error>>>>;

impl Answers {
    pub fn new(db: Db, clock: Clock) -> Self {
        let size = |key: &String, body: &Arc<str>| u32::try_from(key.len() + body.len()).unwrap_or(u32::MAX);
        let kept = Cache::builder().weigher(size).max_capacity(MAX_BYTES).time_to_idle(IDLE).build();
        Self {
            db,
            clock,
            kept,
            gate: Gate::new("analytics", RUNNING, WAITING),
            next: Arc::default(),
            reading: Arc::default(),
        }
    }

    /// The version of the data, read from now on. Reads go one after the other, and all who wait for one share it.
    pub async fn version(&self) -> Result<i64> {
        let read = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            next.get_or_insert_with(|| self.clone().next_version().boxed().shared()).clone()
        };
        read.await.map_err(|error| shared(&error))
    }

    async fn next_version(self) -> Result<i64, Arc<Error>> {
        let _turn = self.reading.lock().await;
        // Whoever comes from here on needs another one.
        self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
        let row = data_version::Entity::find_by_id(data_version::ONLY).one(self.db.read()).await;
        Ok(row.map_err(|error| Arc::new(store::db(error)))?.map_or(0, |row| row.version))
    }

    /// The body for a request, and the version of the data that it was asked at.
    pub async fn load(&self, asked: Asked, multi: bool) -> Result<(Arc<str>, i64)> {
        if !multi {
            answer::single(&asked)?;
        }
        let version = self.version().await?;
        let key = key(&asked, multi, version);
        if let Some(body) = self.kept.get(&key).await {
            return Ok((body, version));
        }
        // Goes on without the caller, so that the next request finds the answer.
        let this = self.clone();
        let work = tokio::spawn(async move { this.compute(key, asked, multi).await });
        match tokio::time::timeout(HOLD, work).await {
            Ok(done) => Ok((done.map_err(Error::internal)??, version)),
            Err(_) => Ok((continue_wait(), version)),
        }
    }

    async fn compute(&self, key: String, asked: Asked, multi: bool) -> Result<Arc<str>> {
        let work = async {
            let Some(_turn) = self.gate.enter().await else {
                let text = "Too many queries are running. Try again in a moment.";
                return Err(Error::unavailable("ANALYTICS_BUSY", text));
            };
            let limited = tokio::time::timeout(LONGEST, run::run(&self.db, &asked.queries)).await;
            let rows = limited.map_err(|_| run::too_slow())??;
            let body = answer::load(&asked, rows, multi, self.clock.now(), self.db.backend())?;
            Ok(Arc::from(body))
        };
        self.kept.try_get_with(key, work).await.map_err(|error| shared(&error))
    }
}

fn continue_wait() -> Arc<str> {
    let held = HOLD.as_secs();
    json!({ "error": "Continue wait", "stage": "Executing query", "timeElapsed": held }).to_string().into()
}

/// Several requests may wait for one computation; each gets an error of its own.
fn shared(error: &Arc<Error>) -> Error {
    Error::new(error.kind, &error.reason, error.message.clone()).with_source(error.to_string())
}

fn key(asked: &Asked, multi: bool, version: i64) -> String {
    let queries: Vec<Value> = asked.queries.iter().map(|it| Value::Object(Query::echo(it))).collect();
    format!("{version} {multi} {} {}", asked.kind.name(), Value::Array(queries))
}
