//! Waybill's own batch format: `{"deviceId", "positions": [{"occurredAt", "lat", "lng", …}]}`, at most 1,000
//! positions, optionally gzipped.
//!
//! Programs that send this format can read errors, so parsing is strict: an unknown member or an impossible
//! value refuses the batch and names the position.

use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use kit::input::position::*;
use proto::drivers::v1::PositionInput;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;

use super::report::{Parts, Protocol, Report, Result, Wrong, device_id};
use super::value::{Attributes, MAX_NAME, MAX_TEXT, instant, is_left_out, place, rounded};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Batch {
    device_id: String,
    positions: Vec<Entry>,
}

/// A position, which must be an object: serde would also parse a list, as the values of the members in order.
struct Entry(Point);

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Entry;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Entry, A::Error> {
                Point::deserialize(MapAccessDeserializer::new(map)).map(Entry)
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// A position in the units of the contract.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Point {
    occurred_at: DateTime<Utc>,
    lat: f64,
    lng: f64,
    altitude: Option<f64>,
    speed_kmh: Option<f64>,
    heading_deg: Option<f64>,
    accuracy_m: Option<f64>,
    battery_pct: Option<f64>,
    charging: Option<bool>,
    motion: Option<bool>,
    odometer_m: Option<f64>,
    #[serde(default)]
    attributes: HashMap<String, Value>,
}

pub fn parse(parts: &Parts<'_>) -> Result<Report> {
    let batch: Batch = serde_json::from_slice(parts.body).map_err(|error| unreadable(parts.body, &error))?;
    let device_id = device_id("deviceId", &batch.device_id)?;
    if batch.positions.is_empty() {
        return Err(Wrong::impossible("positions is empty"));
    }
    if batch.positions.len() > MAX_POSITIONS {
        return Err(Wrong::impossible(format!("positions must have no more than {MAX_POSITIONS} entries")));
    }
    let numbered = batch.positions.into_iter().enumerate();
    let positions = numbered.map(|(at, Entry(point))| position(at, point)).collect::<Result<_>>()?;
    Ok(Report { protocol: Protocol::Batch, device_id, positions })
}

/// Returns the error for a batch that cannot be parsed. It names the first wrong member, or else line and column, but
/// never repeats serde's text, which may have a value.
fn unreadable(body: &[u8], error: &serde_json::Error) -> Wrong {
    let is_data = error.classify() == Category::Data;
    let mut json = serde_json::Deserializer::from_slice(body);
    let located = serde_path_to_error::deserialize::<_, Batch>(&mut json).err();
    if let Some(found) = located.filter(|it| is_data && it.path().iter().next().is_some()) {
        let path: String = found.path().to_string().chars().take(2 * MAX_NAME).collect();
        let text = found.inner().to_string();
        let missing = text.strip_prefix("missing field `").and_then(|it| it.split('`').next());
        return Wrong::unreadable(match missing {
            Some(member) => format!("{path}.{member} is missing"),
            None if text.starts_with("unknown field") => format!("{path} is unknown"),
            None => format!("{path} does not fit"),
        });
    }
    let what = if is_data { "does not fit" } else { "is not JSON" };
    Wrong::unreadable(format!(
        "the batch {what} at line {}, column {}: it is {{deviceId, positions: [{{occurredAt, lat, lng}}]}}",
        error.line(),
        error.column()
    ))
}

fn position(at: usize, point: Point) -> Result<PositionInput> {
    let name = |member: &str| format!("positions[{at}].{member}");
    let within = |member: &str, value: Option<f64>, range: RangeInclusive<f64>| match value {
        Some(value) if !range.contains(&value) => {
            let (least, most) = range.into_inner();
            Err(Wrong::impossible(format!("{} must be {least} to {most}", name(member))))
        }
        value => Ok(value.map(rounded)),
    };
    let (lat, lng) = place(&name("lat"), point.lat, point.lng, &name("lng"))?;
    let occurred_at = instant(&name("occurredAt"), point.occurred_at)?;
    let (mut others, mut count) = (Attributes::default(), 0);
    for (key, value) in point.attributes.iter().filter(|(key, value)| !is_left_out(key, value)) {
        count += 1;
        others.add_json(key, value);
    }
    let attributes = others.into_map();
    if attributes.len() < count {
        return Err(Wrong::impossible(format!(
            "{} must have no more than {MAX_ATTRIBUTES} entries, names of letters, digits, _ - and . up to {MAX_NAME}, \
             and text, numbers or true and false up to {MAX_TEXT} characters, {MAX_ATTRIBUTE_BYTES} bytes in all",
            name("attributes")
        )));
    }
    Ok(PositionInput {
        occurred_at: Some(occurred_at),
        lat,
        lng,
        altitude: within("altitude", point.altitude, ALTITUDE_M)?,
        speed_kmh: within("speedKmh", point.speed_kmh, SPEED_KMH)?,
        heading_deg: within("headingDeg", point.heading_deg, HEADING_DEG)?,
        accuracy_m: within("accuracyM", point.accuracy_m, ACCURACY_M)?,
        battery_pct: within("batteryPct", point.battery_pct, BATTERY_PCT)?,
        charging: point.charging,
        motion: point.motion,
        odometer_m: within("odometerM", point.odometer_m, ODOMETER_M)?,
        attributes,
    })
}
