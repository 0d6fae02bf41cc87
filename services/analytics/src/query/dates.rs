//! Parses texts into ranges of local time: `2024-03-02`, `last 7 days`, `from 2 weeks ago to now`.
//!
//! A range is in local time of the query's zone and includes both ends, in milliseconds. Weeks begin on
//! Monday.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, TimeDelta, Timelike, Utc, Weekday};
use chrono_tz::Tz;
use kit::Result;

use super::refuse;
use super::wire::DateRange;

/// A range of local time, from its first to its last millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub start: NaiveDateTime,
    pub end: NaiveDateTime,
}

const FORMAT: &str = "%Y-%m-%dT%H:%M:%S%.3f";

/// Formats a time as the contract does: with milliseconds, without a zone.
pub fn show(at: NaiveDateTime) -> String {
    at.format(FORMAT).to_string()
}

impl Range {
    pub fn texts(self) -> [String; 2] {
        [show(self.start), show(self.end)]
    }
}

/// A calendar unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    pub const ALL: [Unit; 8] = [
        Self::Second,
        Self::Minute,
        Self::Hour,
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Quarter,
        Self::Year,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }

    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == text)
    }

    /// Parses a unit in the plural, such as `days`, or in the singular.
    fn named_plural(text: &str) -> Option<Self> {
        Self::named(text.strip_suffix('s').unwrap_or(text))
    }

    /// Truncates a time to this unit.
    pub fn floor(self, at: NaiveDateTime) -> Option<NaiveDateTime> {
        let date = at.date();
        let midnight = |date: NaiveDate| date.and_hms_opt(0, 0, 0);
        match self {
            Self::Second => at.with_nanosecond(0),
            Self::Minute => date.and_hms_opt(at.hour(), at.minute(), 0),
            Self::Hour => date.and_hms_opt(at.hour(), 0, 0),
            Self::Day => midnight(date),
            Self::Week => {
                midnight(date.checked_sub_days(Days::new(date.weekday().num_days_from_monday().into()))?)
            }
            Self::Month => midnight(date.with_day(1)?),
            Self::Quarter => midnight(NaiveDate::from_ymd_opt(date.year(), date.month0() / 3 * 3 + 1, 1)?),
            Self::Year => midnight(NaiveDate::from_ymd_opt(date.year(), 1, 1)?),
        }
    }

    /// Returns the time `count` units later; earlier if `count` is negative.
    pub fn add(self, at: NaiveDateTime, count: i64) -> Option<NaiveDateTime> {
        self.moved(at, count).filter(is_sane)
    }

    /// Like [`Self::add`], but in any year.
    fn moved(self, at: NaiveDateTime, count: i64) -> Option<NaiveDateTime> {
        match self {
            Self::Second => at.checked_add_signed(TimeDelta::try_seconds(count)?),
            Self::Minute => at.checked_add_signed(TimeDelta::try_minutes(count)?),
            Self::Hour => at.checked_add_signed(TimeDelta::try_hours(count)?),
            Self::Day => at.checked_add_signed(TimeDelta::try_days(count)?),
            Self::Week => at.checked_add_signed(TimeDelta::try_weeks(count)?),
            Self::Month => months(at, count),
            Self::Quarter => months(at, count.checked_mul(3)?),
            Self::Year => months(at, count.checked_mul(12)?),
        }
    }

    /// Returns how many units a range touches. For a range that is not aligned to units, the result may be
    /// one too low.
    pub fn count(self, range: Range) -> i64 {
        let (from, to) = (range.start, range.end);
        let months =
            || i64::from(to.year() - from.year()) * 12 + i64::from(to.month()) - i64::from(from.month());
        let length = to - from;
        1 + match self {
            Self::Second => length.num_seconds(),
            Self::Minute => length.num_minutes(),
            Self::Hour => length.num_hours(),
            Self::Day => length.num_days(),
            Self::Week => length.num_weeks(),
            Self::Month => months(),
            Self::Quarter => months() / 3,
            Self::Year => months() / 12,
        }
    }

    /// Returns the range of the whole unit that contains a time.
    fn around(self, at: NaiveDateTime) -> Option<Range> {
        let start = self.floor(at)?;
        // After the last unit of the year 9999 comes the year 10000.
        let end = before(self.moved(start, 1)?).filter(is_sane)?;
        Some(Range { start, end })
    }
}

