//! Requests as devices send them, with the exact result of each: the positions in our units, or the refusal.
//! The tests of the parsers, of the gateway and of the whole product use them.
//!
//! An entry has `method`, `target`, `headers` and one of `body`, `json` and `packed` (gzip, in hex;
//! `unpacked` is its content). Its result is either `device`, `provider`, `positions` and `answer`, or
//! `status` and `says`, a part of the error text. The time is noon of 21 November 2026 in Manila.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;

pub struct Entry {
    pub name: String,
    value: Value,
}

/// Returns all entries of all protocols.
pub fn entries() -> Vec<Entry> {
    let files = [
        ("osmand", include_str!("osmand.json")),
        ("traccar_json", include_str!("traccar_json.json")),
        ("owntracks", include_str!("owntracks.json")),
        ("batch", include_str!("batch.json")),
    ];
    let mut all = Vec::new();
    for (file, text) in files {
        for value in serde_json::from_str::<Vec<Value>>(text).unwrap() {
            all.push(Entry { name: format!("{file}: {}", value["name"].as_str().unwrap()), value });
        }
    }
    all
}

pub fn now() -> DateTime<Utc> {
    "2026-11-21T04:00:00Z".parse().unwrap()
}

impl Entry {
    fn text(&self, key: &str) -> &str {
        self.value[key].as_str().unwrap_or_default()
    }

    pub fn method(&self) -> http::Method {
        self.text("method").parse().unwrap()
    }

    pub fn target(&self) -> &str {
        self.text("target")
    }

    pub fn headers(&self) -> Vec<(String, String)> {
        let Some(headers) = self.value["headers"].as_object() else { return Vec::new() };
        headers.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect()
    }

    /// Returns the body as sent.
    pub fn body(&self) -> Vec<u8> {
        match self.text("packed") {
            "" => self.plain(),
            hex => (0..hex.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
                .collect(),
        }
    }

    /// Returns the uncompressed body.
    pub fn plain(&self) -> Vec<u8> {
        match (&self.value["json"], &self.value["unpacked"]) {
            (Value::Null, Value::Null) => self.text("body").as_bytes().to_vec(),
            (Value::Null, json) | (json, _) => json.to_string().into_bytes(),
        }
    }

    /// Returns status and a part of the text, for refusals.
    pub fn refusal(&self) -> Option<(u16, &str)> {
        Some((self.value["status"].as_u64()? as u16, self.text("says")))
    }

    pub fn device(&self) -> &str {
        self.text("device")
    }

    pub fn provider(&self) -> &str {
        self.text("provider")
    }

    pub fn positions(&self) -> Vec<Facts> {
        self.value["positions"].as_array().unwrap().iter().map(facts).collect()
    }

    /// Returns the body of a success.
    pub fn answer(&self) -> &str {
        self.text("answer")
    }
}

/// The values of a position by name, each as text in one fixed format.
pub type Facts = BTreeMap<String, String>;

/// Returns the values of a position in the format of GraphQL and the corpus.
pub fn facts(position: &Value) -> Facts {
    const TOLD: [&str; 12] = [
        "occurredAt",
        "lat",
        "lng",
        "altitude",
        "speedKmh",
        "headingDeg",
        "accuracyM",
        "batteryPct",
        "charging",
        "motion",
        "odometerM",
        "attributes",
    ];
    let spelled = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) => {
            Some(text.parse::<DateTime<Utc>>().map_or(text.clone(), |at| at.timestamp_micros().to_string()))
        }
        Value::Number(number) => Some(number.as_f64().unwrap().to_string()),
        Value::Object(members) if members.is_empty() => None,
        other => Some(other.to_string()),
    };
    let told = TOLD.iter().filter_map(|key| Some(((*key).to_owned(), spelled(&position[*key])?)));
    told.collect()
}
