//! Changes a row as a person decided, before it is validated: joins columns that hold the same field, and fills
//! in default values.
//!
//! Afterwards the row is like one of a file that needs neither. A joined value is in the first of its columns,
//! and the default of a field without a column is in a column that is added behind those of the file. So the
//! rules for rows, and what is kept, corrected and downloaded of refused rows, need not know about this.

use super::columns::{is_date, is_number};
use super::fit::Fit;
use super::header::shorten;
use super::layout::{Layout, Sheet};
use super::quoting::unquoted;
use super::refused::shown;
use super::row::{RowContext, check, filled, has_item};
use super::{Cell, Field, FileError, Mapping, RawRow, number, time};

/// Maximum number of characters of a default value.
const CHARS: usize = 500;

/// The columns of a file, and what becomes of its rows.
#[derive(Debug, Clone)]
pub struct Transform {
    /// The columns of the file and those that are added behind them.
    pub mapping: Mapping,
    /// Number of columns in the file.
    width: usize,
    joins: Vec<Join>,
    defaults: Vec<DefaultValue>,
}

#[derive(Debug, Clone)]
struct Join {
    first: usize,
    other: usize,
    separator: &'static str,
}

#[derive(Debug, Clone)]
struct DefaultValue {
    field: Field,
    column: usize,
    value: String,
    cell: Cell,
}

impl DefaultValue {
    /// A number is read by itself: how the column's own numbers are written neither changes it nor is decided by it.
    fn new(field: Field, column: usize, value: &str) -> Self {
        let number = is_number(field).then(|| number::alone(&unquoted(value.trim()))).flatten();
        let cell = number.map_or_else(|| Cell::Text(value.to_owned()), Cell::Number);
        Self { field, column, value: value.to_owned(), cell }
    }

    fn refused(&self, why: &str) -> FileError {
        let (label, value) = (self.field.label(), shorten(&self.value, 60));
        FileError::new(
            "DEFAULT_NOT_VALID",
            format!("The default value “{value}” for {label} can't be used. {why}"),
        )
    }
}

impl Transform {
    /// Leaves rows as they are.
    pub fn none(mapping: Mapping) -> Self {
        Self { width: mapping.width(), mapping, joins: Vec::new(), defaults: Vec::new() }
    }

    /// Returns what a person decided about a file with these headings. Fails like [`Mapping::chosen`], and with
    /// DEFAULT_NOT_VALID when a field cannot have a default value.
    pub fn of(header: &[String], layout: &Layout) -> Result<Self, FileError> {
        Self::assigned(header, layout, Mapping::chosen)
    }

    /// Returns the same as [`Transform::of`], but does not mind missing columns.
    pub fn unfinished(header: &[String], layout: &Layout) -> Result<Self, FileError> {
        Self::assigned(header, layout, Mapping::assigned)
    }

    fn assigned(
        header: &[String],
        layout: &Layout,
        map: impl Fn(&[String], &[Option<Field>], u32) -> Result<Mapping, FileError>,
    ) -> Result<Self, FileError> {
        let (mut header, mut fields) = (header.to_vec(), layout.fields());
        let width = header.len();
        fields.resize(width, None);
        let mut defaults = Vec::new();
        for (name, value) in &layout.defaults {
            let field = Field::named(name);
            let label = field.map_or(name.as_str(), |field| field.label());
            let Some(field) = field.filter(|field| field.can_default()) else {
                return Err(FileError::new(
                    "DEFAULT_NOT_VALID",
                    format!("{label} can't have a default value. Choose the column that holds it."),
                ));
            };
            if value.chars().count() > CHARS {
                return Err(FileError::new(
                    "DEFAULT_NOT_VALID",
                    format!("The default value for {label} has more than {CHARS} characters. Shorten it."),
                ));
            }
            let column = fields.iter().position(|it| *it == Some(field)).unwrap_or_else(|| {
                header.push(field.label().to_owned());
                fields.push(Some(field));
                header.len() - 1
            });
            defaults.push(DefaultValue::new(field, column, value));
        }
        let joins = fields.iter().enumerate().filter_map(|(other, field)| {
            let first = fields.iter().position(|it| it == field).filter(|first| *first < other)?;
            Some(Join { first, other, separator: (*field)?.joined_by()? })
        });
        let joins = joins.collect();
        Ok(Self { mapping: map(&header, &fields, layout.header_line)?, width, joins, defaults })
    }