fn months(at: NaiveDateTime, count: i64) -> Option<NaiveDateTime> {
    let many = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
    if count < 0 { at.checked_sub_months(many) } else { at.checked_add_months(many) }
}

/// Returns whether a time is in the years that texts can have.
fn is_sane(at: &NaiveDateTime) -> bool {
    (1..=9999).contains(&at.year())
}

fn before(at: NaiveDateTime) -> Option<NaiveDateTime> {
    at.checked_sub_signed(TimeDelta::milliseconds(1))
}

/// The current time and the zone, to resolve relative texts.
#[derive(Debug, Clone, Copy)]
pub struct Today {
    pub now: DateTime<Utc>,
    pub zone: Tz,
}

impl Today {
    fn local(self) -> NaiveDateTime {
        self.now.with_timezone(&self.zone).naive_local()
    }

    /// Returns the time `count` units from now. Counts elapsed time for hours and shorter units, and calendar
    /// units otherwise.
    fn after(self, unit: Unit, count: i64) -> Option<NaiveDateTime> {
        let seconds = match unit {
            Unit::Second => 1,
            Unit::Minute => 60,
            Unit::Hour => 3600,
            _ => return unit.add(self.local(), count),
        };
        let at = self.now.checked_add_signed(TimeDelta::try_seconds(count.checked_mul(seconds)?)?)?;
        Some(at.with_timezone(&self.zone).naive_local()).filter(is_sane)
    }
}

/// Resolves the date range of a time dimension.
pub fn range(given: &DateRange, today: Today) -> Result<Range> {
    match given {
        DateRange::Text(text) => of_text(text, today),
        DateRange::List(list) => match list.as_slice() {
            [one] => of_text(one, today),
            [from, to] => between(from, to, today),
            _ => Err(refuse("Invalid query format: a date range is a text or a list of one or two")),
        },
    }
}

/// Returns the range between two absolute dates. Refuses relative texts, which are allowed only as a single
/// text.
fn between(from: &str, to: &str, today: Today) -> Result<Range> {
    let read = |text: &str| absolute(text, today.zone).ok_or_else(|| unreadable(text));
    Ok(Range { start: read(from)?.start, end: read(to)?.end })
}

/// Parses a single text: a date, a time, or words.
pub fn of_text(text: &str, today: Today) -> Result<Range> {
    absolute(text, today.zone).or_else(|| in_words(text, today)).ok_or_else(|| unreadable(text))
}

fn unreadable(text: &str) -> kit::Error {
    let shown: String = text.chars().take(100).collect();
    refuse(&format!("Can't parse date: '{shown}'"))
}

/// Parses an absolute text. A date means the whole day, a time means that millisecond.
fn absolute(text: &str, zone: Tz) -> Option<Range> {
    let text = text.trim();
    if text.len() > 40 || !text.is_ascii() || !text.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    if text.len() == 10 {
        let start = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0)?;
        return Unit::Day.around(Some(start).filter(is_sane)?);
    }
    let text = text.replacen(' ', "T", 1);
    let at = match DateTime::parse_from_rfc3339(&text) {
        Ok(at) => at.with_timezone(&zone).naive_local(),
        Err(_) => NaiveDateTime::parse_from_str(&text, "%Y-%m-%dT%H:%M:%S%.f")
            .or_else(|_| NaiveDateTime::parse_from_str(&text, "%Y-%m-%dT%H:%M"))
            .ok()?,
    };
    // Limit the nanoseconds: in a leap second they exceed a second.
    let millis = at.nanosecond().min(999_999_999) / 1_000_000;
    let at = at.with_nanosecond(millis * 1_000_000).filter(is_sane)?;
    Some(Range { start: at, end: at })
}

