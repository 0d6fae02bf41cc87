//! Validates a raw row into an import row.
//!
//! Here: the rules for each field, with all problems of a row reported at once, so that a person corrects
//! them in one go. Deliberately absent: whether the delivery, customer, driver or trucker exists, which
//! depends on stored data, and item numbers for lines without one (`ordinals`).

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use kit::input::limits;
use kit::input::time::{YEARS, first_instant_of};
use proto::deliveries::v1::{ImportItem, ImportRow};

use super::columns::Columns;
use super::number::{self, Beyond};
use super::quoting::unquoted;
use super::time::{self, Parts, TimeError};
use super::{Cell, Field, Mapping, RawRow, header};

pub use super::time::DateOrder;

/// How the values of a file are interpreted.
#[derive(Debug, Clone, Copy)]
pub struct RowContext {
    /// The organization's time zone, for times without an offset.
    pub timezone: chrono_tz::Tz,
    pub columns: Columns,
    /// Deliveries due before this day are refused; `None` accepts any day.
    pub earliest: Option<NaiveDate>,
}

/// One problem of a row.
///
/// Stable codes: REQUIRED, TOO_LONG, CONTROL_CHARACTER, CHARACTER_UNREADABLE, CELL_ERROR, LOOKS_ROUNDED,
/// LOOKS_LIKE_DATE, EMAIL_NOT_VALID, TIME_NOT_UNDERSTOOD, TIME_OUT_OF_RANGE, TIME_DOES_NOT_EXIST,
/// DATE_TOO_EARLY, WINDOW_REVERSED, NUMBER_NOT_UNDERSTOOD, NUMBER_AMBIGUOUS, NUMBER_NEGATIVE,
/// NUMBER_TOO_LARGE, NUMBER_TOO_MANY_DECIMALS, PRIORITY_UNKNOWN, TOO_MANY_CELLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The heading in the file; `None` when the problem concerns the whole row or a column that the file
    /// does not have.
    pub column: Option<String>,
    /// The position of that column, from 0.
    pub column_index: Option<u32>,
    pub code: &'static str,
    /// What is wrong and how to write it instead, for people.
    pub text: String,
}

const MAX_QUANTITY: i64 = limits::QUANTITY_THOUSANDTHS / 1_000;
const MAX_WEIGHT_KG: i64 = limits::WEIGHT_GRAMS / 1_000;

/// Validates a row. Fails with at least one message.
///
/// An empty cell leaves its field unset. The row has an item when item number, SKU, description, quantity or
/// barcode is filled; its `item_number` stays empty when the file has none. The same row always gives the
/// same result. Two fields are set later: `ordinals` sets whether the number came from the file, and the
/// caller, who sees the other rows of the document, sets whether the document is complete.
pub fn check(row: &RawRow, mapping: &Mapping, ctx: &RowContext) -> Result<ImportRow, Vec<Message>> {
    let mut check = Check { row, mapping, ctx, messages: Vec::new() };
    let checked = check.row();
    if check.messages.is_empty() { Ok(checked) } else { Err(check.messages) }
}

/// Returns whether a row has item data.
pub(super) fn has_item(row: &RawRow, mapping: &Mapping) -> bool {
    let makes_item = [Field::ItemNumber, Field::Sku, Field::Description, Field::Quantity, Field::Barcode];
    makes_item.into_iter().any(|field| filled(row, mapping, field).is_some())
}

/// Returns a field's cell, if it is filled.
pub(super) fn filled<'a>(row: &'a RawRow, mapping: &Mapping, field: Field) -> Option<&'a Cell> {
    let cell = row.cells.get(mapping.column(field)?)?;
    (!cell.is_blank()).then_some(cell)
}

/// Returns whether the dispatch is when its day begins only because the file's column for the time is blank
/// in this row.
pub fn lacks_time(row: &RawRow, mapping: &Mapping, checked: &ImportRow, ctx: &RowContext) -> bool {
    let zone = ctx.timezone;
    let begins_day = |at: DateTime<Utc>| first_instant_of(zone, at.with_timezone(&zone).date_naive()) == at;
    mapping.column(Field::ScheduleTime).is_some()
        && filled(row, mapping, Field::ScheduleTime).is_none()
        && checked.scheduledatetime.and_then(proto::instant).is_some_and(begins_day)
}

/// The format of a text.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    /// A number or code, which a spreadsheet may have altered.
    Code,
    Line,
    /// A text that may have line breaks.
    Lines,
}

