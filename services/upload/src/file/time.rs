//! Parses dates and times as people write them.
//!
//! Here: text to a date, a time of day and an offset, and these to an instant in the organization's time
//! zone. Deliberately absent: locales other than English month names, zone abbreviations except UTC and GMT
//! ("PST" is Manila to one and Los Angeles to another), and dates without a year.

use chrono::{
    DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Timelike, Utc,
};
use chrono_tz::Tz;
use kit::input::time::{YEARS, first_instant_of};
use serde::{Deserialize, Serialize};

use super::fit::Fit;

/// Whether the month or the day comes first: `03/04/2026` is March 4 (`Mdy`) or April 3 (`Dmy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    Mdy,
    Dmy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeError {
    NotATime,
    /// Before or after the accepted years.
    OutOfRange,
    /// The clocks skipped this time when they went forward.
    NeverWas,
}

/// The date, time of day and offset that a text or cell contains. Each of them may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Parts {
    pub(super) date: Option<NaiveDate>,
    pub(super) time: Option<NaiveTime>,
    offset: Option<FixedOffset>,
    /// Whether `time` is midnight only because Excel keeps a date without a time that way.
    is_whole_day: bool,
}

impl Parts {
    /// Converts a typed date. Excel stores fractions of days, so digits below a second are noise. A time of
    /// day without a date is on the day before Excel's first day.
    pub(super) fn of(at: NaiveDateTime) -> Self {
        let at = at
            .checked_add_signed(TimeDelta::milliseconds(500))
            .and_then(|at| at.with_nanosecond(0))
            .unwrap_or(at);
        let date = Some(at.date()).filter(|it| *it > NaiveDate::from_ymd_opt(1900, 1, 1).unwrap_or_default());
        let is_whole_day = date.is_some() && at.time() == NaiveTime::MIN;
        Self { date, time: Some(at.time()), offset: None, is_whole_day }
    }

    /// Converts a number that a workbook shows without a date format: a compact date (20260304) or a serial
    /// number.
    pub(super) fn of_number(number: f64) -> Option<Self> {
        if (10_000_000.0..100_000_000.0).contains(&number) && number.fract() == 0.0 {
            return compact_date(&number.to_string());
        }
        Self::of_serial(number)
    }

    /// Converts an Excel serial number of the 1900 system: days since 1899-12-30. A number below 1 is a time
    /// of day; otherwise only the years 2000–2100 count as a date.
    fn of_serial(serial: f64) -> Option<Self> {
        let days = serial.floor();
        let seconds = ((serial - days) * 86_400.0).round();
        if !(0.0..73_416.0).contains(&serial) || (1.0..36_526.0).contains(&serial) {
            return None;
        }
        let at = NaiveDate::from_ymd_opt(1899, 12, 30)?
            .and_time(NaiveTime::MIN)
            .checked_add_signed(TimeDelta::days(days as i64) + TimeDelta::seconds(seconds as i64))?;
        Some(Self::of(at))
    }

    /// Takes the time of day over from another cell, with its offset. Midnight there was entered explicitly.
    pub(super) fn set_time(&mut self, other: Self) {
        self.time = other.time;
        self.offset = other.offset.or(self.offset);
        self.is_whole_day = false;
    }

    /// Returns the date of a cell without a time of day.
    pub(super) fn whole_day(self) -> Option<NaiveDate> {
        self.date.filter(|_| self.is_whole_day)
    }

