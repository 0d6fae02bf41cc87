//! Creates, edits and deletes items of a delivery.

use ::store::filter::fold;
use ::store::{Tx, db};
use kit::input::limits;
use kit::{Error, Result};
use proto::events::DeliveryChangeKind as Kind;
use sea_orm::ActiveValue::Set;
use sea_orm::{EntityTrait, ModelTrait};

use crate::Context;
use crate::commands::edit::{Edited, Editor, locked};
use crate::commands::write;
use crate::domain::allowed::Action;
use crate::domain::document::Item;
use crate::domain::entry::item_changes;
use crate::domain::import::incomplete_change;
use crate::entity::{delivery, item};
use crate::tables::columns::{item_of, new_item};
use crate::tables::items;

pub enum ItemEdit {
    Create(Item),
    /// Updates the item with this item number.
    Update(Item),
    Delete(String),
}

/// Creates, changes or removes one item.
pub async fn edit(context: &Context, editor: &Editor<'_>, edit: &ItemEdit) -> Result<delivery::Model> {
    write(&context.db, |tx| async move {
        let done = edit_item(&tx, context, editor, edit).await?;
        Ok((tx, done))
    })
    .await
}

async fn edit_item(
    tx: &Tx,
    context: &Context,
    editor: &Editor<'_>,
    edit: &ItemEdit,
) -> Result<delivery::Model> {
    let (stored, items) = locked(tx, editor, Action::EditItems).await?;
    let number = match edit {
        ItemEdit::Create(item) | ItemEdit::Update(item) => &item.item_number,
        ItemEdit::Delete(number) => number,
    };
    let key = fold(number);
    let there = items.iter().find(|row| row.item_key == key);
    let unknown = || {
        let text = format!("{} has no item {number}", stored.id);
        Error::not_found("DELIVERY_ITEM_NOT_FOUND", text)
    };
    let (mut changes, count) = match (edit, there) {
        (ItemEdit::Create(_), Some(_)) => {
            let text = format!("{} already has an item {number}", stored.id);
            return Err(Error::already_exists("ALREADY_EXISTS", text.clone()).field("itemNumber", text));
        }
        (ItemEdit::Create(_), None) if items.len() >= limits::ITEMS => {
            let text = format!("{} has {} items already, which is the maximum", stored.id, limits::ITEMS);
            return Err(Error::invalid_field("itemNumber", text));
        }
        (ItemEdit::Create(item), None) => {
            let row = new_item(&stored.id_key, item.clone());
            item::Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
            (item_changes(None, Some(item)), items.len() + 1)
        }
        (ItemEdit::Update(item), Some(row)) => {
            // The item number keeps its spelling.
            let item = Item { item_number: row.item_number.clone(), ..item.clone() };
            let changes = item_changes(Some(&item_of(row)), Some(&item));
            if !changes.is_empty() {
                let edited = edited_row(row, item);
                item::Entity::update(items::all_columns(edited)).exec(&**tx).await.map_err(db)?;
            }
            (changes, items.len())
        }
        (ItemEdit::Delete(_), Some(row)) => {
            row.clone().delete(&**tx).await.map_err(db)?;
            (item_changes(Some(&item_of(row)), None), items.len() - 1)
        }
        (ItemEdit::Update(_) | ItemEdit::Delete(_), None) => return Err(unknown()),
    };
    if changes.is_empty() {
        return Ok(stored);
    }
    // Editing items clears the mark of an incomplete import.
    changes.extend(incomplete_change(stored.incomplete_upload_id, None));
    let now = context.clock.now();
    let columns = delivery::ActiveModel {
        incomplete_upload_id: Set(None),
        linecount: Set(i32::try_from(count).unwrap_or(i32::MAX)),
        // A device that counted the previous lines must not override this edit.
        office_decided_at: Set(Some(now)),
        ..Default::default()
    };
    let edited = Edited { stored: &stored, columns, changes, kind: Kind::ItemsEdited, left: None };
    edited.write(tx, context, editor.actor, now).await
}

fn edited_row(row: &item::Model, item: Item) -> item::Model {
    let Item { item_number: _, sku, description, unit, quantity, weight_grams, barcode } = item;
    item::Model { sku, description, unit, quantity, weight_grams, barcode, ..row.clone() }
}
