//! Reads the records of an old Excel workbook one by one.
//!
//! Here: the stream cut into records, values of a record that may go on in CONTINUE records, and texts in both
//! of their encodings. One record is in memory, and all bytes that are read count against the limit of what may
//! be unpacked, because a sheet is read up to twice and a damaged file may name one place many times.

use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};

use encoding_rs::Encoding;

use super::damage::{damaged, unpacked_too_large};
use super::ole::Stream;
use super::text::cut;
use super::{FileError, Limits};

const CONTINUE: u16 = 0x003C;
const HEADER_BYTES: u64 = 4;
const WIDE: u8 = 0x01;
const HAS_PHONETICS: u8 = 0x04;
const HAS_FONTS: u8 = 0x08;

/// How texts are encoded.
#[derive(Clone, Copy)]
pub(super) enum Texts {
    /// One or two bytes for a character, as each text says: Excel 97 and later.
    Unicode,
    /// In the code page of the workbook: Excel 5 and 95.
    CodePage(&'static Encoding),
}

pub(super) struct Records {
    source: BufReader<Stream>,
    length: u64,
    /// Where the next record begins, behind `ahead`.
    position: u64,
    /// Type and length of the next record, if they have been read.
    ahead: Option<(u16, u16)>,
    body: Vec<u8>,
    /// Bytes of `body` that have been used.
    used: usize,
    limits: Limits,
    /// Bytes read so far, of all records.
    read: u64,
    units: Vec<u16>,
}

impl Records {
    pub(super) fn new(stream: Stream, limits: &Limits) -> Self {
        Self {
            length: stream.len(),
            source: BufReader::with_capacity(64 * 1024, stream),
            position: 0,
            ahead: None,
            body: Vec::new(),
            used: 0,
            limits: limits.clone(),
            read: 0,
            units: Vec::new(),
        }
    }

    /// Returns the position in the stream.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Continues at a position in the stream.
    pub(super) fn go_to(&mut self, position: u64) -> Result<(), FileError> {
        if position >= self.length {
            return Err(ended());
        }
        self.ahead = None;
        self.position = position;
        self.source.seek(SeekFrom::Start(position)).map(|_| ()).map_err(|e| FileError::io(&e))
    }

    /// Reads the next record and returns its type.
    pub(super) fn next(&mut self) -> Result<u16, FileError> {
        let (kind, length) = self.header()?;
        self.ahead = None;
        self.used = 0;
        self.body.resize(length.into(), 0);
        self.source.read_exact(&mut self.body).map_err(|e| failed(&e))?;
        self.count(length.into())?;
        Ok(kind)
    }

    fn header(&mut self) -> Result<(u16, u16), FileError> {
        if let Some(header) = self.ahead {
            return Ok(header);
        }
        let mut bytes = [0; HEADER_BYTES as usize];
        self.source.read_exact(&mut bytes).map_err(|e| failed(&e))?;
        self.count(HEADER_BYTES)?;
        let [a, b, c, d] = bytes;
        let header = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        self.ahead = Some(header);
        Ok(header)
    }

    fn count(&mut self, bytes: u64) -> Result<(), FileError> {
        self.position += bytes;
        self.read += bytes;
        if self.read > self.limits.max_unpacked_bytes {
            return Err(unpacked_too_large(&self.limits));
        }
        Ok(())
    }

    /// Returns how many bytes of the current record are left, without those that continue it.
    pub(super) fn rest(&self) -> usize {
        self.body.len() - self.used
    }

    /// Returns whether the values of the current record go on, in itself or in a record that continues it.
    pub(super) fn goes_on(&mut self) -> Result<bool, FileError> {
        while self.rest() == 0 {
            if self.header()?.0 != CONTINUE {
                return Ok(false);
            }
            self.next()?;
        }
        Ok(true)
    }

