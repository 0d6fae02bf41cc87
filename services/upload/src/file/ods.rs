//! Reads rows of an OpenDocument spreadsheet.
//!
//! Here: one pass over `content.xml`, which reads the chosen sheet, or else the first visible one with data, as
//! typed rows and checks whether other visible sheets have data. Cells and rows with a repeat count are repeated, within
//! limits. Deliberately absent: formulas (their stored value is used), covered cells (hidden by a merged
//! cell), comments and drawings.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use zip::ZipArchive;

use super::assembly::{Assembly, MAX_NAMED, Sender, Stop, Wanted, tell_not_read};
use super::damage::{damaged, too_complex};
use super::number_format::padded;
use super::ods_xml::{Name, Tag, Token, Walk};
use super::text::cut;
use super::{Cell, FileError, Limits};

/// Maximum repeat count of a row with content. Spreadsheets store equal neighboring rows as one repeated row,
/// but real data has fewer equal rows than this.
const MAX_REPEATED: u32 = 10_000;
/// Maximum number of remembered styles that hide sheets.
const MAX_STYLES: usize = 10_000;

/// Reads a workbook that `package` has checked.
pub(super) fn read(file: File, limits: &Limits, wanted: &Wanted, sender: &Sender) -> Result<(), Stop> {
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|e| damaged(&e.to_string()))?;
    let part = archive.by_name("content.xml").map_err(|e| damaged(&e.to_string()))?;
    let size = part.size().max(1) as f64;
    let mut sheets = Sheets { walk: Walk::new(BufReader::new(part)), size, limits };
    let mut hidden = HashSet::new();
    let mut style = String::new();
    let (mut found, mut not_read) = (false, Vec::new());
    loop {
        match sheets.walk.next()? {
            Token::End(Name::Document) => break,
            Token::Start(tag) if tag.name == Name::Style => {
                style = tag.get("style:name").unwrap_or_default().to_owned();
            }
            Token::Start(tag) if hides(&tag) && hidden.len() < MAX_STYLES => {
                hidden.insert(std::mem::take(&mut style));
            }
            Token::Start(tag) if tag.name == Name::Table && !tag.empty => {
                let name = tag.get("table:name").unwrap_or_default();
                if tag.get("table:style-name").is_some_and(|style| hidden.contains(style)) {
                    sheets.walk.skip()?;
                } else if wanted.takes(name, found) {
                    found |= sheets.rows(sender, name)?;
                } else if sheets.has_content()? && not_read.len() < MAX_NAMED {
                    not_read.push(name.to_owned());
                }
            }
            _ => {}
        }
    }
    tell_not_read(sender, not_read)
}

/// Returns whether this style hides the sheets that have it.
fn hides(tag: &Tag) -> bool {
    tag.name == Name::TableProperties && tag.get("table:display") == Some("false")
}

struct Sheets<'a> {
    walk: Walk<'a>,
    /// Size of the part in bytes.
    size: f64,
    limits: &'a Limits,
}

impl Sheets<'_> {
    /// Sends the rows of the current sheet; returns whether there were any.
    fn rows(&mut self, sender: &Sender, name: &str) -> Result<bool, Stop> {
        let mut rows = Assembly::new(self.limits, sender).of(name);
        let mut above = 0_u32;
        loop {
            match self.walk.next()? {
                Token::Start(tag) if tag.name == Name::Row => {
                    let times = tag.count("table:number-rows-repeated");
                    let cells = if tag.empty { Vec::new() } else { self.row()? };
                    if !cells.is_empty() {
                        if times > MAX_REPEATED {
                            return Err(repeated().at(above.saturating_add(1)).into());
                        }
                        rows.share = self.walk.position() as f64 / self.size;
                        for line in (above..).take(times as usize) {
                            for (column, cell) in &cells {
                                rows.add(line.saturating_add(1), *column, cell.clone())?;
                            }
                        }
                    }
                    above = above.saturating_add(times);
                }
                Token::Start(tag) if tag.name == Name::Foreign && !tag.empty => self.walk.skip()?,
                Token::End(Name::Table) => return rows.finish(),
                Token::End(Name::Document) => return Err(damaged("its sheet has no end").into()),
                _ => {}
            }
        }
    }

    /// Returns whether the current sheet has any content. Reads to the end of the sheet.
    fn has_content(&mut self) -> Result<bool, Stop> {
        let mut any = false;
        loop {
            match self.walk.next()? {
                Token::Start(tag) if tag.name == Name::Row && !tag.empty => any |= !self.row()?.is_empty(),
                Token::Start(tag) if tag.name == Name::Foreign && !tag.empty => self.walk.skip()?,
                Token::End(Name::Table) => return Ok(any),
                Token::End(Name::Document) => return Err(damaged("its sheet has no end").into()),
                _ => {}
            }
        }
    }

    /// Returns the filled cells of the current row, with their columns. Reads at most one cell beyond the
    /// last allowed column, which suffices to refuse the file.
    fn row(&mut self) -> Result<Vec<(usize, Cell)>, FileError> {
        let (mut cells, mut column) = (Vec::new(), 0_usize);
        loop {
            match self.walk.next()? {
                Token::Start(tag) if matches!(tag.name, Name::Cell | Name::Covered) => {
                    let times = tag.count("table:number-columns-repeated") as usize;
                    let cell = self.cell(&tag)?;
                    if tag.name == Name::Cell && !cell.is_blank() {
                        let columns = (column..).take(times);
                        let columns = columns.take_while(|at| *at <= self.limits.max_columns);
                        cells.extend(columns.map(|at| (at, cell.clone())));
                        let refused = |(at, _): &(usize, Cell)| *at >= self.limits.max_columns;
                        if column > self.limits.max_columns && !cells.last().is_some_and(refused) {
                            cells.push((column, cell));
                        }
                    }
                    column = column.saturating_add(times);
                }
                Token::Start(tag) if !tag.empty => self.walk.skip()?,
                Token::End(Name::Row) => return Ok(cells),
                Token::End(Name::Document) => return Err(damaged("a row has no end")),
                _ => {}
            }
        }
    }

    fn cell(&mut self, tag: &Tag) -> Result<Cell, FileError> {
        let max = self.limits.max_cell_chars;
        let text = if tag.empty { String::new() } else { self.walk.text(tag.name, max)? };
        Ok(value(tag, text, max))
    }
}

