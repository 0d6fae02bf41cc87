//! Everything that other services copy, in key order.
//!
//! A page starts after the last key of the page before it, even if the delivery with that key was removed in
//! the meantime. The sequences of a page are read before its rows,
//! so a row is at least as new as its sequence, and later changes come as events with a higher sequence. The
//! pages deliberately do not show one consistent state of the database.

use std::collections::{BTreeMap, HashMap};

use ::store::filter::fold;
use ::store::{Db, counter, db, sequence};
use kit::Result;
use proto::deliveries::v1::{
    DeliverySnapshot, SnapshotDeliveriesResponse, SnapshotShipmentsResponse, SourceSnapshot,
};
use proto::events::{DELIVERY, Event, SHIPMENT, ShipmentFact, SourceChanged};
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

/// Returns the keys of the next page of deliveries after a key; none after the last delivery.
pub async fn keys_after(db_: &Db, after: &str) -> Result<Vec<String>> {
    use delivery::Column as C;
    delivery::Entity::find()
        .select_only()
        .column(C::IdKey)
        .filter(C::IdKey.gt(after))
        .order_by_asc(C::IdKey)
        .limit(PAGE)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)
}

/// Returns the keys of deliveries with these ids.
pub fn keys_of(ids: &[String]) -> Vec<String> {
    ids.iter().map(|id| fold(id)).collect()
}

/// Returns the deliveries with these keys, in messages of bounded size. Omits unknown deliveries and those
/// that were removed since their keys were read, so there may be no message.
pub async fn deliveries(db_: &Db, keys: Vec<String>) -> Result<Vec<SnapshotDeliveriesResponse>> {
    use delivery::Column as C;
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let sequences = sequence::last_of(db_.read(), DELIVERY, &keys).await?;
    let rows = delivery::Entity::find()
        .filter(C::IdKey.is_in(keys))
        .order_by_asc(C::IdKey)
        .all(db_.read())
        .await
        .map_err(db)?;
    let counts = variance_counts(db_, &rows).await?;
    let reasons = reasons::catalogue(db_.read()).await?;
    let total = counter::get(db_.read(), crate::tables::deliveries::COUNTER).await?;
    let mut messages = Vec::new();
    for some in cut(rows, &counts) {
        let Some(last_key) = some.last().map(|row| row.id_key.clone()) else { continue };
        let deliveries = with_variances(db_, some, &sequences, &reasons).await?;
        messages.push(SnapshotDeliveriesResponse { deliveries, last_key, total });
    }
    Ok(messages)
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
fn with_outcome(rows: &[delivery::Model]) -> Vec<&str> {
    let decided = rows.iter().filter(|row| row.deliverystatus != Status::Pending);
    decided.map(|row| row.id_key.as_str()).collect()
}

/// Splits a page where its variances become too many for one message.
fn cut(rows: Vec<delivery::Model>, counts: &HashMap<String, u64>) -> Vec<Vec<delivery::Model>> {
    let mut messages: Vec<Vec<delivery::Model>> = Vec::new();
    let mut variances = 0;
    for row in rows {
        let count = counts.get(&row.id_key).copied().unwrap_or_default();
        variances += count;
        match messages.last_mut() {
            Some(message) if variances <= VARIANCES => message.push(row),
            _ => {
                messages.push(vec![row]);
                variances = count;
            }
        }
    }
    messages
}

async fn with_variances(
    db_: &Db,
    rows: Vec<delivery::Model>,
    sequences: &BTreeMap<String, u64>,
    reasons: &Catalogue,
) -> Result<Vec<DeliverySnapshot>> {
    use variance::Column as V;
    let found = variance::Entity::find().filter(V::DeliveryKey.is_in(with_outcome(&rows)));
    let mut variances: HashMap<String, Vec<variance::Model>> = HashMap::new();
    for row in found.all(db_.read()).await.map_err(db)? {
        variances.entry(row.delivery_key.clone()).or_default().push(row);
    }
    let snapshots = rows.into_iter().map(|row| {
        let mut of_it = variances.remove(&row.id_key).unwrap_or_default();
        of_it.retain(|it| it.attempt == row.attempt);
        of_it.sort_by_cached_key(|it| {
            let item = it.item_number.as_deref().map(item_order);
            (item.is_none(), item)
        });
        let mut fact = emit::fact(&row, String::new());
        fact.sequence = sequences.get(&row.id_key).copied().unwrap_or_default();
        let variances = of_it.iter().map(|it| emit::variance_fact(it, &row, reasons)).collect();
        DeliverySnapshot { delivery: Some(fact), variances }
    });
    Ok(snapshots.collect())
}

/// Returns shipments after a key; `None` after the last one.
pub async fn shipments(db_: &Db, after: &str) -> Result<Option<SnapshotShipmentsResponse>> {
    use shipment::Column as C;
    let keys: Vec<String> = shipment::Entity::find()
        .select_only()
        .column(C::ShipmentnumberKey)
        .filter(C::ShipmentnumberKey.gt(after))
        .order_by_asc(C::ShipmentnumberKey)
        .limit(PAGE)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let Some(last_key) = keys.last().cloned() else { return Ok(None) };
    let sequences = sequence::last_of(db_.read(), SHIPMENT, &keys).await?;
    let rows = shipment::Entity::find().filter(C::ShipmentnumberKey.is_in(keys));
    let rows = rows.all(db_.read()).await.map_err(db)?;
    let shipments = rows.into_iter().map(|row| ShipmentFact {
        sequence: sequences.get(&row.shipmentnumber_key).copied().unwrap_or_default(),
        shipmentnumber: row.shipmentnumber,
        shipmentstatus: row.shipmentstatus.as_str().to_owned(),
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
