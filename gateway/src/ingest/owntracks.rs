//! OwnTracks in its HTTP mode.
//!
//! Only `_type: location` is stored. Other messages of the app are accepted and dropped, because the app
//! would send a refused one forever. An encrypted message is refused: otherwise it would be dropped, too, and
//! nobody would notice.
//!
//! The device is `user/device`: from `X-Limit-U` and `X-Limit-D`, or from `u` and `d` in the query string. If
//! the user or the device is missing, it is `topic` without `owntracks/`, or else the one of them that is
//! there, or else `tid`.

use serde_json::{Map, Value};

use proto::drivers::v1::PositionInput;

use super::report::{Parts, Protocol, Report, Result, Wrong, device_id, pairs};
use super::value::{Attributes, member, of_count, place, sensible};

/// Members that are not stored as attributes, because they are parsed or are not about a position.
const KNOWN: [&str; 16] = [
    "_type",
    "_id",
    "acc",
    "alt",
    "batt",
    "bs",
    "cog",
    "lat",
    "lon",
    "motion",
    "odometer",
    "topic",
    "tst",
    "vel",
    "image",
    "imagename",
];
/// The default topic of the Android app, which names no device.
const MADE_UP: &str = "http/";

pub fn parse(parts: &Parts<'_>) -> Result<Report> {
    let message: Map<String, Value> = serde_json::from_slice(parts.body)
        .map_err(|_| Wrong::unreadable("the request is not a JSON object"))?;
    match message.get("_type").and_then(Value::as_str) {
        Some("location") => {}
        Some("encrypted") => {
            return Err(Wrong::impossible(
                "this message is encrypted: remove the encryption key in the app's settings, and use https",
            ));
        }
        Some(_) => {
            let device_id = device(&message, parts).unwrap_or_default();
            return Ok(Report { protocol: Protocol::Owntracks, device_id, positions: Vec::new() });
        }
        None => return Err(Wrong::unreadable("_type must be text")),
    }
    let id = device(&message, parts).unwrap_or_default();
    if id.trim().is_empty() {
        return Err(Wrong::unreadable(
            "the device is missing: enter a user name and a device id in the app's settings",
        ));
    }
    let device_id = device_id("the user name with the device id", &id)?;
    Ok(Report { protocol: Protocol::Owntracks, device_id, positions: vec![position(&message)?] })
}

/// Returns whether the message has no body. The app sends such messages after deletions.
pub fn is_empty_message(parts: &Parts<'_>) -> bool {
    parts.body.is_empty() && (parts.header("x-limit-u").is_some() || parts.header("x-limit-d").is_some())
}

fn device(message: &Map<String, Value>, parts: &Parts<'_>) -> Option<String> {
    let query = pairs(parts.query);
    let asked = |name: &str| {
        query.iter().find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value.clone())
    };
    let text = |name: &str| message.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let said = |name: &str| parts.header(name).map(str::to_owned);
    let user = said("x-limit-u").or_else(|| asked("u")).or_else(|| parts.basic_user());
    let device = said("x-limit-d").or_else(|| asked("d"));
    let topic = text("topic").map(|topic| topic.strip_prefix("owntracks/").unwrap_or(topic));
    match (user, device) {
        (Some(user), Some(device)) => Some(format!("{user}/{device}")),
        (user, device) => topic
            .filter(|topic| !topic.starts_with(MADE_UP))
            .map(str::to_owned)
            .or(user)
            .or(device)
            .or_else(|| text("tid").map(str::to_owned)),
    }
}

fn position(message: &Map<String, Value>) -> Result<PositionInput> {
    let read = |name: &str| member(message, name);
    let known = |name: &str| read(name)?.ok_or_else(|| Wrong::unreadable(format!("{name} is missing")));
    let occurred_at = of_count("tst", known("tst")?)?;
    let (lat, lng) = place("lat", known("lat")?, known("lon")?, "lon")?;
    let mut others = Attributes::default();
    for (name, value) in message.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str())) {
        others.add_json(name, value);
    }
    Ok(sensible(PositionInput {
        occurred_at: Some(occurred_at),
        lat,
        lng,
        altitude: read("alt")?,
        speed_kmh: read("vel")?,
        heading_deg: read("cog")?,
        accuracy_m: read("acc")?,
        battery_pct: read("batt")?,
        charging: match message.get("bs").and_then(Value::as_i64) {
            Some(1) => Some(false),
            Some(2 | 3) => Some(true),
            _ => None,
        },
        motion: message.get("motion").and_then(Value::as_bool),
        odometer_m: read("odometer")?.map(|kilometres| kilometres * 1_000.0),
        attributes: others.into_map(),
    }))
}
