//! Reads what is common to all sheets of an old Excel workbook: their names, shared texts and number formats.

use std::collections::HashMap;

use encoding_rs::Encoding;

use super::damage::{damaged, protected, too_complex};
use super::number_format::{self, Shown};
use super::xls_records::{Records, Texts};
use super::{FileError, Limits};

/// Maximum number of sheets; each of them costs a look at its content.
const MAX_SHEETS: usize = 1_000;
/// Cells name their format by a number of two bytes.
const MAX_FORMATS: usize = 1 << 16;
/// Bytes counted for each shared text in addition to twice its length, which it may take while the list grows.
const TEXT_BYTES: u64 = 16;

pub(super) const BOF: u16 = 0x0809;
pub(super) const EOF: u16 = 0x000A;
const DATE_MODE: u16 = 0x0022;
const FILE_PASS: u16 = 0x002F;
const CODE_PAGE: u16 = 0x0042;
const BOUND_SHEET: u16 = 0x0085;
const XF: u16 = 0x00E0;
const SST: u16 = 0x00FC;
const FORMAT: u16 = 0x041E;

const EXCEL_97: u16 = 0x0600;
const EXCEL_5: u16 = 0x0500;
const OF_WORKBOOK: u16 = 0x0005;
pub(super) const OF_SHEET: u16 = 0x0010;

pub(super) struct Sheet {
    pub(super) name: String,
    /// Where its records begin in the stream.
    pub(super) position: u64,
}

pub(super) struct Book {
    pub(super) texts: Texts,
    /// Visible worksheets, in order.
    pub(super) sheets: Vec<Sheet>,
    pub(super) shared: Shared,
    /// Whether days are counted from 1904.
    pub(super) since_1904: bool,
    shown: Vec<Shown>,
}

impl Book {
    /// Reads up to the first sheet; fails with FILE_PROTECTED, FILE_TOO_COMPLEX or FILE_NOT_READABLE.
    pub(super) fn read(records: &mut Records, limits: &Limits) -> Result<Self, FileError> {
        let texts = match (records.next()?, records.u16()?, records.u16()?) {
            (BOF, EXCEL_97, OF_WORKBOOK) => Texts::Unicode,
            (BOF, EXCEL_5, OF_WORKBOOK) => Texts::CodePage(encoding_rs::WINDOWS_1252),
            _ => return Err(damaged("it was not saved by Excel 5 or later")),
        };
        let mut book = Self {
            texts,
            sheets: Vec::new(),
            shared: Shared::default(),
            since_1904: false,
            shown: Vec::new(),
        };
        let (mut sheets, mut formats, mut codes) = (0, Vec::new(), HashMap::new());
        loop {
            match records.next()? {
                EOF => break,
                FILE_PASS => return Err(protected()),
                DATE_MODE => book.since_1904 = records.u16()? == 1,
                CODE_PAGE => {
                    if let Texts::CodePage(encoding) = &mut book.texts {
                        *encoding = of_code_page(records.u16()?);
                    }
                }
                BOUND_SHEET => {
                    sheets += 1;
                    if sheets > MAX_SHEETS {
                        return Err(too_complex(&format!("has more than {MAX_SHEETS} sheets")));
                    }
                    let (position, hidden, kind) = (records.u32()?, records.u8()?, records.u8()?);
                    let name = records.short_text(book.texts)?;
                    // Other kinds are charts and macros.
                    if hidden & 3 == 0 && kind == 0 {
                        book.sheets.push(Sheet { name, position: position.into() });
                    }
                }
                FORMAT => {
                    let id = records.u16()?;
                    let code = match book.texts {
                        Texts::Unicode => records.text(book.texts)?,
                        Texts::CodePage(_) => records.short_text(book.texts)?,
                    };
                    codes.insert(id, number_format::of_code(&code));
                }
                XF if formats.len() < MAX_FORMATS => {
                    records.skip(2)?;
                    formats.push(records.u16()?);
                }
                SST => book.shared.read(records, limits)?,
                _ => {}
            }
        }
        let shown = |id: u16| codes.get(&id).copied().unwrap_or_else(|| number_format::built_in(id));
        book.shown = formats.into_iter().map(shown).collect();
        Ok(book)
    }

    /// Returns what a cell of this format shows.
    pub(super) fn shown(&self, format: u16) -> Shown {
        self.shown.get(usize::from(format)).copied().unwrap_or(Shown::Number)
    }
}

/// Texts that cells refer to by number.
#[derive(Default)]
pub(super) struct Shared {
    text: String,
    /// Where each of them ends in `text`.
    ends: Vec<usize>,
}

impl Shared {
    fn read(&mut self, records: &mut Records, limits: &Limits) -> Result<(), FileError> {
        records.skip(4)?;
        // The file may claim any number, so nothing is reserved for it.
        for _ in 0..records.u32()? {
            if !records.goes_on()? {
                break;
            }
            self.text.push_str(&records.text(Texts::Unicode)?);
            self.ends.push(self.text.len());
            if self.bytes() > limits.max_kept_bytes {
                return Err(too_complex("holds too many different texts"));
            }
        }
        Ok(())
    }

    pub(super) fn get(&self, index: u32) -> Option<&str> {
        let index = index as usize;
        let begin = index.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(begin..*self.ends.get(index)?)
    }

    /// Returns how much memory they take, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.text.len() as u64 * 2 + self.ends.len() as u64 * TEXT_BYTES
    }
}

fn of_code_page(number: u16) -> &'static Encoding {
    match number {
        866 => encoding_rs::IBM866,
        874 => encoding_rs::WINDOWS_874,
        932 => encoding_rs::SHIFT_JIS,
        936 => encoding_rs::GBK,
        949 => encoding_rs::EUC_KR,
        950 => encoding_rs::BIG5,
        1250 => encoding_rs::WINDOWS_1250,
        1251 => encoding_rs::WINDOWS_1251,
        1253 => encoding_rs::WINDOWS_1253,
        1254 => encoding_rs::WINDOWS_1254,
        1255 => encoding_rs::WINDOWS_1255,
        1256 => encoding_rs::WINDOWS_1256,
        1257 => encoding_rs::WINDOWS_1257,
        1258 => encoding_rs::WINDOWS_1258,
        10_000 | 0x8000 => encoding_rs::MACINTOSH,
        _ => encoding_rs::WINDOWS_1252,
    }
}
