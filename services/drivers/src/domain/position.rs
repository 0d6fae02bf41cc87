//! One point of a driver's trail, as reported by a device, in our units.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use kit::input::Check;
use kit::input::position::*;
use kit::{Error, Result};
use proto::drivers::v1 as wire;
use ring::digest;
use serde::{Deserialize, Serialize};

/// Number of wrong fields after which validation stops. Devices do not read the errors, and people do not
/// read more than a few.
const MAX_WRONG: usize = 20;

::store::text_enum!(
    /// The protocol by which a position arrived.
    Provider { Osmand => "osmand", TraccarJson => "traccar_json", Owntracks => "owntracks", Api => "api" }
);

impl Provider {
    pub fn parse(text: &str) -> Result<Self> {
        let all = [Self::Osmand, Self::TraccarJson, Self::Owntracks, Self::Api];
        all.into_iter().find(|it| it.as_str() == text).ok_or_else(|| {
            Error::invalid_field(
                "provider",
                format!("Provider must be one of {}", Self::SPELLINGS.join(", ")),
            )
        })
    }
}

::store::text_enum!(
    /// Why a position was rejected.
    Filtered {
        Accuracy => "accuracy",
        MaxSpeed => "max_speed",
        Duplicate => "duplicate",
        FutureTime => "future_time",
        ZeroIsland => "zero_island",
    }
);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Time of the position by the device's clock.
    pub occurred_at: DateTime<Utc>,
    pub lat: f64,
    pub lng: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub altitude: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_kmh: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading_deg: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy_m: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub battery_pct: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charging: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odometer_m: Option<f64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}

/// Validates all points of a request; one bad point refuses all. The error contains the wrong fields, each
/// with the index of its point.
pub fn points(inputs: Vec<wire::PositionInput>) -> Result<Vec<Point>> {
    if inputs.is_empty() || inputs.len() > MAX_POSITIONS {
        return Err(Error::invalid_field("positions", format!("1 to {MAX_POSITIONS} positions at once")));
    }
    let mut check = Check::new();
    let mut points = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.into_iter().enumerate() {
        check.set_prefix(format!("positions[{index}]."));
        points.extend(point(&mut check, input));
        if check.count() > MAX_WRONG {
            break;
        }
    }
    check.done(points)
}

/// Returns the validated point; `None` if it has no time. Its age and plausibility are checked later.
fn point(check: &mut Check, input: wire::PositionInput) -> Option<Point> {
    // Both databases store microseconds.
    let at = input.occurred_at.and_then(proto::instant);
    let at = at.and_then(|at| DateTime::from_timestamp_micros(at.timestamp_micros()));
    check.require(at.is_some(), "occurredAt", "Time is required");
    for (field, label, value, range) in [
        ("lat", "Latitude", Some(input.lat), LATITUDE),
        ("lng", "Longitude", Some(input.lng), LONGITUDE),
        ("altitude", "Altitude", input.altitude, ALTITUDE_M),
        ("speedKmh", "Speed", input.speed_kmh, SPEED_KMH),
        ("headingDeg", "Heading", input.heading_deg, HEADING_DEG),
        ("accuracyM", "Accuracy", input.accuracy_m, ACCURACY_M),
        ("batteryPct", "Battery", input.battery_pct, BATTERY_PCT),
        ("odometerM", "Odometer", input.odometer_m, ODOMETER_M),
    ] {
        if value.is_some_and(|value| !range.contains(&value)) {
            check.refuse(field, format!("{label} must be {} to {}", range.start(), range.end()));
        }
    }
    let attributes = &input.attributes;
    let bytes: usize = attributes.iter().map(|(name, value)| name.len() + value.len()).sum();
    let text = format!("At most {MAX_ATTRIBUTES} attributes of {MAX_ATTRIBUTE_BYTES} bytes in all");
    check.require(attributes.len() <= MAX_ATTRIBUTES && bytes <= MAX_ATTRIBUTE_BYTES, "attributes", text);
    Some(Point {
        occurred_at: at?,
        lat: input.lat,
        lng: input.lng,
        altitude: input.altitude,
        speed_kmh: input.speed_kmh,
        heading_deg: input.heading_deg,
        accuracy_m: input.accuracy_m,
        battery_pct: input.battery_pct,
        charging: input.charging,
        motion: input.motion,
        odometer_m: input.odometer_m,
        attributes: input.attributes.into_iter().collect(),
    })
}

