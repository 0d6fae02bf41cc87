//! The driver log: the office reads it, drivers report entries.

use kit::Result;
use kit::principal::{Role, caller, principal};
use proto::common::v1::{Count, CountRequest};
use proto::drivers::v1::*;
use tonic::{Request, Response, Status};

use super::Shared;
use crate::domain::activity;
use crate::entity::driver_log::Model;
use crate::lookup::Known;
use crate::store::{drivers, logs, stops};

pub async fn list(
    shared: &Shared,
    request: Request<ListDriverLogsRequest>,
) -> Result<Response<ListDriverLogsResponse>, Status> {
    principal(&request)?.require(Role::STAFF)?;
    let page = request.into_inner().page.unwrap_or_default();
    let (rows, more) = logs::LIST.page(&shared.context.db, &page).await?;
    Ok(Response::new(ListDriverLogsResponse { logs: told(shared, rows).await?, more }))
}

pub async fn count(shared: &Shared, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
    principal(&request)?.require(Role::STAFF)?;
    let filters = request.into_inner().r#where;
    Ok(Response::new(logs::LIST.count(&shared.context.db, &filters).await?))
}

pub async fn get(
    shared: &Shared,
    request: Request<GetDriverLogRequest>,
) -> Result<Response<DriverLog>, Status> {
    principal(&request)?.require(Role::STAFF)?;
    let row = logs::get(&shared.context.db, &request.into_inner().id).await?;
    Ok(Response::new(told(shared, vec![row]).await?.pop().unwrap_or_default()))
}

pub async fn record(
    shared: &Shared,
    request: Request<RecordDriverLogsRequest>,
) -> Result<Response<RecordDriverLogsResponse>, Status> {
    let driver_id = principal(&request)?.driver()?.to_owned();
    let address = caller(&request)?.address.clone();
    let context = &shared.context;
    let now = context.clock.now();
    let entries = activity::entries(request.into_inner().logs, now)?;
    let row = drivers::get(&context.db, &driver_id).await?;
    Known::from(row.clone()).require_active()?;
    let tx = context.db.begin().await?;
    stops::note(&tx, &row, &entries, now).await?;
    let rows = entries.into_iter().map(|entry| logs::told(&row, entry, now, &address)).collect();
    let recorded = logs::append(&tx, rows).await?;
    kit::fail_point("drivers.log.recorded");
    tx.commit().await?;
    Ok(Response::new(RecordDriverLogsResponse { recorded: u32::try_from(recorded).unwrap_or(u32::MAX) }))
}

async fn told(shared: &Shared, rows: Vec<Model>) -> Result<Vec<DriverLog>> {
    let names = logs::names(&shared.context.db, &rows).await?;
    let told = rows.into_iter().map(|row| {
        let name = names.get(&row.driver_id_key).map_or("", String::as_str).to_owned();
        row.told(&name)
    });
    Ok(told.collect())
}
