//! Runtime plumbing without SQL: what every service and the gateway stand on.
//!
//! Here: configuration, errors, principals, gRPC transport, events on the bus, objects, cache,
//! telemetry, lifecycle. Deliberately absent: sea-orm (see `store`), anything that knows a
//! table, a delivery or a screen. Start at `rpc` and `error`.

pub mod background;
pub mod blob;
pub mod bus;
pub mod cache;
pub mod clock;
pub mod config;
pub mod crypto;
pub mod error;
pub mod health;
pub mod jws;
pub mod lifecycle;
pub mod outbound;
pub mod principal;
pub mod rpc;
pub mod telemetry;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod trace;

pub use crypto::install_crypto;
pub use error::{Error, Kind, Result};
pub use principal::{Principal, Role};
