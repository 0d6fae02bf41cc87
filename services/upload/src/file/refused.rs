//! What is kept of a refused row, so that it can be found, corrected and imported again.

use super::columns::{Columns, Decision, is_date, is_number};
use super::place::row_text;
use super::quoting::unquoted;
use super::row::{Message, Shape, filled, has_item};
use super::values::without_invisible;
use super::{Cell, Field, Mapping, RawRow, number, time};

/// Maximum characters of all cells of a row. A longer row is not kept, because a truncated text would be
/// imported as if it were complete.
pub const MAX_CHARS: usize = 16_000;

/// The code of a row that is refused only because another row of its document is. Deliveries uses it, too.
pub const DOCUMENT_REFUSED: &str = "DOCUMENT_REFUSED";

/// Explains why a good row is refused: another row of its document, the one on `line`, was refused.
pub fn with_document(line: u32) -> Message {
    let text = format!(
        "Row {} of this document was refused, so this row was not imported either. Correct that row and import the whole document again.",
        row_text(line)
    );
    Message { column: None, column_index: None, code: DOCUMENT_REFUSED, text }
}

/// Returns the Delivery Doc, if it is readable.
pub fn delivery_of(row: &RawRow, mapping: &Mapping) -> Option<String> {
    let text = text_of(row, mapping, Field::DeliveryId)?;
    let text: String = text.chars().filter(|c| !c.is_control()).take(64).collect();
    (!text.is_empty()).then_some(text)
}

/// Returns the item number, possibly empty, if the row has item data.
pub fn item_of(row: &RawRow, mapping: &Mapping) -> Option<String> {
    has_item(row, mapping).then(|| text_of(row, mapping, Field::ItemNumber).unwrap_or_default())
}

fn text_of(row: &RawRow, mapping: &Mapping, field: Field) -> Option<String> {
    match filled(row, mapping, field)? {
        Cell::Text(text) => Some(unquoted(without_invisible(field, text).trim()).into_owned()),
        Cell::Number(number) => Some(number::shown(*number)),
        _ => None,
    }
}

/// Returns the row's cells as texts, one for each heading; `None` when they are too long to keep.
///
/// A date or number whose reading depended on its column is written in an unambiguous form. In a file with
/// only the refused rows, the column's values may show another date order or decimal sign, or none. A code that a
/// spreadsheet damaged is written so that it is refused there as well.
pub fn cells(row: &RawRow, mapping: &Mapping, columns: &Columns) -> Option<Vec<String>> {
    let times = mapping.column(Field::ScheduleTime);
    let codes = Field::all().filter(|field| Shape::of(*field) == Shape::Code);
    let codes: Vec<usize> = codes.filter_map(|field| mapping.column(field)).collect();
    let kept = |(place, cell): (usize, &Cell)| {
        let is_code = codes.contains(&place);
        let day = match cell {
            Cell::Number(number) if is_code => return number::code(*number),
            // A date cell is written without its midnight, which a day may not have. A column of times needs it, and so
            // does a code, because one without a time may have been typed like that.
            Cell::DateTime(at) if !is_code && Some(place) != times => time::Parts::of(*at).whole_day(),
            _ => None,
        };
        day.map_or_else(|| shown(cell), |day| day.to_string())
    };
    let mut cells: Vec<String> = row.cells.iter().enumerate().map(kept).collect();
    cells.resize(mapping.width().max(cells.len()), String::new());
    for (field, decision) in columns.decided() {
        let Some(at) = mapping.column(field) else { continue };
        if let (Some(Cell::Text(text)), Some(cell)) = (row.cells.get(at), cells.get_mut(at)) {
            let plain = match decision {
                Decision::Dates(order) => time::plainly(text, order),
                Decision::Numbers(sign) => number::plainly(&unquoted(text.trim()), sign),
            };
            *cell = plain.unwrap_or_else(|| std::mem::take(cell));
        }
    }
    let length: usize = cells.iter().map(|cell| cell.chars().count()).sum();
    (length <= MAX_CHARS).then_some(cells)
}

/// Writes a date or number that somebody typed over one of [`cells`] in the same unambiguous form; `None` for any other
/// text, which stays as it is. The download of refused rows has both kinds of cells, and there a typed one must not decide
/// how the others are read.
pub fn plainly(text: &str, field: Field, columns: &Columns) -> Option<String> {
    if is_date(field) {
        return time::plainly(text, columns.date(field));
    }
    if !is_number(field) || number::plain(text).is_some() {
        return None;
    }
    let plain = number::unambiguous(&unquoted(text.trim()), columns.decimal(field))?;
    // With more digits, `typed` would read it with the sign of the column.
    (!plain.contains('.') || number::plain(&plain).is_some()).then_some(plain)
}

