//! One batch of an import in one transaction.
//!
//! `domain::import` decides what each line does; here the rows are read, locked and written.
//! The answer is kept with the change, so the same batch again changes nothing and gets the
//! same answer: an importer that died in between just asks again.

mod rows;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use prost::Message;
use proto::deliveries::v1::{ImportAction, ImportDeliveriesResponse, ImportRowResult};
use proto::events::envelope::Payload;
use proto::events::{DeliveriesImported, DeliveryFact};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use rows::{delivery_row, fact, first_step, item_row};
pub(super) use rows::{header_of, item_of};

use super::{addresses, customers, shipments, sources, truckers};
use crate::Context;
use crate::domain::delivery::ShipmentStatus;
use crate::domain::import::{Known, KnownItem, Outcome, Row, Write, apply};
use crate::entity::{delivery, import_batch, item};
use ::store::bulk::{self, chunk};
use ::store::filter::fold;
use ::store::outbox::{self, Fact};
use ::store::{Tx, counter, db};

/// Columns of a delivery that an import fills.
const DELIVERY_VALUES: usize = 39;
/// Deliveries that one event carries.
const FACTS_PER_EVENT: usize = 500;

pub struct Batch {
    pub upload: Uuid,
    pub number: i32,
    pub source_id: String,
    pub actor: String,
    pub rows: Vec<Row>,
}

pub async fn run(context: &Context, batch: Batch) -> Result<ImportDeliveriesResponse> {
    let tx = context.db.begin().await?;
    let done = import_batch::Entity::find_by_id((batch.upload, batch.number)).one(&*tx).await.map_err(db)?;
    if let Some(done) = done {
        return ImportDeliveriesResponse::decode(done.answer.as_slice()).map_err(Error::internal);
    }
    let source = sources::active(&*tx, &batch.source_id).await?;
    let now = context.clock.now();

    let mut known = load(&tx, &batch.rows).await?;
    let mut results = Vec::with_capacity(batch.rows.len());
    let mut accepted = Vec::with_capacity(batch.rows.len());
    for row in &batch.rows {
        let key = fold(&row.id);
        let (mut state, stored) =
            known.remove(&key).map_or((None, None), |it: Loaded| (Some(it.known), it.stored));
        let outcome = apply(&mut state, row, batch.upload);
        if !matches!(outcome, Outcome::Refused { .. }) {
            accepted.push(row);
        }
        if let Some(state) = state {
            known.insert(key, Loaded { known: state, stored });
        }
        results.push(result(row.line, outcome));
    }

    note_seen(&tx, &known, batch.upload).await?;
    let changed: BTreeMap<String, Loaded> =
        known.into_iter().filter(|(_, it)| it.known.write.is_some()).collect();
    let answer = ImportDeliveriesResponse {
        rows: results,
        deliveries_created: count(&changed, |it| it.known.write == Some(Write::Insert)),
        items_created: changed
            .values()
            .flat_map(|it| it.known.items.values())
            .filter(|item| item.write == Some(Write::Insert))
            .count() as u32,
    };
    write(&tx, &context.rules(), &batch, &accepted, source.id, changed, now).await?;
    let kept = import_batch::ActiveModel {
        upload_log_id: Set(batch.upload),
        batch: Set(batch.number),
        answer: Set(answer.encode_to_vec()),
        created_at: Set(now),
    };
    import_batch::Entity::insert(kept).exec_without_returning(&*tx).await.map_err(db)?;
    counter::add(&*tx, super::deliveries::COUNTER, answer.deliveries_created.into()).await?;
    tx.commit().await?;
    Ok(answer)
}

/// A delivery as the database has it, and as the lines so far leave it.
struct Loaded {
    known: Known,
    stored: Option<delivery::Model>,
}

fn count(changed: &BTreeMap<String, Loaded>, which: impl Fn(&&Loaded) -> bool) -> u32 {
    changed.values().filter(which).count() as u32
}

fn result(line: u32, outcome: Outcome) -> ImportRowResult {
    let (action, column, code, text) = match outcome {
        Outcome::Created => (ImportAction::Created, "", "", String::new()),
        Outcome::Updated => (ImportAction::Updated, "", "", String::new()),
        Outcome::Skipped => (ImportAction::Skipped, "", "", String::new()),
        Outcome::Refused { column, code, text } => (ImportAction::Refused, column, code, text),
    };
    ImportRowResult { line, action: action.into(), column: column.into(), code: code.into(), text }
}

