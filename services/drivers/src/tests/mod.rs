//! Tests of the service on both databases, through the methods of its gRPC services.

mod acts;
mod clocks;
mod devices;
mod drivers;
mod logs;
mod months;
mod plans;
mod positions;
mod settings;
mod ways;

use chrono::{DateTime, Duration, Utc};
use kit::clock::Clock;
use kit::principal::{Caller, Principal, Role};
use kit::{Error, Kind};
use prost::Message;
use proto::common::v1::{Filter, Page, Sort, SortDirection};
use proto::drivers::v1::drivers_service_server::DriversService;
use proto::drivers::v1::tracker_service_server::TrackerService;
use proto::drivers::v1::*;
use proto::events::Envelope;
use proto::events::envelope::Payload;
use store::Db;
use store::clearing::Doubts;
use store::testing::events;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::{Context, Migrator};

/// The service with running writers and a clock that tests advance.
struct World {
    context: Context,
    clock: Clock,
    drivers: crate::rpc::drivers::Service,
    tracker: crate::rpc::tracker::Service,
    stop: CancellationToken,
    writers: tokio::task::JoinHandle<()>,
}

/// Returns doubts that delay no deletion, for tests that advance their clock by months.
fn no_doubts() -> Doubts {
    Doubts::holding(std::time::Duration::ZERO)
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

impl World {
    async fn start(db: Db) -> Self {
        Self::with(db, kit::config::Drivers::default()).await
    }

    async fn with(db: Db, config: kit::config::Drivers) -> Self {
        let clock = Clock::fixed(at("2026-11-21T08:00:00Z"));
        let settings = store::settings::Settings::default();
        let context = Context { db, clock: clock.clone(), config, settings };
        crate::store::retention::tend(&context.db, clock.now(), &context.config, &no_doubts()).await.unwrap();
        let (shared, writers) = crate::share(&context);
        let stop = CancellationToken::new();
        let writers = tokio::spawn(writers.run(stop.clone()));
        let drivers = crate::rpc::drivers::Service { shared: shared.clone() };
        let tracker = crate::rpc::tracker::Service { shared };
        Self { context, clock, drivers, tracker, stop, writers }
    }

    async fn stop(self) {
        self.stop.cancel();
        self.writers.await.unwrap();
    }

    fn db(&self) -> &Db {
        &self.context.db
    }

    async fn create(&self, id: &str) -> Driver {
        let request = CreateDriverRequest { driver_id: id.into(), driver: Some(form(&format!("user-{id}"))) };
        good(self.drivers.create_driver(editor(request)).await)
    }

    async fn block(&self, id: &str, blocked: bool) -> Driver {
        let status = if blocked { DriverStatus::Blocked } else { DriverStatus::Active }.into();
        let request = UpdateDriverStatusRequest { driver_id: id.into(), version: None, status };
        good(self.drivers.update_driver_status(editor(request)).await)
    }

    async fn pair(&self, device: &str, id: &str) -> Result<Response<Driver>, Status> {
        let request = PairDeviceRequest { unique_id: device.into(), driver_id: id.into() };
        self.drivers.pair_device(editor(request)).await
    }

    /// Sends positions as a driver's app does.
    async fn tell(&self, id: &str, positions: Vec<PositionInput>) -> Result<(u32, u32), Error> {
        let request = as_driver(id, RecordPositionsRequest { positions });
        let done = self.tracker.record_positions(request).await.map_err(Error::from)?.into_inner();
        Ok((done.recorded, done.filtered))
    }

    /// Sends positions as a device does, through the gateway.
    async fn send(
        &self,
        device: &str,
        positions: Vec<PositionInput>,
    ) -> Result<(u32, u32), (ReportRefusal, String)> {
        let answer = self.report(vec![report(device, positions)]).await.unwrap().remove(0);
        match answer.refusal() {
            ReportRefusal::Unspecified => Ok((answer.recorded, answer.filtered)),
            refusal => Err((refusal, answer.message)),
        }
    }

    /// Sends the reports of many devices in one call.
    async fn report(&self, reports: Vec<DeviceReport>) -> Result<Vec<ReportAnswer>, Error> {
        let done = self.tracker.record_reports(as_gateway(RecordReportsRequest { reports })).await;
        Ok(done.map_err(Error::from)?.into_inner().answers)
    }

    async fn get(&self, id: &str) -> Driver {
        good(self.drivers.get_driver(viewer(GetDriverRequest { driver_id: id.into() })).await)
    }

    /// Returns a point near Manila, this many seconds from now.
    fn point(&self, seconds: i64) -> PositionInput {
        self.place(seconds, 14.559, 121.02)
    }

    fn place(&self, seconds: i64, lat: f64, lng: f64) -> PositionInput {
        let at = self.clock.now() + Duration::seconds(seconds);
        PositionInput { occurred_at: Some(proto::timestamp(at)), lat, lng, ..Default::default() }
    }

    async fn way(&self, id: &str) -> Vec<Position> {
        let request = ListPositionsRequest {
            driver_id: id.into(),
            from: Some(proto::timestamp(at("2020-01-01T00:00:00Z"))),
            to: Some(proto::timestamp(at("2090-01-01T00:00:00Z"))),
            after: None,
            limit: 0,
        };
        good(self.tracker.list_positions(viewer(request)).await).positions
    }

    async fn locations(&self, after: Option<&str>) -> ListLocationsResponse {
        let request = ListLocationsRequest { after: after.map(str::to_owned), driver_ids: Vec::new() };
        good(self.tracker.list_locations(viewer(request)).await)
    }
}

fn form(username: &str) -> DriverInput {
    DriverInput { name: format!("Name of {username}"), username: username.into(), ..Default::default() }
}

fn good<T>(answer: Result<Response<T>, Status>) -> T {
    match answer {
        Ok(answer) => answer.into_inner(),
        Err(status) => panic!("refused: {:?}", Error::from(status)),
    }
}

fn refused<T>(answer: Result<Response<T>, Status>) -> Error {
    match answer {
        Ok(_) => panic!("was not refused"),
        Err(status) => Error::from(status),
    }
}

fn by<T>(principal: Principal, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let caller = Caller { principal, token: "".into(), address: "192.0.2.7".into() };
    request.extensions_mut().insert(caller);
    request
}

fn user(role: Role, driver_id: Option<&str>) -> Principal {
    Principal::User {
        id: "u1".into(),
        username: "maria".into(),
        roles: vec![role],
        session: "s1".into(),
        driver_id: driver_id.map(str::to_owned),
    }
}

fn editor<T>(message: T) -> Request<T> {
    by(user(Role::Dispatcher, None), message)
}

fn viewer<T>(message: T) -> Request<T> {
    by(user(Role::Viewer, None), message)
}

fn as_driver<T>(id: &str, message: T) -> Request<T> {
    by(user(Role::Driver, Some(id)), message)
}

fn report(device: &str, positions: Vec<PositionInput>) -> DeviceReport {
    let (device_unique_id, provider) = (device.to_owned(), "osmand".to_owned());
    DeviceReport { device_unique_id, provider, positions, address: "192.0.2.7".into() }
}

fn as_gateway<T>(message: T) -> Request<T> {
    by(Principal::Service { name: "gateway".into() }, message)
}

fn filter(key: &str, operator: &str, values: &[&str]) -> Filter {
    let values = values.iter().map(|it| (*it).to_owned()).collect();
    Filter { key: key.into(), operator: operator.into(), values }
}

fn sort(key: &str, direction: SortDirection) -> Sort {
    Sort { key: key.into(), direction: direction.into() }
}

store::on_both!(migrations_go_down_and_up_again, Migrator, |db: Db| async move {
    for _ in 0..4 {
        store::testing::down_one::<Migrator>(&db).await;
    }
    store::migrate::up::<Migrator>(&db).await.unwrap();
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.stop().await;
});
