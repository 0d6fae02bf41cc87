//! A gateway with stand-ins, and shortcuts to call it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use gateway::{Context, Notices};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use kit::blob::{Blob, LocalBlob, LocalConfig};
use kit::bus::{Bus, MemoryBus, Retry};
use kit::cache::Cache;
use kit::clock::Clock;
use kit::config::{Config, Flags, Target};
use kit::connections::{self, Limits};
use kit::principal::{KeySource, ServiceIdentity, Verifier};
use kit::rpc::{Transport, mount};
use kit::{Result, Role};
use proto::analytics::v1::analytics_service_server::AnalyticsServiceServer;
use proto::auth::v1::auth_service_server::AuthServiceServer;
use proto::deliveries::v1::bulk_service_server::BulkServiceServer;
use proto::deliveries::v1::dead_letters_service_server::DeadLettersServiceServer;
use proto::deliveries::v1::deliveries_service_server::DeliveriesServiceServer;
use proto::deliveries::v1::intake_service_server::IntakeServiceServer;
use proto::deliveries::v1::parties_service_server::PartiesServiceServer;
use proto::deliveries::v1::proof_service_server::ProofServiceServer;
use proto::drivers::v1::drivers_service_server::DriversServiceServer;
use proto::drivers::v1::tracker_service_server::TrackerServiceServer;
use proto::settings::v1::announcements_service_server::AnnouncementsServiceServer;
use proto::settings::v1::logo_service_server::LogoServiceServer;
use proto::settings::v1::report_schedules_service_server::ReportSchedulesServiceServer;
use proto::settings::v1::report_settings_service_server::ReportSettingsServiceServer;
use proto::settings::v1::saved_views_service_server::SavedViewsServiceServer;
use proto::settings::v1::settings_service_server::SettingsServiceServer;
use proto::upload::v1::saved_mappings_service_server::SavedMappingsServiceServer;
use proto::upload::v1::upload_service_server::UploadServiceServer;
use ring::signature::KeyPair;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tower::ServiceExt;

use crate::stand_ins::{Analytics, Auth, Deliveries, Drivers, Settings, Stage, Uploads};

pub struct World {
    pub stage: Arc<Stage>,
    pub router: Router,
    /// The port for devices.
    pub devices: Router,
    pub clock: Clock,
    pub cache: Cache,
    pub blob: Blob,
    pub notices: Notices,
    pub bus: Bus,
    pub stop: CancellationToken,
    _dir: tempfile::TempDir,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {:.300?}", self.text()))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn cookies(&self) -> Vec<String> {
        let all = self.headers.get_all("set-cookie").iter();
        all.map(|value| value.to_str().unwrap().to_owned()).collect()
    }
}

struct Keys(HashMap<String, Vec<u8>>, Arc<Stage>);

#[tonic::async_trait]
impl KeySource for Keys {
    async fn keys(&self) -> Result<HashMap<String, Vec<u8>>> {
        assert!(!self.1.keys_panic(), "a panic on purpose, code 4711");
        Ok(self.0.clone())
    }
}

impl World {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = kit::config::load(&Flags::default(), Target::All).unwrap().config;
        // A default port is not part of the session cookie's name.
        config.http.port = 80;
        change(&mut config);
        // The current time, because the memory cache and the cookies' lifetimes use real time.
        let clock = Clock::fixed(Clock::system().now());
        let pkcs8 =
            ring::signature::Ed25519KeyPair::generate_pkcs8(&ring::rand::SystemRandom::new()).unwrap();
        let pair = ring::signature::Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
        let public = pair.public_key().as_ref().to_vec();
        let stage = Arc::new(Stage::new(pkcs8.as_ref().to_vec(), clock.clone()));
        let keys = Keys(HashMap::from([("k1".to_owned(), public)]), stage.clone());
        let verifier = Verifier::new(Arc::new(keys), "x".repeat(32).into(), clock.clone());

