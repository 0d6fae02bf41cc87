//! `GET /export/deliveries?format=csv|xlsx&filters=&sort=`: everything in a list, as a file.
//!
//! Filters are in the format of the browser's address bar (base64 of JSON), but with the server's field
//! names, and with times as instants. CSV is sent while the deliveries are read. A workbook is written to
//! disk first, because only then it is known that everything fits.

use std::fs::File;
use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::response::Response;
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::{Method, Version};
use kit::config::Organization;
use kit::{Error, Result};
use proto::common::v1::{Filter, Page, Sort, SortDirection};
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use proto::deliveries::v1::{ExportDeliveriesRequest, ExportDeliveriesResponse, ExportedDelivery};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::timeout_at;
use tonic::Streaming;

use super::{AHEAD, Headers, Line, PIECE, SHAPE, Slot, Visit, headers, saved, too_slow};
use crate::accesses::{self, Export};
use crate::export::csv::Piece;
use crate::export::xlsx::{self, Book};
use crate::http::not_found;
use crate::session::{self, Session};
use crate::state::App;

const MAX_FILTERS: usize = 16 * 1024;
/// Maximum size of one chunk from the service, including items.
const MAX_CHUNK: usize = 64 * 1024 * 1024;
/// Encoding of filters in the address bar. Padding is optional, because people who type an address omit it.
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

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Csv,
    Xlsx,
}

