//! Keeps a copy of the drivers, so that whether one may work is known here without asking.

use ::store::consume::{Meta, Revision};
use ::store::filter::fold;
use ::store::{Db, Tx};
use kit::{Error, Result};
use proto::events::DriverChanged;

use crate::entity::driver::Model;
use crate::store::drivers;

pub async fn apply(tx: &Tx, driver: DriverChanged, meta: &Meta) -> Result<()> {
    drivers::apply(tx, &read(driver, meta.revision)?).await?;
    kit::fail_point("deliveries.driver.applied");
    Ok(())
}

/// Applies changes that came another way than by events.
pub async fn follow(db: &Db, drivers: Vec<(DriverChanged, Revision)>) -> Result<()> {
    let tx = db.begin().await?;
    for (driver, revision) in drivers {
        drivers::apply(&tx, &read(driver, revision)?).await?;
    }
    tx.commit().await
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
