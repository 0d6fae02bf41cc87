//! The stand-in for drivers and their positions.

use std::collections::HashMap;
use std::sync::Arc;

use kit::principal::caller;
use kit::{Error, Kind, Principal};
use proto::common::v1::{BatchGetRequest, Count, CountRequest};
use proto::drivers::v1::drivers_service_server::DriversService;
use proto::drivers::v1::tracker_service_server::TrackerService;
use proto::drivers::v1::*;
use tonic::{Request, Response, Status};

use super::{Answer, Stage, note, prost_at};

pub struct Drivers(pub Arc<Stage>);

pub fn position(second: i64) -> Position {
    Position {
        driver_id: "DRV/1".into(),
        occurred_at: Some(prost_at(1_800_000_000 + second)),
        received_at: Some(prost_at(1_800_000_001 + second)),
        lat: 14.5,
        lng: -121.25,
        speed_kmh: Some(36.5),
        battery_pct: Some(80.0),
        charging: Some(false),
        provider: "osmand".into(),
        valid: true,
        attributes: HashMap::from([("b".into(), "2".into()), ("a".into(), "=1".into())]),
        ..Position::default()
    }
}

fn driver(id: &str) -> Driver {
    Driver {
        driver_id: id.to_uppercase(),
        name: "Ramon <Cruz>".into(),
        status: DriverStatus::Active.into(),
        username: "ramon".into(),
        device_unique_ids: vec!["860".into()],
        last_seen_at: Some(prost_at(1_800_000_000)),
        last_position: Some(position(0)),
        online_state: OnlineState::Stale.into(),
        licence_expiry: Some("2027-01-31".into()),
        created_at: Some(prost_at(1)),
        created_by: "maria".into(),
        updated_at: Some(prost_at(2)),
        updated_by: "maria".into(),
        version: 7,
        ..Driver::default()
    }
}

fn log(id: &str, detail: &str) -> DriverLog {
    DriverLog {
        id: id.into(),
        driver_id: "DRV/1".into(),
        driver_name: "Ramon".into(),
        activity: "arrived".into(),
        occurred_at: Some(prost_at(1)),
        received_at: Some(prost_at(2)),
        lat: Some(14.5),
        detail: detail.into(),
        ..DriverLog::default()
    }
}

fn known(id: &str) -> Result<Driver, Status> {
    match id.trim().to_lowercase().as_str() {
        "nobody" => Err(Error::not_found("DRIVER_NOT_FOUND", "There is no such driver.").into()),
        _ => Ok(driver(id)),
    }
}

