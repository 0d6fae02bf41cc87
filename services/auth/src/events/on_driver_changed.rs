//! Applies changes of drivers to their accounts.

use ::store::consume::Meta;
use ::store::copies::{Keep, Known, Reported};
use ::store::{Db, Tx};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::DriverChanged;

use crate::drivers::DriverChange;
use crate::store::drivers;

pub async fn apply(tx: &Tx, driver: DriverChanged, meta: &Meta) -> Result<()> {
    let change = DriverChange::parse(driver, meta.revision, &meta.actor)?;
    drivers::apply(tx, meta.now, &change).await?;
    kit::fail_point("auth.driver.applied");
    Ok(())
}

/// Drivers' accounts as a copy that can be rebuilt. The drivers service owns their names and whether they are
/// blocked; auth owns everything else.
pub struct Accounts;

#[async_trait]
impl Keep for Accounts {
    type Event = DriverChanged;

    async fn known(&self, db: &Db, after: &str, limit: usize) -> Result<Vec<Known>> {
        drivers::accounts(db, after, limit).await
    }

    async fn write(&self, tx: &Tx, reported: Vec<Reported<DriverChanged>>) -> Result<usize> {
        let Some(now) = reported.first().map(|it| it.meta.now) else { return Ok(0) };
        let changes = reported.into_iter().map(|Reported { event, meta, was }| {
            Ok((DriverChange::parse(event, meta.revision, &meta.actor)?, was))
        });
        drivers::keep(tx, now, changes.collect::<Result<_>>()?).await
    }

    async fn remove(&self, tx: &Tx, gone: &[Known], now: DateTime<Utc>) -> Result<()> {
        drivers::block_gone(tx, now, gone).await
    }
}
