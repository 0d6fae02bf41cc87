//! What is believed of positions, and how long it is kept.

use serde::Deserialize;

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
    /// As in the defaults of the configuration; a test holds the two together.
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
    /// What is wrong with the values.
    pub(super) fn check(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut want = |good: bool, text: &str| {
            if !good {
                problems.push(text.to_owned());
            }
        };
        want((1..=86_400).contains(&self.online_seconds), "drivers.online_seconds: 1 to 86400");
        want(
            (self.online_seconds..=604_800).contains(&self.stale_seconds),
            "drivers.stale_seconds: not less than online_seconds, at most 604800",
        );
        want((1..=3_650).contains(&self.positions_keep_days), "drivers.positions_keep_days: 1 to 3650");
        want((1..=3_650).contains(&self.logs_keep_days), "drivers.logs_keep_days: 1 to 3650");
        want((1.0..=100_000.0).contains(&self.max_accuracy_m), "drivers.max_accuracy_m: 1 to 100000");
        want((1.0..=2_000.0).contains(&self.max_speed_kmh), "drivers.max_speed_kmh: 1 to 2000");
        want((1..=100_000).contains(&self.max_unpaired_devices), "drivers.max_unpaired_devices: 1 to 100000");
        problems
    }
}
