//! The contract of every bus, as tests: `contract_tests!(Rig)` runs all of them against one bus.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{Envelope, ImportFinished};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::attempt::{self, Outcome};
pub(super) use super::probe::Probe;
use super::{Bus, Consumer, EncodedEvent, Retry, Watch, Watched};
use crate::Result;

/// One isolated bus.
#[async_trait]
pub(super) trait Rig: Send + Sync + Sized {
    async fn with(retry: Retry) -> Self;
    fn bus(&self) -> &Bus;
}

/// Pauses are short; the time limit is long enough for a busy machine.
pub(super) fn retry() -> Retry {
    Retry {
        attempts: 3,
        first_delay: Duration::from_millis(10),
        max_delay: Duration::from_millis(50),
        timeout: Duration::from_secs(10),
    }
}

pub(super) fn event(service: &str) -> Envelope {
    let payload = Payload::ImportFinished(ImportFinished::default());
    Envelope {
        id: crate::clock::new_id().to_string(),
        subject: payload.entry().subject(service),
        actor: format!("system:{service}"),
        payload: Some(payload),
        ..Envelope::default()
    }
}

/// Returns the event as a newer release could have written it: with a field that this release does not know.
pub(super) fn of_newer_release(envelope: &Envelope) -> EncodedEvent {
    let mut bytes = envelope.encode_to_vec();
    prost::encoding::string::encode(1_000, &"new".to_owned(), &mut bytes);
    let event = EncodedEvent::decode(bytes).unwrap();
    assert_ne!(event.envelope.encode_to_vec(), event.bytes);
    event
}

pub(super) struct Running {
    stop: CancellationToken,
    pub(super) task: JoinHandle<Result<()>>,
}

impl Running {
    pub(super) async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
    }
}

pub(super) async fn start(bus: &Bus, consumers: Vec<Consumer>) -> Running {
    let stop = CancellationToken::new();
    let registered = bus.register(consumers).await.unwrap();
    Running { stop: stop.clone(), task: tokio::spawn(registered.run(stop)) }
}

