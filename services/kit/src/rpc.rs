//! gRPC between services, in one process or over the network, through one client type.
//!
//! `mount` wraps a service's routes once with everything that handlers should not care about: panics, traces,
//! time limits and the caller's token. In one process a call goes straight to those routes, encoded as on the
//! wire, so that what works in one process also works over the network.

mod peer;
mod stream;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::extract::{Request as HttpRequest, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response as HttpResponse;
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::service::Routes;
use tonic::{Code, Status};
use tower::{BoxError, Service, ServiceExt};
use tower_http::catch_panic::CatchPanicLayer;
use tracing::Instrument;

use crate::connections::{self, Limits};
use crate::principal::{Caller, Verifier};
use crate::tls::Tls;
use crate::{Error, Result, metrics, trace};
pub use peer::Peer;
pub use stream::{Messages, Sender, stream};

/// The address of the person behind a call. A value longer than [`ADDRESS_BYTES`] is ignored.
const ADDRESS: HeaderName = HeaderName::from_static("x-waybill-address");
const ADDRESS_BYTES: usize = 64;

/// How to reach a service.
#[derive(Clone)]
pub enum Transport {
    InProcess(Routes),
    Remote(Peer),
}

impl Transport {
    /// Connects to a service in another process; `tls` is required if the address begins with `https://`. Metrics
    /// name the service.
    pub fn connect(service: &'static str, url: &str, timeout: Duration, tls: Option<&Tls>) -> Result<Self> {
        Ok(Self::Remote(Peer::new(service, url, timeout, tls)?))
    }

    /// Returns a client that sends this token.
    pub fn with_token(&self, token: Arc<str>) -> Client {
        Client { transport: self.clone(), token: Some(token), address: None }
    }

    /// Returns a client for public methods.
    pub fn anonymous(&self) -> Client {
        Client { transport: self.clone(), token: None, address: None }
    }
}

/// The transport of generated clients: adds token and trace to each call.
#[derive(Clone)]
pub struct Client {
    transport: Transport,
    token: Option<Arc<str>>,
    address: Option<HeaderValue>,
}

impl Client {
    /// Sends the person's address with each call. Values that are not plain text are left out.
    pub fn from_address(mut self, address: &str) -> Self {
        self.address = HeaderValue::try_from(address).ok();
        self
    }
}

impl Service<http::Request<Body>> for Client {
    type Response = http::Response<Body>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), BoxError>> {
        // Readiness is awaited per call on a clone, below.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        let span = tracing::info_span!("rpc.call", otel.kind = "client", rpc.method = %request.uri().path());
        if let Some(token) = &self.token {
            match HeaderValue::try_from(format!("Bearer {token}")) {
                Ok(mut value) => {
                    value.set_sensitive(true);
                    request.headers_mut().insert(AUTHORIZATION, value);
                }
                Err(_) => return Box::pin(async { Ok(Status::unauthenticated("bad token").into_http()) }),
            }
        }
        if let Some(address) = &self.address {
            request.headers_mut().insert(ADDRESS, address.clone());
        }
        span.in_scope(|| trace::inject(request.headers_mut()));
        match self.transport.clone() {
            Transport::InProcess(routes) => {
                Box::pin(async move { Ok(routes.oneshot(request).await?) }.instrument(span))
            }
            Transport::Remote(peer) => Box::pin(async move { peer.call(request).await }.instrument(span)),
        }
    }
}

struct Guard {
    verifier: Verifier,
    timeout: Duration,
}

/// Wraps a service's routes: catches panics, traces calls, limits their time and checks their tokens.
pub fn mount(routes: Routes, verifier: Verifier, timeout: Duration) -> Routes {
    metrics::streams_broken(stream::STREAM, 0);
    let guard = Arc::new(Guard { verifier, timeout });
    let router = routes
        .prepare()
        .into_axum_router()
        .layer(from_fn_with_state(guard, enter))
        .layer(CatchPanicLayer::custom(panicked));
    Routes::from(router)
}

async fn enter(State(guard): State<Arc<Guard>>, request: HttpRequest, next: Next) -> HttpResponse {
    let span = tracing::info_span!(
        "rpc.serve",
        otel.kind = "server",
        rpc.method = %request.uri().path(),
        trace_id = tracing::field::Empty,
    );
    trace::adopt(&span, request.headers());
    let mut call = Call::begin(request.uri().path());
    let reads = peer::reads(request.uri().path());
    let response = async {
        let limit = asked_timeout(&request).map_or(guard.timeout, |asked| asked.min(guard.timeout));
        match tokio::time::timeout(limit, pass(&guard, request, next, &mut call)).await {
            Ok(response) => response,
            Err(_) => {
                tracing::warn!("rpc took longer than {limit:?}");
                refuse(too_late(reads))
            }
        }
    }
    .instrument(span)
    .await;
    call.code = code(response.headers());
    response
}

/// A call in progress; dropping it records its duration, and its code: that of the response, CANCELLED when the caller
/// gave up before there was one, or INTERNAL when the handler panicked.
struct Call {
    path: String,
    begun: Instant,
    code: Code,
    /// Whether the call has reached its handler. Before that, its path may be any text.
    is_admitted: bool,
}

impl Call {
    fn begin(path: &str) -> Self {
        Self { path: path.to_owned(), begun: Instant::now(), code: Code::Cancelled, is_admitted: false }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let (path, code) = match self.code {
            Code::Cancelled if !self.is_admitted => ("_OTHER", Code::Cancelled),
            _ if std::thread::panicking() => (self.path.as_str(), Code::Internal),
            code => (self.path.as_str(), code),
        };
        metrics::rpc_call(path, code, self.begun.elapsed());
    }
}

