//! Devices: paired and unpaired.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, Order, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::drivers::{lock, touched};
use crate::domain::form::Name;
use crate::domain::position::Last;
use crate::entity::device::{ActiveModel, Column, Entity, Model};
use crate::entity::{driver, ended_pairing, unpaired_device};
use ::store::audit::{self, Act, By, Changes};
use ::store::clearing::Doubts;
use ::store::{Db, Tx, db};

/// Maximum devices of one driver.
const MAX_DEVICES: u64 = 10;
/// Maximum unpaired devices in one response.
const MAX_SHOWN: u64 = 200;
/// What is stored in place of the position of an unpaired device that was paired before.
const NOWHERE: &str = "null";

/// Returns the driver of a device.
pub async fn driver_of(db_: &Db, device: &Name) -> Result<Option<driver::Model>> {
    let number = Query::select()
        .column(Column::Driver)
        .from(Entity)
        .and_where(Column::UniqueIdKey.eq(device.key.as_str()))
        .take();
    let found = driver::Entity::find().filter(Expr::col(driver::Column::Number).in_subquery(number));
    found.one(db_.read()).await.map_err(db)
}

/// Returns the ended pairings of a device, each with its driver.
pub async fn ended_pairings(db_: &Db, device: &Name) -> Result<Vec<(driver::Model, ended_pairing::Model)>> {
    let rows = ended_pairing::Entity::find()
        .filter(ended_pairing::Column::UniqueIdKey.eq(device.key.as_str()))
        .order_by_asc(ended_pairing::Column::PairedAt)
        .all(db_.read())
        .await
        .map_err(db)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let numbers = rows.iter().map(|row| row.driver);
    let drivers = driver::Entity::find().filter(driver::Column::Number.is_in(numbers)).all(db_.read()).await;
    let drivers: HashMap<i32, driver::Model> =
        drivers.map_err(db)?.into_iter().map(|row| (row.number, row)).collect();
    let with_driver = |row: ended_pairing::Model| Some((drivers.get(&row.driver)?.clone(), row));
    Ok(rows.into_iter().filter_map(with_driver).collect())
}

/// Pairs a device with a driver, and removes it from the unpaired devices.
pub async fn pair(db_: &Db, device: Name, driver_id: &str, by: By<'_>) -> Result<driver::Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, driver_id).await?;
    let paired = Entity::find_by_id(device.key.clone()).lock_exclusive().one(&*tx).await.map_err(db)?;
    unpaired_device::Entity::delete_by_id(device.key.clone()).exec(&*tx).await.map_err(db)?;
    match paired {
        Some(paired) if paired.driver == row.number => {
            tx.commit().await?;
            return Ok(row);
        }
        Some(_) => return Err(taken(&device)),
        None => {}
    }
    let count = Entity::find().filter(Column::Driver.eq(row.number)).count(&*tx).await.map_err(db)?;
    if count >= MAX_DEVICES {
        let text = format!("{driver_id} already has {MAX_DEVICES} devices. Unpair one of them first.");
        return Err(Error::precondition("TOO_MANY_DEVICES", text.clone()).field("uniqueId", text));
    }
    let new = ActiveModel {
        unique_id_key: Set(device.key.clone()),
        unique_id: Set(device.shown.clone()),
        driver: Set(row.number),
        paired_at: Set(by.now),
        paired_by: Set(by.actor.to_owned()),
    };
    Entity::insert(new).exec_without_returning(&*tx).await.map_err(|error| {
        if ::store::error::is_unique_violation(&error) { taken(&device) } else { db(error) }
    })?;
    let next = row.version + 1;
    let row = touched(row, by, next).update(&*tx).await.map_err(db)?;
    let changes = Changes::created(vec![("driverId", row.driver_id.as_str().into())]);
    record(&tx, "device.paired", &device, changes, by).await?;
    kit::fail_point("drivers.device.paired");
    tx.commit().await?;
    Ok(row)
}

/// Unpairs a device, and keeps the period in which it was paired.
pub async fn unpair(db_: &Db, device: Name, driver_id: &str, by: By<'_>) -> Result<driver::Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, driver_id).await?;
    let paired = Entity::find_by_id(device.key.clone()).lock_exclusive().one(&*tx).await.map_err(db)?;
    let Some(paired) = paired.filter(|paired| paired.driver == row.number) else {
        let text = format!("The device {} isn't paired with {driver_id}", device.shown);
        return Err(Error::not_found("DEVICE_NOT_FOUND", text));
    };
    Entity::delete_by_id(device.key.clone()).exec(&*tx).await.map_err(db)?;
    keep_ended(&tx, paired, by.now).await?;
    let next = row.version + 1;
    let row = touched(row, by, next).update(&*tx).await.map_err(db)?;
    let changes = Changes::deleted(vec![("driverId", row.driver_id.as_str().into())]);
    record(&tx, "device.unpaired", &device, changes, by).await?;
    kit::fail_point("drivers.device.unpaired");
    tx.commit().await?;
    Ok(row)
}

