//! Text to records: separators, quotes, line breaks.
//!
//! Here: the rules of RFC 4180 as spreadsheets really write them, over pieces of any length.
//! Deliberately not the `csv` crate, which the tests use as the measure: it counts line feeds
//! only (wrong numbers in files with bare carriage returns), reports a record after blank lines at
//! the blank line, grows one record without bound, and takes a quote that is never closed as the
//! end of the last field, which would swallow rows in silence.

use super::FileError;

/// Bytes of one record. 200 columns of the longest texts the row check admits fit easily; what
/// does not fit is nearly always a quote that is never closed.
const MAX_RECORD: usize = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// Physical line where it starts, from 1.
    pub(super) line: u32,
    pub(super) fields: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing of this field was seen.
    Start,
    Plain,
    Quoted,
    /// In a quoted field, after a quote: its end, or half of a doubled one.
    Quote,
}

/// Cuts a text that is fed in pieces.
pub(super) struct Splitter {
    delimiter: u8,
    max_columns: usize,
    state: State,
    /// The last byte was a carriage return: a line feed belongs to it.
    after_return: bool,
    /// Line of the next byte.
    line: u32,
    record_line: u32,
    quote_line: u32,
    begun: bool,
    size: usize,
    field: Vec<u8>,
    fields: Vec<String>,
}

impl Splitter {
    pub(super) fn new(delimiter: u8, max_columns: usize) -> Self {
        Self {
            delimiter,
            max_columns,
            state: State::Start,
            after_return: false,
            line: 1,
            record_line: 1,
            quote_line: 1,
            begun: false,
            size: 0,
            field: Vec::new(),
            fields: Vec::new(),
        }
    }

    /// Takes from `text` to the end of a record; answers it and how many bytes were taken, or
    /// nothing when all of `text` was taken and the record goes on. Blank lines are skipped.
    pub(super) fn next(&mut self, text: &str) -> Result<(usize, Option<Record>), FileError> {
        for (at, &byte) in text.as_bytes().iter().enumerate() {
            if std::mem::take(&mut self.after_return) && byte == b'\n' {
                continue;
            }
            let line_end = byte == b'\n' || byte == b'\r';
            self.after_return = byte == b'\r';
            if !self.begun {
                if line_end {
                    self.line = self.line.saturating_add(1);
                    continue;
                }
                self.begun = true;
                self.record_line = self.line;
            }
            self.size += 1;
            if self.size > MAX_RECORD {
                return Err(self.too_long());
            }
            match self.state {
                State::Quoted if byte == b'"' => self.state = State::Quote,
                State::Quoted if line_end => {
                    self.line = self.line.saturating_add(1);
                    self.field.push(b'\n');
                }
                State::Quoted => self.field.push(byte),
                State::Quote if byte == b'"' => {
                    self.state = State::Quoted;
                    self.field.push(byte);
                }
                State::Start if byte == b'"' => {
                    self.state = State::Quoted;
                    self.quote_line = self.line;
                }
                _ if byte == self.delimiter => self.end_field()?,
                _ if line_end => {
                    self.line = self.line.saturating_add(1);
                    return Ok((at + 1, Some(self.end_record()?)));
                }
                // After a closing quote too: `"a"b` is `ab`, as everywhere.
                _ => {
                    self.state = State::Plain;
                    self.field.push(byte);
                }
            }
        }
        Ok((text.len(), None))
    }

    /// The record the text ends in, if any; fails when the text ends inside quotes.
    pub(super) fn finish(&mut self) -> Result<Option<Record>, FileError> {
        if self.state == State::Quoted {
            return Err(FileError::new(
                "FILE_QUOTE_NOT_CLOSED",
                format!("A quotation mark opened on line {} is never closed, so everything after it reads as one text. Close or remove it and upload the file again.", self.quote_line),
            )
            .at(self.quote_line));
        }
        if !self.begun {
            return Ok(None);
        }
        self.end_record().map(Some)
    }

    fn end_field(&mut self) -> Result<(), FileError> {
        self.state = State::Start;
        // The delimiter and quotes are ASCII, so a field is cut between characters.
        let field = String::from_utf8(std::mem::take(&mut self.field))
            .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
        if self.fields.len() < self.max_columns {
            self.fields.push(field);
        } else if !field.trim().is_empty() {
            return Err(too_many_columns(self.max_columns, self.record_line));
        }
        Ok(())
    }

