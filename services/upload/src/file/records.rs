//! Splits text into records: separators, quotes, line breaks.
//!
//! Applies the rules of RFC 4180 as spreadsheets actually do, to pieces of any length. Deliberately not the
//! `csv` crate, with which the tests compare: it counts line feeds only (wrong numbers in files with bare
//! carriage returns), reports a record after blank lines at the blank line, lets one record grow without
//! limit, and takes an unclosed quote as the end of the last field, which would silently swallow rows.

use super::FileError;

/// Maximum bytes of one record. 200 columns of the longest valid texts fit easily; a longer record nearly
/// always means an unclosed quote.
const MAX_RECORD: usize = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// Physical line where it starts, from 1.
    pub(super) line: u32,
    pub(super) fields: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the beginning of a field.
    Start,
    Plain,
    Quoted,
    /// In a quoted field, after a quote, which is either its end or the first of two.
    Quote,
}

/// Splits a text that is fed in pieces.
pub(super) struct Splitter {
    delimiter: u8,
    max_columns: usize,
    state: State,
    /// Whether the last byte was a carriage return, to which a following line feed belongs.
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

    /// Consumes `text` up to the end of a record. Returns how many bytes were consumed, and the record;
    /// `None` when all of `text` was consumed and the record continues. Skips blank lines.
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
                // This applies after a closing quote, too: `"a"b` is `ab`, as in other programs.
                _ => {
                    self.state = State::Plain;
                    self.field.push(byte);
                }
            }
        }
        Ok((text.len(), None))
    }

    /// Returns the last record, if any; fails when the text ends inside quotes.
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
        // Delimiter and quotes are ASCII, so a field never ends within a character.
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

/// Reports more columns with content than allowed.
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
        // Spreadsheets pad lines with separators.
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
            // The results may differ only for an unclosed quote, which we refuse.
            if let Ok(ours) = ours {
                prop_assert_eq!(ours.into_iter().map(|r| r.fields).collect::<Vec<_>>(), theirs);
            }
        }
    }
}
