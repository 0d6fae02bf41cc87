//! Checks that messages of older programs and stored events remain readable.
//!
//! `fixtures/contracts.binpb` is the contract as last released: nothing in it may be removed or change its
//! number or type. `fixtures/<service>.<event>.binpb` is one recorded envelope per event version, which must
//! be readable forever. WAYBILL_WRITE_CONTRACTS=1 records the contract again: do this for a release, after
//! reading the differences. To record only events that have no recorded form yet, run only
//! `every_event_has_a_recorded_form` with that variable.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

use std::collections::BTreeMap;
use std::path::PathBuf;

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};
use proto::events::{ALL, Envelope};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn recording() -> bool {
    std::env::var_os("WAYBILL_WRITE_CONTRACTS").is_some()
}

/// Returns everything that another program may rely on: each name, with a description of its type.
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

/// Encodes a payload with every field set: text fields to their own names, numeric fields to their own
/// numbers.
fn sample(set: &FileDescriptorSet, name: &str) -> Vec<u8> {
    let messages = set.file.iter().flat_map(|file| {
        file.message_type
            .iter()
            .map(move |message| (format!(".{}.{}", file.package(), message.name()), message))
    });
    let (_, message) =
        messages.into_iter().find(|(full, _)| full == name).expect("a message of the contract");
    let mut bytes = Vec::new();
    for field in &message.field {
        let number = u32::try_from(field.number()).unwrap();
        let delimited = match field.r#type() {
            Type::String => field.name().as_bytes().to_vec(),
            Type::Bytes => vec![1, 2, 3],
            Type::Message => sample(set, field.type_name()),
            Type::Bool | Type::Enum => {
                encode_key(number, WireType::Varint, &mut bytes);
                encode_varint(1, &mut bytes);
                continue;
            }
            Type::Int32 | Type::Int64 | Type::Uint32 | Type::Uint64 => {
                encode_key(number, WireType::Varint, &mut bytes);
                encode_varint(number.into(), &mut bytes);
                continue;
            }
            other => panic!("{name}.{}: no sample for {other:?}", field.name()),
        };
        encode_key(number, WireType::LengthDelimited, &mut bytes);
        encode_varint(delimited.len() as u64, &mut bytes);
        bytes.extend(delimited);
    }
    bytes
}

/// Returns an event of each kind that the envelope can carry, with every field set.
fn samples() -> Vec<Envelope> {
    let set = FileDescriptorSet::decode(proto::DESCRIPTORS).unwrap();
    let events = set.file.iter().find(|file| file.package() == "waybill.events.v1").unwrap();
    let envelope = events.message_type.iter().find(|message| message.name() == "Envelope").unwrap();
    let payloads = envelope.field.iter().filter(|field| field.oneof_index.is_some());
    let sample = |field: &FieldDescriptorProto| {
        let payload = sample(&set, field.type_name());
        let mut bytes = Vec::new();
        encode_key(u32::try_from(field.number()).unwrap(), WireType::LengthDelimited, &mut bytes);
        encode_varint(payload.len() as u64, &mut bytes);
        bytes.extend(payload);
        let decoded = Envelope::decode(bytes.as_slice()).unwrap();
        let entry = decoded.payload.as_ref().expect("a payload of the envelope").entry();
        Envelope {
            id: "019a0000-0000-7000-8000-000000000001".into(),
            subject: entry.subject(entry.owners[0]),
            occurred_at: Some(prost_types::Timestamp { seconds: 1_795_000_000, nanos: 123_456_000 }),
            actor: "maria".into(),
            aggregate_id: "aggregate".into(),
            aggregate_version: 7,
            traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".into(),
            sequence: 9,
            ..decoded
        }
    };
    payloads.map(sample).collect()
}

fn fixtures() -> Vec<String> {
    let names =
        std::fs::read_dir(fixture("")).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "contracts.binpb").collect()
}

#[test]
fn every_event_has_a_recorded_form() {
    let samples = samples();
    assert_eq!(samples.len(), ALL.len());
    for event in samples {
        let name = event.payload.as_ref().unwrap().entry().name;
        let is_recorded = |file: &String| file.ends_with(&format!(".{name}.binpb"));
        if recording() && !fixtures().iter().any(is_recorded) {
            let file = format!("{}.binpb", event.subject.trim_start_matches("waybill."));
            std::fs::write(fixture(&file), event.encode_to_vec()).unwrap();
        }
        assert!(fixtures().iter().any(is_recorded), "{name}: record it with WAYBILL_WRITE_CONTRACTS=1");
    }
}

/// prost drops unknown fields. So a recorded form was read completely if decoding and encoding it gives the
/// same bytes. The contract test above checks that fields keep their meaning.
#[test]
fn recorded_events_are_read_as_they_were_written() {
    for name in fixtures() {
        let recorded = std::fs::read(fixture(&name)).unwrap();
        let event = Envelope::decode(recorded.as_slice()).unwrap();
        assert!(event.encode_to_vec() == recorded, "{name} has fields that are not read any more");
        let entry = event.payload.as_ref().expect("a payload").entry();
        let owner = entry.owners.iter().find(|owner| entry.subject(owner) == event.subject);
        assert!(owner.is_some(), "{name}: {} is no subject of the event", event.subject);
        assert_eq!(name, format!("{}.binpb", event.subject.trim_start_matches("waybill.")));
    }
}

/// Events are stored and have many readers, so no event may have a field for credentials.
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
