//! Updates the facts of imported deliveries and of their shipments.

use ::store::Tx;
use ::store::consume::Meta;
use kit::Result;
use proto::events::DeliveriesImported;

use crate::store::{Origin, Write, deliveries, shipments};
use crate::{facts, rebuild};

pub async fn apply(tx: &Tx, imported: DeliveriesImported, meta: &Meta) -> Result<()> {
    let mut write = Write::begin_many(tx, Origin::Event).await?;
    // Apply shipments even if the event is incomplete, because a refresh reads deliveries only.
    let mut of_them = Vec::new();
    for delivery in &imported.deliveries {
        of_them.extend(facts::shipment_of(delivery)?);
    }
    for shipment in &imported.left_shipments {
        of_them.push(facts::shipment(shipment)?);
    }
    shipments::write(&mut write, of_them).await?;
    if imported.deliveries.iter().all(facts::is_complete) {
        // Imports touch Pending deliveries only, which have no variances.
        let rows = imported.deliveries.iter().map(|it| facts::delivery(it, &[])).collect::<Result<_>>()?;
        deliveries::write(&mut write, rows).await?;
    } else {
        let ids = imported.deliveries.into_iter().map(|it| it.id).collect();
        rebuild::refresh(tx, ids, meta.now).await?;
    }
    write.finish().await?;
    kit::fail_point("analytics.import.applied");
    Ok(())
}
