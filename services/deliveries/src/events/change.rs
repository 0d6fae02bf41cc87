//! A change of one delivery, as events and messages to other systems tell of it.

use std::collections::BTreeMap;

use proto::events::DeliveryChangeKind;

use crate::domain::delivery::ShipmentStatus;
use crate::entity::{delivery, variance};

/// A change that was written in this transaction.
pub struct Changed<'a> {
    /// The delivery as it is now.
    pub delivery: &'a delivery::Model,
    pub kind: DeliveryChangeKind,
    pub actor: &'a str,
    /// All of the present attempt, in their order.
    pub variances: &'a [variance::Model],
    /// Of the shipments that were rolled up, by folded number.
    pub shipments: &'a BTreeMap<String, ShipmentStatus>,
    /// The shipment it was in before, when that is another one.
    pub left: Option<&'a str>,
    /// The delivery as it was; nothing when it is new.
    pub before: Option<&'a delivery::Model>,
}
