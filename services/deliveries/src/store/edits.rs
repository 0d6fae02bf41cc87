//! Changes of a delivery that are no step of its history: its head, its items, who looks after it.
//!
//! Each makes a version and a row of the record, so that history and record together tell of every
//! version. An edit that changes nothing is a good answer and writes nothing.

use chrono::{DateTime, Utc};
use kit::input::limits;
use kit::{Error, Result};
use proto::events::DeliveryChangeKind as Kind;
use sea_orm::ActiveValue::Set;
use sea_orm::{EntityTrait, ModelTrait};

use super::columns::{columns_of, header_of, item_of, new_item};
use super::{deliveries, drivers, heads, items, reasons, shipments, variances, write};
use crate::Context;
use crate::domain::actor::Actor;
use crate::domain::allowed::{self, Action};
use crate::domain::dispatch::{self, Planned};
use crate::domain::document::Item;
use crate::domain::entry::{Head, head_changes, item_changes};
use crate::domain::import::incomplete_change;
use crate::domain::state::FieldChange;
use crate::entity::{delivery, edit, item};
use crate::events::change::Changed;
use crate::events::emit;
use ::store::filter::fold;
use ::store::{Tx, db};

/// Who edits what, and the version they saw.
#[derive(Debug, Clone)]
pub struct Editor<'a> {
    pub actor: &'a Actor,
    pub delivery_id: &'a str,
    /// Absent: whatever it is by now.
    pub version: Option<i64>,
}

pub enum ItemEdit {
    Create(Item),
    /// The item number says which.
    Update(Item),
    Delete(String),
}

