//! Reports of other systems: parsing, validation, and the key that recognizes repetitions.

use chrono::{DateTime, Utc};
use kit::Result;
use kit::input::text::visible;
use kit::input::{Check, limits};
use proto::deliveries::v1::ReportedLetter;
use ring::digest::{SHA256, digest};
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::outbound::{Method, SENT, edited};

/// Maximum length of a producer's name, which becomes a token of a subject and part of a user name at the
/// broker.
const MAX_NAME: usize = 40;
const MAX_KEY: usize = 200;
const MAX_ERROR: usize = 500;
/// Maximum size of a message that is parsed. Larger messages are stored unparsed.
pub const MAX_BYTES: usize = 256 << 10;

/// A report that can be stored as a dead letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    pub key: String,
    pub delivery_id: String,
    pub method: Method,
    pub failed_at: Option<DateTime<Utc>>,
    pub error: String,
    pub payload: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Text {
    #[serde(default)]
    id: String,
    delivery_id: String,
    method: String,
    failed_at: Option<DateTime<Utc>>,
    #[serde(default)]
    error: String,
    payload: Box<RawValue>,
}

/// Parses a JSON text. `key` takes precedence over the id in the text. Keeps the payload's text as it is,
/// because parsed numbers can lose digits.
pub fn read(key: &str, json: &[u8]) -> Result<Letter> {
    if json.len() > MAX_BYTES {
        return Err(malformed(format!("The message has more than {} KiB", MAX_BYTES >> 10)));
    }
    // serde would also parse a list, as the values of the fields in order.
    if !json.trim_ascii_start().starts_with(b"{") {
        return Err(malformed("The message is not a JSON object".to_owned()));
    }
    let Text { id, delivery_id, method, failed_at, error, payload } = serde_json::from_slice(json)
        .map_err(|error| malformed(format!("The message can't be read: {error}")))?;
    let payload = payload.get().to_owned();
    let key = if key.is_empty() { &id } else { key };
    let failed_at = failed_at.map(proto::timestamp);
    check(key, ReportedLetter { delivery_id, method, failed_at, error, payload })
}

/// Validates a report. The error lists everything that is wrong.
pub fn check(key: &str, reported: ReportedLetter) -> Result<Letter> {
    let ReportedLetter { delivery_id, method, failed_at, error, payload } = reported;
    let mut check = Check::new();
    let key = check.required("id", "Idempotency key", key, MAX_KEY);
    // Refuse keys with replacement characters: two keys that are not valid text would become the same.
    check.require(!key.contains(char::REPLACEMENT_CHARACTER), "id", "Idempotency key must be text in UTF-8");
    let delivery_id = check.required("deliveryId", "Delivery Doc", &visible(&delivery_id, &[]), limits::CODE);
    let known = SENT.iter().copied().find(|it| it.as_str() == method);
    let names: Vec<&str> = SENT.iter().map(|it| it.as_str()).collect();
    check.require(known.is_some(), "method", format!("Method must be one of {}", names.join(", ")));
    let payload = check.read("payload", edited(&payload).map_err(|error| error.message));
    let failed_at = match failed_at {
        Some(at) => {
            check.read("failedAt", proto::instant(at).ok_or("Failed at must be a time").map(Some)).flatten()
        }
        None => None,
    };
    // The other system's error text, shortened and without control characters.
    let error: String = error.chars().filter(|it| !it.is_control()).take(MAX_ERROR).collect();
    let error = if error.trim().is_empty() { "No reason was given".to_owned() } else { error };
    let method = known.unwrap_or(Method::Update);
    check.done(Letter { key, delivery_id, method, failed_at, error, payload: payload.unwrap_or_default() })
}

fn malformed(text: String) -> kit::Error {
    kit::Error::invalid("LETTER_MALFORMED", text)
}

/// Returns the message id of a letter: the same for every report of it.
pub fn message_id(producer: Uuid, key: &str) -> String {
    format!("msg_{}", hash(&[producer.as_bytes(), key.as_bytes()]))
}

/// Returns the id of an unreadable report. It is derived from the report's bytes, too.
pub fn malformed_id(producer: &str, key: &str, message: &[u8]) -> String {
    format!("intake:{}", hash(&[producer.as_bytes(), key.as_bytes(), message]))
}

/// Hashes parts with their lengths, so that no two lists of parts collide.
fn hash(parts: &[&[u8]]) -> String {
    let mut whole = Vec::new();
    for part in parts {
        whole.extend_from_slice(&(part.len() as u64).to_be_bytes());
        whole.extend_from_slice(part);
    }
    hex::encode(&digest(&SHA256, &whole).as_ref()[..16])
}

