//! The settings that imports use; unset ones come from the configuration.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use chrono_tz::Tz;
use kit::config;
use kit::input::time::local_instant;
use kit::{Error, Result};
use proto::upload::v1 as wire;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::file::columns::{Columns, Decision};
use crate::file::number::DecimalSign;
use crate::file::row::{DateOrder, RowContext};
use crate::file::{Field, Mapping, refused};

::store::obeyed! {
    TIME_ZONE = "organization-time-zone";
    DATE_ORDER = "import-date-order";
    EARLIEST = "import-earliest-date";
    PAUSED_UNTIL = "import-paused-until";
    PARTIAL_DOCUMENTS = "import-partial-documents";
    UNKNOWN_DRIVERS = "import-unknown-drivers";
}

/// Version of the rules that split a file into batches and number its lines. Increase it when a release
/// changes these rules.
const CUT: u32 = 3;

/// How a file is read. Stored with its import: a resumed import must read the file as before, because
/// otherwise its batches would differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    zone: String,
    day_first: bool,
    earliest: Option<NaiveDate>,
    #[serde(default)]
    cut: u32,
    /// How each column is read, as decided from the values of the file.
    #[serde(default)]
    columns: Option<Columns>,
    /// The decisions in `columns`, as the details of the import show them.
    #[serde(default)]
    shown: Vec<Shown>,
    /// The index of each field's column, by the name of the field. Readings of earlier releases have none.
    #[serde(default)]
    places: BTreeMap<String, usize>,
    /// Whether the rest of a document is imported when one of its lines is refused.
    #[serde(default)]
    pub partial_documents: bool,
    #[serde(default)]
    pub refuse_unknown_drivers: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Shown {
    heading: String,
    reading: i32,
}

impl Reading {
    /// Returns how files are read by the current settings.
    pub fn now(context: &Context) -> Self {
        let set = &context.settings;
        let day_first = match set.get(DATE_ORDER).as_deref() {
            Some("dmy") => true,
            Some("mdy") => false,
            _ => context.imports.date_order == config::DateOrder::Dmy,
        };
        Self {
            zone: zone(context).name().to_owned(),
            day_first,
            earliest: set.parsed(EARLIEST),
            cut: CUT,
            columns: None,
            shown: Vec::new(),
            places: BTreeMap::new(),
            partial_documents: set.parsed(PARTIAL_DOCUMENTS).unwrap_or_default(),
            refuse_unknown_drivers: set.get(UNKNOWN_DRIVERS).as_deref() == Some("refuse"),
        }
    }

    /// Returns whether this release splits and numbers the file like the release that began the import.
    pub fn is_current(&self) -> bool {
        self.cut == CUT
    }

    /// Returns the order of day and month for dates that do not reveal it.
    pub fn order(&self) -> DateOrder {
        if self.day_first { DateOrder::Dmy } else { DateOrder::Mdy }
    }

    /// Returns how each column is read: as decided from the file's values or, before that, as the settings
    /// say.
    pub fn columns(&self) -> Columns {
        self.columns.unwrap_or_else(|| Columns::undecided(self.order()))
    }

    /// Adds the decisions about the columns, with the headings that the file has for them.
    pub fn decided(self, columns: Columns, mapping: &Mapping) -> Self {
        let shown = columns.decided().filter_map(|(field, decision)| {
            let heading = mapping.header_of(field)?.to_owned();
            Some(Shown { heading, reading: reading_of(decision).into() })
        });
        let place = |field: Field| Some((field.name().to_owned(), mapping.column(field)?));
        let places = Field::all().filter_map(place).collect();
        Self { columns: Some(columns), shown: shown.collect(), places, ..self }
    }

    /// Returns the index of the field's column, from 0.
    pub fn place(&self, field: Field) -> Option<usize> {
        self.places.get(field.name()).copied()
    }

    /// Writes what somebody typed in a column as the rows of the import show dates and numbers. A text that can't be
    /// read as one stays as it is.
    pub fn plainly(&self, place: usize, text: String) -> String {
        let field = Field::all().find(|field| self.place(*field) == Some(place));
        let plain = field.and_then(|field| refused::plainly(&text, field, &self.columns()));
        plain.unwrap_or(text)
    }

    /// Returns this way to read a file, with the rules of the current settings for what is imported.
    ///
    /// # Errors
    ///
    /// `TIME_ZONE_CHANGED` if the time zone has changed since the file was read, because its dates would be other instants
    /// now. `advice` says what to do.
    pub fn with_rules_of(self, now: Self, advice: &str) -> Result<Self> {
        let Self { zone, earliest, partial_documents, refuse_unknown_drivers, .. } = now;
        if self.zone != zone {
            return Err(Error::precondition(
                "TIME_ZONE_CHANGED",
                format!("The time zone is {zone} now; the file was read in {}. {advice}", self.zone),
            ));
        }
        Ok(Self { earliest, partial_documents, refuse_unknown_drivers, ..self })
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
            columns: self.columns(),
            earliest: self.earliest,
        }
    }
}

