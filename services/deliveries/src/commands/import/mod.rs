//! Imports one batch in one transaction.
//!
//! `domain::import` decides what each line does; here the rows are read and locked, and `write` writes them. The
//! answer is stored with the change, so a repeated batch changes nothing and gets the same answer: an importer that
//! died in between simply sends the batch again.

mod drivers;
mod preview;
mod record;
mod rows;
mod undoable;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use prost::Message;
use proto::deliveries::v1::{
    ImportAction, ImportDeliveriesResponse, ImportMode, ImportRowResult, ImportRowWarning,
};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use rows::item_row;
use write::write;

use crate::Context;
use crate::commands::customers::fill_empty;
use crate::domain::document::Item;
use crate::domain::import::document;
use crate::domain::row::{Known, KnownItem, Outcome, Row, Write};
use crate::entity::{delivery, import_batch, item, removed_delivery};
use crate::tables::columns::{header_of, item_of};
use crate::tables::{addresses, customers, deliveries, removed_deliveries, sources, truckers, upsert};
use ::store::audit::By;
use ::store::bulk;
use ::store::filter::fold;
use ::store::{Tx, counter, db};

pub struct Batch {
    pub upload: Uuid,
    pub number: i32,
    pub source_id: String,
    pub actor: String,
    pub rows: Vec<Row>,
    /// Refuse lines whose driver is unknown or blocked, instead of warning.
    pub refuse_unknown_drivers: bool,
    /// If one line of a document is refused, refuse all of its lines in the batch.
    pub whole_documents: bool,
    pub mode: ImportMode,
    /// Write nothing; the answer reports what would happen.
    pub dry_run: bool,
}

pub async fn run(context: &Context, mut batch: Batch) -> Result<ImportDeliveriesResponse> {
    let tx = context.db.begin().await?;
    tx.plan_for_keys().await?;
    let done = import_batch::Entity::find_by_id((batch.upload, batch.number)).one(&*tx).await.map_err(db)?;
    if let Some(done) = done.filter(|_| !batch.dry_run) {
        return ImportDeliveriesResponse::decode(done.answer.as_slice()).map_err(Error::internal);
    }
    let source = sources::active(&*tx, &batch.source_id).await?;
    let now = context.clock.now();

    let mut warnings = drivers::check(&tx, &mut batch.rows, batch.refuse_unknown_drivers).await?;
    let keys: Vec<String> = batch.rows.iter().map(|row| fold(&row.id)).collect();
    let mut known = load(&tx, &keys, batch.upload).await?;
    let missing = keys.iter().filter(|key| !known.contains_key(*key)).cloned();
    let mut gone = removed_deliveries::by_keys(&tx, missing.collect()).await?;
    let outcomes = decide(&mut known, &mut gone, &batch, keys);
    let accepted = accepted(&batch.rows, &outcomes);
    let lines = lines_to_warn_about(&batch, &outcomes);
    warnings.retain(|warning| lines.contains(&warning.line));
    if batch.dry_run {
        // The transaction ends without a commit, so nothing is written.
        let changes = preview::changes(&known);
        return Ok(ImportDeliveriesResponse { changes, ..answer(&batch, outcomes, warnings, &known) });
    }

    note_seen(&tx, &known, batch.upload).await?;
    kit::fail_point("deliveries.import.seen_noted");
    let changed: BTreeMap<String, Loaded> =
        known.into_iter().filter(|(_, it)| it.known.write.is_some()).collect();
    let answer = answer(&batch, outcomes, warnings, &changed);
    if !changed.is_empty() {
        create_parties(&tx, &batch.actor, &accepted, &changed, now).await?;
        kit::fail_point("deliveries.import.parties_created");
        // Free the lines before the large statements.
        batch.rows = Vec::new();
        write(&tx, &context.rules(), &batch, source.id, changed, now).await?;
    }
    let kept = import_batch::ActiveModel {
        upload_log_id: Set(batch.upload),
        batch: Set(batch.number),
        answer: Set(answer.encode_to_vec()),
        created_at: Set(now),
    };
    import_batch::Entity::insert(kept).exec_without_returning(&*tx).await.map_err(db)?;
    kit::fail_point("deliveries.import.answer_kept");
    counter::add(&*tx, deliveries::COUNTER, answer.deliveries_created.into()).await?;
    kit::fail_point("deliveries.import.applied");
    tx.commit().await?;
    Ok(answer)
}