#[tonic::async_trait]
impl DriversService for Drivers {
    async fn list_drivers(&self, request: Request<ListDriversRequest>) -> Answer<ListDriversResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        Ok(Response::new(ListDriversResponse {
            drivers: vec![driver("DRV/1"), driver("DRV/2")],
            more: false,
        }))
    }

    async fn count_drivers(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 2, exact: true }))
    }

    async fn get_driver(&self, request: Request<GetDriverRequest>) -> Answer<Driver> {
        self.0.staff(&request, format!("driver {}", request.get_ref().driver_id)).await?;
        Ok(Response::new(known(&request.get_ref().driver_id)?))
    }

    async fn batch_get_drivers(&self, request: Request<BatchGetRequest>) -> Answer<BatchGetDriversResponse> {
        self.0.staff(&request, note("drivers", &request.get_ref().ids)).await?;
        // One of the drivers is unknown to this service.
        let known = request.get_ref().ids.iter().filter(|id| *id != "drv/0");
        Ok(Response::new(BatchGetDriversResponse { drivers: known.map(|id| driver(id)).collect() }))
    }

    async fn create_driver(&self, request: Request<CreateDriverRequest>) -> Answer<Driver> {
        self.0.editor(&request, "create").await?;
        self.0.keep(&request);
        if request.get_ref().driver_id == "taken" {
            let error = Error::already_exists("DRIVER_EXISTS", "Another driver has this id");
            return Err(error.field("driverId", "Another driver has this id").into());
        }
        Ok(Response::new(driver(&request.get_ref().driver_id)))
    }

    async fn update_driver(&self, request: Request<UpdateDriverRequest>) -> Answer<Driver> {
        self.0.editor(&request, "update").await?;
        self.0.keep(&request);
        if request.get_ref().version != 7 {
            return Err(Error::precondition("DRIVER_CHANGED", "Somebody changed this driver.").into());
        }
        Ok(Response::new(driver(&request.get_ref().driver_id)))
    }

    async fn update_driver_status(&self, request: Request<UpdateDriverStatusRequest>) -> Answer<Driver> {
        self.0.editor(&request, "status").await?;
        self.0.keep(&request);
        let UpdateDriverStatusRequest { driver_id, status, .. } = request.into_inner();
        Ok(Response::new(Driver { status, ..driver(&driver_id) }))
    }

    async fn list_unpaired_devices(
        &self,
        request: Request<ListUnpairedDevicesRequest>,
    ) -> Answer<ListUnpairedDevicesResponse> {
        self.0.staff(&request, "devices").await?;
        let device = UnpairedDevice {
            unique_id: "861/x".into(),
            provider: "owntracks".into(),
            first_seen_at: Some(prost_at(1)),
            last_seen_at: Some(prost_at(2)),
            positions: 12,
            last_position: Some(Position { driver_id: String::new(), ..position(0) }),
            address: "203.0.113.7".into(),
        };
        Ok(Response::new(ListUnpairedDevicesResponse { devices: vec![device] }))
    }

    async fn pair_device(&self, request: Request<PairDeviceRequest>) -> Answer<Driver> {
        self.0.editor(&request, "pair").await?;
        self.0.keep(&request);
        if request.get_ref().unique_id == "taken" {
            return Err(Error::precondition("DEVICE_TAKEN", "Another driver has this device.").into());
        }
        Ok(Response::new(known(&request.get_ref().driver_id)?))
    }

    async fn unpair_device(&self, request: Request<UnpairDeviceRequest>) -> Answer<Driver> {
        self.0.editor(&request, "unpair").await?;
        self.0.keep(&request);
        Ok(Response::new(known(&request.get_ref().driver_id)?))
    }

    async fn list_driver_logs(
        &self,
        request: Request<ListDriverLogsRequest>,
    ) -> Answer<ListDriverLogsResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        let logs = vec![log("l-1", r#"{"battery":12}"#), log("l-2", "")];
        Ok(Response::new(ListDriverLogsResponse { logs, more: false }))
    }

    async fn count_driver_logs(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 10_000, exact: false }))
    }

    async fn get_driver_log(&self, request: Request<GetDriverLogRequest>) -> Answer<DriverLog> {
        self.0.staff(&request, "log").await?;
        match request.get_ref().id.as_str() {
            "l-1" => Ok(Response::new(log("l-1", "[1"))),
            "l-2" => Ok(Response::new(log("l-2", ""))),
            _ => Err(Error::not_found("DRIVER_LOG_NOT_FOUND", "There is no such entry.").into()),
        }
    }

    async fn record_driver_logs(
        &self,
        request: Request<RecordDriverLogsRequest>,
    ) -> Answer<RecordDriverLogsResponse> {
        caller(&request)?.principal.driver()?;
        self.0.person(&request, "logs").await?;
        self.0.keep(&request);
        let logs = &request.get_ref().logs;
        if logs.iter().any(|log| log.activity == "dancing") {
            let at = logs.iter().position(|log| log.activity == "dancing").unwrap_or_default();
            let field = format!("logs[{at}].activity");
            return Err(Error::invalid_field(&field, "There is no such activity").into());
        }
        Ok(Response::new(RecordDriverLogsResponse { recorded: logs.len() as u32 }))
    }
}

impl Stage {
    /// Moves these drivers, one after the other.
    pub fn moves(&self, ids: &[&str]) {
        let mut memory = self.memory.lock().unwrap();
        for id in ids {
            let last = memory.locations.last().map_or(0, |it| it.version);
            memory.locations.retain(|it| !it.driver_id.eq_ignore_ascii_case(id));
            memory.locations.push(Location {
                driver_id: (*id).to_owned(),
                name: format!("Driver {id}"),
                status: DriverStatus::Active.into(),
                online_state: OnlineState::Online.into(),
                position: Some(Position { driver_id: (*id).to_owned(), ..position(last as i64) }),
                version: last + 1,
            });
        }
    }

    /// Sets the positions of one driver.
    pub fn was_at(&self, positions: Vec<Position>) {
        self.memory.lock().unwrap().positions = positions;
    }

    /// Sets the rows per answer of the tracker from now on.
    pub fn tracker_page(&self, rows: usize) {
        self.memory.lock().unwrap().tracker_page = rows;
    }

    /// Makes the tracker fail like this; `None` makes it work again.
    pub fn tracker_fails(&self, kind: Option<Kind>) {
        self.memory.lock().unwrap().tracker_failure = kind;
    }

