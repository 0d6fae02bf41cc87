//! Reads a file through before its first batch.
//!
//! Here: whether the file is readable to its end, how its columns are read, which documents have refused
//! lines, and warnings. Deliberately absent: what deliveries answers about a line.

use ::store::jobs::Halt;
use tokio_util::sync::CancellationToken;

use super::documents::RefusedDocuments;
use super::rows::Source;
use super::split::{DocumentRuns, LOOK, SplitDocuments};
use super::values::Values;
use crate::file::columns::Evidence;
use crate::file::place::row_text;
use crate::file::row::{RowContext, check, lacks_time};
use crate::file::{Field, FileError, Mapping, Warning, refused};
use crate::settings::Reading;

pub struct Survey {
    pub mapping: Mapping,
    pub header_line: u32,
    pub columns_key: String,
    pub refused: RefusedDocuments,
    /// The documents whose rows may be in several batches.
    pub split: SplitDocuments,
    pub warnings: Vec<Warning>,
    pub values: Values,
    /// Name of the sheet with the deliveries, if another one has their items.
    pub deliveries_sheet: Option<String>,
}

impl Survey {
    /// Returns whether the file has other visible sheets with content.
    pub fn leaves_out_sheets(&self) -> bool {
        self.warnings.iter().any(|warning| warning.code == "SHEET_NOT_READ")
    }
}

/// Reads the file as `begun` says or, if that is `None`, finds out how to read it. Returns `None` when
/// stopped.
///
/// In the latter case, rows are validated with the settings in `now` while evidence is collected. The file is
/// read a second time only if the evidence shows another reading.
pub fn read(
    source: &Source,
    begun: Option<Reading>,
    now: Reading,
    stop: &CancellationToken,
) -> Result<Option<(Reading, Survey)>, Halt> {
    if let Some(begun) = begun {
        let Some(pass) = pass(source, &begun.rows(), stop)? else { return Ok(None) };
        // The reading stays as it was decided; the import of a checked file gives the same warnings about it again.
        let decided = pass.evidence.decide(&pass.mapping, begun.order(), source.chosen());
        let warnings = decided.map(|(_, warnings)| warnings).unwrap_or_default();
        return Ok(Some((begun, pass.survey(warnings))));
    }
    let Some(first) = pass(source, &now.rows(), stop)? else { return Ok(None) };
    let (columns, warnings) = first.evidence.decide(&first.mapping, now.order(), source.chosen())?;
    // The evidence doesn't know the cells that people changed, and those may need the decision that the others show.
    let differ = match source.edits {
        Some(_) => !columns.reads_like(&now.columns()),
        None => first.evidence.differ(&now.columns(), &columns),
    };
    let reading = now.decided(columns, &first.mapping);
    let right = if differ { pass(source, &reading.rows(), stop)? } else { Some(first) };
    Ok(right.map(|pass| (reading, pass.survey(warnings))))
}

struct Pass {
    mapping: Mapping,
    header_line: u32,
    columns_key: String,
    evidence: Evidence,
    refused: RefusedDocuments,
    split: SplitDocuments,
    /// About the whole file.
    warnings: Vec<Warning>,
    /// How many rows have a date but no time, and the line of the first.
    timeless: (u32, u32),
    values: Values,
    deliveries_sheet: Option<String>,
}

impl Pass {
    fn survey(self, mut warnings: Vec<Warning>) -> Survey {
        warnings.extend(self.warnings);
        if let (rows @ 1.., line) = self.timeless {
            let rows = if rows == 1 { "One row has".to_owned() } else { format!("{rows} rows have") };
            let column = self.mapping.header_of(Field::ScheduleTime).unwrap_or_default().to_owned();
            let warning = Warning::new(
                "TIME_MISSING",
                format!(
                    "{rows} a date but no time, the first on line {}. The start of the day was entered. Fill in the times and import the file again.",
                    row_text(line)
                ),
            );
            warnings.push(warning.of(column).at(line));
        }
        let Self { mapping, header_line, columns_key, refused, split, values, deliveries_sheet, .. } = self;
        Survey { mapping, header_line, columns_key, refused, split, warnings, values, deliveries_sheet }
    }
}

/// Reads and validates every row without keeping any. Returns `None` when stopped.
fn pass(source: &Source, context: &RowContext, stop: &CancellationToken) -> Result<Option<Pass>, Halt> {
    let mut rows = source.open()?;
    let (mapping, header_line) = (rows.mapping().clone(), rows.header_line());
    let columns_key = rows.columns_key().to_owned();
    let (mut evidence, mut documents) = (Evidence::default(), RefusedDocuments::default());
    let (mut count, mut timeless, mut values) = (0_u32, (0, 0), Values::default());
    let mut runs = DocumentRuns::default();
    while let Some(row) = rows.next_seen(|row| evidence.add(row, &mapping))? {
        count += 1;
        if count.is_multiple_of(LOOK) && stop.is_cancelled() {
            return Ok(None);
        }
        match check(&row, &mapping, context) {
            Ok(checked) => {
                values.add(&checked);
                runs.add(Some(&checked.delivery_id), &row);
                if lacks_time(&row, &mapping, &checked, context) {
                    timeless = (timeless.0 + 1, if timeless.0 == 0 { row.line } else { timeless.1 });
                }
            }
            Err(_) => {
                let delivery = refused::delivery_of(&row, &mapping);
                runs.add(delivery.as_deref(), &row);
                if let Some(delivery) = delivery {
                    documents.add(&delivery, row.line);
                }
            }
        }
    }
    if count == 0 {
        return Err(FileError::new(
            "FILE_NO_ROWS",
            "The file has headings but no rows below them, so there was nothing to import. Fill in the rows and upload it again.",
        )
        .into());
    }
    let warnings = rows.warnings();
    let deliveries_sheet = rows.deliveries_sheet().map(str::to_owned);
    let refused = documents;
    Ok(Some(Pass {
        mapping,
        header_line,
        columns_key,
        evidence,
        refused,
        split: runs.split(),
        warnings,
        timeless,
        values,
        deliveries_sheet,
    }))
}