impl Point {
    /// Returns a hash of the content, equal in every version of the program. Distinguishes a repeated point
    /// from another point at the same instant.
    pub fn fingerprint(&self, provider: Provider) -> i64 {
        let Self {
            occurred_at,
            lat,
            lng,
            altitude,
            speed_kmh,
            heading_deg,
            accuracy_m,
            battery_pct,
            charging,
            motion,
            odometer_m,
            attributes,
        } = self;
        let mut content = Vec::with_capacity(128);
        content.extend(occurred_at.timestamp_micros().to_le_bytes());
        content.extend(provider.as_str().bytes().chain([0]));
        let numbers =
            [Some(*lat), Some(*lng), *altitude, *speed_kmh, *heading_deg, *accuracy_m, *battery_pct];
        for number in numbers.into_iter().chain([*odometer_m]) {
            // Adding zero turns minus zero into zero. A missing number gets bytes that no accepted number
            // has.
            content.extend(number.map_or([0xff; 8], |it| (it + 0.0).to_le_bytes()));
        }
        content.extend([charging, motion].map(|flag| flag.map_or(2, u8::from)));
        for text in attributes.iter().flat_map(|(key, value)| [key, value]) {
            content.extend(text.bytes().chain([0]));
        }
        let digest = digest::digest(&digest::SHA256, &content);
        digest.as_ref().first_chunk().map_or(0, |first| i64::from_le_bytes(*first))
    }

    /// Adds the data that only the server has, and converts the point to the contract's message.
    pub fn told(
        self,
        driver_id: &str,
        received_at: DateTime<Utc>,
        provider: Provider,
        filtered: Option<Filtered>,
    ) -> wire::Position {
        let Self {
            occurred_at,
            lat,
            lng,
            altitude,
            speed_kmh,
            heading_deg,
            accuracy_m,
            battery_pct,
            charging,
            motion,
            odometer_m,
            attributes,
        } = self;
        wire::Position {
            driver_id: driver_id.to_owned(),
            occurred_at: Some(proto::timestamp(occurred_at)),
            received_at: Some(proto::timestamp(received_at)),
            lat,
            lng,
            altitude,
            speed_kmh,
            heading_deg,
            accuracy_m,
            battery_pct,
            charging,
            motion,
            odometer_m,
            provider: provider.as_str().to_owned(),
            valid: filtered.is_none(),
            filtered_reason: filtered.map(|it| it.as_str().to_owned()),
            attributes: attributes.into_iter().collect(),
        }
    }
}

/// The last position of a driver, with the server's data about it; stored as JSON in the driver's row of
/// `location`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Last {
    #[serde(flatten)]
    pub point: Point,
    pub received_at: DateTime<Utc>,
    pub provider: String,
}

impl Last {
    pub fn told(self, driver_id: &str) -> wire::Position {
        let provider = Provider::parse(&self.provider).unwrap_or(Provider::Api);
        self.point.told(driver_id, self.received_at, provider, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> wire::PositionInput {
        wire::PositionInput {
            occurred_at: Some(prost_types::Timestamp { seconds: 1_795_000_000, nanos: 123_456_789 }),
            lat: 14.559,
            lng: 121.02,
            speed_kmh: Some(32.5),
            ..Default::default()
        }
    }

    #[test]
    fn one_bad_point_refuses_all_and_says_which() {
        let bad = wire::PositionInput { lat: 91.0, lng: f64::NAN, occurred_at: None, ..input() };
        let error = points(vec![input(), bad]).unwrap_err();
        let fields: Vec<_> = error.fields.keys().map(String::as_str).collect();
        assert_eq!(fields, ["positions[1].lat", "positions[1].lng", "positions[1].occurredAt"]);
        assert_eq!(error.fields["positions[1].lat"], ["Latitude must be -90 to 90"]);
        for wrong in [
            wire::PositionInput { speed_kmh: Some(-1.0), ..input() },
            wire::PositionInput { heading_deg: Some(361.0), ..input() },
            wire::PositionInput { accuracy_m: Some(f64::INFINITY), ..input() },
            wire::PositionInput { battery_pct: Some(101.0), ..input() },
            wire::PositionInput { attributes: [("a".into(), "b".repeat(2_000))].into(), ..input() },
        ] {
            assert!(points(vec![wrong.clone()]).is_err(), "{wrong:?}");
        }
        assert!(points(Vec::new()).is_err());
        assert!(points(vec![input(); 1_001]).is_err());
        let many = points(vec![wire::PositionInput { lat: 91.0, ..input() }; 1_000]).unwrap_err();
        assert!(many.fields.len() <= MAX_WRONG + 4 && many.message.contains("more"), "{}", many.message);
    }

    #[test]
    fn the_same_content_has_the_same_fingerprint() {
        let point = |input| points(vec![input]).unwrap().remove(0);
        let one = point(input());
        assert_eq!(one.occurred_at.timestamp_subsec_micros(), 123_456);
        let print = one.fingerprint(Provider::Osmand);
        assert_eq!(print, point(input()).fingerprint(Provider::Osmand));
        // The value is stored in databases: if the hash changed, every repeated point would count as new.
        assert_eq!(print, PRINT);
        for other in [
            wire::PositionInput { lat: 14.5591, ..input() },
            wire::PositionInput { charging: Some(false), ..input() },
            wire::PositionInput { altitude: Some(0.0), ..input() },
            wire::PositionInput { attributes: [("hdop".into(), "1".into())].into(), ..input() },
        ] {
            assert_ne!(print, point(other.clone()).fingerprint(Provider::Osmand), "{other:?}");
        }
    }

    const PRINT: i64 = 1_514_067_872_762_506_223;
}