impl Shape {
    pub(super) fn of(field: Field) -> Self {
        use Field::{
            Barcode, ContactPhone, CustomerAddress, DeliveryId, Description, DriverId, Instructions,
            InternalNote, ItemNumber, ReferenceDoc, ShipmentNumber, Sku,
        };
        match field {
            DeliveryId | ShipmentNumber | DriverId | ReferenceDoc | ContactPhone | ItemNumber | Sku
            | Barcode => Self::Code,
            CustomerAddress | Instructions | InternalNote | Description => Self::Lines,
            _ => Self::Line,
        }
    }
}

pub(super) struct Check<'a> {
    pub(super) row: &'a RawRow,
    pub(super) mapping: &'a Mapping,
    pub(super) ctx: &'a RowContext,
    pub(super) messages: Vec<Message>,
}

impl<'a> Check<'a> {
    fn row(&mut self) -> ImportRow {
        self.width();
        let delivery_id = self.required(Field::DeliveryId, limits::CODE);
        let shipmentnumber = self.required(Field::ShipmentNumber, limits::CODE);
        let customername = self.required(Field::CustomerName, limits::NAME);
        let schedule = self.schedule();
        let day = schedule.map(|at| at.with_timezone(&self.ctx.timezone).date_naive());
        let start = self.window(Field::TimeWindowStart, day);
        let end = self.window(Field::TimeWindowEnd, day);
        if let (Some(start), Some(end)) = (start, end)
            && end < start
        {
            self.say(
                Field::TimeWindowEnd,
                "WINDOW_REVERSED",
                "The time window ends before it starts. Write the earlier time first.".to_owned(),
            );
        }
        ImportRow {
            line: self.row.line,
            delivery_id,
            shipmentnumber,
            customername,
            scheduledatetime: schedule.map(proto::timestamp),
            trucker: self.text(Field::Trucker, limits::SHORT_NAME),
            driver_id: self.text(Field::DriverId, limits::CODE).filter(|id| !id.is_empty()),
            referencedoc: self.text(Field::ReferenceDoc, limits::SHORT_NAME),
            customeraddress: self.text(Field::CustomerAddress, limits::ADDRESS),
            customer_email: self.email(Field::CustomerEmail),
            contact_name: self.text(Field::ContactName, limits::NAME),
            contact_phone: self.text(Field::ContactPhone, limits::PHONE),
            contact_email: self.email(Field::ContactEmail),
            instructions: self.text(Field::Instructions, limits::NOTE),
            internal_note: self.text(Field::InternalNote, limits::NOTE),
            priority: self.priority(),
            time_window_start: start.map(proto::timestamp),
            time_window_end: end.map(proto::timestamp),
            item: self.item(),
            item_number_given: false,
            document_incomplete: false,
        }
    }

    fn item(&mut self) -> Option<ImportItem> {
        if !has_item(self.row, self.mapping) {
            return None;
        }
        if self.cell(Field::Quantity).is_none() {
            self.say_required(Field::Quantity);
        }
        Some(ImportItem {
            item_number: self.text(Field::ItemNumber, limits::CODE).unwrap_or_default(),
            sku: self.text(Field::Sku, limits::SHORT_NAME),
            description: self.text(Field::Description, limits::NOTE),
            unit: self.text(Field::Unit, limits::UNIT),
            quantity_thousandths: self
                .number(Field::Quantity, MAX_QUANTITY, Beyond::Refuse)
                .unwrap_or_default(),
            // Rounded, because a weight is often computed and fractions of a gram are meaningless.
            weight_grams: self.number(Field::WeightKg, MAX_WEIGHT_KG, Beyond::Round),
            barcode: self.text(Field::Barcode, limits::SHORT_NAME),
        })
    }

