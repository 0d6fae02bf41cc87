//! A TCP proxy that simulates a bad network between any two parts of a test.
//!
//! ```ignore
//! let proxy = Proxy::start("127.0.0.1:5432").await?;
//! let db = connect(proxy.address()).await;
//! proxy.set(Fault::Stall);                    // a half-open link: everything looks alive, nothing arrives
//! proxy.heal();                               // what was held back arrives now
//! proxy.set_towards(Towards::Client, Fault::CutAfter(10));  // the answer breaks off, the request does not
//! ```
//!
//! A fault applies to open and new connections until the next call. Deliberately absent: loss, reordering
//! and duplication of packets, which TCP hides from both ends; their visible effects are [`Fault::Delay`]
//! and [`Fault::Stall`].

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep, sleep_until};

use crate::{Error, Result};

/// Bytes per read, and the number of reads in flight in one direction of a connection. So a writer feels a
/// slow reader after 128 KiB plus the kernel's buffers.
const PIECE: usize = 16 * 1024;
const PIECES: usize = 8;
/// With [`Fault::Rate`], how many times per second bytes are forwarded.
const STEPS: u64 = 20;

/// The fault of a connection, or of one direction of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Everything passes.
    #[default]
    None,
    /// Connections end as if the process exited; new connections end before a byte arrives.
    Cut,
    /// Connections are reset (RST), new ones too.
    Reset,
    /// A half-open link: connections stay and new ones are accepted, but neither bytes nor the end of a
    /// connection arrive. What was sent in the meantime arrives after healing, like TCP retransmissions.
    Stall,
    /// Each byte arrives this much later. The throughput is 128 KiB, one window, per delay.
    Delay(Duration),
    /// At most this many bytes per second. One Mbit/s is 125,000.
    Rate(u64),
    /// Passes this many more bytes of each connection, counted from when the fault was set, then cuts the
    /// connection.
    CutAfter(u64),
}

/// Direction of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Towards {
    Server,
    Client,
}

/// The faults of both directions. Each change of a fault has a number, so that setting the same fault again
/// restarts it.
#[derive(Clone, Copy, Debug, Default)]
struct Faults {
    server: Fault,
    client: Fault,
    number: u64,
    /// Connections up to this number are half-open for good.
    stranded: u64,
}

impl Faults {
    fn of(&self, towards: Towards, connection: u64) -> Fault {
        match towards {
            _ if connection <= self.stranded => Fault::Stall,
            Towards::Server => self.server,
            Towards::Client => self.client,
        }
    }

    /// Returns how the faults end the open connections; `None` if they end none.
    fn ending(&self) -> Option<Ending> {
        match (self.server, self.client) {
            (Fault::Reset, _) | (_, Fault::Reset) => Some(Ending::Reset),
            (Fault::Cut, _) | (_, Fault::Cut) => Some(Ending::Cut),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Cut,
    Reset,
}

#[derive(Default)]
struct Counts {
    accepted: AtomicU64,
    open: AtomicUsize,
    to_server: AtomicU64,
    to_client: AtomicU64,
}

impl Counts {
    fn of(&self, towards: Towards) -> &AtomicU64 {
        match towards {
            Towards::Server => &self.to_server,
            Towards::Client => &self.to_client,
        }
    }
}

/// A proxy on a free port of 127.0.0.1. Dropping it closes the port and all connections.
pub struct Proxy {
    address: SocketAddr,
    target: Arc<Mutex<String>>,
    faults: watch::Sender<Faults>,
    counts: Arc<Counts>,
    task: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Proxy {
    /// Starts forwarding connections to `target` ("host:port"), which need not be up yet: until it is up,
    /// clients are cut off.
    pub async fn start(target: impl Into<String>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Error::internal)?;
        let address = listener.local_addr().map_err(Error::internal)?;
        let target = Arc::new(Mutex::new(target.into()));
        let (faults, _) = watch::channel(Faults::default());
        let counts = Arc::new(Counts::default());
        let task = tokio::spawn(accept(listener, target.clone(), faults.subscribe(), counts.clone()));
        Ok(Self { address, target, faults, counts, task })
    }

    /// Returns the address for clients.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address with a scheme, such as `http`.
    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.address)
    }

    /// Forwards new connections to another target, such as a server restarted on another port. Open
    /// connections stay.
    pub fn point_to(&self, target: impl Into<String>) {
        *self.target.lock().unwrap_or_else(PoisonError::into_inner) = target.into();
    }

    /// Sets the fault of both directions.
    pub fn set(&self, fault: Fault) {
        self.faults.send_modify(|it| {
            (it.server, it.client, it.number) = (fault, fault, it.number + 1);
        });
    }

    /// Sets the fault of one direction. `Cut` and `Reset` end the whole connection either way.
    pub fn set_towards(&self, towards: Towards, fault: Fault) {
        self.faults.send_modify(|it| {
            match towards {
                Towards::Server => it.server = fault,
                Towards::Client => it.client = fault,
            }
            it.number += 1;
        });
    }

    /// Makes open connections half-open for good, like a middlebox that has lost its state. New connections
    /// pass. `Cut` and `Reset` still end the stranded ones.
    pub fn strand(&self) {
        let stranded = self.accepted();
        self.faults.send_modify(|it| it.stranded = stranded);
    }

    /// Removes all faults and delivers what was held back; stranded connections stay stranded.
    pub fn heal(&self) {
        self.set(Fault::None);
    }

    /// Returns how many connections clients have opened so far.
    pub fn accepted(&self) -> u64 {
        self.counts.accepted.load(Ordering::SeqCst)
    }

