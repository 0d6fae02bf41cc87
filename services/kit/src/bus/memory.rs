//! The bus of one process. It stores nothing: **the outbox is the durable queue**.
//!
//! Contract:
//! - `publish` succeeds after every matching consumer has committed (or stored a dead letter), and only then
//!   does the relay mark the event's row as published. After a crash the event is published again, and the
//!   inbox of each consumer that had committed absorbs the repetition.
//! - Consumers run inside `publish`, concurrently, once each. So the relay must not hold a write transaction
//!   while it publishes. When a consumer has to retry, the error says after how long, and the relay publishes
//!   later events meanwhile.
//! - Consumers must be registered before the first relay starts, because an event that matches no consumer
//!   counts as done.
//! - A watch sees an event when it is published, before it is handled, and again when it is published again.
//! - A stopped consumer still matches: publishing then fails, so that its events wait in the outbox for the
//!   next start instead of being skipped.
//!
//! Deliberately absent: buffering, ordering, more than one process.

use std::sync::{Arc, PoisonError};

use futures::future::join_all;
use futures::{StreamExt, future};
use proto::events::Envelope;
use tokio::sync::{RwLock, broadcast};
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::attempt::{self, Outcome};
use super::{Consumer, EncodedEvent, Retry, Watch, Watched, matches};
use crate::{Error, Result, trace};

/// Maximum number of events that a watch may lag behind. A slower watch misses the oldest events.
const BEHIND: usize = 256;

#[derive(Clone)]
pub struct MemoryBus {
    slots: Arc<std::sync::RwLock<Vec<Arc<Slot>>>>,
    watched: broadcast::Sender<Arc<Envelope>>,
    retry: Retry,
}

/// A durable name and the consumer that currently has it.
struct Slot {
    consumer: Consumer,
    /// Each message being handled holds a read lock; stopping the consumer takes the write lock.
    open: RwLock<bool>,
    stop: CancellationToken,
}

impl MemoryBus {
    pub fn new(retry: Retry) -> Self {
        Self { slots: Arc::default(), watched: broadcast::Sender::new(BEHIND), retry }
    }

    pub(super) async fn publish(&self, event: &EncodedEvent, time: u32) -> Result<()> {
        let envelope = &event.envelope;
        let span =
            tracing::info_span!("bus.publish", event.id = %envelope.id, event.subject = %envelope.subject);
        trace::link(&span, &envelope.traceparent);
        if self.watched.receiver_count() > 0 {
            // Sending fails only when nobody watches, which is fine.
            let _ = self.watched.send(Arc::new(envelope.clone()));
        }
        let matching: Vec<Arc<Slot>> = {
            let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
            slots.iter().filter(|slot| matches(&slot.consumer.subject, &envelope.subject)).cloned().collect()
        };
        let handing = matching.iter().map(|slot| self.hand(slot, event, time));
        let results = join_all(handing).instrument(span).await;
        // Collect the results only after all consumers have run, so that an error of one does not stop the
        // others.
        results.into_iter().collect()
    }

    pub(super) fn watch(&self, filters: Vec<String>) -> Watch {
        let read = move |published: std::result::Result<Arc<Envelope>, BroadcastStreamRecvError>| {
            let Ok(envelope) = published else { return Some(Watched::Missed) };
            let passes = filters.iter().any(|filter| matches(filter, &envelope.subject));
            passes.then_some(Watched::Event(envelope))
        };
        let published = BroadcastStream::new(self.watched.subscribe());
        published.filter_map(move |published| future::ready(read(published))).boxed()
    }

    async fn hand(&self, slot: &Slot, event: &EncodedEvent, time: u32) -> Result<()> {
        let open = slot.open.read().await;
        let name = slot.consumer.name;
        if !*open || slot.stop.is_cancelled() {
            return Err(Error::unavailable("CONSUMER_STOPPED", "The consumer has stopped")
                .with_source(format!("consumer {name}")));
        }
        match attempt::deliver(&slot.consumer, event, time, &self.retry).await {
            Outcome::Done => Ok(()),
            Outcome::Again(delay) => {
                let kept = Error::unavailable("EVENT_KEPT", "The event could not be handled yet");
                Err(Error { retry_after: Some(delay), ..kept }.with_source(format!("consumer {name}")))
            }
        }
    }

