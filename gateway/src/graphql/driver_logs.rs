//! The driver log.

use async_graphql::{Context, Object};
use kit::Error;
use proto::common::v1 as common;
use proto::drivers::v1 as contract;
use serde_json::{Value, json};

use super::clients;
use super::error::{Failure, found};
use super::page::{self, Count, Filter, PageOptions};
use super::value::{DateTime, given, set_time};
use super::viewer::viewed;
use crate::accesses::View;

#[derive(Default)]
pub struct DriverLogsQuery;

#[Object]
impl DriverLogsQuery {
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn driver_logs(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<DriverLog>, Failure> {
        let mut client = clients::drivers(ctx)?;
        let page = page::page(page)?;
        let id = whom(&page.r#where).to_owned();
        let ask = contract::ListDriverLogsRequest { page: Some(page) };
        let found = client.list_driver_logs(ask).await?.into_inner().logs;
        viewed(ctx, View::Log, (&id, &id)).await?;
        Ok(found.into_iter().map(DriverLog).collect())
    }

    async fn driver_logs_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::drivers(ctx)?.count_driver_logs(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    async fn driver_log(&self, ctx: &Context<'_>, id: String) -> Result<Option<DriverLog>, Failure> {
        let answer = clients::drivers(ctx)?.get_driver_log(contract::GetDriverLogRequest { id }).await;
        let Some(log) = found(answer)? else { return Ok(None) };
        viewed(ctx, View::Log, (&log.driver_id, &log.driver_name)).await?;
        Ok(Some(DriverLog(log)))
    }
}

/// Returns the id of the driver whose log is requested; an empty string unless exactly one is requested. Filters
/// on one key match if any of them does, apart from negated ones, so a second filter can add other drivers.
fn whom(filters: &[common::Filter]) -> &str {
    let mut positive = filters.iter().filter(|it| it.key == "driverId" && !it.operator.starts_with('!'));
    let (Some(only), None) = (positive.next(), positive.next()) else { return "" };
    match only.values.as_slice() {
        [id] if only.operator == "equals" => id,
        _ => "",
    }
}

pub struct DriverLog(contract::DriverLog);

#[Object]
impl DriverLog {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn driver_id(&self) -> &str {
        &self.0.driver_id
    }
    /// The driver's current name.
    async fn driver_name(&self) -> &str {
        &self.0.driver_name
    }
    async fn delivery_id(&self) -> Option<&str> {
        self.0.delivery_id.as_deref()
    }
    async fn activity(&self) -> &str {
        &self.0.activity
    }
    async fn occurred_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.occurred_at)
    }
    async fn received_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.received_at)
    }
    async fn lat(&self) -> Option<f64> {
        self.0.lat
    }
    async fn lng(&self) -> Option<f64> {
        self.0.lng
    }
    async fn device_id(&self) -> Option<&str> {
        self.0.device_id.as_deref()
    }
    async fn app_version(&self) -> Option<&str> {
        self.0.app_version.as_deref()
    }
    async fn ip(&self) -> Option<&str> {
        self.0.ip.as_deref()
    }
    async fn detail(&self) -> Result<Value, Failure> {
        let Some(detail) = given(&self.0.detail) else { return Ok(json!({})) };
        // Leave out the parser's error: it would put a part of the JSON into the log.
        let detail = serde_json::from_str(detail)
            .map_err(|_| Error::internal("drivers sent a log entry whose detail is no JSON"))?;
        Ok(detail)
    }
}
