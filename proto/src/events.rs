//! The registry of events: one row for each, used by code, tests and docs/events.md.
//!
//! A payload without a row does not compile. The row has the subject, the services that emit the event, its
//! aggregate, and its consumers; a consumer without a row cannot subscribe. Start at [`ALL`];
//! `store::consume` handles events.

tonic::include_proto!("waybill.events.v1");

mod registry;

/// The path at which other contracts refer to these messages.
pub mod v1 {
    pub use super::{DeliveryFact, DriverChanged, ShipmentFact, SourceChanged, StopChanged, VarianceFact};
}

pub use registry::{
    Effect, Entry, Event, Reader, Subscription, copies, keeps_copy, readers, subjects_read_by, watched,
};

use envelope::Payload;
use registry::events;

/// The aggregate of [`DeliveryChanged`], and that of each delivery in a [`DeliveriesImported`].
pub const DELIVERY: &str = "delivery";
/// The aggregate of a shipment. No event is about a shipment alone, but a [`DeliveryFact`] carries a sequence
/// of its shipment, too.
pub const SHIPMENT: &str = "shipment";
/// The aggregate of [`StopChanged`]: a driver's stop at a delivery.
pub const STOP: &str = "stop";
/// The first token of every subject.
pub const PREFIX: &str = "waybill";