fn repeated() -> FileError {
    too_complex(&format!("repeats one row more than {MAX_REPEATED} times"))
}

/// Returns the value of a cell whose displayed text is `text`.
fn value(tag: &Tag, text: String, max_chars: usize) -> Cell {
    if tag.get("calcext:value-type") == Some("error") {
        let named = text.starts_with('#') || text.starts_with("Err:");
        return Cell::Text(if named { text } else { "#VALUE!".to_owned() });
    }
    let typed = match tag.get("office:value-type") {
        Some("float" | "percentage" | "currency") => {
            let number = tag.get("office:value").and_then(number);
            if let Some(Cell::Number(value)) = number
                && shows_leading_zeros(&text, value)
            {
                return Cell::text(cut(text, max_chars));
            }
            number
        }
        Some("date") => tag.get("office:date-value").and_then(moment),
        Some("time") => tag.get("office:time-value").and_then(duration),
        Some("boolean") => tag.get("office:boolean-value").map(|value| Cell::Bool(value == "true")),
        _ => tag.get("office:string-value").map(|value| Cell::text(cut(value.to_owned(), max_chars))),
    };
    typed.unwrap_or_else(|| Cell::text(cut(text, max_chars)))
}

/// Returns whether a cell shows a whole number with leading zeros: they belong to a document number.
fn shows_leading_zeros(text: &str, value: f64) -> bool {
    let digits = u8::try_from(text.len()).unwrap_or(u8::MAX);
    text.len() > 1 && text.starts_with('0') && padded(value, digits) == Cell::Text(text.to_owned())
}

fn number(text: &str) -> Option<Cell> {
    text.parse().ok().filter(|value: &f64| value.is_finite()).map(Cell::Number)
}

/// Parses `2026-11-23` or `2026-11-23T08:30:00`, rounded to the second, because computed times are slightly
/// off.
fn moment(text: &str) -> Option<Cell> {
    let text = text.trim_end_matches('Z');
    let at = match NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f") {
        Ok(at) => at,
        Err(_) => NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_time(NaiveTime::MIN),
    };
    at.checked_add_signed(TimeDelta::milliseconds(500))?.with_nanosecond(0).map(Cell::DateTime)
}

/// Parses `PT08H30M00S`: a time of day or, from 24 hours on, a number of days, as in Excel.
fn duration(text: &str) -> Option<Cell> {
    let (mut seconds, mut digits) = (0.0, String::new());
    for c in text.strip_prefix("PT")?.chars() {
        if c.is_ascii_digit() || c == '.' {
            digits.push(c);
            continue;
        }
        let scale = match c {
            'H' => 3_600.0,
            'M' => 60.0,
            'S' => 1.0,
            _ => return None,
        };
        seconds += digits.parse::<f64>().ok()? * scale;
        digits.clear();
    }
    let day = NaiveDate::from_ymd_opt(1899, 12, 31)?.and_time(NaiveTime::MIN);
    if seconds.round() >= 86_400.0 {
        return Some(Cell::Number(seconds / 86_400.0));
    }
    Some(Cell::DateTime(day + TimeDelta::seconds(seconds.round() as i64)))
}