/// Returns the cell for what somebody typed over one of [`cells`]. Those show numbers with a decimal point, so a number
/// typed the same way has one, too, even if the column's own numbers have a decimal comma.
pub fn typed(text: String, place: usize, mapping: &Mapping) -> Cell {
    let is_number = Field::all().any(|field| is_number(field) && mapping.column(field) == Some(place));
    match number::plain(&text).filter(|_| is_number) {
        Some(number) => Cell::Number(number),
        None => Cell::Text(text),
    }
}

/// Formats a cell so that it is read as the same value when a text file contains it.
pub(super) fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Number(number) => number::shown(*number),
        Cell::DateTime(at) if time::Parts::of(*at).date.is_none() => at.format("%H:%M:%S").to_string(),
        Cell::DateTime(at) => at.format("%Y-%m-%d %H:%M:%S").to_string(),
        Cell::Bool(true) => "TRUE".to_owned(),
        Cell::Bool(false) => "FALSE".to_owned(),
        Cell::Empty => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::{Chosen, Evidence};
    use super::super::number::DecimalSign;
    use super::super::row::{DateOrder, RowContext, check};
    use super::*;

    const HEADER: [&str; 8] = [
        "Delivery Doc",
        "Shipment no.",
        "Customer Name",
        "Delivery Date",
        "Delivery Time",
        "Quantity",
        "Item Number",
        "Plate",
    ];

    fn decided(rows: &[RawRow], mapping: &Mapping, setting: DateOrder) -> RowContext {
        let mut evidence = Evidence::default();
        rows.iter().for_each(|row| evidence.add(row, mapping));
        let (columns, _) = evidence.decide(mapping, setting, Chosen::default()).unwrap();
        // Clocks skip midnight on April 24, 2026.
        RowContext { timezone: chrono_tz::Africa::Cairo, columns, earliest: None }
    }

    /// Refused rows are downloaded as a file of their own. Each must be read there as in the original file.
    #[test]
    fn kept_cells_read_the_same_without_their_column() {
        let text = |value: &str| Cell::text(value.to_owned());
        let at = |text: &str| chrono::NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap();
        let mapping = Mapping::new(&HEADER.map(str::to_owned), 1).unwrap();
        let row = |line, cells: [Cell; 7]| RawRow { line, cells: cells.to_vec() };
        let rows = [
            row(2, ["A", "S", "C", "23/11/2026", "8:30", "1.204,50", "1"].map(text)),
            row(3, ["A", "S", "'+C", "03/12/2026", "8:30 PM", "452,125", "2"].map(text)),
            row(4, ["A", "S", "C", "24/04/2026 08:30:00.25", "", "1", "3"].map(text)),
            row(5, ["A", "S", "C", "46136", "", "1", "4"].map(text)),
            row(
                6,
                [
                    Cell::Number(80_001_234.0),
                    text("S"),
                    text("C"),
                    Cell::DateTime(at("2026-12-03 00:00")),
                    Cell::DateTime(at("1899-12-31 20:30")),
                    Cell::Number(2.5),
                    text("3"),
                ],
            ),
            row(
                7,
                [
                    text("A"),
                    text("S"),
                    text("C"),
                    Cell::DateTime(at("2026-04-24 00:00")),
                    Cell::Empty,
                    Cell::Number(1.0),
                    text("5"),
                ],
            ),
        ];
        let context = decided(&rows, &mapping, DateOrder::Mdy);
        for original in &rows {
            let kept = cells(original, &mapping, &context.columns).unwrap();
            assert_eq!(kept.len(), HEADER.len(), "as wide as the header");
            let again = RawRow { line: original.line, cells: kept.into_iter().map(Cell::text).collect() };
            let alone = decided(std::slice::from_ref(&again), &mapping, DateOrder::Mdy);
            let read = check(original, &mapping, &context);
            assert!(read.is_ok(), "{read:?}");
            assert_eq!(check(&again, &mapping, &alone), read);
        }
        let kept = cells(&rows[1], &mapping, &context.columns).unwrap();
        assert_eq!(kept, ["A", "S", "'+C", "2026-12-03", "8:30 PM", "452.125", "2", ""]);
        assert_eq!(cells(&rows[2], &mapping, &context.columns).unwrap()[3], "2026-04-24 08:30:00.250");
        assert_eq!(delivery_of(&rows[4], &mapping).as_deref(), Some("80001234"));
        assert_eq!(item_of(&rows[4], &mapping).as_deref(), Some("3"));
    }

    /// Such a file says less than a workbook: a number is a text there, a date is one, and a further cell has a column.
    #[test]
    fn what_a_spreadsheet_damaged_is_refused_again() {
        let at = chrono::NaiveDate::from_ymd_opt(2026, 3, 14).unwrap().and_hms_opt(0, 0, 0).unwrap();
        let time = chrono::NaiveDate::from_ymd_opt(1899, 12, 31).unwrap().and_hms_opt(8, 30, 0).unwrap();
        let header =
            ["Delivery Doc", "Shipment no.", "Customer Name", "Dispatch", "SKU", "Quantity", "Barcode"];
        let own = ["Refused row", "Refused because"];
        let columns = Columns::undecided(DateOrder::Mdy);
        let context = RowContext { timezone: chrono_tz::UTC, columns, earliest: None };
        let codes = |row: &RawRow, mapping: &Mapping| -> Vec<&'static str> {
            check(row, mapping, &context).err().into_iter().flatten().map(|it| it.code).collect()
        };
        let text = |text: &str| Cell::Text(text.to_owned());
        let number = Cell::Number(123_456_789_012_345_680.0);
        for (sku, barcode, beyond, code) in [
            (number.clone(), Cell::Empty, None, Some("LOOKS_ROUNDED")),
            (text("A"), Cell::Number(-4e20), None, Some("LOOKS_ROUNDED")),
            (Cell::DateTime(at), Cell::Empty, None, Some("LOOKS_LIKE_DATE")),
            (Cell::DateTime(time), Cell::Empty, None, Some("LOOKS_LIKE_DATE")),
            (text("A"), Cell::Empty, Some(text("moved")), Some("TOO_MANY_CELLS")),
            // These are codes.
            (text("2026-03-14"), text("1:10"), None, None),
            (Cell::Number(123_456_789_012.0), text("46085"), None, None),
        ] {
            let mut cells: Vec<Cell> = ["D-1", "S-1", "Acme", "2026-03-14 08:30"].map(text).to_vec();
            cells.extend([sku, Cell::Number(2.0), barcode]);
            cells.extend(beyond);
            let mapping = Mapping::new(&header.map(str::to_owned), 1).unwrap();
            let row = RawRow { line: 2, cells };
            assert_eq!(codes(&row, &mapping), Vec::from_iter(code), "{row:?}");

            let mut kept = super::cells(&row, &mapping, &columns).unwrap();
            let mut headings = header.map(str::to_owned).to_vec();
            headings.resize(kept.len(), String::new());
            headings.extend(own.map(str::to_owned));
            kept.extend(["2", "Why."].map(str::to_owned));
            let again = RawRow { line: 2, cells: kept.into_iter().map(Cell::text).collect() };
            let download = Mapping::new(&headings, 1).unwrap();
            assert_eq!(codes(&again, &download), Vec::from_iter(code), "{again:?}");
        }
    }

    #[test]
    fn typed_dates_and_numbers_are_written_as_the_kept_ones() {
        let dmy = Columns::undecided(DateOrder::Dmy);
        let signs = [Some(DecimalSign::Comma), Some(DecimalSign::Point), None];
        let [comma, point, open] = signs.map(|sign| dmy.with_sign(sign));
        for (field, columns, typed, plain) in [
            (Field::ScheduleDate, dmy, "03/12/2026", Some("2026-12-03")),
            (Field::Schedule, dmy, "3 Dec 2026 8:30 AM", Some("2026-12-03 08:30:00")),
            (Field::ScheduleDate, dmy, "12/24/2026", None),
            (Field::ScheduleTime, dmy, "8:30 AM", None),
            (Field::Quantity, comma, "12,5", Some("12.5")),
            (Field::Quantity, comma, "1.204,50", Some("1204.50")),
            // As the grid shows numbers.
            (Field::Quantity, comma, "453.125", None),
            (Field::Quantity, point, "1,234", Some("1234")),
            (Field::Quantity, open, "12,5", Some("12.5")),
            (Field::Quantity, open, "1,234", None),
            (Field::WeightKg, comma, "0,1234567890123456", None),
            (Field::Quantity, comma, "many", None),
            (Field::Sku, comma, "12,5", None),
        ] {
            assert_eq!(plainly(typed, field, &columns).as_deref(), plain, "{typed}");
        }
    }

    /// Rows that are imported lose these characters, and so do those of a sheet with the items.
    #[test]
    fn a_document_is_the_same_with_and_without_invisible_characters() {
        let mapping = Mapping::new(&HEADER.map(str::to_owned), 1).unwrap();
        let row = RawRow { line: 2, cells: vec![Cell::Text("D-1 \u{200e}".to_owned())] };
        assert_eq!(delivery_of(&row, &mapping).as_deref(), Some("D-1"));
        assert_eq!(super::super::items::key("\u{feff}D-1 \u{200e}"), "d-1");
    }

    #[test]
    fn a_row_that_is_too_long_is_not_kept_in_part() {
        let mapping = Mapping::new(&HEADER.map(str::to_owned), 1).unwrap();
        let columns = Columns::undecided(DateOrder::Mdy);
        let row = |length| RawRow { line: 2, cells: vec![Cell::Text("x".repeat(length))] };
        assert!(cells(&row(16_000), &mapping, &columns).is_some());
        assert_eq!(cells(&row(16_001), &mapping, &columns), None);
    }
}