pub async fn get(
    State(app): State<Arc<App>>,
    ask: Result<Query<Ask>, QueryRejection>,
    request: Request,
) -> Response {
    // A HEAD request would cost all the work and return nothing.
    if request.method() != Method::GET {
        return not_found(SHAPE);
    }
    let version = request.version();
    let identity = session::identify(&app, request.headers(), request.extensions()).await;
    let made = async {
        let session = identity.session()?;
        let ask = ask.map_err(|_| Error::invalid_field("format", "Format must be csv or xlsx"))?;
        let Query(Ask { format, filters, sort }) = ask;
        let page = Page { r#where: read_filters(&filters)?, sort: read_sort(&sort), ..Page::default() };
        let asked = accesses::asked(json!(format), &page.r#where, &sort);
        let slot = app.exports.take(&session.user.id)?;
        let mut source = Source::open(&app, session, page).await?;
        // Read the first chunk before anything is recorded: a request that is refused here is not an export.
        let first = source.next().await?;
        app.accesses.exported(session, Export::Deliveries, ("", ""), asked).await?;
        match format {
            Format::Csv => csv(first, source, version, slot).await,
            Format::Xlsx => workbook(first, source, slot).await,
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
    // In a query string an unescaped plus means a space.
    let bytes = BASE64.decode(text.replace(' ', "+")).map_err(|_| wrong())?;
    let filters: Vec<SentFilter> = serde_json::from_slice(&bytes).map_err(|_| wrong())?;
    let filters = filters.into_iter().map(|SentFilter { key, operator, values }| Filter {
        key,
        operator,
        values: values.into_iter().map(|it| it.value).collect(),
    });
    Ok(filters.collect())
}

/// Parses a sort order such as `-scheduledatetime,id`.
fn read_sort(text: &str) -> Vec<Sort> {
    let keys = text.split(',').map(str::trim).filter(|key| !key.is_empty());
    let sorts = keys.map(|key| match key.strip_prefix('-') {
        Some(key) => Sort { key: key.to_owned(), direction: SortDirection::Desc.into() },
        None => Sort { key: key.to_owned(), direction: SortDirection::Asc.into() },
    });
    sorts.collect()
}

/// Some deliveries of the list; `None` at the end of the list.
type Chunk = Option<Vec<ExportedDelivery>>;

/// The service's stream of deliveries, which is read only while the caller may export.
struct Source {
    visit: Visit,
    stream: Streaming<ExportDeliveriesResponse>,
    /// The organization as it was at the beginning, so that one file has one time zone.
    organization: Arc<Organization>,
}

impl Source {
    async fn open(app: &Arc<App>, session: &Session, page: Page) -> Result<Self> {
        let organization = app.office.organization().await?;
        let client = DeliveriesServiceClient::new(session.client(&app.deliveries));
        let mut client = client.max_decoding_message_size(MAX_CHUNK);
        let ask = ExportDeliveriesRequest { page: Some(page), items: true };
        let visit = Visit::begin(app, session);
        let stream = client.export_deliveries(ask).await?.into_inner();
        Ok(Self { visit, stream, organization })
    }

    async fn next(&mut self) -> Result<Chunk> {
        self.visit.check().await?;
        let chunk = self.visit.in_time(self.stream.message()).await??;
        Ok(chunk.map(|chunk| chunk.deliveries))
    }

    /// Returns headers with a file name that has the organization's date.
    fn headers(&self, kind: &'static str, ending: &str) -> Headers {
        let app = &self.visit.app;
        let today = app.clock.now().with_timezone(&self.organization.zone());
        headers(kind, &format!("deliveries-{}", today.format("%Y-%m-%d")), ending)
    }
}

async fn csv(first: Chunk, source: Source, version: Version, slot: Slot) -> Result<Response> {
    let headers = source.headers("text/csv; charset=utf-8", "csv");
    let transfer = source.visit.transfer(version);
    transfer.respond(headers, slot, |line| write_csv(first, source, line)).await
}

/// Writes the file as CSV. Returns false when the client has gone.
async fn write_csv(first: Chunk, mut source: Source, line: Line) -> Result<bool> {
    let zone = source.organization.zone();
    let (mut piece, mut rows, mut chunk) = (Piece::first()?, 0, first);
    while let Some(deliveries) = chunk {
        for delivery in &deliveries {
            rows += piece.add(delivery, &zone)?;
            if piece.len() >= PIECE {
                let full = std::mem::replace(&mut piece, Piece::next()).finish()?;
                if !line.send(full).await {
                    return Ok(false);
                }
            }
        }
        chunk = source.next().await?;
    }
    let sent = line.end(piece.finish()?).await;
    if sent {
        source.visit.done("deliveries", "csv", rows);
    }
    Ok(sent)
}

async fn workbook(first: Chunk, mut source: Source, slot: Slot) -> Result<Response> {
    let until = source.visit.until;
    let made = timeout_at(until, write_workbook(first, &mut source, slot)).await;
    let (file, rows, slot) = made.unwrap_or_else(|_| Err(too_slow()))?;
    source.visit.done("deliveries", "xlsx", rows);
    let kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    saved(source.headers(kind, "xlsx"), file, until, slot)
}

async fn write_workbook(first: Chunk, source: &mut Source, slot: Slot) -> Result<(File, u64, Slot)> {
    let zone = source.organization.zone();
    let (dir, max_bytes) = (source.visit.room(), source.visit.app.config.http.max_export_bytes);
    let (chunks, mut inbox) = mpsc::channel::<Chunk>(AHEAD);
    let writing = tokio::task::spawn_blocking(move || {
        let mut book = Book::begin(&dir, xlsx::MAX_ROWS, max_bytes)?;
        loop {
            match inbox.blocking_recv() {
                Some(Some(deliveries)) => {
                    deliveries.iter().try_for_each(|delivery| book.add(delivery, &zone))?;
                }
                Some(None) => break,
                // The client has gone.
                None => return Err(Error::internal("an export was given up")),
            }
        }
        let rows = book.rows();
        Ok((book.finish(&dir)?, rows, slot))
    });
    let mut next = Ok(first);
    let fed = loop {
        let chunk = match next {
            Ok(chunk) => chunk,
            Err(error) => break Err(error),
        };
        let last = chunk.is_none();
        // A writer that accepts no more chunks has failed, and returns why below.
        if chunks.send(chunk).await.is_err() || last {
            break Ok(());
        }
        next = source.next().await;
    };
    // The writer holds the slot, so it must stop before the error is returned: otherwise an immediate retry
    // would be refused.
    drop(chunks);
    let written = writing.await.map_err(xlsx::panicked)?;
    fed.and(written)
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
}
