//! When drivers were at their deliveries. Devices report late and more than once, so the latest arrival and
//! departure count, in whatever order they are reported.
//!
//! Rows stay, because analytics can rebuild its copy of them at any time. It needs only how long a stop took, so the
//! times themselves are kept no longer than the log.

use ::store::bulk;
use ::store::filter::fold;
use ::store::outbox::{self, NewEvent};
use ::store::{Db, Tx, db};
use chrono::{DateTime, TimeDelta, Utc};
use kit::Result;
use proto::events::StopChanged;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, OnConflict};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};

use crate::domain::activity::{Activity, Entry};
use crate::entity::driver;
use crate::entity::stop::{Column, Entity, Model};

/// Separates driver and delivery in a stop's key.
const SEPARATOR: char = '\u{1f}';
/// Maximum duration that is kept without times. Longer ones have a departure that was not reported in time.
const LONGEST: TimeDelta = TimeDelta::days(1);
/// Number of stops changed per transaction.
const STEP: u64 = 1_000;

/// Records arrivals and departures from entries of a driver's log, with an event for each stop.
pub async fn note(tx: &Tx, driver: &driver::Model, entries: &[Entry], now: DateTime<Utc>) -> Result<()> {
    let mut rows: Vec<Model> = Vec::new();
    for entry in entries {
        let Some(delivery_id) = &entry.delivery_id else { continue };
        let (arrived_at, departed_at) = match entry.activity {
            Activity::Arrived => (Some(entry.occurred_at), None),
            Activity::Departed => (None, Some(entry.occurred_at)),
            _ => continue,
        };
        let stop_key = format!("{}{SEPARATOR}{}", driver.driver_id_key, fold(delivery_id));
        match rows.iter_mut().find(|row| row.stop_key == stop_key) {
            // `None` is less than any time.
            Some(row) => {
                row.arrived_at = Ord::max(row.arrived_at, arrived_at);
                row.departed_at = Ord::max(row.departed_at, departed_at);
            }
            None => rows.push(Model {
                stop_key,
                driver_id: driver.driver_id.clone(),
                delivery_id: delivery_id.clone(),
                arrived_at,
                departed_at,
            }),
        }
    }
    // Write stops in a fixed order, so that two requests of one driver cannot deadlock.
    rows.sort_by(|one, other| one.stop_key.cmp(&other.stop_key));
    for some in bulk::chunks::<Entity, _>(&rows) {
        write(tx, some, &driver.username, now).await?;
    }
    Ok(())
}

async fn write(tx: &Tx, rows: &[Model], actor: &str, now: DateTime<Utc>) -> Result<()> {
    let keys: Vec<&str> = rows.iter().map(|row| row.stop_key.as_str()).collect();
    let models = rows.iter().cloned().map(|row| row.into_active_model().reset_all());
    let later = |column: Column| {
        let (old, new) = (Expr::col((Entity, column)), Expr::col((Alias::new("excluded"), column)));
        // Another visit replaces one whose times were forgotten.
        let is_later = old.clone().is_null().or(new.clone().gt(old.clone())).or(old.clone().lte(durations()));
        let value: Expr = Expr::case(is_later, new).finally(old).into();
        (column, value)
    };
    let over = OnConflict::column(Column::StopKey)
        .values([Column::ArrivedAt, Column::DepartedAt].map(later))
        .to_owned();
    Entity::insert_many(models).on_conflict(over).exec_without_returning(&**tx).await.map_err(db)?;
    let now_there = Entity::find().filter(Column::StopKey.is_in(keys)).all(&**tx).await.map_err(db)?;
    for row in now_there {
        let event = NewEvent {
            service: crate::NAME,
            actor,
            aggregate_id: &row.stop_key,
            aggregate_version: 0,
            occurred_at: now,
            payload: changed(&row).into(),
        };
        outbox::add(tx, event).await?;
    }
    Ok(())
}

/// Returns the latest time that stands for a duration: [`forget_times`] moves stops to the Unix epoch.
fn durations() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + LONGEST
}

/// Removes the times of stops before this time, and keeps how long they took; returns how many were changed.
pub async fn forget_times(db_: &Db, before: DateTime<Utc>) -> Result<u64> {
    let is_old = |column: Column| Condition::all().add(column.gt(durations())).add(column.lt(before));
    let has_arrived = Condition::any().add(Column::ArrivedAt.is_null()).add(Column::ArrivedAt.lt(before));
    let left = is_old(Column::DepartedAt).add(has_arrived);
    let only_arrived = is_old(Column::ArrivedAt).add(Column::DepartedAt.is_null());
    let again = OnConflict::column(Column::StopKey)
        .update_columns([Column::ArrivedAt, Column::DepartedAt])
        .to_owned();
    let mut changed = 0;
    // Two queries, each of which is one range of the index.
    for old in [left, only_arrived] {
        loop {
            let tx = db_.begin().await?;
            let rows = Entity::find().filter(old.clone()).limit(STEP).lock_exclusive();
            let rows = rows.all(&*tx).await.map_err(db)?;
            let step = rows.len() as u64;
            let rows = rows.into_iter().map(|row| without_times(row).into_active_model().reset_all());
            bulk::upsert(&*tx, rows.collect(), &again).await?;
            tx.commit().await?;
            changed += step;
            if step < STEP {
                break;
            }
        }
    }
    Ok(changed)
}

/// Moves a stop to the Unix epoch. Its departure then shows how long it took, if that is known.
fn without_times(row: Model) -> Model {
    let took = row.departed_at.zip(row.arrived_at).map(|(departed, arrived)| departed - arrived);
    let took = took.filter(|took| (TimeDelta::zero()..=LONGEST).contains(took));
    let begun = DateTime::UNIX_EPOCH;
    Model { arrived_at: Some(begun), departed_at: took.map(|took| begun + took), ..row }
}

pub fn changed(row: &Model) -> StopChanged {
    StopChanged {
        driver_id: row.driver_id.clone(),
        delivery_id: row.delivery_id.clone(),
        arrived_at: row.arrived_at.map(proto::timestamp),
        departed_at: row.departed_at.map(proto::timestamp),
    }
}
