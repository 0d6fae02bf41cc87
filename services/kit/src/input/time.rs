//! Times that people enter.

use std::ops::RangeInclusive;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, Offset, SubsecRound, TimeZone, Utc};
use chrono_tz::Tz;

/// Accepted years, inclusive.
pub const YEARS: RangeInclusive<i32> = 2000..=2100;
/// When the year 2000 begins on the Line Islands (UTC+14), the first place on earth.
const FIRST: i64 = 946_634_400;
/// When the year 2100 has ended on Baker Island (UTC-12), the last place on earth.
const END: i64 = 4_134_024_000;

/// Returns whether the time is in [`YEARS`] in any time zone. Used where the time zone is unknown, so that
/// people can enter every time that an imported file may contain.
pub fn is_possible(at: DateTime<Utc>) -> bool {
    (FIRST..END).contains(&at.timestamp())
}

/// Returns the time truncated to microseconds, as databases store it; an error message when it is missing or
/// outside of [`YEARS`].
pub fn instant(label: &str, at: Option<DateTime<Utc>>) -> Result<DateTime<Utc>, String> {
    at.filter(|at| is_possible(*at)).map(|at| at.trunc_subsecs(6)).ok_or_else(|| beyond(label))
}

/// Returns the instant at which clocks in the zone show this time: the earlier of two if it occurs twice. A time
/// that clocks skip moves forward by as much as the clocks do, as in the browser.
pub fn local_instant(zone: Tz, local: NaiveDateTime) -> DateTime<Utc> {
    if let Some(at) = zone.from_local_datetime(&local).earliest() {
        return at.to_utc();
    }
    // Offsets are below a day, so this one is from before the clock change.
    let day_before = local.checked_sub_days(Days::new(1)).unwrap_or(local);
    let offset = zone.offset_from_utc_datetime(&day_before).fix();
    local.checked_sub_offset(offset).unwrap_or(local).and_utc()
}

/// Returns the first instant of a day. It is later than 00:00 if clocks skip that: since 2000, they have skipped
/// midnight only as the first of the skipped times.
pub fn first_instant_of(zone: Tz, day: NaiveDate) -> DateTime<Utc> {
    local_instant(zone, day.and_time(NaiveTime::MIN))
}

fn beyond(label: &str) -> String {
    format!("{label} must be between the years {} and {}", YEARS.start(), YEARS.end())
}

#[cfg(test)]
mod tests {
    use chrono::Datelike;

    use super::*;

    fn at(text: &str) -> DateTime<chrono::FixedOffset> {
        text.parse().unwrap()
    }

    #[test]
    fn both_years_are_included_wherever_the_clock_hangs() {
        for text in [
            "2000-01-01T00:00:00+14:00",
            "2000-01-01T00:00:00Z",
            "2100-12-31T23:59:59.999999Z",
            "2100-12-31T23:59:59-12:00",
        ] {
            assert!(YEARS.contains(&at(text).year()) && is_possible(at(text).to_utc()), "{text}");
        }
        for text in ["1999-12-31T23:59:59+14:00", "2101-01-01T00:00:00-12:00"] {
            assert!(!YEARS.contains(&at(text).year()) && !is_possible(at(text).to_utc()), "{text}");
        }
    }

    #[test]
    fn a_skipped_time_moves_forward_by_the_gap() {
        let shown = |zone: Tz, local: &str| {
            let at = local_instant(zone, local.parse().unwrap());
            at.with_timezone(&zone).naive_local().format("%Y-%m-%dT%H:%M").to_string()
        };
        for (zone, local, expected) in [
            (chrono_tz::Europe::Berlin, "2026-03-29T02:30:00", "2026-03-29T03:30"),
            // Clocks on Lord Howe move by half an hour, and Samoa skipped a day.
            (chrono_tz::Australia::Lord_Howe, "2026-10-04T02:15:00", "2026-10-04T02:45"),
            (chrono_tz::Pacific::Apia, "2011-12-30T08:00:00", "2011-12-31T08:00"),
            (chrono_tz::Asia::Manila, "2026-11-21T12:00:00", "2026-11-21T12:00"),
        ] {
            assert_eq!(shown(zone, local), expected, "{zone} {local}");
        }
        let twice = local_instant(chrono_tz::Europe::Berlin, "2026-10-25T02:30:00".parse().unwrap());
        assert_eq!(twice.to_rfc3339(), "2026-10-25T00:30:00+00:00");
        for far in [NaiveDateTime::MIN, NaiveDateTime::MAX] {
            let _ = local_instant(chrono_tz::Asia::Manila, far);
        }
    }

    #[test]
    fn a_day_begins_when_its_first_time_is_reached() {
        let begins = |zone: Tz, day: &str| first_instant_of(zone, day.parse().unwrap()).to_rfc3339();
        assert_eq!(begins(chrono_tz::Asia::Manila, "2026-11-21"), "2026-11-20T16:00:00+00:00");
        assert_eq!(begins(chrono_tz::Africa::Cairo, "2026-04-24"), "2026-04-23T22:00:00+00:00");
        assert_eq!(begins(chrono_tz::America::Santiago, "2026-09-06"), "2026-09-06T04:00:00+00:00");
        // Clocks in Havana are put back from 01:00 to 00:00.
        assert_eq!(begins(chrono_tz::America::Havana, "2026-11-01"), "2026-11-01T04:00:00+00:00");
    }

    #[test]
    fn a_time_is_kept_to_the_microsecond() {
        let read = |text: &str| instant("Start", Some(at(text).to_utc())).map(|at| at.to_rfc3339());
        assert_eq!(read("2026-11-21T04:00:00.1234567Z").as_deref(), Ok("2026-11-21T04:00:00.123456+00:00"));
        let beyond = Err("Start must be between the years 2000 and 2100".to_owned());
        assert_eq!(read("2101-01-02T00:00:00Z"), beyond);
        assert_eq!(instant("Start", None).map(|at| at.to_rfc3339()), beyond);
    }
}
