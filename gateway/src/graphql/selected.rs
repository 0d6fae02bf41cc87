//! Changes the driver or the dispatch time of deliveries that somebody selected. `bulk_change` changes all
//! deliveries that match a filter.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use proto::deliveries::v1 as contract;

use super::clients;
use super::error::Failure;
use super::value::{DateTime, given};

#[derive(Default)]
pub struct SelectedMutation;

#[Object]
impl SelectedMutation {
    async fn assign_driver(
        &self,
        ctx: &Context<'_>,
        input: AssignDriverInput,
    ) -> Result<Vec<BulkResult>, Failure> {
        let AssignDriverInput { delivery_ids, driver_id, undo_id } = input;
        let undo_id = undo_id.unwrap_or_default();
        let ask = contract::AssignDriverRequest { delivery_ids, driver_id, undo_id };
        let answer = clients::deliveries(ctx)?.assign_driver(ask).await?.into_inner();
        Ok(answer.results.into_iter().map(BulkResult::from).collect())
    }

    /// Changes the dispatch times of Pending deliveries, and moves their time windows with them.
    async fn change_dispatch_times(
        &self,
        ctx: &Context<'_>,
        input: ChangeDispatchTimesInput,
    ) -> Result<Vec<BulkResult>, Failure> {
        let changes = input.changes.into_iter().map(DispatchTimeChangeInput::read).collect();
        let undo_id = input.undo_id.unwrap_or_default();
        let ask = contract::ChangeDispatchTimesRequest { changes, undo_id };
        let answer = clients::deliveries(ctx)?.change_dispatch_times(ask).await?.into_inner();
        Ok(answer.results.into_iter().map(BulkResult::from).collect())
    }
}

// The result for one of several deliveries.
#[derive(SimpleObject)]
pub struct BulkResult {
    delivery_id: String,
    ok: bool,
    /// Error code, with its message in `text`. Both are null if the change succeeded.
    code: Option<String>,
    text: Option<String>,
}

impl From<contract::BulkResult> for BulkResult {
    fn from(result: contract::BulkResult) -> Self {
        let contract::BulkResult { delivery_id, ok, code, text } = result;
        let told = |text: String| given(&text).map(str::to_owned);
        Self { delivery_id, ok, code: told(code), text: told(text) }
    }
}

#[derive(InputObject)]
pub struct AssignDriverInput {
    /// 1 to 1,000 ids.
    delivery_ids: Vec<String>,
    /// Null unassigns the driver.
    driver_id: Option<String>,
    /// UUID by which `undoBulkChange` refers to these changes.
    undo_id: Option<String>,
}

#[derive(InputObject)]
pub struct ChangeDispatchTimesInput {
    /// At most 1,000 changes.
    changes: Vec<DispatchTimeChangeInput>,
    /// UUID by which `undoBulkChange` refers to these changes.
    undo_id: Option<String>,
}

#[derive(InputObject)]
pub struct DispatchTimeChangeInput {
    delivery_id: String,
    /// Version of the delivery that the caller read; null accepts any version.
    version: Option<u64>,
    scheduledatetime: DateTime,
}

impl DispatchTimeChangeInput {
    fn read(self) -> contract::DispatchTimeChange {
        let Self { delivery_id, version, scheduledatetime } = self;
        contract::DispatchTimeChange { delivery_id, version, scheduledatetime: Some(scheduledatetime.into()) }
    }
}
