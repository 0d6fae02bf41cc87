//! Cells that a person changes, before they are stored.

use std::collections::BTreeMap;

use kit::{Error, Result};

use crate::entity::upload_log;
use crate::file::place::row_text;
use crate::file::refused::MAX_CHARS;
use crate::settings::Reading;

/// A cell and the value that a person typed over it.
#[derive(Debug, Clone)]
pub struct Edit {
    pub row: u32,
    pub place: u32,
    pub value: String,
}

/// What to replace in one column.
#[derive(Debug, Clone)]
pub struct Replace {
    pub place: u32,
    pub find: String,
    pub value: String,
    /// Whether the searched text must be the whole content of a cell.
    pub whole_cell: bool,
    /// Whether to count the matches without replacing them.
    pub dry_run: bool,
}

impl Replace {
    pub(super) fn place(&self) -> i32 {
        i32::try_from(self.place).unwrap_or(i32::MAX)
    }

    /// Replaces the value in the column of all rows; returns the places that changed.
    pub(super) fn apply(&self, drafts: &mut BTreeMap<i64, Draft>, typed: &Typed) -> Result<Vec<(i64, i32)>> {
        let (place, mut changed) = (self.place(), Vec::new());
        let find = typed.plainly(place, self.find.clone());
        for (row, draft) in drafts {
            let Some(text) = draft.value(place) else { continue };
            let new = match self.whole_cell {
                true => (text == self.find || text == find).then(|| self.value.clone()),
                false => text.contains(&self.find).then(|| self.replaced(*row, text)).transpose()?,
            };
            let Some(new) = new.filter(|new| new != text) else { continue };
            if draft.set(*row, place, new, typed)? {
                changed.push((*row, place));
            }
        }
        Ok(changed)
    }

    /// Returns a cell with all matches replaced. Fails before it would take much memory.
    fn replaced(&self, row: i64, text: &str) -> Result<String> {
        let matches = text.matches(&self.find).count();
        let added = matches.saturating_mul(self.value.len());
        // A character has at most four bytes.
        if added > MAX_CHARS * 4 {
            return Err(too_long(row));
        }
        Ok(text.replace(&self.find, &self.value))
    }
}

fn too_long(row: i64) -> Error {
    let row = row_text(u32::try_from(row).unwrap_or(u32::MAX));
    let text = format!("Row {row} would have more than {MAX_CHARS} characters. Shorten it.");
    Error::invalid_field("value", text)
}

/// Writes what people type as the rows of their import show it, so that the grid, the download of refused rows and the
/// import have one value.
#[derive(Default)]
pub(super) struct Typed(Option<Reading>);

impl Typed {
    pub fn of(log: &upload_log::Model) -> Result<Self> {
        Ok(Self(log.reading.as_deref().map(Reading::parse).transpose()?))
    }

    fn plainly(&self, place: i32, value: String) -> String {
        match (&self.0, usize::try_from(place)) {
            (Some(reading), Ok(place)) => reading.plainly(place, value),
            _ => value,
        }
    }
}

/// A row with changed cells, by column.
#[derive(Debug, Clone)]
pub struct CorrectedRow {
    pub row: i64,
    pub cells: Vec<(usize, String)>,
}

/// A row whose cells are being changed.
pub(super) struct Draft {
    pub cells: Vec<String>,
    pub corrections: BTreeMap<i32, String>,
    /// Whether `cells` are the file's own, so that their values withdraw a correction.
    pub is_file: bool,
}

impl Draft {
    pub fn value(&self, place: i32) -> Option<&str> {
        let kept = usize::try_from(place).ok().and_then(|at| self.cells.get(at)).map(String::as_str);
        self.corrections.get(&place).map(String::as_str).or(kept)
    }

    /// Sets a cell to what somebody typed; returns whether that changes it. Fails when the row gets too long to store.
    fn set(&mut self, row: i64, place: i32, value: String, typed: &Typed) -> Result<bool> {
        let kept = usize::try_from(place).ok().and_then(|at| self.cells.get(at));
        let kept = kept.ok_or_else(|| Error::invalid_field("column", "The file has no such column"))?;
        let value = if *kept == value { value } else { typed.plainly(place, value) };
        if self.value(place) == Some(&value) {
            return Ok(false);
        }
        if *kept == value && self.is_file {
            self.corrections.remove(&place);
            return Ok(true);
        }
        self.corrections.insert(place, value);
        let places = 0..i32::try_from(self.cells.len()).unwrap_or(i32::MAX);
        let chars: usize = places.filter_map(|at| self.value(at)).map(|text| text.chars().count()).sum();
        if chars > MAX_CHARS {
            return Err(too_long(row));
        }
        Ok(true)
    }
}

/// Sets cells of rows; returns the places that changed. `missing` is the error about a row that is not among them.
pub(super) fn change(
    drafts: &mut BTreeMap<i64, Draft>,
    edits: Vec<Edit>,
    typed: &Typed,
    missing: impl Fn(u32) -> Error,
) -> Result<Vec<(i64, i32)>> {
    let mut changed = Vec::new();
    for Edit { row, place, value } in edits {
        let draft = drafts.get_mut(&row.into()).ok_or_else(|| missing(row))?;
        let (row, place) = (i64::from(row), i32::try_from(place).unwrap_or(i32::MAX));
        if draft.value(place) != Some(&value) && draft.set(row, place, checked(value)?, typed)? {
            changed.push((row, place));
        }
    }
    changed.sort_unstable();
    changed.dedup();
    Ok(changed)
}

/// Refuses characters that a database or a screen cannot handle.
pub(super) fn checked(value: String) -> Result<String> {
    if value.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(Error::invalid_field("value", "The text has a control character. Remove it."));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_that_multiplies_a_long_cell_is_refused_before_it_is_built() {
        let draft = || {
            let cells = vec!["a".repeat(10_000)];
            BTreeMap::from([(7, Draft { cells, corrections: BTreeMap::new(), is_file: true })])
        };
        let replace = |value: String| Replace {
            place: 0,
            find: "a".to_owned(),
            value,
            whole_cell: false,
            dry_run: true,
        };
        // Built, this would have 10 GB.
        let refused = replace("b".repeat(1_000_000)).apply(&mut draft(), &Typed::default()).unwrap_err();
        assert!(refused.message.contains("more than 16000 characters"), "{refused:?}");
        assert_eq!(replace("b".to_owned()).apply(&mut draft(), &Typed::default()).unwrap(), [(7, 0)]);
        assert!(replace("bc".to_owned()).apply(&mut draft(), &Typed::default()).is_err());
    }
}
