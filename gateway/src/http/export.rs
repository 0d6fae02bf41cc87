//! `GET /export/deliveries?format=csv|xlsx&filters=&sort=`: what a list shows, all of it, as a file.
//!
//! Filters are those of the address bar (base64 of JSON), with the server's names and instants.
//! CSV goes out while it is read; a workbook is written to disk first, as only then it is known
//! that it fits. What breaks off in the middle breaks the connection: a download never ends as if
//! it were whole. One export per person and two per process, ten minutes each.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use futures::StreamExt;
use futures::stream::unfold;
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method};
use kit::{Error, Result};
use proto::common::v1::{Filter, Page, Sort, SortDirection};
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use proto::deliveries::v1::{ExportDeliveriesRequest, ExportDeliveriesResponse, ExportedDelivery};
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, timeout_at};
use tokio_util::io::ReaderStream;
use tonic::Streaming;

use super::{Shape, not_found};
use crate::export::csv::Piece;
use crate::export::xlsx::{self, Book};
use crate::session::{self, Session};
use crate::state::App;

const SHAPE: Shape = Shape::Action;
/// How long one may take, until its last byte has left.
pub const LONGEST: Duration = Duration::from_secs(10 * 60);
const AT_ONCE: usize = 2;
const LATER: Duration = Duration::from_secs(30);
const MAX_FILTERS: usize = 16 * 1024;
/// Chunks of the service that wait for the writer, and pieces of the file that wait for the line.
const AHEAD: usize = 2;
/// A piece leaves when it has so much.
const PIECE: usize = 128 * 1024;
/// One chunk of the service, with the items.
const MAX_CHUNK: usize = 64 * 1024 * 1024;
/// How often it is asked whether whoever exports is still signed in.
const CHECK: Duration = Duration::from_secs(1);
/// As the address bar has it; whoever writes an address by hand leaves the padding out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[derive(Deserialize)]
pub struct Ask {
    format: Format,
    #[serde(default)]
    filters: String,
    #[serde(default)]
    sort: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Csv,
    Xlsx,
}

pub async fn deliveries(
    State(app): State<Arc<App>>,
    ask: Result<Query<Ask>, QueryRejection>,
    request: Request,
) -> Response {
    // A HEAD would do all the work for nothing.
    if request.method() != Method::GET {
        return not_found(SHAPE);
    }
    let identity = session::identify(&app, request.headers(), request.extensions()).await;
    let made = async {
        let session = identity.session()?;
        let ask = ask.map_err(|_| Error::invalid_field("format", "Format must be csv or xlsx"))?;
        let Query(Ask { format, filters, sort }) = ask;
        let page = Page { r#where: read_filters(&filters)?, sort: read_sort(&sort), ..Page::default() };
        let slot = app.exports.take(&session.user.id)?;
        let source = Source::open(&app, session, page).await?;
        match format {
            Format::Csv => csv(source, slot).await,
            Format::Xlsx => workbook(source, slot).await,
        }
    };
    made.await.unwrap_or_else(|error| SHAPE.fail(&error))
}

#[derive(Deserialize)]
struct SentFilter {
    key: String,
    operator: String,
    values: Vec<SentValue>,
}

#[derive(Deserialize)]
struct SentValue {
    value: String,
}

fn read_filters(text: &str) -> Result<Vec<Filter>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let wrong = || Error::invalid_field("filters", "Filters cannot be read. Set them again.");
    if text.len() > MAX_FILTERS {
        return Err(wrong());
    }
    // In a query a plus that was not escaped is a space.
    let bytes = BASE64.decode(text.replace(' ', "+")).map_err(|_| wrong())?;
    let filters: Vec<SentFilter> = serde_json::from_slice(&bytes).map_err(|_| wrong())?;
    let filters = filters.into_iter().map(|SentFilter { key, operator, values }| Filter {
        key,
        operator,
        values: values.into_iter().map(|it| it.value).collect(),
    });
    Ok(filters.collect())
}

/// `-scheduledatetime,id`.
fn read_sort(text: &str) -> Vec<Sort> {
    let keys = text.split(',').map(str::trim).filter(|key| !key.is_empty());
    let sorts = keys.map(|key| match key.strip_prefix('-') {
        Some(key) => Sort { key: key.to_owned(), direction: SortDirection::Desc.into() },
        None => Sort { key: key.to_owned(), direction: SortDirection::Asc.into() },
    });
    sorts.collect()
}

/// Who is exporting in this process.
pub struct Exports {
    free: Arc<Semaphore>,
    people: Arc<Mutex<HashSet<String>>>,
}

impl Default for Exports {
    fn default() -> Self {
        Self { free: Arc::new(Semaphore::new(AT_ONCE)), people: Arc::default() }
    }
}

