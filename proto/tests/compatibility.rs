//! Old peers and stored events must go on being understood.
//!
//! `fixtures/contracts.binpb` is the contract as last released: nothing in it may vanish or
//! change its number or type. `fixtures/<event>.binpb` is one recorded envelope per event
//! version, decoded here for ever. WAYBILL_WRITE_CONTRACTS=1 records the contract anew; do it
//! with a release, after reading what it says.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

use std::collections::BTreeMap;
use std::path::PathBuf;

use prost::Message;
use prost_types::{DescriptorProto, FileDescriptorSet};
use proto::events::envelope::Payload;
use proto::events::{
    AuditRecorded, DeadLetterRaised, DeliveriesImported, DeliveryFact, DriverChanged, Envelope,
    ImportFinished,
};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn recording() -> bool {
    std::env::var_os("WAYBILL_WRITE_CONTRACTS").is_some()
}

/// Everything a peer may rely on, as a name and what it is.
fn promises(set: &FileDescriptorSet) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for file in &set.file {
        let package = file.package();
        if !package.starts_with("waybill.") {
            continue;
        }
        for message in &file.message_type {
            of_message(&format!("{package}.{}", message.name()), message, &mut all);
        }
        for list in &file.enum_type {
            for value in &list.value {
                all.insert(format!("{package}.{}.{}", list.name(), value.name()), value.number().to_string());
            }
        }
        for service in &file.service {
            for method in &service.method {
                let name = format!("{package}.{}/{}", service.name(), method.name());
                all.insert(name, format!("{} -> {}", method.input_type(), method.output_type()));
            }
        }
    }
    all
}

fn of_message(name: &str, message: &DescriptorProto, all: &mut BTreeMap<String, String>) {
    for field in &message.field {
        let what =
            format!("{} {:?} {:?} {}", field.number(), field.label(), field.r#type(), field.type_name());
        all.insert(format!("{name}.{}", field.name()), what);
    }
    for inner in &message.nested_type {
        of_message(&format!("{name}.{}", inner.name()), inner, all);
    }
}

#[test]
fn nothing_of_the_released_contract_is_gone_or_changed() {
    if recording() {
        std::fs::write(fixture("contracts.binpb"), proto::DESCRIPTORS).unwrap();
    }
    let released =
        FileDescriptorSet::decode(std::fs::read(fixture("contracts.binpb")).unwrap().as_slice()).unwrap();
    let now = promises(&FileDescriptorSet::decode(proto::DESCRIPTORS).unwrap());
    let released = promises(&released);
    assert!(!released.is_empty());
    let broken: Vec<_> = released.iter().filter(|(name, what)| now.get(*name) != Some(what)).collect();
    assert!(broken.is_empty(), "these break peers that run the last release: {broken:#?}");
}

/// An event of each kind and version, with every field set.
fn events() -> Vec<(&'static str, Envelope)> {
    let at = prost_types::Timestamp { seconds: 1_795_000_000, nanos: 123_456_000 };
    let envelope = |subject: &str, payload| Envelope {
        id: "019a0000-0000-7000-8000-000000000001".into(),
        subject: subject.into(),
        occurred_at: Some(at),
        actor: "maria".into(),
        aggregate_id: "aggregate".into(),
        aggregate_version: 7,
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".into(),
        payload: Some(payload),
    };
    let fact = DeliveryFact {
        id: "DR-1".into(),
        version: 3,
        deliverystatus: "Pending".into(),
        shipmentnumber: "S-1".into(),
        shipmentstatus: "Partial".into(),
        customername: "Aling Nena Store".into(),
        trucker: "Isla Express".into(),
        driver_id: "DRV-0001".into(),
        scheduledatetime: Some(at),
        deliverydatetime: Some(at),
        scanmode: "No".into(),
        source_id: "019a0000-0000-7000-8000-000000000002".into(),
        linecount: 4,
    };
    vec![
        (
            "deliveries.delivery.imported.v1.binpb",
            envelope(
                "waybill.deliveries.delivery.imported.v1",
                Payload::DeliveriesImported(DeliveriesImported {
                    upload_log_id: "019a0000-0000-7000-8000-000000000003".into(),
                    source_id: "019a0000-0000-7000-8000-000000000002".into(),
                    deliveries: vec![fact],
                }),
            ),
        ),
        (
            "upload.import.finished.v1.binpb",
            envelope(
                "waybill.upload.import.finished.v1",
                Payload::ImportFinished(ImportFinished {
                    upload_log_id: "019a0000-0000-7000-8000-000000000003".into(),
                    status: "imported".into(),
                    rows_total: 10,
                    rows_created: 4,
                    rows_updated: 3,
                    rows_skipped: 2,
                    rows_failed: 1,
                }),
            ),
        ),
        (
            "drivers.driver.changed.v1.binpb",
            envelope(
                "waybill.drivers.driver.changed.v1",
                Payload::DriverChanged(DriverChanged {
                    driver_id: "DRV-0001".into(),
                    name: "Nestor Ilagan".into(),
                    username: "nestor.ilagan".into(),
                    status: "active".into(),
                }),
            ),
        ),
        (
            "settings.audit.recorded.v1.binpb",
            envelope(
                "waybill.settings.audit.recorded.v1",
                Payload::AuditRecorded(AuditRecorded {
                    action: "setting.updated".into(),
                    entity: "setting".into(),
                    entity_id: "delivery-max-attempts".into(),
                    entity_name: "Attempts of a delivery".into(),
                    before_json: r#"{"value":"3"}"#.into(),
                    after_json: r#"{"value":"4"}"#.into(),
                    address: "203.0.113.7".into(),
                    request_id: "0af7651916cd43dd8448eb211c80319c".into(),
                }),
            ),
        ),
        (
            "upload.deadletter.raised.v1.binpb",
            envelope(
                "waybill.upload.deadletter.raised.v1",
                Payload::DeadLetterRaised(DeadLetterRaised {
                    envelope: vec![1, 2, 3],
                    consumer: "analytics-deliveries".into(),
                    attempts: 5,
                    last_error: "the projection is older (STALE)".into(),
                }),
            ),
        ),
    ]
}

#[test]
fn recorded_events_are_read_as_they_were_written() {
    for (name, event) in events() {
        if recording() && !fixture(name).exists() {
            std::fs::write(fixture(name), event.encode_to_vec()).unwrap();
        }
        let recorded = Envelope::decode(std::fs::read(fixture(name)).unwrap().as_slice()).unwrap();
        assert_eq!(recorded, event, "{name}");
        let service = event.subject.split('.').nth(1).unwrap();
        assert_eq!(event.payload.as_ref().unwrap().subject(service), event.subject);
        assert!(name.starts_with(event.subject.trim_start_matches("waybill.")), "{name}");
    }
}

/// Events are kept and read by many: what somebody signs in with must have no place in them.
#[test]
fn no_event_has_room_for_a_password_or_pin() {
    const WHOLE: [&str; 6] = ["pin", "pins", "hash", "token", "tokens", "code"];
    const PART: [&str; 5] = ["password", "passwd", "passcode", "secret", "credential"];
    let now = promises(&FileDescriptorSet::decode(proto::DESCRIPTORS).unwrap());
    let fields: Vec<&str> = now
        .keys()
        .filter_map(|name| name.strip_prefix("waybill.events."))
        .map(|name| name.rsplit('.').next().unwrap())
        .collect();
    assert!(fields.contains(&"username"));
    for field in fields {
        assert!(!field.split('_').any(|word| WHOLE.contains(&word)), "{field}");
        assert!(!PART.iter().any(|part| field.contains(part)), "{field}");
    }
}