    /// Returns how many connections are open now.
    pub fn open(&self) -> usize {
        self.counts.open.load(Ordering::SeqCst)
    }

    /// Returns the bytes forwarded in one direction so far, over all connections.
    pub fn passed(&self, towards: Towards) -> u64 {
        self.counts.of(towards).load(Ordering::SeqCst)
    }
}

async fn accept(
    listener: TcpListener,
    target: Arc<Mutex<String>>,
    faults: watch::Receiver<Faults>,
    counts: Arc<Counts>,
) {
    // Connections end with this task, so that a dropped proxy is really gone.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // Accepting fails, for example, when there is no free descriptor; the next connection may
                // work.
                let Ok((client, _)) = accepted else {
                    sleep(Duration::from_millis(20)).await;
                    continue;
                };
                let number = counts.accepted.fetch_add(1, Ordering::SeqCst) + 1;
                let target = target.lock().unwrap_or_else(PoisonError::into_inner).clone();
                connections.spawn(connection(client, target, faults.clone(), Open::new(&counts, number)));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Counts a connection as open until it is dropped.
struct Open {
    counts: Arc<Counts>,
    number: u64,
}

impl Open {
    fn new(counts: &Arc<Counts>, number: u64) -> Self {
        counts.open.fetch_add(1, Ordering::SeqCst);
        Self { counts: counts.clone(), number }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.counts.open.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn connection(mut client: TcpStream, target: String, mut faults: watch::Receiver<Faults>, open: Open) {
    // Behind a half-open link the server must not notice new connections.
    let ready = faults.wait_for(|it| it.ending().is_some() || it.server != Fault::Stall);
    let ending = ready.await.ok().and_then(|it| it.ending());
    if ending == Some(Ending::Reset) {
        let _ = client.set_zero_linger();
    }
    if ending.is_some() {
        return;
    }
    let Ok(mut server) = TcpStream::connect(&target).await else { return };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let ending = {
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        let requests = direction(from_client, to_server, Towards::Server, faults.clone(), &open);
        let answers = direction(from_server, to_client, Towards::Client, faults.clone(), &open);
        let both = async { tokio::try_join!(requests, answers).err() };
        tokio::select! {
            ending = both => ending,
            ended = faults.wait_for(|it| it.ending().is_some()) => ended.ok().and_then(|it| it.ending()),
        }
    };
    if ending == Some(Ending::Reset) {
        let _ = (client.set_zero_linger(), server.set_zero_linger());
    }
}

/// Forwards one direction until its end, or returns how the whole connection ends.
async fn direction(
    from: impl AsyncRead + Unpin,
    to: impl AsyncWrite + Unpin,
    towards: Towards,
    faults: watch::Receiver<Faults>,
    open: &Open,
) -> std::result::Result<(), Ending> {
    let (queue, pieces) = mpsc::channel(PIECES);
    let (read, written) = tokio::join!(read(from, queue), write(to, pieces, towards, faults, open));
    written.and(read)
}

/// A piece and when it arrived; `None` is the end of the direction.
type Piece = (Instant, Option<Bytes>);

async fn read(
    mut from: impl AsyncRead + Unpin,
    queue: mpsc::Sender<Piece>,
) -> std::result::Result<(), Ending> {
    let mut buffer = vec![0; PIECE];
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read,
            () = queue.closed() => return Ok(()),
        };
        // A failed read means that this side was reset, so the other side is reset, too.
        let count = read.map_err(|_| Ending::Reset)?;
        let piece = (count > 0).then(|| Bytes::copy_from_slice(&buffer[..count]));
        if queue.send((Instant::now(), piece)).await.is_err() || count == 0 {
            return Ok(());
        }
    }
}

async fn write(
    mut to: impl AsyncWrite + Unpin,
    mut pieces: mpsc::Receiver<Piece>,
    towards: Towards,
    mut faults: watch::Receiver<Faults>,
    open: &Open,
) -> std::result::Result<(), Ending> {
    let (mut number, mut passed) = (faults.borrow().number, 0);
    while let Some((came, piece)) = pieces.recv().await {
        let end = piece.is_none();
        let mut rest = piece.unwrap_or_default();
        while end || !rest.is_empty() {
            let (fault, set) = {
                let now = faults.borrow_and_update();
                (now.of(towards, open.number), now.number)
            };
            if set != number {
                (number, passed) = (set, 0);
            }
            let due = match fault {
                Fault::Delay(delay) => came + delay,
                Fault::Stall => Instant::now() + Duration::from_secs(3600),
                _ => Instant::now(),
            };
            if due > Instant::now() {
                tokio::select! { () = sleep_until(due) => {}, _ = faults.changed() => {} }
                continue;
            }
            if end {
                return to.shutdown().await.map_err(|_| Ending::Cut);
            }
            let most = match fault {
                Fault::Rate(rate) => (rate / STEPS).max(1),
                Fault::CutAfter(bytes) if bytes <= passed => return Err(Ending::Cut),
                Fault::CutAfter(bytes) => bytes - passed,
                _ => u64::MAX,
            };
            let next = rest.split_to(rest.len().min(usize::try_from(most).unwrap_or(usize::MAX)));
            to.write_all(&next).await.map_err(|_| Ending::Reset)?;
            passed += next.len() as u64;
            open.counts.of(towards).fetch_add(next.len() as u64, Ordering::SeqCst);
            match fault {
                Fault::Rate(rate) => {
                    sleep(Duration::from_secs_f64(next.len() as f64 / rate.max(1) as f64)).await
                }
                Fault::CutAfter(bytes) if bytes <= passed => return Err(Ending::Cut),
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