impl Exports {
    fn take(&self, user: &str) -> Result<Slot> {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        if people.contains(user) {
            return Err(Error::rate_limited(
                "EXPORT_RUNNING",
                "You are exporting already. Wait until that file is there, or cancel it.",
                LATER,
            ));
        }
        let permit = self.free.clone().try_acquire_owned();
        let busy =
            |_| Error::rate_limited("EXPORTS_BUSY", "Others are exporting. Try again in a minute.", LATER);
        let permit = permit.map_err(busy)?;
        people.insert(user.to_owned());
        Ok(Slot { people: self.people.clone(), user: user.to_owned(), _permit: permit })
    }
}

/// An export under way; makes room when dropped.
struct Slot {
    people: Arc<Mutex<HashSet<String>>>,
    user: String,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.people.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.user);
    }
}

/// What the service streams, for as long as whoever asked may see it.
struct Source {
    app: Arc<App>,
    session: Session,
    stream: Streaming<ExportDeliveriesResponse>,
    until: Instant,
    checked: Instant,
}

impl Source {
    async fn open(app: &Arc<App>, session: &Session, page: Page) -> Result<Self> {
        let client = DeliveriesServiceClient::new(session.client(&app.deliveries));
        let mut client = client.max_decoding_message_size(MAX_CHUNK);
        let ask = ExportDeliveriesRequest { page: Some(page), items: true };
        let (now, app, session) = (Instant::now(), app.clone(), session.clone());
        let stream = client.export_deliveries(ask).await?.into_inner();
        Ok(Self { app, session, stream, until: now + LONGEST, checked: now })
    }

    async fn next(&mut self) -> Result<Option<Vec<ExportedDelivery>>> {
        if self.checked.elapsed() >= CHECK {
            self.checked = Instant::now();
            match session::still(&self.app, &self.session).await {
                // The token is short, the session may be longer; it was good when this began.
                Err(error) if error.reason == "TOKEN_EXPIRED" => {}
                other => other?,
            }
        }
        let chunk = timeout_at(self.until, self.stream.message()).await.map_err(|_| too_slow())??;
        Ok(chunk.map(|chunk| chunk.deliveries))
    }

    fn done(&self, format: Format, rows: u64) {
        tracing::info!(user.id = %self.session.user.id, ?format, rows, "exported deliveries");
    }

    /// A name with the organisation's date.
    fn headers(&self, kind: &'static str, ending: &str) -> [(http::HeaderName, HeaderValue); 2] {
        let today = self.app.clock.now().with_timezone(&self.app.config.organization.zone());
        let name = format!("attachment; filename=\"deliveries-{}.{ending}\"", today.format("%Y-%m-%d"));
        let name = HeaderValue::try_from(name).unwrap_or(HeaderValue::from_static("attachment"));
        [(CONTENT_TYPE, HeaderValue::from_static(kind)), (CONTENT_DISPOSITION, name)]
    }
}

fn too_slow() -> Error {
    Error::unavailable("EXPORT_TOO_SLOW", "The export took too long. Narrow the filters and try again.")
}

/// A piece of a file, or its end. Nothing more without an end means that it broke off.
enum Part {
    Piece(Bytes),
    End,
}

async fn csv(mut source: Source, slot: Slot) -> Result<Response> {
    // What is refused is refused before the file begins.
    let first = source.next().await?;
    let headers = source.headers("text/csv; charset=utf-8", "csv");
    let (parts, line) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        let until = source.until;
        let written = timeout_at(until, write_csv(first, &mut source, &parts)).await;
        match written.unwrap_or_else(|_| Err(too_slow())) {
            Ok(Some(rows)) => source.done(Format::Csv, rows),
            Ok(None) => tracing::info!("an export was given up by whoever asked for it"),
            // Without an end the body breaks off.
            Err(error) => error.log(),
        }
        drop(slot);
    });
    let body = unfold(Some(line), |line| async move {
        let mut line = line?;
        match line.recv().await {
            Some(Part::Piece(bytes)) => Some((Ok(bytes), Some(line))),
            Some(Part::End) => None,
            None => Some((Err(io::Error::other("the export broke off")), None)),
        }
    });
    Ok((headers, Body::from_stream(body)).into_response())
}

