//! Finds streams in an OLE compound file, the container of old Office documents.
//!
//! Every table is read at most to the length that the size of the file justifies, whatever the file claims,
//! and a chain that returns to one of its sectors is refused. Deliberately absent: storages below the root,
//! which hold embedded documents.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use super::FileError;
use super::damage::{damaged, too_complex};

/// Maximum number of directory entries. A workbook has a handful, and a few for each embedded document.
const MAX_ENTRIES: usize = 10_000;
const HEADER_BYTES: usize = 512;
const ENTRY_BYTES: usize = 128;
const MINI_SECTOR: u64 = 64;
const ID_BYTES: usize = 4;
/// Sector numbers from here on are marks: free, end of chain, table.
const FIRST_MARK: u32 = 0xFFFF_FFFA;
const NO_ENTRY: u32 = 0xFFFF_FFFF;
const STREAM: u8 = 2;

#[derive(Clone)]
struct Entry {
    name: String,
    kind: u8,
    left: u32,
    right: u32,
    child: u32,
    first: u32,
    length: u64,
}

pub(super) struct Container<'a> {
    sectors: Sectors<'a>,
    /// The sector that follows each sector.
    follows: Vec<u32>,
    root: Entry,
    /// Streams right below the root.
    streams: Vec<Entry>,
    /// Shorter streams are stored in the mini stream, which is the root's own.
    cutoff: u64,
    mini_table: u32,
}

impl<'a> Container<'a> {
    /// Reads the tables and the directory; fails with FILE_NOT_READABLE or FILE_TOO_COMPLEX.
    pub(super) fn open(mut file: &'a File) -> Result<Self, FileError> {
        let mut header = [0; HEADER_BYTES];
        file.seek(SeekFrom::Start(0)).map_err(|e| FileError::io(&e))?;
        file.read_exact(&mut header).map_err(|e| failed(&e))?;
        let size = match u16_at(&header, 30) {
            9 => 512,
            12 => 4096,
            _ => return Err(broken()),
        };
        let length = file.metadata().map_err(|e| FileError::io(&e))?.len();
        let count = length.div_ceil(size).saturating_sub(1);
        let sectors = Sectors { file, size, count: u32::try_from(count).map_err(|_| broken())? };
        let follows = sectors.table(&header)?;
        let mut entries = sectors.entries(&follows, u32_at(&header, 48))?;
        let streams = below_root(&entries)?;
        let root = entries.swap_remove(0);
        let (cutoff, mini_table) = (u32_at(&header, 56).into(), u32_at(&header, 60));
        Ok(Self { sectors, follows, root, streams, cutoff, mini_table })
    }

    /// Returns whether there is a stream of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.streams.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// Returns the stream of this name; fails with FILE_NOT_READABLE when there is none.
    pub(super) fn stream(&self, name: &str) -> Result<Stream, FileError> {
        let entry = self.entry(name).ok_or_else(broken)?;
        let (piece, pieces) = if entry.length < self.cutoff {
            (MINI_SECTOR, self.mini_pieces(entry)?)
        } else {
            (self.sectors.size, self.pieces(entry)?)
        };
        let length = entry.length.min(piece.saturating_mul(pieces.len() as u64));
        let file = self.sectors.file.try_clone().map_err(|e| FileError::io(&e))?;
        Ok(Stream { file, pieces, piece, length, at: 0 })
    }

    /// Returns where in the file the sectors of an entry begin.
    fn pieces(&self, entry: &Entry) -> Result<Vec<u64>, FileError> {
        let needed = entry.length.div_ceil(self.sectors.size);
        let chain = chain(&self.follows, entry.first, needed)?;
        chain.into_iter().map(|sector| self.sectors.begin(sector)).collect()
    }

    fn mini_pieces(&self, entry: &Entry) -> Result<Vec<u64>, FileError> {
        let pieces = self.pieces(&self.root)?;
        let per_sector = self.sectors.size / MINI_SECTOR;
        let minis = pieces.len() as u64 * per_sector;
        let table =
            chain(&self.follows, self.mini_table, (minis * ID_BYTES as u64).div_ceil(self.sectors.size))?;
        let mut follows = Vec::new();
        for sector in table {
            follows.extend(ids(&self.sectors.read(sector)?));
        }
        let chain = chain(&follows, entry.first, entry.length.div_ceil(MINI_SECTOR))?;
        let begin = |mini: u32| {
            let (sector, within) = (u64::from(mini) / per_sector, u64::from(mini) % per_sector);
            pieces.get(sector as usize).map(|begin| begin + within * MINI_SECTOR).ok_or_else(broken)
        };
        chain.into_iter().map(begin).collect()
    }
}

struct Sectors<'a> {
    file: &'a File,
    size: u64,
    /// Number of sectors in the file, of which the last may be incomplete.
    count: u32,
}

