//! Drivers, their devices and their log.

use kit::principal::{Role, caller, principal};
use kit::{Error, Result};
use proto::common::v1::{BatchGetRequest, Count, CountRequest};
use proto::drivers::v1::drivers_service_server::DriversService;
use proto::drivers::v1::*;
use tonic::{Request, Response, Status};

use super::{Shared, bounded, logs};
use crate::domain::{driver, form};
use crate::entity::driver::Model;
use crate::store::{devices, drivers};
use ::store::audit::Actor;

pub struct Service {
    pub shared: Shared,
}

impl Service {
    async fn told(&self, rows: Vec<Model>) -> Result<Vec<Driver>> {
        let context = &self.shared.context;
        let whole = drivers::whole(&context.db, rows).await?;
        let (now, rules) = (context.clock.now(), context.rules());
        whole.into_iter().map(|it| it.told(now, &rules)).collect()
    }

    /// Returns one driver with its current devices and location.
    async fn one(&self, row: Model) -> Result<Response<Driver>, Status> {
        let told = self.told(vec![row]).await?.pop();
        Ok(Response::new(told.ok_or_else(|| Error::internal("a driver is gone"))?))
    }

    /// Invalidates the cache of drivers after a change.
    async fn changed(&self, row: Model) -> Result<Response<Driver>, Status> {
        self.shared.lookup.forget();
        self.one(row).await
    }
}

#[tonic::async_trait]
impl DriversService for Service {
    async fn list_drivers(
        &self,
        request: Request<ListDriversRequest>,
    ) -> Result<Response<ListDriversResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let db = &self.shared.context.db;
        let page = request.into_inner().page.unwrap_or_default();
        let (shown, more) = drivers::LIST.page(db, &page).await?;
        let rows = drivers::of_page(db, &shown).await?;
        Ok(Response::new(ListDriversResponse { drivers: self.told(rows).await?, more }))
    }

    async fn count_drivers(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let filters = request.into_inner().r#where;
        Ok(Response::new(drivers::LIST.count(&self.shared.context.db, &filters).await?))
    }

    async fn get_driver(&self, request: Request<GetDriverRequest>) -> Result<Response<Driver>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let row = drivers::get(&self.shared.context.db, &request.into_inner().driver_id).await?;
        self.one(row).await
    }

    async fn batch_get_drivers(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetDriversResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded("ids", request.into_inner().ids)?;
        let rows = drivers::by_ids(&self.shared.context.db, &ids).await?;
        Ok(Response::new(BatchGetDriversResponse { drivers: self.told(rows).await? }))
    }

    async fn create_driver(&self, request: Request<CreateDriverRequest>) -> Result<Response<Driver>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::EDITORS)?);
        let (id, form) = form::create(request.into_inner())?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        let row = drivers::create(&context.db, id, form, by).await?;
        self.changed(row).await
    }

    async fn update_driver(&self, request: Request<UpdateDriverRequest>) -> Result<Response<Driver>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::EDITORS)?);
        let UpdateDriverRequest { driver_id, version, driver } = request.into_inner();
        let form = form::update(driver.unwrap_or_default())?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        let row = drivers::update(&context.db, &driver_id, version, form, by).await?;
        self.changed(row).await
    }

    async fn update_driver_status(
        &self,
        request: Request<UpdateDriverStatusRequest>,
    ) -> Result<Response<Driver>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::EDITORS)?);
        let request = request.into_inner();
        let status = driver::Status::try_from(request.status())
            .map_err(|_| Error::invalid_field("status", "Status must be active or blocked"))?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        let changed = drivers::set_status(&context.db, &request.driver_id, request.version, status, by);
        let row = changed.await?;
        self.changed(row).await
    }

    async fn list_unpaired_devices(
        &self,
        request: Request<ListUnpairedDevicesRequest>,
    ) -> Result<Response<ListUnpairedDevicesResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let rows = devices::unpaired(&self.shared.context.db).await?;
        let devices = rows.into_iter().map(Into::into).collect();
        Ok(Response::new(ListUnpairedDevicesResponse { devices }))
    }

    async fn pair_device(&self, request: Request<PairDeviceRequest>) -> Result<Response<Driver>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::EDITORS)?);
        let PairDeviceRequest { unique_id, driver_id } = request.into_inner();
        let device = form::device(&unique_id)?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        let row = devices::pair(&context.db, device, &driver_id, by).await?;
        self.changed(row).await
    }

    async fn unpair_device(&self, request: Request<UnpairDeviceRequest>) -> Result<Response<Driver>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::EDITORS)?);
        let UnpairDeviceRequest { unique_id, driver_id } = request.into_inner();
        let device = form::device(&unique_id)?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        let row = devices::unpair(&context.db, device, &driver_id, by).await?;
        self.changed(row).await
    }

    async fn list_driver_logs(
        &self,
        request: Request<ListDriverLogsRequest>,
    ) -> Result<Response<ListDriverLogsResponse>, Status> {
        logs::list(&self.shared, request).await
    }

    async fn count_driver_logs(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        logs::count(&self.shared, request).await
    }

    async fn get_driver_log(
        &self,
        request: Request<GetDriverLogRequest>,
    ) -> Result<Response<DriverLog>, Status> {
        logs::get(&self.shared, request).await
    }

    async fn record_driver_logs(
        &self,
        request: Request<RecordDriverLogsRequest>,
    ) -> Result<Response<RecordDriverLogsResponse>, Status> {
        logs::record(&self.shared, request).await
    }
}
