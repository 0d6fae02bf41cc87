//! The two clocks of an event: when it occurred, by the device, and when the server received it.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use kit::{Error, Result};

/// Maximum lead of [`Clocks::processed_at`] over the server's clock.
const AHEAD: TimeDelta = TimeDelta::minutes(2);
/// A clock ahead by more than this is not credible.
const SKEW: TimeDelta = TimeDelta::minutes(10);
/// An event that is received more than this after it occurred is late.
const GAP: TimeDelta = TimeDelta::minutes(30);

/// A device's outcome or file may be from at most this long before the delivery was planned or created here.
const BEFORE: TimeDelta = TimeDelta::days(31);
/// Times that people enter may be this far ahead of the server's clock.
const AHEAD_OF_PEOPLE: TimeDelta = TimeDelta::minutes(5);
/// A delivery that was created after its planned dispatch may have outcomes from this long before that
/// dispatch.
const BEFORE_DISPATCH: TimeDelta = TimeDelta::days(1);
/// Forms send whole minutes, so a time in the minute of its bound is not before it.
const MINUTE: TimeDelta = TimeDelta::minutes(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    pub occurred_at: DateTime<Utc>,
    pub received_at: DateTime<Utc>,
}

impl Clocks {
    /// Returns the server's time for both clocks, for something that happens now.
    pub fn now(received_at: DateTime<Utc>) -> Self {
        Self { occurred_at: received_at, received_at }
    }

    /// Returns the time at which the delivery counts as processed, its step as made, or a file as captured.
    pub fn processed_at(self) -> DateTime<Utc> {
        self.occurred_at.min(self.received_at + AHEAD)
    }

    /// Refuses a device's time so long before `since` (when the delivery was created or planned) that it
    /// cannot be right, as from a clock that was never set. [`Self::processed_at`] handles a clock that is
    /// ahead. The refusal names the earliest day in `zone`.
    pub fn require_credible(self, field: &'static str, since: DateTime<Utc>, zone: Tz) -> Result<()> {
        let earliest = since - BEFORE;
        if self.occurred_at >= earliest {
            return Ok(());
        }
        let day = earliest.with_timezone(&zone).format("%Y-%m-%d");
        let text = format!("Time must not be before {day}, because this delivery is newer");
        Err(Error::invalid_field(field, text))
    }

    /// Refuses a time that somebody entered if it is before `earliest` or in the future.
    pub fn require_entered(self, earliest: Earliest) -> Result<()> {
        // The present is never too early, whichever server's clock took the bound.
        let from = earliest.at.min(self.received_at) - MINUTE;
        let text = if self.occurred_at < from {
            earliest.text
        } else if self.occurred_at - self.received_at > AHEAD_OF_PEOPLE {
            "Time must not be in the future"
        } else {
            return Ok(());
        };
        Err(Error::invalid_field("occurredAt", text))
    }

    /// Returns whether people should be warned that the time is uncertain or the report late.
    pub fn is_late(self) -> bool {
        let ahead = self.occurred_at - self.received_at;
        ahead > SKEW || -ahead > GAP
    }
}

/// The earliest time that somebody may enter, and the text that refuses an earlier one.
#[derive(Debug, Clone, Copy)]
pub struct Earliest {
    pub at: DateTime<Utc>,
    pub text: &'static str,
}

impl Earliest {
    /// Returns the bound for an outcome. A delivery that was created after its planned dispatch was imported
    /// after the fact.
    pub fn of_outcome(created_at: DateTime<Utc>, planned: DateTime<Utc>) -> Self {
        if planned < created_at {
            let text = "Time must not be more than one day before the planned dispatch";
            return Self { at: planned - BEFORE_DISPATCH, text };
        }
        Self { at: created_at, text: "Time must not be before the delivery was created" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(ahead: TimeDelta) -> Clocks {
        let received_at = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        Clocks { occurred_at: received_at + ahead, received_at }
    }

    #[test]
    fn a_clock_that_is_ahead_counts_for_two_minutes_at_most() {
        let counted = |ahead| clocks(ahead).processed_at() - clocks(ahead).received_at;
        assert_eq!(counted(TimeDelta::hours(-5)), TimeDelta::hours(-5));
        assert_eq!(counted(TimeDelta::seconds(119)), TimeDelta::seconds(119));
        assert_eq!(counted(TimeDelta::seconds(120)), TimeDelta::seconds(120));
        assert_eq!(counted(TimeDelta::seconds(121)), TimeDelta::seconds(120));
        assert_eq!(counted(TimeDelta::days(300)), TimeDelta::seconds(120));
    }

    #[test]
    fn the_earliest_credible_day_is_that_of_the_organization() {
        let since: DateTime<Utc> = "2027-02-01T17:30:00Z".parse().unwrap();
        let said = |zone| {
            let clocks = Clocks { occurred_at: DateTime::UNIX_EPOCH, received_at: since };
            clocks.require_credible("occurredAt", since, zone).unwrap_err().message
        };
        for (zone, day) in [(Tz::UTC, "2027-01-01"), (Tz::Asia__Manila, "2027-01-02")] {
            let text = format!("Time must not be before {day}, because this delivery is newer");
            assert_eq!(said(zone), text);
        }
    }

    #[test]
    fn late_is_ten_minutes_ahead_or_half_an_hour_behind() {
        let micro = TimeDelta::microseconds(1);
        for (ahead, late) in [
            (TimeDelta::zero(), false),
            (TimeDelta::minutes(10), false),
            (TimeDelta::minutes(10) + micro, true),
            (TimeDelta::minutes(-30), false),
            (TimeDelta::minutes(-30) - micro, true),
        ] {
            assert_eq!(clocks(ahead).is_late(), late, "{ahead}");
        }
    }
}
