//! Updates the facts of one delivery and of its shipment.

use ::store::Tx;
use ::store::consume::Meta;
use kit::Result;
use proto::events::{DeliveryChanged, ShipmentFact};

use crate::store::{Origin, Write, deliveries, shipments};
use crate::{facts, rebuild};

pub async fn apply(tx: &Tx, changed: DeliveryChanged, meta: &Meta) -> Result<()> {
    let Some(delivery) = &changed.delivery else { return Ok(()) };
    let mut write = Write::begin(tx, Origin::Event).await?;
    // Apply shipments even if the event is incomplete, because a refresh reads the delivery only.
    let mut of_it: Vec<_> = facts::shipment_of(delivery)?.into_iter().collect();
    if !changed.left_shipmentnumber.is_empty() {
        of_it.push(facts::shipment(&ShipmentFact {
            shipmentnumber: changed.left_shipmentnumber,
            shipmentstatus: changed.left_shipmentstatus,
            sequence: changed.left_shipmentsequence,
        })?);
    }
    shipments::write(&mut write, of_it).await?;
    let has_all_variances =
        usize::try_from(changed.variance_count).is_ok_and(|all| all == changed.variances.len());
    if facts::is_complete(delivery) && has_all_variances {
        deliveries::write(&mut write, vec![facts::delivery(delivery, &changed.variances)?]).await?;
    } else {
        rebuild::refresh(tx, vec![delivery.id.clone()], meta.now).await?;
    }
    write.finish().await?;
    kit::fail_point("analytics.delivery.applied");
    Ok(())
}
