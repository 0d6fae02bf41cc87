//! The events of other services that upload handles.

use ::store::copies::Copy;
use ::store::replay::with_replays;
use ::store::settings::{self as copied, Follow};
use kit::bus::Consumer;
use proto::events::{UPLOAD_REPLAYS, UPLOAD_SETTINGS};

use crate::{Context, settings};

/// To be registered before any relay starts, and run.
pub fn consumers(context: &Context) -> Vec<Consumer> {
    let own = vec![follow_settings(context).consumer()];
    with_replays(UPLOAD_REPLAYS, &context.db, &context.clock, own)
}

/// What is kept here of other services.
pub fn copies() -> Vec<Copy> {
    vec![copied::copy(UPLOAD_SETTINGS, settings::OBEYED)]
}

/// Keeps the settings that are obeyed here.
pub fn follow_settings(context: &Context) -> Follow {
    Follow {
        db: context.db.clone(),
        clock: context.clock.clone(),
        settings: context.settings.clone(),
        subscription: UPLOAD_SETTINGS,
        wanted: settings::OBEYED,
    }
}
