//! Locates the header and assigns columns to fields, for files about which a person has to decide.
//!
//! Here: the first rows of a file, stored for that person; the proposal for each column; and the decision.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::fields::{self, Field};
use super::header::{known_columns, shorten, texts};
use super::{Cell, FileError, Limits, Mapping, RawRow, Source, empty};

/// Number of rows that are stored, title rows included.
const ROWS: usize = 16;
/// How many of these rows, from the first, can be the header.
const HEADER_ROWS: usize = 10;
/// Example values per column.
const EXAMPLES: usize = 3;
/// Characters kept of one cell.
const CHARS: usize = 60;
/// Minimum similarity of a heading to a field's name at which the field is proposed.
const ALIKE: f64 = 0.8;

/// A person's decision about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    pub header_line: u32,
    /// The field name for each column; `None` leaves it out.
    pub columns: Vec<Option<String>>,
}

impl Layout {
    pub(super) fn fields(&self) -> Vec<Option<Field>> {
        self.columns.iter().map(|name| name.as_deref().and_then(Field::named)).collect()
    }
}

/// The first rows of a file, as texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    pub rows: Vec<PreviewRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviewRow {
    pub line: u32,
    pub cells: Vec<String>,
}

/// A column as shown to the person who decides about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub heading: String,
    pub examples: Vec<String>,
    pub proposed: Option<Field>,
}

/// Reads the first rows of a file.
pub fn preview(path: &Path, filename: &str, limits: &Limits) -> Result<Preview, FileError> {
    let (mut source, _) = Source::open(path, filename, limits)?;
    let mut rows = Vec::with_capacity(ROWS);
    while rows.len() < ROWS {
        match source.next()? {
            Some(row) => rows.push(row),
            None => break,
        }
    }
    if rows.is_empty() {
        return Err(empty());
    }
    Ok(Preview { rows: rows.iter().map(preview_row).collect() })
}

fn preview_row(row: &RawRow) -> PreviewRow {
    let cells = texts(row).into_iter().map(|text| shorten(&text, CHARS));
    PreviewRow { line: row.line, cells: cells.collect() }
}

impl Preview {
    /// Returns the likeliest header line: the line that names the most fields. Of several, it is the one with
    /// the most cells, or else the first.
    pub fn header_line(&self) -> u32 {
        let score = |row: &PreviewRow| {
            let cells: Vec<Cell> = row.cells.iter().cloned().map(Cell::text).collect();
            let filled = row.cells.iter().filter(|cell| !cell.is_empty()).count();
            (known_columns(&RawRow { line: row.line, cells }), filled)
        };
        let rows = self.candidates().iter().enumerate();
        let best = rows.max_by_key(|(index, row)| (score(row), std::cmp::Reverse(*index)));
        best.map_or(1, |(_, row)| row.line)
    }

    /// Returns the rows that may be the header.
    pub fn candidates(&self) -> &[PreviewRow] {
        &self.rows[..self.rows.len().min(HEADER_ROWS)]
    }

    /// Returns the headings of a line; `None` when the line is not among the candidates.
    pub fn headings(&self, line: u32) -> Option<&[String]> {
        self.candidates().iter().find(|row| row.line == line).map(|row| row.cells.as_slice())
    }

