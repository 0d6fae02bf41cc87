//! Events of other services that this service handles, one file each.

mod on_endpoint_paused;

use ::store::consume;
use ::store::replay::with_replays;
use kit::bus::Consumer;
use proto::events::{SETTINGS_ENDPOINTS, SETTINGS_REPLAYS};

use crate::Context;

/// Returns the consumers. Register them before any relay starts, then run them.
pub fn consumers(Context { db, clock, .. }: &Context) -> Vec<Consumer> {
    let endpoints = consume::consumers(SETTINGS_ENDPOINTS, db, clock, on_endpoint_paused::apply);
    with_replays(SETTINGS_REPLAYS, db, clock, endpoints)
}
