//! Updates how long a driver was at a delivery.

use ::store::Tx;
use ::store::consume::Meta;
use kit::Result;
use proto::events::StopChanged;

use crate::facts;
use crate::store::{Origin, Write, stops};

pub async fn apply(tx: &Tx, changed: StopChanged, meta: &Meta) -> Result<()> {
    let mut write = Write::begin(tx, Origin::Event).await?;
    let row = facts::stop(&changed, meta.revision.sequence.unsigned_abs())?;
    stops::write(&mut write, vec![row]).await?;
    write.finish().await
}
