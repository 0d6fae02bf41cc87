//! Events of other services that this service handles, one file each.

mod on_audit_recorded;
pub mod on_driver_changed;

use ::store::consume;
use ::store::copies::Copy;
use ::store::replay::with_replays;
use kit::bus::Consumer;
use proto::events::{AUTH_AUDIT, AUTH_DRIVERS, AUTH_REPLAYS};

use crate::Context;

/// Returns the consumers. Register them before any relay starts, then run them.
pub fn consumers(Context { db, clock, .. }: &Context) -> Vec<Consumer> {
    let drivers = consume::consumers(AUTH_DRIVERS, db, clock, on_driver_changed::apply);
    let audit = consume::consumers(AUTH_AUDIT, db, clock, on_audit_recorded::apply);
    with_replays(AUTH_REPLAYS, db, clock, [drivers, audit].concat())
}

/// Returns the copies of other services' data that this service keeps.
pub fn copies() -> Vec<Copy> {
    vec![Copy::of(AUTH_DRIVERS, on_driver_changed::Accounts)]
}
