//! Serves HTTP/1 and HTTP/2 on a socket, and limits its connections: their number, how long they may be
//! silent, and how slowly they may read.
//!
//! Start at [`serve`]. Limiting a single request is up to its handler.
//!
//! A connection is closed when its first request, or an HTTP/1 head once begun, is not complete within
//! `header`, when it has had no request for `idle`, or when a response has waited for its reader for
//! `write`. Hyper's own header timeout is not used: it also runs while a connection is idle, and starts
//! only after the version was recognized, so that silent clients would never time out.

mod activity;
mod bind;
mod body;
mod descriptors;

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::Result;
use crate::shares::{Permit, Shares, network};

use activity::{Activity, State, Watched};
pub use bind::bind;
pub use body::hold;
pub use descriptors::raise_descriptors;

/// Maximum size of an HTTP/1 head, in bytes, and of the headers of an HTTP/2 request.
const HEAD_BYTES: usize = 64 * 1024;
const HEADERS_BYTES: u32 = 32 * 1024;
/// Pause after a connection could not be accepted, mostly for lack of descriptors. Other connections close in
/// the meantime; without the pause a process without free descriptors would spin.
const PAUSE: Duration = Duration::from_millis(50);
/// Minimum time between two log lines about refused connections.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Limits of the connections of one socket.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Concurrent connections, in total and from one address (IPv6: one /64).
    pub connections: usize,
    pub per_address: usize,
    /// Time limit for the first request, and for finishing a head once it has begun.
    pub header: Duration,
    /// Maximum time that a connection stays open without a request.
    pub idle: Duration,
    /// Maximum time that a response waits for its reader to take the next piece.
    pub write: Duration,
    /// Concurrent requests on one HTTP/2 connection.
    pub streams: u32,
    /// How often an HTTP/2 peer is pinged, and how long it may take to respond.
    pub ping: Duration,
    /// Maximum age of a connection; its client is then asked to open another.
    pub age: Option<Duration>,
}

/// Serves a socket until stopped; then closes idle connections and waits for requests in progress.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
) -> Result<()> {
    let shares = Shares::new("connections", limits.connections, limits.per_address);
    let limits = Arc::new(limits);
    let open = TaskTracker::new();
    let mut logged: Option<Instant> = None;
    let mut complain = |what: &str| {
        if logged.is_none_or(|at| at.elapsed() >= LOG_EVERY) {
            logged = Some(Instant::now());
            tracing::warn!("{what}");
        }
    };
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, peer)) => match shares.enter(network(peer.ip())) {
                Some(permit) => {
                    let (router, limits, stop) = (router.clone(), limits.clone(), stop.clone());
                    open.spawn(connection(socket, peer, permit, router, limits, stop));
                }
                None => {
                    complain("connections are refused: too many are open");
                    // A normal close would keep each refused connection in the system's tables for a minute.
                    let _ = socket.set_zero_linger();
                }
            },
            Err(error) if is_of_the_peer(&error) => {}
            Err(error) => {
                complain(&format!("a connection cannot be accepted: {error}"));
                sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    open.close();
    open.wait().await;
    Ok(())
}

/// Returns whether the client gave up before its connection was accepted; then there is no reason to pause.
fn is_of_the_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

fn builder(limits: &Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.ping)
        .keep_alive_timeout(limits.ping)
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(HEADERS_BYTES);
    builder
}

async fn connection(
    socket: TcpStream,
    peer: SocketAddr,
    permit: Permit<IpAddr>,
    router: Router,
    limits: Arc<Limits>,
    stop: CancellationToken,
) {
    let _ = socket.set_nodelay(true);
    let activity = Activity::new();
    let io = TokioIo::new(Watched::new(socket, activity.clone(), permit));
    let seen = activity.clone();
    let service = service_fn(move |request| answer(router.clone(), peer, seen.clone(), request));
    let builder = builder(&limits);
    let mut serving = pin!(builder.serve_connection_with_upgrades(io, service));
    let oldest = limits.age.map(|age| Instant::now() + age);
    let mut ending = false;
    let mut look = Instant::now() + limits.header;
    loop {
        tokio::select! {
            ended = serving.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!("a connection ended: {error}");
                }
                return;
            }
            () = stop.cancelled(), if !ending => {
                ending = true;
                serving.as_mut().graceful_shutdown();
            }
            () = sleep_until(look) => {
                let now = Instant::now();
                look = now + limits.header;
                let end = match activity.state(&limits, now) {
                    State::Late => return,
                    State::Idle if ending => return,
                    State::Idle => true,
                    State::Busy => oldest.is_some_and(|oldest| now >= oldest),
                    State::Until(next) => {
                        look = look.min(next);
                        oldest.is_some_and(|oldest| now >= oldest)
                    }
                };
                if end && !ending {
                    ending = true;
                    serving.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

async fn answer(
    router: Router,
    peer: SocketAddr,
    activity: Arc<Activity>,
    request: Request<Incoming>,
) -> std::result::Result<Response<Body>, Infallible> {
    let under_way = activity.begin(request.version());
    let http1 = request.version() < Version::HTTP_2;
    let (request, arriving) = body::arriving(request);
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    let mut response = router.oneshot(request).await?;
    // Close the connection: the unread rest of a body would be taken for the next request.
    if http1 && !arriving.is_over() && response.status() != http::StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(body::leaving(response, under_way))
}

#[cfg(test)]
mod tests;
