//! Decides from all values of a column how each value is read.
//!
//! Day or month first, decimal point or comma: one decision per column, before any value is imported.
//! Interpreting each cell by itself would mix both readings in one column, and every second date would be
//! wrong without anybody noticing.

use serde::{Deserialize, Serialize};

use super::fit::Fit;
use super::number::{self, DecimalSign};
use super::place::row_text;
use super::time::{self, DateOrder};
use super::{Cell, Field, FileError, Mapping, RawRow, Warning, header, warning};

const DATES: [Field; 5] =
    [Field::Schedule, Field::ScheduleDate, Field::ScheduleTime, Field::TimeWindowStart, Field::TimeWindowEnd];
const NUMBERS: [Field; 2] = [Field::Quantity, Field::WeightKg];
/// Number of values of a column that are kept as examples of what both readings fit.
const OPEN: usize = 3;

/// Returns whether a field holds dates or times of day.
pub(super) fn is_date(field: Field) -> bool {
    DATES.contains(&field)
}

/// Returns whether a field holds numbers with decimals.
pub(super) fn is_number(field: Field) -> bool {
    NUMBERS.contains(&field)
}

/// How the columns of a file are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns {
    dates: [DateOrder; DATES.len()],
    /// The decimal sign of each column of numbers; `None` if no value shows it.
    decimals: [Option<DecimalSign>; NUMBERS.len()],
    /// For each column, whether it has values that depend on the date order or decimal sign. Only then is the
    /// decision about the column shown.
    told: [bool; DATES.len() + NUMBERS.len()],
}

impl Columns {
    /// Returns how columns are read whose values show neither a date order nor a decimal sign.
    pub fn undecided(order: DateOrder) -> Self {
        Self { dates: [order; DATES.len()], decimals: [None; NUMBERS.len()], told: [false; 7] }
    }

    /// Returns these columns with a decimal sign for all columns of numbers.
    pub(super) fn with_sign(self, sign: Option<DecimalSign>) -> Self {
        Self { decimals: [sign; NUMBERS.len()], ..self }
    }

    /// Returns whether every value is read the same as under `other`.
    pub fn reads_like(&self, other: &Self) -> bool {
        self.dates == other.dates && self.decimals == other.decimals
    }

    pub(super) fn date(&self, field: Field) -> DateOrder {
        let at = DATES.iter().position(|it| *it == field).unwrap_or_default();
        self.dates.get(at).copied().unwrap_or(DateOrder::Mdy)
    }

    pub(super) fn decimal(&self, field: Field) -> Option<DecimalSign> {
        let at = NUMBERS.iter().position(|it| *it == field)?;
        self.decimals.get(at).copied().flatten()
    }

    /// Returns the columns with values that depend on a decision about the whole column.
    pub fn decided(&self) -> impl Iterator<Item = (Field, Decision)> {
        let dates =
            DATES.into_iter().zip(self.dates).map(|(field, order)| (field, Some(Decision::Dates(order))));
        let numbers =
            NUMBERS.into_iter().zip(self.decimals).map(|(field, sign)| (field, sign.map(Decision::Numbers)));
        dates
            .chain(numbers)
            .zip(self.told)
            .filter(|(_, told)| *told)
            .filter_map(|((field, decision), _)| Some((field, decision?)))
    }
}

/// How a person decided to read the dates and numbers of a file; `None` leaves it to the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Chosen {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_order: Option<DateOrder>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal_sign: Option<DecimalSign>,
}

/// The decision about one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Dates(DateOrder),
    Numbers(DecimalSign),
}

/// A value and the line it is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Example {
    pub(super) line: u32,
    pub(super) text: String,
}

impl Example {
    pub(super) fn quoted(&self) -> String {
        format!("“{}” on line {}", self.text, row_text(self.line))
    }

    /// Returns the warning about an assumed encoding, with this example.
    pub(super) fn assumed(&self) -> Warning {
        warning::encoding_assumed(&self.quoted(), self.line)
    }
}

