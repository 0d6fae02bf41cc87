//! Positions of devices: from free tracker apps, and in our own batch format.
//!
//! Start at [`router`]. After a request was received completely, [`parse`] recognizes the protocol by its
//! format. A parser for this protocol converts the request to positions in our units, knowing nothing but the
//! request. The drivers service resolves the device and stores the positions; the response is sent after its
//! commit. An unpaired device gets 404, and the service lists it for pairing. Apps that keep refused
//! positions send them again once the device is paired, so nothing is lost.
//!
//! Deliberately absent: authentication. Such apps have no credentials, so whoever knows a device's id can
//! send in its name. Hence the separate port, which can be protected. Nothing here logs an id or a position.
//!
//! Excess requests get 503, never 429, because some apps discard what was answered with a 4xx.

mod batch;
mod gather;
mod osmand;
mod owntracks;
mod report;
#[cfg(test)]
mod tests;
mod traccar_json;
mod value;
mod windows;

use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Json, Router};
use bytes::Bytes;
use futures::FutureExt;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_ENCODING, X_CONTENT_TYPE_OPTIONS};
use http::request;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use kit::Kind;
use kit::clock::Clock;
use kit::input::position::MAX_POSITIONS;
use kit::shares::{Shares, network};
use proto::drivers::v1::{DeviceReport, ReportAnswer, ReportRefusal};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::budgets::{self, Refusal};
use crate::context::Context;
use crate::http::{Shape, body, whole_seconds, with_retry};
use crate::observe::observe;
use crate::settings::OfficeSettings;
use crate::state::forwarded;
use gather::Gather;
use report::{Parts, Protocol, Report, Wrong};
use windows::Windows;

const SHAPE: Shape = Shape::Plain;
/// The path of these requests on the public port, if enabled, and their route in metrics and the log of both
/// ports.
const PUBLIC_PATH: &str = "/ingest";
/// Maximum length of the query string.
const MAX_QUERY: usize = 8 * 1024;
/// Maximum [`weight`] of a request: enough for [`MAX_POSITIONS`] with everything that is stored of each.
const MAX_WEIGHT: usize = 200 * MAX_POSITIONS;
/// The weight of an object: once parsed, it has room for eleven members.
const OBJECT: usize = 11;
/// Number of requests that may be arriving for each request in progress; it is large because phones send
/// slowly.
const ARRIVING: usize = 4;

struct Ingest {
    gather: Gather,
    clock: Clock,
    office: OfficeSettings,
    proxies: usize,
    max_body: usize,
    timeout: Duration,
    body_timeout: Duration,
    arriving: Shares<IpAddr>,
    working: Shares<IpAddr>,
    windows: Windows,
}

/// Returns the router of the port for devices.
pub fn router(context: &Context) -> Router {
    let settings = &context.config.ingest;
    route(&settings.path, settings.trusted_proxies, context)
        .fallback(|| async { crate::http::not_found(SHAPE) })
        .layer(from_fn(observed))
}

/// Records a request of the port for devices, where `edge` does not.
async fn observed(request: Request, next: Next) -> Response {
    observe(Some(PUBLIC_PATH.to_owned()), true, request, next).await
}

/// Returns the ingest routes on the public port.
pub(crate) fn public<S: Clone + Send + Sync + 'static>(context: &Context) -> Router<S> {
    route(PUBLIC_PATH, context.config.http.trusted_proxies, context)
}

/// Returns whether a route of the public port takes positions.
pub(crate) fn is_public(route: &str) -> bool {
    route.strip_suffix('/').unwrap_or(route) == PUBLIC_PATH
}

/// Returns the route at this path, with and without a slash at its end: apps and people add one or leave it out.
fn route<S: Clone + Send + Sync + 'static>(path: &str, proxies: usize, context: &Context) -> Router<S> {
    let settings = &context.config.ingest;
    let most = settings.max_in_flight;
    let ingest = Arc::new(Ingest {
        gather: Gather::new(context.drivers.clone(), context.identity.clone(), settings.max_in_flight),
        clock: context.clock.clone(),
        office: OfficeSettings::new(context),
        proxies,
        max_body: settings.max_body_bytes,
        timeout: Duration::from_secs(context.config.http.timeout_seconds),
        body_timeout: Duration::from_secs(context.config.http.body_timeout_seconds),
        // One address gets at most half of all places. Not less, because the devices of a mobile carrier may
        // share an address.
        arriving: Shares::new("positions", ARRIVING * most, (ARRIVING * most).div_ceil(2)),
        working: Shares::new("positions", most, most.div_ceil(2)),
        windows: Windows::new(settings.requests_per_minute),
    });
    let bare = path.strip_suffix('/').unwrap_or(path);
    let mut router = Router::new().route(&format!("{bare}/"), any(receive));
    if !bare.is_empty() {
        router = router.route(bare, any(receive));
    }
    router.layer(from_fn_with_state(ingest.clone(), bound)).with_state(ingest)
}