/// Acts like the outbox relay: publishes until the event is safe.
pub(super) fn relay(bus: &Bus, event: impl Into<EncodedEvent>) -> JoinHandle<()> {
    let (bus, event) = (bus.clone(), event.into());
    tokio::spawn(async move {
        for time in 1.. {
            if bus.publish_again(&event, time).await.is_ok() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
}

pub(super) async fn reaches_each_matching_consumer_and_no_other<R: Rig>() {
    let rig = R::with(retry()).await;
    rig.bus().ensure_streams(&["upload", "deliveries"]).await.unwrap();
    let (a, b, other, every) = (Probe::default(), Probe::default(), Probe::default(), Probe::default());
    let running = start(
        rig.bus(),
        vec![
            a.consumer("a", "waybill.upload.>"),
            b.consumer("b", "waybill.upload.import.finished.v1"),
            other.consumer("other", "waybill.upload.import.finished.v2"),
            every.consumer("every", "waybill.*.import.finished.v1"),
        ],
    )
    .await;
    let (first, second) = (event("upload"), event("deliveries"));
    relay(rig.bus(), &first).await.unwrap();
    relay(rig.bus(), &second).await.unwrap();
    a.until(|probe| probe.done() == [first.id.clone()]).await;
    b.until(|probe| probe.done() == [first.id.clone()]).await;
    every.until(|probe| probe.done().len() == 2).await;
    assert_eq!(a.seen()[0], first, "the envelope arrives as it was sent");
    running.stop().await;
    assert_eq!(other.seen().len(), 0);
    assert_eq!((a.seen().len(), b.seen().len()), (1, 1));
}

pub(super) async fn a_failed_attempt_is_repeated<R: Rig>() {
    let rig = R::with(retry()).await;
    let probe = Probe::default();
    probe.fail_first(1);
    probe.panic_first(1);
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    let sent = event("upload");
    relay(rig.bus(), &sent).await.unwrap();
    probe.until(|probe| probe.done() == [sent.id.clone()]).await;
    running.stop().await;
    assert_eq!(probe.seen().len(), 3, "one panic, one error, one success");
    assert_eq!(probe.dead(), []);
}

pub(super) async fn the_last_failure_makes_a_dead_letter<R: Rig>() {
    let rig = R::with(retry()).await;
    let probe = Probe::default();
    probe.fail_first(3);
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    let (bad, good) = (event("upload"), event("upload"));
    relay(rig.bus(), &bad).await.unwrap();
    probe.until(|probe| probe.dead().len() == 1).await;
    relay(rig.bus(), &good).await.unwrap();
    probe.until(|probe| probe.done() == [good.id.clone()]).await;
    running.stop().await;
    let dead = probe.dead();
    assert_eq!(dead.len(), 1);
    assert_eq!((dead[0].id.as_str(), dead[0].consumer.as_str(), dead[0].attempts), (bad.id.as_str(), "a", 3));
    assert_eq!(dead[0].last_error, "Something went wrong (INTERNAL)", "the source stays in the log");
    assert_eq!(probe.seen().len(), 4);
}

pub(super) async fn a_failing_sink_keeps_the_event<R: Rig>() {
    let rig = R::with(retry()).await;
    let probe = Probe::default();
    probe.fail_first(u32::MAX);
    probe.refuse_dead_letters(2);
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    let sent = event("upload");
    relay(rig.bus(), &sent).await.unwrap();
    probe.until(|probe| probe.dead().len() == 1).await;
    running.stop().await;
    assert_eq!(probe.refused(), 2);
    assert_eq!(probe.dead()[0].id, sent.id);
    assert_eq!(probe.done().len(), 0);
    assert_eq!(probe.seen().len(), 5, "what could not be given up is tried again");
}

/// A database outage is not the events' fault. All of them must be handled once the database is back,
/// however often they were tried, and none may become a dead letter.
pub(super) async fn what_is_away_costs_no_event<R: Rig>() {
    let rig = R::with(retry()).await;
    let probe = Probe::default();
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    probe.go_away(true);
    let sent: Vec<_> = (0..5).map(|_| event("upload")).collect();
    let relaying: Vec<_> = sent.iter().map(|sent| relay(rig.bus(), sent)).collect();
    // Each event is tried far more often than the limit of failures. Once the database is back, two
    // attempts also fail for another reason.
    probe.until(|probe| !probe.seen().is_empty()).await;
    tokio::time::sleep(Duration::from_secs(if crate::testing::long() { 20 } else { 2 })).await;
    probe.fail_first(2);
    probe.go_away(false);
    probe.until(|probe| probe.done().len() == sent.len()).await;
    for relaying in relaying {
        relaying.await.unwrap();
    }
    running.stop().await;
    assert_eq!(probe.dead(), []);
    let (mut done, mut ids) = (probe.done(), sent.into_iter().map(|sent| sent.id).collect::<Vec<_>>());
    done.sort();
    ids.sort();
    assert_eq!(done, ids);
}

/// An event that ends its process on every attempt must be given up in the end.
pub(super) async fn what_ends_every_process_is_given_up<R: Rig>() {
    let rig = R::with(retry()).await;
    let before = Probe::default();
    let sent = EncodedEvent::from(&event("upload"));
    rig.bus().ensure_streams(&["upload"]).await.unwrap();
    before.hang_first(u32::MAX);
    // The first attempt is not noted, so four deaths make three failures.
    for death in 1..=4 {
        let running = start(rig.bus(), vec![before.consumer("a", "waybill.upload.>")]).await;
        let (bus, event) = (rig.bus().clone(), sent.clone());
        let relaying = tokio::spawn(async move { bus.publish_again(&event, death).await });
        before.until(|probe| probe.seen().len() == death as usize).await;
        relaying.abort();
        running.task.abort();
        before.age_attempts();
    }
    let after = Probe::after(&before);
    let running = start(rig.bus(), vec![after.consumer("a", "waybill.upload.>")]).await;
    let _ = rig.bus().publish_again(&sent, 5).await;
    after.until(|probe| probe.dead().len() == 1).await;
    running.stop().await;
    assert_eq!(after.dead()[0].attempts, 3);
    assert_eq!(after.seen().len(), 0, "what ended four processes is not given to a fifth");
}

/// Reconciliation asks for an event that the bus may be handling at the same time, for example while the handler
/// waits for a lock.
pub(super) async fn an_attempt_that_runs_elsewhere_is_waited_for<R: Rig>() {
    let rig = R::with(retry()).await;
    let (probe, gate) = (Probe::default(), Arc::new(Semaphore::new(1)));
    probe.wait_at(&gate);
    probe.fail_first(1);
    let consumer = probe.consumer("a", "waybill.upload.>");
    let running = start(rig.bus(), vec![consumer.clone()]).await;
    let sent = EncodedEvent::from(&event("upload"));
    let relaying = relay(rig.bus(), sent.clone());
    probe.until(|probe| probe.seen().len() == 2).await;
    for _ in 0..2 * retry().attempts {
        assert!(!attempt::replay(&consumer, &sent.bytes, &retry()).await);
    }
    gate.add_permits(1);
    probe.until(|probe| probe.done() == [sent.envelope.id.clone()]).await;
    relaying.await.unwrap();
    running.stop().await;
    assert_eq!((probe.seen().len(), probe.dead()), (2, Vec::new()), "nobody died");
}

pub(super) async fn a_slow_attempt_is_a_failed_one<R: Rig>() {
    let rig = R::with(Retry { timeout: Duration::from_millis(300), ..retry() }).await;
    let probe = Probe::default();
    probe.hang_first(1);
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    let sent = event("upload");
    relay(rig.bus(), &sent).await.unwrap();
    probe.until(|probe| probe.done() == [sent.id.clone()]).await;
    running.stop().await;
    assert!(probe.seen().len() >= 2);
}

pub(super) async fn a_crashed_consumer_gets_it_again<R: Rig>() {
    let rig = R::with(retry()).await;
    let probe = Probe::default();
    probe.hang_first(1);
    let sent = event("upload");
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    let relaying = relay(rig.bus(), &sent);
    probe.until(|probe| probe.seen().len() == 1).await;
    // Simulates the death of the process: relay and consumer end at the same moment, while they handle the
    // message.
    relaying.abort();
    running.task.abort();
    assert_eq!(probe.done().len(), 0);

    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    relay(rig.bus(), &sent).await.unwrap();
    probe.until(|probe| probe.done() == [sent.id.clone()]).await;
    running.stop().await;
    assert_eq!(probe.dead(), []);
}

pub(super) async fn publishing_twice_is_harmless<R: Rig>() {
    let rig = R::with(retry()).await;
    let probe = Probe::default();
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    let (twice, last) = (event("upload"), event("upload"));
    for sent in [&twice, &twice, &last] {
        relay(rig.bus(), sent).await.unwrap();
    }
    probe.until(|probe| probe.done().contains(&last.id)).await;
    running.stop().await;
    // JetStream drops the repeated event; the bus in memory delivers it twice. Both deliveries have the same
    // id, so the inbox of a real consumer absorbs the second.
    let mut ids = probe.done();
    ids.dedup();
    assert_eq!(ids, [twice.id, last.id]);
}

pub(super) async fn stopping_finishes_the_message_in_hand<R: Rig>() {
    let rig = R::with(retry()).await;
    let probe = Probe::default();
    let gate = Arc::new(Semaphore::new(0));
    probe.wait_at(&gate);
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    let (in_hand, later) = (event("upload"), event("upload"));
    let relaying = relay(rig.bus(), &in_hand);
    probe.until(|probe| probe.seen().len() == 1).await;
    running.stop.cancel();
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert!(!running.task.is_finished(), "the message in hand is waited for");
    gate.add_permits(1);
    running.stop().await;
    assert_eq!(probe.done(), std::slice::from_ref(&in_hand.id));
    relaying.await.unwrap();

    // Events that come after the stop must wait for the next start.
    let relaying = relay(rig.bus(), &later);
    gate.add_permits(10);
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    probe.until(|probe| probe.done().contains(&later.id)).await;
    relaying.await.unwrap();
    running.stop().await;
    assert_eq!(probe.done(), [in_hand.id, later.id]);
}

/// During an update, the older process may give up an event that the newer one wrote.
pub(super) async fn a_dead_letter_keeps_what_a_newer_release_wrote<R: Rig>() {
    let rig = R::with(retry()).await;
    let probe = Probe::default();
    probe.fail_first(3);
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    let sent = of_newer_release(&event("upload"));
    relay(rig.bus(), sent.clone()).await.unwrap();
    probe.until(|probe| probe.dead().len() == 1).await;
    running.stop().await;
    assert_eq!(probe.dead()[0].payload, sent.bytes);
}

/// During an update, processes of two releases share a consumer: the older process must leave unknown events
/// to the newer one.
pub(super) async fn an_unknown_payload_waits_for_who_knows_it<R: Rig>() {
    let rig = R::with(retry()).await;
    let probe = Probe::default();
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    let (newer, known) = (Envelope { payload: None, ..event("upload") }, event("upload"));
    let waiting = relay(rig.bus(), &newer);
    relay(rig.bus(), &known).await.unwrap();
    probe.until(|probe| probe.done() == [known.id.clone()]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    waiting.abort();
    running.stop().await;
    assert_eq!((probe.seen().len(), probe.dead().len()), (1, 0), "it holds nobody up, and is not given up");
    let consumer = probe.consumer("a", "waybill.upload.>");
    let outcome = attempt::deliver(&consumer, &(&newer).into(), 1, &retry()).await;
    assert_eq!(outcome, Outcome::Again(Duration::from_millis(10)), "nor is it taken for handled");
}

/// Publishes until the watch sees an event: the bus does not promise when a new watch starts to see events.
async fn passes(bus: &Bus, watch: &mut Watch, sent: &Envelope) {
    let seen = async {
        loop {
            relay(bus, sent).await.unwrap();
            let next = tokio::time::timeout(Duration::from_millis(200), watch.next()).await;
            if let Ok(Some(Watched::Event(seen))) = next {
                assert_eq!(*seen, *sent, "as it was sent, and nothing else");
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), seen).await.expect("the watch saw nothing");
}

pub(super) async fn a_watch_sees_what_passes_its_filter<R: Rig>() {
    let rig = R::with(retry()).await;
    rig.bus().ensure_streams(&["upload", "deliveries"]).await.unwrap();
    let watch = async |filter: &str| rig.bus().watch(&[filter.to_owned()]).await;
    let mut exact = watch("waybill.upload.import.finished.v1").await.unwrap();
    let mut wide = watch("waybill.upload.>").await.unwrap();
    let (sent, other) = (event("upload"), event("deliveries"));
    relay(rig.bus(), &other).await.unwrap();
    passes(rig.bus(), &mut exact, &sent).await;
    passes(rig.bus(), &mut wide, &sent).await;
    assert!(watch("waybill.>").await.is_err(), "it reads more than events of Waybill");
}

pub(super) async fn a_watch_takes_nothing_from_consumers<R: Rig>() {
    let rig = R::with(retry()).await;
    let probe = Probe::default();
    let running = start(rig.bus(), vec![probe.consumer("a", "waybill.upload.>")]).await;
    let mut watch = rig.bus().watch(&["waybill.upload.>".to_owned()]).await.unwrap();
    let sent = event("upload");
    passes(rig.bus(), &mut watch, &sent).await;
    probe.until(|probe| probe.done().contains(&sent.id)).await;
    drop(watch);
    let later = event("upload");
    relay(rig.bus(), &later).await.unwrap();
    probe.until(|probe| probe.done().contains(&later.id)).await;
    running.stop().await;
}

macro_rules! contract_tests {
    ($rig:ty) => {
        contract_tests!(
            $rig,
            reaches_each_matching_consumer_and_no_other,
            a_failed_attempt_is_repeated,
            the_last_failure_makes_a_dead_letter,
            a_failing_sink_keeps_the_event,
            a_slow_attempt_is_a_failed_one,
            an_attempt_that_runs_elsewhere_is_waited_for,
            a_crashed_consumer_gets_it_again,
            publishing_twice_is_harmless,
            stopping_finishes_the_message_in_hand,
            what_is_away_costs_no_event,
            what_ends_every_process_is_given_up,
            a_dead_letter_keeps_what_a_newer_release_wrote,
            an_unknown_payload_waits_for_who_knows_it,
            a_watch_sees_what_passes_its_filter,
            a_watch_takes_nothing_from_consumers,
        );
    };
    ($rig:ty, $($name:ident),+ $(,)?) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            $crate::bus::contract::$name::<$rig>().await;
        })+
    };
}
pub(super) use contract_tests;
