//! What a service owns, served page by page to services that keep copies.
//!
//! An owner implements [`Snapshot`] for a kind of event and passes it to
//! [`Published`](crate::published::Published). The sequences of a page are read before its rows, so a row
//! is at least as new as its sequence.

use async_trait::async_trait;
use kit::Result;
use proto::events::{Envelope, ReadSnapshotResponse};

use crate::Db;
use crate::filter::fold;
use crate::outbox::NewEvent;

/// Aggregates per page.
pub const PAGE: usize = 500;

/// A source of all aggregates that one kind of event is about.
#[async_trait]
pub trait Snapshot: Send + Sync + 'static {
    /// Returns at most [`PAGE`] aggregates whose folded ids follow `key`, ordered by folded id.
    async fn after(&self, db: &Db, key: &str) -> Result<Vec<Envelope>>;
}

/// Builds an envelope for an aggregate's current state, like that of its newest event. The caller must read
/// `sequence` before the row.
pub fn aggregate(event: NewEvent<'_>, sequence: u64) -> Envelope {
    let NewEvent { service: _, actor, aggregate_id, aggregate_version, occurred_at, payload } = event;
    Envelope {
        occurred_at: Some(proto::timestamp(occurred_at)),
        actor: actor.to_owned(),
        aggregate_id: aggregate_id.to_owned(),
        aggregate_version,
        sequence,
        payload: Some(payload),
        ..Envelope::default()
    }
}

/// Builds a page. `next` is the key after which the next page starts.
pub(crate) fn page(aggregates: Vec<Envelope>) -> ReadSnapshotResponse {
    let more = aggregates.len() >= PAGE;
    let next = aggregates.last().filter(|_| more).map(|it| fold(&it.aggregate_id)).unwrap_or_default();
    ReadSnapshotResponse { aggregates, next }
}