    /// Returns whether any row may be changed.
    pub fn changes_rows(&self) -> bool {
        !(self.joins.is_empty() && self.defaults.is_empty())
    }

    /// Joins columns and fills in defaults. Fields of an item get defaults only in rows that have item data.
    pub fn apply(&self, row: &mut RawRow) {
        for Join { first, other, separator } in &self.joins {
            let Some(cell) = row.cells.get_mut(*other).filter(|cell| !cell.is_blank()) else { continue };
            let added = std::mem::replace(cell, Cell::Empty);
            let Some(cell) = row.cells.get_mut(*first) else { continue };
            *cell = if cell.is_blank() {
                added
            } else {
                Cell::Text(format!("{}{separator}{}", shown(cell).trim(), shown(&added).trim()))
            };
        }
        if !self.defaults.is_empty() {
            let has_item = has_item(row, &self.mapping);
            self.fill(row, has_item);
        }
    }

    fn fill(&self, row: &mut RawRow, has_item: bool) {
        // A row of a text file may have more cells than the header, which is a problem of the row. They stay
        // behind all columns.
        let beyond = row.cells.split_off(self.width.min(row.cells.len()));
        row.cells.resize(self.mapping.width(), Cell::Empty);
        row.cells.extend(beyond);
        // A default for date and time would replace the date of the row.
        let has_date = filled(row, &self.mapping, Field::ScheduleDate).is_some();
        for DefaultValue { field, column, cell: default, .. } in &self.defaults {
            if let Some(cell) = row.cells.get_mut(*column)
                && cell.is_blank()
                && (has_item || !field.is_of_item())
                && !(has_date && *field == Field::Schedule)
            {
                *cell = default.clone();
            }
        }
    }

    /// Returns why a default value is refused, whatever the row.
    fn problem(&self, context: &RowContext) -> Option<FileError> {
        // Such a date would take part in deciding the order of the file's own dates.
        let depends = |it: &&DefaultValue| is_date(it.field) && time::fit(&it.value) != Fit::Any;
        if let Some(default) = self.defaults.iter().find(depends) {
            return Some(default.refused("Write the date as 2026-12-24."));
        }
        let mut row = RawRow { line: 1, cells: Vec::new() };
        self.fill(&mut row, true);
        let messages = check(&row, &self.mapping, context).err()?;
        let refused = |default: &&DefaultValue| {
            let position = self.mapping.position(default.field);
            messages.iter().find(|it| it.column_index == position && it.code != "REQUIRED").cloned()
        };
        let (default, message) = self.defaults.iter().find_map(|it| Some((it, refused(&it)?)))?;
        Some(default.refused(&message.text))
    }
}

impl Sheet {
    /// Returns the headings of the download of refused rows, without the two that it adds, and the layout for reading
    /// it. Includes the columns that default values add.
    pub fn download(&self, layout: &Layout) -> Result<(Vec<String>, Layout), FileError> {
        let transform = Transform::of(self.headings(layout.header_line).unwrap_or_default(), layout)?;
        let mut columns = layout.columns.clone();
        columns.truncate(transform.width);
        columns.resize(transform.mapping.width(), None);
        for DefaultValue { field, column, .. } in &transform.defaults {
            if let Some(place) = columns.get_mut(*column) {
                *place = Some(field.name().to_owned());
            }
        }
        let decision = Layout { columns, sheet: None, items: None, ..layout.clone() };
        Ok((transform.mapping.headings().to_vec(), decision))
    }

    /// Checks the fields that a person chose. Returns the error that the import would end with.
    pub fn check(&self, layout: &Layout) -> Result<(), FileError> {
        Transform::of(self.headings(layout.header_line).unwrap_or_default(), layout).map(|_| ())
    }

