//! Updates the name of a source.

use ::store::Tx;
use ::store::consume::Meta;
use kit::Result;
use proto::events::SourceChanged;

use crate::facts;
use crate::store::{Origin, Write, parties};

pub async fn apply(tx: &Tx, changed: SourceChanged, meta: &Meta) -> Result<()> {
    let mut write = Write::begin(tx, Origin::Event).await?;
    let row = facts::source(&changed, meta.revision.sequence.unsigned_abs())?;
    parties::sources(&mut write, vec![row]).await?;
    write.finish().await
}
