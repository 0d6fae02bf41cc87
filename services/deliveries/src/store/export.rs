//! Everything that a list's filters let through, in its order, as a stream.
//!
//! A stretch at a time, each found by the key of the last row before it, with its items and sources
//! by one statement each. Two stretches wait at most, so that memory is bounded however slow the
//! reader is, and nothing more is read once the reader has gone. Deliberately absent: one snapshot
//! of it all. A delivery that moves in the order meanwhile may be missed or come twice.

use std::collections::HashMap;

use kit::Result;
use proto::common::v1::Page;
use proto::deliveries::v1::{DeliveryItem, ExportDeliveriesResponse, ExportedDelivery};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use uuid::Uuid;

use super::deliveries;
use crate::entity::{delivery, source};
use ::store::{Db, db};

/// Deliveries of one message.
const STRETCH: u64 = 500;
const WAITING: usize = 2;

/// Starts the export. What makes no sense is refused at once, not in the middle of a file.
pub async fn run(
    db_: Db,
    page: Page,
    with_items: bool,
) -> Result<ReceiverStream<Result<ExportDeliveriesResponse, tonic::Status>>> {
    let first = deliveries::LIST.stretch(&db_, &page, None, STRETCH).await?;
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        if let Err(error) = send(&db_, &page, with_items, first, &sender).await {
            // Nobody listens when the reader has gone, and nobody has to.
            let _ = sender.send(Err(error.into())).await;
        }
    });
    Ok(ReceiverStream::new(receiver))
}

async fn send(
    db_: &Db,
    page: &Page,
    with_items: bool,
    mut rows: Vec<delivery::Model>,
    sender: &mpsc::Sender<Result<ExportDeliveriesResponse, tonic::Status>>,
) -> Result<()> {
    while let Some(last) = rows.last().cloned() {
        let full = rows.len() as u64 == STRETCH;
        let deliveries = whole(db_, rows, with_items).await?;
        if sender.send(Ok(ExportDeliveriesResponse { deliveries })).await.is_err() || !full {
            return Ok(());
        }
        rows = tokio::select! {
            rows = deliveries::LIST.stretch(db_, page, Some(&last), STRETCH) => rows?,
            () = sender.closed() => return Ok(()),
        };
    }
    Ok(())
}

/// Deliveries with what belongs to them.
async fn whole(db_: &Db, rows: Vec<delivery::Model>, with_items: bool) -> Result<Vec<ExportedDelivery>> {
    let mut items: HashMap<String, Vec<DeliveryItem>> = HashMap::new();
    if with_items {
        let ids: Vec<String> = rows.iter().map(|row| row.id_key.clone()).collect();
        for item in deliveries::items(db_, &ids).await? {
            items.entry(item.delivery_key.clone()).or_default().push(item.into());
        }
    }
    let names = source_names(db_, rows.iter().filter_map(|row| row.source_id)).await?;
    let whole = rows.into_iter().map(|row| ExportedDelivery {
        items: items.remove(&row.id_key).unwrap_or_default(),
        source_name: row.source_id.and_then(|id| names.get(&id).cloned()).unwrap_or_default(),
        delivery: Some(row.into()),
    });
    Ok(whole.collect())
}

async fn source_names(db_: &Db, ids: impl Iterator<Item = Uuid>) -> Result<HashMap<Uuid, String>> {
    use source::Column as C;
    let ids: std::collections::BTreeSet<Uuid> = ids.collect();
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
