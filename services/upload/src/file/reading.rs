//! Shows a person what the values of a file become.
//!
//! Here: examples of dates and numbers as the import would read them and as it would not, and the first row.
//! They come from the stored preview, so a value further down can still decide otherwise.

use super::columns::{Columns, Decision, Evidence, is_date, is_number};
use super::header::shorten;
use super::layout::{Layout, Sheet};
use super::number::{self, DecimalSign};
use super::refused::shown;
use super::row::{RowContext, check};
use super::time::{self, DateOrder};
use super::transform::Transform;
use super::{Cell, Field, FileError};

/// Examples per column.
const EXAMPLES: usize = 3;
/// Characters shown of a value.
const CHARS: usize = 60;

/// How the columns with dates and numbers are read.
#[derive(Debug)]
pub struct Readings {
    pub columns: Columns,
    pub examples: Vec<ColumnExamples>,
    /// Why the file cannot be read like this.
    pub problem: Option<FileError>,
}

/// How a column of dates or numbers is read.
#[derive(Debug, PartialEq, Eq)]
pub struct ColumnExamples {
    /// Index of the column, from 0.
    pub column: usize,
    pub heading: String,
    pub decision: Decision,
    /// Whether any value of the column depends on the decision.
    pub depends: bool,
    pub examples: Vec<Example>,
}

/// A value of the file, and what it becomes.
#[derive(Debug, PartialEq, Eq)]
pub struct Example {
    pub value: String,
    /// As the import would read it; `None` when it would refuse it.
    pub chosen: Option<String>,
    /// In the other date order, or with the other decimal sign.
    pub other: Option<String>,
}

/// The first row below the header.
#[derive(Debug, PartialEq, Eq)]
pub struct FirstRow {
    pub line: u32,
    pub values: Vec<Value>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Value {
    pub field: Field,
    pub text: String,
    /// Why the value is refused.
    pub problem: Option<String>,
}

impl Sheet {
    /// Returns how dates and numbers are read under a decision, which may be unfinished. `setting` is the date
    /// order for dates that do not show theirs.
    pub fn readings(&self, layout: &Layout, setting: DateOrder) -> Readings {
        let chosen = layout.chosen;
        let assumed = Columns::undecided(chosen.date_order.unwrap_or(setting)).with_sign(chosen.decimal_sign);
        let mapping = match self.transform(layout) {
            Ok(transform) => transform.mapping,
            Err(problem) => {
                return Readings { columns: assumed, examples: Vec::new(), problem: Some(problem) };
            }
        };
        let seen = self
            .seen
            .iter()
            .map(|(dates, numbers)| (dates.below(layout.header_line), numbers.below(layout.header_line)));
        let seen: Vec<_> = seen.collect();
        let evidence = Evidence::of_columns(&mapping, |column| seen.get(column));
        let (columns, problem) = match evidence.decide(&mapping, setting, chosen) {
            Ok((columns, _)) => (columns, None),
            Err(error) => (assumed, Some(error)),
        };
        let fields = Field::all().filter(|field| is_date(*field) || is_number(*field));
        let examples = fields.filter_map(|field| {
            let column = mapping.column(field)?;
            let (dates, numbers) = seen.get(column).cloned().unwrap_or_default();
            let (decision, depends, kept) = if is_date(field) {
                let shown = dates.shown.iter().map(|(_, example)| example);
                let kept = shown.chain(&dates.open).map(|it| it.text.clone());
                (Decision::Dates(columns.date(field)), dates.depends(), kept.collect::<Vec<_>>())
            } else {
                let shown = numbers.shown.iter().map(|(_, example)| example);
                let kept = shown.chain(&numbers.open).map(|it| it.text.clone());
                let sign = columns.decimal(field).unwrap_or(DecimalSign::Point);
                (Decision::Numbers(sign), numbers.depends(), kept.collect())
            };
            let kept = kept.into_iter().map(Cell::text);
            let mut examples: Vec<Example> = Vec::new();
            for cell in kept.chain(self.first_values(column, layout.header_line)) {
                let value = shorten(&shown(&cell), CHARS);
                if examples.len() < EXAMPLES && examples.iter().all(|it| it.value != value) {
                    examples.push(example(&cell, value, field, &columns));
                }
            }
            let heading = mapping.header_of(field).unwrap_or_default().to_owned();
            Some(ColumnExamples { column, heading, decision, depends, examples })
        });
        Readings { columns, examples: examples.collect(), problem }
    }

    /// Returns the first row as it would be read; `None` when the sheet has no row below the header.
    pub fn first_row(&self, layout: &Layout, context: &RowContext) -> Option<FirstRow> {
        let transform = self.transform(layout).ok()?;
        let mapping = &transform.mapping;
        let mut row = self.rows.iter().find(|row| row.line > layout.header_line)?.raw();
        transform.apply(&mut row);
        let problems = check(&row, mapping, context).err().unwrap_or_default();
        let value = |field: Field| {
            let cell = row.cells.get(mapping.column(field)?);
            let problem = problems.iter().find(|it| it.column_index == mapping.position(field));
            let read = |cell: &Cell| spelled(cell, field, &context.columns).unwrap_or_else(|| shown(cell));
            let read = cell.map(read).unwrap_or_default();
            let problem = problem.map(|it| it.text.clone());
            Some(Value { field, text: shorten(&read, CHARS), problem })
        };
        Some(FirstRow { line: row.line, values: Field::all().filter_map(value).collect() })
    }

