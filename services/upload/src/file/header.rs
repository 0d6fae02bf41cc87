//! Finds the header row and maps its columns to fields.
//!
//! Here: finding the header below title rows, mapping its columns by their names or as a person chose, and
//! reporting missing ones. `layout` has the proposals for that person.

use std::ops::Range;

use super::fields::{self, Field, TABLE};
use super::{Cell, FileError, RawRow};

/// The columns of a file and their fields.
#[derive(Debug, Clone)]
pub struct Mapping {
    columns: [Option<usize>; TABLE.len()],
    header: Vec<String>,
    unknown: Vec<String>,
    /// In our own download of refused rows, the columns of the cells that a row had beyond its headings.
    beyond: Option<Range<usize>>,
}

impl Mapping {
    /// Maps the headings of a file; `line` is the line of the header.
    ///
    /// Fails with HEADER_REPEATED_COLUMN when two columns mean the same field, unless exactly one of them has
    /// the field's own name, and with HEADER_MISSING_COLUMNS when a required column is missing.
    pub fn new(header: &[String], line: u32) -> Result<Self, FileError> {
        let mut columns: [Option<usize>; TABLE.len()] = [None; TABLE.len()];
        let mut unknown = Vec::new();
        let found: Vec<_> = header.iter().map(|text| fields::find(text)).collect();
        for entry in TABLE {
            let with = |own: bool| {
                let found = found.iter().enumerate();
                found
                    .filter(move |(_, f)| matches!(f, Some((field, o)) if *field == entry.field && *o == own))
                    .map(|(index, _)| index)
                    .collect::<Vec<_>>()
            };
            let (own, others) = (with(true), with(false));
            let columns_of = match (own.as_slice(), others.as_slice()) {
                ([one], _) => Some(*one),
                ([], [one]) => Some(*one),
                ([], []) => None,
                (many, []) | ([], many) | (many, _) => {
                    return Err(repeated(entry.label, header, many, line));
                }
            };
            columns[entry.field as usize] = columns_of;
            if let (Some(_), false) = (columns_of, own.is_empty()) {
                unknown.extend(others.iter().filter_map(|&i| header.get(i).cloned()));
            }
        }
        let nameless = found.iter().zip(header).filter(|(f, _)| f.is_none());
        unknown.extend(nameless.map(|(_, text)| text.clone()).filter(|t| !t.is_empty()));
        Self { columns, header: header.to_vec(), unknown, beyond: fields::beyond(header) }.complete(line)
    }

    /// Maps the columns as a person chose: a field for each, or `None` to leave the column out.
    ///
    /// Fails like [`Mapping::new`] when two columns have the same field, unless its columns can be joined, or a
    /// required column is missing.
    pub fn chosen(header: &[String], chosen: &[Option<Field>], line: u32) -> Result<Self, FileError> {
        Self::assigned(header, chosen, line)?.complete(line)
    }

    /// Maps like [`Mapping::chosen`], but does not mind missing columns: for showing unfinished choices.
    pub(super) fn assigned(
        header: &[String],
        chosen: &[Option<Field>],
        line: u32,
    ) -> Result<Self, FileError> {
        let mut columns: [Option<usize>; TABLE.len()] = [None; TABLE.len()];
        for (index, field) in chosen.iter().enumerate().take(header.len()) {
            let Some(field) = *field else { continue };
            match columns.get_mut(field as usize) {
                // `transform` joins them in the first column.
                Some(Some(_)) if field.joined_by().is_some() => {}
                Some(Some(first)) => return Err(repeated(field.label(), header, &[*first, index], line)),
                Some(column) => *column = Some(index),
                None => {}
            }
        }
        let left_out = header
            .iter()
            .enumerate()
            .filter(|(index, text)| !text.is_empty() && chosen.get(*index).copied().flatten().is_none());
        let unknown = left_out.map(|(_, text)| text.clone()).collect();
        Ok(Self { columns, header: header.to_vec(), unknown, beyond: fields::beyond(header) })
    }