/// Answers how many rows were written, or nothing when nobody wants them any more.
async fn write_csv(
    first: Option<Vec<ExportedDelivery>>,
    source: &mut Source,
    parts: &mpsc::Sender<Part>,
) -> Result<Option<u64>> {
    let zone = source.app.config.organization.zone();
    let (mut piece, mut rows, mut chunk) = (Piece::first()?, 0, first);
    while let Some(deliveries) = chunk {
        for delivery in &deliveries {
            rows += piece.add(delivery, &zone)?;
            if piece.len() >= PIECE {
                let full = std::mem::replace(&mut piece, Piece::next()).finish()?;
                if parts.send(Part::Piece(full.into())).await.is_err() {
                    return Ok(None);
                }
            }
        }
        chunk = source.next().await?;
    }
    let last = Part::Piece(piece.finish()?.into());
    let sent = parts.send(last).await.is_ok() && parts.send(Part::End).await.is_ok();
    Ok(sent.then_some(rows))
}

async fn workbook(mut source: Source, slot: Slot) -> Result<Response> {
    let until = source.until;
    let made = timeout_at(until, write_workbook(&mut source, slot)).await;
    let (file, rows, slot) = made.unwrap_or_else(|_| Err(too_slow()))?;
    source.done(Format::Xlsx, rows);
    let kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let headers = source.headers(kind, "xlsx");
    let length = file.metadata().map_err(Error::internal)?.len();
    let pieces = ReaderStream::with_capacity(tokio::fs::File::from_std(file), PIECE);
    // The file goes and the place is free when all was sent, or nobody reads any more.
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

async fn write_workbook(source: &mut Source, slot: Slot) -> Result<(File, u64, Slot)> {
    let zone = source.app.config.organization.zone();
    let dir = room(source);
    let (chunks, mut inbox) = mpsc::channel::<Option<Vec<ExportedDelivery>>>(AHEAD);
    let writing = tokio::task::spawn_blocking(move || {
        let mut book = Book::begin(&dir, xlsx::MAX_ROWS)?;
        loop {
            match inbox.blocking_recv() {
                Some(Some(deliveries)) => {
                    deliveries.iter().try_for_each(|delivery| book.add(delivery, &zone))?;
                }
                Some(None) => break,
                // Nobody waits for it any more.
                None => return Err(Error::internal("an export was given up")),
            }
        }
        let rows = book.rows();
        Ok((book.finish(&dir)?, rows, slot))
    });
    loop {
        let chunk = source.next().await?;
        let last = chunk.is_none();
        // Who takes no more has a reason, which is told below.
        if chunks.send(chunk).await.is_err() || last {
            break;
        }
    }
    writing.await.map_err(Error::internal)?
}

/// Where a large file has room: beside the data when it is here, as a machine's temporary folder
/// may be memory.
fn room(source: &Source) -> PathBuf {
    let data = &source.app.config.data;
    if data.is_dir() { data.clone() } else { std::env::temp_dir() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Kind;

    #[test]
    fn filters_are_read_as_the_address_bar_has_them() {
        let json = r#"[{"key":"customername","operator":"!contains","values":[{"label":"é","value":"ñ+/"},{"label":"","value":"b"}]}]"#;
        let text = base64::engine::general_purpose::STANDARD.encode(json);
        for text in [text.clone(), text.trim_end_matches('=').to_owned(), text.replace('+', " ")] {
            let filters = read_filters(&text).unwrap();
            assert_eq!(filters.len(), 1);
            assert_eq!(
                (filters[0].key.as_str(), filters[0].operator.as_str()),
                ("customername", "!contains")
            );
            assert_eq!(filters[0].values, ["ñ+/", "b"]);
        }
        assert!(read_filters("").unwrap().is_empty());
        for bad in ["!", "eyJh", "bnVsbA==", "W3t9XQ==", &"A".repeat(MAX_FILTERS + 4)] {
            assert_eq!(read_filters(bad).unwrap_err().kind, Kind::InvalidInput, "{bad:.20}");
        }
    }

    #[test]
    fn sorts_are_read_as_the_address_bar_has_them() {
        let sorts = read_sort("-scheduledatetime, id,");
        let sorts: Vec<_> = sorts.iter().map(|it| (it.key.as_str(), it.direction())).collect();
        assert_eq!(sorts, [("scheduledatetime", SortDirection::Desc), ("id", SortDirection::Asc)]);
        assert!(read_sort("").is_empty());
    }

    #[test]
    fn one_for_each_and_two_in_all() {
        let exports = Exports::default();
        let reason = |user: &str| exports.take(user).err().map(|error| error.reason);
        let a = exports.take("a").unwrap();
        assert_eq!(reason("a").as_deref(), Some("EXPORT_RUNNING"));
        let b = exports.take("b").unwrap();
        assert_eq!(reason("c").as_deref(), Some("EXPORTS_BUSY"));
        assert_eq!(reason("a").as_deref(), Some("EXPORT_RUNNING"));
        drop(a);
        assert!(exports.take("c").is_ok());
        drop(b);
        assert!(exports.take("b").is_ok());
    }
}
