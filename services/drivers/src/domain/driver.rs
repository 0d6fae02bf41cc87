//! Drivers: whether they are blocked, and whether they are online.

use chrono::{DateTime, Duration, Utc};
use kit::config;
use proto::drivers::v1 as wire;

::store::text_enum!(
    /// Whether a driver may work; displayed as Permitted or Blocked.
    Status { Active => "active", Blocked => "blocked" }
);

proto::same_enum!(wire::DriverStatus => Status { Active => Active, Blocked => Blocked });

/// Returns whether a driver is online, by the age of the last accepted position. The age counts from the
/// device's time, not from the arrival: a device that sends an old backlog is not online.
pub fn online_state(
    at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
    config: &config::Drivers,
) -> wire::OnlineState {
    let within = |seconds: u32| at.is_some_and(|at| now - at < Duration::seconds(i64::from(seconds)));
    if within(config.online_seconds) {
        wire::OnlineState::Online
    } else if within(config.stale_seconds) {
        wire::OnlineState::Stale
    } else {
        wire::OnlineState::Offline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_the_last_position_tells_who_is_online() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap_or_default();
        let state = |seconds: i64| {
            online_state(Some(now - Duration::seconds(seconds)), now, &config::Drivers::default())
        };
        assert_eq!(state(-60), wire::OnlineState::Online);
        assert_eq!(state(119), wire::OnlineState::Online);
        assert_eq!(state(120), wire::OnlineState::Stale);
        assert_eq!(state(599), wire::OnlineState::Stale);
        assert_eq!(state(600), wire::OnlineState::Offline);
        assert_eq!(online_state(None, now, &config::Drivers::default()), wire::OnlineState::Offline);
    }
}
