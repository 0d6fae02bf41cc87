//! Reads rows of a text file.
//!
//! Here: which separator the file uses, and rows one at a time from a bounded buffer. Deliberately absent:
//! types. Everything is text; `row` interprets it.

use std::fs::File;

use super::columns::Example;
use super::decode::{Decoded, Encoding};
use super::records::{Record, Splitter};
use super::{Cell, FileError, Limits, RawRow, header};

const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];
/// How much of the text is used to detect the separator: enough for a title block and ten long rows.
const SAMPLE: usize = 64 * 1024;

pub(super) struct TextRows {
    decoded: Decoded,
    splitter: Splitter,
    piece: String,
    at: usize,
    max_cell_chars: usize,
    /// Whether the first record only names the separator, as in `sep=;`.
    skip_first: bool,
    finished: bool,
    encoding_is_assumed: bool,
    /// A word that another encoding might change.
    example: Option<Example>,
}

impl TextRows {
    /// Opens a file and reads its beginning to detect the separator.
    pub(super) fn open(file: File, encoding: Encoding, limits: &Limits) -> Result<Self, FileError> {
        let mut decoded = Decoded::start(file, encoding)?;
        let mut piece = String::new();
        while piece.len() < SAMPLE && decoded.read(&mut piece)? {}
        let named = named_separator(&piece);
        let separator = named.unwrap_or_else(|| sniff(&piece, limits));
        Ok(Self {
            decoded,
            splitter: Splitter::new(separator, limits.max_columns),
            piece,
            at: 0,
            max_cell_chars: limits.max_cell_chars,
            skip_first: named.is_some(),
            finished: false,
            encoding_is_assumed: encoding.is_assumed(),
            example: None,
        })
    }

    /// Returns the next row with content.
    pub(super) fn next(&mut self) -> Result<Option<RawRow>, FileError> {
        while let Some(record) = self.record()? {
            if std::mem::take(&mut self.skip_first) {
                continue;
            }
            let row = to_row(record, self.max_cell_chars);
            if !row.cells.iter().all(Cell::is_blank) {
                if self.encoding_is_assumed {
                    self.look_for_example(&row);
                }
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    fn record(&mut self) -> Result<Option<Record>, FileError> {
        loop {
            let rest = self.piece.get(self.at..).unwrap_or_default();
            if !rest.is_empty() {
                let (taken, record) = self.splitter.next(rest)?;
                self.at += taken;
                if record.is_some() {
                    return Ok(record);
                }
            }
            if self.finished {
                return self.splitter.finish();
            }
            self.piece.clear();
            self.at = 0;
            self.finished = !self.decoded.read(&mut self.piece)?;
        }
    }

    /// Prefers words with letters: most code pages have the same dashes and quotation marks.
    fn look_for_example(&mut self, row: &RawRow) {
        let has_letter = |word: &str| word.chars().any(|c| !c.is_ascii() && c.is_alphabetic());
        if self.example.as_ref().is_some_and(|known| has_letter(&known.text)) {
            return;
        }
        let texts = row.cells.iter().filter_map(|cell| match cell {
            Cell::Text(text) if !text.is_ascii() => Some(text.as_str()),
            _ => None,
        });
        let words = texts.flat_map(str::split_whitespace).filter(|word| !word.is_ascii());
        if let Some(word) = words.min_by_key(|word| !has_letter(word))
            && (self.example.is_none() || has_letter(word))
        {
            self.example = Some(Example { line: row.line, text: header::shorten(word, 40) });
        }
    }

    /// Returns a word of the rows so far that isn't ASCII, if the encoding was assumed.
    pub(super) fn assumed_encoding(&self) -> Option<&Example> {
        self.example.as_ref()
    }

    /// Returns how many bytes of the file were consumed.
    pub(super) fn bytes_read(&self) -> u64 {
        self.decoded.bytes_read()
    }
}

fn to_row(record: Record, max_chars: usize) -> RawRow {
    let cells = record.fields.into_iter().map(|field| Cell::text(cut(field, max_chars))).collect();
    RawRow { line: record.line, cells }
}

/// Truncates a text to `max` characters.
pub(super) fn cut(mut text: String, max: usize) -> String {
    if text.len() > max
        && let Some((end, _)) = text.char_indices().nth(max)
    {
        text.truncate(end);
    }
    text
}

/// Returns the separator of a first line `sep=;`, which Excel writes and reads.
fn named_separator(sample: &str) -> Option<u8> {
    let line = sample.split(['\n', '\r']).next()?;
    let line = line.trim_matches(['"', ' ']);
    let (key, value) = line.split_at_checked(4)?;
    match (key.eq_ignore_ascii_case("sep="), value.as_bytes()) {
        (true, [byte]) if SEPARATORS.contains(byte) || *byte == b'|' => Some(*byte),
        _ => None,
    }
}

/// Returns the separator with which a row of `sample` names the most fields. If no row names any, it is the
/// separator that splits most rows into equally many cells.
fn sniff(sample: &str, limits: &Limits) -> u8 {
    let mut best = (b',', (0, 0));
    let scan = limits.max_header_scan.max(1);
    for separator in SEPARATORS {
        let mut splitter = Splitter::new(separator, limits.max_columns);
        let (mut rest, mut rows) = (sample, Vec::new());
        while rows.len() < scan {
            match splitter.next(rest) {
                Ok((taken, Some(record))) => {
                    rest = rest.get(taken..).unwrap_or_default();
                    rows.push(to_row(record, limits.max_cell_chars));
                }
                // The sample has ended: the file is short, or a quote stays open when this separator is
                // assumed.
                Ok((_, None)) => {
                    while rows.len() < scan
                        && let Ok(Some(record)) = splitter.finish()
                    {
                        rows.push(to_row(record, limits.max_cell_chars));
                    }
                    break;
                }
                Err(_) => break,
            }
        }
        let known = rows.iter().map(header::known_columns).max().unwrap_or(0);
        let alike = rows
            .iter()
            .map(|row| row.cells.len())
            .filter(|&n| n > 1)
            .map(|n| n * rows.iter().filter(|row| row.cells.len() == n).count())
            .max()
            .unwrap_or(0);
        if (known, alike) > best.1 {
            best = (separator, (known, alike));
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators() {
        let limits = Limits::default();
        let header = |s: &str| format!("Delivery Doc{s}Shipment no.{s}Customer Name");
        assert_eq!(sniff(&header(","), &limits), b',');
        assert_eq!(sniff(&header(";"), &limits), b';');
        assert_eq!(sniff(&header("\t"), &limits), b'\t');
        // A title with many commas does not outvote the header.
        let title = format!("Manila, Cebu, Davao, Iloilo, Baguio, Naga\n{}", header(";"));
        assert_eq!(sniff(&title, &limits), b';');
        // Separators within quotes do not count.
        let quoted = "\"Delivery, Doc\";\"Shipment, no.\";\"a,b,c,d\"\n";
        assert_eq!(sniff(quoted, &limits), b';');
        assert_eq!(sniff("", &limits), b',');
    }

    #[test]
    fn a_named_separator() {
        assert_eq!(named_separator("sep=;\r\na;b"), Some(b';'));
        assert_eq!(named_separator("\"SEP=\t\"\na"), Some(b'\t'));
        assert_eq!(named_separator("sep=|\na|b"), Some(b'|'));
        assert_eq!(named_separator("separate;b"), None);
        assert_eq!(named_separator("é"), None);
    }

    #[test]
    fn cutting_counts_characters() {
        assert_eq!(cut("ñañaña".into(), 3), "ñañ");
        assert_eq!(cut("ñañ".into(), 3), "ñañ");
    }
}
