//! Maintenance of analytics, for administrators. Queries of analytics are HTTP requests outside of GraphQL;
//! see `http::analytics`.

use async_graphql::{Context, Object};
use proto::analytics::v1::{self as contract, GetRebuildRequest, RequestRebuildRequest};

use super::clients;
use super::error::{Failure, found};
use super::value::{DateTime, given, set_time, time};

#[derive(Default)]
pub struct AnalyticsQuery;

#[Object]
impl AnalyticsQuery {
    /// The most recently requested rebuild of the analytics data. Null if it ended long ago.
    async fn analytics_rebuild(&self, ctx: &Context<'_>) -> Result<Option<AnalyticsRebuild>, Failure> {
        let answer = clients::analytics(ctx)?.get_rebuild(GetRebuildRequest {}).await;
        Ok(found(answer)?.map(AnalyticsRebuild))
    }
}

#[derive(Default)]
pub struct AnalyticsMutation;

#[Object]
impl AnalyticsMutation {
    /// Starts to rebuild the analytics data in the background. If a rebuild is waiting or running, returns it
    /// instead.
    async fn rebuild_analytics(&self, ctx: &Context<'_>) -> Result<AnalyticsRebuild, Failure> {
        let answer = clients::analytics(ctx)?.request_rebuild(RequestRebuildRequest {}).await?;
        Ok(AnalyticsRebuild(answer.into_inner()))
    }
}

pub struct AnalyticsRebuild(contract::Rebuild);

#[Object]
impl AnalyticsRebuild {
    async fn id(&self) -> &str {
        &self.0.id
    }
    /// One of waiting, running, done, failed and cancelled.
    async fn state(&self) -> &str {
        &self.0.state
    }
    /// Number of deliveries read so far.
    async fn deliveries(&self) -> u64 {
        self.0.deliveries
    }
    /// Number of deliveries to read. Null until the number is known.
    async fn total(&self) -> Option<u64> {
        self.0.total
    }
    async fn failure_text(&self) -> Option<&str> {
        given(&self.0.failure_text)
    }
    async fn created_by(&self) -> &str {
        &self.0.created_by
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
    }
    async fn finished_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.finished_at)
    }
}
