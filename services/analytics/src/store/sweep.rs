//! Removes rows that a rebuild did not see, because their owner does not have them.

use ::store::db;
use kit::Result;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::Write;
use super::removed::delete_variances;
use super::rollups::Deltas;
use crate::entity::{delivery_fact, driver_fact, shipment_fact, source_fact, stop_fact};

/// Number of deliveries or stops removed per step.
const STEP: u64 = 1_000;

/// Removes up to [`STEP`] deliveries that this run has not seen. Returns how many; 0 when none is left.
pub async fn deliveries(write: &mut Write<'_>, run: i64) -> Result<usize> {
    use delivery_fact::{Column as C, Entity};
    let rows = Entity::find()
        .filter(C::Run.lt(run))
        .order_by_asc(C::DeliveryIdKey)
        .limit(STEP)
        .all(&**write.tx)
        .await
        .map_err(db)?;
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
    Entity::delete_many().filter(C::DeliveryIdKey.is_in(keys)).exec(&**write.tx).await.map_err(db)?;
    write.note_change();
    Ok(rows.len())
}

/// Removes up to [`STEP`] stops that this run has not seen. Returns how many; 0 when none is left.
pub async fn stops(write: &mut Write<'_>, run: i64) -> Result<usize> {
    use stop_fact::{Column as C, Entity};
    let old = Entity::find().filter(C::Run.lt(run)).order_by_asc(C::StopKey).limit(STEP);
    let rows = old.all(&**write.tx).await.map_err(db)?;
    let keys = rows.iter().map(|it| it.stop_key.as_str());
    Entity::delete_many().filter(C::StopKey.is_in(keys)).exec(&**write.tx).await.map_err(db)?;
    let count = rows.len();
    super::stops::apply(write, rows.into_iter().map(|it| it.delivery_id_key).collect()).await?;
    Ok(count)
}

/// Removes all shipments, drivers and sources that this run has not seen.
pub async fn others(write: &mut Write<'_>, run: i64) -> Result<()> {
    let tx = &**write.tx;
    let shipments = shipment_fact::Entity::delete_many().filter(shipment_fact::Column::Run.lt(run));
    let drivers = driver_fact::Entity::delete_many().filter(driver_fact::Column::Run.lt(run));
    let sources = source_fact::Entity::delete_many().filter(source_fact::Column::Run.lt(run));
    let gone = shipments.exec(tx).await.map_err(db)?.rows_affected
        + drivers.exec(tx).await.map_err(db)?.rows_affected
        + sources.exec(tx).await.map_err(db)?.rows_affected;
    if gone > 0 {
        write.note_change();
    }
    Ok(())
}
