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

    fn name(&self, place: Place) -> Option<String> {
        let (deliveries, items) = self.0.as_ref()?;
        Some(if place.is_delivery { deliveries.clone() } else { items.clone() })
    }

    pub fn row(&self, row: UploadRow) -> UploadRow {
        let place = Place::of(row.row_number);
        UploadRow { sheet_row: place.row, sheet: self.name(place), ..row }
    }

    pub fn warning(&self, warning: UploadWarning) -> UploadWarning {
        let Some(place) = warning.line.map(Place::of) else { return warning };
        UploadWarning { line: Some(place.row), sheet: self.name(place), ..warning }
    }
}