/// Replaces U+0000, which Postgres cannot store. Takes texts that are not JSON yet: in JSON, the characters
/// `\u0000` may belong to an escaped backslash.
pub fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Validates the name of a producer, as it appears in subjects.
pub fn producer_name(check: &mut Check, name: &str) -> String {
    let name = check.required("name", "Name", name, MAX_NAME);
    if !check.is_wrong("name") {
        let plain = name.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-');
        let bounded = !name.starts_with('-') && !name.ends_with('-');
        let rule = "Name can only have lowercase letters and digits, with hyphens between them";
        check.require(plain && bounded, "name", rule);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"id":"k-1","deliveryId":"DR-1","method":"status","failedAt":"2026-11-23T08:00:00Z",
        "error":"503 from ERP","payload":{"a":1}}"#;

    #[test]
    fn a_report_is_read_with_its_key() {
        let letter = read("", GOOD.as_bytes()).unwrap();
        assert_eq!((letter.key.as_str(), letter.delivery_id.as_str()), ("k-1", "DR-1"));
        assert_eq!((letter.method, letter.payload.as_str()), (Method::Status, "{\"a\":1}"));
        assert!(letter.failed_at.is_some());
        assert_eq!(read("k-2", GOOD.as_bytes()).unwrap().key, "k-2", "the header goes first");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = br#"{"deliveryId":" ","method":"event","payload":{}}"#;
        let fields = read("", wrong).unwrap_err().fields;
        let names: Vec<&str> = fields.keys().map(String::as_str).collect();
        assert_eq!(names, ["deliveryId", "id", "method"]);
        for key in ["\u{fffd}", "k\u{7}", &"k".repeat(MAX_KEY + 1)] {
            assert!(read(key, GOOD.as_bytes()).unwrap_err().fields.contains_key("id"), "{key}");
        }
        let marked = GOOD.replace("DR-1", "DR-1\\u200e");
        assert_eq!(read("", marked.as_bytes()).unwrap().delivery_id, "DR-1", "as the delivery was imported");
        assert!(read(&"ключ".repeat(50), GOOD.as_bytes()).is_ok(), "200 characters, whatever their bytes");
        let list = r#"["k","D-1","status",null,"503",{}]"#;
        for text in ["", "[]", list, "{", "\u{0}", r#"{"deliveryId":"D","method":"status"}"#] {
            assert_eq!(read("k", text.as_bytes()).unwrap_err().reason, "LETTER_MALFORMED", "{text}");
        }
        assert!(read("k", b"\xff\xfe").is_err());
        assert!(read("k", &vec![b' '; MAX_BYTES + 1]).unwrap_err().message.contains("256 KiB"));
        let unknown = GOOD.replace("\"error\"", "\"mistake\"");
        assert!(
            read("", unknown.as_bytes()).unwrap_err().message.contains("mistake"),
            "a typo is no new field"
        );
    }

    #[test]
    fn a_payload_stays_as_it_came() {
        let payload = r#"{ "ref":12345678901234567890123,"price":1.10, "name":"Pe\u00f1a","ref":1 }"#;
        let text = GOOD.replace(r#"{"a":1}"#, payload);
        assert_eq!(read("", text.as_bytes()).unwrap().payload, payload);
        let deep = format!("{}1{}", r#"{"a":"#.repeat(200), "}".repeat(200));
        let large = format!(r#"{{"a":"{}"}}"#, "x".repeat(64 << 10));
        for wrong in ["[]", "null", "\"{}\"", r#"{"a":1e999}"#, r#"{"a":"\ud800"}"#, &deep, &large] {
            let text = GOOD.replace(r#"{"a":1}"#, wrong);
            let error = read("", text.as_bytes()).unwrap_err();
            assert!(error.fields.contains_key("payload"), "{wrong:.40}: {error:?}");
        }
    }

    #[test]
    fn keys_of_two_producers_are_two() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(message_id(one, "k"), message_id(one, "k"));
        assert_ne!(message_id(one, "k"), message_id(other, "k"));
        assert_ne!(malformed_id("a", "bc", b"x"), malformed_id("ab", "c", b"x"));
    }

    #[test]
    fn a_name_fits_into_a_subject() {
        let is_good = |name: &str| {
            let mut check = Check::new();
            producer_name(&mut check, name);
            check.count() == 0
        };
        assert!(is_good("erp-1"));
        for wrong in ["", "-erp", "erp-", "ERP", "e.r", "e r", ">", "*", &"x".repeat(41)] {
            assert!(!is_good(wrong), "{wrong}");
        }
    }
}