    fn must_go_on(&mut self) -> Result<(), FileError> {
        if self.goes_on()? { Ok(()) } else { Err(damaged("one of its records is too short")) }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        if let Some(bytes) = self.body.get(self.used..).and_then(|rest| rest.first_chunk::<N>()) {
            self.used += N;
            return Ok(*bytes);
        }
        let mut bytes = [0; N];
        for byte in &mut bytes {
            self.must_go_on()?;
            *byte = self.body.get(self.used).copied().unwrap_or_default();
            self.used += 1;
        }
        Ok(bytes)
    }

    pub(super) fn u8(&mut self) -> Result<u8, FileError> {
        self.bytes().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, FileError> {
        self.bytes().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, FileError> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub(super) fn eight(&mut self) -> Result<[u8; 8], FileError> {
        self.bytes()
    }

    pub(super) fn skip(&mut self, mut bytes: u64) -> Result<(), FileError> {
        while bytes > 0 {
            self.must_go_on()?;
            let step = bytes.min(self.rest() as u64);
            self.used += step as usize;
            bytes -= step;
        }
        Ok(())
    }

    /// Reads a text that says its length in one byte, such as the name of a sheet.
    pub(super) fn short_text(&mut self, texts: Texts) -> Result<String, FileError> {
        let length = self.u8()?;
        self.text_of(length.into(), texts)
    }

    /// Reads a text that says its length in two bytes, and keeps the first `max_cell_chars` of its characters.
    pub(super) fn text(&mut self, texts: Texts) -> Result<String, FileError> {
        let length = self.u16()?;
        self.text_of(length.into(), texts)
    }

    fn text_of(&mut self, length: usize, texts: Texts) -> Result<String, FileError> {
        let max = self.limits.max_cell_chars;
        if let Texts::CodePage(encoding) = texts {
            let bytes = self.body.get(self.used..).and_then(|rest| rest.get(..length));
            let text = bytes.map(|bytes| encoding.decode_without_bom_handling(bytes).0.into_owned());
            self.used += length.min(self.rest());
            return text.map(|text| cut(text, max)).ok_or_else(|| damaged("a text is too short"));
        }
        let flags = self.u8()?;
        let fonts = if flags & HAS_FONTS != 0 { self.u16()? } else { 0 };
        let phonetics = if flags & HAS_PHONETICS != 0 { self.u32()? } else { 0 };
        self.units.clear();
        self.characters(length, flags & WIDE != 0, max.saturating_mul(2))?;
        self.skip(u64::from(fonts) * 4 + u64::from(phonetics))?;
        let characters = char::decode_utf16(self.units.iter().copied());
        let text = characters.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Ok(cut(text, max))
    }

    /// Collects the code units of a text. Wherever it goes on in another record, that begins with a byte that
    /// says how wide its characters are.
    fn characters(&mut self, mut length: usize, mut wide: bool, keep: usize) -> Result<(), FileError> {
        while length > 0 {
            if self.rest() == 0 {
                self.must_go_on()?;
                wide = self.u8()? & WIDE != 0;
                continue;
            }
            let width = if wide { 2 } else { 1 };
            let bytes = self.body.get(self.used..).unwrap_or_default();
            let here = (bytes.len() / width).min(length);
            if here == 0 {
                return Err(damaged("a text is cut within a character"));
            }
            let kept = here.min(keep.saturating_sub(self.units.len()));
            let units = bytes.chunks_exact(width).take(kept);
            self.units.extend(units.map(|unit| {
                let high = unit.get(1).copied().unwrap_or_default();
                u16::from_le_bytes([unit.first().copied().unwrap_or_default(), high])
            }));
            self.used += here * width;
            length -= here;
        }
        Ok(())
    }
}

fn failed(error: &std::io::Error) -> FileError {
    if error.kind() == ErrorKind::UnexpectedEof { ended() } else { FileError::io(error) }
}

fn ended() -> FileError {
    damaged("it is incomplete")
}
