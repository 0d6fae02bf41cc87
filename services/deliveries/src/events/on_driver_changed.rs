//! Keeps a copy of the drivers, so that this service can check whether a driver may work without calling the
//! drivers service.

use ::store::consume::{Meta, Revision};
use ::store::copies::{Keep, Known, Reported};
use ::store::filter::fold;
use ::store::{Db, Tx};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::events::DriverChanged;

use crate::entity::driver::Model;
use crate::tables::drivers;

pub async fn apply(tx: &Tx, driver: DriverChanged, meta: &Meta) -> Result<()> {
    drivers::keep(tx, vec![read(driver, meta.revision)?]).await?;
    kit::fail_point("deliveries.driver.applied");
    Ok(())
}

/// Stores drivers that did not arrive as events; the seed calls this.
pub async fn follow(db: &Db, reported: Vec<(DriverChanged, Revision)>) -> Result<()> {
    let rows =
        reported.into_iter().map(|(driver, revision)| read(driver, revision)).collect::<Result<_>>()?;
    let tx = db.begin().await?;
    drivers::keep(&tx, rows).await?;
    tx.commit().await
}

/// Lets a rebuild read and write the copy of drivers.
pub struct Drivers;

#[async_trait]
impl Keep for Drivers {
    type Event = DriverChanged;

    async fn known(&self, db: &Db, after: &str, limit: usize) -> Result<Vec<Known>> {
        drivers::COLUMNS.known(db, after, limit).await
    }

    async fn write(&self, tx: &Tx, reported: Vec<Reported<DriverChanged>>) -> Result<usize> {
        drivers::COLUMNS.yield_to(tx, &reported, |it| fold(&it.event.driver_id)).await?;
        let rows = reported.into_iter().map(|it| read(it.event, it.meta.revision));
        drivers::keep(tx, rows.collect::<Result<_>>()?).await?;
        Ok(0)
    }

    async fn remove(&self, tx: &Tx, gone: &[Known], _now: DateTime<Utc>) -> Result<()> {
        drivers::COLUMNS.remove(tx, gone).await
    }
}

fn read(driver: DriverChanged, Revision { version, sequence }: Revision) -> Result<Model> {
    let DriverChanged { driver_id, name, username: _, status } = driver;
    let driver_id = driver_id.trim().to_owned();
    if driver_id.is_empty() {
        return Err(Error::invalid_field("driverId", "Driver ID is required"));
    }
    Ok(Model {
        driver_id_key: fold(&driver_id),
        driver_id,
        name: name.trim().to_owned(),
        status: status.parse()?,
        version,
        sequence,
    })
}
