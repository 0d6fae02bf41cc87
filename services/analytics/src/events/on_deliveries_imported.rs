//! Keeps the facts of deliveries that an import brought, and of their shipments.

use ::store::Tx;
use ::store::consume::Meta;
use kit::Result;
use proto::events::DeliveriesImported;

use crate::store::{Origin, Write, deliveries, shipments};
use crate::{facts, rebuild};

pub async fn apply(tx: &Tx, imported: DeliveriesImported, meta: &Meta) -> Result<()> {
    if !imported.deliveries.iter().all(facts::is_complete) {
        let ids = imported.deliveries.into_iter().map(|it| it.id).collect();
        return rebuild::refresh(tx, ids, meta.now).await;
    }
    let mut write = Write::begin(tx, Origin::Event).await?;
    let (mut rows, mut of_them) = (Vec::new(), Vec::new());
    for delivery in &imported.deliveries {
        // Imports touch Pending deliveries only, which have no variances.
        rows.push(facts::delivery(delivery, &[])?);
        of_them.extend(facts::shipment_of(delivery)?);
    }
    for shipment in &imported.left_shipments {
        of_them.push(facts::shipment(shipment)?);
    }
    deliveries::write(&mut write, rows).await?;
    shipments::write(&mut write, of_them).await?;
    write.finish().await?;
    kit::fail_point("analytics.import.applied");
    Ok(())
}