fn answer(
    batch: &Batch,
    outcomes: Vec<Outcome>,
    warnings: Vec<ImportRowWarning>,
    changed: &BTreeMap<String, Loaded>,
) -> ImportDeliveriesResponse {
    let results = batch.rows.iter().zip(outcomes).map(|(row, outcome)| result(row.line, outcome));
    ImportDeliveriesResponse {
        rows: results.collect(),
        warnings,
        deliveries_created: count(changed, |it| it.known.write == Some(Write::Insert)),
        items_created: changed
            .values()
            .flat_map(|it| it.known.items.values())
            .filter(|item| item.write == Some(Write::Insert))
            .count() as u32,
        changes: Vec::new(),
    }
}

/// A delivery as stored, and as the lines of the batch change it.
struct Loaded {
    known: Known,
    stored: Option<delivery::Model>,
    /// The items as stored.
    items: BTreeMap<String, Item>,
    /// Set for a delivery that an undo removed: its history and versions continue.
    removed: Option<removed_delivery::Model>,
}

impl Loaded {
    fn is_marked_anew(&self) -> bool {
        let before = self.stored.as_ref().and_then(|row| row.incomplete_upload_id);
        self.known.incomplete.is_some() && self.known.incomplete != before
    }
}

/// Applies each document's lines; returns an outcome for each row of the batch, in order. `keys` are the folded ids
/// of the rows.
fn decide(
    known: &mut BTreeMap<String, Loaded>,
    gone: &mut BTreeMap<String, removed_delivery::Model>,
    batch: &Batch,
    keys: Vec<String>,
) -> Vec<Outcome> {
    let mut documents: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, key) in keys.into_iter().enumerate() {
        documents.entry(key).or_default().push(place);
    }
    let mut outcomes = vec![Outcome::Skipped; batch.rows.len()];
    for (key, places) in documents {
        if let Some(outcome) = known.get(&key).and_then(|it| untouchable(it, batch)) {
            for place in places {
                outcomes[place] = batch.rows[place].refused.clone().unwrap_or_else(|| outcome.clone());
            }
            continue;
        }
        let rows: Vec<&Row> = places.iter().map(|place| &batch.rows[*place]).collect();
        let (mut state, stored, items) = match known.remove(&key) {
            Some(Loaded { known, stored, items, removed: _ }) => (Some(known), stored, items),
            None => (None, None, BTreeMap::new()),
        };
        let decided = document(&mut state, &rows, batch.upload, batch.whole_documents);
        for (place, outcome) in places.into_iter().zip(decided) {
            outcomes[place] = outcome;
        }
        if let Some(state) = state {
            let removed = gone.remove(&key);
            known.insert(key, Loaded { known: state, stored, items, removed });
        }
    }
    outcomes
}

/// Returns the outcome for lines whose delivery exists and must not be changed in this mode; otherwise
/// `None`.
fn untouchable(it: &Loaded, batch: &Batch) -> Option<Outcome> {
    let stored = it.stored.as_ref().filter(|row| row.upload_log_id != Some(batch.upload))?;
    match batch.mode {
        ImportMode::CreateOnly => Some(Outcome::Refused {
            column: "Delivery Doc",
            code: "DELIVERY_EXISTS",
            text: format!("{} already exists, and this import only creates deliveries", stored.id),
        }),
        ImportMode::SkipExisting => Some(Outcome::Skipped),
        ImportMode::Upsert | ImportMode::Unspecified => None,
    }
}

fn accepted<'a>(rows: &'a [Row], outcomes: &[Outcome]) -> Vec<&'a Row> {
    let pairs = rows.iter().zip(outcomes);
    pairs.filter(|(_, outcome)| !matches!(outcome, Outcome::Refused { .. })).map(|(row, _)| row).collect()
}

