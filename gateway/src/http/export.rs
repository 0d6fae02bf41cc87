//! The code that all exports share. An export contains everything that a list shows.
//!
//! A file is sent while it is being written, and an error in the middle breaks the connection, so that a
//! download never ends as if it were complete. In HTTP/1.0 that would be a normal end, so its clients get a
//! file that was written to disk first. One export per person and two per process may run, for ten
//! minutes each, and only while the person is signed in.

pub mod deliveries;
pub mod positions;
pub mod slots;

use std::fs::File;
use std::future::Future;
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::stream::unfold;
use futures::{FutureExt, StreamExt};
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Version};
use kit::download::{Opens, disposition};
use kit::{Error, Result};
use tokio::io::{AsyncSeekExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tokio_util::io::ReaderStream;
use tracing::Instrument;

use slots::{STREAM, Slot};

use super::Shape;
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

    /// Returns a folder with room for a large file: the data folder if there is one, because the system's
    /// temporary folder may be in memory.
    fn room(&self) -> PathBuf {
        let data = &self.app.config.data;
        if data.is_dir() { data.clone() } else { std::env::temp_dir() }
    }

    /// Returns how the file is sent to a client that speaks this version of HTTP.
    fn transfer(&self, version: Version) -> Transfer {
        let max_bytes = self.app.config.http.max_export_bytes;
        Transfer { version, until: self.until, room: self.room(), max_bytes }
    }

    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        timeout_at(self.until, work).await.map_err(|_| too_slow())
    }

    fn done(&self, what: &str, format: &str, rows: u64) {
        tracing::info!(user.id = %self.session.user.id, format, rows, "exported {what}");
    }
}

fn too_slow() -> Error {
    Error::unavailable("EXPORT_TOO_SLOW", "The export took too long. Narrow the filters and try again.")
}

type Headers = [(HeaderName, HeaderValue); 2];

