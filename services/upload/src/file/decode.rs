//! Detects the encoding of a text file and decodes it to UTF-8, piece by piece.
//!
//! Recognizes byte order marks, UTF-16 without one, UTF-8 if it is valid to the last byte, and otherwise
//! Windows-1252, which Excel writes as plain "CSV" on most office machines. A file with lines in both UTF-8
//! and Windows-1252 is refused: in either encoding, the names in some lines would be garbled. The encoding is
//! never guessed from the frequency of letters, because a wrong guess would garble names, too.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use encoding_rs::{Decoder, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::FileError;

/// The encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Encoding {
    name: Name,
    bom: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Utf8,
    Utf16Le,
    Utf16Be,
    Windows1252,
}

impl Encoding {
    /// Returns whether ASCII characters are single bytes.
    pub(super) fn is_byte_wise(self) -> bool {
        matches!(self.name, Name::Utf8 | Name::Windows1252)
    }

    /// Returns whether nothing in the file shows this encoding: another code page would fit the bytes, too.
    pub(super) fn is_assumed(self) -> bool {
        self.name == Name::Windows1252
    }
}

/// Detects the encoding; `None` for a file that is not text. `head` is the beginning of the file.
pub(super) fn detect(file: &File, head: &[u8]) -> Result<Option<Encoding>, FileError> {
    let with = |name, bom| Ok(Some(Encoding { name, bom }));
    if head.starts_with(&[0xEF, 0xBB, 0xBF]) {
        return with(Name::Utf8, 3);
    }
    if head.starts_with(&[0xFF, 0xFE]) {
        return with(Name::Utf16Le, 2);
    }
    if head.starts_with(&[0xFE, 0xFF]) {
        return with(Name::Utf16Be, 2);
    }
    if head.contains(&0) {
        return Ok(utf16_without_mark(head).map(|name| Encoding { name, bom: 0 }));
    }
    // Tolerate one control character in ten bytes: a file with a few of them is still text. The rows that
    // contain them are refused later, with a reason.
    let odd = head.iter().filter(|b| b.is_ascii_control() && !matches!(b, b'\t' | b'\r' | b'\n')).count();
    if odd * 10 > head.len() {
        return Ok(None);
    }
    let lines = LinesBeyondAscii::of(file)?;
    match (lines.utf8.first(), lines.other.first()) {
        (_, None) => with(Name::Utf8, 0),
        (None, Some(_)) => with(Name::Windows1252, 0),
        (Some(_), Some(_)) => Err(mixed(&lines)),
    }
}

fn mixed(lines: &LinesBeyondAscii) -> FileError {
    let list = |lines: &[u32]| {
        let shown: Vec<String> = lines.iter().map(u32::to_string).collect();
        let more = if lines.len() == NAMED { " and maybe more" } else { "" };
        format!("{}{more}", shown.join(", "))
    };
    FileError::new(
        "FILE_MIXES_ENCODINGS",
        format!(
            "The file mixes two encodings: lines {} are in UTF-8 and lines {} are not, so some names would be garbled. Open it, correct these lines, save it as “CSV UTF-8” and upload it again.",
            list(&lines.utf8),
            list(&lines.other),
        ),
    )
}

/// Detects UTF-16 by its zero bytes: in Latin text every second byte is zero, and its position reveals the
/// byte order.
fn utf16_without_mark(head: &[u8]) -> Option<Name> {
    let (mut even, mut odd) = (0usize, 0usize);
    for pair in head.chunks_exact(2) {
        even += usize::from(pair.first() == Some(&0));
        odd += usize::from(pair.last() == Some(&0));
    }
    let pairs = head.len() / 2;
    if odd * 2 > pairs && even * 10 < pairs {
        Some(Name::Utf16Le)
    } else if even * 2 > pairs && odd * 10 < pairs {
        Some(Name::Utf16Be)
    } else {
        None
    }
}

/// How many lines in UTF-8, and how many others, an error message names at most.
const NAMED: usize = 3;
/// A run is a sequence of non-ASCII bytes. It is judged in pieces of this size, because a Chinese text may be
/// one long run.
const RUN: usize = 4096;

/// Numbers of the first lines with non-ASCII characters: of lines in UTF-8, and of other lines.
#[derive(Default)]
struct LinesBeyondAscii {
    utf8: Vec<u32>,
    other: Vec<u32>,
}

impl LinesBeyondAscii {
    /// Reads the whole file once: otherwise a single wrong byte near the end would be noticed only after the
    /// names before it had been decoded in the other encoding.
    fn of(mut file: &File) -> Result<Self, FileError> {
        file.seek(SeekFrom::Start(0)).map_err(|e| FileError::io(&e))?;
        let mut lines = Lines { line: 1, ..Lines::default() };
        let mut chunk = Vec::with_capacity(CHUNK);
        loop {
            chunk.clear();
            let read = file.take(CHUNK as u64).read_to_end(&mut chunk).map_err(|e| FileError::io(&e))?;
            if read == 0 {
                lines.end_line();
                return Ok(lines.found);
            }
            chunk.iter().for_each(|byte| lines.push(*byte));
        }
    }
}

