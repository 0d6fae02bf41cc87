//! Notices that this machine's clock is wrong, because the positions of most drivers are ahead of it, or too old.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use chrono::TimeDelta;

use super::plausible::AHEAD;

/// For how long positions are collected before they are judged together. A moving phone reports at least this often.
const WINDOW: Duration = Duration::from_secs(60);
/// Minimum number of drivers: a single device may have a wrong clock itself.
const SEVERAL: usize = 2;
/// Minimum time between two suspicions that are returned.
const QUIET: Duration = Duration::from_secs(3600);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suspicion {
    /// Most drivers are ahead of this machine by about this much.
    Slow(TimeDelta),
    /// The positions of most drivers are too old to be stored, by this machine's clock. They are about as old as this.
    Fast(TimeDelta),
}

/// Compares this machine's clock with those of devices.
#[derive(Debug, Default)]
pub struct ServerClock {
    begun: Option<Instant>,
    suspected: Option<Instant>,
    /// By the driver's number: how far the newest position of the window was ahead of us when it came.
    ahead: HashMap<i32, TimeDelta>,
}

impl ServerClock {
    /// Adds how far each driver's newest position is ahead of this machine's clock, which is negative for one that is late.
    /// Once a window has ended, returns what its positions say about the clock, at most once an hour. `keep` is the age from
    /// which positions are not stored.
    pub fn compare(
        &mut self,
        now: Instant,
        keep: TimeDelta,
        newest: impl Iterator<Item = (i32, TimeDelta)>,
    ) -> Option<Suspicion> {
        let mut found = None;
        if now.duration_since(*self.begun.get_or_insert(now)) >= WINDOW {
            found = suspicion(self.ahead.drain().map(|(_, ahead)| ahead).collect(), keep);
            self.begun = Some(now);
        }
        for (driver, by) in newest {
            // A phone may send old positions first: the newest one has the time of its clock.
            let ahead = self.ahead.entry(driver).or_insert(by);
            *ahead = by.max(*ahead);
        }
        let is_quiet = self.suspected.is_some_and(|at| now.duration_since(at) < QUIET);
        let found = found.filter(|_| !is_quiet);
        if found.is_some() {
            self.suspected = Some(now);
        }
        found
    }
}

fn suspicion(mut ahead: Vec<TimeDelta>, keep: TimeDelta) -> Option<Suspicion> {
    if ahead.len() < SEVERAL {
        return None;
    }
    ahead.sort_unstable();
    // More than half must agree, so an even number has two in the middle.
    let (lower, upper) = (ahead[(ahead.len() - 1) / 2], ahead[ahead.len() / 2]);
    if lower > AHEAD {
        Some(Suspicion::Slow(lower))
    } else if upper < -keep {
        Some(Suspicion::Fast(-upper))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEEP: TimeDelta = TimeDelta::days(90);

    /// Returns what a window with these positions says, each of a driver and this far ahead.
    fn says(positions: &[(i32, TimeDelta)]) -> Option<Suspicion> {
        let (mut clock, start) = (ServerClock::default(), Instant::now());
        for position in positions {
            assert_eq!(clock.compare(start, KEEP, std::iter::once(*position)), None, "the window is open");
        }
        clock.compare(start + WINDOW, KEEP, std::iter::empty())
    }

    #[test]
    fn a_clock_that_is_slow_or_fast_is_noticed_by_several_drivers_and_how_far() {
        let (minutes, days) = (TimeDelta::minutes, TimeDelta::days);
        let slow = says(&[(1, minutes(3)), (2, minutes(4)), (3, minutes(-10))]);
        assert_eq!(slow, Some(Suspicion::Slow(minutes(3))));
        let fast = says(&[(1, days(-200)), (2, days(-201))]);
        assert_eq!(fast, Some(Suspicion::Fast(days(200))));
    }

    #[test]
    fn devices_with_wrong_clocks_or_old_positions_raise_no_suspicion() {
        let (minutes, days) = (TimeDelta::minutes, TimeDelta::days);
        assert_eq!(says(&[]), None);
        assert_eq!(says(&[(1, days(365))]), None, "one device");
        assert_eq!(says(&[(1, days(365)), (2, minutes(0))]), None, "half of them");
        assert_eq!(says(&[(1, days(-200)), (2, minutes(0))]), None);
        assert_eq!(says(&[(1, days(365)), (2, days(-200))]), None, "they don't agree");
        assert_eq!(says(&[(1, minutes(2)), (2, minutes(2))]), None, "accepted");
        assert_eq!(says(&[(1, days(-80)), (2, days(-80))]), None, "late, and stored");
        let late = [(1, days(-200)), (1, minutes(0)), (2, days(-200)), (2, minutes(0)), (2, days(-199))];
        assert_eq!(says(&late), None, "phones that send what they kept before what is new");
    }

    #[test]
    fn a_suspicion_is_repeated_after_an_hour() {
        let (mut clock, start) = (ServerClock::default(), Instant::now());
        let mut at = |seconds| {
            let now = start + Duration::from_secs(seconds);
            let positions = [1, 2].map(|driver| (driver, TimeDelta::minutes(3)));
            clock.compare(now, KEEP, positions.into_iter()).is_some()
        };
        let suspected: Vec<u64> = (0..=7_300).step_by(10).filter(|seconds| at(*seconds)).collect();
        assert_eq!(suspected, [60, 3_660, 7_260]);
    }
}