impl Sectors<'_> {
    fn begin(&self, sector: u32) -> Result<u64, FileError> {
        if sector >= self.count {
            return Err(incomplete());
        }
        Ok((u64::from(sector) + 1) * self.size)
    }

    /// Reads a sector; what the end of the file cuts off is zero.
    fn read(&self, sector: u32) -> Result<Vec<u8>, FileError> {
        let mut file = self.file;
        let mut bytes = Vec::with_capacity(self.size as usize);
        file.seek(SeekFrom::Start(self.begin(sector)?))
            .and_then(|_| file.take(self.size).read_to_end(&mut bytes))
            .map_err(|e| FileError::io(&e))?;
        bytes.resize(self.size as usize, 0);
        Ok(bytes)
    }

    /// Reads the table of which sector follows which. Its own sectors are listed in the header and, for files
    /// above 7 MB, in a chain of further lists.
    fn table(&self, header: &[u8; HEADER_BYTES]) -> Result<Vec<u32>, FileError> {
        let per_sector = self.size as usize / ID_BYTES;
        let needed = (self.count as usize).div_ceil(per_sector);
        let used = |id: &u32| *id < FIRST_MARK;
        let mut listed: Vec<u32> = ids(header.get(76..).unwrap_or_default()).filter(used).collect();
        let mut next = u32_at(header, 68);
        let mut lists = 0;
        while listed.len() < needed && next < FIRST_MARK {
            lists += 1;
            if lists > needed {
                return Err(broken());
            }
            let mut more: Vec<u32> = ids(&self.read(next)?).collect();
            next = more.pop().unwrap_or(FIRST_MARK);
            listed.extend(more.into_iter().filter(used));
        }
        let mut table = Vec::with_capacity(needed.min(listed.len()) * per_sector);
        for sector in listed.into_iter().take(needed) {
            table.extend(ids(&self.read(sector)?));
        }
        Ok(table)
    }

    /// Reads the directory; never empty.
    fn entries(&self, follows: &[u32], first: u32) -> Result<Vec<Entry>, FileError> {
        let per_sector = self.size as usize / ENTRY_BYTES;
        let most = MAX_ENTRIES.div_ceil(per_sector);
        let chain = chain(follows, first, most as u64 + 1)?;
        if chain.len() > most {
            return Err(too_complex("has too many embedded documents"));
        }
        let mut entries = Vec::with_capacity(chain.len() * per_sector);
        for sector in chain {
            let bytes = self.read(sector)?;
            entries.extend(bytes.chunks_exact(ENTRY_BYTES).map(|entry| self.entry(entry)));
        }
        if entries.is_empty() { Err(broken()) } else { Ok(entries) }
    }

    fn entry(&self, bytes: &[u8]) -> Entry {
        let units = bytes.chunks_exact(2).take(32).map(|unit| u16_at(unit, 0)).take_while(|unit| *unit != 0);
        let name = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        // Files with small sectors use the lower half only; the other may hold anything.
        let upper = if self.size > 512 { u32_at(bytes, 124) } else { 0 };
        Entry {
            name,
            kind: bytes.get(66).copied().unwrap_or_default(),
            left: u32_at(bytes, 68),
            right: u32_at(bytes, 72),
            child: u32_at(bytes, 76),
            first: u32_at(bytes, 116),
            length: u64::from(upper) << 32 | u64::from(u32_at(bytes, 120)),
        }
    }
}

/// Returns the streams right below the root, which is the first entry.
fn below_root(entries: &[Entry]) -> Result<Vec<Entry>, FileError> {
    let mut seen = vec![false; entries.len()];
    let mut open: Vec<u32> = entries.iter().take(1).map(|root| root.child).collect();
    let mut streams = Vec::new();
    while let Some(at) = open.pop() {
        if at == NO_ENTRY {
            continue;
        }
        let (Some(entry), Some(seen)) = (entries.get(at as usize), seen.get_mut(at as usize)) else {
            return Err(broken());
        };
        if std::mem::replace(seen, true) {
            return Err(broken());
        }
        if entry.kind == STREAM {
            streams.push(entry.clone());
        }
        open.extend([entry.left, entry.right]);
    }
    Ok(streams)
}

/// Returns the sectors of a chain in order, at most `most`.
fn chain(follows: &[u32], first: u32, most: u64) -> Result<Vec<u32>, FileError> {
    let mut seen = vec![false; follows.len()];
    let (mut chain, mut next) = (Vec::new(), first);
    while next < FIRST_MARK && (chain.len() as u64) < most {
        let (Some(after), Some(seen)) = (follows.get(next as usize), seen.get_mut(next as usize)) else {
            return Err(incomplete());
        };
        if std::mem::replace(seen, true) {
            return Err(damaged("a chain of its sectors has no end"));
        }
        chain.push(next);
        next = *after;
    }
    Ok(chain)
}

/// A stream as one piece, wherever its sectors are in the file.
pub(super) struct Stream {
    file: File,
    /// Positions in the file of the pieces, which have the same length except the last.
    pieces: Vec<u64>,
    piece: u64,
    length: u64,
    at: u64,
}

impl Stream {
    /// Returns the length in bytes.
    pub(super) fn len(&self) -> u64 {
        self.length
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let (index, within) = ((self.at / self.piece) as usize, self.at % self.piece);
        let Some(begin) = self.pieces.get(index).filter(|_| self.at < self.length) else { return Ok(0) };
        let mut run = self.piece;
        // Pieces that are neighbors in the file are read at once.
        for next in self.pieces.iter().skip(index + 1) {
            if run - within >= into.len() as u64 || *next != begin + run {
                break;
            }
            run += self.piece;
        }
        let most = (run - within).min(self.length - self.at).min(into.len() as u64);
        self.file.seek(SeekFrom::Start(begin + within))?;
        let read = self.file.read(into.get_mut(..most as usize).unwrap_or_default())?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Stream {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
        };
        self.at = at.ok_or(ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

fn ids(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(ID_BYTES).map(|id| u32_at(id, 0))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Reports that a file ended where more was expected, or could not be read at all.
fn failed(error: &io::Error) -> FileError {
    if error.kind() == ErrorKind::UnexpectedEof { incomplete() } else { FileError::io(error) }
}

fn incomplete() -> FileError {
    damaged("it is incomplete")
}

fn broken() -> FileError {
    damaged("its directory is damaged")
}