    fn end_record(&mut self) -> Result<Record, FileError> {
        self.end_field()?;
        self.begun = false;
        self.size = 0;
        Ok(Record { line: self.record_line, fields: std::mem::take(&mut self.fields) })
    }

    fn too_long(&self) -> FileError {
        if self.state == State::Quoted {
            return FileError::new(
                "FILE_ROW_TOO_LONG",
                format!("The text that opens with a quotation mark on line {} is longer than 1 MB; the mark is probably never closed. Close or remove it and upload the file again.", self.quote_line),
            )
            .at(self.quote_line);
        }
        FileError::new(
            "FILE_ROW_TOO_LONG",
            "This line is longer than 1 MB. Save the file again as CSV, one line for each row, and upload it again.",
        )
        .at(self.record_line)
    }
}

/// More columns carry content than are allowed.
pub(super) fn too_many_columns(max: usize, line: u32) -> FileError {
    FileError::new(
        "FILE_TOO_MANY_COLUMNS",
        format!("This row has content beyond column {max}, the last that is read. Remove columns that do not belong to the deliveries and upload the file again."),
    )
    .at(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str, delimiter: u8, piece: usize) -> Result<Vec<Record>, FileError> {
        let mut splitter = Splitter::new(delimiter, 200);
        let mut records = Vec::new();
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(piece.max(1)) {
            let piece: String = piece.iter().collect();
            let mut rest = piece.as_str();
            while !rest.is_empty() {
                let (taken, record) = splitter.next(rest)?;
                rest = &rest[taken..];
                records.extend(record);
            }
        }
        records.extend(splitter.finish()?);
        Ok(records)
    }

    fn lines(text: &str) -> Vec<(u32, Vec<String>)> {
        split(text, b',', 3).unwrap().into_iter().map(|r| (r.line, r.fields)).collect()
    }

    fn row(line: u32, fields: &[&str]) -> (u32, Vec<String>) {
        (line, fields.iter().map(|s| (*s).to_owned()).collect())
    }

    #[test]
    fn lines_are_physical_for_every_newline() {
        for newline in ["\n", "\r\n", "\r"] {
            let text = "a,b\n\n\n\"x\ny\",2\n3,\"\"\"q\"\"\"\n".replace('\n', newline);
            assert_eq!(
                lines(&text),
                [row(1, &["a", "b"]), row(4, &["x\ny", "2"]), row(6, &["3", "\"q\""])],
                "{newline:?}"
            );
        }
    }

    #[test]
    fn the_last_line_needs_no_newline_and_quotes_inside_stay() {
        assert_eq!(lines("5\" pipe,b"), [row(1, &["5\" pipe", "b"])]);
        assert_eq!(lines("\"a\"b,"), [row(1, &["ab", ""])]);
        assert_eq!(lines("\"\""), [row(1, &[""])]);
    }

    #[test]
    fn an_open_quote_is_named_by_its_line() {
        let error = split("a,b\n1,\"x\n2,y\n", b',', 2).unwrap_err();
        assert_eq!((error.code, error.line), ("FILE_QUOTE_NOT_CLOSED", Some(2)));
    }

    #[test]
    fn a_record_is_bounded_and_so_are_its_columns() {
        let error = split(&format!("a\n\"{}", "x\n".repeat(600_000)), b',', 9999).unwrap_err();
        assert_eq!((error.code, error.line), ("FILE_ROW_TOO_LONG", Some(2)));
        let error = split(&format!("a\n{}x", ",".repeat(200)), b',', 9999).unwrap_err();
        assert_eq!((error.code, error.line), ("FILE_TOO_MANY_COLUMNS", Some(2)));
        // Spreadsheets pad with separators.
        assert!(split(&format!("a{}", ",".repeat(16_384)), b',', 9999).is_ok());
    }

    proptest! {
        #[test]
        fn agrees_with_the_csv_crate(text in "[ab\",\n;é]{0,60}", piece in 1usize..9) {
            let ours = split(&text, b',', piece);
            let theirs: Vec<Vec<String>> = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(text.as_bytes())
                .records()
                .map(|r| r.unwrap().iter().map(str::to_owned).collect())
                .collect();
            // An unclosed quote is the one place where we answer more than they do.
            if let Ok(ours) = ours {
                prop_assert_eq!(ours.into_iter().map(|r| r.fields).collect::<Vec<_>>(), theirs);
            }
        }
    }
}
