//! Positions of drivers, current and past.

use futures::{StreamExt, stream};
use kit::principal::{Principal, Role, principal};
use kit::{Error, Kind, Result, config};
use prost::Message;
use proto::drivers::v1::tracker_service_server::TrackerService;
use proto::drivers::v1::*;
use tonic::{Request, Response, Status};

use super::{Shared, bounded};
use crate::domain::driver::online_state;
use crate::domain::form;
use crate::domain::position::{Last, Point, Provider, points};
use crate::entity::{driver, location};
use crate::lookup::{Known, Pairings};
use crate::store::locations::{self, Moved};
use crate::store::positions::{self, DriverPoints, Recorded, Span};
use crate::store::{devices, drivers};

/// Maximum number of reports per request.
const MAX_REPORTS: usize = 256;
/// Number of reports whose drivers are looked up concurrently.
const LOOKUPS: usize = 16;
/// Maximum size of a response in bytes, below the clients' limit. Clients get the remaining positions by
/// the cursor.
const MAX_ANSWER_BYTES: usize = 3 << 20;

pub struct Service {
    pub shared: Shared,
}

impl Service {
    /// Splits a report by driver. Fails if the report must not be stored. If it has positions that belong to
    /// nobody, also adds the device to the list of unpaired devices, within that list's limits.
    async fn split(&self, report: DeviceReport) -> Result<Vec<DriverPoints>> {
        let DeviceReport { device_unique_id, provider, positions, address } = report;
        let device = form::device(&device_unique_id)?;
        let provider = Provider::parse(&provider)?;
        let points = points(positions)?;
        let pairings = self.shared.lookup.device(&device).await?;
        let drivers = points.iter().map(|point| pairings.driver_at(point.occurred_at));
        if let Some(drivers) = drivers.collect::<Option<Vec<&Known>>>() {
            return by_driver(&pairings, provider, points.into_iter().zip(drivers));
        }
        let context = &self.shared.context;
        let count = points.len();
        let last = points.into_iter().max_by_key(|point| point.occurred_at);
        if let Some(point) = last.filter(|_| self.shared.strangers.may_be_listed(&address, &device.key)) {
            let received_at = context.clock.now();
            let last = Last { point, received_at, provider: provider.as_str().to_owned() };
            let (was_paired, most) = (pairings.has_ended(), context.config.max_unpaired_devices);
            devices::note_unpaired(&context.db, device, &last, was_paired, count, &address, most).await?;
        }
        let text = "This device isn't paired with a driver yet. Pair it under Drivers.";
        Err(Error::not_found("DEVICE_UNPAIRED", text))
    }

    fn location(
        &self,
        driver: driver::Model,
        row: &location::Model,
        rules: &config::Drivers,
    ) -> Result<Option<Location>> {
        let Some(last) = row.last()? else { return Ok(None) };
        let now = self.shared.context.clock.now();
        let state = online_state(Some(last.point.occurred_at), now, rules);
        Ok(Some(Location {
            position: Some(last.told(&driver.driver_id)),
            driver_id: driver.driver_id,
            name: driver.name,
            status: DriverStatus::from(driver.status).into(),
            online_state: state.into(),
            version: row.version.unsigned_abs(),
        }))
    }
}

/// Groups the points of a report by driver. Refuses the report if one of the drivers is blocked. But once a
/// device belongs to somebody else, leaves out the points of a blocked former driver: after a refusal, the
/// device would send them again and again, and nothing for its current driver.
fn by_driver<'a>(
    pairings: &Pairings,
    provider: Provider,
    points: impl Iterator<Item = (Point, &'a Known)>,
) -> Result<Vec<DriverPoints>> {
    let mut groups: Vec<DriverPoints> = Vec::new();
    for (point, driver) in points {
        if let Err(blocked) = driver.require_active() {
            if pairings.current.as_ref().is_some_and(|current| current.number != driver.number) {
                continue;
            }
            return Err(blocked);
        }
        match groups.iter_mut().find(|group| group.driver == driver.number) {
            Some(group) => group.points.push(point),
            None => groups.push(DriverPoints { driver: driver.number, provider, points: vec![point] }),
        }
    }
    Ok(groups)
}

/// Returns the answer for one report from the results for its drivers.
fn accepted(parts: impl Iterator<Item = Recorded>) -> ReportAnswer {
    parts.fold(ReportAnswer::default(), |mut sum, Recorded { recorded, filtered, too_old }| {
        sum.recorded += recorded;
        sum.filtered += filtered;
        sum.too_old += too_old;
        sum
    })
}

/// Requires staff, or the gateway in its own name. The gateway reads in its own name to serve all open maps
/// together, and to continue a long export that a person was allowed to start.
fn require_reader(principal: &Principal) -> Result<()> {
    principal.require_service("gateway").or_else(|_| principal.require(Role::STAFF)).map(|_| ())
}

/// Converts an error to the answer for one report. A call contains reports of many devices, so a failing
/// lookup must not fail the others: the affected device sends its report again.
fn refusal(error: Error) -> ReportAnswer {
    let refusal = match (error.kind, error.reason.as_str()) {
        (Kind::NotFound, "DEVICE_UNPAIRED") => ReportRefusal::Unpaired,
        (Kind::Forbidden, "DRIVER_BLOCKED") => ReportRefusal::Blocked,
        (Kind::InvalidInput, _) => ReportRefusal::Invalid,
        _ => {
            error.log();
            ReportRefusal::Later
        }
    };
    ReportAnswer { refusal: refusal.into(), message: error.message, ..Default::default() }
}