/// Adds to the record of edits; the delivery has its new version.
pub async fn append(
    tx: &Tx,
    delivery: &delivery::Model,
    actor: &Actor,
    changes: &[FieldChange],
    now: DateTime<Utc>,
) -> Result<()> {
    let row = edit::ActiveModel {
        delivery_key: Set(delivery.id_key.clone()),
        version: Set(delivery.version),
        at: Set(now),
        actor: Set(actor.name().to_owned()),
        changes: Set(edit::write(changes)?),
    };
    edit::Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

/// Writes the whole head.
pub async fn head(context: &Context, editor: &Editor<'_>, head: &Head) -> Result<delivery::Model> {
    write(&context.db, |tx| async move {
        let done = edit_head(&tx, context, editor, head.clone()).await?;
        Ok((tx, done))
    })
    .await
}

async fn edit_head(
    tx: &Tx,
    context: &Context,
    editor: &Editor<'_>,
    mut head: Head,
) -> Result<delivery::Model> {
    let (stored, _) = locked(tx, editor, Action::Edit).await?;
    let before = Head { header: header_of(&stored), place: stored.address_place() };
    heads::fill_address(tx, &mut head).await?;
    // The id and its spelling stay.
    head.header.id.clone_from(&stored.id);
    let changes = head_changes(&before, &head);
    if changes.is_empty() {
        return Ok(stored);
    }
    let driver = head.header.driver_id.as_deref();
    // A driver who was blocked since keeps it until somebody else is named.
    if driver.map(fold) != stored.driver_id_key {
        drivers::require_assignable(&**tx, driver).await?;
    }
    let now = context.clock.now();
    heads::parties(tx, &head, editor.actor, now).await?;
    let columns = columns_of(&head);
    let left = Some(before.header.shipmentnumber.as_str())
        .filter(|number| fold(number) != fold(&head.header.shipmentnumber));
    let edited = Edited { stored: &stored, columns, changes, kind: Kind::Edited, left };
    edited.write(tx, context, editor.actor, now).await
}

/// Plans a Pending delivery for another time; its time window moves along. Everything but the commit.
pub async fn dispatch_time(
    tx: &Tx,
    context: &Context,
    editor: &Editor<'_>,
    at: DateTime<Utc>,
) -> Result<delivery::Model> {
    let (stored, _) = locked(tx, editor, Action::Edit).await?;
    let Some(moved) = dispatch::moved(&stored.id, stored.deliverystatus, &planned(&stored), at)? else {
        return Ok(stored);
    };
    let now = context.clock.now();
    dispatch::require_ahead(at, now)?;
    plan(tx, context, editor, (&stored, moved), now).await
}

/// Gives a Pending delivery the plan back that it had; that may lie in the past.
pub async fn plan_again(
    tx: &Tx,
    context: &Context,
    editor: &Editor<'_>,
    planned: Planned,
) -> Result<delivery::Model> {
    let (stored, _) = locked(tx, editor, Action::Edit).await?;
    plan(tx, context, editor, (&stored, planned), context.clock.now()).await
}

async fn plan(
    tx: &Tx,
    context: &Context,
    editor: &Editor<'_>,
    (stored, planned): (&delivery::Model, Planned),
    now: DateTime<Utc>,
) -> Result<delivery::Model> {
    let before = Head { header: header_of(stored), place: stored.address_place() };
    let mut after = before.clone();
    after.header.scheduledatetime = planned.at;
    (after.header.time_window_start, after.header.time_window_end) = planned.window;
    let edited = Edited {
        stored,
        columns: delivery::ActiveModel {
            scheduledatetime: Set(planned.at),
            time_window_start: Set(planned.window.0),
            time_window_end: Set(planned.window.1),
            ..Default::default()
        },
        changes: head_changes(&before, &after),
        kind: Kind::Edited,
        left: None,
    };
    edited.write(tx, context, editor.actor, now).await
}

fn planned(row: &delivery::Model) -> Planned {
    Planned { at: row.scheduledatetime, window: (row.time_window_start, row.time_window_end) }
}

/// Makes, changes or removes one item.
pub async fn item(context: &Context, editor: &Editor<'_>, edit: &ItemEdit) -> Result<delivery::Model> {
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
            let text = format!("{} has an item {number} already", stored.id);
            return Err(Error::already_exists("ALREADY_EXISTS", text.clone()).field("itemNumber", text));
        }
        (ItemEdit::Create(_), None) if items.len() >= limits::ITEMS => {
            let text = format!("{} has {} items, which is the most", stored.id, limits::ITEMS);
            return Err(Error::invalid_field("itemNumber", text));
        }
        (ItemEdit::Create(item), None) => {
            let row = new_item(&stored.id_key, item.clone());
            item::Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
            (item_changes(None, Some(item)), items.len() + 1)
        }
        (ItemEdit::Update(item), Some(row)) => {
            // The number keeps its spelling.
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
    // Whoever edits the items has looked at what the import left out.
    changes.extend(incomplete_change(stored.incomplete_upload_id, None));
    let now = context.clock.now();
    let columns = delivery::ActiveModel {
        incomplete_upload_id: Set(None),
        linecount: Set(i32::try_from(count).unwrap_or(i32::MAX)),
        // A device that counted the lines of before tells of other ones.
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

/// Takes the mark off a delivery that somebody has looked at.
pub async fn resolve_conflict(context: &Context, editor: &Editor<'_>) -> Result<delivery::Model> {
    write(&context.db, |tx| async move {
        let (stored, _) = fresh(&tx, editor).await?;
        if !stored.conflict {
            return Ok((tx, stored));
        }
        let now = context.clock.now();
        let changes = vec![FieldChange {
            item_number: None,
            field: "conflict",
            before: Some("true".to_owned()),
            after: Some("false".to_owned()),
        }];
        let columns = delivery::ActiveModel { conflict: Set(false), ..Default::default() };
        let edited = Edited { stored: &stored, columns, changes, kind: Kind::Edited, left: None };
        let done = edited.write(&tx, context, editor.actor, now).await?;
        Ok((tx, done))
    })
    .await
}

/// The delivery and its items, locked, when nobody has changed it since the editor saw it.
async fn fresh(tx: &Tx, editor: &Editor<'_>) -> Result<(delivery::Model, Vec<item::Model>)> {
    let (stored, items) = deliveries::lock(tx, editor.delivery_id).await?;
    if editor.version.is_some_and(|seen| seen != stored.version) {
        return Err(deliveries::changed_meanwhile(&stored.id));
    }
    Ok((stored, items))
}

async fn locked(tx: &Tx, editor: &Editor<'_>, action: Action) -> Result<(delivery::Model, Vec<item::Model>)> {
    let (stored, items) = fresh(tx, editor).await?;
    allowed::require(action, &stored.id, &stored, editor.actor)?;
    Ok((stored, items))
}

/// An edit that changes something.
struct Edited<'a> {
    stored: &'a delivery::Model,
    columns: delivery::ActiveModel,
    changes: Vec<FieldChange>,
    kind: Kind,
    /// The shipment it leaves.
    left: Option<&'a str>,
}

impl Edited<'_> {
    async fn write(
        self,
        tx: &Tx,
        context: &Context,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<delivery::Model> {
        let Self { stored, columns, changes, kind, left } = self;
        let columns = delivery::ActiveModel {
            version: Set(stored.version + 1),
            updated_at: Set(now),
            updated_by: Set(actor.name().to_owned()),
            ..columns
        };
        let delivery = deliveries::update(tx, stored, columns).await?;
        append(tx, &delivery, actor, &changes, now).await?;
        let mut numbers = vec![delivery.shipmentnumber.clone()];
        numbers.extend(left.map(str::to_owned));
        let shipments = shipments::roll_up(tx, &numbers, context.rules().undelivered_is_final).await?;
        let catalogue = reasons::catalogue(&**tx).await?;
        let variances = variances::of_attempt(tx, &delivery).await?;
        let changed = Changed {
            delivery: &delivery,
            kind,
            actor: actor.name(),
            variances: &variances,
            shipments: &shipments,
            left,
            before: Some(stored),
        };
        emit::delivery_changed(tx, changed, &catalogue, now).await?;
        Ok(delivery)
    }
}
