//! Everything that other services copy, in key order.
//!
//! Pages include deliveries and shipments that had events but no longer exist, so that a copy learns which
//! removals its owner knows. The sequences of a page are read before its rows, so a row is at least as new as
//! its sequence, and later changes come as events with a higher sequence. The pages deliberately do not show
//! one consistent state of the database.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ::store::filter::fold;
use ::store::{Db, counter, db, sequence};
use chrono::DateTime;
use kit::Result;
use proto::deliveries::v1::{
    DeliverySnapshot, SnapshotDeliveriesResponse, SnapshotShipmentsResponse, SourceSnapshot,
};
use proto::events::{DELIVERY, DeliveryFact, Event, SHIPMENT, ShipmentFact, SourceChanged};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::domain::delivery::{Status, item_order};
use crate::domain::reason::Catalogue;
use crate::entity::{delivery, shipment, source, variance};
use crate::events::emit;
use crate::queries::reasons;

/// Rows per page.
pub const PAGE: u64 = 500;
/// Variances per message, unless a single delivery has more.
const VARIANCES: u64 = 5_000;
/// Maximum ids per request.
pub const MAX_IDS: usize = 500;

/// A key and its delivery, which is `None` if it was removed.
type Entry = (String, Option<delivery::Model>);

/// Returns the keys of the next page of deliveries after a key, including removed deliveries; none after the
/// last one.
pub async fn keys_after(db_: &Db, after: &str) -> Result<Vec<String>> {
    use delivery::Column as C;
    let existing: Vec<String> = delivery::Entity::find()
        .select_only()
        .column(C::IdKey)
        .filter(C::IdKey.gt(after))
        .order_by_asc(C::IdKey)
        .limit(PAGE)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    with_removed(db_, DELIVERY, after, existing).await
}

/// Adds the keys of removed aggregates to the page of existing ones after a key.
async fn with_removed(db_: &Db, aggregate: &str, after: &str, existing: Vec<String>) -> Result<Vec<String>> {
    let numbered = sequence::keys_after(db_.read(), aggregate, after, PAGE).await?;
    let keys: BTreeSet<String> = existing.into_iter().chain(numbered).collect();
    Ok(keys.into_iter().take(PAGE as usize).collect())
}

/// Returns the keys of deliveries with these ids, each once.
pub fn keys_of(ids: &[String]) -> Vec<String> {
    let keys: BTreeSet<String> = ids.iter().map(|id| fold(id)).collect();
    keys.into_iter().collect()
}

/// Returns the deliveries with these keys, in messages of bounded size. Those that do not exist come as
/// removed.
pub async fn deliveries(db_: &Db, keys: Vec<String>) -> Result<Vec<SnapshotDeliveriesResponse>> {
    use delivery::Column as C;
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let sequences = sequence::last_of(db_.read(), DELIVERY, &keys).await?;
    let rows = delivery::Entity::find().filter(C::IdKey.is_in(keys.iter().map(String::as_str)));
    let rows = rows.all(db_.read()).await.map_err(db)?;
    let counts = variance_counts(db_, &rows).await?;
    let reasons = reasons::catalogue(db_.read()).await?;
    let total = counter::get(db_.read(), crate::tables::deliveries::COUNTER).await?;
    let mut rows: HashMap<String, delivery::Model> =
        rows.into_iter().map(|row| (row.id_key.clone(), row)).collect();
    let entries = keys.into_iter().map(|key| {
        let row = rows.remove(&key);
        (key, row)
    });
    let mut messages = Vec::new();
    for some in cut(entries.collect(), &counts) {
        let Some(last_key) = some.last().map(|(key, _)| key.clone()) else { continue };
        let deliveries = with_variances(db_, some, &sequences, &reasons).await?;
        messages.push(SnapshotDeliveriesResponse { deliveries, last_key, total, lists_removed: true });
    }
    Ok(messages)
}

/// Returns the only message of a stream without any delivery.
pub fn nothing() -> SnapshotDeliveriesResponse {
    SnapshotDeliveriesResponse { lists_removed: true, ..Default::default() }
}

/// Returns the number of variances of each delivery; omits those without any.
async fn variance_counts(db_: &Db, rows: &[delivery::Model]) -> Result<HashMap<String, u64>> {
    use variance::Column as V;
    let counts: Vec<(String, i64)> = variance::Entity::find()
        .select_only()
        .column(V::DeliveryKey)
        .expr(Expr::col(V::Id).count().cast_as("bigint"))
        .filter(V::DeliveryKey.is_in(with_outcome(rows)))
        .group_by(V::DeliveryKey)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    Ok(counts.into_iter().map(|(key, count)| (key, count.unsigned_abs())).collect())
}

/// Returns the ids of deliveries with an outcome, because only these have variances.
fn with_outcome<'a>(rows: impl IntoIterator<Item = &'a delivery::Model>) -> Vec<&'a str> {
    let decided = rows.into_iter().filter(|row| row.deliverystatus != Status::Pending);
    decided.map(|row| row.id_key.as_str()).collect()
}

