//! When drivers were at their deliveries. Devices report late and more than once, so the latest arrival and
//! departure count, in whatever order they are reported.

use ::store::bulk;
use ::store::filter::fold;
use ::store::outbox::{self, NewEvent};
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::StopChanged;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::domain::activity::{Activity, Entry};
use crate::entity::driver;
use crate::entity::stop::{ActiveModel, Column, Entity, Model};

/// Separates driver and delivery in a stop's key.
const SEPARATOR: char = '\u{1f}';

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
    let models = rows.iter().map(|row| ActiveModel {
        stop_key: Set(row.stop_key.clone()),
        driver_id: Set(row.driver_id.clone()),
        delivery_id: Set(row.delivery_id.clone()),
        arrived_at: Set(row.arrived_at),
        departed_at: Set(row.departed_at),
    });
    let later = |column: Column| {
        let (old, new) = (Expr::col((Entity, column)), Expr::col((Alias::new("excluded"), column)));
        let is_later = old.clone().is_null().or(new.clone().gt(old.clone()));
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

pub fn changed(row: &Model) -> StopChanged {
    StopChanged {
        driver_id: row.driver_id.clone(),
        delivery_id: row.delivery_id.clone(),
        arrived_at: row.arrived_at.map(proto::timestamp),
        departed_at: row.departed_at.map(proto::timestamp),
    }
}
