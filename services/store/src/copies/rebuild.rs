//! The job that rebuilds one copy.
//!
//! Each step reads the revisions of the copy's rows, then asks the owner, then writes. A row that still has
//! the revision that was read is older than the answer: the owner wins, and rows that the owner lacks are
//! removed. A row that an event wrote meanwhile may be newer than the answer: there the higher revision wins,
//! and the row is never removed.
//!
//! An aggregate may conflict with one on a later page, such as a driver with the username that another one
//! has given up. So all pages are read again, as long as that leaves fewer conflicts.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use kit::clock::{Clock, new_id};
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::{Error, Result};
use proto::events::events_service_client::EventsServiceClient;
use proto::events::{Envelope, Event, ReadSnapshotRequest, ReadSnapshotResponse};
use serde::{Deserialize, Serialize};

use super::{Keep, Known, Reported};
use crate::consume::{Meta, Revision};
use crate::filter::fold;
use crate::jobs::{Halt, Hold, Job, Progress, Work};
use crate::snapshot::PAGE;
use crate::{Db, Tx};

/// The kind of this job.
pub const KIND: &str = "copy";
/// Maximum size of a page of the owner's snapshot, when all aggregates on it are as large as they can be.
const MAX_ANSWER: usize = 16 << 20;

/// A type-erased [`Keep`].
#[async_trait]
pub trait Pages: Send + Sync {
    fn owner(&self) -> &'static str;
    /// Returns the kind of event that updates the copy.
    fn event(&self) -> &'static str;
    async fn known(&self, db: &Db, after: &str) -> Result<Vec<Known>>;
    async fn write(
        &self,
        tx: &Tx,
        clock: &Clock,
        reported: Vec<(Envelope, Option<Revision>)>,
    ) -> Result<usize>;
    async fn remove(&self, tx: &Tx, clock: &Clock, gone: &[Known]) -> Result<()>;
}

pub struct Kept<K>(pub K);

#[async_trait]
impl<K: Keep> Pages for Kept<K> {
    fn owner(&self) -> &'static str {
        K::Event::ENTRY.owners.first().copied().unwrap_or_default()
    }

    fn event(&self) -> &'static str {
        K::Event::ENTRY.name
    }

    async fn known(&self, db: &Db, after: &str) -> Result<Vec<Known>> {
        self.0.known(db, after, PAGE).await
    }

    async fn write(
        &self,
        tx: &Tx,
        clock: &Clock,
        reported: Vec<(Envelope, Option<Revision>)>,
    ) -> Result<usize> {
        let mismatch = || Error::internal(format!("a snapshot of {} holds something else", self.event()));
        let read = |(mut envelope, was): (Envelope, Option<Revision>)| {
            let event = envelope.payload.take().and_then(K::Event::of).ok_or_else(mismatch)?;
            envelope.id = new_id().to_string();
            Ok(Reported { event, meta: Meta::of(&envelope, clock.now())?, was })
        };
        let reported = reported.into_iter().map(read).collect::<Result<Vec<_>>>()?;
        if reported.is_empty() { Ok(0) } else { self.0.write(tx, reported).await }
    }

    async fn remove(&self, tx: &Tx, clock: &Clock, gone: &[Known]) -> Result<()> {
        if gone.is_empty() { Ok(()) } else { self.0.remove(tx, gone, clock.now()).await }
    }
}

/// A copy, and the transport to its owner.
pub struct Source {
    pub pages: Arc<dyn Pages>,
    pub owner: Transport,
}

pub struct Rebuild {
    pub db: Db,
    pub clock: Clock,
    pub identity: ServiceIdentity,
    pub sources: HashMap<&'static str, Source>,
}

#[derive(Deserialize)]
struct Payload {
    copy: String,
}

/// The position from which a rebuild continues.
#[derive(Default, Serialize, Deserialize)]
struct Checkpoint {
    /// Everything up to this key is done.
    after: String,
    written: u64,
    removed: u64,
    /// Conflicts on the pages up to this key.
    #[serde(default)]
    skipped: usize,
}

#[async_trait]
impl Work for Rebuild {
    fn kind(&self) -> &'static str {
        KIND
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        let Payload { copy } = serde_json::from_value(job.payload.clone()).map_err(Error::internal)?;
        let unknown = || Error::invalid("COPY_UNKNOWN", format!("This release keeps no copy named {copy}"));
        let source = self.sources.get(copy.as_str()).ok_or_else(unknown)?;
        let mut at = match &job.checkpoint {
            Some(checkpoint) => serde_json::from_value(checkpoint.clone()).map_err(Error::internal)?,
            None => Checkpoint::default(),
        };
        let mut before = usize::MAX;
        loop {
            while self.step(source, hold, &mut at).await? {}
            if at.skipped == 0 || at.skipped >= before {
                break;
            }
            before = at.skipped;
            at = Checkpoint { removed: at.removed, ..Checkpoint::default() };
        }
        tracing::info!(copy, rows = at.written, removed = at.removed, "a copy was rebuilt");
        Ok(())
    }
}

impl Rebuild {
    /// Updates the next rows from their owner; returns false after the last ones.
    async fn step(&self, source: &Source, hold: &Hold, at: &mut Checkpoint) -> Result<bool, Halt> {
        hold.check()?;
        let known = source.pages.known(&self.db, &at.after).await?;
        let ReadSnapshotResponse { aggregates, next } = self.ask(source, &at.after).await?;
        let until = reach(&known, next);
        let mut known: BTreeMap<String, Revision> =
            known.into_iter().map(|it| (it.key, it.revision)).collect();
        let within = |key: &str| until.as_deref().is_none_or(|until| key <= until);
        known.retain(|key, _| within(key));
        let reported = aggregates.into_iter().filter_map(|it| {
            let key = fold(&it.aggregate_id);
            within(&key).then(|| (it, known.remove(&key)))
        });
        let reported: Vec<_> = reported.collect();
        let gone: Vec<Known> = known.into_iter().map(|(key, revision)| Known { key, revision }).collect();

        let held = hold.begin().await?;
        at.written += reported.len() as u64;
        at.removed += gone.len() as u64;
        // Remove before writing, so that old rows do not conflict with new ones.
        source.pages.remove(&held, &self.clock, &gone).await?;
        at.skipped += source.pages.write(&held, &self.clock, reported).await?;
        let more = until.is_some();
        at.after = until.unwrap_or_default();
        let checkpoint = serde_json::to_value(&*at).map_err(Error::internal)?;
        held.advance(Progress { done: at.written, total: None, checkpoint: Some(checkpoint) }).await?;
        held.commit().await?;
        Ok(more)
    }

    async fn ask(&self, source: &Source, after: &str) -> Result<ReadSnapshotResponse> {
        let owner = source.owner.with_token(self.identity.token()?.into());
        let mut client = EventsServiceClient::new(owner).max_decoding_message_size(MAX_ANSWER);
        let request = ReadSnapshotRequest { event: source.pages.event().to_owned(), after: after.to_owned() };
        Ok(client.read_snapshot(request).await?.into_inner())
    }
}

/// Returns the last key that both the owner's answer and the rows that were read cover; `None` when both
/// reach the end.
fn reach(known: &[Known], next: String) -> Option<String> {
    let answered = (!next.is_empty()).then_some(next);
    let noted = known.last().filter(|_| known.len() >= PAGE).map(|it| it.key.clone());
    answered.into_iter().chain(noted).min()
}
