use std::sync::Arc;

use async_nats::jetstream;
use prost::Message as _;
use proto::events::Envelope;

use super::*;
use crate::bus::Bus;
use crate::bus::contract::{self, Probe, Rig, contract_tests, event, relay, start};
use crate::testing::metric_value;

pub(super) fn url() -> String {
    std::env::var("WAYBILL_TEST_NATS_URL").unwrap_or_else(|_| "nats://127.0.0.1:4222".to_owned())
}

/// A bus with its own namespace on a real server; dropping it deletes its streams.
struct NatsRig {
    bus: Bus,
    nats: NatsBus,
}

pub(super) fn config(retry: Retry) -> NatsConfig {
    NatsConfig {
        namespace: format!("t{}", crate::clock::new_id().simple()),
        retry,
        ack_wait: Duration::from_secs(1),
        ..NatsConfig::new(url())
    }
}

pub(super) async fn connect(config: NatsConfig) -> NatsBus {
    let what = "the bus tests need a NATS server with JetStream (WAYBILL_TEST_NATS_URL)";
    NatsBus::connect(config).await.expect(what)
}

#[async_trait::async_trait]
impl Rig for NatsRig {
    async fn with(retry: Retry) -> Self {
        let nats = connect(config(retry)).await;
        Self { bus: Bus::Nats(nats.clone()), nats }
    }

    fn bus(&self) -> &Bus {
        &self.bus
    }
}

impl Drop for NatsRig {
    // Runs in its own thread, so that a failed test cleans up too.
    fn drop(&mut self) {
        let prefix = self.nats.0.config.namespace.to_uppercase();
        let cleaning = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let context = jetstream::new(async_nats::connect(url()).await.unwrap());
                let mut names = context.stream_names();
                while let Some(Ok(name)) = names.next().await {
                    if name.starts_with(&prefix) {
                        let _ = context.delete_stream(name).await;
                    }
                }
            });
        });
        let _ = cleaning.join();
    }
}

contract_tests!(NatsRig);

async fn rig() -> NatsRig {
    NatsRig::with(contract::retry()).await
}

#[tokio::test]
async fn streams_are_made_as_agreed_and_again_without_harm() {
    let rig = rig().await;
    for _ in 0..2 {
        rig.bus.ensure_streams(&["upload", "deliveries"]).await.unwrap();
    }
    let name = format!("{}_UPLOAD", rig.nats.0.config.namespace.to_uppercase());
    let mut stream = rig.nats.0.context.get_stream(name).await.unwrap();
    let made = stream.info().await.unwrap().config.clone();
    assert_eq!(made.subjects, [format!("{}.upload.>", rig.nats.0.config.namespace)]);
    assert_eq!(made.storage, jetstream::stream::StorageType::File);
    assert_eq!(made.retention, jetstream::stream::RetentionPolicy::Limits);
    assert_eq!(made.discard, jetstream::stream::DiscardPolicy::New);
    assert_eq!(made.max_age, Duration::from_secs(7 * 24 * 3600));
    assert_eq!(made.duplicate_window, Duration::from_secs(120));
    assert_eq!(made.num_replicas, 1);

    let mut changed = rig.nats.0.config.clone();
    changed.streams.max_bytes = Some(1_000_000);
    connect(changed).await.ensure_stream("upload").await.unwrap();
    assert_eq!(stream.info().await.unwrap().config.max_bytes, 1_000_000);
}

/// Other systems cannot take the room of our events.
#[tokio::test]
async fn a_full_intake_refuses_its_producers_and_nobody_else() {
    let mut config = config(contract::retry());
    config.streams.intake_max_bytes = Some(20_000);
    let nats = connect(config).await;
    let rig = NatsRig { bus: Bus::Nats(nats.clone()), nats };
    rig.bus.ensure_streams(&["intake", "upload"]).await.unwrap();
    let subject = rig.nats.on_the_wire(&crate::bus::intake::subject("erp"));
    let mut published = 0;
    let refused = loop {
        let ack = rig.nats.0.context.publish(subject.clone(), vec![b'x'; 1_000].into()).await.unwrap();
        match ack.await {
            Ok(_) => published += 1,
            Err(error) => break error,
        }
        assert!(published < 30, "it has no limit");
    };
    assert!(published > 10, "{refused}");
    rig.bus.publish(&event("upload")).await.unwrap();
}

