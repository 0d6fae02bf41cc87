//! Converts between the contract's values and GraphQL: times, enums, quantities, locations.
//!
//! An invalid value from a service is an internal error, never a guess. Input that the contract cannot
//! represent is refused, with an error at its field.

use async_graphql::resolver_utils::EnumType;
use async_graphql::{
    InputObject, InputValueError, InputValueResult, Scalar, ScalarType, SimpleObject, Value,
};
use chrono::{SecondsFormat, Utc};
use kit::Error;
use kit::input::Check;
use prost_types::Timestamp;
use proto::deliveries::v1 as contract;

use super::error::Failure;

/// An instant, RFC 3339: in UTC in responses, with any offset in requests.
pub struct DateTime(chrono::DateTime<Utc>);

/// An instant, RFC 3339: in UTC in responses, with any offset in requests.
#[Scalar(name = "DateTime")]
impl ScalarType for DateTime {
    fn parse(value: Value) -> InputValueResult<Self> {
        let Value::String(text) = &value else {
            return Err(InputValueError::expected_type(value));
        };
        Ok(Self(chrono::DateTime::parse_from_rfc3339(text)?.with_timezone(&Utc)))
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

impl From<DateTime> for Timestamp {
    fn from(DateTime(at): DateTime) -> Self {
        proto::timestamp(at)
    }
}

/// Converts an optional time that a person sent.
pub fn wire(at: Option<DateTime>) -> Option<Timestamp> {
    at.map(Timestamp::from)
}

/// Converts an optional time that a service sent.
pub fn time(at: Option<Timestamp>) -> Result<Option<DateTime>, Failure> {
    let Some(at) = at else { return Ok(None) };
    let at = proto::instant(at).ok_or_else(|| Error::internal("a service sent a time out of range"))?;
    Ok(Some(DateTime(at)))
}

/// Converts a required time that a service sent.
pub fn set_time(at: Option<Timestamp>) -> Result<DateTime, Failure> {
    time(at)?.ok_or_else(|| Error::internal("a service left out a time").into())
}

/// Returns the text unless it is empty.
pub fn given(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// Converts a value of the contract's enum `P` to GraphQL's enum `G`.
pub fn known<P, G>(number: i32) -> Result<G, Failure>
where
    P: TryFrom<i32>,
    G: TryFrom<P>,
{
    P::try_from(number)
        .ok()
        .and_then(|value| G::try_from(value).ok())
        .ok_or_else(|| Error::internal(format!("a service sent the unknown enum value {number}")).into())
}

/// Converts a word of the contract to the GraphQL enum value with that spelling.
pub fn word<G: EnumType>(text: &str) -> Result<G, Failure> {
    find(text).ok_or_else(|| Error::internal(format!("a service sent the unknown word {text:?}")).into())
}

/// Converts words to GraphQL enum values. Drops words that only a newer service knows, because no client
/// could use them.
pub fn known_words<G: EnumType>(texts: &[String]) -> Vec<G> {
    texts.iter().filter_map(|text| find(text)).collect()
}

fn find<G: EnumType>(text: &str) -> Option<G> {
    G::items().iter().find(|item| item.name == text).map(|item| item.value)
}

/// Returns the contract's spelling of a GraphQL enum value.
pub fn spelling<G: EnumType>(value: G) -> &'static str {
    G::items().iter().find(|item| item.value == value).map(|item| item.name).unwrap_or_default()
}

/// Converts thousandths to units, or grams to kilograms.
pub fn units(thousandths: i64) -> f64 {
    thousandths as f64 / 1000.0
}

/// Converts units to thousandths, or kilograms to grams. Refuses a number that does not convert exactly.
pub fn exact(check: &mut Check, field: &str, label: &str, value: f64) -> i64 {
    check.read(field, thousandths(value).map_err(|what| format!("{label} {what}"))).unwrap_or_default()
}

/// Converts units to thousandths. Returns what is wrong with a number that does not convert exactly.
pub fn thousandths(value: f64) -> Result<i64, &'static str> {
    if !value.is_finite() {
        return Err("must be a number");
    }
    if value < 0.0 {
        return Err("must not be negative");
    }
    // The shortest text for this number, which is what the person typed; it never has an exponent.
    let text = value.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    if decimals.len() > 3 {
        return Err("must have no more than 3 decimals");
    }
    format!("{whole}{decimals:0<3}").parse().map_err(|_| "is too large")
}

/// A location: latitude and longitude in degrees, accuracy in meters.
#[derive(SimpleObject)]
pub struct GeoPoint {
    lat: f64,
    lng: f64,
    accuracy: Option<f64>,
}

impl From<contract::GeoPoint> for GeoPoint {
    fn from(point: contract::GeoPoint) -> Self {
        let contract::GeoPoint { lat, lng, accuracy } = point;
        Self { lat, lng, accuracy }
    }
}

#[derive(InputObject)]
pub struct GeoPointInput {
    lat: f64,
    lng: f64,
    accuracy: Option<f64>,
}

impl From<GeoPointInput> for contract::GeoPoint {
    fn from(point: GeoPointInput) -> Self {
        let GeoPointInput { lat, lng, accuracy } = point;
        Self { lat, lng, accuracy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc_and_as_precise_as_they_were() {
        let show = |seconds, nanos| match time(Some(Timestamp { seconds, nanos })) {
            Ok(Some(at)) => at.to_value().to_string(),
            _ => "nothing".to_owned(),
        };
        assert_eq!(show(1_800_000_000, 0), "\"2027-01-15T08:00:00Z\"");
        assert_eq!(show(1_800_000_000, 1_000), "\"2027-01-15T08:00:00.000001Z\"");
        assert_eq!(show(i64::MAX, 0), "nothing");
        assert!(matches!(time(None), Ok(None)));
        assert!(set_time(None).is_err());
    }

    #[test]
    fn quantities_come_out_exact() {
        assert_eq!(units(1_500), 1.5);
        assert_eq!(units(-1), -0.001);
        assert_eq!(units(0), 0.0);
    }

    #[test]
    fn quantities_go_in_exact_or_not_at_all() {
        for (value, expected) in [
            (0.0, 0),
            (-0.0, 0),
            (1.0, 1_000),
            (0.1, 100),
            (0.001, 1),
            (1.005, 1_005),
            (8.029, 8_029),
            (1_000_000_000.0, 1_000_000_000_000),
            (999_999_999.999, 999_999_999_999),
        ] {
            assert_eq!(thousandths(value), Ok(expected), "{value}");
            assert_eq!(units(expected), value, "{value} and back");
        }
        for (value, what) in [
            (-0.001, "negative"),
            (-1.0, "negative"),
            (0.0001, "3 decimals"),
            (1.0005, "3 decimals"),
            (0.1 + 0.2, "3 decimals"),
            (f64::MIN_POSITIVE, "3 decimals"),
            (1e17, "too large"),
            (f64::MAX, "too large"),
            (f64::NAN, "a number"),
            (f64::INFINITY, "a number"),
            (f64::NEG_INFINITY, "a number"),
        ] {
            let refusal = thousandths(value).unwrap_err();
            assert!(refusal.contains(what), "{value}: {refusal}");
        }
        for n in (0..2_000_000_i64).step_by(7) {
            assert_eq!(thousandths(units(n)), Ok(n));
        }
    }

    #[test]
    fn every_quantity_that_is_wrong_is_reported() {
        let mut check = Check::new();
        let delivered = "Delivered quantity";
        assert_eq!(exact(&mut check, "lines.0.quantityDelivered", delivered, 1.5), 1_500);
        exact(&mut check, "lines.1.quantityDelivered", delivered, -1.0);
        exact(&mut check, "lines.2.quantityRejected", "Rejected quantity", 0.0001);
        let fields = check.refusal().fields;
        assert_eq!(fields["lines.1.quantityDelivered"], ["Delivered quantity must not be negative"]);
        assert_eq!(fields.len(), 2);
    }
}
