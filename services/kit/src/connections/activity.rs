//! The activity of one connection, which decides when it is closed.

use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use http::Version;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::Limits;
use crate::shares::Permit;

pub(super) struct Activity(Mutex<Seen>);

struct Seen {
    /// When the connection was opened, or its last request ended.
    since: Instant,
    /// When the first bytes arrived after `since`, which means that the head of the next request has begun.
    heard: Option<Instant>,
    /// Whether there was a request, and whether it was HTTP/2, which sends frames outside of requests, too.
    served: bool,
    http2: bool,
    /// How many requests have responses that are not fully sent yet, and the number of the last request
    /// that began.
    under_way: usize,
    next: u64,
    /// The requests whose response handed a piece to the connection and was not yet asked for the next piece.
    /// Maps a request's number to the time of that handover.
    waiting: BTreeMap<u64, Instant>,
}

/// State of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The peer is too slow; close the connection.
    Late,
    /// The connection was unused for too long; close it.
    Idle,
    /// Requests are in progress.
    Busy,
    /// The state cannot change before this time.
    Until(Instant),
}

impl Activity {
    pub fn new() -> Arc<Self> {
        let seen = Seen {
            since: Instant::now(),
            heard: None,
            served: false,
            http2: false,
            under_way: 0,
            next: 0,
            waiting: BTreeMap::new(),
        };
        Arc::new(Self(Mutex::new(seen)))
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self) {
        let mut seen = self.seen();
        if seen.under_way == 0 && seen.heard.is_none() {
            seen.heard = Some(Instant::now());
        }
    }

    pub fn begin(self: &Arc<Self>, version: Version) -> UnderWay {
        let mut seen = self.seen();
        (seen.served, seen.http2, seen.heard) = (true, version == Version::HTTP_2, None);
        seen.under_way += 1;
        seen.next += 1;
        UnderWay { activity: self.clone(), number: seen.next }
    }

    pub fn state(&self, limits: &Limits, now: Instant) -> State {
        let seen = self.seen();
        if let Some(oldest) = seen.waiting.values().min() {
            let due = *oldest + limits.write;
            return if now >= due { State::Late } else { State::Until(due) };
        }
        if seen.under_way > 0 {
            return State::Busy;
        }
        // HTTP/2 sends frames such as pings outside of requests, too, so bytes do not mean that a head has
        // begun.
        let begun = if seen.served { seen.heard.filter(|_| !seen.http2) } else { Some(seen.since) };
        match begun {
            Some(begun) if now >= begun + limits.header => State::Late,
            Some(begun) => State::Until(begun + limits.header),
            None if now >= seen.since + limits.idle => State::Idle,
            None => State::Until(seen.since + limits.idle),
        }
    }
}

/// A request in progress: from its head until its response has been sent.
pub(super) struct UnderWay {
    activity: Arc<Activity>,
    number: u64,
}

impl UnderWay {
    /// Notes that a piece of the response was handed to the connection.
    pub fn gave(&self) {
        self.activity.seen().waiting.insert(self.number, Instant::now());
    }

    /// Notes that the connection asks for the next piece, so the previous one is being sent.
    pub fn asked(&self) {
        self.activity.seen().waiting.remove(&self.number);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut seen = self.activity.seen();
        seen.waiting.remove(&self.number);
        seen.under_way -= 1;
        (seen.since, seen.heard) = (Instant::now(), None);
    }
}

/// A socket that reports when bytes arrive. It still counts as a connection after a WebSocket has taken it
/// over.
pub(super) struct Watched {
    socket: TcpStream,
    activity: Arc<Activity>,
    _permit: Permit<IpAddr>,
}

impl Watched {
    pub fn new(socket: TcpStream, activity: Arc<Activity>, permit: Permit<IpAddr>) -> Self {
        Self { socket, activity, _permit: permit }
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(cx, into))?;
        if into.filled().len() > before {
            self.activity.hear();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}