    /// Returns the columns below a line, each with the field that its heading names or resembles. No field
    /// is proposed twice.
    pub fn columns(&self, line: u32) -> Vec<Column> {
        let headings = self.headings(line).unwrap_or_default();
        let mut proposed: Vec<Option<Field>> = vec![None; headings.len()];
        let named =
            |index: usize| fields::find(&headings[index]).map(|(field, own)| (field, f64::from(own) + 1.0));
        let alike =
            |index: usize| Field::all().map(move |field| (field, fields::likeness(&headings[index], field)));
        let all = (0..headings.len()).filter(|index| !headings[*index].is_empty());
        let mut offers: Vec<(f64, usize, Field)> = all
            .flat_map(|index| {
                let known = named(index).into_iter();
                let others = alike(index).filter(|(_, likeness)| *likeness >= ALIKE);
                known.chain(others).map(move |(field, score)| (score, index, field)).collect::<Vec<_>>()
            })
            .collect();
        offers.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        for (_, index, field) in offers {
            if proposed[index].is_none() && !proposed.contains(&Some(field)) {
                proposed[index] = Some(field);
            }
        }
        let below = self.rows.iter().filter(|row| row.line > line);
        let examples = |index: usize| {
            let cells = below.clone().filter_map(move |row| row.cells.get(index));
            cells.filter(|cell| !cell.is_empty()).take(EXAMPLES).cloned().collect()
        };
        let columns = headings.iter().zip(proposed).enumerate();
        columns
            .map(|(index, (heading, proposed))| Column {
                heading: heading.clone(),
                examples: examples(index),
                proposed,
            })
            .collect()
    }

    /// Returns the key that identifies files with the same header.
    pub fn fingerprint(&self, line: u32) -> String {
        fields::fingerprint(self.headings(line).unwrap_or_default())
    }

    /// Checks a person's decision. Fails with the error with which the import would fail.
    pub fn check(&self, layout: &Layout) -> Result<(), FileError> {
        let headings = self.headings(layout.header_line).unwrap_or_default();
        Mapping::chosen(headings, &layout.fields(), layout.header_line).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preview(rows: &[&[&str]]) -> Preview {
        let row = |(index, cells): (usize, &&[&str])| PreviewRow {
            line: index as u32 + 1,
            cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
        };
        Preview { rows: rows.iter().enumerate().map(row).collect() }
    }

    #[test]
    fn proposes_names_and_what_is_most_like_them() {
        let file = preview(&[
            &["Orders of Monday"],
            &["Delvery Doc", "Shipmnt no", "Custmer Name", "Customer", "When", "Colour"],
            &["DR-1", "S-1", "Acme", "", "2026-11-22 08:30", "red"],
            &["DR-2", "S-1", "Nena", "x", "2026-11-23 08:30", ""],
        ]);
        assert_eq!(file.header_line(), 2);
        let columns = file.columns(2);
        let proposed: Vec<_> = columns.iter().map(|it| it.proposed).collect();
        // A synonym wins over a misspelled name, and no field is proposed twice.
        let wanted = [
            Some(Field::DeliveryId),
            Some(Field::ShipmentNumber),
            None,
            Some(Field::CustomerName),
            None,
            None,
        ];
        assert_eq!(proposed, wanted);
        assert_eq!((columns[0].examples.len(), columns[5].examples.as_slice()), (2, &["red".to_owned()][..]));
        assert_eq!(file.columns(9), []);
        assert_eq!(
            file.fingerprint(2),
            preview(&[&["delvery doc", "Shipmnt No.", "CUSTMER NAME", "customer", "when", "colour"]])
                .fingerprint(1)
        );
    }

    #[test]
    fn what_was_decided_has_to_be_whole() {
        let file = preview(&[&["A", "B", "C", "D"], &["1", "2", "3", "4"]]);
        let decide = |columns: [&str; 4]| {
            let columns = columns.map(|name| Some(name.to_owned()).filter(|name| !name.is_empty()));
            let code = |error: FileError| error.code;
            file.check(&Layout { header_line: 1, columns: columns.to_vec() }).map_err(code)
        };
        let whole = ["delivery_id", "shipmentnumber", "customername", "scheduledatetime"];
        assert_eq!(decide(whole), Ok(()));
        assert_eq!(
            decide(["delivery_id", "shipmentnumber", "customername", ""]),
            Err("HEADER_MISSING_COLUMNS")
        );
        assert_eq!(decide(["delivery_id", "delivery_id", "customername", ""]), Err("HEADER_REPEATED_COLUMN"));
        assert_eq!(decide(["delivery_id", "made up", "customername", ""]), Err("HEADER_MISSING_COLUMNS"));
    }
}
