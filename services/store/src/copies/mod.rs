//! Copies of what other services own, and rebuilding them.
//!
//! Events keep a copy up to date. What no event can mend, because it is too old or went missing, a rebuild mends: a
//! durable job that reads the owner's snapshot a page at a time while the copy answers. Which consumers keep copies
//! is in the registry of events; each names its [`Keep`] here. `rebuild` is the job, `table` what copies that are a
//! table of their own share. The reasons are in docs/adr/0060.

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

/// A row of a copy: its key, which is the folded id of the aggregate, and its revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub key: String,
    pub revision: Revision,
}

/// An aggregate as its owner told it.
#[derive(Debug, Clone)]
pub struct Told<E> {
    pub event: E,
    pub meta: Meta,
    /// The revision that the copy had before the owner was asked. As long as the row still has it, the owner is
    /// believed, whatever it says; afterwards the newer one of the two holds.
    pub was: Option<Revision>,
}

/// How a consumer keeps its copy, for rebuilds.
#[async_trait]
pub trait Keep: Send + Sync + 'static {
    type Event: Event;

    /// The rows behind this key, in the order of the keys' bytes; `limit` at most.
    async fn known(&self, db: &Db, after: &str, limit: usize) -> Result<Vec<Known>>;

    /// Writes what the owner told.
    async fn write(&self, tx: &Tx, told: Vec<Told<Self::Event>>) -> Result<()>;

    /// Removes what the owner does not have, where the row is still as it was.
    async fn remove(&self, tx: &Tx, gone: &[Known], now: DateTime<Utc>) -> Result<()>;
}

/// A copy that a service keeps.
#[derive(Clone)]
pub struct Copy {
    /// Its consumer.
    pub name: &'static str,
    how: How,
}

#[derive(Clone)]
enum How {
    Pages(Arc<dyn Pages>),
    /// The service has a job of its own for it, of this kind.
    Job(&'static str),
}

impl Copy {
    pub fn of<K: Keep>(subscription: Subscription<K::Event>, keep: K) -> Self {
        Self { name: subscription.name(), how: How::Pages(Arc::new(rebuild::Kept(keep))) }
    }

    /// One that a job of the service rebuilds, perhaps with others.
    pub fn by_job<E: Event>(subscription: Subscription<E>, kind: &'static str) -> Self {
        Self { name: subscription.name(), how: How::Job(kind) }
    }

    /// The service to ask, unless the service's own job does that.
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

/// Asks for a rebuild. False when one is on its way already.
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

/// The jobs that rebuild the copies of a service, each with the way to its owner.
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
    Jobs::new(db.clone(), clock.clone()).with(rebuild)
}
