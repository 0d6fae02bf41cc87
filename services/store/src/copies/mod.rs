//! Copies of other services' data, and their rebuilding.
//!
//! Events keep a copy up to date. A rebuild repairs a copy whose events are too old or went missing: a
//! durable job reads the owner's snapshot page by page while the copy stays in use. The registry of events
//! lists the consumers that keep copies; a [`Copy`] pairs a consumer with its [`Keep`]. `rebuild` is the job,
//! `table` the shared code of copies that are a table. Reasons are in docs/adr/0060.

mod rebuild;
pub mod table;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::{Clock, new_id};
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use proto::events::{Event, Subscription};
use sea_orm::prelude::Json;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;

use crate::consume::{Meta, Revision};
use crate::jobs::{self, Jobs, NewJob, job};
use crate::{Db, Tx, db};
use rebuild::{KIND, Pages, Rebuild, Source};

/// A row of a copy: its key, which is the aggregate's folded id, and its revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub key: String,
    pub revision: Revision,
}

/// An aggregate as its owner reports it.
#[derive(Debug, Clone)]
pub struct Reported<E> {
    pub event: E,
    pub meta: Meta,
    /// The copy's revision before the owner was asked. While the row still has this revision, the owner's
    /// answer wins, whatever it is; otherwise the newer of the two wins.
    pub was: Option<Revision>,
}

/// The storage of a consumer's copy, for rebuilds.
#[async_trait]
pub trait Keep: Send + Sync + 'static {
    type Event: Event;

    /// Returns at most `limit` rows after this key, by the byte order of keys.
    async fn known(&self, db: &Db, after: &str, limit: usize) -> Result<Vec<Known>>;

    /// Writes what the owner reported. Returns how many aggregates were skipped because they conflict with
    /// others, whose change may be on a later page.
    async fn write(&self, tx: &Tx, reported: Vec<Reported<Self::Event>>) -> Result<usize>;

    /// Removes rows that the owner does not have, unless they changed in the meantime.
    async fn remove(&self, tx: &Tx, gone: &[Known], now: DateTime<Utc>) -> Result<()>;
}

/// A copy that a service keeps.
#[derive(Clone)]
pub struct Copy {
    /// The name of the consumer that keeps the copy.
    pub name: &'static str,
    how: How,
}

#[derive(Clone)]
enum How {
    Pages(Arc<dyn Pages>),
    /// The service has a job of its own, of this kind, which rebuilds the copy.
    Job(&'static str),
}

impl Copy {
    pub fn of<K: Keep>(subscription: Subscription<K::Event>, keep: K) -> Self {
        Self { name: subscription.name(), how: How::Pages(Arc::new(rebuild::Kept(keep))) }
    }

    /// Returns a copy that a job of the service rebuilds, possibly along with others.
    pub fn by_job<E: Event>(subscription: Subscription<E>, kind: &'static str) -> Self {
        Self { name: subscription.name(), how: How::Job(kind) }
    }

    /// Returns the service from which the shared job reads; `None` if a job of the copy's own service
    /// rebuilds it.
    pub fn owner(&self) -> Option<&'static str> {
        match &self.how {
            How::Pages(pages) => Some(pages.owner()),
            How::Job(_) => None,
        }
    }

    fn job(&self) -> (&'static str, Json) {
        match self.how {
            How::Pages(_) => (KIND, json!({ "copy": self.name })),
            How::Job(kind) => (kind, json!({})),
        }
    }
}

/// Requests a rebuild. Returns false if one is pending already.
pub async fn request(db_: &Db, copy: &Copy, by: &str, now: DateTime<Utc>) -> Result<bool> {
    let (kind, payload) = copy.job();
    let tx = db_.begin().await?;
    let open = job::Entity::find()
        .filter(job::Column::Kind.eq(kind))
        .filter(job::Column::FinishedAt.is_null())
        .all(&*tx)
        .await
        .map_err(db)?;
    if open.iter().any(|it| it.payload == payload) {
        return Ok(false);
    }
    let new = NewJob { id: new_id(), kind, payload, created_by: by, created_at: now };
    jobs::enqueue(&tx, new).await?;
    tx.commit().await?;
    Ok(true)
}

/// Returns the jobs that rebuild a service's copies, each with the transport to its owner.
pub fn jobs(db: &Db, clock: &Clock, identity: &ServiceIdentity, copies: Vec<(Copy, Transport)>) -> Jobs {
    let sources = copies.into_iter().filter_map(|(copy, owner)| match copy.how {
        How::Pages(pages) => Some((copy.name, Source { pages, owner })),
        How::Job(_) => None,
    });
    let rebuild = Rebuild {
        db: db.clone(),
        clock: clock.clone(),
        identity: identity.clone(),
        sources: sources.collect(),
    };
    Jobs::new(identity.name(), db.clone(), clock.clone()).with(rebuild)
}