/// Returns the lines whose warnings are true: a refused line changes nothing, and neither does one whose delivery the
/// import leaves as it is.
fn lines_to_warn_about(batch: &Batch, outcomes: &[Outcome]) -> BTreeSet<u32> {
    let pairs = batch.rows.iter().zip(outcomes).filter(|(_, outcome)| match outcome {
        Outcome::Created | Outcome::Updated => true,
        Outcome::Skipped => batch.mode != ImportMode::SkipExisting,
        Outcome::Refused { .. } => false,
    });
    pairs.map(|(row, _)| row.line).collect()
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

/// Reads and locks the deliveries that the lines of this upload name, by their folded ids.
async fn load(tx: &Tx, keys: &[String], upload: Uuid) -> Result<BTreeMap<String, Loaded>> {
    let keys: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
    let deliveries = delivery::Entity::find()
        .filter(bulk::among(&**tx, delivery::Column::IdKey, keys))
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
        .filter(bulk::among(&**tx, item::Column::DeliveryKey, deliveries.iter().map(|it| it.id_key.as_str())))
        .all(&**tx)
        .await
        .map_err(db)?;
    for stored in deliveries {
        let header = header_of(&stored);
        let file_head = (stored.last_upload_log_id == Some(upload)).then(|| header.clone());
        let entry = Known {
            status: stored.deliverystatus,
            header,
            items: BTreeMap::new(),
            created_by_upload: stored.upload_log_id,
            upload: stored.last_upload_log_id,
            file_head,
            write: None,
            seen: false,
            left_shipment: None,
            incomplete: stored.incomplete_upload_id,
        };
        let (items, removed) = (BTreeMap::new(), None);
        let loaded = Loaded { known: entry, stored: Some(stored.clone()), items, removed };
        known.insert(stored.id_key, loaded);
    }
    for row in items {
        if let Some(it) = known.get_mut(&row.delivery_key) {
            let item = item_of(&row);
            it.items.insert(row.item_key.clone(), item.clone());
            let entry = KnownItem { upload: row.upload_log_id, write: None, seen: false, item };
            it.known.items.insert(row.item_key, entry);
        }
    }
    Ok(known)
}

/// Records the upload that named a delivery or item without changing it: a contradicting later line of the
/// same file must be recognized, even in another batch.
async fn note_seen(tx: &Tx, known: &BTreeMap<String, Loaded>, upload: Uuid) -> Result<()> {
    let unchanged = known.iter().filter(|(_, it)| it.known.seen && it.known.write.is_none());
    let keys: Vec<&str> = unchanged.map(|(key, _)| key.as_str()).collect();
    if !keys.is_empty() {
        delivery::Entity::update_many()
            .col_expr(delivery::Column::LastUploadLogId, Expr::value(upload))
            .filter(bulk::among(&**tx, delivery::Column::IdKey, keys))
            .exec(&**tx)
            .await
            .map_err(db)?;
    }
    let marked = known.iter().filter(|(_, it)| it.known.write.is_none() && it.is_marked_anew());
    let keys: Vec<&str> = marked.map(|(key, _)| key.as_str()).collect();
    if !keys.is_empty() {
        delivery::Entity::update_many()
            .col_expr(delivery::Column::IncompleteUploadId, Expr::value(upload))
            .filter(bulk::among(&**tx, delivery::Column::IdKey, keys))
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
    upsert::items(tx, items).await?;
    Ok(())
}

/// Creates the parties of accepted lines, and fills what is empty of known customers; refused lines do neither.
async fn create_parties(
    tx: &Tx,
    actor: &str,
    accepted: &[&Row],
    changed: &BTreeMap<String, Loaded>,
    now: DateTime<Utc>,
) -> Result<()> {
    let mut named_customers: BTreeMap<String, customers::New> = BTreeMap::new();
    let mut new_truckers: BTreeMap<String, String> = BTreeMap::new();
    let mut before = None;
    for row in accepted {
        // Most lines of a delivery name the same parties. Skip what the line before has added.
        let named = (&row.customername, &row.customer_email, &row.customeraddress, &row.trucker);
        if before == Some(named) || !changed.contains_key(&fold(&row.id)) {
            continue;
        }
        before = Some(named);
        let customer = named_customers.entry(fold(&row.customername)).or_insert_with(|| customers::New {
            name: row.customername.clone(),
            email: None,
            address: String::new(),
        });
        if customer.email.is_none() {
            customer.email.clone_from(&row.customer_email);
        }
        if customer.address.is_empty() {
            customer.address = row.customeraddress.clone().unwrap_or_default();
        }
        if let Some(trucker) = row.trucker.as_ref().filter(|name| !name.is_empty()) {
            new_truckers.entry(fold(trucker)).or_insert_with(|| trucker.clone());
        }
    }
    let by = By { actor, address: "", now };
    fill_empty(tx, &named_customers, by).await?;
    customers::create_missing(&**tx, named_customers.into_values().collect(), actor, now).await?;
    if !new_truckers.is_empty() {
        truckers::create_missing(&**tx, new_truckers.into_values().collect()).await?;
    }
    addresses::create_missing(&**tx, changed.values().map(|it| it.known.header.customeraddress.clone())).await
}