/// Returns a decision about a column in the contract's terms.
pub fn reading_of(decision: Decision) -> wire::UploadColumnReading {
    use wire::UploadColumnReading as R;
    match decision {
        Decision::Dates(DateOrder::Dmy) => R::DayFirst,
        Decision::Dates(DateOrder::Mdy) => R::MonthFirst,
        Decision::Numbers(DecimalSign::Point) => R::DecimalPoint,
        Decision::Numbers(DecimalSign::Comma) => R::DecimalComma,
    }
}

/// Returns how the columns of an import are read, and the index of the Delivery Doc's column, from its stored reading.
pub fn columns_of(reading: &str) -> (Vec<wire::UploadColumn>, Option<u32>) {
    let Ok(reading) = Reading::parse(reading) else { return (Vec::new(), None) };
    let document = reading.place(Field::DeliveryId).and_then(|place| u32::try_from(place).ok());
    let shown = reading.shown.into_iter();
    (shown.map(|Shown { heading, reading }| wire::UploadColumn { heading, reading }).collect(), document)
}

fn zone(context: &Context) -> Tz {
    context.settings.parsed(TIME_ZONE).unwrap_or(context.zone)
}

/// Refuses to begin an import while imports are paused.
pub fn require_open(context: &Context) -> Result<()> {
    let Some(text) = context.settings.get(PAUSED_UNTIL) else { return Ok(()) };
    let Some(until) = instant(&text, zone(context)) else { return Ok(()) };
    if context.clock.now() >= until {
        return Ok(());
    }
    let shown = until.with_timezone(&zone(context)).format("%b %-d, %Y %-I:%M %p (%Z)");
    let text =
        format!("Imports are paused until {shown}. Try again then, or ask a planner to end the pause.");
    Err(Error::precondition("IMPORTS_PAUSED", text))
}

/// Returns when a pause ends. The browser reads its end the same way.
fn instant(text: &str, zone: Tz) -> Option<DateTime<Utc>> {
    let shown = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").ok()?;
    Some(local_instant(zone, shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_when_the_clocks_of_the_organization_show_it() {
        let at = |text: &str, zone: Tz| instant(text, zone).map(|it| it.to_rfc3339());
        let manila = at("2026-11-22T06:00", chrono_tz::Asia::Manila);
        assert_eq!(manila.as_deref(), Some("2026-11-21T22:00:00+00:00"));
        // In Amsterdam, 2:30 occurs twice on the first of these days and never on the second.
        let amsterdam = chrono_tz::Europe::Amsterdam;
        assert_eq!(at("2026-10-25T02:30", amsterdam).as_deref(), Some("2026-10-25T00:30:00+00:00"));
        assert_eq!(at("2026-03-29T02:30", amsterdam).as_deref(), Some("2026-03-29T01:30:00+00:00"));
        // Clocks on Lord Howe move by half an hour.
        let lord_howe = at("2026-10-04T02:15", chrono_tz::Australia::Lord_Howe);
        assert_eq!(lord_howe.as_deref(), Some("2026-10-03T15:45:00+00:00"));
        assert_eq!(at("tomorrow", amsterdam), None);
    }

    #[test]
    fn how_a_file_is_read_is_kept() {
        let kept = r#"{"zone":"Europe/Amsterdam","day_first":true,"earliest":"2026-01-01"}"#;
        let before = Reading::parse(kept).unwrap();
        assert!(!before.is_current(), "a release before this one cut files otherwise");
        assert_eq!(before.rows().timezone, chrono_tz::Europe::Amsterdam);
        assert_eq!(before.rows().columns, Columns::undecided(DateOrder::Dmy));
        assert_eq!(before.rows().earliest, NaiveDate::from_ymd_opt(2026, 1, 1));

        let header = ["Delivery Doc", "Shipment", "Customer", "Delivery Date"].map(str::to_owned);
        let mapping = Mapping::new(&header, 1).unwrap();
        let mut evidence = crate::file::columns::Evidence::default();
        let cells = ["1", "2", "3", "11/23/2026"].map(|text| crate::file::Cell::Text(text.to_owned()));
        evidence.add(&crate::file::RawRow { line: 2, cells: cells.to_vec() }, &mapping);
        let (columns, _) = evidence.decide(&mapping, before.order(), Default::default()).unwrap();
        let decided = Reading { cut: CUT, ..before.clone() }.decided(columns, &mapping);
        let text = decided.text().unwrap();
        let again = Reading::parse(&text).unwrap();
        assert!(again == decided && again.is_current());
        assert_eq!((again.place(Field::ScheduleDate), before.place(Field::ScheduleDate)), (Some(3), None));
        assert_eq!(again.rows().columns, columns);
        let (shown, document) = columns_of(&text);
        assert_eq!(document, Some(0));
        let [shown] = <[_; 1]>::try_from(shown).unwrap();
        assert_eq!(
            (shown.heading.as_str(), shown.reading()),
            ("Delivery Date", wire::UploadColumnReading::MonthFirst)
        );
    }
}
