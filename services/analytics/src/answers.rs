//! Cached answers of `Load`, valid while the data has not changed.
//!
//! The key is the normalized query, with its dates resolved, and the version of the data. The version is read
//! after a request arrives, so an answer is never older than the last applied event. A repeated request costs
//! one short read, which concurrent requests share. All permitted callers see the same data, so permissions
//! are not part of the key.
//!
//! Computations wait for their turn. Each account has a share of the turns, so that nobody blocks others, and all
//! queries of Query Lab share one turn. Published clients retry only after "Continue wait". So an account may have
//! more queries waiting than the gateway lets in at once.

mod work;

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures::FutureExt;
use kit::clock::Clock;
use kit::gate::{self, Place, Refused, SharedGate};
use kit::shares::{Permit, Shares};
use kit::{Error, Kind, Result};
use moka::future::Cache;
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use store::Db;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::entity::data_version;
use crate::query::answer;
use crate::query::check::{Asked, Query};
use crate::query::filter::Leaf;
use crate::query::run::{self, Rows, STOPPED, Within};
use work::{Key, Works};

/// Maximum size of all cached answers, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// How long an answer is cached after it was last requested.
const IDLE: Duration = Duration::from_secs(300);

/// Limits on concurrent computations and on their duration.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub gate: gate::Limits,
    /// Maximum number of running computations for Query Lab.
    pub running_of_lab: usize,
    /// Maximum number of computations for Query Lab that run or wait for one account.
    pub of_lab_each: usize,
    /// How long a request is held before its client is told to retry. Clients retry immediately.
    pub hold: Duration,
    /// How long a computation continues without its client, which got "Continue wait" and has not retried.
    pub patience: Duration,
    /// Time limit for all queries of a request together, counted from the start of the computation.
    pub longest: Duration,
    /// The time limit for requests of Query Lab.
    pub longest_of_lab: Duration,
}

pub const LIMITS: Limits = Limits {
    // By default, a gateway has at most 64 requests of one account in progress.
    gate: gate::Limits { running: 4, waiting: 1_020, running_each: 2, waiting_each: 254 },
    running_of_lab: 1,
    of_lab_each: 22,
    hold: Duration::from_secs(8),
    patience: Duration::from_secs(5),
    longest: Duration::from_secs(30),
    longest_of_lab: Duration::from_secs(5),
};

/// The account that sends a request, and whether the request comes from Query Lab.
#[derive(Debug, Clone)]
pub struct Asker {
    pub account: String,
    pub is_lab: bool,
}

/// Runs the queries of a request.
#[async_trait]
pub trait Run: Send + Sync {
    async fn run(&self, queries: &[Query], within: &Within) -> Result<Vec<Rows>>;
}

#[async_trait]
impl Run for Db {
    async fn run(&self, queries: &[Query], within: &Within) -> Result<Vec<Rows>> {
        run::run(self, queries, within).await
    }
}

#[derive(Clone)]
pub struct Answers {
    db: Db,
    runner: Arc<dyn Run>,
    clock: Clock,
    limits: Limits,
    kept: Cache<String, Arc<str>>,
    gate: SharedGate<String>,
    lab: Arc<Semaphore>,
    lab_shares: Arc<Shares<String>>,
    works: Arc<Works>,
}

impl Answers {
    pub fn new(db: Db, clock: Clock) -> Self {
        let runner = Arc::new(db.clone());
        Self::with(db, clock, runner, LIMITS)
    }

    /// Creates a cache of answers computed by `runner`.
    pub fn with(db: Db, clock: Clock, runner: Arc<dyn Run>, limits: Limits) -> Self {
        let size = |key: &String, body: &Arc<str>| u32::try_from(key.len() + body.len()).unwrap_or(u32::MAX);
        let kept = Cache::builder().weigher(size).max_capacity(MAX_BYTES).time_to_idle(IDLE).build();
        Self {
            db,
            runner,
            clock,
            limits,
            kept,
            gate: SharedGate::new("analytics", limits.gate),
            lab: Arc::new(Semaphore::new(limits.running_of_lab)),
            lab_shares: Arc::new(Shares::new("analytics_lab", usize::MAX, limits.of_lab_each)),
            works: Arc::default(),
        }
    }

    #[cfg(test)]
    pub fn waiters(&self) -> usize {
        self.works.waiters()
    }

    /// Reads the version of the data. The read starts after this call, and callers that wait for it at the same time
    /// share it.
    pub async fn version(&self) -> Result<i64> {
        let read = async {
            let row = data_version::Entity::find_by_id(data_version::ONLY).one(self.db.read()).await;
            row.map(|row| row.map_or(0, |row| row.version)).map_err(store::db)
        };
        self.db.shared_reads().answer("data version".to_owned(), read).await
    }

