//! The NATS accounts of a deployment. Each service can do its work, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::consumer::pull;
use async_trait::async_trait;
use futures::StreamExt;
use kit::Result;
use kit::bus::intake::{Intake, Reported, Take, subject};
use kit::bus::{
    Bus, Consumer, DeadLetters, Earlier, EncodedEvent, End, Handler, NatsBus, NatsConfig, RawMessage, Watched,
};
use proto::events::envelope::Payload;
use proto::events::{AuditRecorded, Envelope, subjects_read_by, watched};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::names;

const LONG: Duration = Duration::from_secs(20);

/// A NATS server, killed at the end of the test.
struct Server {
    child: Child,
    port: u16,
    dir: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts the server with the configuration that `deploy/secrets.sh` makes, except for its ports and
    /// folder.
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("producers"), "erp\nwms\n").unwrap();
        std::fs::write(dir.path().join("readers"), "erp deliveries drivers\nwms deliveries\n").unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/secrets.sh");
        assert!(Command::new("bash").arg(script).arg(dir.path()).status().unwrap().success());
        let made = std::fs::read_to_string(dir.path().join("nats.conf")).unwrap();
        let port = kit::testing::free_port();
        let store = dir.path().join("data").display().to_string();
        let conf = made
            .replace("port: 4222\nhttp_port: 8222\n", &format!("listen: \"127.0.0.1:{port}\"\n"))
            .replace("\"/data\"", &format!("\"{store}\""));
        assert!(conf.contains(&store) && !conf.contains("8222"), "the file looks otherwise");
        let path = dir.path().join("here.conf");
        std::fs::write(&path, conf).unwrap();
        let program = std::env::var("WAYBILL_TEST_NATS_SERVER").unwrap_or_else(|_| "nats-server".to_owned());
        let mut command = Command::new(program);
        let log = std::fs::File::create(dir.path().join("log")).unwrap();
        command.arg("-c").arg(path).stdout(Stdio::null()).stderr(log);
        Self { child: command.spawn().expect("nats-server starts"), port, dir }
    }

    fn url(&self, user: &str) -> String {
        let made = std::fs::read_to_string(self.dir.path().join(format!("{user}_nats_url"))).unwrap();
        // TLS is off here. k8s/test/composition.test.mjs tests the certificates.
        let plain = made.trim().replacen("tls://", "nats://", 1);
        plain.replace("@nats:4222", &format!("@127.0.0.1:{}", self.port))
    }

    async fn bus(&self, user: &str) -> Bus {
        let mut wrong = None;
        for _ in 0..200 {
            // The wait is short, because an event that cannot be delivered is read from the stream after two
            // of these waits.
            let config = NatsConfig { ack_wait: Duration::from_secs(2), ..NatsConfig::new(self.url(user)) };
            match NatsBus::connect(config).await {
                Ok(bus) => return Bus::Nats(bus),
                Err(error) => wrong = Some(error),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let log = std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
        panic!("{user} cannot connect: {wrong:?}\n{log}");
    }

    /// Connects with the published client, as another system does, once the server runs.
    async fn client(&self, user: &str, inbox: &str) -> async_nats::Client {
        let url = reqwest::Url::parse(&self.url(user)).unwrap();
        let password = url.password().unwrap().to_owned();
        let options = async_nats::ConnectOptions::with_user_and_password(url.username().to_owned(), password);
        let options = options.custom_inbox_prefix(inbox);
        options.connect(format!("127.0.0.1:{}", self.port)).await.unwrap()
    }
}

/// A client of JetStream that soon notices that nobody answers: refused requests get no response.
fn impatient(client: async_nats::Client) -> jetstream::Context {
    let timeout = Duration::from_secs(2);
    jetstream::ContextBuilder::new().timeout(timeout).ack_timeout(timeout).build(client)
}

#[derive(Clone)]
struct Seen(&'static str, mpsc::UnboundedSender<(&'static str, String)>);

#[async_trait]
impl Handler for Seen {
    async fn handle(&self, envelope: &Envelope) -> Result<()> {
        let _ = self.1.send((self.0, envelope.subject.clone()));
        Ok(())
    }
}

/// Nothing fails here, so nothing is recorded.
#[async_trait]
impl DeadLetters for Seen {
    async fn begin(&self, _: &str, _: &str, _: Duration) -> Result<Earlier> {
        Ok(Earlier::Tried { failures: 0, died: false })
    }

    async fn end(&self, _: &str, _: &str, _: End) -> Result<u32> {
        Ok(0)
    }