    fn transform(&self, layout: &Layout) -> Result<Transform, FileError> {
        Transform::unfinished(self.headings(layout.header_line).unwrap_or_default(), layout)
    }

    fn first_values(&self, column: usize, line: u32) -> impl Iterator<Item = Cell> {
        let below = self.rows.iter().filter(move |row| row.line > line);
        below.filter_map(move |row| row.cell(column)).filter(|cell| !cell.is_blank())
    }
}

fn example(cell: &Cell, value: String, field: Field, columns: &Columns) -> Example {
    let order = match columns.date(field) {
        DateOrder::Mdy => DateOrder::Dmy,
        DateOrder::Dmy => DateOrder::Mdy,
    };
    let sign = match columns.decimal(field) {
        Some(DecimalSign::Comma) => DecimalSign::Point,
        Some(DecimalSign::Point) | None => DecimalSign::Comma,
    };
    let other = Columns::undecided(order).with_sign(Some(sign));
    Example { chosen: spelled(cell, field, columns), other: spelled(cell, field, &other), value }
}

/// Returns a date or number as it is read; `None` for other fields, and for a value that is neither.
fn spelled(cell: &Cell, field: Field, columns: &Columns) -> Option<String> {
    let text = shown(cell);
    if is_date(field) {
        time::spelled(&text, columns.date(field))
    } else if is_number(field) {
        // Only texts are read with the sign of their column.
        let is_number = matches!(cell, Cell::Number(_));
        let sign = if is_number { Some(DecimalSign::Point) } else { columns.decimal(field) };
        number::spelled(&text, sign)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::Chosen;
    use super::super::layout::Defaults;
    use super::*;

    const HEADER: [&str; 5] = ["Delivery Doc", "Shipment no.", "Customer Name", "Delivery Date", "Qty"];
    const FIELDS: [&str; 5] = ["delivery_id", "shipmentnumber", "customername", "scheduledate", "quantity"];

    fn sheet(values: &[(&str, &str)]) -> Sheet {
        let rows: Vec<Vec<&str>> =
            values.iter().map(|(date, qty)| vec!["D-1", "S", "C", *date, *qty]).collect();
        let rows: Vec<&[&str]> = std::iter::once(&HEADER[..]).chain(rows.iter().map(Vec::as_slice)).collect();
        Sheet::of(&rows)
    }

    fn layout(chosen: Chosen) -> Layout {
        let columns = FIELDS.map(|name| Some(name.to_owned())).to_vec();
        Layout { header_line: 1, columns, sheet: None, chosen, defaults: Defaults::new(), items: None }
    }

    fn of(text: &Option<String>) -> &str {
        text.as_deref().unwrap_or_default()
    }

    fn shown(readings: &Readings, at: usize) -> Vec<(&str, &str, &str)> {
        let examples = readings.examples[at].examples.iter();
        examples.map(|it| (it.value.as_str(), of(&it.chosen), of(&it.other))).collect()
    }

    #[test]
    fn examples_show_both_ways_of_reading() {
        let file = sheet(&[("03/04/2026", "1,234"), ("2026-11-23", "12"), ("03/04/2026 08:30", "1.234,5")]);
        let readings = file.readings(&layout(Chosen::default()), DateOrder::Mdy);
        assert!(readings.problem.is_none());
        assert_eq!(readings.examples[0].decision, Decision::Dates(DateOrder::Mdy));
        assert!(readings.examples[0].depends);
        let dates = [
            ("03/04/2026", "March 4, 2026", "April 3, 2026"),
            ("03/04/2026 08:30", "March 4, 2026 8:30 AM", "April 3, 2026 8:30 AM"),
            ("2026-11-23", "November 23, 2026", "November 23, 2026"),
        ];
        assert_eq!(shown(&readings, 0), dates);
        assert_eq!(readings.examples[1].decision, Decision::Numbers(DecimalSign::Comma));
        let numbers = [("1.234,5", "1,234.5", ""), ("1,234", "1.234", "1,234"), ("12", "12", "12")];
        assert_eq!(shown(&readings, 1), numbers);

        let other = Chosen { date_order: Some(DateOrder::Dmy), decimal_sign: Some(DecimalSign::Point) };
        let readings = file.readings(&layout(other), DateOrder::Mdy);
        let problem = readings.problem.unwrap();
        assert_eq!(problem.code, "FILE_NUMBERS_CONTRADICT");
        assert!(problem.text.contains("“1.234,5” on line 4"), "{problem}");
    }

    #[test]
    fn the_first_row_is_shown_as_it_is_read() {
        let file = sheet(&[("03/04/2026", "1,234")]);
        let mut layout = layout(Chosen { date_order: Some(DateOrder::Dmy), decimal_sign: None });
        layout.columns[1] = None;
        let columns = file.readings(&layout, DateOrder::Mdy).columns;
        let context = RowContext { timezone: chrono_tz::UTC, columns, earliest: None };
        let row = file.first_row(&layout, &context).unwrap();
        let values: Vec<_> = row.values.iter().map(|it| (it.field, it.text.as_str())).collect();
        let wanted = [
            (Field::DeliveryId, "D-1"),
            (Field::CustomerName, "C"),
            (Field::ScheduleDate, "April 3, 2026"),
            (Field::Quantity, "1,234"),
        ];
        assert_eq!((row.line, values.as_slice()), (2, &wanted[..]));
        let problem = row.values[3].problem.as_deref().unwrap();
        assert!(problem.contains("1,234"), "{problem}");
        assert_eq!(sheet(&[]).first_row(&layout, &context), None);
    }
}