    /// Admits staff, and the gateway in its own name; records which of them called.
    async fn staff_or_gateway<T>(&self, request: &Request<T>, call: &str) -> Result<(), Status> {
        if let Principal::Service { .. } = caller(request)?.principal {
            caller(request)?.principal.require_service("gateway")?;
            self.enter(format!("{call} for the gateway")).await?;
        } else {
            self.staff(request, format!("{call} for staff")).await?;
        }
        match self.memory.lock().unwrap().tracker_failure {
            Some(kind) => Err(Error::new(kind, "SOME_REASON", "some text").into()),
            None => Ok(()),
        }
    }
}

/// Returns the index that a cursor stands for.
fn place(after: &Option<String>) -> Result<usize, Status> {
    let place = after.as_deref().map_or(Ok(0), str::parse);
    place.map_err(|_| Error::invalid_field("after", "This is no cursor").into())
}

#[tonic::async_trait]
impl TrackerService for Drivers {
    /// Refuses every report while the stage is set to fail. Always refuses reports of the device `lost`.
    async fn record_reports(&self, request: Request<RecordReportsRequest>) -> Answer<RecordReportsResponse> {
        caller(&request)?.principal.require_service("gateway")?;
        let reports = &request.get_ref().reports;
        let addresses = reports.iter().map(|report| report.address.clone());
        self.0.memory.lock().unwrap().addresses.extend(addresses);
        self.0.keep(&request);
        let refused = self.0.enter("device positions").await.err().map(Error::from);
        let refusal = match refused.as_ref().map(|error| error.kind) {
            None => ReportRefusal::Unspecified,
            Some(Kind::NotFound) => ReportRefusal::Unpaired,
            Some(Kind::Forbidden) => ReportRefusal::Blocked,
            Some(Kind::InvalidInput) => ReportRefusal::Invalid,
            Some(_) => return Err(refused.unwrap().into()),
        };
        let message = refused.map(|error| error.message).unwrap_or_default();
        let answer = |report: &DeviceReport| {
            let refusal = if report.device_unique_id == "lost" { ReportRefusal::Unpaired } else { refusal };
            let recorded = report.positions.len() as u32;
            ReportAnswer {
                recorded,
                filtered: 0,
                too_old: 0,
                refusal: refusal.into(),
                message: message.clone(),
            }
        };
        Ok(Response::new(RecordReportsResponse { answers: reports.iter().map(answer).collect() }))
    }

    async fn record_positions(
        &self,
        request: Request<RecordPositionsRequest>,
    ) -> Answer<RecordPositionsResponse> {
        caller(&request)?.principal.driver()?;
        self.0.person(&request, "positions").await?;
        self.0.keep(&request);
        let recorded = request.get_ref().positions.len() as u32;
        Ok(Response::new(RecordPositionsResponse { recorded, filtered: 1, too_old: 2 }))
    }

    async fn list_locations(&self, request: Request<ListLocationsRequest>) -> Answer<ListLocationsResponse> {
        self.0.staff_or_gateway(&request, "locations").await?;
        self.0.keep(&request);
        let ListLocationsRequest { after, driver_ids } = request.into_inner();
        let from = place(&after)? as u64;
        let memory = self.0.memory.lock().unwrap();
        let named = |it: &&Location| {
            driver_ids.is_empty() || driver_ids.iter().any(|id| id.eq_ignore_ascii_case(&it.driver_id))
        };
        let mut locations: Vec<_> =
            memory.locations.iter().filter(|it| it.version > from).filter(named).cloned().collect();
        let most = if memory.tracker_page == 0 { 2_000 } else { memory.tracker_page };
        let more = locations.len() > most;
        locations.truncate(most);
        let cursor = locations.last().map(|it| it.version.to_string()).or(after).unwrap_or_default();
        Ok(Response::new(ListLocationsResponse { locations, cursor, more }))
    }

    async fn list_positions(&self, request: Request<ListPositionsRequest>) -> Answer<ListPositionsResponse> {
        self.0.staff_or_gateway(&request, "positions").await?;
        self.0.keep(&request);
        let ListPositionsRequest { after, limit, .. } = request.into_inner();
        let from = place(&after)?;
        let memory = self.0.memory.lock().unwrap();
        let most = match (memory.tracker_page, limit) {
            (0, 0) => 10_000,
            (0, limit) => limit as usize,
            (most, _) => most,
        };
        let rest = memory.positions.get(from..).unwrap_or_default();
        let positions: Vec<_> = rest.iter().take(most).cloned().collect();
        let more = rest.len() > most;
        let cursor = if positions.is_empty() { String::new() } else { (from + positions.len()).to_string() };
        Ok(Response::new(ListPositionsResponse { positions, cursor, more }))
    }
}
