//! The rows that a batch writes, from what `domain::import` decided.

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use proto::events::DeliveryFact;
use sea_orm::ActiveValue::Set;
use uuid::Uuid;

use super::{Batch, Loaded};
use crate::domain::delivery::{ActorType, ScanMode, Status};
use crate::domain::document::{Header, Item};
use crate::domain::entry::Head;
use crate::domain::outbound::Method;
use crate::domain::row::KnownItem;
use crate::domain::state::Place;
use crate::entity::{delivery, history, item};
use crate::events::change::ImportedDelivery;
use crate::events::emit::with_driver_before;
use crate::tables::columns::columns_of;
use ::store::filter::fold;

pub(super) fn delivery_row(
    key: &str,
    it: &Loaded,
    batch: &Batch,
    source_id: Uuid,
    max_attempts: i32,
    now: DateTime<Utc>,
) -> delivery::ActiveModel {
    let stored = it.stored.as_ref();
    let header = it.known.header.clone();
    let place = stored.and_then(|row| place_after(row, &header));
    delivery::ActiveModel {
        id_key: Set(key.to_owned()),
        id: Set(header.id.clone()),
        deliverystatus: Set(Status::Pending),
        deliverydatetime: Set(None),
        scanmode: Set(ScanMode::No),
        source_id: Set(stored.map_or(Some(source_id), |row| row.source_id)),
        upload_log_id: Set(stored.map_or(Some(batch.upload), |row| row.upload_log_id)),
        last_upload_log_id: Set(it.known.upload),
        linecount: Set(i32::try_from(it.known.items.len()).unwrap_or(i32::MAX)),
        attempt: Set(stored.map_or(1, |row| row.attempt)),
        max_attempts: Set(stored.map_or(max_attempts, |row| row.max_attempts)),
        created_at: Set(stored.map_or(now, |row| row.created_at)),
        created_by: Set(stored.map_or_else(|| batch.actor.clone(), |row| row.created_by.clone())),
        updated_at: Set(now),
        updated_by: Set(batch.actor.clone()),
        version: Set(version(it)),
        office_decided_at: Set(match stored {
            Some(_) if it.known.items.values().any(|item| item.write.is_some()) => Some(now),
            Some(row) => row.office_decided_at,
            None => None,
        }),
        incomplete_upload_id: Set(it.known.incomplete),
        // Outcome columns keep their defaults: imports touch Pending deliveries only.
        ..columns_of(Head { header, place })
    }
}

/// Returns the planned location, which is kept only while the address stays the same.
pub(super) fn place_after(stored: &delivery::Model, header: &Header) -> Option<Place> {
    stored.address_place().filter(|_| stored.customeraddress == header.customeraddress)
}

pub(super) fn version(it: &Loaded) -> i64 {
    let before = it.stored.as_ref().map(|row| row.version);
    before.or(it.removed.as_ref().map(|row| row.version)).unwrap_or_default() + 1
}

pub(super) fn item_row(delivery_key: &str, item_key: &str, entry: &KnownItem) -> item::ActiveModel {
    let Item { item_number, sku, description, unit, quantity, weight_grams, barcode } = entry.item.clone();
    item::ActiveModel {
        delivery_key: Set(delivery_key.to_owned()),
        item_key: Set(item_key.to_owned()),
        item_number: Set(item_number),
        sku: Set(sku),
        description: Set(description),
        unit: Set(unit),
        quantity: Set(quantity),
        weight_grams: Set(weight_grams),
        barcode: Set(barcode),
        upload_log_id: Set(entry.upload),
        // Counts keep their defaults: imports touch only Pending deliveries, whose items are not counted yet.
        ..Default::default()
    }
}

/// Returns the first step in the history of a delivery, or the step that brings it back after an undo.
pub(super) fn first_step(key: &str, it: &Loaded, batch: &Batch, now: DateTime<Utc>) -> history::ActiveModel {
    let header = &it.known.header;
    let removed = it.removed.as_ref();
    history::ActiveModel {
        delivery_key: Set(key.to_owned()),
        step: Set(removed.map_or(1, |row| row.last_step + 1)),
        id: Set(new_id()),
        delivery_id: Set(header.id.clone()),
        shipmentnumber: Set(header.shipmentnumber.clone()),
        from_status: Set(removed.map(|_| Status::Pending)),
        to_status: Set(Status::Pending),
        attempt: Set(1),
        occurred_at: Set(now),
        received_at: Set(now),
        actor_type: Set(ActorType::Import),
        actor_name: Set(batch.actor.clone()),
        upload_log_id: Set(Some(batch.upload)),
        actor_name_key: Set(Some(fold(&batch.actor))),
        ..Default::default()
    }
}

/// Returns what events and messages carry. A delivery that comes back after an undo is created, because the undo
/// cancelled it.
pub(super) fn imported(it: &Loaded, source_id: Uuid) -> ImportedDelivery {
    let stored = it.stored.as_ref();
    ImportedDelivery {
        fact: fact(it, source_id),
        method: if stored.is_some() { Method::Update } else { Method::Create },
        referencedoc: it.known.header.texts.referencedoc.clone(),
        form_version: stored.map_or(0, |row| row.form_version),
    }
}

fn fact(it: &Loaded, source_id: Uuid) -> DeliveryFact {
    let header = &it.known.header;
    let fact = DeliveryFact {
        id: header.id.clone(),
        version: version(it).unsigned_abs(),
        deliverystatus: it.known.status.as_str().to_owned(),
        shipmentnumber: header.shipmentnumber.clone(),
        shipmentstatus: String::new(),
        customername: header.customername.clone(),
        trucker: header.trucker.clone(),
        driver_id: header.texts.driver_id.clone().unwrap_or_default(),
        scheduledatetime: Some(proto::timestamp(header.scheduledatetime)),
        deliverydatetime: None,
        scanmode: ScanMode::No.as_str().to_owned(),
        source_id: it
            .stored
            .as_ref()
            .map_or(Some(source_id), |row| row.source_id)
            .map(|id| id.to_string())
            .unwrap_or_default(),
        linecount: it.known.items.len() as u32,
        // The sequence is set when the event is emitted.
        sequence: 0,
        // Imports leave the conflict mark unchanged.
        conflict: it.stored.as_ref().is_some_and(|row| row.conflict),
        removed: false,
        attempt: it.stored.as_ref().map_or(1, |row| row.attempt.unsigned_abs()),
        time_window_end: header.time_window_end.map(proto::timestamp),
        // Imports touch Pending deliveries only.
        outcome_reason: String::new(),
        late: false,
        shipmentsequence: 0,
        driver_is_new: false,
        left_driver_id: String::new(),
    };
    with_driver_before(fact, it.stored.as_ref().and_then(|row| row.driver_id.as_deref()))
}
