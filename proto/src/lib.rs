//! The contracts between services: commands, queries and events.
//!
//! Depends on no other crate of ours. Start at `waybill/*/v1/*.proto`; `events` maps subjects to payloads,
//! `members` lists the members that reports can use.

#![allow(clippy::all, clippy::unwrap_used, clippy::expect_used, clippy::too_many_lines)]

pub mod events;
pub mod members;

pub mod common {
    pub mod v1 {
        tonic::include_proto!("waybill.common.v1");
    }
}
pub mod analytics {
    pub mod v1 {
        tonic::include_proto!("waybill.analytics.v1");
    }
}
pub mod auth {
    pub mod v1 {
        tonic::include_proto!("waybill.auth.v1");
    }
}
pub mod deliveries {
    pub mod v1 {
        tonic::include_proto!("waybill.deliveries.v1");
    }
}
pub mod drivers {
    pub mod v1 {
        tonic::include_proto!("waybill.drivers.v1");
    }
}
pub mod settings {
    pub mod v1 {
        tonic::include_proto!("waybill.settings.v1");
    }
}
pub mod upload {
    pub mod v1 {
        tonic::include_proto!("waybill.upload.v1");
    }
}

/// All contracts as a serialized `FileDescriptorSet`, for the access test.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.binpb"));

/// Defines the conversions between an enum of a contract and the same enum of a domain.
///
/// Shape: `proto::same_enum!(Proto => Domain { ProtoVariant => DomainVariant, ... });`
/// The conversion from the contract fails for its unspecified value.
#[macro_export]
macro_rules! same_enum {
    ($contract:ty => $domain:ty { $($from:ident => $to:ident),+ $(,)? }) => {
        impl From<$domain> for $contract {
            fn from(value: $domain) -> Self {
                match value { $(<$domain>::$to => Self::$from),+ }
            }
        }
        impl TryFrom<$contract> for $domain {
            type Error = &'static str;
            fn try_from(value: $contract) -> Result<Self, Self::Error> {
                match value {
                    $(<$contract>::$from => Ok(Self::$to),)+
                    #[allow(unreachable_patterns)]
                    _ => Err("unspecified value"),
                }
            }
        }
    };
}

/// Converts an instant to a wire timestamp, truncated to microseconds.
pub fn timestamp(at: chrono::DateTime<chrono::Utc>) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds: at.timestamp(), nanos: (at.timestamp_subsec_micros() * 1000) as i32 }
}

/// Converts a wire timestamp to an instant; `None` outside of the years 1 to 9999, because databases treat
/// other years differently.
pub fn instant(at: prost_types::Timestamp) -> Option<chrono::DateTime<chrono::Utc>> {
    let nanos = u32::try_from(at.nanos).ok()?;
    let at = chrono::DateTime::from_timestamp(at.seconds, nanos)?;
    (1..=9999).contains(&chrono::Datelike::year(&at)).then_some(at)
}

#[cfg(test)]
mod tests {
    use chrono::{Datelike, NaiveDate, NaiveTime, TimeDelta};

    use super::*;

    /// Databases that compare times as text would sort the year 10000 before the year 2000.
    #[test]
    fn only_years_of_four_digits_are_instants() {
        let begin = |year| NaiveDate::from_ymd_opt(year, 1, 1).unwrap().and_time(NaiveTime::MIN).and_utc();
        let (first, end) = (begin(1), begin(10_000));
        let step = TimeDelta::microseconds(1);
        for at in [first, end - step, begin(1970), begin(1969)] {
            assert_eq!(instant(timestamp(at)), Some(at));
        }
        for at in [first - step, begin(0), begin(-1), end, begin(12_345)] {
            assert_eq!(instant(timestamp(at)), None, "the year {}", at.year());
        }
        for (seconds, nanos) in [(i64::MAX, 0), (i64::MIN, 0), (0, -1), (0, 2_000_000_000)] {
            assert_eq!(instant(prost_types::Timestamp { seconds, nanos }), None, "{seconds} {nanos}");
        }
    }
}
