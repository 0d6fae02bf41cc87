//! Checks a workbook as a zip file before it is interpreted.
//!
//! Here: how many parts it has, that none is encrypted, their declared and actual unpacked size, and what
//! each would cost to read (`xml_budget`). The whole file is unpacked once for this, in small pieces: a zip's
//! declared sizes can be forged, and a reader that fails halfway would already have imported half.
//! Deliberately absent: repairing anything.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use zip::ZipArchive;
use zip::result::ZipError;

use super::damage::{damaged, protected, unpacked_too_large};
use super::xml_budget::{Budget, Scanner};
use super::{FileError, Limits};

/// Maximum parts of a workbook. Excel writes a few for each sheet and picture.
const MAX_PARTS: usize = 10_000;
/// Maximum bytes read of a manifest, which has one line for each part and picture.
const MAX_MANIFEST: u64 = 1 << 20;

/// The format of a workbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Xlsx,
    Ods,
    Xls,
}

pub(super) enum Contents {
    Workbook(Format),
    /// Another kind of file, with the words that name it in an error message.
    Other(&'static str),
}

type Archive<'a> = ZipArchive<BufReader<&'a File>>;

/// Returns which kind of file this is. The file begins like a zip, as workbooks and many other files do.
pub(super) fn contents(file: &File, limits: &Limits) -> Result<Contents, FileError> {
    let mut archive = match archive(file, limits)? {
        Some(archive) => archive,
        None => return Ok(Contents::Other("a damaged or incomplete workbook")),
    };
    let names: Vec<_> = archive.file_names().filter_map(Result::ok).collect();
    let has = |name: &str| names.iter().any(|n| n.eq_ignore_ascii_case(name));
    let under = |folder: &str| names.iter().any(|n| n.starts_with(folder));
    if has("mimetype") && (has("content.xml") || has("encrypted-package")) {
        return open_document(&mut archive);
    }
    Ok(if has("xl/workbook.bin") {
        Contents::Other("a binary Excel workbook (.xlsb)")
    } else if has("[Content_Types].xml") && under("xl/") {
        Contents::Workbook(Format::Xlsx)
    } else if under("word/") {
        Contents::Other("a Word document")
    } else if under("ppt/") {
        Contents::Other("a presentation")
    } else {
        Contents::Other("a packed file (.zip)")
    })
}

/// Reads the type that an OpenDocument file states, and refuses the file if its manifest lists encrypted
/// parts.
fn open_document(archive: &mut Archive<'_>) -> Result<Contents, FileError> {
    const SPREADSHEET: &str = "application/vnd.oasis.opendocument.spreadsheet";
    if beginning(archive, "META-INF/manifest.xml")?.contains("encryption-data") {
        return Err(protected());
    }
    Ok(if beginning(archive, "mimetype")?.starts_with(SPREADSHEET) {
        Contents::Workbook(Format::Ods)
    } else {
        Contents::Other("an OpenDocument file that is no spreadsheet")
    })
}

/// Returns the beginning of a part; empty when there is no such part.
fn beginning(archive: &mut Archive<'_>, name: &str) -> Result<String, FileError> {
    let part = match archive.by_name(name) {
        Ok(part) => part,
        Err(ZipError::FileNotFound) => return Ok(String::new()),
        Err(error) => return Err(broken(&error)),
    };
    let mut bytes = Vec::new();
    part.take(MAX_MANIFEST).read_to_end(&mut bytes).map_err(|e| damaged(&e.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Checks every part of a workbook, without keeping anything.
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
        // Only parts with these names are ever read as XML: `xml_budget` refuses links from the workbook to
        // other parts.
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

/// Returns the zip's directory; `None` when it has no readable one.
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

/// Counts the marks of directory entries in the file before a reader reserves memory for the entries. The
/// result is at least the number that any reader could find, wherever it looks for the directory. Compressed
/// bytes contain the mark by chance about once in four billion positions.
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
