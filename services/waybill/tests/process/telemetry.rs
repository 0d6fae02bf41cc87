//! The telemetry that leaves the program, received by a collector of the test. An outcome and an import are
//! followed from the browser to their effects elsewhere, metrics arrive, and none of it contains a secret.

use std::collections::{BTreeSet, HashMap};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::metrics::v1::metrics_service_server::{
    MetricsService, MetricsServiceServer,
};
use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::browser::{Browser, fixture};
use crate::program::{Ports, Program};
use crate::running::until;

/// A string that occurs nowhere else.
const CANARY: &str = "canary-7f3a91-over-the-bridge";
/// File names may contain names of people.
const FILE: &str = "salary-of-consuelo-4b8e.csv";
const STRANGERS: &str = "0af7651916cd43dd8448eb211c80319c";

#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Collected>>);

#[derive(Default)]
struct Collected {
    spans: Vec<Span>,
    metrics: BTreeSet<String>,
    /// The names of the processes that metrics came from.
    instances: BTreeSet<String>,
    /// All bytes received, unparsed.
    bytes: Vec<u8>,
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let request = request.into_inner();
        let mut collected = self.0.lock().unwrap();
        collected.bytes.extend(request.encode_to_vec());
        let scopes = request.resource_spans.into_iter().flat_map(|it| it.scope_spans);
        collected.spans.extend(scopes.flat_map(|it| it.spans));
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tonic::async_trait]
impl MetricsService for Collector {
    async fn export(
        &self,
        request: Request<ExportMetricsServiceRequest>,
    ) -> Result<Response<ExportMetricsServiceResponse>, Status> {
        let request = request.into_inner();
        let mut collected = self.0.lock().unwrap();
        collected.bytes.extend(request.encode_to_vec());
        let resources = request.resource_metrics.iter().filter_map(|it| it.resource.as_ref());
        let names = resources.filter_map(|it| texts(&it.attributes).remove("service.instance.id"));
        collected.instances.extend(names);
        let scopes = request.resource_metrics.into_iter().flat_map(|it| it.scope_metrics);
        collected.metrics.extend(scopes.flat_map(|it| it.metrics).map(|it| it.name));
        Ok(Response::new(ExportMetricsServiceResponse::default()))
    }
}

impl Collector {
    async fn start(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut routes = Routes::builder();
        routes
            .add_service(TraceServiceServer::new(self.clone()))
            .add_service(MetricsServiceServer::new(self.clone()).max_decoding_message_size(64 << 20));
        tokio::spawn(kit::rpc::serve(listener, routes.routes(), None, CancellationToken::new()));
        format!("http://{address}")
    }

    fn spans(&self) -> Vec<Span> {
        self.0.lock().unwrap().spans.clone()
    }

