//! The fonts of the system, for characters that Inter lacks.
//!
//! The first such character causes a scan of the font directories, which reads character map and weight of
//! each file and takes milliseconds. A font itself is loaded on first use, and kept. The choice depends only
//! on names and weights, so the same machine prints the same file.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use read_fonts::tables::cmap::Cmap;
use read_fonts::{FontData, FontRead};

use super::Weight;
use super::face::{Face, is_joiner};

const DIRECTORIES: &[&str] =
    &["/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts"];
const MAX_DEPTH: usize = 5;
const MAX_FILES: usize = 4_000;
/// Maximum size of one table of a font file: fonts that suit a form have no larger ones.
const MAX_TABLE: u32 = 8 << 20;
const MAX_FILE: u64 = 64 << 20;
/// Maximum number of cached choices.
const MAX_CHOICES: usize = 8_192;

/// A font that was found but is not loaded yet.
struct Found {
    path: PathBuf,
    /// Index of the font within a collection file.
    index: u32,
    weight: u16,
    /// How well the font suits Inter; lower is better.
    rank: u8,
    /// The font's character map.
    map: Vec<u8>,
    face: OnceLock<Option<Arc<Face>>>,
}

pub struct SystemFonts {
    found: Vec<Found>,
    /// The index of the font for given characters and weight (`true` is strong); `None` if no font has them.
    choices: Mutex<HashMap<(String, bool), Option<usize>>>,
}

impl SystemFonts {
    pub fn find() -> Self {
        let mut files = Vec::new();
        for directory in DIRECTORIES {
            collect(Path::new(directory), 0, &mut files);
        }
        files.sort();
        let found = files.iter().flat_map(|path| read(path).unwrap_or_default()).collect::<Vec<_>>();
        tracing::debug!(fonts = found.len(), "fonts of the system for delivery forms");
        Self { found, choices: Mutex::default() }
    }

    /// Returns the font for characters that belong together.
    pub fn face(&self, letters: &str, weight: Weight) -> Option<Arc<Face>> {
        let asked = (letters.to_owned(), weight == Weight::Strong);
        let known = self.choices.lock().unwrap_or_else(PoisonError::into_inner).get(&asked).copied();
        let choice = known.unwrap_or_else(|| {
            let choice = self.choose(letters, weight);
            let mut choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
            if choices.len() >= MAX_CHOICES {
                choices.clear();
            }
            choices.insert(asked, choice);
            choice
        });
        self.found[choice?].open()
    }

    fn choose(&self, letters: &str, weight: Weight) -> Option<usize> {
        let wanted: u16 = if weight == Weight::Strong { 700 } else { 400 };
        let fitting = self.found.iter().enumerate().filter(|(_, font)| font.has(letters));
        let mut fitting: Vec<_> = fitting.collect();
        fitting.sort_by_key(|(at, font)| (font.rank, font.weight.abs_diff(wanted), *at));
        // Load a file only if it is going to be used.
        fitting.into_iter().find(|(_, font)| font.open().is_some()).map(|(at, _)| at)
    }
}

impl Found {
    fn has(&self, letters: &str) -> bool {
        let Ok(map) = Cmap::read(FontData::new(&self.map)) else { return false };
        letters.chars().all(|c| is_joiner(c) || map.map_codepoint(c).is_some_and(|glyph| glyph.to_u32() != 0))
    }

    fn open(&self) -> Option<Arc<Face>> {
        let open = || {
            let bytes = std::fs::read(&self.path).ok()?;
            Face::new(Arc::new(bytes), self.index).map(Arc::new)
        };
        self.face.get_or_init(open).clone()
    }
}

fn collect(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if files.len() >= MAX_FILES {
            return;
        }
        if path.is_dir() {
            if depth < MAX_DEPTH {
                collect(&path, depth + 1, files);
            }
        } else if path
            .extension()
            .is_some_and(|it| ["ttf", "otf", "ttc", "otc"].iter().any(|e| it.eq_ignore_ascii_case(e)))
        {
            files.push(path);
        }
    }
}

/// Returns the usable fonts of a file.
fn read(path: &Path) -> Option<Vec<Found>> {
    let rank = rank(path)?;
    let mut file = File::open(path).ok()?;
    if file.metadata().ok()?.len() > MAX_FILE {
        return None;
    }
    let mut head = [0; 12];
    file.read_exact(&mut head).ok()?;
    let starts: Vec<u32> = match &head[..4] {
        b"ttcf" => {
            let count = u32::from_be_bytes([head[8], head[9], head[10], head[11]]).min(64);
            let bytes = bytes(&mut file, 12, count * 4)?;
            bytes.chunks_exact(4).map(|it| u32::from_be_bytes([it[0], it[1], it[2], it[3]])).collect()
        }
        _ => vec![0],
    };
    let fonts = starts.into_iter().zip(0_u32..);
    let fonts = fonts.filter_map(|(start, index)| {
        let tables = tables(&mut file, start)?;
        let find =
            |tag: &[u8; 4]| tables.iter().find(|(name, ..)| name == tag).map(|&(_, at, length)| (at, length));
        // Color glyphs have no outlines and would not print.
        let is_coloured = [b"COLR", b"CBDT", b"sbix", b"SVG "].into_iter().any(|tag| find(tag).is_some());
        if is_coloured || (find(b"glyf").is_none() && find(b"CFF ").is_none()) {
            return None;
        }
        let (at, length) = find(b"cmap")?;
        let map = bytes(&mut file, at, length)?;
        let weight = find(b"OS/2").and_then(|(at, _)| bytes(&mut file, at + 4, 2));
        let weight = weight.map_or(400, |it| u16::from_be_bytes([it[0], it[1]]));
        Some(Found { path: path.to_owned(), index, weight, rank, map, face: OnceLock::new() })
    });
    Some(fonts.collect())
}

/// Returns name, offset and length of each table.
fn tables(file: &mut File, start: u32) -> Option<Vec<([u8; 4], u32, u32)>> {
    let head = bytes(file, start, 12)?;
    let count = u32::from(u16::from_be_bytes([head[4], head[5]]));
    let records = bytes(file, start.checked_add(12)?, count * 16)?;
    let number = |it: &[u8]| u32::from_be_bytes([it[0], it[1], it[2], it[3]]);
    let record = |it: &[u8]| ([it[0], it[1], it[2], it[3]], number(&it[8..12]), number(&it[12..16]));
    Some(records.chunks_exact(16).map(record).collect())
}

fn bytes(file: &mut File, at: u32, length: u32) -> Option<Vec<u8>> {
    if length > MAX_TABLE {
        return None;
    }
    file.seek(SeekFrom::Start(at.into())).ok()?;
    let mut bytes = vec![0; length as usize];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

/// Ranks a font: upright sans-serif fonts suit Inter best. Returns `None` for slanted ones.
fn rank(path: &Path) -> Option<u8> {
    let name = path.file_stem()?.to_str()?;
    if ["Italic", "Oblique", "Emoji", "LastResort"].iter().any(|word| name.contains(word)) {
        return None;
    }
    let is_odd = ["Mono", "Condensed", "Display", "Unjoined", "Looped", "Slanted"]
        .iter()
        .any(|word| name.contains(word));
    Some(match name {
        _ if is_odd => 3,
        _ if name.starts_with("NotoSans") => 0,
        _ if name.starts_with("Noto") => 1,
        _ => 2,
    })
}
