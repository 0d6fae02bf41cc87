//! The settings that this service uses; unset ones come from the configuration.

use kit::config;

use crate::Context;

::store::obeyed! {
    ONLINE = "driver-online-seconds";
    STALE = "driver-stale-seconds";
    POSITIONS_KEEP = "driver-positions-keep-days";
    LOGS_KEEP = "driver-logs-keep-days";
}

impl Context {
    /// Returns the current values. Read them once per decision, because they can change in between.
    pub(crate) fn rules(&self) -> config::Drivers {
        let (set, given) = (&self.settings, &self.config);
        let online_seconds = set.parsed(ONLINE).unwrap_or(given.online_seconds);
        config::Drivers {
            online_seconds,
            // The two settings change one after the other. In between, an online driver must not be shown
            // as offline.
            stale_seconds: set.parsed(STALE).unwrap_or(given.stale_seconds).max(online_seconds),
            positions_keep_days: set.parsed(POSITIONS_KEEP).unwrap_or(given.positions_keep_days),
            logs_keep_days: set.parsed(LOGS_KEEP).unwrap_or(given.logs_keep_days),
            ..given.clone()
        }
    }
}