    /// Fails when a required column is missing.
    fn complete(self, line: u32) -> Result<Self, FileError> {
        let mapping = self;
        let mut missing: Vec<&str> = [Field::DeliveryId, Field::ShipmentNumber, Field::CustomerName]
            .into_iter()
            .filter(|field| mapping.column(*field).is_none())
            .map(Field::label)
            .collect();
        if mapping.column(Field::Schedule).or(mapping.column(Field::ScheduleDate)).is_none() {
            missing.push(Field::Schedule.label());
        }
        if missing.is_empty() {
            return Ok(mapping);
        }
        Err(missing_columns(&missing, &mapping.header, line))
    }

    /// Returns the index of the field's column, from 0.
    pub fn column(&self, field: Field) -> Option<usize> {
        self.columns.get(field as usize).copied().flatten()
    }

    /// Returns whether each field has the same column as in another mapping.
    pub fn assigns_like(&self, other: &Self) -> bool {
        self.columns == other.columns
    }

    /// Returns [`Self::column`] as a `u32`.
    pub fn position(&self, field: Field) -> Option<u32> {
        self.column(field).and_then(|index| u32::try_from(index).ok())
    }

    /// Returns the field's heading in the file.
    pub fn header_of(&self, field: Field) -> Option<&str> {
        self.header.get(self.column(field)?).map(String::as_str)
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.header.len()
    }

    /// Returns whether the file is our own download of refused rows.
    pub(super) fn is_download(&self) -> bool {
        self.beyond.is_some()
    }

    /// Returns the columns in which our own download has the cells that a row had beyond its headings.
    pub(super) fn beyond(&self) -> Range<usize> {
        self.beyond.clone().unwrap_or_default()
    }

    /// Returns headings that are not imported, because they are unknown or another column fits better. Leaves
    /// out headings that our own download of refused rows added.
    pub fn unused(&self) -> impl Iterator<Item = &str> {
        self.unknown.iter().map(String::as_str).filter(|heading| !fields::is_of_download(heading))
    }

    /// Returns all headings of the file, in column order.
    pub fn headings(&self) -> &[String] {
        &self.header
    }
}

/// Returns the index of the header among the first rows: the first row that names the Delivery Doc and at
/// least one more field.
pub(super) fn locate(rows: &[RawRow]) -> Result<usize, FileError> {
    let is_header = |row: &RawRow| {
        known_columns(row) >= 2
            && row.cells.iter().any(
                |cell| matches!(cell, Cell::Text(t) if matches!(fields::find(t), Some((Field::DeliveryId, _)))),
            )
    };
    if let Some(index) = rows.iter().position(is_header) {
        return Ok(index);
    }
    // No header was found: use the likeliest row, so that the message refers to what the person sees there.
    let likeliest =
        rows.iter().enumerate().max_by_key(|(index, row)| (known_columns(row), std::cmp::Reverse(*index)));
    let (header, line) = likeliest.map_or((Vec::new(), 1), |(_, row)| (texts(row), row.line));
    match Mapping::new(&header, line) {
        Err(error) => Err(error),
        // Cannot happen, since a row with only one known column lacks required ones; but the types require
        // this case.
        Ok(_) => Err(missing_columns(&[Field::DeliveryId.label()], &header, line)),
    }
}

/// Counts the different fields that a row names.
pub(super) fn known_columns(row: &RawRow) -> usize {
    let mut seen = [false; TABLE.len()];
    for cell in &row.cells {
        if let Cell::Text(text) = cell
            && let Some((field, _)) = fields::find(text)
            && let Some(seen) = seen.get_mut(field as usize)
        {
            *seen = true;
        }
    }
    seen.into_iter().filter(|s| *s).count()
}

/// Returns the headings as trimmed texts, without blank ones at the end.
pub(super) fn texts(row: &RawRow) -> Vec<String> {
    let mut header: Vec<String> = row
        .cells
        .iter()
        .map(|cell| match cell {
            Cell::Text(text) => shorten(text.trim(), 200),
            Cell::Number(number) => number.to_string(),
            Cell::DateTime(at) => at.to_string(),
            Cell::Bool(value) => value.to_string(),
            Cell::Empty => String::new(),
        })
        .collect();
    while header.last().is_some_and(String::is_empty) {
        header.pop();
    }
    header
}

/// Shortens a text for a message: one line of at most `max` characters.
pub(super) fn shorten(text: &str, max: usize) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut short: String = text.chars().take(max).map(plain).collect();
    if text.chars().nth(max).is_some() {
        short.push('…');
    }
    short
}