/// The evidence in a column: for each reading, the first value that only this reading fits (`shown`), and the
/// first values that both readings fit (`open`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen<T> {
    pub(super) shown: Vec<(T, Example)>,
    pub(super) open: Vec<Example>,
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self { shown: Vec::new(), open: Vec::new() }
    }
}

impl<T: Copy + PartialEq> Seen<T> {
    pub(super) fn add(&mut self, fit: Fit<T>, line: u32, text: &str) {
        let example = || Example { line, text: header::shorten(text.trim(), 40) };
        match fit {
            Fit::Any => {}
            Fit::Only(way) if self.shown.iter().any(|(known, _)| *known == way) => {}
            Fit::Only(way) => self.shown.push((way, example())),
            Fit::Open if self.open.len() >= OPEN => {}
            Fit::Open => self.open.push(example()),
        }
    }

    /// Returns the only reading that the values allow, or `None` if they allow both; fails with an example of
    /// each if they contradict.
    fn way(&self) -> Result<Option<T>, (&Example, &Example)> {
        match self.shown.as_slice() {
            [(_, one), (_, other), ..] => Err((one, other)),
            [(way, _)] => Ok(Some(*way)),
            [] => Ok(None),
        }
    }

    /// Returns the first value that contradicts a reading.
    fn against(&self, way: T) -> Option<&Example> {
        self.shown.iter().find(|(shown, _)| *shown != way).map(|(_, example)| example)
    }

    pub(super) fn depends(&self) -> bool {
        !self.open.is_empty() || !self.shown.is_empty()
    }

    /// Returns the evidence below a line.
    pub(super) fn below(&self, line: u32) -> Self {
        let below = |example: &&Example| example.line > line;
        Self {
            shown: self.shown.iter().filter(|(_, example)| example.line > line).cloned().collect(),
            open: self.open.iter().filter(below).cloned().collect(),
        }
    }
}

/// What a column's date cells reveal: the first date whose day and month could be swapped (`exchangeable`),
/// and whether any date has a day after the 12th, so that it cannot be swapped (`certain`).
#[derive(Debug, Clone, Default)]
struct Typed {
    exchangeable: Option<Example>,
    certain: bool,
}

/// Collects evidence from the values of a file, row by row.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    dates: [Seen<DateOrder>; DATES.len()],
    typed: [Typed; DATES.len()],
    numbers: [Seen<DecimalSign>; NUMBERS.len()],
    /// Whether a comma in the column could group thousands.
    commas: [bool; NUMBERS.len()],
}