    /// Returns why a default value of a decision, which may be unfinished, is refused.
    pub fn problem_of_defaults(&self, layout: &Layout, context: &RowContext) -> Option<FileError> {
        let headings = self.headings(layout.header_line).unwrap_or_default();
        match Transform::unfinished(headings, layout) {
            Ok(transform) => transform.problem(context),
            Err(error) => Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::{Chosen, Columns};
    use super::super::layout::Defaults;
    use super::super::row::DateOrder;
    use super::*;

    const HEADER: [&str; 7] = ["Doc", "Trip", "Street", "City", "Day", "Article", "Pieces"];
    const FIELDS: [&str; 7] = [
        "delivery_id",
        "shipmentnumber",
        "customeraddress",
        "customeraddress",
        "scheduledate",
        "sku",
        "quantity",
    ];

    fn context() -> RowContext {
        RowContext {
            timezone: chrono_tz::Asia::Manila,
            columns: Columns::undecided(DateOrder::Mdy),
            earliest: None,
        }
    }

    fn layout(columns: &[&str], defaults: &[(&str, &str)]) -> Layout {
        let columns = columns.iter().map(|name| Some((*name).to_owned()).filter(|name| !name.is_empty()));
        let defaults: Defaults =
            defaults.iter().map(|(field, value)| ((*field).to_owned(), (*value).to_owned())).collect();
        let (columns, chosen) = (columns.collect(), Chosen::default());
        Layout { header_line: 1, columns, sheet: None, chosen, defaults, items: None }
    }

    fn texts(cells: &[&str]) -> RawRow {
        RawRow { line: 2, cells: cells.iter().map(|cell| Cell::text((*cell).to_owned())).collect() }
    }

    fn transform(defaults: &[(&str, &str)]) -> Transform {
        Transform::of(&HEADER.map(str::to_owned), &layout(&FIELDS, defaults)).unwrap()
    }

    #[test]
    fn what_was_decided_has_to_be_whole() {
        let file = Sheet::of(&[&["A", "B", "C", "D"], &["1", "2", "3", "4"]]);
        let decide = |columns: [&str; 4], defaults: &[(&str, &str)]| {
            file.check(&layout(&columns, defaults)).map_err(|error| error.code)
        };
        let whole = ["delivery_id", "shipmentnumber", "customername", "scheduledatetime"];
        assert_eq!(decide(whole, &[]), Ok(()));
        let undated = ["delivery_id", "shipmentnumber", "customername", ""];
        assert_eq!(decide(undated, &[]), Err("HEADER_MISSING_COLUMNS"));
        assert_eq!(decide(undated, &[("scheduledate", "2026-12-24")]), Ok(()));
        let repeated = ["delivery_id", "delivery_id", "customername", ""];
        assert_eq!(decide(repeated, &[]), Err("HEADER_REPEATED_COLUMN"));
        let unknown = ["delivery_id", "made up", "customername", ""];
        assert_eq!(decide(unknown, &[]), Err("HEADER_MISSING_COLUMNS"));
    }

    #[test]
    fn several_columns_become_one_text() {
        let transform = transform(&[("customername", "Acme")]);
        assert_eq!(transform.mapping.unused().count(), 0);
        for (street, city, address) in [
            ("12 Rizal St", " Makati ", Some("12 Rizal St, Makati")),
            ("", "Makati", Some("Makati")),
            ("12 Rizal St", " ", Some("12 Rizal St")),
            ("", "", None),
        ] {
            let mut row = texts(&["D-1", "S-1", street, city, "2026-12-03", "A-7", "2"]);
            transform.apply(&mut row);
            let checked = check(&row, &transform.mapping, &context()).unwrap();
            assert_eq!(checked.customeraddress.as_deref(), address);
            let once = row.clone();
            row.cells.truncate(HEADER.len());
            transform.apply(&mut row);
            assert_eq!(row, once, "the same when refused rows are downloaded and imported again");
        }
        let mut row = texts(&["D-1", "S-1", "Makati", "", "2026-12-03"]);
        row.cells[3] = Cell::Number(1226.0);
        transform.apply(&mut row);
        assert_eq!(row.cells[2], Cell::Text("Makati, 1226".to_owned()));
    }

    #[test]
    fn a_default_is_for_rows_without_a_value() {
        let transform = transform(&[
            ("customername", "Acme"),
            ("scheduledate", "2026-12-24"),
            ("quantity", "1"),
            ("unit", "box"),
        ]);
        let checked = |cells: &[&str]| {
            let mut row = texts(cells);
            transform.apply(&mut row);
            check(&row, &transform.mapping, &context())
        };
        let day = |cells: &[&str]| {
            let at = checked(cells).unwrap().scheduledatetime.and_then(proto::instant).unwrap();
            at.with_timezone(&chrono_tz::Asia::Manila).date_naive().to_string()
        };
        assert_eq!(day(&["D-1", "S-1", "", "", "2026-12-03"]), "2026-12-03");
        assert_eq!(day(&["D-1", "S-1"]), "2026-12-24");
        let row = checked(&["D-1", "S-1", "", "", "", "A-7", ""]).unwrap();
        let item = row.item.unwrap();
        assert_eq!((row.customername.as_str(), item.quantity_thousandths), ("Acme", 1_000));
        assert_eq!(item.unit.as_deref(), Some("box"));
        assert_eq!(checked(&["D-1", "S-1"]).unwrap().item, None, "no item comes from defaults alone");

        let messages = checked(&["D-1", "S-1", "", "", "", "", "", "moved"]).unwrap_err();
        assert_eq!(messages[0].code, "TOO_MANY_CELLS");
    }

    /// Returns when a row with this cell is dispatched, in Manila.
    fn dispatched(transform: &Transform, cell: &str) -> String {
        let mut row = texts(&["D-1", "S-1", "", "", cell]);
        transform.apply(&mut row);
        let at = check(&row, &transform.mapping, &context()).unwrap().scheduledatetime;
        let at = at.and_then(proto::instant).unwrap().with_timezone(&chrono_tz::Asia::Manila);
        at.format("%Y-%m-%d %H:%M").to_string()
    }

    #[test]
    fn a_default_date_is_used_where_date_and_time_have_no_value() {
        let fields = ["delivery_id", "shipmentnumber", "", "", "scheduledatetime", "", ""];
        let defaults = [("customername", "Acme"), ("scheduledate", "2026-12-24"), ("scheduletime", "08:30")];
        let transform = Transform::of(&HEADER.map(str::to_owned), &layout(&fields, &defaults)).unwrap();
        let at = |cell: &str| dispatched(&transform, cell);
        assert_eq!(at(""), "2026-12-24 08:30");
        assert_eq!(at("2026-12-03 17:00"), "2026-12-03 17:00");
    }

    #[test]
    fn a_default_date_and_time_is_used_where_the_date_has_no_value() {
        let transform = transform(&[("customername", "Acme"), ("scheduledatetime", "2026-12-24 08:30")]);
        let at = |cell: &str| dispatched(&transform, cell);
        assert_eq!(at(""), "2026-12-24 08:30");
        assert_eq!(at("2026-12-03"), "2026-12-03 00:00");
    }

    #[test]
    fn a_default_has_to_be_valid() {
        let file = Sheet::of(&[&HEADER]);
        let refused_in = |timezone, defaults: &[(&str, &str)]| {
            let layout = layout(&FIELDS, &[&[("customername", "Acme")], defaults].concat());
            let error = file.problem_of_defaults(&layout, &RowContext { timezone, ..context() })?;
            Some((error.code, error.text))
        };
        let refused = |defaults: &[(&str, &str)]| refused_in(chrono_tz::Asia::Manila, defaults);
        assert_eq!(refused(&[("scheduletime", "08:30"), ("priority", "high")]), None);
        // Clocks in Cairo skip midnight on this day.
        assert_eq!(refused_in(chrono_tz::Africa::Cairo, &[("scheduledate", "2026-04-24")]), None);
        for (field, value) in [
            ("scheduletime", "soon"),
            ("quantity", "many"),
            ("quantity", "1,250"),
            ("scheduledate", "24/12/2026"),
            ("scheduledate", "03/04/2026"),
            ("customer_email", "nobody"),
            ("delivery_id", "D-1"),
            ("made up", "x"),
            ("trucker", &"x".repeat(501)),
        ] {
            let (code, text) = refused(&[(field, value)]).unwrap();
            assert_eq!(code, "DEFAULT_NOT_VALID", "{field}: {text}");
        }
        let (_, text) = refused(&[("quantity", "many")]).unwrap();
        assert!(text.starts_with("The default value “many” for Quantity can't be used. "), "{text}");
    }
}
