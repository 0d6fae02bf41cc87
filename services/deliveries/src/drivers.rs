//! Follows the drivers by events, so that whether one may work is known here without asking.

use std::sync::Arc;

use ::store::filter::fold;
use ::store::outbox::DeadLetters;
use ::store::{Db, inbox};
use async_trait::async_trait;
use kit::bus::{Consumer, Handler};
use kit::clock::Clock;
use kit::{Error, Result};
use proto::events::envelope::Payload;
use proto::events::{DriverChanged, Envelope};
use uuid::Uuid;

use crate::entity::driver::Model;
use crate::store::drivers::apply;

/// Durable name of the consumer.
const CONSUMER: &str = "deliveries-drivers";
const SUBJECT: &str = "waybill.drivers.driver.changed.v1";

pub fn consumer(db: &Db, clock: &Clock) -> Consumer {
    Consumer {
        name: CONSUMER,
        subject: SUBJECT.to_owned(),
        handler: Arc::new(Follower { db: db.clone(), clock: clock.clone() }),
        dead_letters: Arc::new(DeadLetters { db: db.clone(), service: crate::NAME, clock: clock.clone() }),
    }
}

/// Makes drivers known as these say, each with the version of the driver it is from.
pub async fn follow(db: &Db, drivers: Vec<(DriverChanged, u64)>) -> Result<()> {
    let tx = db.begin().await?;
    for (driver, version) in drivers {
        apply(&tx, &read(driver, version)?).await?;
    }
    tx.commit().await
}

struct Follower {
    db: Db,
    clock: Clock,
}

#[async_trait]
impl Handler for Follower {
    async fn handle(&self, envelope: &Envelope) -> Result<()> {
        let Some(Payload::DriverChanged(driver)) = envelope.payload.clone() else { return Ok(()) };
        let id = Uuid::parse_str(&envelope.id).map_err(Error::internal)?;
        let tx = self.db.begin().await?;
        if !inbox::once(&tx, CONSUMER, id, self.clock.now()).await? {
            return Ok(());
        }
        apply(&tx, &read(driver, envelope.aggregate_version)?).await?;
        tx.commit().await
    }
}

fn read(driver: DriverChanged, version: u64) -> Result<Model> {
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
        version: i64::try_from(version).map_err(Error::internal)?,
    })
}
