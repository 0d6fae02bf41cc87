//! Single values: numbers, times, coordinates, and attributes.
//!
//! Impossible coordinates or times are refused. Other values that are unknown arrive as a negative number or
//! not at all, and are dropped: a point without a speed is a good point, and an app that is refused would
//! send the same point forever.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDateTime, TimeZone, Utc};
use kit::input::position::*;
use kit::input::time::{YEARS, is_possible};
use prost_types::Timestamp;
use proto::drivers::v1::PositionInput;
use serde_json::Value;

use super::report::{Parts, Result, Wrong};

const KMH_OF_A_KNOT: f64 = 1.852;
const KMH_OF_A_METRE_A_SECOND: f64 = 3.6;

/// Maximum characters of an attribute's name and value.
pub const MAX_NAME: usize = 40;
pub const MAX_TEXT: usize = 200;
/// Names of attributes that hold credentials and say nothing about a position.
const SECRETS: [&str; 6] = ["accesstoken", "api_key", "apikey", "notificationtoken", "password", "token"];

/// Larger numbers are milliseconds: in seconds, this would be the year 5138.
const SECONDS: f64 = 100_000_000_000.0;

/// Rounds to a thousandth, because further digits only come from the conversion.
pub fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

pub fn knots(value: f64) -> f64 {
    rounded(value * KMH_OF_A_KNOT)
}

pub fn metres_a_second(value: f64) -> f64 {
    rounded(value * KMH_OF_A_METRE_A_SECOND)
}

/// Parses a number. Blank and "NaN" mean unknown; so does `{11}`, a placeholder that an older app fails to
/// replace.
pub fn number(name: &str, text: &str) -> Result<Option<f64>> {
    let text = text.trim();
    if text.is_empty() || (text.starts_with('{') && text.ends_with('}')) {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(value) => Ok(value.is_finite().then_some(value)),
        Err(_) => Err(Wrong::unreadable(format!("{name} is not a number"))),
    }
}

/// Returns a member that is a number, or a number as text.
pub fn member(object: &serde_json::Map<String, Value>, name: &str) -> Result<Option<f64>> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(value)) => Ok(value.as_f64().filter(|value| value.is_finite())),
        Some(Value::String(text)) => number(name, text),
        Some(_) => Err(Wrong::unreadable(format!("{name} is not a number"))),
    }
}

/// Validates coordinates. `at` and `longitude` are the names for errors.
pub fn place(at: &str, lat: f64, lng: f64, longitude: &str) -> Result<(f64, f64)> {
    if !LATITUDE.contains(&lat) {
        return Err(Wrong::impossible(format!("{at} must be -90 to 90 degrees")));
    }
    if !LONGITUDE.contains(&lng) {
        return Err(Wrong::impossible(format!("{longitude} must be -180 to 180 degrees")));
    }
    Ok((lat, lng))
}

/// Drops values out of range, which mean "unknown", and rounds the others.
pub fn sensible(mut position: PositionInput) -> PositionInput {
    let within = |value: Option<f64>, range: RangeInclusive<f64>| {
        value.filter(|value| range.contains(value)).map(rounded)
    };
    position.altitude = within(position.altitude, ALTITUDE_M);
    position.speed_kmh = within(position.speed_kmh, SPEED_KMH);
    // Some phones report more than 360 degrees when they turn.
    position.heading_deg =
        within(position.heading_deg, 0.0..=3_600.0).map(|degrees| rounded(degrees.rem_euclid(360.0)));
    position.accuracy_m = within(position.accuracy_m, ACCURACY_M);
    position.battery_pct = within(position.battery_pct, BATTERY_PCT);
    position.odometer_m = within(position.odometer_m, ODOMETER_M);
    position
}

/// Parses a time: seconds or milliseconds since 1970, ISO 8601, or `2026-11-21 12:00:00` in the
/// organization's time zone.
pub fn time(name: &str, text: &str, parts: &Parts<'_>) -> Result<Timestamp> {
    let text = text.trim();
    let unreadable = || {
        Wrong::unreadable(format!(
            "{name} is no time: seconds or milliseconds since 1970, or 2026-11-21T04:00:00Z"
        ))
    };
    if let Ok(count) = text.parse::<f64>() {
        return of_count(name, count);
    }
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return instant(name, at.to_utc());
    }
    let formats = ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z"];
    if let Some(at) = formats.iter().find_map(|format| DateTime::parse_from_str(text, format).ok()) {
        return instant(name, at.to_utc());
    }
    let formats = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f"];
    let local = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    let local = local.ok_or_else(unreadable)?;
    let zone = parts.organization.ok_or(Wrong::Later)?.zone();
    // An hour that occurs twice in autumn means the first; a skipped hour in spring is invalid.
    let at = zone.from_local_datetime(&local).earliest();
    instant(name, at.ok_or_else(unreadable)?.to_utc())
}

/// Converts seconds or milliseconds since 1970, distinguished by their size, to the millisecond.
pub fn of_count(name: &str, count: f64) -> Result<Timestamp> {
    let millis = if count.abs() < SECONDS { count * 1_000.0 } else { count };
    if !millis.is_finite() || millis.abs() > 1e15 {
        return Err(never(name));
    }
    instant(name, DateTime::from_timestamp_millis(millis.round() as i64).ok_or_else(|| never(name))?)
}

/// Refuses times that no point can have, such as those of a clock that was never set.
pub fn instant(name: &str, at: DateTime<Utc>) -> Result<Timestamp> {
    if !is_possible(at) {
        return Err(never(name));
    }
    Ok(proto::timestamp(at))
}

fn never(name: &str) -> Wrong {
    Wrong::impossible(format!("{name} must be a time from {} to {}", YEARS.start(), YEARS.end()))
}

/// Parses a boolean as senders write it.
pub fn flag(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

fn is_secret(name: &str) -> bool {
    SECRETS.contains(&name.to_ascii_lowercase().as_str())
}

/// Returns whether an attribute has nothing to keep: no value, or one that must not be kept.
pub fn is_left_out(name: &str, value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty) || is_secret(name)
}

/// Further attributes, kept unchanged up to a limit.
#[derive(Default)]
pub struct Attributes {
    kept: HashMap<String, String>,
    bytes: usize,
}

impl Attributes {
    pub fn add(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        let fits = (1..=MAX_NAME).contains(&name.len())
            && name.bytes().all(plain)
            && value.chars().count() <= MAX_TEXT
            && !value.chars().any(char::is_control)
            && !is_secret(name);
        let bytes = self.bytes + name.len() + value.len();
        let room =
            self.kept.len() < MAX_ATTRIBUTES && bytes <= MAX_ATTRIBUTE_BYTES && !self.kept.contains_key(name);
        if fits && room && !value.is_empty() {
            self.bytes = bytes;
            self.kept.insert(name.to_owned(), value);
        }
    }

    /// Adds text, numbers and flags; drops nested values.
    pub fn add_json(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) => self.add(name, text.as_str()),
            Value::Number(number) => self.add(name, number.to_string()),
            Value::Bool(flag) => self.add(name, flag.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => {}
        }
    }

    pub fn into_map(self) -> HashMap<String, String> {
        self.kept
    }
}
