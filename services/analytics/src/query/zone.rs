//! Local time of a zone, with its clock changes.

use chrono::{DateTime, NaiveDateTime, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

use super::dates::Range;

/// Offsets from UTC over a time range, in seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offsets {
    pub first: i32,
    /// When the offset changes, and to which one, in order.
    pub changes: Vec<(DateTime<Utc>, i32)>,
}

/// Bounds of the years in which deliveries can be (`kit::input::time`), with a spare year at both ends.
const FIRST: i64 = 915_148_800;
const LAST: i64 = 4_165_516_800;
/// The last hour of the year 9999. SQLite compares times as texts, and those of later years sort before all others. A
/// whole hour, because roll-ups suffice for no other range.
const LAST_HOUR: i64 = 253_402_297_200;
/// Step of the search for clock changes. Since [`FIRST`], no zone has had two clock changes within one step.
const STEP: i64 = 5 * 86_400;

impl Offsets {
    /// Returns all offsets between two times. A missing bound means the first or last year in which
    /// deliveries can be.
    pub fn between(zone: Tz, from: Option<DateTime<Utc>>, until: Option<DateTime<Utc>>) -> Self {
        let bound =
            |at: Option<DateTime<Utc>>, or: i64| at.map_or(or, |at| at.timestamp()).clamp(FIRST, LAST);
        let (from, until) = (bound(from, FIRST), bound(until, LAST));
        let first = offset(zone, from);
        let (mut at, mut now) = (from, first);
        let mut changes = Vec::new();
        while at < until {
            let next = (at + STEP).min(until);
            let then = offset(zone, next);
            if then != now {
                changes.extend(at_second(change(zone, at, next)).map(|at| (at, then)));
            }
            (at, now) = (next, then);
        }
        Self { first, changes }
    }

    pub fn are_whole_hours(&self) -> bool {
        self.first % 3600 == 0 && self.changes.iter().all(|(_, offset)| offset % 3600 == 0)
    }
}

fn at_second(second: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(second, 0)
}

fn offset(zone: Tz, second: i64) -> i32 {
    let utc = at_second(second).unwrap_or_default().naive_utc();
    zone.offset_from_utc_datetime(&utc).fix().local_minus_utc()
}

/// Returns the second from which on the offset of `after` applies.
fn change(zone: Tz, mut before: i64, mut after: i64) -> i64 {
    let then = offset(zone, after);
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        if offset(zone, middle) == then {
            after = middle;
        } else {
            before = middle;
        }
    }
    after
}

/// Returns the first instant whose local time is in the range, and the instant right after the last one.
///
/// An hour that a clock change skips has zero length; an hour that occurs twice counts twice. Both instants are at
/// most [`LAST_HOUR`]; deliveries are earlier anyway.
pub fn instants(range: Range, zone: Tz) -> (DateTime<Utc>, DateTime<Utc>) {
    let from = moment(range.start, zone, true);
    let last = range.end + TimeDelta::milliseconds(1);
    // Take the last instant at which the range's end occurs. Converting the next local time would be wrong,
    // because it may occur twice.
    let until = match zone.from_local_datetime(&range.end) {
        chrono::LocalResult::None => moment(last, zone, false),
        local => local
            .latest()
            .map_or_else(|| last.and_utc(), |at| at.with_timezone(&Utc) + TimeDelta::milliseconds(1)),
    };
    let bounded = |at: DateTime<Utc>| at_second(LAST_HOUR).map_or(at, |last| at.min(last));
    (bounded(from), bounded(until))
}

fn moment(local: NaiveDateTime, zone: Tz, earliest: bool) -> DateTime<Utc> {
    let found = zone.from_local_datetime(&local);
    let found = if earliest { found.earliest() } else { found.latest() };
    if let Some(at) = found {
        return at.with_timezone(&Utc);
    }
    // This local time is skipped, so take the instant of the clock change.
    let around = local.and_utc().timestamp();
    at_second(change(zone, around - 86_400, around + 86_400)).unwrap_or_else(|| local.and_utc())
}

/// Returns the local time of an instant.
pub fn local(at: DateTime<Utc>, zone: Tz) -> NaiveDateTime {
    at.with_timezone(&zone).naive_local()
}

/// Finds a zone by its name, ignoring case.
pub fn named(name: &str) -> Option<Tz> {
    let name = name.trim();
    chrono_tz::TZ_VARIANTS.iter().copied().find(|zone| zone.name().eq_ignore_ascii_case(name))
}
