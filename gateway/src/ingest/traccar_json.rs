//! The JSON of the Traccar Client app.
//!
//! Either `{"device_id", "location": {"timestamp", "coords": {…}, …}}`, where `location` may be a list; or
//! the parameters of the OsmAnd protocol as an object; or a list of either. In the first form unknown numbers
//! are -1, `battery.level` is a fraction, and speeds are in meters per second.

use kit::input::position::MAX_POSITIONS;
use proto::drivers::v1::PositionInput;
use serde_json::{Map, Value};

use super::osmand;
use super::report::{Parts, Protocol, Report, Result, Wrong, device_id};
use super::value::{Attributes, member, metres_a_second, of_count, place, sensible, time};

pub fn parse(parts: &Parts<'_>) -> Result<Report> {
    let value: Value =
        serde_json::from_slice(parts.body).map_err(|_| Wrong::unreadable("the request is not JSON"))?;
    let entries = match value {
        Value::Array(entries) if entries.is_empty() => {
            return Err(Wrong::unreadable("the list is empty"));
        }
        Value::Array(entries) => entries,
        entry => vec![entry],
    };
    let mut whole: Option<Report> = None;
    for entry in &entries {
        let part = one(entry, parts)?;
        match &mut whole {
            None => whole = Some(part),
            Some(whole) if whole.device_id != part.device_id => {
                return Err(Wrong::impossible("all entries must be of one device"));
            }
            Some(whole) => whole.positions.extend(part.positions),
        }
        if whole.as_ref().is_some_and(|whole| whole.positions.len() > MAX_POSITIONS) {
            return Err(Wrong::impossible(format!("no more than {MAX_POSITIONS} locations at once")));
        }
    }
    whole.ok_or_else(|| Wrong::unreadable("the list is empty"))
}

fn one(entry: &Value, parts: &Parts<'_>) -> Result<Report> {
    let Value::Object(entry) = entry else {
        return Err(Wrong::unreadable("each entry of the list must be an object"));
    };
    let Some(location) = entry.get("location").filter(|it| it.is_object() || it.is_array()) else {
        let fields = entry.iter().filter_map(|(name, value)| Some((name.clone(), plain(value)?))).collect();
        return osmand::read(Protocol::TraccarJson, fields, parts);
    };
    let id = entry.get("device_id").and_then(plain).unwrap_or_default();
    let device_id = device_id("device_id", &id)?;
    let locations = location.as_array().map_or(std::slice::from_ref(location), Vec::as_slice);
    let mut positions = Vec::new();
    for location in locations {
        let Value::Object(location) = location else {
            return Err(Wrong::unreadable("location must be an object, or a list of objects"));
        };
        positions.extend(position(location, parts)?);
    }
    Ok(Report { protocol: Protocol::TraccarJson, device_id, positions })
}

/// Returns the value as a form would contain it.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns the position; `None` without `coords`, when the phone only reports that it is alive.
fn position(location: &Map<String, Value>, parts: &Parts<'_>) -> Result<Option<PositionInput>> {
    let occurred_at = match location.get("timestamp") {
        Some(Value::String(text)) => time("location.timestamp", text, parts)?,
        Some(Value::Number(number)) => of_count("location.timestamp", number.as_f64().unwrap_or(f64::NAN))?,
        _ => return Err(Wrong::unreadable("location.timestamp is missing")),
    };
    let coords = match location.get("coords") {
        Some(Value::Object(coords)) => coords,
        Some(Value::Null) | None => return Ok(None),
        Some(_) => return Err(Wrong::unreadable("location.coords must be an object")),
    };
    let part = |name: &str| {
        member(coords, name)?.ok_or_else(|| Wrong::unreadable(format!("location.coords.{name} is missing")))
    };
    let (lat, lng) = place("latitude", part("latitude")?, part("longitude")?, "longitude")?;
    let empty = Map::new();
    let battery = location.get("battery").and_then(Value::as_object).unwrap_or(&empty);
    Ok(Some(sensible(PositionInput {
        occurred_at: Some(occurred_at),
        lat,
        lng,
        altitude: member(coords, "altitude")?,
        speed_kmh: member(coords, "speed")?.map(metres_a_second),
        heading_deg: member(coords, "heading")?,
        accuracy_m: member(coords, "accuracy")?,
        battery_pct: member(battery, "level")?.map(|level| level * 100.0),
        charging: battery.get("is_charging").and_then(Value::as_bool),
        motion: location.get("is_moving").and_then(Value::as_bool),
        odometer_m: member(location, "odometer")?,
        attributes: attributes(location),
    })))
}

fn attributes(location: &Map<String, Value>) -> std::collections::HashMap<String, String> {
    let mut others = Attributes::default();
    if let Some(kind) = location.get("activity").and_then(|it| it.get("type")) {
        others.add_json("activity", kind);
    }
    for name in ["event", "alarm", "mock"] {
        if let Some(value) = location.get(name) {
            others.add_json(name, value);
        }
    }
    if let Some(Value::Object(extras)) = location.get("extras") {
        for (name, value) in extras {
            others.add_json(name, value);
        }
    }
    others.into_map()
}