/// Refuses excess requests, ends slow ones, and survives a panic.
async fn bound(State(ingest): State<Arc<Ingest>>, request: Request, next: Next) -> Response {
    let mut response = match ingest.admitted(request, next).await {
        Ok(response) => response,
        Err(Refusal::Busy) => {
            tracing::warn!("too many positions under way");
            busy("The service is busy. Try again in a moment.")
        }
        Err(Refusal::Slow) => busy("This took too long. Try again in a moment."),
        Err(Refusal::CutOff) => Refusal::CutOff.answer(SHAPE),
    };
    // A GET request stores positions here, so no cache may answer it.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn busy(text: &str) -> Response {
    SHAPE.refuse(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", text)
}

async fn receive(State(ingest): State<Arc<Ingest>>, request: Request) -> Response {
    let (parts, stream) = request.into_parts();
    if !matches!(parts.method, Method::GET | Method::POST) {
        let text = "Positions come by GET or POST.";
        let mut response = SHAPE.refuse(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", text);
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST"));
        return response;
    }
    let query = parts.uri.query().unwrap_or_default();
    if query.len() > MAX_QUERY {
        return SHAPE.refuse(StatusCode::URI_TOO_LONG, "BAD_USER_INPUT", "The address is too long.");
    }
    let limit = ingest.max_body;
    let read = match body(SHAPE, &parts.headers, stream, limit).await {
        Ok(read) => read,
        Err(refusal) => return refusal,
    };
    let read = match unpacked(&parts.headers, read, limit) {
        Ok(read) => read,
        Err((status, text)) => return SHAPE.refuse(status, "BAD_USER_INPUT", text),
    };
    let organization = ingest.office.organization().await.ok();
    let asked = Parts {
        method: &parts.method,
        query,
        headers: &parts.headers,
        body: &read,
        now: ingest.clock.now(),
        organization: organization.as_deref(),
    };
    match parse(&asked) {
        Ok(report) => ingest.keep(report, &parts).await,
        Err(wrong) => SHAPE.refuse(wrong.status(), wrong.code(), &sentence(wrong.text())),
    }
}

/// Makes a sentence of a parser's text.
fn sentence(text: &str) -> String {
    format!("Nothing was taken: {text}.")
}

/// Returns the uncompressed body.
fn unpacked(
    headers: &HeaderMap,
    body: Bytes,
    limit: usize,
) -> std::result::Result<Bytes, (StatusCode, &'static str)> {
    let coding = headers.get(CONTENT_ENCODING).map_or(&b""[..], HeaderValue::as_bytes);
    match coding.trim_ascii().to_ascii_lowercase().as_slice() {
        b"" | b"identity" => Ok(body),
        b"gzip" | b"x-gzip" => {
            let mut plain = Vec::new();
            let most = limit as u64 + 1;
            let done = flate2::read::MultiGzDecoder::new(body.as_ref()).take(most).read_to_end(&mut plain);
            match done {
                Err(_) => Err((StatusCode::BAD_REQUEST, "Nothing was taken: the request is not gzip.")),
                Ok(_) if plain.len() > limit => {
                    Err((StatusCode::PAYLOAD_TOO_LARGE, "The request is too large once decompressed."))
                }
                Ok(_) => Ok(plain.into()),
            }
        }
        _ => Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "A request is plain, or gzip.")),
    }
}

/// The members that distinguish the kinds of JSON. Nothing else is kept, so parsing is cheap.
#[derive(Deserialize)]
struct Marks {
    #[serde(rename = "_type")]
    owntracks: Option<IgnoredAny>,
    positions: Option<IgnoredAny>,
}

/// Parses a request by the protocol that its format indicates.
fn parse(parts: &Parts<'_>) -> report::Result<Report> {
    if parts.method == Method::GET || !parts.is_json() {
        return match owntracks::is_empty_message(parts) {
            true => {
                Ok(Report { protocol: Protocol::Owntracks, device_id: String::new(), positions: Vec::new() })
            }
            false => osmand::parse(parts),
        };
    }
    if weight(parts.body) > MAX_WEIGHT {
        return Err(Wrong::impossible(format!(
            "the request has too many values: send no more than {MAX_POSITIONS} positions at once"
        )));
    }
    if !parts.body.trim_ascii_start().starts_with(b"{") {
        return traccar_json::parse(parts);
    }
    let marks: Marks =
        serde_json::from_slice(parts.body).map_err(|_| Wrong::unreadable("the request is not JSON"))?;
    if marks.owntracks.is_some() {
        owntracks::parse(parts)
    } else if marks.positions.is_some() {
        batch::parse(parts)
    } else {
        traccar_json::parse(parts)
    }
}

