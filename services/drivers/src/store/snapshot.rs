//! Everything that projections of other services are made of, in the order of keys.
//!
//! The sequences of a page are read before its rows, so a row is at least as new as its sequence says.

use kit::Result;
use proto::drivers::v1::{DriverSnapshot, SnapshotDriversResponse, SnapshotStopsResponse, StopSnapshot};
use proto::events::{DriverChanged, Event, STOP};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::drivers::changed;
use super::stops;
use crate::entity::driver::{Column, Entity};
use crate::entity::stop;
use ::store::{Db, db, sequence};

/// Rows of one page.
const PAGE: u64 = 500;

/// Drivers after a key; nothing after the last one.
pub async fn drivers(db_: &Db, after: &str) -> Result<Option<SnapshotDriversResponse>> {
    let keys: Vec<String> = Entity::find()
        .select_only()
        .column(Column::DriverIdKey)
        .filter(Column::DriverIdKey.gt(after))
        .order_by_asc(Column::DriverIdKey)
        .limit(PAGE)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let Some(last_key) = keys.last().cloned() else { return Ok(None) };
    let aggregate = DriverChanged::ENTRY.aggregate.unwrap_or_default();
    let sequences = sequence::last_of(db_.read(), aggregate, &keys).await?;
    let rows = Entity::find().filter(Column::DriverIdKey.is_in(keys)).all(db_.read()).await.map_err(db)?;
    let drivers = rows.iter().map(|row| DriverSnapshot {
        driver: Some(changed(row)),
        sequence: sequences.get(&row.driver_id_key).copied().unwrap_or_default(),
    });
    Ok(Some(SnapshotDriversResponse { drivers: drivers.collect(), last_key }))
}

/// Stops after a key; nothing after the last one.
pub async fn stops(db_: &Db, after: &str) -> Result<Option<SnapshotStopsResponse>> {
    use stop::Column as C;
    let keys: Vec<String> = stop::Entity::find()
        .select_only()
        .column(C::StopKey)
        .filter(C::StopKey.gt(after))
        .order_by_asc(C::StopKey)
        .limit(PAGE)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let Some(last_key) = keys.last().cloned() else { return Ok(None) };
    let sequences = sequence::last_of(db_.read(), STOP, &keys).await?;
    let rows = stop::Entity::find().filter(C::StopKey.is_in(keys)).all(db_.read()).await.map_err(db)?;
    let found = rows.iter().map(|row| StopSnapshot {
        stop: Some(stops::changed(row)),
        sequence: sequences.get(&row.stop_key).copied().unwrap_or_default(),
    });
    Ok(Some(SnapshotStopsResponse { stops: found.collect(), last_key }))
}