#[tonic::async_trait]
impl TrackerService for Service {
    async fn record_reports(
        &self,
        request: Request<RecordReportsRequest>,
    ) -> Result<Response<RecordReportsResponse>, Status> {
        principal(&request)?.require_service("gateway")?;
        let reports = request.into_inner().reports;
        if reports.len() > MAX_REPORTS {
            return Err(Error::invalid_field("reports", format!("at most {MAX_REPORTS} at once")).into());
        }
        let split: Vec<_> =
            stream::iter(reports).map(|report| self.split(report)).buffered(LOOKUPS).collect().await;
        let mut batches = Vec::with_capacity(split.len());
        let mut answers = Vec::with_capacity(split.len());
        for report in split {
            answers.push(match report {
                Ok(parts) => {
                    let count = parts.len();
                    batches.extend(parts);
                    Ok(count)
                }
                Err(error) => Err(refusal(error)),
            });
        }
        let mut recorded = self.shared.ingest.record(batches).await?.into_iter();
        let answers = answers.into_iter().map(|parts| match parts {
            Ok(count) => accepted(recorded.by_ref().take(count)),
            Err(refused) => refused,
        });
        Ok(Response::new(RecordReportsResponse { answers: answers.collect() }))
    }

    async fn record_positions(
        &self,
        request: Request<RecordPositionsRequest>,
    ) -> Result<Response<RecordPositionsResponse>, Status> {
        let driver_id = principal(&request)?.driver()?.to_owned();
        let points = points(request.into_inner().positions)?;
        let known = self.shared.lookup.driver(&driver_id).await?;
        known.require_active()?;
        let batch = DriverPoints { driver: known.number, provider: Provider::Api, points };
        let recorded = self.shared.ingest.record(vec![batch]).await?;
        let Recorded { recorded, filtered, too_old } = recorded.into_iter().next().unwrap_or_default();
        Ok(Response::new(RecordPositionsResponse { recorded, filtered, too_old }))
    }

    async fn list_locations(
        &self,
        request: Request<ListLocationsRequest>,
    ) -> Result<Response<ListLocationsResponse>, Status> {
        require_reader(principal(&request)?)?;
        let ListLocationsRequest { after, driver_ids } = request.into_inner();
        let driver_ids = bounded("driverIds", driver_ids)?;
        let after = after.as_deref().map(locations::Cursor::parse).transpose()?.flatten();
        let Moved { rows, cursor, more } =
            locations::moved(&self.shared.context.db, after, &driver_ids).await?;
        let answer = |locations, cursor: locations::Cursor, more| {
            Ok(Response::new(ListLocationsResponse { locations, cursor: cursor.text(), more }))
        };
        let rules = self.shared.context.rules();
        let (mut told, mut bytes, mut last) = (Vec::with_capacity(rows.len()), 0, None);
        for (driver, row) in rows {
            let Some(location) = self.location(driver, &row, &rules)? else { continue };
            bytes += location.encoded_len() + 8;
            if let Some(last) = last.filter(|_| bytes > MAX_ANSWER_BYTES) {
                return answer(told, last, true);
            }
            last = Some(locations::Cursor::of(&row));
            told.push(location);
        }
        answer(told, cursor, more)
    }

    async fn list_positions(
        &self,
        request: Request<ListPositionsRequest>,
    ) -> Result<Response<ListPositionsResponse>, Status> {
        require_reader(principal(&request)?)?;
        let ListPositionsRequest { driver_id, from, to, after, limit } = request.into_inner();
        let limit = match u64::from(limit) {
            0 => positions::MAX_POSITIONS,
            limit if limit <= positions::MAX_POSITIONS => limit,
            _ => {
                let text = format!("at most {}", positions::MAX_POSITIONS);
                return Err(Error::invalid_field("limit", text).into());
            }
        };
        let instant = |field: &str, at: Option<prost_types::Timestamp>| {
            let text = "must be a point in time";
            at.and_then(proto::instant).ok_or_else(|| Error::invalid_field(field, format!("{field} {text}")))
        };
        let (from, to) = (instant("from", from)?, instant("to", to)?);
        let after = after.as_deref().map(positions::Cursor::parse).transpose()?;
        let db = &self.shared.context.db;
        let driver = drivers::get(db, &driver_id).await?;
        let span = Span { driver: driver.number, from, to, after };
        let (rows, mut more) = positions::list(db, span, limit).await?;
        let (mut told, mut bytes, mut cursor) = (Vec::with_capacity(rows.len()), 0, String::new());
        for row in rows {
            let last = positions::Cursor::of(&row);
            let position = row.told(&driver.driver_id);
            bytes += position.encoded_len() + 8;
            if bytes > MAX_ANSWER_BYTES && !told.is_empty() {
                more = true;
                break;
            }
            told.push(position);
            cursor = last.text();
        }
        Ok(Response::new(ListPositionsResponse { positions: told, cursor, more }))
    }
}
