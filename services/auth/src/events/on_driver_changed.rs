//! Applies changes of drivers to their accounts.

use ::store::Tx;
use ::store::consume::Meta;
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
