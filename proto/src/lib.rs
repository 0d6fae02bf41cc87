//! The contracts between services: commands, queries and events.
//!
//! Depends on nothing of ours. Start reading at `waybill/*/v1/*.proto`; `events` says which
//! subject carries which payload.

#![allow(clippy::all, clippy::unwrap_used, clippy::expect_used, clippy::too_many_lines)]

pub mod events;

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

/// Every contract as a serialised `FileDescriptorSet`: the access test walks it.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.binpb"));

/// The two conversions between an enum of a contract and the same enum of a domain.
///
/// Shape: `proto::same_enum!(Proto => Domain { ProtoVariant => DomainVariant, ... });`
/// The conversion from the contract fails on its unspecified value.
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

/// A wire timestamp from an instant; times are kept to the microsecond.
pub fn timestamp(at: chrono::DateTime<chrono::Utc>) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds: at.timestamp(), nanos: (at.timestamp_subsec_micros() * 1000) as i32 }
}

/// The instant of a wire timestamp, or nothing when it is out of range: the contract's years are 1 to
/// 9999, and databases disagree about others.
pub fn instant(at: prost_types::Timestamp) -> Option<chrono::DateTime<chrono::Utc>> {
    let nanos = u32::try_from(at.nanos).ok()?;
    let at = chrono::DateTime::from_timestamp(at.seconds, nanos)?;
    (1..=9999).contains(&chrono::Datelike::year(&at)).then_some(at)
}
