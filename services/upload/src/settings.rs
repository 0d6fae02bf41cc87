//! The settings that imports obey. What somebody set holds, and otherwise the configuration.

use chrono::{DateTime, LocalResult, NaiveDate, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;
use kit::config;
use kit::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::file::row::{DateOrder, RowContext};

pub const OBEYED: &[&str] = &[TIME_ZONE, DATE_ORDER, EARLIEST, PAUSED_UNTIL];

const TIME_ZONE: &str = "organization-time-zone";
const DATE_ORDER: &str = "import-date-order";
const EARLIEST: &str = "import-earliest-date";
const PAUSED_UNTIL: &str = "import-paused-until";

/// How a file is read. Kept with its import: one that is taken up again is read as it was begun, or
/// its batches would not be the same ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    zone: String,
    day_first: bool,
    earliest: Option<NaiveDate>,
}

impl Reading {
    /// As files are read from now on.
    pub fn now(context: &Context) -> Self {
        let set = &context.settings;
        let day_first = match set.get(DATE_ORDER).as_deref() {
            Some("dmy") => true,
            Some("mdy") => false,
            _ => context.imports.date_order == config::DateOrder::Dmy,
        };
        Self { zone: zone(context).name().to_owned(), day_first, earliest: set.parsed(EARLIEST) }
    }

    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(Error::internal)
    }

    pub fn text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }

    pub fn rows(&self) -> RowContext {
        RowContext {
            timezone: self.zone.parse().unwrap_or(Tz::UTC),
            date_order: if self.day_first { DateOrder::Dmy } else { DateOrder::Mdy },
            earliest: self.earliest,
        }
    }
}

fn zone(context: &Context) -> Tz {
    context.settings.parsed(TIME_ZONE).unwrap_or(context.zone)
}

/// Refuses to begin while imports are paused.
pub fn require_open(context: &Context) -> Result<()> {
    let Some(text) = context.settings.get(PAUSED_UNTIL) else { return Ok(()) };
    let Some(until) = instant(&text, zone(context)) else { return Ok(()) };
    if context.clock.now() >= until {
        return Ok(());
    }
    let shown = until.with_timezone(&zone(context)).format("%Y-%m-%d %H:%M (%Z)");
    let text =
        format!("Imports are paused until {shown}. Try again then, or ask a planner to end the pause.");
    Err(Error::precondition("IMPORTS_PAUSED", text))
}

/// When the clocks there show it: the first time of two, and after a gap that it falls into.
fn instant(text: &str, zone: Tz) -> Option<DateTime<Utc>> {
    let shown = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").ok()?;
    let at = match zone.from_local_datetime(&shown) {
        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => at,
        LocalResult::None => zone.from_local_datetime(&(shown + chrono::Duration::hours(1))).earliest()?,
    };
    Some(at.with_timezone(&Utc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_when_the_clocks_of_the_organization_show_it() {
        let at = |text: &str, zone: Tz| instant(text, zone).map(|it| it.to_rfc3339());
        let manila = at("2026-11-22T06:00", chrono_tz::Asia::Manila);
        assert_eq!(manila.as_deref(), Some("2026-11-21T22:00:00+00:00"));
        // Twice, and never.
        let amsterdam = chrono_tz::Europe::Amsterdam;
        assert_eq!(at("2026-10-25T02:30", amsterdam).as_deref(), Some("2026-10-25T00:30:00+00:00"));
        assert_eq!(at("2026-03-29T02:30", amsterdam).as_deref(), Some("2026-03-29T01:30:00+00:00"));
        assert_eq!(at("tomorrow", amsterdam), None);
    }

    #[test]
    fn how_a_file_is_read_is_kept() {
        let reading = Reading {
            zone: "Europe/Amsterdam".to_owned(),
            day_first: true,
            earliest: NaiveDate::from_ymd_opt(2026, 1, 1),
        };
        let again = Reading::parse(&reading.text().unwrap()).unwrap();
        assert_eq!(again, reading);
        assert_eq!(again.rows().timezone, chrono_tz::Europe::Amsterdam);
        assert!(again.rows().date_order == DateOrder::Dmy);
    }
}
