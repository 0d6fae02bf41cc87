//! Streams everything that matches a list's filters, in the list's order.
//!
//! Reads in chunks. A chunk starts after the key of the last row before it; its items, sources and drivers are
//! read by one statement each, and the reasons once for all. Messages have a bounded size and few of them wait, so
//! memory is bounded however slow the reader is, and reading stops once the reader has gone. Deliberately absent: a
//! consistent snapshot. A delivery whose place in the sort order changes meanwhile may be missed or occur twice.

use std::collections::{BTreeSet, HashMap};

use ::store::{Db, db};
use kit::Result;
use kit::input::limits;
use kit::rpc::{Messages, Sender, stream};
use proto::common::v1::Page;
use proto::deliveries::v1::{DeliveryItem, ExportDeliveriesResponse, ExportedDelivery};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::domain::reason::{AppliesTo, Catalogue};
use crate::entity::{delivery, source};
use crate::queries::{deliveries, items, reasons};
use crate::tables::drivers;

/// Deliveries per statement, which is also the maximum per message.
const STRETCH: u64 = 500;
/// Maximum number of items per message, unless a single delivery has more.
const ITEMS: u64 = limits::ITEMS as u64;

/// Starts the export. Refuses invalid requests before it sends anything, not in the middle of a file.
pub async fn run(db_: Db, page: Page, with_items: bool) -> Result<Messages<ExportDeliveriesResponse>> {
    let first = deliveries::LIST.stretch(&db_, &page, None, STRETCH).await?;
    Ok(stream(move |sender| async move { send(&db_, &page, with_items, first, &sender).await }))
}

async fn send(
    db_: &Db,
    page: &Page,
    with_items: bool,
    mut rows: Vec<delivery::Model>,
    sender: &Sender<ExportDeliveriesResponse>,
) -> Result<()> {
    let reasons = reasons::catalogue(db_.read()).await?;
    while let Some(last) = rows.last().cloned() {
        let full = rows.len() as u64 == STRETCH;
        for some in messages(rows, with_items) {
            let deliveries = whole(db_, some, with_items, &reasons).await?;
            if !sender.send(ExportDeliveriesResponse { deliveries }).await {
                return Ok(());
            }
        }
        if !full {
            return Ok(());
        }
        rows = tokio::select! {
            rows = deliveries::LIST.stretch(db_, page, Some(&last), STRETCH) => rows?,
            () = sender.closed() => return Ok(()),
        };
    }
    Ok(())
}

/// Splits the deliveries of a chunk where their items become too many for one message.
fn messages(rows: Vec<delivery::Model>, with_items: bool) -> Vec<Vec<delivery::Model>> {
    let mut messages: Vec<Vec<delivery::Model>> = Vec::new();
    let mut items = 0;
    for row in rows {
        let count = if with_items { u64::from(row.linecount.unsigned_abs()) } else { 0 };
        items += count;
        match messages.last_mut() {
            Some(message) if items <= ITEMS => message.push(row),
            _ => {
                messages.push(vec![row]);
                items = count;
            }
        }
    }
    messages
}

/// Returns deliveries with their related rows, and with the names and labels that people see instead of keys.
async fn whole(
    db_: &Db,
    rows: Vec<delivery::Model>,
    with_items: bool,
    reasons: &Catalogue,
) -> Result<Vec<ExportedDelivery>> {
    let mut items: HashMap<String, Vec<DeliveryItem>> = HashMap::new();
    if with_items {
        let ids: Vec<String> = rows.iter().map(|row| row.id_key.clone()).collect();
        for item in items::by_deliveries(db_, &ids).await? {
            items.entry(item.delivery_key.clone()).or_default().push(item.into());
        }
    }
    let sources = source_names(db_, rows.iter().filter_map(|row| row.source_id)).await?;
    let drivers = driver_names(db_, rows.iter().filter_map(|row| row.driver_id_key.clone())).await?;
    let label = |list: Option<AppliesTo>, code: Option<&str>| {
        let reason = list.zip(code).and_then(|(list, code)| reasons.find(list, code));
        reason.map(|reason| reason.label.clone()).unwrap_or_default()
    };
    let variance = |item: &DeliveryItem| label(Some(AppliesTo::Variance), item.variance_reason.as_deref());
    let whole = rows.into_iter().map(|row| {
        let items = items.remove(&row.id_key).unwrap_or_default();
        let driver = row.driver_id_key.as_ref().and_then(|key| drivers.get(key));
        ExportedDelivery {
            source_name: row.source_id.and_then(|id| sources.get(&id).cloned()).unwrap_or_default(),
            driver_name: driver.cloned().unwrap_or_default(),
            outcome_reason_label: label(AppliesTo::of(row.deliverystatus), row.outcome_reason.as_deref()),
            variance_reason_labels: items.iter().map(variance).collect(),
            items,
            delivery: Some(row.into()),
        }
    });
    Ok(whole.collect())
}

async fn driver_names(db_: &Db, keys: impl Iterator<Item = String>) -> Result<HashMap<String, String>> {
    let keys: BTreeSet<String> = keys.collect();
    let drivers = drivers::by_keys(db_.read(), keys).await?;
    Ok(drivers.into_iter().map(|driver| (driver.driver_id_key, driver.name)).collect())
}

async fn source_names(db_: &Db, ids: impl Iterator<Item = Uuid>) -> Result<HashMap<Uuid, String>> {
    use source::Column as C;
    let ids: BTreeSet<Uuid> = ids.collect();
    let rows: Vec<(Uuid, String)> = source::Entity::find()
        .select_only()
        .columns([C::Id, C::Name])
        .filter(C::Id.is_in(ids))
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    Ok(rows.into_iter().collect())
}