    /// Returns the instant. Without a time it is the first of the day; without a date this fails.
    pub(super) fn instant(self, zone: Tz) -> Result<DateTime<Utc>, TimeError> {
        let date = self.date.ok_or(TimeError::NotATime)?;
        let instant = match (self.time.filter(|_| !self.is_whole_day), self.offset) {
            (None, _) => first_instant_of(zone, date),
            (Some(time), Some(offset)) => {
                let at = offset.from_local_datetime(&date.and_time(time)).single();
                at.ok_or(TimeError::NotATime)?.to_utc()
            }
            (Some(time), None) => {
                let at = zone.from_local_datetime(&date.and_time(time)).earliest();
                at.ok_or(TimeError::NeverWas)?.to_utc()
            }
        };
        if YEARS.contains(&date.year()) { Ok(instant) } else { Err(TimeError::OutOfRange) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    /// The digits as written, because their count identifies a year.
    Digits(&'a str),
    Word(&'a str),
    Sign(char),
}

/// Parses a whole text; anything left over is an error.
pub(super) fn parse(text: &str, order: DateOrder) -> Result<Parts, TimeError> {
    // The longest sensible text has some forty letters ("Wednesday, September 30, 2026 …").
    if text.len() > 64 {
        return Err(TimeError::NotATime);
    }
    let lower = text.trim().to_lowercase().replace("a.m.", "am").replace("p.m.", "pm");
    if let Ok(serial) = lower.parse::<f64>()
        && let Some(parts) = serial_text(&lower, serial)
    {
        return Ok(parts);
    }
    let tokens = lex(&lower).ok_or(TimeError::NotATime)?;
    let mut rest = Reader { tokens: &tokens };
    let date = rest.date(order)?;
    let is_iso = date.is_some() && rest.word("t");
    if date.is_some() && !is_iso {
        let _ = rest.sign(',') || rest.word("at");
    }
    let before = rest.tokens;
    let time = rest.time()?;
    let of_time = &before[..before.len() - rest.tokens.len()];
    let has_seconds = of_time.iter().filter(|token| **token == Token::Sign(':')).count() > 1;
    let offset = if time.is_some() { rest.offset(is_iso || has_seconds)? } else { None };
    if !rest.tokens.is_empty() || (date.is_none() && time.is_none()) {
        return Err(TimeError::NotATime);
    }
    Ok(Parts { date, time, offset, is_whole_day: false })
}

/// Returns which order a date shows. A text that is a date in neither order shows nothing.
pub(super) fn fit(text: &str) -> Fit<DateOrder> {
    // Nearly all dates begin with the year; both orders read them the same.
    if text.trim_start().bytes().take(4).filter(u8::is_ascii_digit).count() == 4 {
        return Fit::Any;
    }
    match (parse(text, DateOrder::Mdy), parse(text, DateOrder::Dmy)) {
        (Ok(one), Ok(other)) if one == other => Fit::Any,
        (Ok(_), Ok(_)) => Fit::Open,
        (Ok(_), Err(_)) => Fit::Only(DateOrder::Mdy),
        (Err(_), Ok(_)) => Fit::Only(DateOrder::Dmy),
        (Err(_), Err(_)) => Fit::Any,
    }
}

/// Formats date and time so that they are read the same with either date order; `None` for a text without a
/// date.
pub(super) fn plainly(text: &str, order: DateOrder) -> Option<String> {
    let Parts { date, time, offset, is_whole_day } = parse(text, order).ok()?;
    let mut plain = date?.to_string();
    if let Some(time) = time.filter(|_| !is_whole_day) {
        plain.push_str(&time.format(" %H:%M:%S%.f").to_string());
    }
    if let Some(offset) = offset {
        plain.push_str(&offset.to_string());
    }
    Some(plain)
}

/// Formats date and time for people: "April 3, 2026 8:30 AM"; `None` when the text is neither.
pub(super) fn spelled(text: &str, order: DateOrder) -> Option<String> {
    let Parts { date, time, offset, .. } = parse(text, order).ok()?;
    let date = date.map(|date| date.format("%B %-d, %Y").to_string());
    let midnight = |time: &NaiveTime| *time == NaiveTime::MIN && date.is_some() && offset.is_none();
    let time = time.filter(|time| !midnight(time)).map(|time| {
        let pattern = if time.second() == 0 { "%-I:%M %p" } else { "%-I:%M:%S %p" };
        time.format(pattern).to_string()
    });
    let offset = offset.map(|offset| format!("UTC{offset}"));
    Some([date, time, offset].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Parses a serial number that lost its format ("46085.354") or a compact date ("20260304").
fn serial_text(text: &str, serial: f64) -> Option<Parts> {
    let whole = text.split('.').next().unwrap_or_default();
    if !whole.bytes().all(|b| b.is_ascii_digit()) || text.contains(['e', 'i', 'n']) {
        return None;
    }
    match (whole.len(), text.contains('.')) {
        (8, false) => compact_date(text),
        (5, _) | (1, true) => Parts::of_serial(serial),
        _ => None,
    }
}

/// Parses a date of eight digits, such as "20260304".
fn compact_date(text: &str) -> Option<Parts> {
    Some(Parts { date: NaiveDate::parse_from_str(text, "%Y%m%d").ok()?.into(), ..Parts::default() })
}

fn lex(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let end = if first.is_ascii_digit() {
            run(|c| c.is_ascii_digit())
        } else if first.is_ascii_alphabetic() {
            run(|c| c.is_ascii_alphabetic())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        match first {
            c if c.is_ascii_digit() => tokens.push(Token::Digits(token)),
            c if c.is_ascii_alphabetic() => tokens.push(Token::Word(token)),
            ':' | '-' | '/' | '.' | ',' | '+' => tokens.push(Token::Sign(first)),
            c if c.is_whitespace() => {
                let is_spaced = matches!(tokens.last(), Some(Token::Sign('+' | '-')));
                let has_time =
                    |token: &Token<'_>| matches!(token, Token::Sign(':') | Token::Word("am" | "pm"));
                // After a time, a sign with a space behind it begins no offset: "08:00 - 10:00" is two times.
                if is_spaced && tokens.iter().any(has_time) {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(tokens)
}

struct Reader<'t, 's> {
    tokens: &'t [Token<'s>],
}

impl<'s> Reader<'_, 's> {
    fn skip(&mut self, count: usize) {
        self.tokens = self.tokens.get(count..).unwrap_or_default();
    }

    fn sign(&mut self, sign: char) -> bool {
        let is = self.tokens.first() == Some(&Token::Sign(sign));
        self.skip(usize::from(is));
        is
    }

    fn word(&mut self, word: &str) -> bool {
        let is = self.tokens.first() == Some(&Token::Word(word));
        self.skip(usize::from(is));
        is
    }

    fn date(&mut self, order: DateOrder) -> Result<Option<NaiveDate>, TimeError> {
        use Token::{Digits, Sign, Word};
        if let Some(Word(word)) = self.tokens.first()
            && is_weekday(word)
        {
            self.skip(1);
            let _ = self.sign(',') || self.sign('.');
        }
        let separator = |c: &char| matches!(c, '-' | '/' | '.');
        let (date, used) = match *self.tokens {
            // 2026-03-04, 3/4/2026, 04.03.26
            [Digits(a), Sign(s), Digits(b), Sign(t), Digits(c), ..] if s == t && separator(&s) => {
                (numeric(a, b, c, order)?, 5)
            }
            // 4-Mar-2026, 4/Mar/26
            [Digits(d), Sign(s), Word(m), Sign(t), Digits(y), ..] if s == t && separator(&s) => {
                (named(y, m, d)?, 5)
            }
            // 4 Mar 2026
            [Digits(d), Word(m), Digits(y), ..] if month(m).is_some() => (named(y, m, d)?, 3),
            // Mar 4, 2026
            [Word(m), Digits(d), Sign(','), Digits(y), ..] => (named(y, m, d)?, 4),
            [Word(m), Sign('.'), Digits(d), Sign(','), Digits(y), ..] => (named(y, m, d)?, 5),
            [Word(m), Digits(d), Digits(y), ..] => (named(y, m, d)?, 3),
            _ => return Ok(None),
        };
        self.skip(used);
        Ok(Some(date))
    }

    fn time(&mut self) -> Result<Option<NaiveTime>, TimeError> {
        let Some(Token::Digits(hour)) = self.tokens.first().copied() else {
            return Ok(None);
        };
        self.skip(1);
        let (mut minute, mut second, mut micros, mut full) = (0, 0, 0, false);
        if self.sign(':') {
            full = true;
            minute = self.number(2)?;
            if self.sign(':') {
                second = self.number(2)?;
                if let [Token::Sign('.' | ','), Token::Digits(digits), ..] = *self.tokens {
                    micros = microseconds(digits);
                    self.skip(2);
                }
            }
        }
        let hour = small(hour)?;
        let hour = match (self.word("am"), self.word("pm"), hour) {
            (true, false, 12) => 0,
            (true, false, 1..=11) => hour,
            (false, true, 12) => 12,
            (false, true, 1..=11) => hour + 12,
            (false, false, _) if full => hour,
            _ => return Err(TimeError::NotATime),
        };
        NaiveTime::from_hms_micro_opt(hour, minute, second, micros).map(Some).ok_or(TimeError::NotATime)
    }

    /// Parses an offset. Without `is_exact`, a minus begins none: in "08:00-10" it ends a range of times.
    fn offset(&mut self, is_exact: bool) -> Result<Option<FixedOffset>, TimeError> {
        if self.word("z") || self.word("utc") || self.word("gmt") {
            return Ok(FixedOffset::east_opt(0));
        }
        let east = if self.sign('+') {
            1
        } else if is_exact && self.sign('-') {
            -1
        } else {
            return Ok(None);
        };
        let Some(Token::Digits(digits)) = self.tokens.first().copied() else {
            return Err(TimeError::NotATime);
        };
        self.skip(1);
        let (hours, minutes) = match digits.len() {
            4 => {
                let (h, m) = digits.split_at(2);
                (small(h)?, small(m)?)
            }
            2 if self.sign(':') => (small(digits)?, self.number(2)?),
            2 => (small(digits)?, 0),
            _ => return Err(TimeError::NotATime),
        };
        if hours > 14 || minutes > 59 {
            return Err(TimeError::NotATime);
        }
        let seconds = i32::try_from(hours * 3600 + minutes * 60).unwrap_or_default();
        FixedOffset::east_opt(east * seconds).map(Some).ok_or(TimeError::NotATime)
    }

    /// Parses a number with this many digits.
    fn number(&mut self, digits: usize) -> Result<u32, TimeError> {
        match self.tokens.first() {
            Some(Token::Digits(text)) if text.len() == digits => {
                let number = small(text);
                self.skip(1);
                number
            }
            _ => Err(TimeError::NotATime),
        }
    }
}

fn numeric(a: &str, b: &str, c: &str, order: DateOrder) -> Result<NaiveDate, TimeError> {
    if a.len() == 4 {
        return ymd(small(a)?, small(b)?, small(c)?);
    }
    let (first, second) = (small(a)?, small(b)?);
    // Never swap day and month, not even when the month is above 12: one value that is read differently from
    // its column would hide that the others may be wrong.
    let (month, day) = match order {
        DateOrder::Mdy => (first, second),
        DateOrder::Dmy => (second, first),
    };
    ymd(year(c)?, month, day)
}

fn named(y: &str, m: &str, d: &str) -> Result<NaiveDate, TimeError> {
    ymd(year(y)?, month(m).ok_or(TimeError::NotATime)?, small(d)?)
}

fn ymd(year: u32, month: u32, day: u32) -> Result<NaiveDate, TimeError> {
    i32::try_from(year)
        .ok()
        .and_then(|year| NaiveDate::from_ymd_opt(year, month, day))
        .ok_or(TimeError::NotATime)
}

/// Parses a year of four digits, or of two digits in this century, as in Excel's short date in the United
/// States.
fn year(digits: &str) -> Result<u32, TimeError> {
    match digits.len() {
        4 => small(digits),
        2 => small(digits).map(|y| y + 2000),
        _ => Err(TimeError::NotATime),
    }
}

fn small(digits: &str) -> Result<u32, TimeError> {
    if digits.len() > 4 {
        return Err(TimeError::NotATime);
    }
    digits.parse().map_err(|_| TimeError::NotATime)
}

/// Converts the digits of a fraction of a second. Times are stored to the microsecond.
fn microseconds(digits: &str) -> u32 {
    format!("{digits:0<6.6}").parse().unwrap_or_default()
}

fn month(word: &str) -> Option<u32> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    // At least three letters: "Sept" is common, "Ma" is ambiguous.
    let found = (word.len() >= 3).then(|| NAMES.iter().position(|name| name.starts_with(word)))??;
    u32::try_from(found + 1).ok()
}

fn is_weekday(word: &str) -> bool {
    const NAMES: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    word.len() >= 3 && NAMES.iter().any(|name| name.starts_with(word))
}

#[cfg(test)]
#[path = "time_tests.rs"]
mod tests;