events! {
    DeliveriesImported {
        name: "delivery.imported.v1",
        owners: ["deliveries"],
        aggregate: Some("import"),
        snapshot: "waybill.deliveries.v1.SnapshotService/SnapshotDeliveries",
        when: "a batch of an import created or changed deliveries, or a batch of its undo changed or removed them; at most \
               500 of them each",
        consumers: {
            ANALYTICS_IMPORTS: "analytics-imports" => Copy("keeps facts and roll-ups"),
            DRIVERS_IMPORTS: "drivers-imports" => Record("adds assigned and unassigned to the driver log"),
        },
        watched: true,
    }
    DeliveryChanged {
        name: "delivery.changed.v1",
        owners: ["deliveries"],
        aggregate: Some(DELIVERY),
        snapshot: "waybill.deliveries.v1.SnapshotService/SnapshotDeliveries",
        when: "one delivery was created by hand, edited or assigned, got an outcome, another attempt, a correction or \
               an attachment, or a driver's update came too late to count; carries it as it is now, with its \
               shipment, the driver it had before, the first 200 variances and their number",
        consumers: {
            ANALYTICS_DELIVERIES: "analytics-deliveries" => Copy("keeps facts and roll-ups"),
            DRIVERS_DELIVERIES: "drivers-deliveries" => Record("adds assigned, unassigned and submitted outcomes to the driver log"),
        },
        watched: true,
    }
    ImportFinished {
        name: "import.finished.v1",
        owners: ["upload"],
        aggregate: Some("import"),
        when: "an import ended, successfully or not, or a later import of its corrected rows ended",
        consumers: {},
        watched: false,
    }
    DriverChanged {
        name: "driver.changed.v1",
        owners: ["drivers"],
        aggregate: Some("driver"),
        snapshot: "waybill.events.v1.EventsService/ReadSnapshot",
        when: "a driver was created, edited, blocked or unblocked; never carries a PIN",
        consumers: {
            ANALYTICS_DRIVERS: "analytics-drivers" => Copy("keeps the names of drivers"),
            AUTH_DRIVERS: "auth-drivers" => Copy("creates, renames, blocks and unblocks the account"),
            DELIVERIES_DRIVERS: "deliveries-drivers" => Copy("keeps a copy of names and statuses"),
        },
        watched: false,
    }
    DriverAccountReported {
        name: "driveraccount.reported.v1",
        owners: ["auth"],
        aggregate: None,
        when: "a driver's PIN was set, or a sign-in with a driver's username was refused; carries the address of the \
               request, never a PIN",
        consumers: {
            DRIVERS_ACCOUNTS: "drivers-accounts" => Record("adds failed sign-ins and new PINs to the driver log"),
        },
        watched: false,
    }
    SourceChanged {
        name: "source.changed.v1",
        owners: ["deliveries"],
        aggregate: Some("source"),
        snapshot: "waybill.deliveries.v1.SnapshotService/SnapshotSources",
        when: "a source of deliveries was created or edited",
        consumers: {
            ANALYTICS_SOURCES: "analytics-sources" => Copy("keeps the names of sources"),
        },
        watched: false,
    }
    StopChanged {
        name: "stop.changed.v1",
        owners: ["drivers"],
        aggregate: Some(STOP),
        snapshot: "waybill.drivers.v1.SnapshotService/SnapshotStops",
        when: "a device reported that a driver arrived at a delivery or left it; carries the latest time of each",
        consumers: {
            ANALYTICS_STOPS: "analytics-stops" => Copy("keeps how long stops take"),
        },
        watched: false,
    }
    SettingChanged {
        name: "setting.changed.v1",
        owners: ["settings"],
        aggregate: Some("setting"),
        snapshot: "waybill.events.v1.EventsService/ReadSnapshot",
        when: "a system setting was changed, or sent again because a service asked; carries its value, never a secret",
        consumers: {
            AUTH_SETTINGS: "auth-settings" => Copy("keeps a copy of the settings it obeys"),
            DELIVERIES_SETTINGS: "deliveries-settings" => Copy("keeps a copy of the settings it obeys"),
            DRIVERS_SETTINGS: "drivers-settings" => Copy("keeps a copy of the settings it obeys"),
            UPLOAD_SETTINGS: "upload-settings" => Copy("keeps a copy of the settings it obeys"),
        },
        watched: true,
    }
    AnnouncementChanged {
        name: "announcement.changed.v1",
        owners: ["settings"],
        aggregate: Some("announcement"),
        when: "an announcement was created, edited or deleted, or one user saw or dismissed it (`seen_by`); never \
               carries its text",
        consumers: {},
        watched: true,
    }
    AuditRecorded {
        name: "audit.recorded.v1",
        owners: ["analytics", "deliveries", "drivers", "settings", "upload"],
        aggregate: None,
        when: "a user with a privilege changed a driver, a device, a setting, the logo, an announcement, a report \
               setting, a report schedule, a reason, a customer, a source, an endpoint or a producer, resent or \
               discarded a dead letter, started, corrected, canceled or undid an import, or asked for a report or \
               for a rebuild of analytics; or a scheduled report was mailed, or its schedule was paused because the \
               report can no longer be sent; carries the fields before and after, never a secret",
        consumers: {
            AUTH_AUDIT: "auth-audit" => Record("appends it to the audit log under the event's id"),
        },
        watched: false,
    }
    DeadLetterRaised {
        name: "deadletter.raised.v1",
        owners: ["analytics", "auth", "deliveries", "drivers", "settings", "upload"],
        aggregate: None,
        when: "a consumer failed at an event for the last time, or once more when it was replayed; carries that event, \
               unless it is larger than 64 KiB",
        consumers: {
            DELIVERIES_DEAD_LETTERS: "deliveries-dead-letters" => Record("shows it to administrators among the dead letters"),
        },
        watched: false,
    }
    DeadLetterReplayed {
        name: "deadletter.replayed.v1",
        owners: ["deliveries"],
        aggregate: None,
        when: "an administrator had an event handled again that a consumer gave up, or discarded it; names the service that \
               keeps it",
        consumers: {
            ANALYTICS_REPLAYS: "analytics-replays" => Act("handles its own again"),
            AUTH_REPLAYS: "auth-replays" => Act("handles its own again"),
            DELIVERIES_REPLAYS: "deliveries-replays" => Act("handles its own again"),
            DRIVERS_REPLAYS: "drivers-replays" => Act("handles its own again"),
            SETTINGS_REPLAYS: "settings-replays" => Act("handles its own again"),
            UPLOAD_REPLAYS: "upload-replays" => Act("handles its own again"),
        },
        watched: false,
    }
    DeadLetterHandled {
        name: "deadletter.handled.v1",
        owners: ["analytics", "auth", "deliveries", "drivers", "settings", "upload"],
        aggregate: None,
        when: "an event that was given up has been handled after all",
        consumers: {
            DELIVERIES_HANDLED: "deliveries-handled" => Record("marks the dead letter as resolved"),
        },
        watched: false,
    }
    EndpointPaused {
        name: "endpoint.paused.v1",
        owners: ["deliveries"],
        aggregate: None,
        when: "too many messages to a receiver of outcomes failed in a row; names it, never its address or secret",
        consumers: {
            SETTINGS_ENDPOINTS: "settings-endpoints" => Record("posts an announcement to administrators"),
        },
        watched: false,
    }
    EndpointResumed {
        name: "endpoint.resumed.v1",
        owners: ["deliveries"],
        aggregate: None,
        when: "a paused receiver of outcomes was resumed, switched off or deleted; names it and when it was paused",
        consumers: {
            SETTINGS_RESUMED: "settings-resumed" => Record("ends the announcement of the pause"),
        },
        watched: false,
    }
}