/// Splits a page where its variances become too many for one message.
fn cut(entries: Vec<Entry>, counts: &HashMap<String, u64>) -> Vec<Vec<Entry>> {
    let mut messages: Vec<Vec<Entry>> = Vec::new();
    let mut variances = 0;
    for entry in entries {
        let count = counts.get(&entry.0).copied().unwrap_or_default();
        variances += count;
        match messages.last_mut() {
            Some(message) if variances <= VARIANCES => message.push(entry),
            _ => {
                messages.push(vec![entry]);
                variances = count;
            }
        }
    }
    messages
}

async fn with_variances(
    db_: &Db,
    entries: Vec<Entry>,
    sequences: &BTreeMap<String, u64>,
    reasons: &Catalogue,
) -> Result<Vec<DeliverySnapshot>> {
    use variance::Column as V;
    let rows = entries.iter().filter_map(|(_, row)| row.as_ref());
    let found = variance::Entity::find().filter(V::DeliveryKey.is_in(with_outcome(rows)));
    let mut variances: HashMap<String, Vec<variance::Model>> = HashMap::new();
    for row in found.all(db_.read()).await.map_err(db)? {
        variances.entry(row.delivery_key.clone()).or_default().push(row);
    }
    let snapshots = entries.into_iter().map(|(key, row)| {
        let sequence = sequences.get(&key).copied().unwrap_or_default();
        let Some(row) = row else { return removed(key, sequence) };
        let mut of_it = variances.remove(&key).unwrap_or_default();
        of_it.retain(|it| it.attempt == row.attempt);
        of_it.sort_by_cached_key(|it| {
            let item = it.item_number.as_deref().map(item_order);
            (item.is_none(), item)
        });
        let fact = DeliveryFact { sequence, ..emit::fact(&row, String::new()) };
        let variances = of_it.iter().map(|it| emit::variance_fact(it, &row, reasons)).collect();
        DeliverySnapshot { delivery: Some(fact), variances }
    });
    Ok(snapshots.collect())
}

/// Returns a removed delivery, with a dispatch time because readers refuse facts without one.
fn removed(id: String, sequence: u64) -> DeliverySnapshot {
    let scheduledatetime = Some(proto::timestamp(DateTime::UNIX_EPOCH));
    let fact = DeliveryFact { id, sequence, removed: true, scheduledatetime, ..DeliveryFact::default() };
    DeliverySnapshot { delivery: Some(fact), variances: Vec::new() }
}

/// Returns shipments after a key, including those without a delivery left; `None` after the last one.
pub async fn shipments(db_: &Db, after: &str) -> Result<Option<SnapshotShipmentsResponse>> {
    use shipment::Column as C;
    let existing: Vec<String> = shipment::Entity::find()
        .select_only()
        .column(C::ShipmentnumberKey)
        .filter(C::ShipmentnumberKey.gt(after))
        .order_by_asc(C::ShipmentnumberKey)
        .limit(PAGE)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let keys = with_removed(db_, SHIPMENT, after, existing).await?;
    let Some(last_key) = keys.last().cloned() else { return Ok(None) };
    let sequences = sequence::last_of(db_.read(), SHIPMENT, &keys).await?;
    let rows = shipment::Entity::find()
        .filter(C::ShipmentnumberKey.is_in(keys.iter().map(String::as_str)))
        .all(db_.read())
        .await
        .map_err(db)?;
    let mut rows: HashMap<String, shipment::Model> =
        rows.into_iter().map(|row| (row.shipmentnumber_key.clone(), row)).collect();
    let shipments = keys.into_iter().map(|key| {
        let sequence = sequences.get(&key).copied().unwrap_or_default();
        let (shipmentnumber, shipmentstatus) = match rows.remove(&key) {
            Some(row) => (row.shipmentnumber, row.shipmentstatus.as_str().to_owned()),
            None => (key, String::new()),
        };
        ShipmentFact { shipmentnumber, shipmentstatus, sequence }
    });
    Ok(Some(SnapshotShipmentsResponse { shipments: shipments.collect(), last_key }))
}

/// Returns all sources.
pub async fn sources(db_: &Db) -> Result<Vec<SourceSnapshot>> {
    let keys: Vec<uuid::Uuid> = source::Entity::find()
        .select_only()
        .column(source::Column::Id)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let keys: Vec<String> = keys.into_iter().map(|id| id.to_string()).collect();
    let aggregate = SourceChanged::ENTRY.aggregate.unwrap_or_default();
    let sequences = sequence::last_of(db_.read(), aggregate, &keys).await?;
    let rows = source::Entity::find().all(db_.read()).await.map_err(db)?;
    let snapshots = rows.into_iter().map(|row| SourceSnapshot {
        sequence: sequences.get(&row.id.to_string()).copied().unwrap_or_default(),
        source: Some(emit::source_fact(&row)),
    });
    Ok(snapshots.collect())
}
