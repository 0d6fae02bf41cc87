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
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::Result;
use crate::shares::{Permit, Shares, network};
use crate::tls::{HANDSHAKE, Tls};

use activity::{Activity, State, Watched};
pub use bind::bind;
pub use body::{Arrival, hold};
pub use descriptors::raise_descriptors;

/// Maximum size of an HTTP/1 head, in bytes, and of the headers of an HTTP/2 request.
const HEAD_BYTES: usize = 64 * 1024;
const HEADERS_BYTES: u32 = 32 * 1024;
/// Pause after a connection could not be accepted, mostly for lack of descriptors. Other connections close in
/// the meantime; without the pause a process without free descriptors would spin.
const PAUSE: Duration = Duration::from_millis(50);
/// Minimum time between two log lines about refused connections.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// How long a handshake may still take once the process stops.
const HANDSHAKE_LEFT: Duration = Duration::from_secs(1);

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
    serve_with(listener, router, limits, None, stop).await
}

/// Serves a socket like [`serve`]. With `tls`, connections are encrypted and their clients have certificates.
pub async fn serve_with(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    tls: Option<Tls>,
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
                    let server =
                        Server { router: router.clone(), limits: limits.clone(), stop: stop.clone() };
                    open.spawn(connection(socket, peer, permit, tls.clone(), server));
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

/// What every connection of a socket shares.
struct Server {
    router: Router,
    limits: Arc<Limits>,
    stop: CancellationToken,
}

async fn connection(
    socket: TcpStream,
    peer: SocketAddr,
    permit: Permit<IpAddr>,
    tls: Option<Tls>,
    server: Server,
) {
    let _ = socket.set_nodelay(true);
    let activity = Activity::new();
    let Some(tls) = tls else {
        let socket = Watched::new(socket, activity.clone(), permit);
        return requests(socket, peer, activity, server).await;
    };
    let opening = timeout(server.limits.header, open(&tls, socket, activity.clone(), permit));
    // A client may have sent a change already, because its side of a handshake ends first. Complete the handshake
    // also while stopping, so that the client gets to know that its request was not begun.
    let stopping = async {
        server.stop.cancelled().await;
        sleep(HANDSHAKE_LEFT).await;
    };
    let opened = tokio::select! {
        opened = opening => opened,
        () = stopping => return,
    };
    match opened {
        Ok(Ok(Opened::Plain(socket))) => requests(socket, peer, activity, server).await,
        Ok(Ok(Opened::Encrypted(socket))) => requests(*socket, peer, activity, server).await,
        Ok(Err(error)) => tls.log_refused(peer, &error),
        Err(_) => tracing::debug!(%peer, "a handshake took too long"),
    }
}

enum Opened {
    Plain(Watched),
    Encrypted(Box<TlsStream<Watched>>),
}

/// Waits for the first byte of a connection, which shows whether it is encrypted. If it is, completes the handshake.
async fn open(
    tls: &Tls,
    socket: TcpStream,
    activity: Arc<Activity>,
    permit: Permit<IpAddr>,
) -> io::Result<Opened> {
    let mut first = [0];
    if socket.peek(&mut first).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let socket = Watched::new(socket, activity, permit);
    if first == [HANDSHAKE] {
        return Ok(Opened::Encrypted(Box::new(tls.accept(socket).await?)));
    }
    match tls.allows_plaintext() {
        true => Ok(Opened::Plain(socket)),
        false => Err(io::Error::other("it is not encrypted")),
    }
}

/// Serves the requests of a connection until it ends.
async fn requests<S>(socket: S, peer: SocketAddr, activity: Arc<Activity>, server: Server)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Server { router, limits, stop } = server;
    let seen = activity.clone();
    let service = service_fn(move |request| answer(router.clone(), peer, seen.clone(), request));
    let builder = builder(&limits);
    let mut serving = pin!(builder.serve_connection_with_upgrades(TokioIo::new(socket), service));
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
    let (request, arrival) = body::arriving(request);
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    request.extensions_mut().insert(arrival.clone());
    let mut response = router.oneshot(request).await?;
    // Close the connection: the unread rest of a body would be taken for the next request.
    if http1 && arrival.at().is_none() && response.status() != http::StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(body::leaving(response, under_way))
}

#[cfg(test)]
mod tests;
