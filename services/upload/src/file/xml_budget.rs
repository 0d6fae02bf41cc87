//! Estimates what the parts of a workbook would cost its reader.
//!
//! `calamine` streams cells, but it stores all shared strings, cell formats, sheet names and defined names,
//! and the element that it is reading, without limits. It reserves room for as many strings as the file
//! announces, and copies fonts, fills, borders and number formats into every cell format. So each part is
//! scanned first, byte by byte and without storing anything, and these costs are added up.
//!
//! Deliberately absent: understanding XML. Elements are compared by their local names, as the reader does,
//! wherever they occur, so that no part can be mistaken for another. Document types are refused, because no
//! workbook has them and they can define entities.

use super::FileError;
use super::damage::{damaged, too_complex};

/// Maximum bytes of a tag, text, comment or instruction. Excel's longest cell fits even if each character is
/// an entity.
const MAX_TOKEN: u64 = 2 << 20;
/// Maximum bytes of a cell, string or format with its content.
const MAX_ELEMENT: u64 = 1 << 20;
/// Maximum number of strings that a workbook may announce: the reader reserves room for as many.
const MAX_ANNOUNCED: u64 = 4 << 20;
/// Bytes kept of a tag, enough for its name and the attributes that are read.
const TAG_KEPT: usize = 4096;

/// Bytes that the reader would store, over all parts.
#[derive(Default)]
pub(super) struct Budget {
    kept: u64,
    formats: u64,
    longest_font: u64,
    longest_fill: u64,
    longest_border: u64,
    longest_number_format: u64,
    longest_format: u64,
}

impl Budget {
    /// Fails with FILE_TOO_COMPLEX above `max` bytes.
    pub(super) fn check(&self, max: u64) -> Result<(), FileError> {
        let a_format = 1024
            + self.longest_font
            + self.longest_fill
            + self.longest_border
            + self.longest_number_format
            + self.longest_format;
        if self.kept.saturating_add(self.formats.saturating_mul(a_format)) > max {
            return Err(too_complex("holds too many different texts or cell formats"));
        }
        Ok(())
    }

    fn count(&mut self, name: &[u8], length: u64) {
        let (overhead, longest) = match name {
            // The bytes for a string, its slot in the list of strings, and the list while it grows.
            b"si" => (64, None),
            b"font" => (1024, Some(&mut self.longest_font)),
            b"fill" => (1024, Some(&mut self.longest_fill)),
            b"border" => (1024, Some(&mut self.longest_border)),
            b"numFmt" => (256, Some(&mut self.longest_number_format)),
            b"xf" => {
                self.formats += 1;
                (1024, Some(&mut self.longest_format))
            }
            b"definedName" | b"sheet" | b"Relationship" => (512, None),
            _ => return,
        };
        self.kept = self.kept.saturating_add(overhead + length);
        if let Some(longest) = longest {
            *longest = length.max(*longest);
        }
    }
}

#[derive(Clone, Copy)]
enum State {
    Text,
    /// Inside of `<…>`: within quotes of this kind, or outside of quotes.
    Tag(Option<u8>),
    /// After `<!`, until it is clear what follows.
    Bang,
    /// Inside of something that ends with these bytes.
    Until(&'static [u8]),
}

/// An element that is measured from its start tag to its end tag.
struct Open {
    tag: Vec<u8>,
    from: u64,
}

/// Scans one part.
pub(super) struct Scanner<'b> {
    budget: &'b mut Budget,
    state: State,
    /// Number of bytes scanned, and where the current token began.
    at: u64,
    token_from: u64,
    token: Vec<u8>,
    open: Option<Open>,
}

impl<'b> Scanner<'b> {
    pub(super) fn new(budget: &'b mut Budget) -> Self {
        Self { budget, state: State::Text, at: 0, token_from: 0, token: Vec::new(), open: None }
    }

