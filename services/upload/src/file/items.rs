//! Items on a sheet of their own, which belong to the deliveries by the Delivery Doc.
//!
//! Here: what a person decides about that sheet, a proposal, and both sheets as one for showing what the
//! decision does. `joined` reads the rows.

use kit::input::text::visible;

use super::columns::Seen;
use super::fields::Field;
use super::layout::{ItemsSheet, Layout, Preview, PreviewRow, Sheet, document_column, preview_row};
use super::number::DecimalSign;
use super::proposal::{Column, Confidence};
use super::time::DateOrder;
use super::{Cell, FileError, RawRow};

/// Returns the form in which the Delivery Docs of both sheets are compared.
pub(super) fn key(text: &str) -> String {
    visible(text, &[]).trim().to_lowercase()
}

/// Returns the values of the items' columns that follow those of the deliveries: all but the Delivery Doc,
/// which the deliveries' columns have already.
pub(super) fn without<T: Clone>(values: &[T], key: Option<usize>) -> impl Iterator<Item = T> {
    values.iter().enumerate().filter(move |(index, _)| Some(*index) != key).map(|(_, value)| value.clone())
}

impl Layout {
    /// Returns the headings of both sheets as those of one sheet, and the decision about it. `items` are the
    /// headings of the sheet with the items. Fails when the decision doesn't say which of its columns holds the
    /// Delivery Doc.
    pub(super) fn joined(
        &self,
        headings: &[String],
        items: &[String],
    ) -> Result<(Vec<String>, Self), FileError> {
        let (mut headings, mut columns) = (headings.to_vec(), self.columns.clone());
        columns.resize(headings.len(), None);
        if let Some(decided) = &self.items {
            let key = decided.key().filter(|key| *key < items.len());
            if key.is_none() {
                return Err(FileError::new(
                    "ITEMS_WITHOUT_DOCUMENT",
                    format!(
                        "Choose the column of “{}” that holds the Delivery Doc. It says which delivery an item belongs to.",
                        decided.sheet
                    ),
                ));
            }
            let mut fields = decided.columns.clone();
            fields.resize(items.len(), None);
            headings.extend(without(items, key));
            columns.extend(without(&fields, key));
        }
        Ok((headings, Self { columns, items: None, ..self.clone() }))
    }
}

impl Preview {
    /// Returns the decision with what identifies the headings of the sheet with the items.
    pub fn with_fingerprint(&self, layout: Layout) -> Layout {
        let identified = |items: ItemsSheet| {
            let sheet = self.sheet(Some(&items.sheet));
            let fingerprint = sheet.map(|sheet| sheet.fingerprint(items.header_line)).unwrap_or_default();
            ItemsSheet { fingerprint, ..items }
        };
        Layout { items: layout.items.map(identified), ..layout }
    }

    /// Returns the sheet with the items if the file has it as it was when that was decided.
    pub fn items(&self, decided: &ItemsSheet) -> Option<&Sheet> {
        let sheet = self.sheet(Some(&decided.sheet))?;
        sheet.headings(decided.header_line).filter(|headings| decided.is_for(headings)).map(|_| sheet)
    }

    /// Returns the sheets of a decision as one sheet, with its header on line 0, and the decision about it.
    /// Fails when the file doesn't have them, or as [`Layout::joined`] does.
    pub fn joined(&self, layout: &Layout) -> Result<(Sheet, Layout), FileError> {
        let main = self.sheet(layout.sheet.as_deref()).ok_or_else(super::empty)?;
        let Some(decided) = &layout.items else { return Ok((main.clone(), layout.clone())) };
        let items = self.items(decided).filter(|sheet| sheet.name != main.name);
        let theirs = items.and_then(|sheet| Some((sheet, sheet.headings(decided.header_line)?)));
        let (items, theirs) = theirs.ok_or_else(|| decided.missing())?;
        let own = main.headings(layout.header_line).ok_or_else(super::empty)?;
        let (headings, joined) = layout.joined(own, theirs)?;
        let mut rows = vec![PreviewRow::texts(0, headings)];
        rows.extend(joined_rows((main, own.len()), items, layout, decided));
        let seen = |sheet: &Sheet, line: u32, width: usize| {
            let below = |(dates, numbers): &(Seen<DateOrder>, Seen<DecimalSign>)| {
                (dates.below(line), numbers.below(line))
            };
            let mut seen: Vec<_> = sheet.seen.iter().map(below).collect();
            seen.resize_with(width, Default::default);
            seen
        };
        let mut all = seen(main, layout.header_line, own.len());
        all.extend(without(&seen(items, decided.header_line, theirs.len()), decided.key()));
        let sheet = Sheet { name: main.name.clone(), rows, count: items.count, seen: all };
        Ok((sheet, Layout { header_line: 0, ..joined }))
    }

    /// Returns the sheet that likely has the items of the deliveries on `main`, whose columns have `fields`. It
    /// has known headings of items and the Delivery Doc, and `main` has none of an item.
    pub fn likely_items(&self, main: &Sheet, fields: &[Option<Field>]) -> Option<ItemsSheet> {
        let has_items = |field: &Option<Field>| field.is_some_and(Field::is_of_item);
        if fields.iter().any(has_items) || !fields.contains(&Some(Field::DeliveryId)) {
            return None;
        }
        self.sheets().iter().filter(|sheet| sheet.name != main.name).find_map(|sheet| {
            let columns = sheet.columns(sheet.header_line(), None);
            let known = |wanted: fn(Field) -> bool| {
                let is_known =
                    |it: &Column| it.confidence == Confidence::Exact && it.proposed.is_some_and(wanted);
                columns.iter().any(is_known)
            };
            (known(|field| field == Field::DeliveryId) && known(Field::is_of_item))
                .then(|| sheet.items(sheet.header_line(), fields))
        })
    }
}

impl Sheet {
    /// Returns a proposal for the columns of a sheet with the items of deliveries whose columns have `fields`.
    pub fn items(&self, header_line: u32, fields: &[Option<Field>]) -> ItemsSheet {
        let is_free = |field: &Field| *field == Field::DeliveryId || !fields.contains(&Some(*field));
        let columns = self.columns(header_line, None).into_iter();
        let columns = columns.map(|it| it.proposed.filter(is_free).map(|field| field.name().to_owned()));
        let (sheet, columns) = (self.name.clone(), columns.collect());
        ItemsSheet { sheet, header_line, columns, fingerprint: String::new() }
    }
}

/// Joins the rows that are kept of both sheets. `width` is the number of the deliveries' columns.
fn joined_rows<'a>(
    (main, width): (&'a Sheet, usize),
    items: &'a Sheet,
    layout: &Layout,
    decided: &'a ItemsSheet,
) -> impl Iterator<Item = PreviewRow> + 'a {
    let (at, document) = (decided.key(), document_column(&layout.columns));
    let line = layout.header_line;
    let named = move |row: &PreviewRow, at: Option<usize>| row.cells.get(at?).map(|text| key(text));
    items.rows.iter().filter(|row| row.line > decided.header_line).map(move |row| {
        let mut deliveries = main.rows.iter().filter(|it| it.line > line);
        let found = deliveries.find(|it| named(it, document) == named(row, at));
        let mut cells = found.map(|it| it.raw().cells).unwrap_or_default();
        cells.resize(width, Cell::Empty);
        cells.extend(without(&row.raw().cells, at));
        preview_row(&RawRow { line: row.line, cells })
    })
}
