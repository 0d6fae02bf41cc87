//! Events of other services that this service handles, one file each.

mod activities;
mod on_deliveries_imported;
mod on_delivery_changed;
mod on_driver_account_reported;

use ::store::consume;
use ::store::copies::Copy;
use ::store::replay::with_replays;
use ::store::settings::{self as copied, Follow};
use kit::bus::Consumer;
use proto::events::{
    DRIVERS_ACCOUNTS, DRIVERS_DELIVERIES, DRIVERS_IMPORTS, DRIVERS_REPLAYS, DRIVERS_SETTINGS,
};

use crate::{Context, settings};

/// Returns the consumers. Register them before any relay starts, then run them.
pub fn consumers(context: &Context) -> Vec<Consumer> {
    let (db, clock) = (&context.db, &context.clock);
    let mut all = consume::consumers(DRIVERS_DELIVERIES, db, clock, on_delivery_changed::apply);
    all.extend(consume::consumers(DRIVERS_IMPORTS, db, clock, on_deliveries_imported::apply));
    all.extend(consume::consumers(DRIVERS_ACCOUNTS, db, clock, on_driver_account_reported::apply));
    all.push(follow_settings(context).consumer());
    with_replays(DRIVERS_REPLAYS, db, clock, all)
}

/// Returns the copies of other services' data that this service keeps.
pub fn copies() -> Vec<Copy> {
    vec![copied::copy(DRIVERS_SETTINGS)]
}

/// Keeps the settings that this service uses up to date.
pub fn follow_settings(context: &Context) -> Follow {
    Follow {
        db: context.db.clone(),
        clock: context.clock.clone(),
        settings: context.settings.clone(),
        subscription: DRIVERS_SETTINGS,
        wanted: settings::OBEYED,
    }
}
