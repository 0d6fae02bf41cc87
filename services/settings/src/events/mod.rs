//! Events of other services that this service handles, one file each.

mod on_endpoint_paused;
mod on_endpoint_resumed;

use ::store::consume;
use ::store::replay::with_replays;
use kit::bus::Consumer;
use proto::events::{SETTINGS_ENDPOINTS, SETTINGS_REPLAYS, SETTINGS_RESUMED};

use crate::Context;

/// Returns the consumers. Register them before any relay starts, then run them.
pub fn consumers(Context { db, clock, .. }: &Context) -> Vec<Consumer> {
    let mut all = consume::consumers(SETTINGS_ENDPOINTS, db, clock, on_endpoint_paused::apply);
    all.extend(consume::consumers(SETTINGS_RESUMED, db, clock, on_endpoint_resumed::apply));
    with_replays(SETTINGS_REPLAYS, db, clock, all)
}