        let limit = Duration::from_secs(15);
        let up = |routes: Routes| Transport::InProcess(mount(routes, verifier.clone(), limit));
        let auth = Routes::new(AuthServiceServer::new(Auth(stage.clone())));
        let deliveries = Routes::new(DeliveriesServiceServer::new(Deliveries(stage.clone())))
            .add_service(BulkServiceServer::new(Deliveries(stage.clone())))
            .add_service(DeadLettersServiceServer::new(Deliveries(stage.clone())))
            .add_service(IntakeServiceServer::new(Deliveries(stage.clone())))
            .add_service(PartiesServiceServer::new(Deliveries(stage.clone())))
            .add_service(ProofServiceServer::new(Deliveries(stage.clone())));
        let drivers = Routes::new(DriversServiceServer::new(Drivers(stage.clone())))
            .add_service(TrackerServiceServer::new(Drivers(stage.clone())));
        let settings = Routes::new(SettingsServiceServer::new(Settings(stage.clone())))
            .add_service(AnnouncementsServiceServer::new(Settings(stage.clone())))
            .add_service(LogoServiceServer::new(Settings(stage.clone())))
            .add_service(ReportSettingsServiceServer::new(Settings(stage.clone())))
            .add_service(ReportSchedulesServiceServer::new(Settings(stage.clone())))
            .add_service(SavedViewsServiceServer::new(Settings(stage.clone())));
        let upload = Routes::new(UploadServiceServer::new(Uploads(stage.clone())))
            .add_service(SavedMappingsServiceServer::new(Uploads(stage.clone())));
        let analytics = Routes::new(AnalyticsServiceServer::new(Analytics(stage.clone())));

        let dir = tempfile::tempdir().unwrap();
        let local =
            LocalConfig { root: dir.path().to_owned(), public_url: None, secret: "s".repeat(32).into() };
        let blob = Blob::Local(LocalBlob::new(local, clock.clone()).unwrap());
        let (notices, stop) = (Notices::default(), CancellationToken::new());
        let bus = Bus::Memory(MemoryBus::new(Retry::default()));
        let cache = Cache::memory(1 << 20);
        let context = Context {
            auth: up(auth),
            deliveries: up(deliveries),
            drivers: up(drivers),
            settings: up(settings),
            upload: up(upload),
            analytics: up(analytics),
            identity: ServiceIdentity::new(gateway::NAME, "x".repeat(32).into(), clock.clone()),
            verifier: verifier.clone(),
            cache: cache.clone(),
            blob: blob.clone(),
            config,
            clock: clock.clone(),
            notices: notices.clone(),
            stop: stop.clone(),
        };
        let devices = gateway::ingest::router(&context);
        let router = gateway::router(context);
        Self { stage, router, devices, clock, cache, blob, notices, bus, stop, _dir: dir }
    }

    /// Serves the gateway over a real connection; returns its address. From then on, the gateway receives
    /// notices of the bus.
    pub async fn serve(&self) -> String {
        self.serve_with(limits()).await
    }

    pub async fn serve_with(&self, limits: Limits) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(connections::serve(listener, self.router.clone(), limits, CancellationToken::new()));
        tokio::spawn(self.notices.clone().run(self.bus.clone(), self.stop.clone()));
        address.to_string()
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        Self::send_to(&self.router, request).await
    }

    pub async fn send_to(router: &Router, request: Request<Body>) -> Answer {
        let response = router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub async fn call(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(body.into()).unwrap()).await
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.call(Method::GET, path, headers, Body::empty()).await
    }

    pub async fn post(&self, path: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
        self.call(Method::POST, path, headers, body).await
    }

    /// Returns a token of a new session.
    pub fn token(&self, role: Role) -> String {
        let secret = self.stage.begin(role);
        self.stage.token_of(&secret).unwrap()
    }

    pub async fn graphql(&self, token: &str, ask: Value) -> Answer {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![("content-type", "application/json"), ("auth-provider", "dbAuth")];
        if !token.is_empty() {
            headers.push(("authorization", &bearer));
        }
        self.post("/graphql", &headers, ask.to_string()).await
    }

    pub async fn query(&self, token: &str, query: &str) -> Value {
        let answer = self.graphql(token, json!({ "query": query })).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }
}

/// Returns limits that no test reaches.
pub fn limits() -> Limits {
    let long = Duration::from_secs(60);
    Limits {
        connections: 10_000,
        per_address: 10_000,
        header: long,
        idle: long,
        write: long,
        streams: 64,
        ping: long,
        age: None,
    }
}

/// Returns code and message of the first error.
pub fn first_error(answer: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let error = &answer["errors"][0];
    (text(&error["extensions"]["code"]), text(&error["message"]))
}
