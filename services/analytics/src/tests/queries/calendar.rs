//! Computes local time by the zone library alone, without the offsets that statements contain.

use chrono::{DateTime, Datelike, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::Tz;

use crate::query::dates::{Range, Unit};

/// Returns whether a time is in a range. Does not use the product's method: searches for skipped times minute
/// by minute.
pub fn within(at: DateTime<Utc>, range: Range, zone: Tz) -> bool {
    let find = |local: chrono::NaiveDateTime| {
        let steps = (0..=24 * 60).map(|minutes| {
            let floor = if minutes == 0 {
                local
            } else {
                local - TimeDelta::milliseconds(local.and_utc().timestamp_millis() % 60_000)
            };
            zone.from_local_datetime(&(floor + TimeDelta::minutes(minutes)))
        });
        steps.into_iter().find(|it| it.earliest().is_some()).unwrap()
    };
    let from = find(range.start).earliest().unwrap();
    let end = zone.from_local_datetime(&range.end).latest();
    let until = match end {
        Some(end) => end + TimeDelta::milliseconds(1),
        None => find(range.end).earliest().unwrap(),
    };
    from <= at && at < until
}

pub fn bucket(at: DateTime<Utc>, unit: Unit, zone: Tz) -> String {
    let local = at.with_timezone(&zone);
    let (year, month, day) = (local.year(), local.month(), local.day());
    let date = |year: i32, month: u32, day: u32| format!("{year:04}-{month:02}-{day:02}T00:00:00.000");
    let today = format!("{year:04}-{month:02}-{day:02}");
    match unit {
        Unit::Second => {
            format!("{today}T{:02}:{:02}:{:02}.000", local.hour(), local.minute(), local.second())
        }
        Unit::Minute => format!("{today}T{:02}:{:02}:00.000", local.hour(), local.minute()),
        Unit::Hour => format!("{today}T{:02}:00:00.000", local.hour()),
        Unit::Day => date(year, month, day),
        Unit::Week => {
            let monday = local.date_naive().week(chrono::Weekday::Mon).first_day();
            date(monday.year(), monday.month(), monday.day())
        }
        Unit::Month => date(year, month, 1),
        Unit::Quarter => date(year, [1, 4, 7, 10][(month as usize - 1) / 3], 1),
        Unit::Year => date(year, 1, 1),
    }
}
