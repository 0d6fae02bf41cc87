//! Times that people enter.

use std::ops::RangeInclusive;

use chrono::{DateTime, SubsecRound, Utc};

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
    fn a_time_is_kept_to_the_microsecond() {
        let read = |text: &str| instant("Start", Some(at(text).to_utc())).map(|at| at.to_rfc3339());
        assert_eq!(read("2026-11-21T04:00:00.1234567Z").as_deref(), Ok("2026-11-21T04:00:00.123456+00:00"));
        let beyond = Err("Start must be between the years 2000 and 2100".to_owned());
        assert_eq!(read("2101-01-02T00:00:00Z"), beyond);
        assert_eq!(instant("Start", None).map(|at| at.to_rfc3339()), beyond);
    }
}