/// What is known of the deliveries that the lines name, locked until the end.
async fn load(tx: &Tx, rows: &[Row]) -> Result<BTreeMap<String, Loaded>> {
    let keys: BTreeSet<String> = rows.iter().map(|row| fold(&row.id)).collect();
    let deliveries = delivery::Entity::find()
        .filter(delivery::Column::IdKey.is_in(keys))
        .order_by_asc(delivery::Column::IdKey)
        .lock_exclusive()
        .all(&**tx)
        .await
        .map_err(db)?;
    let mut known: BTreeMap<String, Loaded> = BTreeMap::new();
    if deliveries.is_empty() {
        return Ok(known);
    }
    let items = item::Entity::find()
        .filter(item::Column::DeliveryKey.is_in(deliveries.iter().map(|it| it.id_key.clone())))
        .all(&**tx)
        .await
        .map_err(db)?;
    for stored in deliveries {
        let header = header_of(&stored);
        let entry = Known {
            status: stored.deliverystatus,
            header,
            items: BTreeMap::new(),
            created_by_upload: stored.upload_log_id,
            upload: stored.last_upload_log_id,
            write: None,
            seen: false,
            left_shipment: None,
        };
        known.insert(stored.id_key.clone(), Loaded { known: entry, stored: Some(stored) });
    }
    for row in items {
        if let Some(it) = known.get_mut(&row.delivery_key) {
            let entry =
                KnownItem { upload: row.upload_log_id, write: None, seen: false, item: item_of(&row) };
            it.known.items.insert(row.item_key, entry);
        }
    }
    Ok(known)
}

/// Notes which upload named what, where nothing else is written: a later line of the same file
/// that says something else must be known to contradict, whatever batch it comes in.
async fn note_seen(tx: &Tx, known: &BTreeMap<String, Loaded>, upload: Uuid) -> Result<()> {
    let unchanged = known.iter().filter(|(_, it)| it.known.seen && it.known.write.is_none());
    let keys: Vec<&String> = unchanged.map(|(key, _)| key).collect();
    if !keys.is_empty() {
        delivery::Entity::update_many()
            .col_expr(delivery::Column::LastUploadLogId, Expr::value(upload))
            .filter(delivery::Column::IdKey.is_in(keys))
            .exec(&**tx)
            .await
            .map_err(db)?;
    }
    let items: Vec<_> = known
        .iter()
        .flat_map(|(key, it)| it.known.items.iter().map(move |(item_key, item)| (key, item_key, item)))
        .filter(|(_, _, item)| item.seen && item.write.is_none())
        .map(|(key, item_key, item)| item_row(key, item_key, item))
        .collect();
    for some in items.chunks(chunk(10)) {
        upsert_items(tx, some.to_vec()).await?;
    }
    Ok(())
}

async fn write(
    tx: &Tx,
    config: &kit::config::Deliveries,
    batch: &Batch,
    accepted: &[&Row],
    source_id: Uuid,
    changed: BTreeMap<String, Loaded>,
    now: DateTime<Utc>,
) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    create_parties(tx, &batch.actor, accepted, &changed, now).await?;

    let mut inserts = Vec::new();
    let mut updates = Vec::new();
    let mut new_items = Vec::new();
    let mut changed_items = Vec::new();
    let mut steps = Vec::new();
    let mut numbers = Vec::new();
    for (key, it) in &changed {
        let row = delivery_row(key, it, batch, source_id, config.max_attempts, now);
        numbers.push(it.known.header.shipmentnumber.clone());
        numbers.extend(it.known.left_shipment.clone());
        match &it.stored {
            None => {
                steps.push(first_step(key, &it.known.header, batch, now));
                inserts.push(row);
            }
            Some(_) => updates.push(row),
        }
        for (item_key, entry) in &it.known.items {
            match entry.write {
                Some(Write::Insert) => new_items.push(item_row(key, item_key, entry)),
                Some(Write::Update) => changed_items.push(item_row(key, item_key, entry)),
                None => {}
            }
        }
    }
    let facts: Vec<DeliveryFact> = changed.values().map(|it| fact(it, source_id)).collect();

    // New rows by plain INSERT: if another import makes the same delivery meanwhile, the key
    // refuses and the batch is tried again, knowing it then.
    bulk::insert(&**tx, inserts, DELIVERY_VALUES).await?;
    for some in updates.chunks(chunk(DELIVERY_VALUES)) {
        upsert_deliveries(tx, some.to_vec()).await?;
    }
    bulk::insert(&**tx, new_items, 10).await?;
    for some in changed_items.chunks(chunk(10)) {
        upsert_items(tx, some.to_vec()).await?;
    }
    bulk::insert(&**tx, steps, 14).await?;
    let statuses = shipments::roll_up(tx, &numbers, config.undelivered_is_final).await?;
    emit(tx, batch, facts, &statuses, now).await
}

