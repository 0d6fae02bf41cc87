//! Checks that docs/asyncapi.json matches the registry of events. The document also describes how other
//! systems report dead letters.
//!
//! WAYBILL_WRITE_EVENTS=1 rewrites the document.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

use std::path::PathBuf;

use prost_types::FileDescriptorSet;
use proto::events::{ALL, Entry};
use serde_json::{Map, Value, json};

const PROTO: &str = "../proto/waybill/events/v1/events.proto";

/// Returns the name of an event's message: the message whose comment begins with the event's subject.
fn message_of(entry: &Entry) -> String {
    let text = std::fs::read_to_string(root().join("proto/waybill/events/v1/events.proto")).unwrap();
    let subject = format!(".{}", entry.name);
    // Find the comment that begins with the subject, and then the message after it.
    let at = text.match_indices("// waybill.").find(|(at, _)| {
        let word = text[*at + 3..].split([':', ' ', '\n']).next().unwrap_or_default();
        word.ends_with(&subject)
    });
    let (at, _) = at.unwrap_or_else(|| panic!("no message says that it is {}", entry.name));
    let name = text[at..].split("\nmessage ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(is_payload(name), "{name} is no payload of the envelope");
    name.to_owned()
}

fn is_payload(name: &str) -> bool {
    let set: FileDescriptorSet = prost::Message::decode(proto::DESCRIPTORS).unwrap();
    let events = set.file.iter().find(|it| it.package() == "waybill.events.v1").unwrap();
    let envelope = events.message_type.iter().find(|it| it.name() == "Envelope").unwrap();
    envelope.field.iter().any(|it| it.type_name() == format!(".waybill.events.v1.{name}"))
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn document() -> Value {
    let (mut channels, mut operations, mut messages) = (Map::new(), Map::new(), Map::new());
    for entry in ALL {
        let name = message_of(entry);
        let owners = match entry.owners {
            [owner] => json!([owner]),
            owners => json!(owners),
        };
        let id = entry.name.replace('.', "_");
        let address = format!("waybill.{{service}}.{}", entry.name);
        channels.insert(
            id.clone(),
            json!({
                "address": address,
                "description": format!("Emitted when {}.", entry.when),
                "parameters": { "service": { "enum": owners, "description": "who emits it" } },
                "messages": { &name: { "$ref": format!("#/components/messages/{name}") } },
            }),
        );
        operations.insert(
            format!("read_{id}"),
            json!({ "action": "send", "channel": { "$ref": format!("#/channels/{id}") }, "summary": "Waybill publishes it; read it with a durable consumer of your own." }),
        );
        messages.insert(
            name.clone(),
            json!({
                "name": name,
                "contentType": "application/x-protobuf",
                "description": "An Envelope whose payload is this message.",
                "headers": { "$ref": "#/components/schemas/EventHeaders" },
                "payload": {
                    "schemaFormat": "application/vnd.google.protobuf;version=3",
                    "schema": { "$ref": format!("{PROTO}#Envelope") },
                },
            }),
        );
    }
    add_intake(&mut channels, &mut operations, &mut messages);
    json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": "Waybill",
            "version": "1",
            "description": "What Waybill publishes and reads on NATS JetStream. Made from proto/src/events.rs; events.md and intake.md say how.",
        },
        "defaultContentType": "application/x-protobuf",
        "channels": channels,
        "operations": operations,
        "components": {
            "messages": messages,
            "schemas": {
                "EventHeaders": {
                    "type": "object",
                    "properties": {
                        "Nats-Msg-Id": { "type": "string", "format": "uuid", "description": "id of the envelope" },
                        "traceparent": { "type": "string", "description": "W3C, when the change was traced" },
                    },
                },
                "ReportedLetter": reported(),
            },
        },
    })
}

/// Adds messages of other systems, which are not in the registry.
fn add_intake(
    channels: &mut Map<String, Value>,
    operations: &mut Map<String, Value>,
    messages: &mut Map<String, Value>,
) {
    channels.insert(
        "intake_deadletter_raised_v1".into(),
        json!({
            "address": "waybill.intake.{producer}.deadletter.raised.v1",
            "description": "A producer reports what it could not send. See intake.md.",
            "parameters": { "producer": { "description": "the name that an administrator registered" } },
            "messages": { "ReportedLetter": { "$ref": "#/components/messages/ReportedLetter" } },
        }),
    );
    operations.insert(
        "report_dead_letter".into(),
        json!({ "action": "receive", "channel": { "$ref": "#/channels/intake_deadletter_raised_v1" }, "summary": "Publish it to JetStream with the header Idempotency-Key; Waybill keeps it." }),
    );
    messages.insert(
        "ReportedLetter".into(),
        json!({
            "name": "ReportedLetter",
            "contentType": "application/json",
            "headers": {
                "type": "object",
                "properties": {
                    "Idempotency-Key": { "type": "string", "minLength": 1, "maxLength": 200, "description": "Identifies the letter; the same key again stays one dead letter." },
                    "Nats-Msg-Id": { "type": "string", "description": "Better left out, as JetStream drops repetitions across producers. The key, if there is no Idempotency-Key." },
                },
            },
            "payload": { "$ref": "#/components/schemas/ReportedLetter" },
        }),
    );
}

fn reported() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["deliveryId", "method", "payload"],
        "properties": {
            "id": { "type": "string", "maxLength": 200, "description": "the key, without the header" },
            "deliveryId": { "type": "string", "minLength": 1, "maxLength": 64 },
            "method": { "enum": ["create", "update", "status", "variance", "form", "cancel", "correction"] },
            "failedAt": { "type": "string", "format": "date-time" },
            "error": { "type": "string" },
            "payload": { "type": "object" },
        },
    })
}

#[test]
fn the_document_says_what_the_registry_says() {
    let path = root().join("docs/asyncapi.json");
    let made = format!("{}\n", serde_json::to_string_pretty(&document()).unwrap());
    if std::env::var_os("WAYBILL_WRITE_EVENTS").is_some() {
        std::fs::write(&path, made).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "write docs/asyncapi.json anew with WAYBILL_WRITE_EVENTS=1");
}

#[test]
fn a_report_has_the_fields_of_the_contract() {
    let set: FileDescriptorSet = prost::Message::decode(proto::DESCRIPTORS).unwrap();
    let mut messages = set.file.iter().flat_map(|it| &it.message_type);
    let letter = messages.find(|it| it.name() == "ReportedLetter").unwrap();
    let mut fields: Vec<&str> = letter.field.iter().map(|it| it.json_name()).collect();
    // The gRPC call has this field beside the letter, not inside of it.
    fields.push("id");
    fields.sort_unstable();
    let document = document();
    let documented = document["components"]["schemas"]["ReportedLetter"]["properties"].as_object().unwrap();
    assert_eq!(documented.keys().map(String::as_str).collect::<Vec<_>>(), fields);
}