async fn keep_ended(tx: &Tx, paired: Model, now: DateTime<Utc>) -> Result<()> {
    use ended_pairing::Column as C;
    let ended = ended_pairing::ActiveModel {
        unique_id_key: Set(paired.unique_id_key),
        paired_at: Set(paired.paired_at),
        unpaired_at: Set(now),
        driver: Set(paired.driver),
    };
    // Another pairing can have begun at the same instant only if a clock was set back.
    let replace = OnConflict::columns([C::UniqueIdKey, C::PairedAt])
        .update_columns([C::UnpairedAt, C::Driver])
        .to_owned();
    let insert = ended_pairing::Entity::insert(ended).on_conflict(replace);
    insert.exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

/// Deletes pairings that ended before this time; returns how many.
pub async fn delete_ended(db_: &Db, before: DateTime<Utc>) -> Result<u64> {
    let tx = db_.begin().await?;
    let gone = ended_pairing::Entity::delete_many()
        .filter(ended_pairing::Column::UnpairedAt.lt(before))
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await?;
    Ok(gone.rows_affected)
}

async fn record(tx: &Tx, action: &str, device: &Name, changes: Changes, by: By<'_>) -> Result<()> {
    let (entity_id, entity_name) = (&device.shown, &device.shown);
    let act = Act { service: crate::NAME, action, entity: "device", entity_id, entity_name, changes };
    audit::record(tx, by, act).await
}

/// Records that an unpaired device sent positions. If there are now more than `most` unpaired devices,
/// removes the one that was last seen longest ago.
///
/// Keeps no position of a device that was paired before: its owner may have left the company, and must not be followed.
pub async fn note_unpaired(
    db_: &Db,
    device: Name,
    last: &Last,
    was_paired: bool,
    positions: usize,
    address: &str,
    most: u32,
) -> Result<()> {
    use unpaired_device::Column as C;
    let now = last.received_at;
    let positions = i64::try_from(positions).unwrap_or(i64::MAX);
    let position = match was_paired {
        true => NOWHERE.to_owned(),
        false => serde_json::to_string(last).map_err(Error::internal)?,
    };
    let row = unpaired_device::ActiveModel {
        unique_id_key: Set(device.key),
        unique_id: Set(device.shown),
        provider: Set(last.provider.clone()),
        first_seen_at: Set(now),
        last_seen_at: Set(now),
        positions: Set(positions),
        position: Set(position),
        address: Set(address.to_owned()),
    };
    let old = |column| Expr::col((unpaired_device::Entity, column));
    // A position that was left out stays so: the device may send for longer than its ended pairing is kept.
    let position: Expr = Expr::case(old(C::Position).eq(NOWHERE), old(C::Position))
        .finally(Expr::col((Alias::new("excluded"), C::Position)))
        .into();
    let tx = db_.begin().await?;
    unpaired_device::Entity::insert(row)
        .on_conflict(
            OnConflict::column(C::UniqueIdKey)
                .update_columns([C::Provider, C::LastSeenAt, C::Address])
                .value(C::Position, position)
                .value(C::Positions, old(C::Positions).add(positions))
                .to_owned(),
        )
        .exec_without_returning(&*tx)
        .await
        .map_err(db)?;
    let unheard = Query::select()
        .column(C::UniqueIdKey)
        .from(unpaired_device::Entity)
        .order_by(C::LastSeenAt, Order::Desc)
        .order_by(C::UniqueIdKey, Order::Asc)
        // SQLite has no OFFSET without LIMIT.
        .limit(i64::MAX.unsigned_abs())
        .offset(u64::from(most))
        .take();
    unpaired_device::Entity::delete_many()
        .filter(Expr::col(C::UniqueIdKey).in_subquery(unheard))
        .exec(&*tx)
        .await
        .map_err(db)?;
    kit::fail_point("drivers.device.unpaired_noted");
    tx.commit().await
}

/// Returns unpaired devices, most recently seen first. Leaves out paired ones, which are recorded when a report
/// arrives while its device is being paired.
pub async fn unpaired(db_: &Db) -> Result<Vec<unpaired_device::Model>> {
    let paired = Query::select().column(Column::UniqueIdKey).from(Entity).take();
    unpaired_device::Entity::find()
        .filter(unpaired_device::Column::UniqueIdKey.not_in_subquery(paired))
        .order_by_desc(unpaired_device::Column::LastSeenAt)
        .order_by_asc(unpaired_device::Column::UniqueIdKey)
        .limit(MAX_SHOWN)
        .all(db_.read())
        .await
        .map_err(db)
}

/// Deletes unpaired devices that were last seen before this time, unless they are implausibly many.
pub async fn forget_unpaired(db_: &Db, before: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    let silent = Condition::all().add(unpaired_device::Column::LastSeenAt.lt(before));
    if !doubts.allow_rows::<unpaired_device::Entity>(db_, "unpaired devices", silent.clone()).await? {
        return Ok(0);
    }
    let tx = db_.begin().await?;
    let gone = unpaired_device::Entity::delete_many().filter(silent).exec(&*tx).await.map_err(db)?;
    tx.commit().await?;
    Ok(gone.rows_affected)
}

fn taken(device: &Name) -> Error {
    let text = format!("The device {} belongs to another driver. Unpair it there first.", device.shown);
    Error::precondition("DEVICE_TAKEN", text.clone()).field("uniqueId", text)
}