    /// Registers consumers under their durable names, replacing earlier ones of the same name.
    pub(super) fn register(&self, consumers: Vec<Consumer>) -> Registration {
        let mine: Vec<Arc<Slot>> = consumers
            .into_iter()
            .map(|consumer| {
                let stop = CancellationToken::new();
                Arc::new(Slot { consumer, open: RwLock::new(true), stop })
            })
            .collect();
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|old| mine.iter().all(|new| new.consumer.name != old.consumer.name));
        slots.extend(mine.iter().cloned());
        Registration { slots: mine }
    }
}

pub(super) struct Registration {
    slots: Vec<Arc<Slot>>,
}

impl Registration {
    pub(super) async fn run(self, stop: CancellationToken) -> Result<()> {
        stop.cancelled().await;
        for slot in &self.slots {
            slot.stop.cancel();
        }
        for slot in &self.slots {
            *slot.open.write().await = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Bus;
    use crate::bus::contract::{self, Rig, contract_tests};

    struct MemoryRig(Bus);

    #[async_trait::async_trait]
    impl Rig for MemoryRig {
        async fn with(retry: Retry) -> Self {
            Self(Bus::Memory(MemoryBus::new(retry)))
        }

        fn bus(&self) -> &Bus {
            &self.0
        }
    }

    contract_tests!(MemoryRig);

    #[tokio::test]
    async fn an_event_nobody_waits_for_is_done() {
        let rig = MemoryRig::with(contract::retry()).await;
        rig.0.publish(&contract::event("upload")).await.unwrap();
    }

    #[tokio::test]
    async fn a_slow_watch_misses_the_oldest_shows_that_and_holds_nobody_up() {
        let rig = MemoryRig::with(contract::retry()).await;
        let mut watch = rig.0.watch(&["waybill.upload.>".to_owned()]).await.unwrap();
        let mut sent = Vec::new();
        for _ in 0..BEHIND + 10 {
            let event = contract::event("upload");
            rig.0.publish(&event).await.unwrap();
            sent.push(Watched::Event(Arc::new(event)));
        }
        assert_eq!(watch.next().await, Some(Watched::Missed));
        for event in &sent[10..] {
            assert_eq!(watch.next().await.as_ref(), Some(event));
        }
    }

    #[tokio::test]
    async fn publishing_to_a_stopped_consumer_fails() {
        let rig = MemoryRig::with(contract::retry()).await;
        let probe = contract::Probe::default();
        let stop = CancellationToken::new();
        let registered = rig.0.register(vec![probe.consumer("a", "waybill.upload.>")]).await.unwrap();
        stop.cancel();
        registered.run(stop).await.unwrap();
        let error = rig.0.publish(&contract::event("upload")).await.unwrap_err();
        assert_eq!(error.reason, "CONSUMER_STOPPED");
        assert_eq!(probe.seen().len(), 0);
    }

    #[tokio::test]
    async fn one_failing_consumer_does_not_keep_the_event_from_the_others() {
        let rig = MemoryRig::with(contract::retry()).await;
        let good = contract::Probe::default();
        let bad = contract::Probe::default();
        bad.fail_first(u32::MAX);
        bad.refuse_dead_letters(u32::MAX);
        let consumers =
            vec![bad.consumer("bad", "waybill.upload.>"), good.consumer("good", "waybill.upload.>")];
        let _registered = rig.0.register(consumers).await.unwrap();
        assert_eq!(rig.0.publish(&contract::event("upload")).await.unwrap_err().reason, "EVENT_KEPT");
        assert_eq!(good.seen().len(), 1);
    }
}
