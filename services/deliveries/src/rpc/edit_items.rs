//! Converts requests to edit the items of a delivery, and runs the command.

use kit::Result;
use proto::deliveries::v1::*;

use super::edit::editor;
use super::shown;
use crate::Context;
use crate::commands::edit_items::{self, ItemEdit};
use crate::domain::actor::Actor;
use crate::domain::document::Item;
use crate::domain::entry;

pub async fn create(
    context: &Context,
    caller: &Actor,
    request: CreateDeliveryItemRequest,
) -> Result<Delivery> {
    let CreateDeliveryItemRequest { delivery_id, version, item } = request;
    let edit = ItemEdit::Create(entry::item(item.unwrap_or_default())?);
    Ok(shown(edit_items::edit(context, &editor(caller, &delivery_id, version), &edit).await?, caller))
}

pub async fn update(
    context: &Context,
    caller: &Actor,
    request: UpdateDeliveryItemRequest,
) -> Result<Delivery> {
    let UpdateDeliveryItemRequest { delivery_id, version, item } = request;
    let item = item.unwrap_or_default();
    // The number is looked up as it was sent: earlier releases stored invisible characters.
    let item_number = item.item_number.clone();
    let edit = ItemEdit::Update(Item { item_number, ..entry::item(item)? });
    Ok(shown(edit_items::edit(context, &editor(caller, &delivery_id, version), &edit).await?, caller))
}

pub async fn delete(
    context: &Context,
    caller: &Actor,
    request: DeleteDeliveryItemRequest,
) -> Result<Delivery> {
    let DeleteDeliveryItemRequest { delivery_id, version, item_number } = request;
    let edit = ItemEdit::Delete(item_number);
    Ok(shown(edit_items::edit(context, &editor(caller, &delivery_id, version), &edit).await?, caller))
}
