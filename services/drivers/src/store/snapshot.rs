//! Everything that other services copy, ordered by key.
//!
//! The sequences of a page are read before its rows, so a row is at least as new as its sequence.

use async_trait::async_trait;
use kit::Result;
use proto::drivers::v1::{DriverSnapshot, SnapshotDriversResponse, SnapshotStopsResponse, StopSnapshot};
use proto::events::{DriverChanged, Envelope, Event, STOP};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::drivers::{changed, last_change};
use super::stops;
use crate::entity::driver::{Column, Entity, Model};
use crate::entity::stop;
use ::store::snapshot::{PAGE, Snapshot, aggregate};
use ::store::{Db, db, sequence};

/// A snapshot of all drivers, for copies in other services.
pub struct Drivers;

#[async_trait]
impl Snapshot for Drivers {
    async fn after(&self, db: &Db, key: &str) -> Result<Vec<Envelope>> {
        let rows = after(db, key).await?;
        Ok(rows.iter().map(|(row, sequence)| aggregate(last_change(row), *sequence)).collect())
    }
}

/// Returns a page of drivers after a key; `None` after the last one.
pub async fn drivers(db_: &Db, key: &str) -> Result<Option<SnapshotDriversResponse>> {
    let rows = after(db_, key).await?;
    let Some((last, _)) = rows.last() else { return Ok(None) };
    let last_key = last.driver_id_key.clone();
    let drivers =
        rows.iter().map(|(row, sequence)| DriverSnapshot { driver: Some(changed(row)), sequence: *sequence });
    Ok(Some(SnapshotDriversResponse { drivers: drivers.collect(), last_key }))
}

async fn after(db_: &Db, key: &str) -> Result<Vec<(Model, u64)>> {
    let keys: Vec<String> = Entity::find()
        .select_only()
        .column(Column::DriverIdKey)
        .filter(Column::DriverIdKey.gt(key))
        .order_by_asc(Column::DriverIdKey)
        .limit(PAGE as u64)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let aggregate = DriverChanged::ENTRY.aggregate.unwrap_or_default();
    let sequences = sequence::last_of(db_.read(), aggregate, &keys).await?;
    let rows = Entity::find().filter(Column::DriverIdKey.is_in(keys)).order_by_asc(Column::DriverIdKey);
    let rows = rows.all(db_.read()).await.map_err(db)?;
    let numbered = |row: Model| {
        let sequence = sequences.get(&row.driver_id_key).copied().unwrap_or_default();
        (row, sequence)
    };
    Ok(rows.into_iter().map(numbered).collect())
}

/// Returns a page of stops after a key; `None` after the last one.
pub async fn stops(db_: &Db, after: &str) -> Result<Option<SnapshotStopsResponse>> {
    use stop::Column as C;
    let keys: Vec<String> = stop::Entity::find()
        .select_only()
        .column(C::StopKey)
        .filter(C::StopKey.gt(after))
        .order_by_asc(C::StopKey)
        .limit(PAGE as u64)
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
