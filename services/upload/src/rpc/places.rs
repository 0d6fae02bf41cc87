//! Where the rows of an upload stand, in the contract's terms.

use kit::Result;
use proto::upload::v1::{UploadRow, UploadWarning};
use uuid::Uuid;

use crate::file::layout::Layout;
use crate::file::place::Place;
use crate::{Context, store};

/// The sheets with the deliveries and their items, if a file has both.
pub(super) struct Sheets(Option<(String, String)>);

impl Sheets {
    pub async fn of(context: &Context, log: Uuid) -> Result<Self> {
        let layout = store::layout_of(&context.db, log).await?;
        let layout = layout.and_then(|text| Layout::parse(&text).ok());
        Ok(Self(layout.and_then(|it| Some((it.sheet.unwrap_or_default(), it.items?.sheet)))))
    }

    /// Returns the number of a row on its sheet, and the sheet's name if there are two.
    pub fn place(&self, row_number: u32) -> (u32, Option<String>) {
        let Place { row, is_delivery } = Place::of(row_number);
        let name = |(deliveries, items): &(String, String)| {
            if is_delivery { deliveries.clone() } else { items.clone() }
        };
        (row, self.0.as_ref().map(name))
    }

    pub fn row(&self, row: UploadRow) -> UploadRow {
        let (sheet_row, sheet) = self.place(row.row_number);
        UploadRow { sheet_row, sheet, ..row }
    }

    pub fn warning(&self, warning: UploadWarning) -> UploadWarning {
        let Some((line, sheet)) = warning.line.map(|line| self.place(line)) else { return warning };
        UploadWarning { line: Some(line), sheet, ..warning }
    }
}
