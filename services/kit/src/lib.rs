//! Runtime plumbing without SQL, used by every service and the gateway.
//!
//! Here: configuration, errors, principals, gRPC transport, events on the bus, objects, cache, telemetry,
//! lifecycle, the shape of a service. Deliberately absent: sea-orm (see `store`), tables, deliveries and
//! screens. Start at `rpc` and `error`.

pub mod background;
pub mod blob;
pub mod bus;
pub mod cache;
pub mod clock;
pub mod config;
pub mod connections;
pub mod crypto;
pub mod disk;
pub mod download;
pub mod error;
mod fail_point;
pub mod findings;
pub mod folder;
pub mod gate;
pub mod health;
pub mod input;
pub mod jws;
pub mod lifecycle;
pub mod metrics;
pub mod network;
pub mod outbound;
pub mod principal;
pub mod random;
pub mod rpc;
pub mod sealed;
pub mod service;
pub mod service_secret;
pub mod shares;
pub mod sheet;
pub mod telemetry;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
pub mod tls;
pub mod trace;
pub mod username;

pub use crypto::install_crypto;
pub use error::{Error, Kind, Result};
pub use fail_point::fail_point;
pub use principal::{Principal, Role};
