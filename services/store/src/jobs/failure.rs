//! Decides which failures are retried, and when.

use chrono::Duration;
use kit::{Error, Kind};

/// How long a job waits after its first failure. The pause grows when the job itself may be the cause.
const PAUSE: Duration = Duration::seconds(10);
const LONGER: i32 = 6;
/// Maximum pause.
pub const MAX_PAUSE: Duration = Duration::hours(1);

/// Whether a failed job is retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// The job would fail the same way each time.
    Never,
    /// Retrying may help, but the job itself may be the cause, so attempts are counted.
    Counted,
    /// Another system is down or full. That will pass, so attempts are not counted.
    Always,
}

impl Retry {
    pub fn of(error: &Error) -> Self {
        match error.kind {
            // A service's token is refused only while clocks differ, which passes.
            Kind::Unavailable | Kind::RateLimited | Kind::StorageFull | Kind::Unauthenticated => Self::Always,
            // A key that another transaction created at the same moment is found on the next attempt.
            Kind::Internal | Kind::AlreadyExists => Self::Counted,
            Kind::NotFound | Kind::InvalidInput | Kind::FailedPrecondition | Kind::Forbidden => Self::Never,
        }
    }
}

/// Returns how long to wait after a failure that is not the job's fault.
pub fn pause(error: &Error) -> Duration {
    let asked = error.retry_after.and_then(|it| Duration::from_std(it).ok());
    asked.unwrap_or(PAUSE).clamp(Duration::seconds(1), MAX_PAUSE)
}

/// Returns how long to wait after this many attempts: 10 s, 1 min, 6 min, 36 min.
pub fn pause_after(attempts: i32) -> Duration {
    PAUSE * LONGER.saturating_pow(attempts.clamp(1, 4).unsigned_abs() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_grows_with_the_attempts_and_never_beyond_the_longest() {
        let minutes: Vec<_> = (0..7).map(|it| pause_after(it).num_seconds()).collect();
        assert_eq!(minutes, [10, 10, 60, 360, 2_160, 2_160, 2_160]);
        let away = Error::unavailable("AWAY", "away");
        assert_eq!(pause(&away), PAUSE);
        let limited = |seconds| Error::rate_limited("BUSY", "busy", std::time::Duration::from_secs(seconds));
        assert_eq!(pause(&limited(90)).num_seconds(), 90);
        assert_eq!(pause(&limited(0)).num_seconds(), 1);
        assert_eq!(pause(&limited(u64::MAX)), PAUSE, "more than a duration can hold");
        assert_eq!(pause(&limited(1 << 20)), MAX_PAUSE);
    }
}
