//! `GET /export/driver-positions?driverId=&from=&to=&format=csv|gpx`: a driver's positions as a file.
//!
//! Reads page by page by cursor, and holds at most two pages. CSV has every position, with the reason if it
//! is implausible. A GPX track has only the plausible positions.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::response::Response;
use chrono::{DateTime, Duration, SecondsFormat, Utc};
use http::{Method, Version};
use kit::rpc::Client;
use kit::{Error, Result};
use proto::drivers::v1::drivers_service_client::DriversServiceClient;
use proto::drivers::v1::tracker_service_client::TrackerServiceClient;
use proto::drivers::v1::{Driver, GetDriverRequest, ListPositionsRequest, ListPositionsResponse, Position};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Line, PIECE, SHAPE, Slot, Visit, headers};
use crate::accesses::Export;
use crate::export::gpx::Track;
use crate::export::positions::{Positions, Table};
use crate::http::not_found;
use crate::session::{self, Session};
use crate::state::App;

/// One hour more than 31 days, for a month in which clocks go back.
const LONGEST_RANGE: Duration = Duration::minutes((31 * 24 + 1) * 60);
/// Number of positions per page, and the maximum size of a page in bytes.
const PAGE: u32 = 2_000;
const MAX_PAGE: usize = 16 * 1024 * 1024;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ask {
    driver_id: String,
    from: String,
    to: String,
    format: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Csv,
    Gpx,
}

/// The validated request.
#[derive(Debug)]
struct Wanted {
    driver_id: String,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    format: Format,
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
        let Query(ask) = ask.map_err(|_| Error::invalid_field("driverId", "Name each thing once"))?;
        let wanted = read(ask)?;
        let slot = app.exports.take(&session.user.id)?;
        let driver = driver(&app, session, &wanted.driver_id).await?;
        file(&app, session, (wanted, driver), version, slot).await
    };
    made.await.unwrap_or_else(|error| SHAPE.fail(&error))
}

fn read(ask: Ask) -> Result<Wanted> {
    let Ask { driver_id, from, to, format } = ask;
    if driver_id.trim().is_empty() {
        return Err(Error::invalid_field("driverId", "Driver must be present"));
    }
    let format = match format.as_str() {
        "csv" => Format::Csv,
        "gpx" => Format::Gpx,
        _ => return Err(Error::invalid_field("format", "Format must be csv or gpx")),
    };
    let (from, to) = (instant("from", "From", &from)?, instant("to", "To", &to)?);
    if from >= to {
        return Err(Error::invalid_field("to", "To must be after from"));
    }
    if to - from > LONGEST_RANGE {
        return Err(Error::invalid_field("to", "Choose no more than 31 days"));
    }
    Ok(Wanted { driver_id, from, to, format })
}

fn instant(field: &str, label: &str, text: &str) -> Result<DateTime<Utc>> {
    // In a query string an unescaped plus means a space.
    let at = DateTime::parse_from_rfc3339(&text.trim().replace(' ', "+"));
    let wrong = |_| {
        Error::invalid_field(
            field,
            format!("{label} must be a time with its offset, as 2026-11-21T08:00:00Z"),
        )
    };
    Ok(at.map_err(wrong)?.with_timezone(&Utc))
}

async fn driver(app: &App, session: &Session, driver_id: &str) -> Result<Driver> {
    let mut client = DriversServiceClient::new(session.client(&app.drivers));
    let ask = GetDriverRequest { driver_id: driver_id.to_owned() };
    Ok(client.get_driver(ask).await?.into_inner())
}

/// The positions of one driver, which are read only while the caller may export.
struct Source {
    visit: Visit,
    client: TrackerServiceClient<Client>,
    /// The next request; `None` after the last page.
    ask: Option<ListPositionsRequest>,
}

impl Source {
    fn open(app: &Arc<App>, session: &Session, wanted: &Wanted, driver: &Driver) -> Self {
        let client = tracker(session.client(&app.drivers));
        let ask = ListPositionsRequest {
            driver_id: driver.driver_id.clone(),
            from: Some(proto::timestamp(wanted.from)),
            to: Some(proto::timestamp(wanted.to)),
            after: None,
            limit: PAGE,
        };
        Self { visit: Visit::begin(app, session), client, ask: Some(ask) }
    }

    /// Returns the next page; `None` after the last one.
    async fn next(&mut self) -> Result<Option<Vec<Position>>> {
        let Some(ask) = self.ask.take() else { return Ok(None) };
        self.visit.check().await?;
        let page = self.visit.in_time(self.client.list_positions(ask.clone())).await??;
        let ListPositionsResponse { positions, cursor, more } = page.into_inner();
        if more {
            self.ask = Some(ListPositionsRequest { after: Some(cursor), ..ask });
            // The caller was allowed to read the first page. Their token may expire before the last page, so
            // the gateway reads on in its own name.
            let token = self.visit.app.identity.token()?;
            self.client = tracker(self.visit.app.drivers.with_token(token.into()));
        }
        Ok(Some(positions))
    }
}