/// A refused line brings nobody along.
async fn create_parties(
    tx: &Tx,
    actor: &str,
    accepted: &[&Row],
    changed: &BTreeMap<String, Loaded>,
    now: DateTime<Utc>,
) -> Result<()> {
    let mut new_customers: BTreeMap<String, customers::New> = BTreeMap::new();
    let mut new_truckers: BTreeMap<String, String> = BTreeMap::new();
    for row in accepted {
        if !changed.contains_key(&fold(&row.id)) {
            continue;
        }
        new_customers.entry(fold(&row.customername)).or_insert_with(|| customers::New {
            name: row.customername.clone(),
            email: row.customer_email.clone(),
            address: row.customeraddress.clone().unwrap_or_default(),
        });
        if let Some(trucker) = row.trucker.as_ref().filter(|name| !name.is_empty()) {
            new_truckers.entry(fold(trucker)).or_insert_with(|| trucker.clone());
        }
    }
    customers::create_missing(&**tx, new_customers.into_values().collect(), actor, now).await?;
    if !new_truckers.is_empty() {
        truckers::create_missing(&**tx, new_truckers.into_values().collect()).await?;
    }
    addresses::create_missing(&**tx, changed.values().map(|it| it.known.header.customeraddress.clone())).await
}

async fn emit(
    tx: &Tx,
    batch: &Batch,
    mut facts: Vec<DeliveryFact>,
    statuses: &BTreeMap<String, ShipmentStatus>,
    now: DateTime<Utc>,
) -> Result<()> {
    for fact in &mut facts {
        if let Some(status) = statuses.get(&fold(&fact.shipmentnumber)) {
            fact.shipmentstatus = status.as_str().to_owned();
        }
    }
    for some in facts.chunks(FACTS_PER_EVENT) {
        let payload = Payload::DeliveriesImported(DeliveriesImported {
            upload_log_id: batch.upload.to_string(),
            source_id: batch.source_id.clone(),
            deliveries: some.to_vec(),
        });
        let fact = Fact {
            service: crate::NAME,
            actor: &batch.actor,
            aggregate_id: &batch.upload.to_string(),
            aggregate_version: batch.number.unsigned_abs().into(),
            occurred_at: now,
            payload,
        };
        outbox::add(tx, fact).await?;
    }
    Ok(())
}

async fn upsert_deliveries(tx: &Tx, rows: Vec<delivery::ActiveModel>) -> Result<()> {
    use delivery::Column as C;
    delivery::Entity::insert_many(rows)
        .on_conflict(
            OnConflict::column(C::IdKey)
                .update_columns([
                    C::Shipmentnumber,
                    C::ShipmentnumberKey,
                    C::Customername,
                    C::CustomernameKey,
                    C::Trucker,
                    C::TruckerKey,
                    C::DriverId,
                    C::DriverIdKey,
                    C::Scheduledatetime,
                    C::Referencedoc,
                    C::ReferencedocKey,
                    C::LastUploadLogId,
                    C::Linecount,
                    C::Customeraddress,
                    C::TimeWindowStart,
                    C::TimeWindowEnd,
                    C::ContactName,
                    C::ContactPhone,
                    C::ContactEmail,
                    C::Instructions,
                    C::InternalNote,
                    C::Priority,
                    C::UpdatedAt,
                    C::UpdatedBy,
                    C::Version,
                    C::AddressLat,
                    C::AddressLng,
                    C::AddressAccuracy,
                    C::OfficeDecidedAt,
                ])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}

async fn upsert_items(tx: &Tx, rows: Vec<item::ActiveModel>) -> Result<()> {
    use item::Column as C;
    item::Entity::insert_many(rows)
        .on_conflict(
            OnConflict::columns([C::DeliveryKey, C::ItemKey])
                .update_columns([
                    C::Sku,
                    C::Description,
                    C::Unit,
                    C::Quantity,
                    C::WeightGrams,
                    C::Barcode,
                    C::UploadLogId,
                ])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}
