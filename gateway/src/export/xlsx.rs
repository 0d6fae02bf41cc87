//! The table as a workbook of one sheet, written row by row to a file, so that memory does not grow. Every
//! text is a text cell, which no spreadsheet evaluates. A text that begins like a formula is also marked in
//! its format, so that it stays a text when somebody edits it.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use chrono::TimeZone;
use kit::sheet::write_xlsx;
use kit::{Error, Result};
use proto::deliveries::v1::ExportedDelivery;
use rust_xlsxwriter::{Format, Workbook, XlsxError};
use tokio::task::JoinError;

use super::{Cell, HEADER, rows};

/// Maximum number of rows of a sheet, without the header.
pub const MAX_ROWS: u32 = 1_048_575;
/// About the bytes of a cell in the temporary file, in addition to its text.
const CELL_BYTES: u64 = 60;

pub struct Book {
    workbook: Workbook,
    quoted: Format,
    next: u32,
    max_rows: u32,
    /// How many more bytes the temporary files may take.
    room: u64,
}

impl Book {
    /// Starts a workbook. Its temporary files go to `dir` and take about `room` bytes at most.
    pub fn begin(dir: &Path, max_rows: u32, room: u64) -> Result<Self> {
        let mut workbook = Workbook::new();
        workbook.set_tempdir(dir).map_err(failed)?;
        let bold = Format::new().set_bold();
        let sheet = workbook.add_worksheet_with_constant_memory().map_err(failed)?;
        sheet.set_name("Deliveries").map_err(failed)?;
        sheet.set_freeze_panes(1, 0).map_err(failed)?;
        for (column, name) in (0..).zip(HEADER) {
            sheet.write_string_with_format(0, column, name, &bold).map_err(failed)?;
        }
        Ok(Self { workbook, quoted: Format::new().set_quote_prefix(), next: 1, max_rows, room })
    }

    pub fn add<Z: TimeZone>(&mut self, exported: &ExportedDelivery, zone: &Z) -> Result<()>
    where
        Z::Offset: std::fmt::Display,
    {
        let Self { workbook, quoted, next, max_rows, room } = self;
        let sheet = workbook.worksheet_from_index(0).map_err(failed)?;
        rows(exported, zone, |row| {
            if *next > *max_rows {
                return Err(too_many());
            }
            let size: u64 = row.iter().map(size_of_cell).sum();
            *room = room.checked_sub(size).ok_or_else(too_large)?;
            write_xlsx(sheet, *next, row, quoted)?;
            *next += 1;
            Ok(())
        })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        u64::from(self.next - 1)
    }

    /// Returns the complete file, positioned at its beginning.
    pub fn finish(mut self, dir: &Path) -> Result<File> {
        let mut file = tempfile::tempfile_in(dir).map_err(kit::blob::io)?;
        let mut limited = Limited { file: &mut file, room: self.room, is_over: false };
        let saved = save(&mut self.workbook, &mut limited);
        if limited.is_over {
            return Err(too_large());
        }
        saved?;
        file.rewind().map_err(kit::blob::io)?;
        Ok(file)
    }
}

/// A file that takes only so many bytes, like one on a full disk.
struct Limited<'a> {
    file: &'a mut File,
    room: u64,
    /// Whether it was given more.
    is_over: bool,
}

