//! The NATS accounts of a deployment. Each service can do its work, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use kit::Result;
use kit::bus::intake::{Intake, Reported, Take, subject};
use kit::bus::{
    Bus, Consumer, DeadLetters, Earlier, EncodedEvent, End, Handler, NatsBus, NatsConfig, RawMessage,
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
    let url = reqwest::Url::parse(&server.url("upload")).unwrap();
    let password = url.password().unwrap().to_owned();
    let options = async_nats::ConnectOptions::with_user_and_password(url.username().to_owned(), password);
    let options = options.custom_inbox_prefix("_INBOX.upload");
    let client = options.connect(format!("127.0.0.1:{}", server.port)).await.unwrap();
    let mut listened = Vec::new();
    // Pulled events pass through the inboxes of those who read them.
    for filter in ["waybill.>", "_INBOX.>", "_INBOX.*.*", "_INBOX.*.>", "_INBOX.auth.>", "$JS.>"] {
        listened.push(client.subscribe(filter).await.unwrap());
    }
    let jetstream =
        async_nats::jetstream::ContextBuilder::new().timeout(Duration::from_secs(2)).build(client);
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
    let mut watches = Vec::new();
    for subject in watched() {
        watches.push((gateway.watch(&subject).await.unwrap(), subject));
    }
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
    for (watch, subject) in &mut watches {
        let passed = tokio::time::timeout(LONG, watch.next()).await.expect("the gateway watches").unwrap();
        assert_eq!(passed.subject, *subject);
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

async fn producer(server: &Server, name: &str) -> async_nats::Client {
    let url = reqwest::Url::parse(&server.url(&format!("producer-{name}"))).unwrap();
    let password = url.password().unwrap().to_owned();
    let options = async_nats::ConnectOptions::with_user_and_password(url.username().to_owned(), password);
    let options = options.custom_inbox_prefix(format!("_INBOX_{name}"));
    options.connect(format!("127.0.0.1:{}", server.port)).await.unwrap()
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
    let client = producer(&server, "erp").await;
    let jetstream = async_nats::jetstream::ContextBuilder::new()
        .timeout(Duration::from_secs(2))
        .ack_timeout(Duration::from_secs(2))
        .build(client.clone());
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
