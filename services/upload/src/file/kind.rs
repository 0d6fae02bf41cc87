//! Detects the type of a file by its content.
//!
//! Distinguishes text, workbooks and everything else, with messages that say what to do. Name and extension
//! are not trusted, because people and systems get them wrong; the name only affects the wording of a
//! refusal.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::damage::protected;
use super::decode::{self, Encoding};
use super::ole::Container;
use super::package::Format;
use super::{FileError, Limits, xls};

pub(super) enum Kind {
    Text(Encoding),
    Workbook(Format),
}

const HEAD: usize = 8 * 1024;
const OLE: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// Detects the type by the content; afterwards the file's position is undefined.
pub(super) fn detect(mut file: &File, filename: &str, limits: &Limits) -> Result<Kind, FileError> {
    let mut head = Vec::with_capacity(HEAD);
    file.seek(SeekFrom::Start(0))
        .and_then(|_| file.take(HEAD as u64).read_to_end(&mut head))
        .map_err(|e| FileError::io(&e))?;
    if head.starts_with(b"PK") {
        return match super::package::contents(file, limits)? {
            super::package::Contents::Workbook(format) => Ok(Kind::Workbook(format)),
            super::package::Contents::Other(what) => Err(unknown(what, filename)),
        };
    }
    if head.starts_with(OLE) {
        return old_office(file, filename);
    }
    if let Some(what) = known_binary(&head) {
        return Err(unknown(what, filename));
    }
    match decode::detect(file, &head)? {
        Some(encoding) => {
            if encoding.is_byte_wise() && looks_like_markup(&head) {
                return Err(unknown("a web page or an XML file", filename));
            }
            Ok(Kind::Text(encoding))
        }
        None => Err(unknown("not a text", filename)),
    }
}

fn known_binary(head: &[u8]) -> Option<&'static str> {
    const KNOWN: &[(&[u8], &str)] = &[
        (b"%PDF", "a PDF"),
        (b"\x89PNG", "an image"),
        (b"\xFF\xD8\xFF", "an image"),
        (b"GIF8", "an image"),
        (b"BM\x00", "an image"),
        (b"\x1F\x8B", "a packed file"),
        (b"7z\xBC\xAF", "a packed file"),
        (b"Rar!", "a packed file"),
        (b"{\\rtf", "a text document"),
    ];
    KNOWN.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, what)| *what)
}

/// Returns whether the file is markup: many systems name an HTML table or an XML spreadsheet ".xls".
fn looks_like_markup(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let start = text.trim_ascii_start();
    let start = start.get(..start.len().min(16)).unwrap_or_default().to_ascii_lowercase();
    [&b"<html"[..], b"<!doctype", b"<?xml", b"<table", b"<head", b"<meta"]
        .iter()
        .any(|tag| start.starts_with(tag))
}

/// Detects what a file is that begins like an old Office document. A workbook that is protected by a password
/// is such a file, too, whatever its own format is.
fn old_office(file: &File, filename: &str) -> Result<Kind, FileError> {
    let container = Container::open(file)?;
    if container.has("EncryptedPackage") {
        Err(protected())
    } else if xls::is_in(&container) {
        Ok(Kind::Workbook(Format::Xls))
    } else {
        Err(unknown("an old Office document that isn't a workbook", filename))
    }
}

fn unknown(what: &str, filename: &str) -> FileError {
    let named = if filename.is_empty() {
        "The file".to_owned()
    } else {
        format!("“{}”", super::header::shorten(filename, 80))
    };
    FileError::new(
        "FILE_TYPE_UNKNOWN",
        format!(
            "{named} is {what}, and only CSV, XLSX, XLS and ODS can be read. Open it in a spreadsheet program, save it as Excel Workbook (.xlsx) and upload that."
        ),
    )
}
