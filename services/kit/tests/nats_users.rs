//! The accounts that a deployment makes on NATS: each service can do its work, and nothing else.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use kit::Result;
use kit::bus::{Bus, Consumer, DeadLetters, Earlier, End, Handler, NatsBus, NatsConfig, RawMessage};
use proto::events::envelope::Payload;
use proto::events::{AuditRecorded, Envelope};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Who follows whom, as the services register it.
const CONSUMERS: [(&str, &str, &str); 7] = [
    ("auth", "auth-drivers", "waybill.drivers.driver.changed.v1"),
    ("auth", "auth-audit", "waybill.*.audit.recorded.v1"),
    ("deliveries", "deliveries-drivers", "waybill.drivers.driver.changed.v1"),
    ("deliveries", "deliveries-settings", "waybill.settings.setting.changed.v1"),
    ("drivers", "drivers-deliveries", "waybill.deliveries.delivery.changed.v1"),
    ("drivers", "drivers-settings", "waybill.settings.setting.changed.v1"),
    ("upload", "upload-settings", "waybill.settings.setting.changed.v1"),
];
const EMITTING: [&str; 5] = ["auth", "deliveries", "drivers", "settings", "upload"];
const LONG: Duration = Duration::from_secs(20);

/// Ended with the test.
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
    /// With the configuration of `deploy/secrets.sh`, but for its ports and its folder.
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
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
        made.trim().replace("@nats:4222", &format!("@127.0.0.1:{}", self.port))
    }

    async fn bus(&self, user: &str) -> Bus {
        let mut wrong = None;
        for _ in 0..200 {
            match NatsBus::connect(NatsConfig::new(self.url(user))).await {
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

/// Nothing fails here, so nothing is remembered.
#[async_trait]
impl DeadLetters for Seen {
    async fn begin(&self, _: &str, _: &str) -> Result<Earlier> {
        Ok(Earlier::Tried { failures: 0, died: false })
    }

    async fn end(&self, _: &str, _: &str, _: End) -> Result<u32> {
        Ok(0)
    }

    async fn raise(&self, envelope: &Envelope, consumer: &str, _: u32, error: &str) -> Result<()> {
        panic!("{consumer} gave up on {}: {error}", envelope.subject)
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_service_does_its_work_and_no_more() {
    kit::install_crypto();
    let server = Server::start();
    let (told, mut seen) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let mut buses = Vec::new();
    for service in EMITTING {
        let bus = server.bus(service).await;
        bus.ensure_streams(&[service]).await.unwrap_or_else(|error| panic!("{service}: {error:?}"));
        buses.push((service, bus));
    }
    let gateway = server.bus("gateway").await;
    let mut watched = gateway.watch("waybill.deliveries.delivery.changed.v1").await.unwrap();
    let mut running = Vec::new();
    let mut expected = 0;
    for (service, name, subject) in CONSUMERS {
        let bus = &buses.iter().find(|(it, _)| *it == service).unwrap().1;
        let seen = Arc::new(Seen(name, told.clone()));
        // A reader for each stream, as auth has it for the audit log.
        let followed: Vec<&str> = if subject.contains('*') {
            vec!["drivers", "settings", "deliveries", "upload"]
        } else {
            vec![""]
        };
        expected += followed.len();
        let consumers = followed.iter().map(|of| Consumer {
            name,
            subject: subject.replace('*', of),
            handler: seen.clone(),
            dead_letters: seen.clone(),
        });
        let registered = bus.register(consumers.collect()).await;
        let registered = registered.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        running.push(tokio::spawn(registered.run(stop.clone())));
    }
    let of = |service: &str| buses.iter().find(|(it, _)| *it == service).unwrap().1.clone();
    for (service, event_of) in [
        ("drivers", "driver.changed"),
        ("settings", "setting.changed"),
        ("deliveries", "delivery.changed"),
        ("drivers", "audit.recorded"),
        ("settings", "audit.recorded"),
        ("deliveries", "audit.recorded"),
        ("upload", "audit.recorded"),
    ] {
        let event = event(&format!("waybill.{service}.{event_of}.v1"));
        of(service).publish(&event).await.unwrap_or_else(|error| panic!("{}: {error:?}", event.subject));
    }
    for _ in 0..expected {
        tokio::time::timeout(LONG, seen.recv()).await.expect("each consumer reads its events").unwrap();
    }
    let passed = tokio::time::timeout(LONG, watched.next()).await.expect("the gateway watches").unwrap();
    assert_eq!(passed.subject, "waybill.deliveries.delivery.changed.v1");

    // Nobody speaks as somebody else: what is not allowed gets no answer.
    let forged = [
        (of("upload"), "waybill.drivers.driver.changed.v1"),
        (of("settings"), "waybill.auth.audit.recorded.v1"),
        (of("drivers"), "waybill.settings.setting.changed.v1"),
        (gateway, "waybill.settings.setting.changed.v1"),
    ];
    let forged = forged.iter().map(|(bus, subject)| async move {
        assert!(bus.publish(&event(subject)).await.is_err(), "{subject}");
    });
    futures::future::join_all(forged).await;
    // Nor does anybody listen to, or remove, what is not theirs.
    let url = reqwest::Url::parse(&server.url("upload")).unwrap();
    let password = url.password().unwrap().to_owned();
    let options = async_nats::ConnectOptions::with_user_and_password(url.username().to_owned(), password);
    let client = options.connect(format!("127.0.0.1:{}", server.port)).await.unwrap();
    let mut listened = client.subscribe("waybill.>").await.unwrap();
    let jetstream =
        async_nats::jetstream::ContextBuilder::new().timeout(Duration::from_secs(2)).build(client);
    assert!(jetstream.delete_stream("WAYBILL_AUTH").await.is_err());
    assert!(
        jetstream.delete_stream("WAYBILL_UPLOAD").await.is_err(),
        "events are not theirs to destroy either"
    );
    of("drivers").publish(&event("waybill.drivers.driver.changed.v1")).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_secs(1), listened.next()).await.is_err(), "nothing is heard");
    assert!(
        async_nats::connect(format!("127.0.0.1:{}", server.port)).await.is_err(),
        "nobody comes in unnamed"
    );
    stop.cancel();
    futures::future::join_all(running).await;
}
