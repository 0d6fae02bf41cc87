//! Fills the tables from the services that own the data, while the tables are queried and events are applied.
//!
//! A rebuild is a job. It gets the next number, its run, and reads the snapshot streams of deliveries and
//! drivers page by page; each page is one transaction, together with the checkpoint. Every row that a page or
//! an event writes is marked with the run. In the end, rows without the mark are removed, because their
//! owners do not have them. A second kind of job, the refresh, reads single deliveries whose event was
//! incomplete.

mod pages;
mod refresh;
mod source;

use ::store::jobs::{self, Halt, Hold, Job, Jobs, NewJob, Progress, State, Work};
use ::store::{Db, Tx, db};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use proto::common::v1::Page;
use sea_orm::EntityTrait;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::Context;
use crate::entity::data_version;
use crate::store::sweep::{self, Kind};
use crate::store::{self, Origin, Write};
use pages::Pages;
use refresh::Refresh;
use source::Source;

pub use refresh::refresh;

/// The kind of rebuild jobs.
pub const KIND: &str = "rebuild";
/// The creator of automatic jobs.
const SYSTEM: &str = "system:analytics";

/// Returns the jobs that this service runs.
pub fn jobs(context: &Context) -> Jobs {
    let source = Source::of(context);
    Jobs::new(crate::NAME, context.db.clone(), context.clock.clone())
        .with(Rebuild { db: context.db.clone(), source: source.clone() })
        .with(Refresh { source })
}

/// Requests a rebuild, as part of this transaction; returns the job's id.
pub async fn request(tx: &Tx, by: &str, now: DateTime<Utc>) -> Result<Uuid> {
    let id = new_id();
    let job = NewJob { id, kind: KIND, payload: json!({}), created_by: by, created_at: now };
    jobs::enqueue(tx, job).await?;
    Ok(id)
}

/// Requests the first rebuild, unless one is complete, waiting or running. Two replicas that start at the
/// same time may each request one, which is harmless.
pub async fn ensure(db_: &Db, now: DateTime<Utc>) -> Result<()> {
    let row = data_version::Entity::find_by_id(data_version::ONLY).one(db_.read()).await.map_err(db)?;
    if row.is_some_and(|row| row.complete_run > 0) || open(db_).await?.is_some() {
        return Ok(());
    }
    let tx = db_.begin().await?;
    request(&tx, SYSTEM, now).await?;
    tx.commit().await
}

/// Returns a running or waiting rebuild.
pub async fn open(db_: &Db) -> Result<Option<Job>> {
    for state in [State::Running, State::Waiting] {
        let found = last(db_, Some(state)).await?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Returns the rebuild that was requested last. With `state`, considers only rebuilds in that state.
pub async fn last(db_: &Db, state: Option<State>) -> Result<Option<Job>> {
    let wanted = jobs::Wanted { kind: Some(KIND), state, created_by: None };
    let (found, _) = jobs::list(db_, wanted, &Page { limit: 1, ..Page::default() }).await?;
    Ok(found.into_iter().next())
}

struct Rebuild {
    db: Db,
    source: Source,
}

/// The stages of a rebuild, in this order: reading each kind of data, then removing what is left over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    Sources,
    Drivers,
    Stops,
    Deliveries,
    Shipments,
    Sweep,
}

/// Where a rebuild continues.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Checkpoint {
    run: i64,
    stage: Stage,
    /// The last key that the stage has written.
    after: String,
    deliveries: u64,
    /// Number of deliveries to read, as reported by the deliveries service.
    total: Option<u64>,
    /// Whether all pages of deliveries so far came from a release that lists removed ones.
    #[serde(default)]
    lists_removed: bool,
}

impl Checkpoint {
    fn at(&self, stage: Stage) -> Self {
        Self { stage, after: String::new(), ..self.clone() }
    }

    fn progress(&self) -> Result<Progress> {
        let checkpoint = serde_json::to_value(self).map_err(Error::internal)?;
        Ok(Progress { done: self.deliveries, total: self.total, checkpoint: Some(checkpoint) })
    }
}

#[async_trait]
impl Work for Rebuild {
    fn kind(&self) -> &'static str {
        KIND
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        let mut at = match &job.checkpoint {
            Some(checkpoint) => serde_json::from_value(checkpoint.clone()).map_err(Error::internal)?,
            None => begin(hold).await?,
        };
        let pages = Pages { source: &self.source, hold };
        loop {
            at = match at.stage {
                Stage::Sources => pages.sources(at).await?,
                Stage::Drivers => pages.drivers(at).await?,
                Stage::Stops => pages.stops(at).await?,
                Stage::Deliveries => pages.deliveries(at).await?,
                Stage::Shipments => pages.shipments(at).await?,
                Stage::Sweep => {
                    remove_unseen(&self.db, hold, &at).await?;
                    tracing::info!(deliveries = at.deliveries, "the tables of analytics were rebuilt");
                    return Ok(());
                }
            };
        }
    }
}

async fn begin(hold: &Hold) -> Result<Checkpoint, Halt> {
    let held = hold.begin().await?;
    let run = store::begin_run(&held).await?;
    let at = Checkpoint {
        run,
        stage: Stage::Sources,
        after: String::new(),
        deliveries: 0,
        total: None,
        lists_removed: false,
    };
    held.advance(at.progress()?).await?;
    held.commit().await?;
    Ok(at)
}

async fn remove_unseen(db_: &Db, hold: &Hold, at: &Checkpoint) -> Result<(), Halt> {
    let origin = Origin::Rebuild { run: at.run };
    for kind in [Kind::Deliveries, Kind::Stops] {
        let mut after: Option<String> = None;
        loop {
            hold.check()?;
            let keys = sweep::unseen(db_, kind, at.run, after.as_deref()).await?;
            let Some(last) = keys.last() else { break };
            after = Some(last.clone());
            let held = hold.begin().await?;
            let mut write = Write::begin_many(&held, origin).await?;
            let removed = sweep::remove(&mut write, kind, at.run, keys).await?;
            write.finish().await?;
            held.advance(at.progress()?).await?;
            held.commit().await?;
            tracing::warn!(rows = removed, "deliveries or stops that their owners do not have were removed");
        }
    }
    hold.check()?;
    let held = hold.begin().await?;
    let mut write = Write::begin(&held, origin).await?;
    sweep::others(&mut write, at.run, at.lists_removed).await?;
    store::end_run(&held, at.run).await?;
    write.finish().await?;
    held.advance(at.progress()?).await?;
    held.commit().await?;
    kit::fail_point("analytics.rebuild.swept");
    Ok(())
}
