//! Events that the deliveries service emits, and events of other services that it handles.

pub mod change;
pub mod emit;
pub mod letters;
pub mod on_dead_letter_handled;
pub mod on_dead_letter_raised;
pub mod on_driver_changed;

use ::store::consume;
use ::store::copies::Copy;
use ::store::replay::with_replays;
use ::store::settings::{self as copied, Follow};
use kit::bus::Consumer;
use proto::events::{
    DELIVERIES_DEAD_LETTERS, DELIVERIES_DRIVERS, DELIVERIES_HANDLED, DELIVERIES_REPLAYS, DELIVERIES_SETTINGS,
};

use crate::{Context, settings};

/// Returns the consumers. Register them before any relay starts, then run them.
pub fn consumers(context: &Context) -> Vec<Consumer> {
    let (db, clock) = (&context.db, &context.clock);
    let mut all = consume::consumers(DELIVERIES_DRIVERS, db, clock, on_driver_changed::apply);
    all.push(follow_settings(context).consumer());
    all.extend(consume::consumers(DELIVERIES_DEAD_LETTERS, db, clock, on_dead_letter_raised::apply));
    all.extend(consume::consumers(DELIVERIES_HANDLED, db, clock, on_dead_letter_handled::apply));
    with_replays(DELIVERIES_REPLAYS, db, clock, all)
}

/// Returns the copies of other services' data that this service keeps.
pub fn copies() -> Vec<Copy> {
    vec![Copy::of(DELIVERIES_DRIVERS, on_driver_changed::Drivers), copied::copy(DELIVERIES_SETTINGS)]
}

/// Keeps the settings that this service uses up to date.
pub fn follow_settings(context: &Context) -> Follow {
    Follow {
        db: context.db.clone(),
        clock: context.clock.clone(),
        settings: context.settings.clone(),
        subscription: DELIVERIES_SETTINGS,
        wanted: settings::OBEYED,
    }
}