/// Returns content type and file name of the download.
fn headers(kind: &'static str, stem: &str, ending: &str) -> Headers {
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
    /// `None` if the slot is needed until the file was sent, not only until it was written.
    slot: Option<Slot>,
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

/// How a file is sent.
struct Transfer {
    version: Version,
    until: Instant,
    /// The folder for a file that is written before it is sent, and the size at which the file is given up.
    room: PathBuf,
    max_bytes: u64,
}

impl Transfer {
    /// Returns the response with a file. The writer returns whether it reached the end.
    async fn respond<W>(self, headers: Headers, slot: Slot, write: impl FnOnce(Line) -> W) -> Result<Response>
    where
        W: Future<Output = Result<bool>> + Send + 'static,
    {
        if self.version >= Version::HTTP_11 {
            return Ok((headers, leaving(self.until, slot, write)).into_response());
        }
        let written = timeout_at(self.until, self.complete(write)).await;
        saved(headers, written.unwrap_or_else(|_| Err(too_slow()))?, self.until, slot)
    }

    /// Writes the whole file to disk.
    async fn complete<W>(&self, write: impl FnOnce(Line) -> W) -> Result<File>
    where
        W: Future<Output = Result<bool>>,
    {
        let mut file = tokio::fs::File::from_std(tempfile::tempfile_in(&self.room).map_err(kit::blob::io)?);
        let (parts, line) = mpsc::channel(AHEAD);
        tokio::try_join!(write(Line { parts, slot: None }), save(line, &mut file, self.max_bytes))?;
        Ok(file.into_std().await)
    }
}

/// Writes the pieces of a file to disk. Fails with `EXPORT_TOO_LARGE` if there are more bytes than `room`, and with
/// `STORAGE_FULL` if the disk is full.
async fn save(mut line: mpsc::Receiver<Part>, file: &mut tokio::fs::File, mut room: u64) -> Result<()> {
    while let Some(Part::Piece(bytes)) = line.recv().await {
        room = room.checked_sub(bytes.len() as u64).ok_or_else(|| {
            Error::invalid(
                "EXPORT_TOO_LARGE",
                "This export is larger than the server can prepare. Narrow the filters.",
            )
        })?;
        file.write_all(&bytes).await.map_err(kit::blob::io)?;
    }
    file.flush().await.map_err(kit::blob::io)?;
    file.rewind().await.map(|_| ()).map_err(kit::blob::io)
}

/// Returns the response with a file on disk. The file is deleted and the slot freed once everything was sent or
/// the client has gone.
fn saved(headers: Headers, file: File, until: Instant, slot: Slot) -> Result<Response> {
    let length = file.metadata().map_err(Error::internal)?.len();
    let pieces = ReaderStream::with_capacity(tokio::fs::File::from_std(file), PIECE);
    let body = unfold(Some((pieces, slot)), move |state| async move {
        let (mut pieces, slot) = state?;
        match timeout_at(until, pieces.next()).await {
            Ok(Some(Ok(bytes))) => Some((Ok(bytes), Some((pieces, slot)))),
            Ok(Some(Err(error))) => Some((Err(error), None)),
            Ok(None) => None,
            Err(_) => Some((Err(io::Error::other("nobody read the file")), None)),
        }
    });
    let length = [(CONTENT_LENGTH, HeaderValue::from(length))];
    Ok((headers, length, Body::from_stream(body)).into_response())
}

/// Returns a body that is written while it is sent, in the trace of the request. The writer returns whether it reached
/// the end.
fn leaving<W>(until: Instant, slot: Slot, write: impl FnOnce(Line) -> W) -> Body
where
    W: Future<Output = Result<bool>> + Send + 'static,
{
    let (parts, line) = mpsc::channel(AHEAD);
    // The writer notices that the client has gone only at its next piece, and a filter that matches little may
    // take long to fill one.
    let reader = parts.clone();
    let writing = AssertUnwindSafe(write(Line { parts, slot: Some(slot) })).catch_unwind();
    let writing = timeout_at(until, writing);
    let writing = async move {
        let written = tokio::select! {
            // A finished file is read to its end, so the reader is gone as well. It must count as finished.
            biased;
            written = writing => match written {
                Ok(Ok(written)) => written,
                Ok(Err(_)) => Err(Error::internal("the writer of an export panicked")),
                Err(_) => Err(too_slow()),
            },
            () = reader.closed() => Ok(false),
        };
        match written {
            Ok(true) => {}
            Ok(false) => tracing::info!("an export was given up by whoever asked for it"),
            // The writer is gone and has sent no `Part::End`, so the body breaks off.
            Err(error) => {
                error.log();
                kit::metrics::streams_broken(STREAM, error.is_ours().into());
            }
        }
    };
    tokio::spawn(writing.in_current_span());
    Body::from_stream(unfold(Some(line), |line| async move {
        let mut line = line?;
        match line.recv().await {
            Some(Part::Piece(bytes)) => Some((Ok(bytes), Some(line))),
            Some(Part::End) => None,
            None => Some((Err(io::Error::other("the export broke off")), None)),
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small file fails when it is flushed, a large one while it is written.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_full_disk_is_named_without_its_path() {
        for size in [5, 5 << 20] {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let (parts, line) = mpsc::channel(AHEAD);
            parts.send(Part::Piece(vec![b'x'; size].into())).await.unwrap();
            drop(parts);
            let error = save(line, &mut tokio::fs::File::from_std(full), u64::MAX).await.unwrap_err();
            assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::StorageFull, "STORAGE_FULL"));
            assert!(!error.message.contains('/'), "{}", error.message);
        }
    }

    async fn panics(_: Line) -> Result<bool> {
        panic!("a panic on purpose")
    }

    #[tokio::test]
    async fn a_file_whose_writer_panics_breaks_off_and_is_counted() {
        let slot = slots::Exports::default().take("ana").unwrap();
        let body = leaving(Instant::now() + LONGEST, slot, panics);
        assert!(axum::body::to_bytes(body, 1_000).await.is_err());
        let broken = kit::testing::metric_value("waybill_streams_broken_total", &[("stream", "export")]);
        assert!(broken >= Some(1.0), "{broken:?}");
    }
}