    /// Returns the body of the response, and the version of the data on which it is based.
    pub async fn load(&self, asked: Asked, multi: bool, by: Asker) -> Result<(Arc<str>, i64)> {
        if !multi {
            answer::single(&asked)?;
        }
        let version = self.version().await?;
        let query = text_of(&asked, multi);
        let kept = format!("{version} {query}");
        if let Some(body) = self.kept.get(&kept).await {
            return Ok((body, version));
        }
        let Asker { account, is_lab } = by;
        let key = Key { account: account.clone(), is_lab, query };
        let waiter = self.works.wait(key, version, |stop| {
            let lab = is_lab.then(|| self.lab_shares.enter(account.clone()).ok_or_else(share_used));
            let lab = lab.transpose()?;
            let place = self.gate.enter(account).map_err(refused)?;
            let job = Job { place, lab, kept, asked, multi, stop };
            // Run the computation as a separate task, so that it continues until the client retries.
            Ok(tokio::spawn(self.clone().compute(job)))
        })?;
        match tokio::time::timeout(self.limits.hold, waiter.answer.clone()).await {
            Ok(done) => Ok((done.map_err(|error| shared(&error))?, waiter.version)),
            Err(_) => {
                let version = waiter.version;
                waiter.promise(self.limits.patience);
                Ok((self.continue_wait(), version))
            }
        }
    }

    async fn compute(self, job: Job) -> Result<Arc<str>> {
        let Job { place, lab, kept, asked, multi, stop } = job;
        let is_lab = lab.is_some();
        let waited = |turn| stop.run_until_cancelled(turn);
        let _own = waited(place.own_turn().boxed()).await.ok_or_else(run::stopped)?;
        let _of_lab = match is_lab {
            true => waited(self.lab.clone().acquire_owned().map(Result::ok).boxed())
                .await
                .ok_or_else(run::stopped)?,
            false => None,
        };
        loop {
            let work = async {
                let _turn = waited(place.turn().boxed()).await.ok_or_else(run::stopped)?;
                let longest = if is_lab { self.limits.longest_of_lab } else { self.limits.longest };
                let within = Within { until: Instant::now() + longest, stop: stop.clone() };
                // A runner can stop only between two statements, so hold the turn until the database is done.
                let rows = self.runner.run(&asked.queries, &within).await?;
                let body = answer::load(&asked, rows, multi, self.clock.now(), self.db.backend())?;
                Ok::<Arc<str>, Error>(Arc::from(body))
            };
            match self.kept.try_get_with(kept.clone(), work).await {
                // This request had joined another account's computation, which was stopped: start a new
                // one.
                Err(error) if error.reason == STOPPED && !stop.is_cancelled() => {}
                done => return done.map_err(|error| shared(&error)),
            }
        }
    }

    fn continue_wait(&self) -> Arc<str> {
        let held = self.limits.hold.as_secs();
        json!({ "error": "Continue wait", "stage": "Executing query", "timeElapsed": held })
            .to_string()
            .into()
    }
}

/// The input of a computation.
struct Job {
    place: Place<String>,
    /// A place of the account for Query Lab, if the request comes from there.
    lab: Option<Permit<String>>,
    /// The answer's key in the cache.
    kept: String,
    asked: Asked,
    multi: bool,
    stop: CancellationToken,
}

fn share_used() -> Error {
    let text = "You have too many queries running. Try again when some of them have finished.";
    Error::new(Kind::RateLimited, "ANALYTICS_SHARE_USED", text)
}

fn refused(why: Refused) -> Error {
    match why {
        Refused::Share => share_used(),
        Refused::Full => {
            Error::unavailable("ANALYTICS_BUSY", "Too many queries are running. Try again in a moment.")
        }
    }
}

/// Returns a copy of the error for one of the requests that wait for the computation.
fn shared(error: &Arc<Error>) -> Error {
    Error::new(error.kind, &error.reason, error.message.clone()).with_source(error.to_string())
}

/// Returns a text that is equal for requests with the same answer. An echo alone is not enough: it repeats the
/// dates of filters as they were sent, and does not say which time is compared.
fn text_of(asked: &Asked, multi: bool) -> String {
    let mut text = format!("{multi} {}", asked.kind.name());
    for query in &asked.queries {
        let bounds = query.leaves().into_iter().flat_map(Leaf::bounds).map(|at| at.timestamp_millis());
        let bounds: Vec<i64> = bounds.collect();
        text += &format!(" {} {bounds:?} {:?}", Value::Object(query.echo()), query.compared);
    }
    text
}
