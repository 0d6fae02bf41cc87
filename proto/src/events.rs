//! Which subject carries which payload, and how an envelope is made.

tonic::include_proto!("waybill.events.v1");

use envelope::Payload;

/// First token of every subject.
pub const PREFIX: &str = "waybill";

impl Payload {
    /// Subject of a payload, given the service that emits it.
    pub fn subject(&self, service: &str) -> String {
        let fact = match self {
            Payload::DeliveriesImported(_) => "delivery.imported.v1",
            Payload::DeliveryChanged(_) => "delivery.changed.v1",
            Payload::ImportFinished(_) => "import.finished.v1",
            Payload::DriverChanged(_) => "driver.changed.v1",
            Payload::SettingChanged(_) => "setting.changed.v1",
            Payload::AnnouncementChanged(_) => "announcement.changed.v1",
            Payload::AuditRecorded(_) => "audit.recorded.v1",
            Payload::DeadLetterRaised(_) => "deadletter.raised.v1",
        };
        format!("{PREFIX}.{service}.{fact}")
    }
}
