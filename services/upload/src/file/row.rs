//! A raw row to a checked import row.
//!
//! Here: what each field must hold, with all problems of a row told at once so that a person
//! corrects it once. Deliberately absent: whether the delivery, customer, driver or trucker
//! exists, which only their service knows, and item numbers for lines without one (`ordinals`).

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use proto::deliveries::v1::{ImportItem, ImportRow};

use super::number::{self, Beyond};
use super::time::{self, Parts, TimeError};
use super::{Cell, Field, Mapping, RawRow, header};

pub use super::time::DateOrder;

/// How the values of a file are to be understood.
#[derive(Debug, Clone, Copy)]
pub struct RowContext {
    /// The organisation's zone, for times without an offset.
    pub timezone: chrono_tz::Tz,
    pub date_order: DateOrder,
    /// Deliveries that were due before that day are refused.
    pub earliest: Option<NaiveDate>,
}

/// One problem of a row.
///
/// Codes, stable: REQUIRED, TOO_LONG, CONTROL_CHARACTER, CHARACTER_UNREADABLE, CELL_ERROR,
/// LOOKS_ROUNDED, LOOKS_LIKE_DATE, EMAIL_NOT_VALID, TIME_NOT_UNDERSTOOD, TIME_OUT_OF_RANGE,
/// TIME_DOES_NOT_EXIST, DATE_TOO_EARLY, WINDOW_REVERSED, NUMBER_NOT_UNDERSTOOD, NUMBER_AMBIGUOUS,
/// NUMBER_NEGATIVE, NUMBER_TOO_LARGE, NUMBER_TOO_MANY_DECIMALS, PRIORITY_UNKNOWN, TOO_MANY_CELLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The header as in the file; nothing when the problem is of the whole row or of a column
    /// the file does not have.
    pub column: Option<String>,
    pub code: &'static str,
    /// For a person: what is wrong and how to write it instead.
    pub text: String,
}

const MAX_QUANTITY: i64 = 1_000_000_000;
const MAX_WEIGHT_KG: i64 = 1_000_000;

/// Checks a row; an error is never empty.
///
/// An empty cell leaves its field absent. An item is carried when the item number, SKU,
/// description, quantity or barcode is filled; its `item_number` stays empty when the file has
/// none. Needs no state: the same row always gives the same answer.
pub fn check(row: &RawRow, mapping: &Mapping, ctx: &RowContext) -> Result<ImportRow, Vec<Message>> {
    let mut check = Check { row, mapping, ctx, messages: Vec::new() };
    let checked = check.row();
    if check.messages.is_empty() { Ok(checked) } else { Err(check.messages) }
}

/// How a text may look.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    /// A number or code that must not have been touched by a spreadsheet.
    Code,
    Line,
    /// Line breaks are fine.
    Lines,
}

pub(super) struct Check<'a> {
    pub(super) row: &'a RawRow,
    pub(super) mapping: &'a Mapping,
    ctx: &'a RowContext,
    pub(super) messages: Vec<Message>,
}

impl<'a> Check<'a> {
    fn row(&mut self) -> ImportRow {
        use Shape::{Code, Line, Lines};
        self.width();
        let delivery_id = self.required(Field::DeliveryId, 64, Code);
        let shipmentnumber = self.required(Field::ShipmentNumber, 64, Code);
        let customername = self.required(Field::CustomerName, 200, Line);
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
            trucker: self.text(Field::Trucker, 100, Line),
            driver_id: self.text(Field::DriverId, 64, Code),
            referencedoc: self.text(Field::ReferenceDoc, 100, Code),
            customeraddress: self.text(Field::CustomerAddress, 500, Lines),
            customer_email: self.email(Field::CustomerEmail),
            contact_name: self.text(Field::ContactName, 200, Line),
            contact_phone: self.text(Field::ContactPhone, 40, Code),
            contact_email: self.email(Field::ContactEmail),
            instructions: self.text(Field::Instructions, 2000, Lines),
            internal_note: self.text(Field::InternalNote, 2000, Lines),
            priority: self.priority(),
            time_window_start: start.map(proto::timestamp),
            time_window_end: end.map(proto::timestamp),
            item: self.item(),
        }
    }

    fn item(&mut self) -> Option<ImportItem> {
        let makes_item = [Field::ItemNumber, Field::Sku, Field::Description, Field::Quantity, Field::Barcode];
        if makes_item.into_iter().all(|field| self.cell(field).is_none()) {
            return None;
        }
        if self.cell(Field::Quantity).is_none() {
            self.say_required(Field::Quantity);
        }
        Some(ImportItem {
            item_number: self.text(Field::ItemNumber, 64, Shape::Code).unwrap_or_default(),
            sku: self.text(Field::Sku, 100, Shape::Code),
            description: self.text(Field::Description, 2000, Shape::Lines),
            unit: self.text(Field::Unit, 20, Shape::Line),
            quantity_thousandths: self
                .number(Field::Quantity, MAX_QUANTITY, Beyond::Refuse)
                .unwrap_or_default(),
            // A weight is often computed; beyond the gram it means nothing.
            weight_grams: self.number(Field::WeightKg, MAX_WEIGHT_KG, Beyond::Round),
            barcode: self.text(Field::Barcode, 100, Shape::Code),
        })
    }

    /// The field's cell, when it is filled.
    pub(super) fn cell(&self, field: Field) -> Option<&'a Cell> {
        let cell = self.row.cells.get(self.mapping.column(field)?)?;
        (!cell.is_blank()).then_some(cell)
    }

    pub(super) fn say(&mut self, field: Field, code: &'static str, text: String) {
        self.messages.push(Message { column: self.mapping.header_of(field).map(str::to_owned), code, text });
    }

    pub(super) fn say_required(&mut self, field: Field) {
        self.say(field, "REQUIRED", format!("{} is missing. Fill it in.", field.label()));
    }

    fn schedule(&mut self) -> Option<DateTime<Utc>> {
        let field = match self.mapping.column(Field::Schedule) {
            Some(_) => Field::Schedule,
            None => Field::ScheduleDate,
        };
        if self.cell(field).is_none() {
            self.say_required(field);
            // The time is still read, for what may be wrong with it.
            let _ = self.parts(Field::ScheduleTime);
            return None;
        }
        let mut parts = self.parts(field);
        // A column of date and time that has both needs no other; a typed date is at midnight.
        let open = |p: &Parts| p.time.is_none_or(|t| t == NaiveTime::MIN);
        if field == Field::ScheduleDate || parts.as_ref().is_some_and(open) {
            let time = self.parts(Field::ScheduleTime);
            if let Some(time) = time {
                match (parts.as_mut(), time.time) {
                    (Some(parts), Some(time)) => parts.time = Some(time),
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

    /// An end of the time window; a bare time of day is on the day of dispatch.
    fn window(&mut self, field: Field, day: Option<NaiveDate>) -> Option<DateTime<Utc>> {
        let mut parts = self.parts(field)?;
        if parts.date.is_none() {
            // Without a day its own problem is told already.
            parts.date = Some(day?);
        }
        self.instant(field, parts)
    }

    fn parts(&mut self, field: Field) -> Option<Parts> {
        let parts = match self.cell(field)? {
            Cell::DateTime(at) => Ok(Parts::of(*at)),
            Cell::Number(serial) => Parts::of_serial(*serial).ok_or(TimeError::NotATime),
            Cell::Text(text) => {
                if self.is_error_value(field, text.trim()) {
                    return None;
                }
                time::parse(text, self.ctx.date_order)
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
                format!("{label} “{shown}” is not between the years 2000 and 2100. Correct the year."),
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