    /// Returns the field's cell, if it is filled.
    pub(super) fn cell(&self, field: Field) -> Option<&'a Cell> {
        filled(self.row, self.mapping, field)
    }

    pub(super) fn say(&mut self, field: Field, code: &'static str, text: String) {
        let column = self.mapping.header_of(field).map(str::to_owned);
        let column_index = self.mapping.position(field);
        self.messages.push(Message { column, column_index, code, text });
    }

    pub(super) fn say_required(&mut self, field: Field) {
        let label = field.label();
        let text = match self.mapping.column(field) {
            Some(_) => format!("{label} is missing. Fill it in."),
            None => format!(
                "{label} is missing, because the file has no column with that heading. Add it, or rename the column that holds it."
            ),
        };
        self.say(field, "REQUIRED", text);
    }

    fn schedule(&mut self) -> Option<DateTime<Utc>> {
        let is_combined = self.mapping.column(Field::Schedule).is_some();
        let has_only_date = self.cell(Field::Schedule).is_none() && self.cell(Field::ScheduleDate).is_some();
        let field = if is_combined && !has_only_date { Field::Schedule } else { Field::ScheduleDate };
        if self.cell(field).is_none() {
            self.say_required(field);
            // Parse the time nevertheless, to report its problems.
            let _ = self.parts(Field::ScheduleTime);
            return None;
        }
        let mut parts = self.parts(field);
        // If this cell has a time, the column for the time is not read. A date cell without a time has
        // midnight, which counts as no time.
        let open = |p: &Parts| p.time.is_none_or(|t| t == NaiveTime::MIN);
        if field == Field::ScheduleDate || parts.as_ref().is_some_and(open) {
            let time = self.parts(Field::ScheduleTime);
            if let Some(time) = time {
                match (parts.as_mut(), time.time) {
                    (Some(parts), Some(_)) => parts.set_time(time),
                    (None, _) => {}
                    (_, None) => {
                        self.say_time(Field::ScheduleTime, TimeError::NotATime);
                        return None;
                    }
                }
            } else if self.cell(Field::ScheduleTime).is_some() {
                return None;
            }
        }
        let at = self.instant(field, parts?)?;
        if let Some(earliest) = self.ctx.earliest
            && at.with_timezone(&self.ctx.timezone).date_naive() < earliest
        {
            let text = format!("{} is before {earliest}. Correct the date.", field.label());
            self.say(field, "DATE_TOO_EARLY", text);
        }
        Some(at)
    }

    /// Returns one end of the time window. A time of day without a date is on the day of dispatch.
    fn window(&mut self, field: Field, day: Option<NaiveDate>) -> Option<DateTime<Utc>> {
        let mut parts = self.parts(field)?;
        if parts.date.is_none() {
            // If the day is missing, that has been reported already.
            parts.date = Some(day?);
        }
        self.instant(field, parts)
    }

    fn parts(&mut self, field: Field) -> Option<Parts> {
        let parts = match self.cell(field)? {
            Cell::DateTime(at) => Ok(Parts::of(*at)),
            Cell::Number(number) => Parts::of_number(*number).ok_or(TimeError::NotATime),
            Cell::Text(text) => {
                if self.is_error_value(field, text.trim()) {
                    return None;
                }
                time::parse(&unquoted(text), self.ctx.columns.date(field))
            }
            Cell::Bool(_) | Cell::Empty => Err(TimeError::NotATime),
        };
        parts.map_err(|error| self.say_time(field, error)).ok()
    }

    fn instant(&mut self, field: Field, parts: Parts) -> Option<DateTime<Utc>> {
        parts.instant(self.ctx.timezone).map_err(|error| self.say_time(field, error)).ok()
    }

    fn say_time(&mut self, field: Field, error: TimeError) {
        let shown = match self.cell(field) {
            Some(Cell::Text(text)) => header::shorten(text.trim(), 60),
            Some(Cell::Number(number)) => number::shown(*number),
            Some(Cell::DateTime(at)) => at.to_string(),
            Some(Cell::Bool(value)) => value.to_string(),
            Some(Cell::Empty) | None => String::new(),
        };
        let (label, zone) = (field.label(), self.ctx.timezone);
        let (code, text) = match error {
            TimeError::NotATime if field == Field::ScheduleTime => (
                "TIME_NOT_UNDERSTOOD",
                format!("{label} “{shown}” is not a time. Write it as 08:30 or 8:30 AM."),
            ),
            TimeError::NotATime => (
                "TIME_NOT_UNDERSTOOD",
                format!("{label} “{shown}” is not a date and time. Write it as 2026-03-04 08:30."),
            ),
            TimeError::OutOfRange => (
                "TIME_OUT_OF_RANGE",
                format!(
                    "{label} “{shown}” is not between the years {} and {}. Correct the year.",
                    YEARS.start(),
                    YEARS.end()
                ),
            ),
            TimeError::NeverWas => (
                "TIME_DOES_NOT_EXIST",
                format!(
                    "{label} “{shown}” was skipped when the clocks in {zone} went forward. Correct the hour."
                ),
            ),
        };
        self.say(field, code, text);
    }
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
