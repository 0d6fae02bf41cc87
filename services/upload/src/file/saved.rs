//! A mapping of columns that is applied to files by their headings, wherever the columns are.

use serde::{Deserialize, Serialize};

use super::columns::Chosen;
use super::fields::{self, Field};
use super::header::{Mapping, shorten};
use super::layout::{Defaults, HEADING_CHARS, Layout, Sheet};

/// Which headings hold which fields, how values are read, and default values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SavedMapping {
    columns: Vec<SavedColumn>,
    #[serde(default, flatten)]
    pub chosen: Chosen,
    #[serde(default, skip_serializing_if = "Defaults::is_empty")]
    pub defaults: Defaults,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedColumn {
    heading: String,
    /// Number of columns before it that have the same heading.
    #[serde(default, skip_serializing_if = "is_zero")]
    before: usize,
    field: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A saved mapping on a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// The field name for each column of the file; `None` leaves it out.
    pub columns: Vec<Option<String>>,
    /// Headings of the mapping that the file doesn't have.
    pub missing: Vec<String>,
}

/// A heading, and the number of columns before it that have the same one.
type Place = (String, usize);

/// Returns the place of each column that has a heading.
fn places(headings: &[String]) -> Vec<Option<Place>> {
    let keys: Vec<String> =
        headings.iter().map(|text| fields::key(&shorten(text.trim(), HEADING_CHARS))).collect();
    let before = |index: usize, key: &str| keys.iter().take(index).filter(|it| *it == key).count();
    let place = |(index, key): (usize, &String)| (!key.is_empty()).then(|| (key.clone(), before(index, key)));
    keys.iter().enumerate().map(place).collect()
}

impl SavedMapping {
    /// Returns what can be used for other files of choices about a file with these headings. Leaves out columns
    /// without a heading, and defaults that are right for one file only.
    pub fn of(headings: &[String], layout: &Layout) -> Self {
        let columns = headings.iter().zip(places(headings)).zip(layout.fields());
        let columns = columns.filter_map(|((heading, place), field)| {
            let heading = shorten(heading.trim(), HEADING_CHARS);
            Some(SavedColumn { heading, before: place?.1, field: field?.name().to_owned() })
        });
        Self { columns: columns.collect(), chosen: layout.chosen, defaults: layout.lasting_defaults() }
    }

    /// Returns the number of mapped columns.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Applies the mapping to a file with these headings. Columns that it doesn't have are left out.
    pub fn apply(&self, headings: &[String]) -> Applied {
        let places = places(headings);
        let mut applied = Applied { columns: vec![None; headings.len()], missing: Vec::new() };
        for SavedColumn { heading, before, field } in &self.columns {
            let wanted = Some((fields::key(heading), *before));
            let index = places.iter().position(|place| *place == wanted);
            match index.and_then(|index| applied.columns.get_mut(index)) {
                Some(column) => *column = Field::named(field).map(|field| field.name().to_owned()),
                None => applied.missing.push(heading.clone()),
            }
        }
        applied
    }

    /// Returns the decision about a file with these headings.
    pub fn layout(&self, headings: &[String], header_line: u32) -> Layout {
        let Self { chosen, defaults, .. } = self.clone();
        let columns = self.apply(headings).columns;
        Layout { header_line, columns, sheet: None, chosen, defaults, items: None }
    }
}

impl Sheet {
    /// Returns whether the headings of a line don't say by themselves which columns have the required fields.
    pub fn is_unknown(&self, line: u32) -> bool {
        Mapping::new(self.headings(line).unwrap_or_default(), line).is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn layout(columns: &[&str]) -> Layout {
        let columns = columns.iter().map(|name| Some((*name).to_owned()).filter(|name| !name.is_empty()));
        let (columns, chosen) = (columns.collect(), Chosen::default());
        Layout { header_line: 1, columns, sheet: None, chosen, defaults: Defaults::new(), items: None }
    }

    fn applied(saved: &SavedMapping, headings: &[&str]) -> (Vec<String>, Vec<String>) {
        let Applied { columns, missing } = saved.apply(&texts(headings));
        (columns.into_iter().map(Option::unwrap_or_default).collect(), missing)
    }

    #[test]
    fn columns_are_found_by_their_headings_wherever_they_are() {
        let headings = texts(&["Doc Ref", "", "Trip", "Colour"]);
        let saved = SavedMapping::of(&headings, &layout(&["delivery_id", "sku", "shipmentnumber", ""]));
        assert_eq!(saved.len(), 2, "neither the column without a heading nor the one that is left out");
        let (columns, missing) = applied(&saved, &["Sku", "TRIP.", "doc  ref"]);
        assert_eq!((columns, missing), (texts(&["", "shipmentnumber", "delivery_id"]), vec![]));
        let (columns, missing) = applied(&saved, &["Trip"]);
        assert_eq!((columns, missing), (texts(&["shipmentnumber"]), texts(&["Doc Ref"])));
        let text = serde_json::to_string(&saved).unwrap();
        assert_eq!(serde_json::from_str::<SavedMapping>(&text).unwrap(), saved);
    }

    #[test]
    fn equal_headings_are_told_apart_by_their_order() {
        let headings = texts(&["Ref", "Ref", "Ref"]);
        let saved = SavedMapping::of(&headings, &layout(&["", "delivery_id", "shipmentnumber"]));
        assert_eq!(
            applied(&saved, &["Note", "Ref", "Ref"]),
            (texts(&["", "", "delivery_id"]), texts(&["Ref"]))
        );
    }

    #[test]
    fn headings_in_any_script_differ() {
        let headings = texts(&["Дата 1", "Цена 1", "№"]);
        let saved = SavedMapping::of(&headings, &layout(&["scheduledate", "quantity", "delivery_id"]));
        assert_eq!(
            applied(&saved, &["ЦЕНА 1", "№", "дата 1"]),
            (texts(&["quantity", "delivery_id", "scheduledate"]), vec![])
        );
    }

    #[test]
    fn joined_columns_and_lasting_defaults_are_kept() {
        let defaults = [("trucker", "Luzon Haul"), ("scheduledate", "2026-12-24")];
        let defaults = defaults.map(|(field, value)| (field.to_owned(), value.to_owned())).into();
        let layout = Layout { defaults, ..layout(&["customeraddress", "customeraddress"]) };
        let saved = SavedMapping::of(&texts(&["Street", "City"]), &layout);
        let found = saved.layout(&texts(&["City", "Street"]), 3);
        assert_eq!((found.header_line, found.joins_columns()), (3, true));
        assert_eq!(found.defaults.into_iter().collect::<Vec<_>>(), [("trucker".into(), "Luzon Haul".into())]);
    }
}