impl Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.room {
            self.is_over = true;
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let written = self.file.write(bytes)?;
        self.room -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Limited<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

fn save(workbook: &mut Workbook, file: &mut Limited<'_>) -> Result<()> {
    let mut writer = BufWriter::new(file);
    workbook.save_to_writer(&mut writer).map_err(failed)?;
    writer.flush().map_err(kit::blob::io)
}

/// Converts the panic of a task that writes a workbook: the library panics when it can't write a row to its temporary
/// file, with the kind of the error in the text. Returns `STORAGE_FULL` if a full disk is the cause.
pub fn panicked(error: JoinError) -> Error {
    let (kinds, text) = (kit::disk::FULL.into_iter(), error.to_string());
    match kinds.map(|kind| (kind, format!("{kind:?}"))).find(|(_, name)| text.contains(name)) {
        Some((kind, _)) => kit::blob::io(io::Error::new(kind, error)),
        None => Error::internal(error),
    }
}

fn size_of_cell(cell: &Cell<'_>) -> u64 {
    match cell {
        Cell::Empty => 0,
        Cell::Text(text) | Cell::Decimal(text) => CELL_BYTES + text.len() as u64,
        Cell::Number(_) | Cell::Count(_) => CELL_BYTES,
    }
}

fn too_large() -> Error {
    Error::invalid(
        "EXPORT_TOO_LARGE",
        "This workbook is larger than the server can prepare. Narrow the filters or choose CSV.",
    )
}

fn too_many() -> Error {
    Error::invalid(
        "EXPORT_TOO_LARGE",
        "This export has more rows than a sheet can hold (1,048,575). Narrow the filters or choose CSV.",
    )
}

fn failed(error: XlsxError) -> Error {
    match error {
        XlsxError::IoError(error) | XlsxError::TempFileError(_, error) => kit::blob::io(error),
        XlsxError::ZipError(error) => kit::blob::io(error.into()),
        error => Error::internal(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use calamine::{Data, Reader, Xlsx};

    use super::*;
    use crate::export::testing::exported;

    fn book(deliveries: &[ExportedDelivery], max_rows: u32) -> Result<(u64, Vec<Vec<Data>>)> {
        book_in(u64::MAX, deliveries, max_rows)
    }

    fn book_in(room: u64, deliveries: &[ExportedDelivery], max_rows: u32) -> Result<(u64, Vec<Vec<Data>>)> {
        let dir = tempfile::tempdir().unwrap();
        let mut book = Book::begin(dir.path(), max_rows, room)?;
        deliveries.iter().try_for_each(|it| book.add(it, &chrono::Utc))?;
        let rows = book.rows();
        let file = book.finish(dir.path())?;
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "something is left behind");
        let mut workbook: Xlsx<_> = Xlsx::new(BufReader::new(file)).unwrap();
        let sheet = workbook.worksheet_range("Deliveries").unwrap();
        Ok((rows, sheet.rows().map(<[Data]>::to_vec).collect()))
    }

    #[test]
    fn texts_stay_texts_and_numbers_numbers() {
        let (rows, cells) = book(&[exported(2), exported(0)], 10).unwrap();
        assert_eq!((rows, cells.len()), (3, 4));
        let text = |column: usize| cells[1][column].clone();
        assert_eq!(text(2), Data::String("=1+1".into()));
        assert_eq!(text(3), Data::String("''=A".into()), "reading in takes one away");
        assert_eq!(text(5), Data::String("'plain".into()));
        assert_eq!(text(16), Data::String("+63 917 000 0000".into()));
        assert_eq!((text(12), text(13)), (Data::Float(2.05), Data::Float(999_999_999.999)));
        assert_eq!(text(26), Data::Float(2.0));
        assert_eq!(cells[3][8], Data::Empty);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_full_disk_is_named_without_its_path() {
        let mut full = File::options().write(true).open("/dev/full").unwrap();
        let mut unlimited = Limited { file: &mut full, room: u64::MAX, is_over: false };
        let at_end = save(&mut Workbook::new(), &mut unlimited).unwrap_err();
        // As the library does it.
        let row = move || full.write_all(b"<row/>").expect("Couldn't write to xml file");
        let in_row = panicked(tokio::task::spawn_blocking(row).await.unwrap_err());
        for error in [at_end, in_row] {
            assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::StorageFull, "STORAGE_FULL"));
            assert!(!error.message.contains('/'), "{}", error.message);
        }
    }

    #[test]
    fn what_no_sheet_holds_is_refused_in_words() {
        assert_eq!(book(&[exported(2), exported(1)], 3).unwrap().0, 3);
        let error = book(&[exported(2), exported(2)], 3).unwrap_err();
        assert_eq!(error.reason, "EXPORT_TOO_LARGE");
        let told = error.message.replace(',', "");
        assert!(told.contains(&MAX_ROWS.to_string()) && told.contains("choose CSV"), "{told}");
    }

    #[test]
    fn temporary_files_stay_within_their_room() {
        let many: Vec<ExportedDelivery> = (0..200).map(|_| exported(1)).collect();
        assert!(book_in(1 << 20, &many, MAX_ROWS).is_ok());
        assert_eq!(book_in(100_000, &many, MAX_ROWS).unwrap_err().reason, "EXPORT_TOO_LARGE");
        // The row fits, but not the file that is made of it.
        assert_eq!(book_in(4_000, &[exported(1)], MAX_ROWS).unwrap_err().reason, "EXPORT_TOO_LARGE");
    }
}
