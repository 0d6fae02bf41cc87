//! Events of other services that upload handles.

use ::store::copies::Copy;
use ::store::replay::with_replays;
use ::store::settings::{self as copied, Follow};
use kit::bus::Consumer;
use proto::events::{UPLOAD_REPLAYS, UPLOAD_SETTINGS};

use crate::{Context, settings};

/// Returns the consumers. Register them before any relay starts, then run them.
pub fn consumers(context: &Context) -> Vec<Consumer> {
    let own = vec![follow_settings(context).consumer()];
    with_replays(UPLOAD_REPLAYS, &context.db, &context.clock, own)
}

/// Returns the copies of other services' data that upload keeps.
pub fn copies() -> Vec<Copy> {
    vec![copied::copy(UPLOAD_SETTINGS)]
}

/// Keeps the settings that this service uses up to date.
pub fn follow_settings(context: &Context) -> Follow {
    Follow {
        db: context.db.clone(),
        clock: context.clock.clone(),
        settings: context.settings.clone(),
        subscription: UPLOAD_SETTINGS,
        wanted: settings::OBEYED,
    }
}
