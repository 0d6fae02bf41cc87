//! Creates a delivery for the office.

use std::collections::BTreeSet;

use ::store::filter::fold;
use ::store::{Tx, bulk, counter, db};
use kit::{Error, Kind, Result};
use proto::events::DeliveryChangeKind;
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;

use crate::Context;
use crate::commands::write;
use crate::domain::actor::Actor;
use crate::domain::clocks::Clocks;
use crate::domain::command::New;
use crate::domain::delivery::Status;
use crate::domain::document::Item;
use crate::domain::entry::Head;
use crate::domain::line::Line;
use crate::domain::transition;
use crate::entity::delivery;
use crate::events::change::Changed;
use crate::events::emit;
use crate::queries::reasons;
use crate::tables::columns::{both, columns_of, new_item};
use crate::tables::{deliveries, drivers, histories, parties, removed_deliveries, shipments, sources};

/// The delivery to create.
pub struct NewDelivery {
    pub head: Head,
    pub source_id: Option<String>,
    pub items: Vec<Item>,
}

pub async fn create(context: &Context, actor: &Actor, new: &NewDelivery) -> Result<delivery::Model> {
    let taken = || {
        let text = format!("There is already a delivery {}", new.head.header.id);
        Error::already_exists("ALREADY_EXISTS", text.clone()).field("id", text)
    };
    let made = write(&context.db, |tx| async move {
        let done = make(&tx, context, actor, new).await?;
        Ok((tx, done))
    })
    .await;
    // Somebody else may create the same delivery at the same moment.
    made.map_err(|error| if error.kind == Kind::AlreadyExists { taken() } else { error })
}

async fn make(tx: &Tx, context: &Context, actor: &Actor, new: &NewDelivery) -> Result<delivery::Model> {
    let now = context.clock.now();
    let NewDelivery { head, source_id, items } = new;
    let mut head = head.clone();
    let key = fold(&head.header.id);
    let there = delivery::Entity::find_by_id(key.clone()).one(&**tx).await.map_err(db)?;
    if there.is_some() {
        return Err(Error::already_exists("ALREADY_EXISTS", "It already exists"));
    }
    let source = match source_id {
        None => None,
        Some(id) => Some(sources::active(&**tx, id).await.map_err(|error| {
            let text = error.message.clone();
            error.field("sourceId", text)
        })?),
    };
    // The history and versions of a removed delivery continue where the undo of its import ended them.
    let gone = removed_deliveries::by_keys(tx, BTreeSet::from([key.clone()])).await?;
    let version = gone.get(&key).map_or(0, |row| row.version);
    drivers::require_assignable(&**tx, head.header.texts.driver_id.as_deref()).await?;
    parties::fill_address(tx, &mut head).await?;
    let mut change = transition::create(
        actor,
        Clocks::now(now),
        New {
            id: head.header.id.clone(),
            scheduledatetime: head.header.scheduledatetime,
            time_window_start: head.header.time_window_start,
            time_window_end: head.header.time_window_end,
            driver_id: head.header.texts.driver_id.clone(),
            max_attempts: context.rules().max_attempts,
            lines: items.iter().map(|item| Line::open(item.item_number.clone(), item.quantity)).collect(),
        },
    )?;
    change.state.version += version;
    if let Some(step) = change.step.as_mut().filter(|_| !gone.is_empty()) {
        step.from = Some(Status::Pending);
    }
    parties::create_missing(tx, &head, None, actor, now).await?;
    removed_deliveries::forget(tx, gone.keys().map(String::as_str)).await?;
    let row = delivery::ActiveModel {
        id_key: Set(key.clone()),
        id: Set(head.header.id.clone()),
        source_id: Set(source.map(|source| source.id)),
        linecount: Set(i32::try_from(items.len()).unwrap_or(i32::MAX)),
        max_attempts: Set(change.state.max_attempts),
        created_at: Set(now),
        created_by: Set(actor.name().to_owned()),
        updated_at: Set(now),
        updated_by: Set(actor.name().to_owned()),
        ..both(columns_of(head), crate::tables::state::columns_of(&change.state))
    };
    let delivery = delivery::Entity::insert(row).exec_with_returning(&**tx).await.map_err(db)?;
    kit::fail_point("deliveries.create.head_written");
    let rows = items.iter().map(|item| new_item(&key, item.clone())).collect();
    bulk::insert(&**tx, rows).await?;
    kit::fail_point("deliveries.create.items_written");
    if let Some(step) = &change.step {
        histories::append(tx, &delivery, step).await?;
    }
    let numbers = [delivery.shipmentnumber.clone()];
    let shipments = shipments::roll_up(tx, &numbers, context.rules().undelivered_is_final).await?;
    let catalogue = reasons::catalogue(&**tx).await?;
    let changed = Changed {
        delivery: &delivery,
        kind: DeliveryChangeKind::Created,
        actor: actor.name(),
        variances: &[],
        shipments: &shipments,
        left: None,
        before: None,
    };
    emit::delivery_changed(tx, changed, &catalogue, now).await?;
    counter::add(&**tx, deliveries::COUNTER, 1).await?;
    kit::fail_point("deliveries.create.counted");
    Ok(delivery)
}
