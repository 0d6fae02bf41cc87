//! Removes rows that a rebuild did not see, because their owner does not have them.

use ::store::{Db, bulk, db};
use kit::Result;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::Write;
use super::removed::delete_variances;
use super::rollups::Deltas;
use crate::entity::{
    delivery_fact, driver_fact, removed_delivery, removed_shipment, shipment_fact, source_fact, stop_fact,
};

/// Number of deliveries or stops removed per step.
const STEP: u64 = 1_000;

/// The rows that are removed step by step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Deliveries,
    Stops,
}

/// Returns up to [`STEP`] keys of rows that this run has not seen, in order, after this key. No index has the
/// run, so this may read a whole table; call it outside of the transaction that removes.
pub async fn unseen(db_: &Db, kind: Kind, run: i64, after: Option<&str>) -> Result<Vec<String>> {
    match kind {
        Kind::Deliveries => {
            use delivery_fact::{Column as C, Entity};
            keys::<Entity>(db_, C::DeliveryIdKey, C::Run.lt(run), after).await
        }
        Kind::Stops => {
            use stop_fact::{Column as C, Entity};
            keys::<Entity>(db_, C::StopKey, C::Run.lt(run), after).await
        }
    }
}

async fn keys<E: EntityTrait>(
    db_: &Db,
    key: E::Column,
    is_unseen: Expr,
    after: Option<&str>,
) -> Result<Vec<String>> {
    let mut rows = E::find().select_only().column(key).filter(is_unseen).order_by_asc(key).limit(STEP);
    if let Some(after) = after {
        rows = rows.filter(key.gt(after));
    }
    rows.into_tuple().all(db_.read()).await.map_err(db)
}

/// Removes these rows, except those that were written since this run began. Returns how many were removed.
pub async fn remove(write: &mut Write<'_>, kind: Kind, run: i64, keys: Vec<String>) -> Result<usize> {
    match kind {
        Kind::Deliveries => deliveries(write, run, keys).await,
        Kind::Stops => stops(write, run, keys).await,
    }
}

async fn deliveries(write: &mut Write<'_>, run: i64, keys: Vec<String>) -> Result<usize> {
    use delivery_fact::{Column as C, Entity};
    let old = Entity::find().filter(bulk::among(&**write.tx, C::DeliveryIdKey, keys)).filter(C::Run.lt(run));
    let rows = old.all(&**write.tx).await.map_err(db)?;
    if rows.is_empty() {
        return Ok(0);
    }
    let keys: Vec<String> = rows.iter().map(|it| it.delivery_id_key.clone()).collect();
    let mut deltas = Deltas::default();
    for row in &rows {
        deltas.subtract(row)?;
    }
    deltas.write(write.tx).await?;
    delete_variances(write, &keys).await?;
    let gone = Entity::delete_many().filter(bulk::among(&**write.tx, C::DeliveryIdKey, keys));
    gone.exec(&**write.tx).await.map_err(db)?;
    write.note_change();
    Ok(rows.len())
}

async fn stops(write: &mut Write<'_>, run: i64, keys: Vec<String>) -> Result<usize> {
    use stop_fact::{Column as C, Entity};
    let old = Entity::find().filter(bulk::among(&**write.tx, C::StopKey, keys)).filter(C::Run.lt(run));
    let rows = old.all(&**write.tx).await.map_err(db)?;
    let keys = rows.iter().map(|it| it.stop_key.as_str());
    let gone = Entity::delete_many().filter(bulk::among(&**write.tx, C::StopKey, keys));
    gone.exec(&**write.tx).await.map_err(db)?;
    let count = rows.len();
    super::stops::apply(write, rows.into_iter().map(|it| it.delivery_id_key).collect()).await?;
    Ok(count)
}

/// Removes all shipments, drivers and sources that this run has not seen. If the owner `lists_removed` deliveries,
/// forgets removals that it does not know: it was restored from a backup, and its sequences may begin again.
pub async fn others(write: &mut Write<'_>, run: i64, lists_removed: bool) -> Result<()> {
    let tx = &**write.tx;
    let shipments = shipment_fact::Entity::delete_many().filter(shipment_fact::Column::Run.lt(run));
    let drivers = driver_fact::Entity::delete_many().filter(driver_fact::Column::Run.lt(run));
    let sources = source_fact::Entity::delete_many().filter(source_fact::Column::Run.lt(run));
    let gone = shipments.exec(tx).await.map_err(db)?.rows_affected
        + drivers.exec(tx).await.map_err(db)?.rows_affected
        + sources.exec(tx).await.map_err(db)?.rows_affected;
    if lists_removed {
        let deliveries =
            removed_delivery::Entity::delete_many().filter(removed_delivery::Column::Run.lt(run));
        let shipments = removed_shipment::Entity::delete_many().filter(removed_shipment::Column::Run.lt(run));
        deliveries.exec(tx).await.map_err(db)?;
        shipments.exec(tx).await.map_err(db)?;
    }
    if gone > 0 {
        write.note_change();
    }
    Ok(())
}