    async fn raise(&self, event: &EncodedEvent, consumer: &str, _: u32, error: &str) -> Result<()> {
        panic!("{consumer} gave up on {}: {error}", event.envelope.subject)
    }

    async fn raise_raw(&self, raw: &RawMessage<'_>, consumer: &str, _: u32, error: &str) -> Result<()> {
        panic!("{consumer} cannot read {}: {error}", raw.subject)
    }
}

fn event(subject: &str) -> Envelope {
    let id = kit::clock::new_id().to_string();
    let payload = Some(Payload::AuditRecorded(AuditRecorded::default()));
    Envelope { id, subject: subject.to_owned(), aggregate_id: "x".into(), payload, ..Envelope::default() }
}

/// No service can read or delete another's events.
async fn no_more_than_its_own(server: &Server, drivers: &Bus) {
    let client = server.client("upload", "_INBOX.upload").await;
    let mut listened = Vec::new();
    // Pulled events pass through the inboxes of those who read them.
    for filter in ["waybill.>", "_INBOX.>", "_INBOX.*.*", "_INBOX.*.>", "_INBOX.auth.>", "$JS.>"] {
        listened.push(client.subscribe(filter).await.unwrap());
    }
    let jetstream = impatient(client);
    assert!(jetstream.delete_stream("WAYBILL_AUTH").await.is_err());
    assert!(
        jetstream.delete_stream("WAYBILL_UPLOAD").await.is_err(),
        "events are not theirs to destroy either"
    );
    drivers.publish(&event("waybill.drivers.driver.changed.v1")).await.unwrap();
    let heard = futures::future::select_all(listened.iter_mut().map(StreamExt::next));
    assert!(tokio::time::timeout(Duration::from_secs(1), heard).await.is_err(), "nothing is heard");
    assert!(
        async_nats::connect(format!("127.0.0.1:{}", server.port)).await.is_err(),
        "nobody comes in unnamed"
    );
}

/// Publishes every event that has a consumer or a watcher, once from each service that emits it.
async fn publish_all(buses: &BTreeMap<&str, Bus>) {
    let read = names().flat_map(subjects_read_by).map(|(_, subject)| subject);
    for subject in read.chain(watched()).collect::<BTreeSet<String>>() {
        let owner = subject.split('.').nth(1).unwrap();
        let published = buses[owner].publish(&event(&subject)).await;
        published.unwrap_or_else(|error| panic!("{subject}: {error:?}"));
    }
}

