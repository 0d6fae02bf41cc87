//! Making and editing deliveries and their items.

use kit::Result;
use proto::deliveries::v1::*;

use super::{each, each_of, shown};
use crate::Context;
use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::entry;
use crate::store::changes::{self, Ask};
use crate::store::creation::{self, NewDelivery};
use crate::store::drivers;
use crate::store::edits::{self, Editor, ItemEdit};

pub async fn create(context: &Context, caller: &Actor, request: CreateDeliveryRequest) -> Result<Delivery> {
    let CreateDeliveryRequest { id, head, source_id, items } = request;
    let (head, items) = entry::new(&id, head.unwrap_or_default(), items)?;
    let new = NewDelivery { head, source_id, items };
    Ok(shown(creation::create(context, caller, &new).await?, caller))
}

pub async fn update(context: &Context, caller: &Actor, request: UpdateDeliveryRequest) -> Result<Delivery> {
    let UpdateDeliveryRequest { id, version, head } = request;
    let head = entry::head(&id, head.unwrap_or_default())?;
    Ok(shown(edits::head(context, &editor(caller, &id, version), &head).await?, caller))
}

pub async fn create_item(
    context: &Context,
    caller: &Actor,
    request: CreateDeliveryItemRequest,
) -> Result<Delivery> {
    let CreateDeliveryItemRequest { delivery_id, version, item } = request;
    let edit = ItemEdit::Create(entry::item(item.unwrap_or_default())?);
    Ok(shown(edits::item(context, &editor(caller, &delivery_id, version), &edit).await?, caller))
}

pub async fn update_item(
    context: &Context,
    caller: &Actor,
    request: UpdateDeliveryItemRequest,
) -> Result<Delivery> {
    let UpdateDeliveryItemRequest { delivery_id, version, item } = request;
    let edit = ItemEdit::Update(entry::item(item.unwrap_or_default())?);
    Ok(shown(edits::item(context, &editor(caller, &delivery_id, version), &edit).await?, caller))
}

pub async fn delete_item(
    context: &Context,
    caller: &Actor,
    request: DeleteDeliveryItemRequest,
) -> Result<Delivery> {
    let DeleteDeliveryItemRequest { delivery_id, version, item_number } = request;
    let edit = ItemEdit::Delete(item_number);
    Ok(shown(edits::item(context, &editor(caller, &delivery_id, version), &edit).await?, caller))
}

pub async fn resolve_conflict(
    context: &Context,
    caller: &Actor,
    request: ResolveConflictRequest,
) -> Result<Delivery> {
    let ResolveConflictRequest { delivery_id, version } = request;
    Ok(shown(edits::resolve_conflict(context, &editor(caller, &delivery_id, version)).await?, caller))
}

/// The same driver again changes nothing, so that the call can simply be repeated.
pub async fn assign(context: &Context, caller: &Actor, request: AssignDriverRequest) -> Result<BulkResults> {
    let AssignDriverRequest { delivery_ids, driver_id } = request;
    drivers::require_assignable(context.db.read(), driver_id.as_deref()).await?;
    each(delivery_ids, |delivery_id| {
        let ask = Ask {
            delivery_id,
            actor: caller.clone(),
            expected_version: None,
            event: None,
            occurred_at: None,
            command: Command::AssignDriver { driver_id: driver_id.clone() },
        };
        async move { changes::run(context, &ask).await }
    })
    .await
}

/// One that is planned for that time already is left as it is, so that the call can simply be repeated.
pub async fn dispatch_times(
    context: &Context,
    caller: &Actor,
    request: ChangeDispatchTimesRequest,
) -> Result<BulkResults> {
    let id = |change: &DispatchTimeChange| change.delivery_id.clone();
    each_of("changes", request.changes, id, |change| async move {
        let DispatchTimeChange { delivery_id, version, scheduledatetime } = change;
        let at = entry::dispatch_time(scheduledatetime)?;
        let editor = Editor { actor: caller, delivery_id: &delivery_id, version: version.map(seen) };
        edits::dispatch_time(context, &editor, at).await
    })
    .await
}

fn editor<'a>(actor: &'a Actor, delivery_id: &'a str, version: u64) -> Editor<'a> {
    Editor { actor, delivery_id, version: Some(seen(version)) }
}

/// A version that cannot be is one that nobody saw.
pub fn seen(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}
