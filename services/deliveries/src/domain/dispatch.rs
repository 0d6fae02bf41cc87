//! Dispatch times and moving them.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use kit::input::time::local_instant;
use kit::{Error, Result};

use super::delivery::Status;

/// How far in the past a dispatch time may be: filling in and sending a form takes a while.
const GRACE: TimeDelta = TimeDelta::minutes(5);

/// Dispatch time and time window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    pub at: DateTime<Utc>,
    pub window: (Option<DateTime<Utc>>, Option<DateTime<Utc>>),
}

impl Planned {
    /// Returns the plan at another dispatch time; the time window moves along on the clocks of the zone. A window
    /// from 9:00 on the day of dispatch starts at 9:00 on the new day, also if a clock change lies between them.
    /// `zone` is the organization's current one, even if the plan was made while it had another.
    pub fn moved_to(self, at: DateTime<Utc>, zone: Tz) -> Self {
        let local = |it: DateTime<Utc>| it.with_timezone(&zone).naive_local();
        let by = local(at) - local(self.at);
        let moved = |it: DateTime<Utc>| local_instant(zone, local(it) + by);
        let window = match self.window {
            // Clocks that change within a window can put its end before its start. It keeps its length then.
            (Some(start), Some(end)) => {
                let (length, start, end) = (end - start, moved(start), moved(end));
                (Some(start), Some(if end < start { start + length } else { end }))
            }
            (start, end) => (start.map(moved), end.map(moved)),
        };
        Self { at, window }
    }
}

/// Returns the moved plan of a Pending delivery; `None` if it has that dispatch time already.
pub fn moved(
    id: &str,
    status: Status,
    planned: &Planned,
    at: DateTime<Utc>,
    zone: Tz,
) -> Result<Option<Planned>> {
    if status != Status::Pending {
        let text = format!(
            "{id} is {}: the dispatch time can only be changed while it is Pending; reschedule it instead",
            status.as_str()
        );
        return Err(Error::precondition("DELIVERY_ACTION_NOT_ALLOWED", text));
    }
    Ok((at != planned.at).then(|| planned.moved_to(at, zone)))
}

/// Returns whether a delivery may be planned for this time.
pub fn is_ahead(at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    at >= now - GRACE
}

pub const PAST: &str = "Dispatch date and time must not be in the past";

pub fn require_ahead(at: DateTime<Utc>, now: DateTime<Utc>) -> Result<()> {
    if is_ahead(at, now) { Ok(()) } else { Err(Error::invalid_field("scheduledatetime", PAST)) }
}

#[cfg(test)]
mod tests {
    use chrono_tz::{Asia::Manila, Europe::Amsterdam};

    use super::*;

    #[test]
    fn a_window_keeps_its_times_of_day_through_a_clock_change() {
        // Dispatch, start and end of the window, before and after.
        for (zone, before, after) in [
            (Amsterdam, "10-25T00:00 10-25T09:00 10-25T12:00", "10-26T00:00 10-26T09:00 10-26T12:00"),
            (Amsterdam, "10-26T00:00 10-26T09:00 10-26T12:00", "10-25T00:00 10-25T09:00 10-25T12:00"),
            (Amsterdam, "03-28T08:00 03-28T07:30 03-29T01:00", "03-29T08:00 03-29T07:30 03-30T01:00"),
            (Amsterdam, "10-24T08:00 10-24T07:30 -", "10-26T09:00 10-26T08:30 -"),
            (Manila, "10-25T00:00 - 10-25T12:00", "10-26T01:00 - 10-26T13:00"),
            // 2:30 is skipped on March 29, and 3:15 would be before 3:30.
            (Amsterdam, "03-28T00:00 03-28T02:30 03-28T05:00", "03-29T00:00 03-29T03:30 03-29T05:00"),
            (Amsterdam, "03-28T00:00 03-28T02:30 03-28T03:15", "03-29T00:00 03-29T03:30 03-29T04:15"),
        ] {
            let plan = |text: &str| {
                let instant = |text: &str| local_instant(zone, format!("2026-{text}:00").parse().unwrap());
                let mut times = text.split(' ').map(|it| (it != "-").then(|| instant(it)));
                let mut next = || times.next().unwrap();
                Planned { at: next().unwrap(), window: (next(), next()) }
            };
            assert_eq!(plan(before).moved_to(plan(after).at, zone), plan(after), "{zone} {before}");
        }
    }
}
