//! Our own batch: `{"deviceId", "positions": [{"occurredAt", "lat", "lng", …}]}`, 1,000 positions at
//! most, gzip if the sender likes.
//!
//! Who writes for us can be told what is wrong, so nothing is left out here: an unknown member, or a
//! value that cannot be, refuses the batch and names the position.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use proto::drivers::v1::PositionInput;
use serde::Deserialize;
use serde_json::Value;

use super::report::{MAX_POSITIONS, Parts, Protocol, Report, Result, Wrong, device_id};
use super::value::{Attributes, instant, place, rounded};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Batch {
    device_id: String,
    positions: Vec<Point>,
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
    let batch: Batch = serde_json::from_slice(parts.body).map_err(|error| {
        // Line and column say where; the text of serde may repeat a value.
        let what = match error.classify() {
            serde_json::error::Category::Data => "does not fit",
            _ => "is not JSON",
        };
        Wrong::unreadable(format!(
            "the batch {what} at line {}, column {}: it is {{deviceId, positions: [{{occurredAt, lat, lng}}]}}",
            error.line(),
            error.column()
        ))
    })?;
    let device_id = device_id("deviceId", &batch.device_id)?;
    if batch.positions.is_empty() {
        return Err(Wrong::impossible("positions is empty"));
    }
    if batch.positions.len() > MAX_POSITIONS {
        return Err(Wrong::impossible(format!("positions must have no more than {MAX_POSITIONS} entries")));
    }
    let numbered = batch.positions.into_iter().enumerate();
    let positions = numbered.map(|(at, point)| position(at, point)).collect::<Result<_>>()?;
    Ok(Report { protocol: Protocol::Batch, device_id, positions })
}

fn position(at: usize, point: Point) -> Result<PositionInput> {
    let name = |member: &str| format!("positions[{at}].{member}");
    let within = |member: &str, value: Option<f64>, least: f64, most: f64| match value {
        Some(value) if !(least..=most).contains(&value) => {
            Err(Wrong::impossible(format!("{} must be {least} to {most}", name(member))))
        }
        value => Ok(value.map(rounded)),
    };
    let (lat, lng) = place(&name("lat"), point.lat, point.lng, &name("lng"))?;
    let occurred_at = instant(&name("occurredAt"), point.occurred_at)?;
    let count = point.attributes.len();
    let mut others = Attributes::default();
    for (key, value) in &point.attributes {
        others.add_json(key, value);
    }
    let attributes = others.into_map();
    if attributes.len() < count {
        return Err(Wrong::impossible(format!(
            "{} must have no more than 32 entries, names of letters, digits, _ - and . up to 40, and text, \
             numbers or true and false up to 200 characters, 2000 bytes in all",
            name("attributes")
        )));
    }
    Ok(PositionInput {
        occurred_at: Some(occurred_at),
        lat,
        lng,
        altitude: within("altitude", point.altitude, -12_000.0, 100_000.0)?,
        speed_kmh: within("speedKmh", point.speed_kmh, 0.0, 10_000.0)?,
        heading_deg: within("headingDeg", point.heading_deg, 0.0, 360.0)?,
        accuracy_m: within("accuracyM", point.accuracy_m, 0.0, 10_000_000.0)?,
        battery_pct: within("batteryPct", point.battery_pct, 0.0, 100.0)?,
        charging: point.charging,
        motion: point.motion,
        odometer_m: within("odometerM", point.odometer_m, 0.0, 1e12)?,
        attributes,
    })
}