impl Evidence {
    /// Takes the evidence from what was seen in each column of a file, by the column's index.
    pub(super) fn of_columns<'a>(
        mapping: &Mapping,
        seen: impl Fn(usize) -> Option<&'a (Seen<DateOrder>, Seen<DecimalSign>)>,
    ) -> Self {
        let mut evidence = Self::default();
        let of = |field| seen(mapping.column(field)?);
        for (field, place) in DATES.into_iter().zip(&mut evidence.dates) {
            *place = of(field).map(|(dates, _)| dates.clone()).unwrap_or_default();
        }
        for (field, place) in NUMBERS.into_iter().zip(&mut evidence.numbers) {
            *place = of(field).map(|(_, numbers)| numbers.clone()).unwrap_or_default();
        }
        evidence
    }

    pub fn add(&mut self, row: &RawRow, mapping: &Mapping) {
        let cell = |field| row.cells.get(mapping.column(field)?);
        for ((field, seen), typed) in DATES.into_iter().zip(&mut self.dates).zip(&mut self.typed) {
            match cell(field) {
                Some(Cell::Text(text)) => seen.add(time::fit(text), row.line, text),
                Some(Cell::DateTime(at)) if chrono::Datelike::day(at) > 12 => typed.certain = true,
                Some(Cell::DateTime(at)) if typed.exchangeable.is_none() => {
                    typed.exchangeable = Some(Example { line: row.line, text: at.date().to_string() });
                }
                _ => {}
            }
        }
        for ((field, seen), commas) in NUMBERS.into_iter().zip(&mut self.numbers).zip(&mut self.commas) {
            if let Some(Cell::Text(text)) = cell(field) {
                let fit = number::fit(text);
                *commas |= fit == Fit::Open && text.contains(',');
                seen.add(fit, row.line, text);
            }
        }
    }

    /// Returns whether any value of the file is read differently under `decided` than under `assumed`.
    pub fn differ(&self, assumed: &Columns, decided: &Columns) -> bool {
        let numbers = assumed.decimals.iter().zip(&decided.decimals).zip(&self.commas);
        assumed.dates != decided.dates
            || numbers.into_iter().any(|((assumed, decided), commas)| {
                assumed != decided && (*commas || *decided == Some(DecimalSign::Comma))
            })
    }

    /// Returns how each column is read, and warnings. A date column whose values do not show the order is read
    /// as `chosen`, or else follows another column of the file, or else `setting`.
    ///
    /// Fails with FILE_DATES_CONTRADICT or FILE_NUMBERS_CONTRADICT when a column shows both readings, or another
    /// one than the chosen.
    pub fn decide(
        &self,
        mapping: &Mapping,
        setting: DateOrder,
        chosen: Chosen,
    ) -> Result<(Columns, Vec<Warning>), FileError> {
        let mut columns = Columns::undecided(setting);
        let mut warnings = Vec::new();
        let mut shown = Vec::new();
        for (field, seen) in DATES.into_iter().zip(&self.dates) {
            let way = seen.way().map_err(|both| dates_contradict(mapping, field, both))?;
            if let Some(order) = chosen.date_order
                && let Some(against) = seen.against(order)
            {
                return Err(against_date_order(mapping, field, order, against));
            }
            shown.extend(way.filter(|way| !shown.contains(way)));
        }
        let elsewhere = match shown.as_slice() {
            [one] => Some(*one),
            _ => None,
        };
        let mut told = Vec::new();
        let seen_dates = DATES.into_iter().zip(&self.dates).zip(&self.typed).zip(&mut columns.dates);
        for (((field, seen), typed), order) in seen_dates {
            let own = seen.way().ok().flatten();
            *order = own.or(chosen.date_order).or(elsewhere).unwrap_or(setting);
            told.push(seen.depends());
            if let (None, None, Some(open)) = (own, chosen.date_order, seen.open.first()) {
                warnings.push(dates_ambiguous(mapping, field, open, *order, elsewhere.is_some()));
            }
            if let (Some((_, text)), Some(date), false) =
                (seen.shown.first(), &typed.exchangeable, typed.certain)
            {
                warnings.push(partly_text(mapping, field, text, date));
            }
        }
        for ((field, seen), sign) in NUMBERS.into_iter().zip(&self.numbers).zip(&mut columns.decimals) {
            let own = seen.way().map_err(|both| numbers_contradict(mapping, field, both))?;
            if let Some(chosen) = chosen.decimal_sign
                && let Some(against) = seen.against(chosen)
            {
                return Err(against_decimal_sign(mapping, field, chosen, against));
            }
            *sign = own.or(chosen.decimal_sign);
            told.push(seen.depends());
            // Only a point needs a warning: a row with an ambiguous comma is refused.
            if let (None, Some(open)) = (*sign, seen.open.first())
                && open.text.contains('.')
            {
                warnings.push(numbers_ambiguous(mapping, field, open));
            }
        }
        for (place, told) in columns.told.iter_mut().zip(told) {
            *place = told;
        }
        Ok((columns, warnings))
    }
}

fn heading(mapping: &Mapping, field: Field) -> String {
    mapping.header_of(field).unwrap_or(field.label()).to_owned()
}

