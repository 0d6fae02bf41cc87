//! Events of other services that this service handles, one file each.

mod on_deliveries_imported;
mod on_delivery_changed;
mod on_driver_changed;
mod on_source_changed;
mod on_stop_changed;

use ::store::consume;
use ::store::copies::Copy;
use ::store::replay::with_replays;
use kit::bus::Consumer;
use proto::events::{
    ANALYTICS_DELIVERIES, ANALYTICS_DRIVERS, ANALYTICS_IMPORTS, ANALYTICS_REPLAYS, ANALYTICS_SOURCES,
    ANALYTICS_STOPS,
};

use crate::{Context, rebuild};

/// Returns the consumers. Register them before any relay starts, then run them.
pub fn consumers(context: &Context) -> Vec<Consumer> {
    let (db, clock) = (&context.db, &context.clock);
    let mut own = consume::consumers(ANALYTICS_DELIVERIES, db, clock, on_delivery_changed::apply);
    own.extend(consume::consumers(ANALYTICS_IMPORTS, db, clock, on_deliveries_imported::apply));
    own.extend(consume::consumers(ANALYTICS_DRIVERS, db, clock, on_driver_changed::apply));
    own.extend(consume::consumers(ANALYTICS_SOURCES, db, clock, on_source_changed::apply));
    own.extend(consume::consumers(ANALYTICS_STOPS, db, clock, on_stop_changed::apply));
    with_replays(ANALYTICS_REPLAYS, db, clock, own)
}

/// Returns the copies of other services' data. One job rebuilds all of them together.
pub fn copies() -> Vec<Copy> {
    vec![
        Copy::by_job(ANALYTICS_DELIVERIES, rebuild::KIND),
        Copy::by_job(ANALYTICS_IMPORTS, rebuild::KIND),
        Copy::by_job(ANALYTICS_DRIVERS, rebuild::KIND),
        Copy::by_job(ANALYTICS_SOURCES, rebuild::KIND),
        Copy::by_job(ANALYTICS_STOPS, rebuild::KIND),
    ]
}

/// The handlers, for tests that call them directly.
#[cfg(test)]
pub mod testing {
    pub use super::on_deliveries_imported::apply as deliveries_imported;
    pub use super::on_delivery_changed::apply as delivery_changed;
    pub use super::on_driver_changed::apply as driver_changed;
    pub use super::on_source_changed::apply as source_changed;
    pub use super::on_stop_changed::apply as stop_changed;
}
