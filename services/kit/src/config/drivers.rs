//! Which positions are accepted, and how long they are kept.

use serde::Deserialize;

use super::check::Problems;
use crate::input::limits;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drivers {
    pub online_seconds: u32,
    pub stale_seconds: u32,
    pub positions_keep_days: u32,
    pub logs_keep_days: u32,
    pub max_accuracy_m: f64,
    pub max_speed_kmh: f64,
    pub max_unpaired_devices: u32,
}

impl Default for Drivers {
    /// Returns the same values as `defaults.toml`, as a test checks.
    fn default() -> Self {
        Self {
            online_seconds: 120,
            stale_seconds: 600,
            positions_keep_days: 90,
            logs_keep_days: 365,
            max_accuracy_m: 200.0,
            max_speed_kmh: 200.0,
            max_unpaired_devices: 1_000,
        }
    }
}

impl Drivers {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("drivers.online_seconds", self.online_seconds, limits::ONLINE_SECONDS);
        let most = *limits::STALE_SECONDS.end();
        problems.want(
            self.stale_seconds >= self.online_seconds && u64::from(self.stale_seconds) <= most,
            format!("drivers.stale_seconds: not less than online_seconds, at most {most}"),
        );
        problems.range("drivers.positions_keep_days", self.positions_keep_days, limits::KEEP_DAYS);
        problems.range("drivers.logs_keep_days", self.logs_keep_days, limits::KEEP_DAYS);
        let accuracy = (1.0..=100_000.0).contains(&self.max_accuracy_m);
        problems.want(accuracy, "drivers.max_accuracy_m: 1 to 100000");
        let speed = (1.0..=2_000.0).contains(&self.max_speed_kmh);
        problems.want(speed, "drivers.max_speed_kmh: 1 to 2000");
        problems.range("drivers.max_unpaired_devices", self.max_unpaired_devices, 1..=100_000);
    }
}