fn dates_contradict(mapping: &Mapping, field: Field, (one, other): (&Example, &Example)) -> FileError {
    FileError::new(
        "FILE_DATES_CONTRADICT",
        format!(
            "The dates in the column “{}” are written in two ways: {} and {} can't both be day/month or both \
             be month/day. Write all dates in the column the same way, preferably as 2026-11-23, and upload \
             the file again.",
            heading(mapping, field),
            one.quoted(),
            other.quoted(),
        ),
    )
}

fn numbers_contradict(mapping: &Mapping, field: Field, (one, other): (&Example, &Example)) -> FileError {
    FileError::new(
        "FILE_NUMBERS_CONTRADICT",
        format!(
            "The numbers in the column “{}” are written in two ways: {} and {} don't have the same decimal \
             sign. Write all numbers in the column the same way, preferably as 1234.5, and upload the file \
             again.",
            heading(mapping, field),
            one.quoted(),
            other.quoted(),
        ),
    )
}

fn against_date_order(mapping: &Mapping, field: Field, order: DateOrder, example: &Example) -> FileError {
    let (chosen, other) = match order {
        DateOrder::Mdy => ("month first", "day first"),
        DateOrder::Dmy => ("day first", "month first"),
    };
    FileError::new(
        "FILE_DATES_CONTRADICT",
        format!(
            "You chose to read dates {chosen}, but {} in the column “{}” is a date only when read {other}. Choose {other}, or correct the dates and upload the file again.",
            example.quoted(),
            heading(mapping, field),
        ),
    )
}

fn against_decimal_sign(mapping: &Mapping, field: Field, sign: DecimalSign, example: &Example) -> FileError {
    let (chosen, other) = match sign {
        DecimalSign::Point => ("point", "comma"),
        DecimalSign::Comma => ("comma", "point"),
    };
    FileError::new(
        "FILE_NUMBERS_CONTRADICT",
        format!(
            "You chose a decimal {chosen}, but {} in the column “{}” is a number only with a decimal {other}. Choose the {other}, or correct the numbers and upload the file again.",
            example.quoted(),
            heading(mapping, field),
        ),
    )
}

fn dates_ambiguous(
    mapping: &Mapping,
    field: Field,
    open: &Example,
    order: DateOrder,
    as_elsewhere: bool,
) -> Warning {
    let (first, meant) = match order {
        DateOrder::Mdy => ("month", "month first"),
        DateOrder::Dmy => ("day", "day first"),
    };
    let read = time::parse(&open.text, order).ok().and_then(|parts| parts.date);
    let read = read.map_or_else(|| meant.to_owned(), |date| date.format("%B %-d, %Y").to_string());
    let why = if as_elsewhere {
        "as in the file's other columns".to_owned()
    } else {
        "as the setting “Date order in files” says".to_owned()
    };
    Warning::new(
        "DATES_AMBIGUOUS",
        format!(
            "The dates in this column don't show whether the day or the month comes first. They were read {first} first, {why}: {} is {read}. If that's wrong, import the file again and choose the date order yourself.",
            open.quoted(),
        ),
    )
    .of(heading(mapping, field))
    .at(open.line)
}

fn partly_text(mapping: &Mapping, field: Field, text: &Example, date: &Example) -> Warning {
    Warning::new(
        "DATES_PARTLY_TEXT",
        format!(
            "Some values in this column are spreadsheet dates ({}) and others are text ({}). A spreadsheet \
             set to the other date order swaps day and month in some dates and leaves the rest as text. \
             Check them.",
            date.quoted(),
            text.quoted(),
        ),
    )
    .of(heading(mapping, field))
    .at(date.line)
}

fn numbers_ambiguous(mapping: &Mapping, field: Field, open: &Example) -> Warning {
    Warning::new(
        "NUMBERS_AMBIGUOUS",
        format!(
            "The numbers in this column don't show whether the point is a decimal point or a thousands \
             separator. It was read as a decimal point: {}. If that's wrong, import the file again and choose the \
             decimal sign yourself.",
            open.quoted(),
        ),
    )
    .of(heading(mapping, field))
    .at(open.line)
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