/// Returns the status of a call that took too long. A change may have been saved, so it must not be reported as
/// an unavailable service with the advice to try again.
fn too_late(reads: bool) -> Status {
    match reads {
        true => Status::deadline_exceeded("the call took too long"),
        false => Error::answer_lost().into(),
    }
}

/// Returns the status in the head of a response; a streamed response may still fail later.
fn code(head: &http::HeaderMap) -> Code {
    head.get(Status::GRPC_STATUS).map_or(Code::Ok, |status| Code::from_bytes(status.as_bytes()))
}

async fn pass(guard: &Guard, mut request: HttpRequest, next: Next, call: &mut Call) -> HttpResponse {
    // Public methods are called without a token; a wrong token is refused by every method.
    if let Some(header) = request.headers().get(AUTHORIZATION) {
        let token = header.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
        let verified = match token {
            Some(token) => guard.verifier.verify(token).await,
            None => Err(Error::unauthenticated("TOKEN_INVALID")),
        };
        match verified {
            Ok(principal) => {
                let token = Arc::from(token.unwrap_or_default());
                let address = address(request.headers());
                request.extensions_mut().insert(Caller { principal, token, address });
            }
            Err(error) => return refuse(error.into()),
        }
    }
    call.is_admitted = true;
    next.run(request).await
}

fn address(headers: &http::HeaderMap) -> String {
    let text = headers.get(ADDRESS).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if text.len() <= ADDRESS_BYTES { text.to_owned() } else { String::new() }
}

fn refuse(status: Status) -> HttpResponse {
    status.into_http()
}

fn panicked(panic: Box<dyn std::any::Any + Send>) -> http::Response<axum::body::Body> {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("panic");
    refuse(Error::internal(format!("a handler panicked: {text}")).into())
}

/// Returns the caller's `grpc-timeout`, because no transport enforces it within a process.
fn asked_timeout(request: &HttpRequest) -> Option<Duration> {
    let text = request.headers().get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at(text.len().checked_sub(1)?);
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count.checked_mul(3600)?)),
        "M" => Some(Duration::from_secs(count.checked_mul(60)?)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

/// Serves mounted routes and the standard health service until stopped.
pub async fn serve(
    listener: tokio::net::TcpListener,
    routes: Routes,
    tls: Option<Tls>,
    stop: CancellationToken,
) -> Result<()> {
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_service_status("", tonic_health::ServingStatus::Serving).await;
    let on_stop = async {
        stop.cancelled().await;
        reporter.set_service_status("", tonic_health::ServingStatus::NotServing).await;
    };
    let router = routes.add_service(health).prepare().into_axum_router();
    let serving = connections::serve_with(listener, router, limits(), tls, stop.clone());
    tokio::join!(serving, on_stop).0
}

/// Returns the limits for connections between services. Many calls share a connection, so a slow call must
/// not close it. Pings keep a connection without calls open.
fn limits() -> Limits {
    Limits {
        connections: 4096,
        per_address: 4096,
        header: Duration::from_secs(10),
        idle: Duration::from_secs(3600),
        write: Duration::from_secs(3600),
        streams: 256,
        ping: peer::PING,
        // New replicas get their share of calls only when old connections end.
        age: Some(Duration::from_secs(300)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use async_trait::async_trait;
    use axum::routing::post;

    use super::*;
    use crate::clock::Clock;
    use crate::principal::KeySource;

    struct NoKeys;

    #[async_trait]
    impl KeySource for NoKeys {
        async fn keys(&self) -> Result<HashMap<String, Vec<u8>>> {
            Ok(HashMap::new())
        }
    }

    /// Returns a client of a service that never answers. Its method `Panic` panics.
    fn endless() -> Client {
        let mut router = axum::Router::new().route("/t/Panic", post(panics));
        for method in ["GetThing", "Load", "UpdateThing", "GiveUp"] {
            router = router.route(&format!("/t/{method}"), post(std::future::pending::<String>));
        }
        let secret = "service-secret".to_owned().into();
        let verifier = Verifier::new(Arc::new(NoKeys), secret, Clock::system());
        let routes = mount(Routes::from(router), verifier, Duration::from_secs(10));
        Transport::InProcess(routes).anonymous()
    }

    async fn panics() -> String {
        panic!("a panic on purpose")
    }

    fn request(method: &str) -> http::Request<Body> {
        http::Request::post(format!("/t/{method}")).body(Body::empty()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_that_takes_too_long_is_said_to_be_unknown() {
        let client = endless();
        let reasons = [
            ("GetThing", "SERVICE_UNAVAILABLE"),
            ("Load", "SERVICE_UNAVAILABLE"),
            ("UpdateThing", "ANSWER_LOST"),
        ];
        for (method, reason) in reasons {
            let response = client.clone().oneshot(request(method)).await.unwrap();
            let status = Status::from_header_map(response.headers()).unwrap();
            assert_eq!(Error::from(status).reason, reason, "{method}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_without_an_answer_is_counted() {
        let waiting = endless().oneshot(request("GiveUp"));
        assert!(tokio::time::timeout(Duration::from_secs(1), waiting).await.is_err());
        endless().oneshot(request("Panic")).await.unwrap();
        for (method, code) in [("t/GiveUp", "CANCELLED"), ("t/Panic", "INTERNAL")] {
            let labels = [("rpc_method", method), ("rpc_response_status_code", code)];
            let calls = crate::testing::metric_value("rpc_server_call_duration_seconds_count", &labels);
            assert_eq!(calls, Some(1.0), "{method}");
        }
    }
}
