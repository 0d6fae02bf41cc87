//! Dispatch times and moving them.

use chrono::{DateTime, TimeDelta, Utc};
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
    /// Returns the plan at another dispatch time; the time window moves along.
    pub fn moved_to(self, at: DateTime<Utc>) -> Self {
        let by = at - self.at;
        Self { at, window: (self.window.0.map(|it| it + by), self.window.1.map(|it| it + by)) }
    }
}

/// Returns the moved plan of a Pending delivery; `None` if it has that dispatch time already.
pub fn moved(id: &str, status: Status, planned: &Planned, at: DateTime<Utc>) -> Result<Option<Planned>> {
    if status != Status::Pending {
        let text = format!(
            "{id} is {}: the dispatch time can only be changed while it is Pending; reschedule it instead",
            status.as_str()
        );
        return Err(Error::precondition("DELIVERY_ACTION_NOT_ALLOWED", text));
    }
    Ok((at != planned.at).then(|| planned.moved_to(at)))
}

/// Returns whether a delivery may be planned for this time.
pub fn is_ahead(at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    at >= now - GRACE
}

pub const PAST: &str = "Dispatch date and time must not be in the past";

pub fn require_ahead(at: DateTime<Utc>, now: DateTime<Utc>) -> Result<()> {
    if is_ahead(at, now) { Ok(()) } else { Err(Error::invalid_field("scheduledatetime", PAST)) }
}
