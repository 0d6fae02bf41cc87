//! Cells of tables for spreadsheets, and how they are written as CSV and XLSX.
//!
//! CSV is UTF-8 with a byte order mark, CRLF line ends and quotes as in RFC 4180. A text that begins like a
//! formula gets an apostrophe before it, and so does a formula behind a separator or line break within a text,
//! where a spreadsheet may begin another cell. In XLSX, texts are text cells, which no spreadsheet evaluates.

use std::borrow::Cow;

use csv::{Terminator, Writer, WriterBuilder};
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};

use crate::text::{is_formula, with_apostrophes, with_second_apostrophes};
use crate::{Error, Result};

/// Without this byte order mark, spreadsheets assume the system's legacy encoding.
pub const MARK: &[u8] = "\u{feff}".as_bytes();
/// Maximum number of characters in a cell of a workbook.
const MAX_CHARS: usize = 32_767;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell<'a> {
    Empty,
    Text(Cow<'a, str>),
    /// A number in thousandths.
    Number(i64),
    Count(u32),
    /// A number as text, without an exponent.
    Decimal(Cow<'a, str>),
}

/// Returns a CSV writer that appends to these bytes.
pub fn csv_writer(bytes: Vec<u8>) -> Writer<Vec<u8>> {
    WriterBuilder::new().terminator(Terminator::CRLF).from_writer(bytes)
}

/// Writes a row as CSV.
pub fn write_csv(writer: &mut Writer<Vec<u8>>, row: &[Cell<'_>]) -> Result<()> {
    for cell in row {
        let text: Cow<'_, str> = match cell {
            Cell::Empty => "".into(),
            Cell::Text(text) => with_apostrophes(text),
            Cell::Decimal(text) => text.as_ref().into(),
            Cell::Number(thousandths) => decimal(*thousandths).into(),
            Cell::Count(count) => count.to_string().into(),
        };
        writer.write_field(text.as_bytes()).map_err(Error::internal)?;
    }
    writer.write_record(None::<&[u8]>).map_err(Error::internal)
}

/// Writes a row into a sheet. `quoted` is the format of texts that begin like a formula, so that they stay texts
/// when somebody edits them.
pub fn write_xlsx(sheet: &mut Worksheet, number: u32, row: &[Cell<'_>], quoted: &Format) -> Result<()> {
    for (column, cell) in (0..).zip(row) {
        let written = match cell {
            Cell::Empty => continue,
            Cell::Text(text) => {
                // Spreadsheets never evaluate a text cell, so the text stays unchanged, with one exception:
                // if a formula follows an apostrophe, an import removes the apostrophe, so add another one.
                let text = with_second_apostrophes(text);
                let text = cut(&text);
                match is_formula(text) {
                    true => sheet.write_string_with_format(number, column, text, quoted),
                    false => sheet.write_string(number, column, text),
                }
            }
            // Exact: a number in a sheet has fifteen digits, and quantities have no more.
            Cell::Number(thousandths) => sheet.write_number(number, column, *thousandths as f64 / 1000.0),
            Cell::Count(count) => sheet.write_number(number, column, *count),
            Cell::Decimal(text) => match text.parse::<f64>() {
                Ok(value) => sheet.write_number(number, column, value),
                Err(_) => sheet.write_string(number, column, text.as_ref()),
            },
        };
        written.map_err(failed)?;
    }
    Ok(())
}

/// Writes a small table as CSV.
pub fn csv_file(header: &[String], rows: &[Vec<Cell<'_>>]) -> Result<Vec<u8>> {
    let mut writer = csv_writer(MARK.to_vec());
    write_csv(&mut writer, &texts(header))?;
    rows.iter().try_for_each(|row| write_csv(&mut writer, row))?;
    writer.into_inner().map_err(|error| Error::internal(error.to_string()))
}

/// Writes a small table as a workbook of one sheet, named Report. Holds all of it in memory.
pub fn xlsx_file(header: &[String], rows: &[Vec<Cell<'_>>]) -> Result<Vec<u8>> {
    let mut workbook = Workbook::new();
    let (bold, quoted) = (Format::new().set_bold(), Format::new().set_quote_prefix());
    let sheet = workbook.add_worksheet();
    sheet.set_name("Report").map_err(failed)?;
    sheet.set_freeze_panes(1, 0).map_err(failed)?;
    for (column, title) in (0..).zip(header) {
        sheet.write_string_with_format(0, column, cut(title), &bold).map_err(failed)?;
    }
    for (number, row) in (1..).zip(rows) {
        write_xlsx(sheet, number, row, &quoted)?;
    }
    workbook.save_to_buffer().map_err(failed)
}

fn texts(header: &[String]) -> Vec<Cell<'_>> {
    header.iter().map(|title| Cell::Text(title.as_str().into())).collect()
}

/// Truncates a text to what a cell can hold. No text of the product is that long.
fn cut(text: &str) -> &str {
    text.char_indices().nth(MAX_CHARS).map_or(text, |(end, _)| &text[..end])
}

/// Formats thousandths as a decimal, exactly and without trailing zeros.
pub fn decimal(thousandths: i64) -> String {
    let (whole, part) = (thousandths / 1000, (thousandths % 1000).unsigned_abs());
    let sign = if thousandths < 0 && whole == 0 { "-" } else { "" };
    match part {
        0 => whole.to_string(),
        part => format!("{sign}{whole}.{}", format!("{part:03}").trim_end_matches('0')),
    }
}

fn failed(error: XlsxError) -> Error {
    Error::internal(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_exactly() {
        for (thousandths, text) in [
            (0, "0"),
            (1, "0.001"),
            (10, "0.01"),
            (2_500, "2.5"),
            (1_000, "1"),
            (999_999_999_999, "999999999.999"),
            (-1, "-0.001"),
            (-1_500, "-1.5"),
            (i64::MIN, "-9223372036854775.808"),
        ] {
            assert_eq!(decimal(thousandths), text);
        }
    }

    #[test]
    fn a_table_is_a_file_without_formulas() {
        let header = ["Driver".to_owned(), "=Count".to_owned()];
        let rows = [
            vec![Cell::Text("+A, \"b\"".into()), Cell::Decimal("-1.5".into())],
            vec![Cell::Empty, Cell::Count(2)],
        ];
        let file = String::from_utf8(csv_file(&header, &rows).unwrap()).unwrap();
        assert_eq!(file, "\u{feff}Driver,'=Count\r\n\"'+A, \"\"b\"\"\",-1.5\r\n,2\r\n");
        assert!(xlsx_file(&header, &rows).unwrap().starts_with(b"PK"));
    }

    #[test]
    fn a_text_that_a_spreadsheet_splits_into_cells_has_no_formulas() {
        let rows = [vec![
            Cell::Text("Gate 4;=cmd|'/C calc'!A0;x".into()),
            Cell::Text("a\t@b\n\"+1\nc".into()),
            Cell::Decimal("-1.5".into()),
        ]];
        let file =
            String::from_utf8(csv_file(&["a;=b", "b", "c"].map(str::to_owned), &rows).unwrap()).unwrap();
        let body = file.trim_start_matches('\u{feff}');
        assert_eq!(body, "a;'=b,b,c\r\nGate 4;'=cmd|'/C calc'!A0;x,\"a\t'@b\n'\"\"+1\nc\",-1.5\r\n");
    }
}
