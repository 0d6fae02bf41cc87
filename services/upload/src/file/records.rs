//! Splits text into records: separators, quotes, line breaks.
//!
//! Applies the rules of RFC 4180 as spreadsheets actually do, to pieces of any length. Deliberately not the
//! `csv` crate, with which the tests compare: it counts line feeds only (wrong numbers in files with bare
//! carriage returns), reports a record after blank lines at the blank line, lets one record grow without
//! limit, and takes an unclosed quote as the end of the last field, which would silently swallow rows.
//!
//! Between tabs a field may begin with a quote that is text: spreadsheets quote only cells with a tab or line break on
//! the clipboard, and many programs never quote. There a quote opens a quoted field only if a closing one stands before
//! a tab or line end. So bytes after it are held back until that is known, and then read again. The frontend reads
//! pasted cells the same way (`lib/tsv.ts`).

use std::collections::VecDeque;

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
    /// After a quote between tabs, while it is unknown whether it opens a quoted field.
    Undecided,
    /// The same, after another quote, which may be the closing one.
    UndecidedQuote,
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
    /// The bytes since a quote that is undecided. Any single quote decides it, so each byte is held back about once.
    held: Vec<u8>,
    /// Bytes to read before the next ones of the text.
    again: VecDeque<u8>,
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
            held: Vec::new(),
            again: VecDeque::new(),
        }
    }

    /// Consumes `text` up to the end of a record. Returns how many bytes were consumed, and the record;
    /// `None` when all of `text` was consumed and the record continues. Skips blank lines.
    pub(super) fn next(&mut self, text: &str) -> Result<(usize, Option<Record>), FileError> {
        if let Some(record) = self.read_again()? {
            return Ok((0, Some(record)));
        }
        let bytes = text.as_bytes();
        for (at, &byte) in bytes.iter().enumerate() {
            let mut record = self.read(byte)?;
            if !self.again.is_empty() {
                record = self.read_again()?;
            }
            if record.is_some() {
                // The first byte of a character decides about a quote. The caller goes on after the whole character.
                let end = (at + 1..).find(|it| text.is_char_boundary(*it)).unwrap_or(text.len());
                self.again.extend(&bytes[at + 1..end]);
                return Ok((end, record));
            }
        }
        Ok((text.len(), None))
    }

    /// Returns the next of the last records; `None` after them. Fails when the text ends inside quotes.
    pub(super) fn finish(&mut self) -> Result<Option<Record>, FileError> {
        loop {
            if let Some(record) = self.read_again()? {
                return Ok(Some(record));
            }
            match self.state {
                State::Undecided | State::UndecidedQuote => self.decide(self.state == State::UndecidedQuote),
                _ => break,
            }
        }
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

    /// Reads the bytes that were held back, up to the end of a record.
    fn read_again(&mut self) -> Result<Option<Record>, FileError> {
        while let Some(byte) = self.again.pop_front() {
            if let Some(record) = self.read(byte)? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// Reads a byte; returns the record that it ends.
    fn read(&mut self, byte: u8) -> Result<Option<Record>, FileError> {
        if matches!(self.state, State::Undecided | State::UndecidedQuote) {
            self.hold_back(byte);
            return Ok(None);
        }
        if std::mem::take(&mut self.after_return) && byte == b'\n' {
            return Ok(None);
        }
        let line_end = byte == b'\n' || byte == b'\r';
        self.after_return = byte == b'\r';
        if !self.begun {
            if line_end {
                self.line = self.line.saturating_add(1);
                return Ok(None);
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
                self.state = if self.delimiter == b'\t' { State::Undecided } else { State::Quoted };
                self.quote_line = self.line;
            }
            _ if byte == self.delimiter => self.end_field()?,
            _ if line_end => {
                self.line = self.line.saturating_add(1);
                return self.end_record().map(Some);
            }
            // This applies after a closing quote, too: `"a"b` is `ab`, as in other programs.
            _ => {
                self.state = State::Plain;
                self.field.push(byte);
            }
        }
        Ok(None)
    }

    /// Holds back a byte after an undecided quote. Decides about the quote at the end of the field, if it is quoted,
    /// and at its maximum length.
    fn hold_back(&mut self, byte: u8) {
        let closes = self.state == State::UndecidedQuote;
        self.held.push(byte);
        if closes && byte != b'"' {
            self.decide(matches!(byte, b'\t' | b'\n' | b'\r'));
        } else if self.size + self.held.len() > MAX_RECORD {
            self.decide(false);
        } else if byte == b'"' {
            self.state = if closes { State::Undecided } else { State::UndecidedQuote };
        }
    }

    /// Decides whether a quote opens a quoted field or is text, and has the bytes after it read again.
    fn decide(&mut self, is_quoted: bool) {
        if is_quoted {
            self.state = State::Quoted;
        } else {
            self.state = State::Plain;
            self.field.push(b'"');
        }
        for byte in self.held.drain(..).rev() {
            self.again.push_front(byte);
        }
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
        while let Some(record) = splitter.finish()? {
            records.push(record);
        }
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
    fn between_tabs_a_quote_at_the_beginning_of_a_cell_may_be_text() {
        let read = |text: &str| -> Vec<(u32, Vec<String>)> {
            let read = [1, 3, 999].map(|piece| split(text, b'\t', piece).unwrap());
            assert!(read.iter().all(|it| *it == read[0]), "{read:?}");
            read[0].iter().map(|it| (it.line, it.fields.clone())).collect()
        };
        for newline in ["\n", "\r\n", "\r"] {
            let text = "U8\t\"Classic\t1\nU9\t\"Deluxe\t2\n\"x\ny\tz\"\t3\nU11\t\"\n".replace('\n', newline);
            let rows = [
                row(1, &["U8", "\"Classic", "1"]),
                row(2, &["U9", "\"Deluxe", "2"]),
                row(3, &["x\ny\tz", "3"]),
                row(5, &["U11", "\""]),
            ];
            assert_eq!(read(&text), rows, "{newline:?}");
        }
        assert_eq!(read("\"Best\" rice 25kg\tb"), [row(1, &["\"Best\" rice 25kg", "b"])]);
        assert_eq!(read("\"5\"\" pipe\"\tb"), [row(1, &["5\" pipe", "b"])]);
        assert_eq!(read("\"\"\t\"\"\"\""), [row(1, &["", "\""])]);
        // A quote that is never closed is text, and what follows it is read as rows.
        assert_eq!(read("a\t\"b\n\"\"c\t\"d\"\n"), [row(1, &["a", "\"b"]), row(2, &["\"\"c", "d"])]);
        assert_eq!(read("\"a\nb\n"), [row(1, &["\"a"]), row(2, &["b"])]);
        // The first byte of a character may decide.
        assert_eq!(read("\"a\nb\"é\tc\n"), [row(1, &["\"a"]), row(2, &["b\"é", "c"])]);
    }

    #[test]
    fn rows_after_a_single_quote_between_tabs_are_read_at_any_length() {
        let text = format!("a\t\"b\n{}", "c\td\n".repeat(600_000));
        let records = split(&text, b'\t', 99_999).unwrap();
        assert_eq!((records.len(), records[0].fields[1].as_str()), (600_001, "\"b"));
        // A byte is held back about once, however many quotes there are.
        let text = "\"a\tb\n".repeat(300_000);
        assert_eq!(split(&text, b'\t', 99_999).unwrap().len(), 300_000);
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
        fn pieces_make_no_difference_between_tabs(text in "[ab\"\t\n\ré]{0,60}", piece in 1usize..9) {
            let whole = split(&text, b'\t', 99);
            prop_assert!(whole.is_ok());
            prop_assert_eq!(split(&text, b'\t', piece), whole);
        }

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