fn quoted<'a>(headers: impl Iterator<Item = &'a String>) -> String {
    headers
        .filter(|text| !text.is_empty())
        .take(20)
        .map(|text| format!("“{}”", shorten(text, 40)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn missing_columns(missing: &[&str], header: &[String], line: u32) -> FileError {
    let (word, names) = match missing {
        [one] => ("column", (*one).to_owned()),
        many => ("columns", many.join(", ")),
    };
    let found = match quoted(header.iter()) {
        none if none.is_empty() => "none".to_owned(),
        found => found,
    };
    FileError::new(
        "HEADER_MISSING_COLUMNS",
        format!("The {word} {names} could not be found. Headers found: {found}. Add or rename the {word} and upload the file again."),
    )
    .at(line)
}

fn repeated(label: &str, header: &[String], columns: &[usize], line: u32) -> FileError {
    let names = quoted(columns.iter().filter_map(|&i| header.get(i)));
    FileError::new(
        "HEADER_REPEATED_COLUMN",
        format!("More than one column means {label}: {names}. Name the right one exactly “{label}”, or remove the others, and upload the file again."),
    )
    .at(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> RawRow {
        RawRow { line: 1, cells: cells.iter().map(|c| Cell::text((*c).to_owned())).collect() }
    }

    fn map(cells: &[&str]) -> Result<Mapping, FileError> {
        Mapping::new(&texts(&row(cells)), 3)
    }

    #[test]
    fn maps_and_lists_what_is_not_read() {
        let mapping =
            map(&["DR No", "Plate", "Trip no.", "", "Store", "Delivery Date", "Delivery Time", ""]).unwrap();
        assert_eq!(mapping.column(Field::DeliveryId), Some(0));
        assert_eq!(mapping.column(Field::ScheduleTime), Some(6));
        assert_eq!(mapping.header_of(Field::ShipmentNumber), Some("Trip no."));
        assert_eq!(mapping.header_of(Field::Quantity), None);
        assert_eq!(mapping.unused().collect::<Vec<_>>(), ["Plate"]);
        assert_eq!(mapping.width(), 7);
    }

    #[test]
    fn says_what_is_missing_and_what_was_found() {
        let error = map(&["Delivery Doc", "Customer"]).unwrap_err();
        assert_eq!((error.code, error.line), ("HEADER_MISSING_COLUMNS", Some(3)));
        assert!(error.text.contains("columns Shipment no., Dispatch Date and Time"), "{error}");
        assert!(error.text.contains("“Delivery Doc”, “Customer”"), "{error}");
        let error = map(&["Delivery Doc", "Customer", "Shipment", "Dispatch Time"]).unwrap_err();
        assert!(error.text.contains("The column Dispatch Date and Time could"), "{error}");
    }

    #[test]
    fn the_own_name_wins_over_synonyms_but_not_over_itself() {
        let required = ["Shipment", "Customer", "Dispatch"];
        let with = |more: &[&'static str]| map(&[&required[..], more].concat());
        let mapping = with(&["DR no", "Delivery Doc"]).unwrap();
        assert_eq!(mapping.column(Field::DeliveryId), Some(4));
        assert_eq!(mapping.unused().collect::<Vec<_>>(), ["DR no"]);
        for twice in [["DR no", "Document no"], ["Delivery Doc", "delivery_doc"]] {
            let error = with(&twice).unwrap_err();
            assert_eq!(error.code, "HEADER_REPEATED_COLUMN");
            assert!(error.text.contains(twice[1]), "{error}");
        }
    }

    #[test]
    fn looks_below_titles() {
        let rows = [
            row(&["Deliveries of March"]),
            row(&["Customer", "Shipment"]),
            row(&["Delivery Doc", "Shipment", "Customer", "Dispatch"]),
        ];
        assert_eq!(locate(&rows).unwrap(), 2);
        let error = locate(&rows[..2]).unwrap_err();
        assert!(error.text.contains("Delivery Doc"), "{error}");
        assert!(error.text.contains("“Customer”"), "{error}");
        assert!(locate(&[row(&["Delivery Doc"])]).is_err());
    }
}
