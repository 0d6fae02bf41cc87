//! Making and editing deliveries and their items.

use kit::{Error, Result};
use proto::deliveries::v1::*;
use uuid::Uuid;

use super::{each, each_of, shown};
use crate::Context;
use crate::bulk::{self, One};
use crate::domain::actor::Actor;
use crate::domain::bulk::Verb;
use crate::domain::entry;
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
    let AssignDriverRequest { delivery_ids, driver_id, undo_id } = request;
    drivers::require_assignable(context.db.read(), driver_id.as_deref()).await?;
    let undo = undo(&undo_id)?;
    each(delivery_ids, |id| {
        let verb = Verb::Assign { driver_id: driver_id.clone() };
        let one = One { actor: caller, delivery_id: id, version: None };
        async move { bulk::change_one(context, &one, &verb, undo).await }
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
    let undo = undo(&request.undo_id)?;
    each_of("changes", request.changes, id, |change| async move {
        let DispatchTimeChange { delivery_id, version, scheduledatetime } = change;
        let verb = Verb::Dispatch { at: entry::dispatch_time(scheduledatetime)? };
        let one = One { actor: caller, delivery_id, version: version.map(seen) };
        bulk::change_one(context, &one, &verb, undo).await
    })
    .await
}

fn undo(id: &str) -> Result<Option<Uuid>> {
    match id {
        "" => Ok(None),
        id => Ok(Some(
            Uuid::try_parse(id).map_err(|_| Error::invalid_field("undoId", "The change needs a UUID"))?,
        )),
    }
}

fn editor<'a>(actor: &'a Actor, delivery_id: &'a str, version: u64) -> Editor<'a> {
    Editor { actor, delivery_id, version: Some(seen(version)) }
}

/// A version that cannot be is one that nobody saw.
pub fn seen(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}