impl Payload {
    /// Sets the sequence of the delivery in the payload to the envelope's sequence.
    pub fn set_sequence(&mut self, sequence: u64) {
        if let Self::DeliveryChanged(DeliveryChanged { delivery: Some(delivery), .. }) = self {
            delivery.sequence = sequence;
        }
    }

    /// Returns the numbers of the shipments whose status the payload carries. Each shipment has its own
    /// sequence.
    pub fn shipments(&self) -> Vec<String> {
        let Self::DeliveryChanged(DeliveryChanged { delivery, left_shipmentnumber, .. }) = self else {
            return Vec::new();
        };
        let present = delivery.iter().filter(|it| !it.shipmentstatus.is_empty());
        let present = present.map(|it| it.shipmentnumber.clone());
        present.chain((!left_shipmentnumber.is_empty()).then(|| left_shipmentnumber.clone())).collect()
    }

    /// Writes the sequences of [`Self::shipments`], in the same order.
    pub fn set_shipment_sequences(&mut self, sequences: &[u64]) {
        let Self::DeliveryChanged(changed) = self else { return };
        let mut sequences = sequences.iter().copied();
        if let Some(delivery) = changed.delivery.as_mut().filter(|it| !it.shipmentstatus.is_empty()) {
            delivery.shipmentsequence = sequences.next().unwrap_or_default();
        }
        if !changed.left_shipmentnumber.is_empty() {
            changed.left_shipmentsequence = sequences.next().unwrap_or_default();
        }
    }
}

impl DeliveryChanged {
    /// Returns the kind of change. Also recognizes an event of an older release, which has only the kind's
    /// name in `change`. Returns `None` for an unknown kind, which a later release may send.
    pub fn known_kind(&self) -> Option<DeliveryChangeKind> {
        use DeliveryChangeKind as K;
        let all = || (1..).map_while(|number| K::try_from(number).ok());
        match K::try_from(self.kind) {
            Ok(K::Unspecified) => all().find(|kind| kind.released_name() == self.change),
            Ok(kind) => Some(kind),
            Err(_) => None,
        }
    }
}

impl DeliveryChangeKind {
    /// Returns the name of this kind in `change`, which releases before the enum sent. Consumers ignore
    /// unknown names.
    pub fn released_name(self) -> &'static str {
        match self {
            Self::Unspecified => "",
            Self::Created => "created",
            Self::Edited => "edited",
            Self::ItemsEdited => "items_edited",
            Self::Assigned => "assigned",
            Self::OutcomeRecorded => "outcome_recorded",
            Self::Rescheduled => "rescheduled",
            Self::Corrected => "corrected",
            Self::Superseded => "superseded",
            Self::AttachmentAdded => "evidence_added",
        }
    }
}