/// Returns an upper bound for the values in this JSON. Parsed, they can take a hundred times the memory of their text.
fn weight(json: &[u8]) -> usize {
    let weight = |byte: &u8| match byte {
        b'{' => OBJECT,
        b'[' | b',' => 1,
        _ => 0,
    };
    json.iter().map(weight).sum()
}

impl Ingest {
    async fn admitted(&self, request: Request, next: Next) -> Result<Response, Refusal> {
        let address = network(self.address(request.headers(), request.extensions().get()));
        if let Err(rest) = self.windows.pass(address) {
            kit::metrics::refused("positions_of_one_address");
            let refusal = busy("This address sends too much. Try again in a minute.");
            return Ok(with_retry(refusal, Some(whole_seconds(rest))));
        }
        let request = budgets::arrive(request, &self.arriving, address, self.body_timeout).await?;
        let _permit = self.working.enter(address).ok_or(Refusal::Busy)?;
        let work = AssertUnwindSafe(next.run(request)).catch_unwind();
        match tokio::time::timeout(self.timeout, work).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(_)) => {
                // Do not log the request, which is private. The process's panic hook has logged the panic.
                tracing::error!("a handler of positions panicked");
                Ok(SHAPE.refuse(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL", "Something went wrong"))
            }
            Err(_) => Err(Refusal::Slow),
        }
    }

    /// Responds once the positions are committed.
    async fn keep(&self, report: Report, parts: &request::Parts) -> Response {
        let Report { protocol, device_id, positions } = report;
        if positions.is_empty() {
            return taken(protocol, &ReportAnswer::default());
        }
        let report = DeviceReport {
            device_unique_id: device_id,
            provider: protocol.provider().to_owned(),
            positions,
            address: self.address(&parts.headers, parts.extensions.get()).to_string(),
        };
        match self.gather.record(report).await {
            Ok(answer) => match answer.refusal() {
                ReportRefusal::Unspecified => taken(protocol, &answer),
                refusal => refused(refusal, &answer.message),
            },
            Err(kind) => failed(kind),
        }
    }

    /// Returns the device's address: the one that a trusted proxy reports or, without a proxy, that of the
    /// connection.
    fn address(&self, headers: &HeaderMap, connection: Option<&ConnectInfo<SocketAddr>>) -> IpAddr {
        forwarded(headers, "x-forwarded-for", self.proxies)
            .and_then(|entry| entry.parse().ok())
            .or_else(|| connection.map(|info| info.0.ip()))
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ip| ip.to_canonical())
    }
}

/// The number of positions that were stored, how many of these are implausible, and how many were too old to
/// store.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    recorded: u32,
    filtered: u32,
    too_old: u32,
}

/// Returns the response that the app of this protocol takes for success.
fn taken(protocol: Protocol, answer: &ReportAnswer) -> Response {
    match protocol {
        Protocol::Osmand | Protocol::TraccarJson => StatusCode::OK.into_response(),
        // The app expects a list of commands. There are none.
        Protocol::Owntracks => Json(json!([])).into_response(),
        Protocol::Batch => {
            let ReportAnswer { recorded, filtered, too_old, .. } = *answer;
            Json(Kept { recorded, filtered, too_old }).into_response()
        }
    }
}

fn refused(refusal: ReportRefusal, message: &str) -> Response {
    match refusal {
        ReportRefusal::Unpaired => SHAPE.refuse(
            StatusCode::NOT_FOUND,
            "DEVICE_UNPAIRED",
            "This device belongs to nobody yet. Pair it under Drivers; what it sends from then on counts.",
        ),
        ReportRefusal::Blocked => {
            SHAPE.refuse(StatusCode::FORBIDDEN, "DRIVER_BLOCKED", "The driver of this device is blocked.")
        }
        ReportRefusal::Later => failed(Kind::Unavailable),
        ReportRefusal::Invalid | ReportRefusal::Unspecified => SHAPE.refuse(
            StatusCode::UNPROCESSABLE_ENTITY,
            "BAD_USER_INPUT",
            &sentence(message.trim_end_matches('.')),
        ),
    }
}

fn failed(kind: Kind) -> Response {
    match kind {
        Kind::Unavailable | Kind::RateLimited | Kind::StorageFull => {
            busy("Positions cannot be taken right now. Try again in a moment.")
        }
        _ => SHAPE.refuse(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL", "Something went wrong"),
    }
}
