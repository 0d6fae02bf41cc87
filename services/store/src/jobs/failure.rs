//! Which failures are worth another attempt, and when.

use chrono::Duration;
use kit::{Error, Kind};

/// How long a job waits after a failure; longer each time when the job itself may be the cause.
const PAUSE: Duration = Duration::seconds(10);
const LONGER: i32 = 6;
/// No job waits longer than this.
pub const MAX_PAUSE: Duration = Duration::hours(1);

/// Whether trying again may help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// The same would happen each time.
    Never,
    /// Perhaps, but the job itself may be the cause, so its attempts are counted.
    Counted,
    /// Another part is away or has no room. That passes, however long it takes.
    Always,
}

impl Retry {
    pub fn of(error: &Error) -> Self {
        match error.kind {
            // A token is refused while clocks differ.
            Kind::Unavailable | Kind::RateLimited | Kind::StorageFull | Kind::Unauthenticated => Self::Always,
            // A key that another transaction made at the same moment is found at the next try.
            Kind::Internal | Kind::AlreadyExists => Self::Counted,
            Kind::NotFound | Kind::InvalidInput | Kind::FailedPrecondition | Kind::Forbidden => Self::Never,
        }
    }
}

/// How long to wait after a failure that says nothing about the job.
pub fn pause(error: &Error) -> Duration {
    let asked = error.retry_after.and_then(|it| Duration::from_std(it).ok());
    asked.unwrap_or(PAUSE).clamp(Duration::seconds(1), MAX_PAUSE)
}

/// How long to wait after so many attempts: ten seconds, a minute, six, and then thirty-six.
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