    /// Returns the spans with this name that are in a trace or linked to it.
    fn of(&self, trace: &str, name: &str) -> Vec<Span> {
        let belongs = |span: &Span| {
            hex(&span.trace_id) == trace || span.links.iter().any(|link| hex(&link.trace_id) == trace)
        };
        self.spans().into_iter().filter(|span| span.name == name && belongs(span)).collect()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn attributes(span: &Span) -> HashMap<String, String> {
    texts(&span.attributes)
}

fn texts(attributes: &[KeyValue]) -> HashMap<String, String> {
    use opentelemetry_proto::tonic::common::v1::any_value::Value;
    let text = |value: Option<Value>| match value {
        Some(Value::StringValue(text)) => text,
        other => format!("{other:?}"),
    };
    let all = attributes.iter().cloned();
    all.map(|it| (it.key, text(it.value.and_then(|value| value.value)))).collect()
}

fn has(spans: &[Span], key: &str, value: &str) -> bool {
    spans.iter().any(|span| attributes(span).get(key).is_some_and(|it| it.ends_with(value)))
}

/// An alert about one process has the name that is in its log.
fn is_named_in(log: &[u8], instances: &BTreeSet<String>) {
    let [instance] = &instances.iter().collect::<Vec<_>>()[..] else { panic!("{instances:?}") };
    assert!(String::from_utf8_lossy(log).contains(&format!("instance={instance}")), "{instance}");
}

/// An import runs in the background. Its trace names the import, and includes the effects of its events.
async fn import_is_seen(collector: &Collector, browser: &Browser) {
    let ended = browser.import(FILE, fixture("deliveries-1000.csv")).await;
    let import = {
        let of_import = || {
            let spans = collector.spans();
            spans.into_iter().find(|it| {
                it.name == "upload.import" && has(std::slice::from_ref(it), "upload.id", &ended.id)
            })
        };
        until("the import is exported", || async { of_import().is_some() }).await;
        hex(&of_import().unwrap().trace_id)
    };
    until("its events are handled", || async {
        has(&collector.of(&import, "bus.handle"), "consumer", "analytics-imports")
    })
    .await;
    // The outermost span is exported last, when it ends.
    until("its job is exported", || async { !collector.of(&import, "job.run").is_empty() }).await;
    assert!(has(&collector.of(&import, "rpc.serve"), "rpc.method", "ImportDeliveries"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outcome_and_an_import_are_seen_whole_and_no_secret_with_them() {
    let collector = Collector::default();
    let endpoint = collector.start().await;
    let dir = tempfile::tempdir().unwrap();
    let (data, log) = (dir.path().join("data"), dir.path().join("log"));
    let ports = Ports::free();
    let mut command = ports.command(&data);
    let file = || std::fs::File::options().create(true).append(true).open(&log).unwrap();
    command
        .env("WAYBILL__TELEMETRY__OTLP_ENDPOINT", endpoint)
        .env("WAYBILL__TELEMETRY__LOG", "debug,h2=info,hyper=info")
        .env("OTEL_BSP_SCHEDULE_DELAY", "100")
        .stdin(Stdio::null())
        .stdout(file())
        .stderr(file());
    let mut program = Program::spawn(&ports, command).await;
    let mut browser = Browser::new(&program.base);
    browser.create_admin("admin", CANARY).await;
    browser.sign_in("admin", CANARY).await;
    // A wrong password must not be recorded, because it may be right for another account or system.
    let wrong = json!({ "method": "login", "username": "admin", "password": format!("{CANARY}-wrong") });
    browser.stranger().auth(wrong).await;

    import_is_seen(&collector, &browser).await;

    let deliveries = "query Q { deliveries(page: { limit: 1 }) { id } }";
    let id = browser.data(deliveries, json!({})).await["deliveries"][0]["id"].clone();
    let input = json!({ "deliveryId": id, "clientEventId": kit::clock::new_id(), "status": "Undelivered",
                        "outcomeReason": "recipient_absent", "outcomeNote": "Gate was closed" });
    let answer = browser
        .http
        .post(browser.url("/graphql"))
        .headers(browser.bearer())
        .header("traceparent", format!("00-{STRANGERS}-b7ad6b7169203331-01"))
        .json(&json!({ "query": "mutation M($input: RecordOutcomeInput!) { recordOutcome(input: $input) { version } }",
                       "variables": { "input": input } }))
        .send()
        .await
        .unwrap();
    let trace = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
    let said = answer.text().await.unwrap();
    assert!(!said.contains("errors"), "{said}");
    let whole = || {
        let handled = collector.of(&trace, "bus.handle");
        !collector.of(&trace, "http.request").is_empty()
            && has(&collector.of(&trace, "rpc.call"), "rpc.method", "RecordOutcome")
            && has(&collector.of(&trace, "rpc.serve"), "rpc.method", "RecordOutcome")
            && has(&handled, "consumer", "analytics-deliveries")
    };
    let limit = Instant::now() + Duration::from_secs(20);
    while !whole() {
        let names: Vec<_> = collector.of(&trace, "bus.handle").iter().map(attributes).collect();
        assert!(Instant::now() < limit, "not whole; handled: {names:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let request = &collector.of(&trace, "http.request")[0];
    assert_eq!(hex(&request.links[0].trace_id), STRANGERS, "the browser's trace is linked");
    let served = &collector.of(&trace, "rpc.serve")[0];
    let called: BTreeSet<_> = collector.of(&trace, "rpc.call").iter().map(|it| it.span_id.clone()).collect();
    assert!(called.contains(&served.parent_span_id), "the service's span is a child of the call");

    let token = browser.token.clone().unwrap();
    let shown = browser.http.get(format!("http://127.0.0.1:{}/metrics", ports.ops)).send().await.unwrap();
    let shown = shown.text().await.unwrap();
    assert!(shown.contains("graphql_field=\"recordOutcome\""), "{shown}");
    // The program sends the remaining telemetry before it ends.
    kill_process(Pid::from_child(&program.child), Signal::TERM).unwrap();
    assert!(program.child.wait().unwrap().success());
    let collected = collector.0.lock().unwrap();
    for name in ["http.server.request.duration", "waybill.outbox.waiting", "waybill.event.duration"] {
        assert!(collected.metrics.contains(name), "{:?}", collected.metrics);
    }
    let written = std::fs::read(&log).unwrap();
    is_named_in(&written, &collected.instances);
    let secret = std::fs::read_to_string(data.join("secrets/service_secret")).unwrap();
    let cookie = browser.cookie.as_deref().unwrap_or(CANARY);
    let secrets = [CANARY, token.as_str(), secret.trim(), cookie, FILE.trim_end_matches(".csv")];
    for (place, bytes) in
        [("telemetry", &collected.bytes), ("log", &written), ("metrics", &shown.into_bytes())]
    {
        for secret in secrets {
            let found = bytes.windows(secret.len()).any(|it| it == secret.as_bytes());
            assert!(!found, "a secret is in the {place}: {}…", &secret[..6]);
        }
    }
}