#[tokio::test]
async fn a_consumer_is_durable_bounded_and_filtered() {
    let rig = rig().await;
    let consumer = Probe::default().consumer("a", "waybill.upload.import.*.v1");
    let mut made = rig.nats.ensure_consumer(&consumer, "upload").await.unwrap();
    let made = made.info().await.unwrap().config.clone();
    assert_eq!(made.durable_name.as_deref(), Some("a"));
    assert_eq!(made.filter_subject, format!("{}.upload.import.*.v1", rig.nats.0.config.namespace));
    assert_eq!(made.ack_policy, jetstream::consumer::AckPolicy::Explicit);
    assert_eq!((made.max_ack_pending, made.max_deliver), (256, -1));
}

#[tokio::test]
async fn a_repeated_message_id_is_stored_once() {
    let rig = rig().await;
    rig.bus.ensure_streams(&["upload"]).await.unwrap();
    let sent = event("upload");
    for _ in 0..3 {
        rig.bus.publish(&sent).await.unwrap();
    }
    let mut stream = rig.nats.0.context.get_stream(rig.nats.stream_name("upload")).await.unwrap();
    assert_eq!(stream.info().await.unwrap().state.messages, 1);
}

/// During an update, the relay of an older process may publish an event that a newer one wrote.
#[tokio::test]
async fn an_event_of_a_newer_release_is_sent_byte_for_byte() {
    let rig = rig().await;
    rig.bus.ensure_streams(&["upload"]).await.unwrap();
    let unknown_field = contract::of_newer_release(&event("upload"));
    let unknown_payload = contract::of_newer_release(&Envelope { payload: None, ..event("upload") });
    let stream = rig.nats.0.context.get_stream(rig.nats.stream_name("upload")).await.unwrap();
    for (sequence, sent) in [(1, unknown_field), (2, unknown_payload)] {
        rig.bus.publish_again(&sent, 1).await.unwrap();
        assert_eq!(stream.get_raw_message(sequence).await.unwrap().payload, sent.bytes);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_envelope_of_ours_becomes_a_dead_letter_and_blocks_nothing() {
    let rig = rig().await;
    let probe = Probe::default();
    probe.refuse_dead_letters(1);
    let running = start(&rig.bus, vec![probe.consumer("a", "waybill.upload.>")]).await;
    let own = event("upload");
    let wire = rig.nats.on_the_wire(&own.subject);
    let forged = event("deliveries").encode_to_vec();
    let garbage = b"\xff\xff not protobuf".to_vec();
    for payload in [&garbage, &forged] {
        let ack = rig.nats.0.context.publish(wire.clone(), payload.clone().into()).await.unwrap();
        ack.await.unwrap();
    }
    relay(&rig.bus, &own).await.unwrap();
    probe.until(|probe| probe.dead().len() == 2 && probe.done() == [own.id.clone()]).await;
    running.stop().await;
    let mut raw: Vec<_> = probe.dead().into_iter().map(|dead| (dead.subject, dead.payload)).collect();
    raw.sort_by_key(|(_, payload)| payload != &garbage);
    assert_eq!(raw, [(own.subject.clone(), garbage), (own.subject, forged)]);
    assert_eq!(probe.seen().len(), 1, "the forged one never reached the handler");
}

/// Publishes like a different client, with headers that our client cannot parse.
async fn publish_raw(subject: &str, headers: &[u8], payload: &[u8]) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let address = url();
    let address = address.trim_start_matches("nats://");
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let (head, all) = (headers.len(), headers.len() + payload.len());
    let connect =
        format!("CONNECT {{\"verbose\":false,\"headers\":true}}\r\nHPUB {subject} {head} {all}\r\n");
    let publish = [connect.as_bytes(), headers, payload, b"\r\nPING\r\n"];
    stream.write_all(&publish.concat()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.windows(4).any(|it| it == b"PONG") {
        assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0, "{}", String::from_utf8_lossy(&answer));
    }
}

#[derive(Default)]
struct Listing(Mutex<Vec<crate::bus::intake::Reported>>);

#[async_trait::async_trait]
impl crate::bus::intake::Take for Listing {
    async fn take(&self, messages: Vec<crate::bus::intake::Reported>) -> Result<()> {
        self.0.lock().unwrap().extend(messages);
        Ok(())
    }
}

/// Publishes a report with this header, again while the server takes it for a repetition.
async fn publish_letter(rig: &NatsRig, producer: &str, header: (&str, &str), payload: &'static str) {
    let subject = rig.nats.on_the_wire(&crate::bus::intake::subject(producer));
    let limit = tokio::time::Instant::now() + Duration::from_secs(10);
    loop {
        let message = PublishMessage::build().header(header.0, header.1).payload(payload.into());
        let ack = rig.nats.0.context.send_publish(subject.clone(), message).await.unwrap();
        if !ack.await.unwrap().duplicate {
            return;
        }
        assert!(tokio::time::Instant::now() < limit, "{payload} is dropped");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The server looks for a message id in the whole stream, so the ids of two producers can be the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn letters_of_two_producers_and_two_letters_with_one_key_are_all_taken_in() {
    let rig = rig().await;
    rig.bus.ensure_streams(&["intake"]).await.unwrap();
    // Earlier releases made the stream with a longer window.
    let mut stream = rig.nats.0.context.get_stream(rig.nats.stream_name("intake")).await.unwrap();
    let mut earlier = stream.info().await.unwrap().config.clone();
    earlier.duplicate_window = Duration::from_secs(120);
    rig.nats.0.context.update_stream(earlier).await.unwrap();
    rig.bus.ensure_streams(&["intake"]).await.unwrap();
    for (header, payloads) in
        [("Nats-Msg-Id", ["one", "two", "three"]), ("Idempotency-Key", ["four", "five", "six"])]
    {
        for (producer, payload) in ["erp", "wms", "erp"].into_iter().zip(payloads) {
            publish_letter(&rig, producer, (header, "1001"), payload).await;
        }
    }
    let (listing, stop) = (Arc::new(Listing::default()), CancellationToken::new());
    let intake = crate::bus::intake::Intake { name: "deliveries-intake", taker: listing.clone() };
    let reading = tokio::spawn(rig.nats.clone().take_in(intake, stop.clone()));
    let limit = tokio::time::Instant::now() + Duration::from_secs(20);
    while listing.0.lock().unwrap().len() < 6 {
        assert!(tokio::time::Instant::now() < limit, "{:?}", listing.0.lock().unwrap());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stop.cancel();
    reading.await.unwrap().unwrap();
    let of = |producer: &str, payload: &str| crate::bus::intake::Reported {
        producer: producer.into(),
        id: "1001".into(),
        payload: payload.into(),
    };
    let expected =
        [("erp", "one"), ("wms", "two"), ("erp", "three"), ("erp", "four"), ("wms", "five"), ("erp", "six")];
    assert_eq!(*listing.0.lock().unwrap(), expected.map(|(producer, payload)| of(producer, payload)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_that_the_client_cannot_parse_hold_up_nothing_and_are_taken_in() {
    let rig = rig().await;
    rig.bus.ensure_streams(&["intake"]).await.unwrap();
    let subject = rig.nats.on_the_wire(&crate::bus::intake::subject("erp"));
    publish_raw(&subject, b"NATS/1.0\r\nX: \xff\xfe\r\nNats-Msg-Id: k-1\r\n\r\n", b"one").await;
    publish_raw(&subject, b"NATS/1.0\r\nno colon\r\n\r\n", b"two").await;
    publish_raw(&subject, b"NATS/1.0\r\nNats-Msg-Id: k-3\r\n\r\n", b"three").await;
    let (listing, stop) = (Arc::new(Listing::default()), CancellationToken::new());
    let intake = crate::bus::intake::Intake { name: "deliveries-intake", taker: listing.clone() };
    let reading = tokio::spawn(rig.nats.clone().take_in(intake, stop.clone()));
    let mut seen: Vec<_> = Vec::new();
    for _ in 0..600 {
        seen = listing.0.lock().unwrap().iter().map(|it| (it.id.clone(), it.payload.clone())).collect();
        seen.sort();
        seen.dedup();
        if seen.len() == 3 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let of = |id: &str, payload: &[u8]| (id.to_owned(), payload.to_vec());
    assert_eq!(seen, [of("", b"two"), of("k-1", b"one"), of("k-3", b"three")]);
    // No message is left that would end the connection again.
    let stream = rig.nats.0.context.get_stream(rig.nats.stream_name("intake")).await.unwrap();
    let mut consumer: JsConsumer<pull::Config> = stream.get_consumer("deliveries-intake").await.unwrap();
    for _ in 0..200 {
        let info = consumer.info().await.unwrap();
        if (info.num_ack_pending, info.ack_floor.stream_sequence) == (0, 3) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let info = consumer.info().await.unwrap();
    assert_eq!((info.num_ack_pending, info.ack_floor.stream_sequence), (0, 3));
    stop.cancel();
    reading.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_attempt_is_not_given_to_someone_else() {
    let rig = NatsRig::with(Retry { timeout: Duration::from_millis(2500), ..contract::retry() }).await;
    let probe = Probe::default();
    probe.hang_first(1);
    let consumers = || vec![probe.consumer("a", "waybill.upload.>")];
    let (one, two) = (start(&rig.bus, consumers()).await, start(&rig.bus, consumers()).await);
    let sent = event("upload");
    let begun = std::time::Instant::now();
    relay(&rig.bus, &sent).await.unwrap();
    probe.until(|probe| probe.done() == [sent.id.clone()]).await;
    // ack_wait is 1 s: without progress signals the second attempt would have started by then.
    assert!(begun.elapsed() >= Duration::from_millis(2500));
    one.stop().await;
    two.stop().await;
    assert_eq!(probe.seen().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wiped_broker_is_set_up_again() {
    let rig = rig().await;
    let probe = Probe::default();
    let running = start(&rig.bus, vec![probe.consumer("a", "waybill.upload.>")]).await;
    let (before, after) = (event("upload"), event("upload"));
    relay(&rig.bus, &before).await.unwrap();
    probe.until(|probe| probe.done() == [before.id.clone()]).await;
    let first = rig.bus.incarnation("upload").await.unwrap();
    assert_eq!(rig.bus.incarnation("upload").await.unwrap(), first);
    rig.nats.0.context.delete_stream(rig.nats.stream_name("upload")).await.unwrap();
    assert_ne!(rig.bus.incarnation("upload").await.unwrap(), first, "gone, or another one by now");
    relay(&rig.bus, &after).await.unwrap();
    probe.until(|probe| probe.done() == [before.id.clone(), after.id.clone()]).await;
    let second = rig.bus.incarnation("upload").await.unwrap();
    assert!(
        first.is_some() && second.is_some() && first != second,
        "who asks sees that events may be missing"
    );
    running.stop().await;
}

#[tokio::test]
async fn an_event_beyond_the_servers_limit_says_so() {
    let rig = rig().await;
    rig.bus.ensure_streams(&["upload"]).await.unwrap();
    let huge = Envelope { actor: "x".repeat(9 * 1024 * 1024), ..event("upload") };
    assert_eq!(rig.bus.publish(&huge).await.unwrap_err().reason, "EVENT_TOO_LARGE");
}

#[tokio::test]
async fn no_server_is_an_error_not_a_hang() {
    let error = NatsBus::connect(NatsConfig::new("nats://127.0.0.1:1")).await.err().unwrap();
    assert_eq!(error.reason, "EVENTS_UNAVAILABLE");
    let config = NatsConfig { namespace: "a.b".to_owned(), ..NatsConfig::new(url()) };
    assert!(NatsBus::connect(config).await.is_err());
}

#[test]
fn credentials_are_not_printed() {
    let config = NatsConfig::new("nats://user:hunter2@nats:4222");
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn consumers_can_be_shared() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<Bus>();
    shared::<Arc<Consumer>>();
}

/// Administrators scale the product and set alerts by the number of waiting events.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_that_is_behind_shows_by_how_many_events() {
    let rig = rig().await;
    let (probe, gate) = (Probe::default(), Arc::new(tokio::sync::Semaphore::new(0)));
    probe.wait_at(&gate);
    let running = start(&rig.bus, vec![probe.consumer("a", "waybill.upload.>")]).await;
    for _ in 0..5 {
        rig.bus.publish(&event("upload")).await.unwrap();
    }
    let shows = async |behind: f64| {
        let of = [("consumer", "a"), ("service", "upload")];
        let limit = tokio::time::Instant::now() + Duration::from_secs(20);
        while metric_value("waybill_consumer_waiting", &of) != Some(behind) {
            assert!(tokio::time::Instant::now() < limit, "{}", crate::metrics::text().unwrap());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    // The first event may have been pulled before the others came. So check the number when the second event
    // is pulled: it counts itself and the three behind it.
    gate.add_permits(1);
    shows(4.0).await;
    gate.add_permits(4);
    shows(0.0).await;
    running.stop().await;
}

/// Fails to store reports until it is allowed to.
struct Keeper(std::sync::atomic::AtomicBool);

#[async_trait::async_trait]
impl crate::bus::intake::Take for Keeper {
    async fn take(&self, _: Vec<crate::bus::intake::Reported>) -> Result<()> {
        match self.0.load(std::sync::atomic::Ordering::SeqCst) {
            true => Ok(()),
            false => Err(Error::unavailable("DATABASE_AWAY", "the database is away")),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_that_nobody_can_keep_show_how_many_and_how_old_they_are() {
    let rig = rig().await;
    let name = "intake-that-waits";
    let keeper = Arc::new(Keeper(false.into()));
    let stop = tokio_util::sync::CancellationToken::new();
    let intake = crate::bus::intake::Intake { name, taker: keeper.clone() };
    let reading = tokio::spawn(rig.nats.clone().take_in(intake, stop.clone()));
    let shown = |metric: &str| metric_value(metric, &[("consumer", name)]);
    let until = async |what: &dyn Fn() -> bool| {
        let limit = tokio::time::Instant::now() + Duration::from_secs(20);
        while !what() {
            assert!(tokio::time::Instant::now() < limit, "{}", crate::metrics::text().unwrap());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let (waiting, oldest) = ("waybill_consumer_waiting", "waybill_intake_oldest_seconds");
    until(&|| shown(waiting) == Some(0.0)).await;
    let subject = rig.nats.on_the_wire(&crate::bus::intake::subject("erp"));
    for _ in 0..3 {
        let published = rig.nats.0.context.publish(subject.clone(), "{}".into()).await.unwrap();
        published.await.unwrap();
    }
    until(&|| shown(waiting) == Some(3.0) && shown(oldest) >= Some(2.0)).await;
    keeper.0.store(true, std::sync::atomic::Ordering::SeqCst);
    until(&|| shown(waiting) == Some(0.0) && shown(oldest) == Some(0.0)).await;
    stop.cancel();
    reading.await.unwrap().unwrap();
}
