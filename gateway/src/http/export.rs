//! The code that all exports share. An export contains everything that a list shows.
//!
//! A file is sent while it is being written, and an error in the middle breaks the connection, so that a
//! download never ends as if it were complete. One export per person and two per process may run, for ten
//! minutes each, and only while the person is signed in.

pub mod deliveries;
pub mod positions;
pub mod slots;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::stream::unfold;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue};
use kit::{Error, Result};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use slots::Slot;

use super::Shape;
use super::download::{Opens, disposition};
use crate::session::{self, Session};
use crate::state::App;

const SHAPE: Shape = Shape::Action;
/// Time limit of one export, to its last byte.
pub const LONGEST: Duration = Duration::from_secs(10 * 60);
/// Maximum number of chunks that wait for the writer, and of pieces of the file that wait to be sent.
const AHEAD: usize = 2;
/// Size at which a piece of the file is sent.
const PIECE: usize = 128 * 1024;
/// How often the person's session is checked.
const CHECK: Duration = Duration::from_secs(1);

/// The session of the exporting person, and the time limit of the export.
struct Visit {
    app: Arc<App>,
    session: Session,
    until: Instant,
    checked: Instant,
}

impl Visit {
    fn begin(app: &Arc<App>, session: &Session) -> Self {
        let now = Instant::now();
        Self { app: app.clone(), session: session.clone(), until: now + LONGEST, checked: now }
    }

    /// Fails if the export must stop.
    async fn check(&mut self) -> Result<()> {
        if self.checked.elapsed() < CHECK {
            return Ok(());
        }
        self.checked = Instant::now();
        // An expired token does not stop the export, because tokens expire long before sessions.
        session::still_beyond_token(&self.app, &self.session).await
    }

    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        timeout_at(self.until, work).await.map_err(|_| too_slow())
    }

    fn done(&self, what: &str, rows: u64) {
        tracing::info!(user.id = %self.session.user.id, rows, "exported {what}");
    }
}

fn too_slow() -> Error {
    Error::unavailable("EXPORT_TOO_SLOW", "The export took too long. Narrow the filters and try again.")
}

/// Returns content type and file name of the download.
fn headers(kind: &'static str, stem: &str, ending: &str) -> [(HeaderName, HeaderValue); 2] {
    let name = disposition(Opens::AsADownload, stem, ending);
    [(CONTENT_TYPE, HeaderValue::from_static(kind)), (CONTENT_DISPOSITION, name)]
}

/// A piece of a file, or the end of the file. A file without its end is incomplete.
enum Part {
    Piece(Bytes),
    End,
}

/// Sends the pieces of a file. Each send returns whether the client is still reading.
struct Line {
    parts: mpsc::Sender<Part>,
    slot: Slot,
}

impl Line {
    async fn send(&self, piece: Vec<u8>) -> bool {
        self.parts.send(Part::Piece(piece.into())).await.is_ok()
    }

    async fn end(self, last: Vec<u8>) -> bool {
        let sent = self.send(last).await;
        // Free the slot before the end is sent: a client that has the whole file may ask for the next one
        // immediately.
        drop(self.slot);
        sent && self.parts.send(Part::End).await.is_ok()
    }
}

/// Returns a body that is written while it is sent. The writer returns whether it reached the end.
fn leaving<W>(until: Instant, slot: Slot, write: impl FnOnce(Line) -> W) -> Body
where
    W: Future<Output = Result<bool>> + Send + 'static,
{
    let (parts, line) = mpsc::channel(AHEAD);
    // The writer notices that the client has gone only at its next piece, and a filter that matches little may
    // take long to fill one.
    let reader = parts.clone();
    let writing = timeout_at(until, write(Line { parts, slot }));
    tokio::spawn(async move {
        let written = tokio::select! {
            // A finished file is read to its end, so the reader is gone as well. It must count as finished.
            biased;
            written = writing => written.unwrap_or_else(|_| Err(too_slow())),
            () = reader.closed() => Ok(false),
        };
        match written {
            Ok(true) => {}
            Ok(false) => tracing::info!("an export was given up by whoever asked for it"),
            // The writer is gone and has sent no `Part::End`, so the body breaks off.
            Err(error) => error.log(),
        }
    });
    Body::from_stream(unfold(Some(line), |line| async move {
        let mut line = line?;
        match line.recv().await {
            Some(Part::Piece(bytes)) => Some((Ok(bytes), Some(line))),
            Some(Part::End) => None,
            None => Some((Err(io::Error::other("the export broke off")), None)),
        }
    }))
}
