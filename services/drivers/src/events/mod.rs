//! The events of other services that drivers handles, a file for each.

mod on_delivery_changed;

use ::store::consume;
use ::store::copies::Copy;
use ::store::replay::with_replays;
use ::store::settings::{self as copied, Follow};
use kit::bus::Consumer;
use proto::events::{DRIVERS_DELIVERIES, DRIVERS_REPLAYS, DRIVERS_SETTINGS};

use crate::{Context, settings};

/// To be registered before any relay starts, and run.
pub fn consumers(context: &Context) -> Vec<Consumer> {
    let (db, clock) = (&context.db, &context.clock);
    let mut all = consume::consumers(DRIVERS_DELIVERIES, db, clock, on_delivery_changed::apply);
    all.push(follow_settings(context).consumer());
    with_replays(DRIVERS_REPLAYS, db, clock, all)
}

/// What is kept here of other services.
pub fn copies() -> Vec<Copy> {
    vec![copied::copy(DRIVERS_SETTINGS, settings::OBEYED)]
}

/// Keeps the settings that are obeyed here.
pub fn follow_settings(context: &Context) -> Follow {
    Follow {
        db: context.db.clone(),
        clock: context.clock.clone(),
        settings: context.settings.clone(),
        subscription: DRIVERS_SETTINGS,
        wanted: settings::OBEYED,
    }
}
