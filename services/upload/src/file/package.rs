//! A workbook as a zip file, checked before anything interprets it.
//!
//! Here: how many parts it has, that none is locked, how much they say and how much they really
//! unpack to, and what each would cost to read (`xml_budget`). The whole file is unpacked once for
//! this, in small pieces: what a zip declares is written by whoever made it, and a reader that
//! fails halfway has already imported half. Deliberately absent: repairing anything.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use zip::ZipArchive;
use zip::result::ZipError;

use super::xml_budget::{Budget, Scanner};
use super::{FileError, Limits, header};

/// Parts of a workbook. Excel writes a few for each sheet and picture.
const MAX_PARTS: usize = 10_000;

pub(super) enum Contents {
    Workbook,
    /// What it is instead, for a message.
    Other(&'static str),
}

type Archive<'a> = ZipArchive<BufReader<&'a File>>;

/// What a file that begins like a zip holds.
pub(super) fn contents(file: &File, limits: &Limits) -> Result<Contents, FileError> {
    let archive = match archive(file, limits)? {
        Some(archive) => archive,
        None => return Ok(Contents::Other("a damaged or incomplete workbook")),
    };
    let names: Vec<_> = archive.file_names().filter_map(Result::ok).collect();
    let has = |name: &str| names.iter().any(|n| n.eq_ignore_ascii_case(name));
    let under = |folder: &str| names.iter().any(|n| n.starts_with(folder));
    Ok(if has("xl/workbook.bin") {
        Contents::Other("a binary Excel workbook (.xlsb)")
    } else if has("[Content_Types].xml") && under("xl/") {
        Contents::Workbook
    } else if has("mimetype") && has("content.xml") {
        Contents::Other("an OpenDocument file (.ods)")
    } else if under("word/") {
        Contents::Other("a Word document")
    } else if under("ppt/") {
        Contents::Other("a presentation")
    } else {
        Contents::Other("a packed file (.zip)")
    })
}

/// Checks every part of a workbook; nothing of it is kept.
pub(super) fn check(file: &File, limits: &Limits) -> Result<(), FileError> {
    let mut archive = archive(file, limits)?.ok_or_else(|| damaged("its directory is missing"))?;
    let mut declared = 0u64;
    for index in 0..archive.len() {
        let part = archive.by_index_raw(index).map_err(|e| broken(&e))?;
        if part.encrypted() {
            return Err(protected());
        }
        declared = declared.saturating_add(part.size());
    }
    if declared > limits.max_unpacked_bytes {
        return Err(unpacked_too_large(limits));
    }
    let mut budget = Budget::default();
    let mut unpacked = 0u64;
    let mut piece = vec![0; 64 * 1024];
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(|e| broken(&e))?;
        let name = part.name().map_err(|e| broken(&e))?.to_ascii_lowercase();
        // Only these are ever opened as XML: `xml_budget` refuses links of the workbook to others.
        let mut scanner =
            (name.ends_with(".xml") || name.ends_with(".rels")).then(|| Scanner::new(&mut budget));
        loop {
            let read = part.read(&mut piece).map_err(|e| damaged(&e.to_string()))?;
            let Some(bytes) = piece.get(..read).filter(|bytes| !bytes.is_empty()) else {
                break;
            };
            unpacked += read as u64;
            if unpacked > limits.max_unpacked_bytes {
                return Err(unpacked_too_large(limits));
            }
            if let Some(scanner) = &mut scanner {
                scanner.push(bytes)?;
            }
        }
    }
    budget.check(limits.max_kept_bytes)
}

/// The zip's directory, or nothing when it has none that can be read.
fn archive<'a>(file: &'a File, limits: &Limits) -> Result<Option<Archive<'a>>, FileError> {
    if directory_entries(file, limits)? > MAX_PARTS {
        return Err(FileError::new(
            "FILE_TOO_COMPLEX",
            format!("The workbook has more than {MAX_PARTS} parts. Save it as CSV and upload that."),
        ));
    }
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(0)).map_err(|e| FileError::io(&e))?;
    match ZipArchive::new(reader) {
        Ok(archive) => Ok(Some(archive)),
        Err(ZipError::Io(e)) if e.kind() != std::io::ErrorKind::UnexpectedEof => Err(FileError::io(&e)),
        Err(_) => Ok(None),
    }
}

/// How often the mark of a directory entry stands in the file: at least as many entries as any
/// reader could find, wherever it looks for the directory. Counted before a reader reserves
/// memory for them. Compressed bytes hold the mark by chance once in four billion.
fn directory_entries(mut file: &File, limits: &Limits) -> Result<usize, FileError> {
    const MARK: &[u8] = b"PK\x01\x02";
    file.seek(SeekFrom::Start(0)).map_err(|e| FileError::io(&e))?;
    let mut window = Vec::with_capacity(64 * 1024 + MARK.len());
    let mut count = 0;
    let mut source = file.take(limits.max_bytes.saturating_add(1));
    loop {
        let kept = window.len().min(MARK.len() - 1);
        window.drain(..window.len() - kept);
        let read = (&mut source).take(64 * 1024).read_to_end(&mut window).map_err(|e| FileError::io(&e))?;
        if read == 0 {
            return Ok(count);
        }
        count += window.windows(MARK.len()).filter(|part| *part == MARK).count();
    }
}

fn broken(error: &ZipError) -> FileError {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => protected(),
        other => damaged(&other.to_string()),
    }
}

fn protected() -> FileError {
    FileError::new(
        "FILE_PROTECTED",
        "The file is protected by a password. Remove the password and upload it again.",
    )
}

/// The workbook contradicts itself or uses what cannot be read.
pub(super) fn damaged(why: &str) -> FileError {
    FileError::new(
        "FILE_NOT_READABLE",
        format!(
            "The workbook cannot be read ({}). Open it, save it again as Excel Workbook (.xlsx) or as CSV, and upload that.",
            header::shorten(why, 120)
        ),
    )
}

pub(super) fn unpacked_too_large(limits: &Limits) -> FileError {
    FileError::new(
        "FILE_UNPACKED_TOO_LARGE",
        format!(
            "The workbook unpacks to more than {} MB. Remove pictures and sheets that do not belong to the deliveries, or save it as CSV, and upload it again.",
            limits.max_unpacked_bytes >> 20
        ),
    )
}