fn tracker(client: Client) -> TrackerServiceClient<Client> {
    TrackerServiceClient::new(client).max_decoding_message_size(MAX_PAGE)
}

async fn file(
    app: &Arc<App>,
    session: &Session,
    (wanted, driver): (Wanted, Driver),
    version: Version,
    slot: Slot,
) -> Result<Response> {
    let zone = app.office.organization().await?.zone();
    let mut source = Source::open(app, session, &wanted, &driver);
    // Read the first page before anything is recorded: a request that is refused here is not an export.
    let first = source.next().await?;
    let time = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    let asked = json!({ "format": wanted.format, "from": time(wanted.from), "to": time(wanted.to) });
    app.accesses.exported(session, Export::Positions, (&driver.driver_id, &driver.name), asked).await?;
    let transfer = source.visit.transfer(version);
    let stem = stem(&driver.driver_id, &wanted, &zone);
    match wanted.format {
        Format::Csv => {
            let headers = headers("text/csv; charset=utf-8", &stem, "csv");
            let file = Table::begin(zone)?;
            transfer.respond(headers, slot, |line| write(first, source, file, line)).await
        }
        Format::Gpx => {
            let headers = headers("application/gpx+xml", &stem, "gpx");
            let file = Track::begin(&driver);
            transfer.respond(headers, slot, |line| write(first, source, file, line)).await
        }
    }
}

/// Returns a file name such as `DRV-7-2026-11-21`, with the last day added if there are several days. Days
/// are in the organization's time zone.
fn stem<Z: chrono::TimeZone>(driver_id: &str, wanted: &Wanted, zone: &Z) -> String {
    let first = wanted.from.with_timezone(zone).date_naive();
    let last = (wanted.to - Duration::microseconds(1)).with_timezone(zone).date_naive();
    match first == last {
        true => format!("{driver_id}-{first}"),
        false => format!("{driver_id}-{first}-{last}"),
    }
}

/// Writes the file. Returns false when the client has gone.
async fn write<F: Positions>(
    first: Option<Vec<Position>>,
    mut source: Source,
    mut file: F,
    line: Line,
) -> Result<bool> {
    let (mut rows, mut page) = (0, first);
    while let Some(positions) = page {
        for position in &positions {
            file.add(position)?;
            if file.len() >= PIECE && !line.send(file.take()?).await {
                return Ok(false);
            }
        }
        rows += positions.len() as u64;
        page = source.next().await?;
    }
    let sent = line.end(file.end()?).await;
    if sent {
        source.visit.done("positions", F::FORMAT, rows);
    }
    Ok(sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(from: &str, to: &str) -> Ask {
        Ask { driver_id: "DRV/7".into(), from: from.into(), to: to.into(), format: "gpx".into() }
    }

    #[test]
    fn a_range_has_two_instants_and_a_month_at_most() {
        let wanted = read(ask("2026-11-21T00:00:00 08:00", "2026-11-22T00:00:00+08:00")).unwrap();
        assert_eq!(wanted.from.to_rfc3339(), "2026-11-20T16:00:00+00:00", "a plus that came as a space");
        assert_eq!((wanted.format, wanted.driver_id.as_str()), (Format::Gpx, "DRV/7"));
        // October, in which clocks go back.
        assert!(read(ask("2026-10-01T00:00:00+02:00", "2026-11-01T00:00:00+01:00")).is_ok());
        for (from, to, field) in [
            ("", "2026-11-22T00:00:00Z", "from"),
            ("2026-11-21", "2026-11-22T00:00:00Z", "from"),
            ("2026-11-21T00:00:00", "2026-11-22T00:00:00Z", "from"),
            ("2026-11-21T00:00:00Z", "tomorrow", "to"),
            ("2026-11-22T00:00:00Z", "2026-11-22T00:00:00Z", "to"),
            ("2026-10-01T00:00:00Z", "2026-11-01T01:00:01Z", "to"),
            ("2026-10-01T00:00:00Z", "9999-11-01T01:00:01Z", "to"),
        ] {
            let error = read(ask(from, to)).unwrap_err();
            assert!(error.fields.contains_key(field), "{from} {to}: {error}");
        }
        for (ask, field) in [
            (Ask { driver_id: " ".into(), ..ask("", "") }, "driverId"),
            (Ask { format: "kml".into(), ..ask("", "") }, "format"),
            (Ask::default(), "driverId"),
        ] {
            assert!(read(ask).unwrap_err().fields.contains_key(field));
        }
    }

    #[test]
    fn a_file_is_called_after_its_days() {
        let manila = chrono::FixedOffset::east_opt(8 * 3600).unwrap();
        let name = |from, to| stem("DRV-7", &read(ask(from, to)).unwrap(), &manila);
        assert_eq!(name("2026-11-20T16:00:00Z", "2026-11-21T16:00:00Z"), "DRV-7-2026-11-21");
        assert_eq!(name("2026-11-20T16:00:00Z", "2026-11-21T16:00:01Z"), "DRV-7-2026-11-21-2026-11-22");
    }
}