    /// Continues the scan; fails with FILE_TOO_COMPLEX or FILE_NOT_READABLE.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        for &byte in bytes {
            self.at += 1;
            if byte == 0 {
                // In UTF-16 this scan would miss the tags.
                return Err(damaged("one of its parts is not in UTF-8"));
            }
            match self.state {
                State::Text if byte == b'<' => self.begin(State::Tag(None)),
                State::Text => {}
                State::Tag(None) if byte == b'>' => {
                    self.tag()?;
                    self.begin(State::Text);
                    continue;
                }
                State::Tag(Some(quote)) if byte == quote => {
                    self.keep(byte);
                    self.state = State::Tag(None);
                }
                State::Tag(None) if self.token.is_empty() && byte == b'!' => {
                    self.state = State::Bang;
                }
                State::Tag(None) if self.token.is_empty() && byte == b'?' => {
                    self.state = State::Until(b"?>");
                }
                State::Tag(quote) => {
                    self.keep(byte);
                    if quote.is_none() && matches!(byte, b'"' | b'\'') {
                        self.state = State::Tag(Some(byte));
                    }
                }
                State::Bang => {
                    self.keep(byte);
                    match self.token.as_slice() {
                        b"--" => self.until(b"-->"),
                        b"[CDATA[" => self.until(b"]]>"),
                        start if b"--".starts_with(start) || b"[CDATA[".starts_with(start) => {}
                        _ => return Err(damaged("it holds a document type")),
                    }
                }
                State::Until(ending) => {
                    self.keep(byte);
                    if self.token.ends_with(ending) {
                        self.instruction(ending)?;
                        self.begin(State::Text);
                    } else if self.token.len() == TAG_KEPT {
                        // From here on only the end of the token matters.
                        let from = TAG_KEPT - ending.len();
                        self.token.drain(..from);
                    }
                }
            }
            if self.at - self.token_from > MAX_TOKEN {
                return Err(too_complex("holds a text of more than 2 MB"));
            }
        }
        if self.open.as_ref().is_some_and(|open| self.at - open.from > MAX_ELEMENT) {
            return Err(too_complex("holds a cell of more than 1 MB"));
        }
        Ok(())
    }

    fn begin(&mut self, state: State) {
        self.state = state;
        self.token.clear();
        self.token_from = self.at;
    }

    fn until(&mut self, ending: &'static [u8]) {
        self.token.clear();
        self.state = State::Until(ending);
    }

    fn keep(&mut self, byte: u8) {
        if self.token.len() < TAG_KEPT {
            self.token.push(byte);
        }
    }

    /// Checks `<?xml … encoding="…"?>`, because in another encoding the tags could differ from those seen
    /// here.
    fn instruction(&self, ending: &[u8]) -> Result<(), FileError> {
        if ending != b"?>" || !self.token.starts_with(b"xml") {
            return Ok(());
        }
        let mentions = self.token.windows(8).any(|w| w.eq_ignore_ascii_case(b"encoding"));
        let utf8 = [&b"utf-8"[..], b"utf8", b"us-ascii"];
        let known = attributes(&self.token).any(|(key, value)| {
            key == b"encoding" && utf8.iter().any(|name| name.eq_ignore_ascii_case(value))
        });
        if mentions && !known {
            return Err(damaged("one of its parts is not in UTF-8"));
        }
        Ok(())
    }

    fn tag(&mut self) -> Result<(), FileError> {
        // The length includes the opening bracket.
        let length = self.at - self.token_from + 1;
        let token = &self.token;
        let (closing, body) = match token.strip_prefix(b"/") {
            Some(body) => (true, body),
            None => (false, token.as_slice()),
        };
        let end = body.iter().position(|b| b.is_ascii_whitespace() || *b == b'/').unwrap_or(body.len());
        let name = body.get(..end).unwrap_or_default();
        let local = name.rsplit(|b| *b == b':').next().unwrap_or_default();
        if let Some(open) = &self.open {
            if closing && open.tag == name {
                let size = self.at - open.from + 1;
                self.budget.count(local, size);
                self.open = None;
            }
            // The outer element's length includes this nested one.
            return Ok(());
        }
        if closing {
            return Ok(());
        }
        match local {
            b"c" | b"si" | b"font" | b"fill" | b"border" | b"numFmt" | b"xf" | b"definedName" => {
                if token.ends_with(b"/") {
                    self.budget.count(local, length);
                } else {
                    self.open = Some(Open { tag: name.to_vec(), from: self.token_from });
                }
            }
            b"sst" => {
                let announced = attributes(token).filter(|(key, _)| *key == b"uniqueCount");
                // No program writes anything but a small number here.
                let small = |value: &[u8]| {
                    let number = std::str::from_utf8(value).ok()?.trim_start_matches(['0', '+']);
                    (number.len() < 9).then(|| number.parse().unwrap_or(0))
                };
                for (_, value) in announced {
                    if small(value).is_none_or(|number: u64| number > MAX_ANNOUNCED) {
                        return Err(too_complex("announces more texts than it can hold"));
                    }
                }
            }
            b"Relationship" => {
                self.budget.count(local, length);
                self.relationship(length)?;
            }
            b"sheet" => self.budget.count(local, length),
            _ => {}
        }
        Ok(())
    }

    /// Requires that the workbook and its sheets are parts that were scanned.
    fn relationship(&self, length: u64) -> Result<(), FileError> {
        let (mut opened, mut walked, mut plain) = (false, true, length < TAG_KEPT as u64);
        for (key, value) in attributes(&self.token) {
            match key {
                b"Type" => {
                    plain &= !value.contains(&b'&');
                    opened |= OPENED.iter().any(|name| value.ends_with(name));
                }
                b"Target" => walked &= value.to_ascii_lowercase().ends_with(b".xml"),
                _ => {}
            }
        }
        if !plain || (opened && !walked) {
            return Err(damaged("its parts are linked in an unusual way"));
        }
        Ok(())
    }
}

/// Kinds of links that the reader follows.
const OPENED: [&[u8]; 4] = [b"officeDocument", b"worksheet", b"chartsheet", b"dialogsheet"];

/// Returns the attributes of a tag with their raw values; stops where the tag is malformed.
fn attributes(tag: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        let at = rest.iter().position(|b| *b == b'=')?;
        let (before, after) = rest.split_at_checked(at)?;
        let key = before.trim_ascii_end();
        let key = key.rsplit(u8::is_ascii_whitespace).next()?;
        let (quote, value) = after.get(1..)?.trim_ascii_start().split_first()?;
        if !matches!(quote, b'"' | b'\'') {
            return None;
        }
        let end = value.iter().position(|b| b == quote)?;
        rest = value.get(end + 1..)?;
        Some((key, value.get(..end)?))
    })
}

#[cfg(test)]
#[path = "xml_budget_tests.rs"]
mod tests;
