//! Events of other services that this service handles, one file each.

mod on_audit_recorded;
pub mod on_driver_changed;

use ::store::consume;
use ::store::copies::Copy;
use ::store::replay::with_replays;
use ::store::settings::{self as copied, Follow};
use kit::bus::Consumer;
use proto::events::{AUTH_AUDIT, AUTH_DRIVERS, AUTH_REPLAYS, AUTH_SETTINGS};

use crate::{Context, settings};

/// Returns the consumers. Register them before any relay starts, then run them.
pub fn consumers(context: &Context) -> Vec<Consumer> {
    let (db, clock) = (&context.db, &context.clock);
    let mut all = consume::consumers(AUTH_DRIVERS, db, clock, on_driver_changed::apply);
    all.extend(consume::consumers(AUTH_AUDIT, db, clock, on_audit_recorded::apply));
    all.push(follow_settings(context).consumer());
    with_replays(AUTH_REPLAYS, db, clock, all)
}

/// Returns the copies of other services' data that this service keeps.
pub fn copies() -> Vec<Copy> {
    vec![Copy::of(AUTH_DRIVERS, on_driver_changed::Accounts), copied::copy(AUTH_SETTINGS)]
}

/// Keeps the settings that this service uses up to date.
pub fn follow_settings(context: &Context) -> Follow {
    Follow {
        db: context.db.clone(),
        clock: context.clock.clone(),
        settings: context.settings.clone(),
        subscription: AUTH_SETTINGS,
        wanted: settings::OBEYED,
    }
}
