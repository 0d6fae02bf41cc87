//! The saved mapping that is proposed for a waiting file.

use std::cmp::Reverse;

use kit::Result;
use proto::upload::v1::UploadAppliedMapping;

use crate::entity::saved_mapping::Model;
use crate::file::layout::Sheet;
use crate::file::saved::{Applied, SavedMapping};
use crate::{Context, store};

/// A saved mapping on a file.
pub(super) struct Proposal {
    row: Model,
    pub mapping: SavedMapping,
    pub applied: Applied,
    /// Whether it was found without being requested.
    is_found: bool,
}

impl Proposal {
    fn of(row: Model, headings: &[String], is_found: bool) -> Result<Self> {
        let mapping = row.parsed()?;
        let applied = mapping.apply(headings);
        Ok(Self { row, mapping, applied, is_found })
    }

    /// Number of columns that the file has of the mapping.
    fn matched(&self) -> usize {
        self.mapping.len() - self.applied.missing.len()
    }

    pub fn into_wire(self) -> UploadAppliedMapping {
        let Model { id, name, .. } = self.row;
        let missing = self.applied.missing;
        UploadAppliedMapping { id: id.to_string(), name, missing, proposed: self.is_found }
    }
}

/// Returns the header line of each sheet to begin with: one whose headings somebody decided about before, or else one
/// that one of the saved mappings fits, or else the likeliest.
pub(super) async fn header_lines(
    context: &Context,
    mappings: &[Model],
    sheets: &[Sheet],
) -> Result<Vec<u32>> {
    let mappings = mappings.iter().map(Model::parsed).collect::<Result<Vec<SavedMapping>>>()?;
    let mut lines = Vec::with_capacity(sheets.len());
    for sheet in sheets {
        let remembered = store::remembered_line(context.db.read(), sheet).await?;
        lines.push(remembered.unwrap_or_else(|| mapped_line(sheet, &mappings)));
    }
    Ok(lines)
}

/// Returns a header line that one of the mappings fits, or else the likeliest.
fn mapped_line(sheet: &Sheet, mappings: &[SavedMapping]) -> u32 {
    let likeliest = sheet.header_line();
    if !sheet.is_unknown(likeliest) {
        return likeliest;
    }
    let fits = |line: &u32| {
        let headings = sheet.headings(*line).unwrap_or_default();
        mappings.iter().any(|mapping| sheet.check(&mapping.layout(headings, *line)).is_ok())
    };
    sheet.header_lines().find(fits).unwrap_or(likeliest)
}

/// Returns the mapping that somebody requested; `None` if it was deleted.
pub(super) async fn requested(
    context: &Context,
    id: &str,
    sheet: &Sheet,
    line: u32,
) -> Result<Option<Proposal>> {
    let found = store::saved_mapping(&context.db, id).await?;
    found.map(|row| Proposal::of(row, sheet.headings(line).unwrap_or_default(), false)).transpose()
}

/// Returns the mapping that fits a file with unknown headings: all required fields have columns or default values. Of
/// several, it is the one with the most columns in the file, or else the last used one.
pub(super) fn fitting(mappings: Vec<Model>, sheet: &Sheet, line: u32) -> Result<Option<Proposal>> {
    let Some(headings) = sheet.headings(line).filter(|_| sheet.is_unknown(line)) else { return Ok(None) };
    let mut best: Option<Proposal> = None;
    for row in mappings {
        let found = Proposal::of(row, headings, true)?;
        let rank = |it: &Proposal| (it.matched(), it.row.last_used_at, Reverse(it.row.name_key.clone()));
        let is_better = best.as_ref().is_none_or(|best| rank(&found) > rank(best));
        if is_better && sheet.check(&found.mapping.layout(headings, line)).is_ok() {
            best = Some(found);
        }
    }
    Ok(best)
}