#[derive(Default)]
struct Lines {
    found: LinesBeyondAscii,
    line: u32,
    after_return: bool,
    /// Non-ASCII bytes since the last ASCII byte.
    run: Vec<u8>,
    /// The next two fields are about the current line.
    utf8: bool,
    other: bool,
}

impl Lines {
    fn push(&mut self, byte: u8) {
        if !byte.is_ascii() {
            self.run.push(byte);
            if self.run.len() >= RUN {
                self.judge(false);
            }
            return;
        }
        if !self.run.is_empty() {
            self.judge(true);
        }
        let ends = byte == b'\r' || (byte == b'\n' && !self.after_return);
        self.after_return = byte == b'\r';
        if ends {
            self.end_line();
            self.line = self.line.saturating_add(1);
        }
    }

    /// Judges the run. Bytes at its end that may be the beginning of a character stay in it until more bytes
    /// arrive, unless the run has ended.
    fn judge(&mut self, ended: bool) {
        let (valid, bad) = match std::str::from_utf8(&self.run) {
            Ok(_) => (self.run.len(), false),
            Err(e) => (e.valid_up_to(), ended || e.error_len().is_some()),
        };
        let text = self.run.get(..valid).and_then(|it| std::str::from_utf8(it).ok()).unwrap_or_default();
        self.other |= bad;
        self.utf8 |= !bad && is_likely(text);
        self.run.drain(..if bad { self.run.len() } else { valid });
    }

    fn end_line(&mut self) {
        if !self.run.is_empty() {
            self.judge(true);
        }
        let (utf8, other) = (std::mem::take(&mut self.utf8), std::mem::take(&mut self.other));
        if other && self.found.other.len() < NAMED {
            self.found.other.push(self.line);
        }
        if utf8 && !other && self.found.utf8.len() < NAMED {
            self.found.utf8.push(self.line);
        }
    }
}

/// Returns whether bytes that are valid UTF-8 are probably meant as UTF-8. An accented capital letter before
/// a quotation mark or dash in Windows-1252 is also valid UTF-8. But in UTF-8 these two bytes are a letter
/// that no office uses.
fn is_likely(text: &str) -> bool {
    let latin = |c| matches!(c, '\u{a0}'..='\u{17f}' | '\u{218}'..='\u{21b}' | '\u{800}'..);
    let odd = |c| matches!(c, '\u{80}'..='\u{9f}' | '\u{180}'..='\u{36f}');
    !text.is_empty() && (text.chars().all(latin) || (text.chars().count() > 1 && !text.chars().any(odd)))
}

const CHUNK: usize = 64 * 1024;

/// The text of a file in UTF-8, in chunks.
pub(super) struct Decoded {
    file: File,
    decoder: Decoder,
    chunk: Vec<u8>,
    read: u64,
    ended: bool,
}

impl Decoded {
    /// Starts at the first character, after the byte order mark.
    pub(super) fn start(mut file: File, encoding: Encoding) -> Result<Self, FileError> {
        file.seek(SeekFrom::Start(u64::from(encoding.bom))).map_err(|e| FileError::io(&e))?;
        let decoder = match encoding.name {
            Name::Utf8 => UTF_8,
            Name::Utf16Le => UTF_16LE,
            Name::Utf16Be => UTF_16BE,
            Name::Windows1252 => WINDOWS_1252,
        }
        .new_decoder_without_bom_handling();
        Ok(Self {
            file,
            decoder,
            chunk: Vec::with_capacity(CHUNK),
            read: u64::from(encoding.bom),
            ended: false,
        })
    }

    /// Appends the next piece to `out`; returns false at the end. Bytes that cannot be decoded become U+FFFD,
    /// which the row check refuses.
    pub(super) fn read(&mut self, out: &mut String) -> Result<bool, FileError> {
        if self.ended {
            return Ok(false);
        }
        self.chunk.clear();
        let read =
            (&self.file).take(CHUNK as u64).read_to_end(&mut self.chunk).map_err(|e| FileError::io(&e))?;
        self.read += read as u64;
        self.ended = read == 0;
        // Reserve for the worst case, so that one call always consumes the whole chunk.
        out.reserve(self.decoder.max_utf8_buffer_length(self.chunk.len()).unwrap_or(CHUNK * 4));
        let _ = self.decoder.decode_to_string(&self.chunk, out, self.ended);
        Ok(true)
    }

    /// Returns the number of source bytes consumed so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.read
    }
}
