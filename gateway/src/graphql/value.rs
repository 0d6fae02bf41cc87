//! From the contract's values to the graph's: times, enums, quantities.
//!
//! What a service sends and the contract does not allow is an internal error, never a guess.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use chrono::{SecondsFormat, Utc};
use kit::Error;
use prost_types::Timestamp;

use super::error::Failure;

/// An instant, RFC 3339 in UTC.
pub struct DateTime(chrono::DateTime<Utc>);

/// An instant, RFC 3339 in UTC.
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

/// A time that may be absent.
pub fn time(at: Option<Timestamp>) -> Result<Option<DateTime>, Failure> {
    let Some(at) = at else { return Ok(None) };
    let at = proto::instant(at).ok_or_else(|| Error::internal("a service sent a time out of range"))?;
    Ok(Some(DateTime(at)))
}

/// A time that is always there.
pub fn set_time(at: Option<Timestamp>) -> Result<DateTime, Failure> {
    time(at)?.ok_or_else(|| Error::internal("a service left out a time").into())
}

/// Text that is empty when there is none.
pub fn given(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// A value of the contract's enum `P` as one of the graph's enum `G`.
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

/// Thousandths, or grams, as units, or kilograms.
pub fn units(thousandths: i64) -> f64 {
    thousandths as f64 / 1000.0
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
}
