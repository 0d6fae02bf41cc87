//! Bulk changes of all deliveries that match a filter: the count, the progress, and the result.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use proto::deliveries::v1 as contract;
use proto::deliveries::v1::start_bulk_change_request::Verb;

use super::clients;
use super::error::{Failure, found};
use super::page::{self, Filter, filters};
use super::value::{DateTime, given, set_time, time};

/// Maximum number of bulk changes in one response.
const LISTED: usize = 20;

#[derive(Default)]
pub struct BulkQuery;

#[Object]
impl BulkQuery {
    async fn bulk_change(&self, ctx: &Context<'_>, id: String) -> Result<Option<BulkChange>, Failure> {
        let answer = clients::bulk(ctx)?.get_bulk_change(contract::GetBulkChangeRequest { id }).await;
        Ok(found(answer)?.map(BulkChange))
    }

    /// The caller's latest bulk changes, newest first.
    #[graphql(complexity = "page::times(LISTED, child_complexity)")]
    async fn bulk_changes(&self, ctx: &Context<'_>) -> Result<Vec<BulkChange>, Failure> {
        let answer = clients::bulk(ctx)?.list_bulk_changes(contract::ListBulkChangesRequest {}).await?;
        Ok(answer.into_inner().changes.into_iter().map(BulkChange).collect())
    }
}

#[derive(Default)]
pub struct BulkMutation;

#[Object]
impl BulkMutation {
    /// Assigns all matching deliveries to a driver; without `driverId`, unassigns them.
    async fn assign_all(
        &self,
        ctx: &Context<'_>,
        change: BulkChangeInput,
        driver_id: Option<String>,
    ) -> Result<BulkChange, Failure> {
        start(ctx, change, Verb::Assign(contract::AssignAll { driver_id })).await
    }

    /// Moves all matching Pending deliveries to another dispatch time. Their time windows move with them.
    async fn change_all_dispatch_times(
        &self,
        ctx: &Context<'_>,
        change: BulkChangeInput,
        scheduledatetime: DateTime,
    ) -> Result<BulkChange, Failure> {
        let scheduledatetime = Some(scheduledatetime.into());
        start(ctx, change, Verb::Dispatch(contract::MoveAll { scheduledatetime })).await
    }

    /// Reschedules all matching Undelivered deliveries, each for its next attempt.
    async fn reschedule_all(
        &self,
        ctx: &Context<'_>,
        change: BulkChangeInput,
        scheduledatetime: DateTime,
        note: Option<String>,
    ) -> Result<BulkChange, Failure> {
        let scheduledatetime = Some(scheduledatetime.into());
        start(ctx, change, Verb::Reschedule(contract::RescheduleAll { scheduledatetime, note })).await
    }

    /// Cancels a bulk change. Changes that it has already made are kept.
    async fn cancel_bulk_change(&self, ctx: &Context<'_>, id: String) -> Result<BulkChange, Failure> {
        let ask = contract::CancelBulkChangeRequest { id };
        Ok(BulkChange(clients::bulk(ctx)?.cancel_bulk_change(ask).await?.into_inner()))
    }

    /// Undoes a bulk change: restores the drivers or dispatch times of those deliveries that nobody has
    /// changed since. Possible for a few minutes.
    async fn undo_bulk_change(
        &self,
        ctx: &Context<'_>,
        id: String,
        change_id: String,
    ) -> Result<BulkChange, Failure> {
        let ask = contract::UndoBulkChangeRequest { id, change_id };
        Ok(BulkChange(clients::bulk(ctx)?.undo_bulk_change(ask).await?.into_inner()))
    }
}

async fn start(ctx: &Context<'_>, change: BulkChangeInput, verb: Verb) -> Result<BulkChange, Failure> {
    let BulkChangeInput { id, r#where, dry_run } = change;
    let ask = contract::StartBulkChangeRequest { id, r#where: filters(r#where), dry_run, verb: Some(verb) };
    Ok(BulkChange(clients::bulk(ctx)?.start_bulk_change(ask).await?.into_inner()))
}

#[derive(InputObject)]
pub struct BulkChangeInput {
    /// UUID chosen by the client. A repeated UUID starts nothing and returns the existing bulk change.
    id: String,
    r#where: Option<Vec<Filter>>,
    /// Whether to count the deliveries without changing them.
    dry_run: bool,
}

/// A bulk change and its result.
pub struct BulkChange(pub contract::BulkChange);

#[Object]
impl BulkChange {
    async fn id(&self) -> &str {
        &self.0.id
    }
    /// One of assign, dispatch, reschedule and undo.
    async fn verb(&self) -> &str {
        &self.0.verb
    }
    /// One of waiting, running, done, failed and cancelled.
    async fn state(&self) -> &str {
        &self.0.state
    }
    async fn dry_run(&self) -> bool {
        self.0.dry_run
    }
    /// Number of deliveries that matched when the bulk change began.
    async fn total(&self) -> u64 {
        self.0.total
    }
    async fn done(&self) -> u64 {
        self.0.done
    }
    /// Number of deliveries changed so far; for a dry run, how many would change.
    async fn changed(&self) -> u64 {
        self.0.changed
    }
    async fn failed(&self) -> u64 {
        self.0.failed
    }
    /// Why deliveries were left out so far, most frequent reason first.
    async fn left_out(&self) -> Vec<LeftOut> {
        let each = self.0.left_out.iter();
        each.map(|it| LeftOut { reason: it.reason.clone(), count: it.count }).collect()
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
    async fn cancel_requested(&self) -> bool {
        self.0.cancel_requested
    }
}

/// A reason why a bulk change skipped deliveries, and the number of deliveries that it skipped for it.
#[derive(SimpleObject)]
pub struct LeftOut {
    /// One of already, not_allowed, not_pending, not_undelivered, attempts_used, conflict, same_time, past,
    /// driver_blocked, changed and gone.
    reason: String,
    count: u64,
}
