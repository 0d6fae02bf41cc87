//! Demo drivers with devices, positions and log entries; the caller provides names and routes.
//!
//! Adds no events. Writes positions hour by hour through the ordinary writer, so that their times of
//! receipt are plausible.

use std::collections::{BTreeMap, HashMap};

use ::store::clearing::Doubts;
use ::store::filter::fold;
use ::store::{Db, db};
use chrono::{DateTime, Duration, DurationRound, Utc};
use kit::clock::Clock;
use kit::{Error, Result, config};
use sea_orm::ActiveValue::Set;
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::Value;

use crate::domain::activity::Activity;
use crate::domain::driver::Status;
use crate::domain::form;
use crate::domain::position::{Last, Point, Provider};
use crate::entity::{device, driver};
use crate::store::positions::{DriverPoints, Look, write};
use crate::store::{devices, logs, retention};

/// The actor of demo data.
const ACTOR: &str = "demo";

/// A demo driver.
#[derive(Debug, Clone, Default)]
pub struct Demo {
    pub driver_id: String,
    pub name: String,
    pub username: String,
    pub phone: String,
    pub trucker: String,
    pub vehicle_plate: String,
    pub blocked: bool,
    pub device: Option<String>,
    /// The points of the trail, in order of time.
    pub way: Vec<Step>,
    /// The log entries: when each occurred, and the activity as the database spells it.
    pub did: Vec<(DateTime<Utc>, &'static str)>,
}

/// A point of a trail.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub at: DateTime<Utc>,
    pub lat: f64,
    pub lng: f64,
    pub speed_kmh: f64,
    pub heading_deg: f64,
    pub battery_pct: f64,
}

/// Counts of what was created.
#[derive(Debug, Clone, Copy, Default)]
pub struct Made {
    pub drivers: usize,
    pub positions: usize,
}

/// Fills empty tables; does nothing if there are drivers already.
pub async fn run(
    db_: &Db,
    now: DateTime<Utc>,
    config: &config::Drivers,
    demos: &[Demo],
    unpaired: &[(&str, Step)],
) -> Result<Option<Made>> {
    if driver::Entity::find().count(db_.read()).await.map_err(db)? > 0 {
        return Ok(None);
    }
    retention::tend(db_, now, config, &Doubts::default()).await?;
    let drivers = write_drivers(db_, now, demos).await?;
    let positions = write_ways(db_, config, now, demos, &drivers).await?;
    for (name, step) in unpaired {
        let last =
            Last { point: point(step), received_at: now, provider: Provider::Osmand.as_str().to_owned() };
        devices::note_unpaired(db_, form::device(name)?, &last, false, 1, "203.0.113.7", u32::MAX).await?;
    }
    Ok(Some(Made { drivers: drivers.len(), positions }))
}

/// Writes the drivers with their devices and log entries. Returns the drivers by id.
async fn write_drivers(
    db_: &Db,
    now: DateTime<Utc>,
    demos: &[Demo],
) -> Result<HashMap<String, driver::Model>> {
    let since = now - Duration::days(90);
    let rows = demos.iter().map(|it| driver::ActiveModel {
        driver_id: Set(it.driver_id.clone()),
        driver_id_key: Set(fold(&it.driver_id)),
        name: Set(it.name.clone()),
        name_key: Set(fold(&it.name)),
        status: Set(if it.blocked { Status::Blocked } else { Status::Active }),
        username: Set(it.username.clone()),
        username_key: Set(fold(&it.username)),
        phone: Set(Some(it.phone.clone())),
        trucker: Set(Some(it.trucker.clone())),
        trucker_key: Set(Some(fold(&it.trucker))),
        vehicle_plate: Set(Some(it.vehicle_plate.clone())),
        language: Set(Some("en".to_owned())),
        tracking_consent_at: Set(Some(since)),
        created_at: Set(since),
        created_by: Set(ACTOR.to_owned()),
        updated_at: Set(since),
        updated_by: Set(ACTOR.to_owned()),
        version: Set(1),
        ..Default::default()
    });
    let tx = db_.begin().await?;
    driver::Entity::insert_many(rows).exec_without_returning(&*tx).await.map_err(db)?;
    let made = driver::Entity::find().all(&*tx).await.map_err(db)?;
    let made: HashMap<String, driver::Model> =
        made.into_iter().map(|row| (row.driver_id.clone(), row)).collect();
    let number = |it: &Demo| made.get(&it.driver_id).map_or(0, |row| row.number);
    let paired = demos.iter().filter_map(|it| {
        let name = it.device.clone()?;
        Some(device::ActiveModel {
            unique_id_key: Set(fold(&name)),
            unique_id: Set(name),
            driver: Set(number(it)),
            paired_at: Set(since),
            paired_by: Set(ACTOR.to_owned()),
        })
    });
    let paired: Vec<device::ActiveModel> = paired.collect();
    if !paired.is_empty() {
        device::Entity::insert_many(paired).exec_without_returning(&*tx).await.map_err(db)?;
    }
    let mut entries = Vec::new();
    for it in demos {
        let Some(row) = made.get(&it.driver_id) else { continue };
        for (at, spelling) in &it.did {
            let activity = Activity::parse(spelling).ok_or_else(|| Error::internal("no activity"))?;
            entries.push(logs::fact(row, activity, *at, Value::Object(Default::default())));
        }
    }
    logs::append(&tx, entries).await?;
    tx.commit().await?;
    Ok(made)
}

async fn write_ways(
    db_: &Db,
    config: &config::Drivers,
    now: DateTime<Utc>,
    demos: &[Demo],
    drivers: &HashMap<String, driver::Model>,
) -> Result<usize> {
    let mut hours: BTreeMap<DateTime<Utc>, BTreeMap<i32, Vec<Point>>> = BTreeMap::new();
    for it in demos {
        let Some(row) = drivers.get(&it.driver_id) else { continue };
        for step in &it.way {
            let hour = step.at.duration_trunc(Duration::hours(1)).map_err(Error::internal)?;
            hours.entry(hour).or_default().entry(row.number).or_default().push(point(step));
        }
    }
    let mut positions = 0;
    for (hour, ways) in hours {
        let batches: Vec<DriverPoints> = ways
            .into_iter()
            .map(|(driver, points)| DriverPoints { driver, provider: Provider::Osmand, points })
            .collect();
        let received_at = Clock::fixed((hour + Duration::hours(1)).min(now));
        let written = write(db_, &received_at, config, &batches, Look::Late).await?;
        positions += written.iter().map(|it| it.recorded as usize).sum::<usize>();
    }
    Ok(positions)
}

fn point(step: &Step) -> Point {
    Point {
        occurred_at: step.at,
        lat: step.lat,
        lng: step.lng,
        altitude: None,
        speed_kmh: Some(step.speed_kmh),
        heading_deg: Some(step.heading_deg),
        accuracy_m: Some(8.0),
        battery_pct: Some(step.battery_pct),
        charging: None,
        motion: Some(step.speed_kmh > 1.0),
        odometer_m: None,
        attributes: BTreeMap::new(),
    }
}
