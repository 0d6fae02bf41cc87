//! Which encoding a text file has, and its text as UTF-8, piece by piece.
//!
//! Here: byte order marks, UTF-16 without one, UTF-8 by being valid to the last byte, else
//! Windows-1252, which is what Excel writes as plain "CSV" on most office machines. Deliberately
//! absent: guesses by letter frequency; they turn names into other names.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use encoding_rs::{Decoder, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::FileError;

/// How the bytes are to be read.
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
    /// Whether ASCII is one byte a character.
    pub(super) fn is_byte_wise(self) -> bool {
        matches!(self.name, Name::Utf8 | Name::Windows1252)
    }
}

/// The encoding, or nothing when it is not text. `head` is how the file begins.
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
    // One in ten: a text with a stray control character is still a text, and its row says so.
    let odd = head.iter().filter(|b| b.is_ascii_control() && !matches!(b, b'\t' | b'\r' | b'\n')).count();
    if odd * 10 > head.len() {
        return Ok(None);
    }
    if is_utf8(file)? { with(Name::Utf8, 0) } else { with(Name::Windows1252, 0) }
}

/// Text in Latin letters has a zero in every second byte; which one tells the order.
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

/// Reads the whole file once: one wrong byte near the end must not turn the names before it into
/// something else than the names after it.
fn is_utf8(mut file: &File) -> Result<bool, FileError> {
    file.seek(SeekFrom::Start(0)).map_err(|e| FileError::io(&e))?;
    let mut chunk = Vec::with_capacity(CHUNK + 4);
    loop {
        let carried = chunk.len();
        let read = file.take(CHUNK as u64).read_to_end(&mut chunk).map_err(|e| FileError::io(&e))?;
        if read == 0 {
            return Ok(carried == 0);
        }
        match std::str::from_utf8(&chunk) {
            Ok(_) => chunk.clear(),
            // A character cut by the end of the chunk.
            Err(e) if e.error_len().is_none() => {
                chunk.drain(..e.valid_up_to());
            }
            Err(_) => return Ok(false),
        }
    }
}

const CHUNK: usize = 64 * 1024;

/// The text of a file in UTF-8, a chunk at a time.
pub(super) struct Decoded {
    file: File,
    decoder: Decoder,
    chunk: Vec<u8>,
    read: u64,
    ended: bool,
}

impl Decoded {
    /// From the first character on, the byte order mark left out.
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

    /// Appends the next piece to `out`; false when there is none left. What cannot be decoded
    /// becomes U+FFFD, which the row check refuses.
    pub(super) fn read(&mut self, out: &mut String) -> Result<bool, FileError> {
        if self.ended {
            return Ok(false);
        }
        self.chunk.clear();
        let read =
            (&self.file).take(CHUNK as u64).read_to_end(&mut self.chunk).map_err(|e| FileError::io(&e))?;
        self.read += read as u64;
        self.ended = read == 0;
        // Room for the worst case, so that one call always takes the whole chunk.
        out.reserve(self.decoder.max_utf8_buffer_length(self.chunk.len()).unwrap_or(CHUNK * 4));
        let _ = self.decoder.decode_to_string(&self.chunk, out, self.ended);
        Ok(true)
    }

    /// Source bytes taken so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.read
    }
}