/// No service can publish as another one. Such a message gets no confirmation.
async fn nobody_publishes_for_others(buses: &BTreeMap<&str, Bus>, gateway: &Bus) {
    let everybody = buses.iter().map(|(name, bus)| (*name, bus)).chain([("gateway", gateway)]);
    let forged = everybody.flat_map(|(name, bus)| {
        let others = names().filter(move |other| *other != name);
        others.map(move |other| async move {
            let subject = format!("waybill.{other}.audit.recorded.v1");
            assert!(bus.publish(&event(&subject)).await.is_err(), "{name} published {subject}");
        })
    });
    futures::future::join_all(forged).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_service_does_its_work_and_no_more() {
    kit::install_crypto();
    let server = Server::start();
    let (told, mut seen) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let mut buses = BTreeMap::new();
    for service in names() {
        let bus = server.bus(service).await;
        bus.ensure_streams(&[service]).await.unwrap_or_else(|error| panic!("{service}: {error:?}"));
        buses.insert(service, bus);
    }
    let gateway = server.bus("gateway").await;
    let mut watch = gateway.watch(&watched()).await.unwrap();
    let (mut running, mut expected) = (Vec::new(), BTreeSet::new());
    for (service, bus) in &buses {
        let consumers = subjects_read_by(service).into_iter().map(|(name, subject)| {
            expected.insert((name, subject.clone()));
            let seen = Arc::new(Seen(name, told.clone()));
            Consumer { name, subject, handler: seen.clone(), dead_letters: seen }
        });
        let registered = bus.register(consumers.collect()).await;
        let registered = registered.unwrap_or_else(|error| panic!("{service}: {error:?}"));
        running.push(tokio::spawn(registered.run(stop.clone())));
    }
    publish_all(&buses).await;
    while !expected.is_empty() {
        let event = tokio::time::timeout(LONG, seen.recv()).await;
        let event = event.unwrap_or_else(|_| panic!("not read: {expected:?}")).unwrap();
        assert!(expected.remove(&event), "{event:?} came twice, or to somebody else");
    }
    let mut subjects: BTreeSet<String> = watched().into_iter().collect();
    while !subjects.is_empty() {
        let next = tokio::time::timeout(LONG, watch.next()).await;
        if let Watched::Event(event) = next.unwrap_or_else(|_| panic!("not seen: {subjects:?}")).unwrap() {
            subjects.remove(&event.subject);
        }
    }
    nobody_publishes_for_others(&buses, &gateway).await;
    no_more_than_its_own(&server, &buses["drivers"]).await;
    stop.cancel();
    futures::future::join_all(running).await;
}

#[derive(Clone)]
struct Taken(mpsc::UnboundedSender<Reported>);

#[async_trait]
impl Take for Taken {
    async fn take(&self, messages: Vec<Reported>) -> Result<()> {
        for message in messages {
            let _ = self.0.send(message);
        }
        Ok(())
    }
}

/// Publishes a message with a header that Rust clients cannot parse.
async fn publish_unreadable(server: &Server, producer: &str, payload: &str) {
    let url = reqwest::Url::parse(&server.url(&format!("producer-{producer}"))).unwrap();
    let connect = serde_json::json!({ "user": url.username(), "pass": url.password(), "headers": true });
    let headers = "NATS/1.0\r\nno colon\r\n\r\n";
    let (head, all) = (headers.len(), headers.len() + payload.len());
    let text = format!(
        "CONNECT {connect}\r\nHPUB {} {head} {all}\r\n{headers}{payload}\r\nPING\r\n",
        subject(producer)
    );
    let mut stream = tokio::net::TcpStream::connect(format!("127.0.0.1:{}", server.port)).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.windows(4).any(|it| it == b"PONG") {
        assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0, "{}", String::from_utf8_lossy(&answer));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_producer_publishes_its_own_dead_letters_and_nothing_else() {
    kit::install_crypto();
    let server = Server::start();
    let (told, mut taken) = mpsc::unbounded_channel();
    let deliveries = server.bus("deliveries").await;
    deliveries.ensure_streams(&["intake"]).await.unwrap();
    let stop = CancellationToken::new();
    let reader = Intake { name: "deliveries-intake", taker: Arc::new(Taken(told)) };
    let running = tokio::spawn({
        let (bus, stop) = (deliveries.clone(), stop.clone());
        async move { bus.take_in(reader, stop).await }
    });
    let client = server.client("producer-erp", "_INBOX_erp").await;
    let jetstream = impatient(client.clone());
    let publish = async |subject: String, text: &'static str| {
        let mut headers = async_nats::HeaderMap::new();
        headers.insert("Nats-Msg-Id", text);
        jetstream.publish_with_headers(subject, headers, text.into()).await.unwrap().await
    };
    publish(subject("erp"), "one").await.expect("its own subject takes it");
    let got = tokio::time::timeout(LONG, taken.recv()).await.expect("deliveries reads it").unwrap();
    assert_eq!(got, Reported { producer: "erp".into(), id: "one".into(), payload: b"one".to_vec() });

    assert!(publish(subject("wms"), "two").await.is_err(), "another producer's");
    assert!(
        publish("waybill.deliveries.delivery.changed.v1".into(), "three").await.is_err(),
        "an event of ours"
    );
    let mut heard = Vec::new();
    for filter in ["waybill.>", "_INBOX.>", "$JS.>"] {
        heard.push(client.subscribe(filter).await.unwrap());
    }
    publish(subject("erp"), "four").await.unwrap();
    tokio::time::timeout(LONG, taken.recv()).await.expect("it still may publish").unwrap();
    for listened in &mut heard {
        let nothing = tokio::time::timeout(Duration::from_millis(300), listened.next()).await;
        assert!(nothing.is_err(), "nothing is heard");
    }
    publish_unreadable(&server, "erp", "five").await;
    let got =
        tokio::time::timeout(LONG, taken.recv()).await.expect("deliveries may read it as stored").unwrap();
    assert_eq!(got, Reported { producer: "erp".into(), id: String::new(), payload: b"five".to_vec() });
    assert!(jetstream.delete_stream("WAYBILL_INTAKE").await.is_err(), "what was published stays");
    stop.cancel();
    running.await.unwrap().unwrap();
}

fn durable(name: &str, filter: &str) -> pull::Config {
    let (durable_name, filter_subject) = (Some(name.to_owned()), filter.to_owned());
    pull::Config { durable_name, filter_subject, ..pull::Config::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_reads_the_streams_it_was_given_and_nothing_else() {
    kit::install_crypto();
    let server = Server::start();
    let subject = "waybill.deliveries.delivery.changed.v1";
    let deliveries = server.bus("deliveries").await;
    deliveries.ensure_streams(&["deliveries"]).await.unwrap();
    server.bus("settings").await.ensure_streams(&["settings"]).await.unwrap();
    deliveries.publish(&event(subject)).await.unwrap();

    let client = server.client("reader-erp", "_INBOX.reader-erp").await;
    let context = impatient(client.clone());
    let stream = context.get_stream("WAYBILL_DELIVERIES").await.unwrap();
    let consumer = stream.create_consumer(durable("reader-erp", subject)).await.unwrap();
    let mut messages = consumer.fetch().max_messages(1).expires(LONG).messages().await.unwrap();
    let message = messages.next().await.expect("an event comes").unwrap();
    assert_eq!(message.subject.as_str(), subject);
    message.double_ack().await.unwrap();
    let read = consumer.get_info().await.unwrap();
    assert_eq!((read.num_ack_pending, read.num_pending), (0, 0));

    let mut heard = Vec::new();
    for filter in ["waybill.>", "_INBOX.>", "_INBOX.deliveries.>", "$JS.>"] {
        heard.push(client.subscribe(filter).await.unwrap());
    }
    let create = async |name: &str, stream: &str| {
        context.create_consumer_on_stream(durable(name, ""), stream).await.map(|_| ())
    };
    let (theirs, anothers, elsewhere, other) = tokio::join!(
        create("analytics-deliveries", "WAYBILL_DELIVERIES"),
        create("reader-wms", "WAYBILL_DELIVERIES"),
        create("reader-erp", "WAYBILL_SETTINGS"),
        context.get_stream("WAYBILL_SETTINGS"),
    );
    assert!(theirs.is_err() && anothers.is_err(), "the consumer of a service or of another reader");
    assert!(elsewhere.is_err() && other.is_err(), "a stream that it was not given");
    let (purged, deleted, removed, published) = tokio::join!(
        async { stream.purge().await },
        context.delete_stream("WAYBILL_DELIVERIES"),
        stream.delete_consumer("reader-erp"),
        async { context.publish(subject, "forged".into()).await.unwrap().await },
    );
    assert!(purged.is_err() && deleted.is_err() && removed.is_err(), "it cannot delete anything");
    assert!(published.is_err(), "it cannot publish");
    let left = stream.get_info().await.unwrap().state;
    assert_eq!((left.messages, left.consumer_count), (1, 1));
    deliveries.publish(&event(subject)).await.unwrap();
    let passed = futures::future::select_all(heard.iter_mut().map(StreamExt::next));
    assert!(tokio::time::timeout(Duration::from_secs(1), passed).await.is_err(), "nothing is heard");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_to_other_systems_reach_no_subject_of_a_service() {
    kit::install_crypto();
    let server = Server::start();
    server.bus("deliveries").await.ensure_streams(&["deliveries", "intake"]).await.unwrap();
    let services = impatient(server.client("deliveries", "_INBOX.deliveries").await);

    // A purge would take the acknowledgement for its request: delete what is before the sequence in it.
    let producer = server.client("producer-erp", "_INBOX_erp").await;
    let purge = "$JS.API.STREAM.PURGE.WAYBILL_INTAKE";
    for text in ["one", "two"] {
        producer.publish_with_reply(subject("erp"), purge, text.into()).await.unwrap();
    }
    let last = impatient(producer.clone()).publish(subject("erp"), "three".into()).await.unwrap();
    assert_eq!(last.await.unwrap().sequence, 3);

    // A deletion takes an empty request, such as the response of a consumer that has nothing.
    let reader = server.client("reader-erp", "_INBOX.reader-erp").await;
    let stream = impatient(reader.clone()).get_stream("WAYBILL_DELIVERIES").await.unwrap();
    let consumer = stream.create_consumer(durable("reader-erp", "")).await.unwrap();
    let pull = "$JS.API.CONSUMER.MSG.NEXT.WAYBILL_DELIVERIES.reader-erp";
    let nothing = r#"{"batch":1,"no_wait":true}"#;
    let delete = "$JS.API.STREAM.DELETE.WAYBILL_INTAKE";
    reader.publish_with_reply(pull, delete, nothing.into()).await.unwrap();
    consumer.get_info().await.unwrap();

    let intake = services.get_stream("WAYBILL_INTAKE").await.expect("it was not deleted");
    assert_eq!(intake.cached_info().state.messages, 3);
}
