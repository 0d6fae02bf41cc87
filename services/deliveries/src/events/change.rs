//! Changes of deliveries, for their events and their messages to other systems.

use std::collections::BTreeMap;

use proto::events::{DeliveryChangeKind, DeliveryFact};

use crate::domain::delivery::ShipmentStatus;
use crate::domain::outbound::Method;
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

/// A Pending delivery that a batch of an import, or of its undo, changed.
pub struct ImportedDelivery {
    pub fact: DeliveryFact,
    /// What the change is to other systems.
    pub method: Method,
    // For messages only; events do not have them.
    pub referencedoc: Option<String>,
    pub form_version: i32,
}

impl ImportedDelivery {
    pub fn new(row: &delivery::Model, fact: DeliveryFact, method: Method) -> Self {
        Self { fact, method, referencedoc: row.referencedoc.clone(), form_version: row.form_version }
    }
}
