//! Serves HTTP/1 and HTTP/2 on a socket, with bounds on everything that one connection can hold:
//! how many there are, how long they say nothing, how slowly they read.
//!
//! Start at [`serve`]. What a single request may cost is the matter of whoever answers it.
//!
//! A connection ends when its first request, or any header of HTTP/1 once begun, is not there within
//! `header`; when it has nothing under way for `idle`; when an answer waits for its reader for
//! `write`. The clock of hyper for headers is not used: it runs while a connection is idle too, and
//! starts only after the version was recognised, so that whoever sends nothing is never counted.

mod activity;
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
pub use body::hold;
pub use descriptors::raise_descriptors;

/// Of a head: lines and names of headers together.
const HEAD_BYTES: usize = 64 * 1024;
const HEADERS_BYTES: u32 = 32 * 1024;
/// How long to wait when a connection cannot be accepted, mostly for want of descriptors. Others
/// close meanwhile; without the pause a full process would do nothing but fail to accept.
const PAUSE: Duration = Duration::from_millis(50);
/// What is refused is logged this often.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// What connections of one socket may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at once, in all and from one address (IPv6: one /64).
    pub connections: usize,
    pub per_address: usize,
    /// Time for the first request, and for the rest of a head once it has begun.
    pub header: Duration,
    /// Time without a request.
    pub idle: Duration,
    /// Time that an answer waits for its reader to take the next piece.
    pub write: Duration,
    /// Requests at once on one HTTP/2 connection.
    pub streams: u32,
    /// How often a peer of HTTP/2 is asked whether it is still there, and how long it may take.
    pub ping: Duration,
    /// How long a connection is used; then its client is asked to open another.
    pub age: Option<Duration>,
}

/// Answers on a socket until told to stop; then ends what is idle and waits for what is under way.
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
                    // Closing in order would keep each refusal in the tables of the system for a minute.
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

/// Whether the client gave up before it was accepted: no reason to wait with the next.
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
    // The rest of a body that nobody reads would be taken for the next request. Say that there is none.
    if http1 && !arriving.is_over() && response.status() != http::StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(body::leaving(response, under_way))
}

#[cfg(test)]
mod tests;