fn in_words(text: &str, today: Today) -> Option<Range> {
    if text.len() > 100 {
        return None;
    }
    let lower = text.trim().to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    if words.first() == Some(&"from") {
        let to = words.iter().position(|word| *word == "to")?;
        let exact = exactness(&words);
        let start = point(words.get(1..to)?, today)?;
        let end = point(words.get(to + 1..)?, today)?;
        return Some(Range { start: exact.around(start)?.start, end: exact.around(end)?.end });
    }
    match words.as_slice() {
        [which @ ("this" | "last" | "next"), unit] if Unit::named(unit).is_some() => {
            let unit = Unit::named(unit)?;
            let by = match *which {
                "last" => -1,
                "next" => 1,
                _ => 0,
            };
            unit.around(unit_away(unit, by, today)?)
        }
        [which @ ("last" | "next"), count, unit] => {
            let (unit, count) = (Unit::named_plural(unit)?, number(count)?);
            let (first, last) = if *which == "last" { (-count, -1) } else { (1, count) };
            let start = unit.around(unit_away(unit, first, today)?)?.start;
            Some(Range { start, end: unit.around(unit_away(unit, last, today)?)?.end })
        }
        words => exactness(words).around(point(words, today)?),
    }
}

/// Returns a time in the unit that is `by` units from the current one. Counts days and longer units from the
/// beginning of the current one, so that `last month` on March 31 is February.
fn unit_away(unit: Unit, by: i64, today: Today) -> Option<NaiveDateTime> {
    match unit {
        Unit::Second | Unit::Minute | Unit::Hour => today.after(unit, by),
        _ => unit.add(unit.floor(today.local())?, by),
    }
}

/// Returns the precision of a time in words: the finest unit that the words contain, or a day.
fn exactness(words: &[&str]) -> Unit {
    let said = |unit: Unit| words.iter().any(|word| Unit::named_plural(word) == Some(unit));
    [Unit::Second, Unit::Minute, Unit::Hour].into_iter().find(|unit| said(*unit)).unwrap_or(Unit::Day)
}

/// Parses a single time in words.
fn point(words: &[&str], today: Today) -> Option<NaiveDateTime> {
    let local = today.local();
    let joined;
    let words = match words {
        [one] => {
            joined = [*one];
            &joined[..]
        }
        many => many,
    };
    match words {
        ["now" | "today"] => Some(local),
        ["yesterday"] => Unit::Day.add(local, -1),
        ["tomorrow"] => Unit::Day.add(local, 1),
        [count, unit, "ago"] => today.after(Unit::named_plural(unit)?, -number(count)?),
        [count, unit, "from", "now"] | ["in", count, unit] => {
            today.after(Unit::named_plural(unit)?, number(count)?)
        }
        ["last", day] => weekday(day).and_then(|day| near(local, day, -1)),
        ["next", day] => weekday(day).and_then(|day| near(local, day, 1)),
        [month, year] if month_named(month).is_some() && year.len() == 4 => {
            date(number(year)?, month_named(month)?, 1)
        }
        [month, day, year] if month_named(month).is_some() => {
            date(number(year)?, month_named(month)?, number(day.trim_end_matches(','))?)
        }
        [day, month, year] if month_named(month).is_some() => {
            date(number(year)?, month_named(month)?, number(day)?)
        }
        _ => absolute(&words.join("T").to_uppercase(), today.zone).map(|it| it.start),
    }
}

fn number(text: &str) -> Option<i64> {
    let plain = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

fn date(year: i64, month: u32, day: i64) -> Option<NaiveDateTime> {
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, u32::try_from(day).ok()?)?;
    date.and_hms_opt(0, 0, 0).filter(|_| (1..=9999).contains(&year))
}

fn weekday(text: &str) -> Option<Weekday> {
    text.parse().ok()
}

/// Returns the last day before today that is this weekday or, if `by` is positive, the next one after today.
fn near(local: NaiveDateTime, day: Weekday, by: i64) -> Option<NaiveDateTime> {
    (1..=7).filter_map(|away| Unit::Day.add(local, away * by)).find(|at| at.weekday() == day)
}

fn month_named(text: &str) -> Option<u32> {
    text.parse::<chrono::Month>().ok().map(|month| month.number_from_month())
}
