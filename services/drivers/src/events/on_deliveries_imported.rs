//! Adds entries to drivers' logs when an import, or its undo, gives them deliveries or takes some away.

use ::store::Tx;
use ::store::consume::Meta;
use kit::Result;
use proto::events::DeliveriesImported;

use super::activities::{append, reassigned};

pub async fn apply(tx: &Tx, imported: DeliveriesImported, meta: &Meta) -> Result<()> {
    let facts = imported.deliveries.iter();
    let activities = facts.flat_map(|it| reassigned(it, &it.left_driver_id, it.driver_is_new, meta));
    append(tx, activities.collect(), meta.now).await
}
