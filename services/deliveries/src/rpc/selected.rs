//! Converts changes of deliveries that somebody selected: their driver, their dispatch time. `bulk_change`
//! changes all deliveries that match a filter.

use kit::{Error, Result};
use proto::deliveries::v1::*;
use uuid::Uuid;

use super::{each, each_of, seen};
use crate::Context;
use crate::commands::bulk_change::{self, One, records};
use crate::domain::actor::Actor;
use crate::domain::bulk::Verb;
use crate::domain::entry;
use crate::tables::drivers;

/// Assigns a driver. Assigning the same driver again changes nothing, so the call can be repeated.
pub async fn assign_driver(
    context: &Context,
    caller: &Actor,
    request: AssignDriverRequest,
) -> Result<BulkResults> {
    let AssignDriverRequest { delivery_ids, driver_id, undo_id } = request;
    drivers::require_assignable(context.db.read(), driver_id.as_deref()).await?;
    let undo = undo(context, caller, &undo_id).await?;
    each(delivery_ids, |id| {
        let verb = Verb::Assign { driver_id: driver_id.clone() };
        let one = One { actor: caller, delivery_id: id, version: None };
        async move { bulk_change::change_one(context, &one, &verb, undo).await }
    })
    .await
}

/// Changes dispatch times. A delivery that has that time already stays unchanged, so the call can be
/// repeated.
pub async fn dispatch_times(
    context: &Context,
    caller: &Actor,
    request: ChangeDispatchTimesRequest,
) -> Result<BulkResults> {
    let id = |change: &DispatchTimeChange| change.delivery_id.clone();
    let undo = undo(context, caller, &request.undo_id).await?;
    each_of("changes", request.changes, id, |change| async move {
        let DispatchTimeChange { delivery_id, version, scheduledatetime } = change;
        let verb = Verb::Dispatch { at: entry::dispatch_time(scheduledatetime)? };
        let one = One { actor: caller, delivery_id, version: version.map(seen) };
        bulk_change::change_one(context, &one, &verb, undo).await
    })
    .await
}

/// Parses the id by which the changes can be undone; `None` if it is empty. Refuses an id under which another
/// person changed deliveries.
async fn undo(context: &Context, caller: &Actor, id: &str) -> Result<Option<Uuid>> {
    if id.is_empty() {
        return Ok(None);
    }
    let change =
        Uuid::try_parse(id).map_err(|_| Error::invalid_field("undoId", "The change needs a UUID"))?;
    records::require_own(&context.db, change, caller.name(), "undoId").await?;
    Ok(Some(change))
}
