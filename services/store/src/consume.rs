//! Consumers of events: one function each, and the handling around it.
//!
//! [`consume`] is the only place that handles an event: it checks the envelope, begins the transaction, adds
//! the event to the inbox, applies the effect and commits. So an effect and its inbox row commit together or
//! not at all, an event without an effect also leaves an inbox row, and a repeated event changes nothing. The
//! registry (`proto::events`) lists all consumers.

use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::bus::{Consumer, Handler};
use kit::clock::Clock;
use kit::{Error, Result};
use proto::events::{Envelope, Event, Subscription};
use uuid::Uuid;

use crate::dead_letters::DeadLetters;
use crate::{Db, Tx, inbox};

/// The metadata of an event.
#[derive(Debug, Clone)]
pub struct Meta {
    pub id: Uuid,
    /// Who made the change: a username, or `system:<service>`.
    pub actor: String,
    pub aggregate_id: String,
    pub revision: Revision,
    /// When the change was made; the same as `now` if the envelope does not say.
    pub occurred_at: DateTime<Utc>,
    /// When the event is being handled.
    pub now: DateTime<Utc>,
}

impl Meta {
    pub(crate) fn of(envelope: &Envelope, now: DateTime<Utc>) -> Result<Self> {
        Ok(Self {
            id: Uuid::parse_str(&envelope.id).map_err(Error::internal)?,
            actor: envelope.actor.clone(),
            aggregate_id: envelope.aggregate_id.clone(),
            revision: Revision {
                version: i64::try_from(envelope.aggregate_version).map_err(Error::internal)?,
                sequence: i64::try_from(envelope.sequence).map_err(Error::internal)?,
            },
            occurred_at: envelope.occurred_at.and_then(proto::instant).unwrap_or(now),
            now,
        })
    }
}

/// Orders the events about one aggregate.
///
/// The sequence rises with every event and decides the order. The version is compared first only because the
/// previous release emits no sequence; the version never falls, so the two orders agree wherever both exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision {
    pub version: i64,
    /// The sequence; 0 in events of the previous release and in rows that came from them.
    pub sequence: i64,
}

/// Applies an event: an `async fn(&Tx, E, &Meta) -> Result<()>`. It must not commit, and must not overwrite
/// data that is newer than the event.
pub trait Apply<'a, E>: Send + Sync {
    type Applied: Future<Output = Result<()>> + Send + 'a;

    fn apply(&self, tx: &'a Tx, event: E, meta: &'a Meta) -> Self::Applied;
}

impl<'a, E, F, A> Apply<'a, E> for F
where
    F: Fn(&'a Tx, E, &'a Meta) -> A + Send + Sync,
    A: Future<Output = Result<()>> + Send + 'a,
{
    type Applied = A;

    fn apply(&self, tx: &'a Tx, event: E, meta: &'a Meta) -> A {
        self(tx, event, meta)
    }
}

/// Handles an event once: an event that this consumer handled before changes nothing.
///
/// # Errors
///
/// `EVENT_MISMATCH` when the payload is not of the subscribed kind; otherwise errors of `effect` or of the
/// database. After an error nothing is changed.
pub async fn consume<E: Event>(
    db: &Db,
    clock: &Clock,
    subscription: Subscription<E>,
    envelope: &Envelope,
    effect: &impl for<'a> Apply<'a, E>,
) -> Result<()> {
    let mismatch = || {
        let text = format!("{} carries another payload than {}", envelope.subject, E::ENTRY.name);
        Error::new(kit::Kind::Internal, "EVENT_MISMATCH", text)
    };
    let event = envelope.payload.clone().and_then(E::of).ok_or_else(mismatch)?;
    let meta = Meta::of(envelope, clock.now())?;
    let tx = db.begin().await?;
    if !inbox::once(&tx, subscription.name(), meta.id).await? {
        return Ok(());
    }
    effect.apply(&tx, event, &meta).await?;
    tx.commit().await
}

/// Returns the consumers of a service for one event: one for each service that emits it, all under one
/// name. Register them before any relay starts, then run them.
pub fn consumers<E: Event>(
    subscription: Subscription<E>,
    db: &Db,
    clock: &Clock,
    effect: impl for<'a> Apply<'a, E> + 'static,
) -> Vec<Consumer> {
    let handler = Arc::new(Consuming { db: db.clone(), clock: clock.clone(), subscription, effect });
    let subjects = E::ENTRY.subjects();
    subjects.map(|subject| consumer(subscription, subject, db, clock, handler.clone())).collect()
}

/// Creates one consumer, whose handler wraps [`consume`].
pub(crate) fn consumer<E: Event>(
    subscription: Subscription<E>,
    subject: String,
    db: &Db,
    clock: &Clock,
    handler: Arc<dyn Handler>,
) -> Consumer {
    let dead_letters = DeadLetters { db: db.clone(), service: subscription.service(), clock: clock.clone() };
    Consumer { name: subscription.name(), subject, handler, dead_letters: Arc::new(dead_letters) }
}

struct Consuming<E, A> {
    db: Db,
    clock: Clock,
    subscription: Subscription<E>,
    effect: A,
}

#[async_trait]
impl<E: Event, A: for<'a> Apply<'a, E> + 'static> Handler for Consuming<E, A> {
    async fn handle(&self, envelope: &Envelope) -> Result<()> {
        consume(&self.db, &self.clock, self.subscription, envelope, &self.effect).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_ordered_across_neighbouring_releases() {
        let of = |version, sequence| Revision { version, sequence };
        // In the order of emission: twice by this release, once by the previous release, which has no
        // sequence, and twice by this release, first with the same version.
        let emitted = [of(5, 8), of(5, 9), of(6, 0), of(6, 10), of(7, 11)];
        assert!(emitted.is_sorted_by(|one, other| one < other), "{emitted:?}");
    }
}
