//! Updates the name of a driver.

use ::store::Tx;
use ::store::consume::Meta;
use kit::Result;
use proto::events::DriverChanged;

use crate::facts;
use crate::store::{Origin, Write, parties};

pub async fn apply(tx: &Tx, changed: DriverChanged, meta: &Meta) -> Result<()> {
    let mut write = Write::begin(tx, Origin::Event).await?;
    let row = facts::driver(&changed, meta.revision.sequence.unsigned_abs())?;
    parties::drivers(&mut write, vec![row]).await?;
    write.finish().await
}
