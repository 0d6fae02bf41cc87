//! A change of one delivery, for its event and its messages to other systems.

use std::collections::BTreeMap;

use proto::events::DeliveryChangeKind;

use crate::domain::delivery::ShipmentStatus;
use crate::entity::{delivery, variance};

/// A change that this transaction wrote.
pub struct Changed<'a> {
    /// The delivery after the change.
    pub delivery: &'a delivery::Model,
    pub kind: DeliveryChangeKind,
    pub actor: &'a str,
    /// All variances of the current attempt, ordered by item.
    pub variances: &'a [variance::Model],
    /// Status of the affected shipments, by folded shipment number.
    pub shipments: &'a BTreeMap<String, ShipmentStatus>,
    /// The previous shipment, if the delivery left it.
    pub left: Option<&'a str>,
    /// The delivery before the change; `None` for a new one.
    pub before: Option<&'a delivery::Model>,
}
