//! Proposes a field for each column of a sheet, for the person who decides.

use super::fields::{self, Field};
use super::header::shorten;
use super::layout::Sheet;

/// Example values per column.
const EXAMPLES: usize = 3;
/// Characters shown of an example.
const CHARS: usize = 60;
/// Minimum similarity of a heading to a field's name at which the field is proposed.
const ALIKE: f64 = 0.8;

/// A column as shown to the person who decides about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub heading: String,
    pub examples: Vec<String>,
    pub proposed: Option<Field>,
    pub confidence: Confidence,
    /// The other field that the heading is similar to, if it is `Unsure`.
    pub alternative: Option<Field>,
}

/// Why a field is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// The heading is a known name of the field.
    Exact,
    /// Somebody chose the field for a file with the same headings.
    Saved,
    /// The heading is similar to a name of the field.
    Likely,
    /// The heading is similar to the names of two fields.
    Unsure,
    /// No field is proposed.
    None,
}

impl Sheet {
    /// Returns the columns below a line, each with the field that somebody chose before (`saved`), or that its
    /// heading names or resembles. No field is proposed twice.
    pub fn columns(&self, line: u32, saved: Option<&[Option<String>]>) -> Vec<Column> {
        let headings = self.headings(line).unwrap_or_default();
        let proposed = match saved {
            Some(saved) => from_saved(headings.len(), saved),
            None => from_headings(headings),
        };
        let below = self.rows.iter().filter(|row| row.line > line);
        let examples = |index: usize| {
            let cells = below.clone().filter_map(move |row| row.cells.get(index));
            let cells = cells.filter(|cell| !cell.is_empty()).take(EXAMPLES);
            cells.map(|cell| shorten(cell, CHARS)).collect()
        };
        let columns = headings.iter().zip(proposed).enumerate();
        columns
            .map(|(index, (heading, (proposed, confidence, alternative)))| Column {
                heading: heading.clone(),
                examples: examples(index),
                proposed,
                confidence,
                alternative,
            })
            .collect()
    }
}

type Proposed = (Option<Field>, Confidence, Option<Field>);

fn from_saved(width: usize, saved: &[Option<String>]) -> Vec<Proposed> {
    let named = |index: usize| saved.get(index)?.as_deref().and_then(Field::named);
    let proposed =
        |field: Option<Field>| (field, field.map_or(Confidence::None, |_| Confidence::Saved), None);
    (0..width).map(|index| proposed(named(index))).collect()
}

fn from_headings(headings: &[String]) -> Vec<Proposed> {
    let mut proposed: Vec<Option<Field>> = vec![None; headings.len()];
    let named =
        |index: usize| fields::find(&headings[index]).map(|(field, own)| (field, f64::from(own) + 1.0));
    let alike = |index: usize| {
        let all = Field::all().map(move |field| (field, fields::likeness(&headings[index], field)));
        all.filter(|(_, likeness)| *likeness >= ALIKE)
    };
    let all = (0..headings.len()).filter(|index| !headings[*index].is_empty());
    let mut offers: Vec<(f64, usize, Field)> = all
        .flat_map(|index| {
            let known = named(index).into_iter();
            known.chain(alike(index)).map(move |(field, score)| (score, index, field)).collect::<Vec<_>>()
        })
        .collect();
    offers.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    for (_, index, field) in &offers {
        if proposed[*index].is_none() && !proposed.contains(&Some(*field)) {
            proposed[*index] = Some(*field);
        }
    }
    let explained = |(index, field): (usize, Option<Field>)| {
        let Some(found) = field else { return (None, Confidence::None, None) };
        if named(index).is_some_and(|(named, _)| named == found) {
            return (field, Confidence::Exact, None);
        }
        let is_free = |other: &Field| !proposed.contains(&Some(*other));
        let other = offers.iter().find(|(_, at, other)| *at == index && is_free(other));
        match other {
            Some((_, _, other)) => (field, Confidence::Unsure, Some(*other)),
            None => (field, Confidence::Likely, None),
        }
    };
    proposed.iter().copied().enumerate().map(explained).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposes_names_and_what_is_most_like_them() {
        let file = Sheet::of(&[
            &["Orders of Monday"],
            &["Delvery Doc", "Shipmnt no", "Custmer Name", "Customer", "When", "Colour"],
            &["DR-1", "S-1", "Acme", "", "2026-11-22 08:30", "red"],
            &["DR-2", "S-1", "Nena", "x", "2026-11-23 08:30", ""],
        ]);
        assert_eq!(file.header_line(), 2);
        let columns = file.columns(2, None);
        let proposed: Vec<_> = columns.iter().map(|it| (it.proposed, it.confidence)).collect();
        // A synonym wins over a misspelled name, and no field is proposed twice.
        let wanted = [
            (Some(Field::DeliveryId), Confidence::Likely),
            (Some(Field::ShipmentNumber), Confidence::Likely),
            (None, Confidence::None),
            (Some(Field::CustomerName), Confidence::Exact),
            (None, Confidence::None),
            (None, Confidence::None),
        ];
        assert_eq!(proposed, wanted);
        assert_eq!((columns[0].examples.len(), columns[5].examples.as_slice()), (2, &["red".to_owned()][..]));
        assert_eq!(file.columns(9, None), []);
        let row = ["80001234", "S-1", "Acme", "2026-11-23", "KG"];
        let headings = ["VBELN", "TKNUM", "NAME1", "LFDAT", "VRKME"];
        assert_eq!(Sheet::of(&[&headings, &row, &row]).header_line(), 1, "KG is a heading elsewhere");
        let dated = ["Delivery Doc", "Shipment", "Customer", "2026-11-23"];
        assert_eq!(Sheet::of(&[&["Orders of Monday"], &dated, &row]).header_line(), 2);
        assert_eq!(
            file.fingerprint(2),
            Sheet::of(&[&["delvery doc", "Shipmnt No.", "CUSTMER NAME", "customer", "when", "colour"]])
                .fingerprint(1)
        );
    }

    #[test]
    fn says_when_two_fields_fit_and_when_somebody_has_chosen() {
        let file = Sheet::of(&[&["Dispatch Tate", "Customer"]]);
        let columns = file.columns(1, None);
        assert_eq!(
            (columns[0].proposed, columns[0].confidence),
            (Some(Field::ScheduleDate), Confidence::Unsure)
        );
        assert!(columns[0].alternative.is_some());

        let saved = [Some("sku".to_owned()), None];
        let columns = file.columns(1, Some(&saved));
        let found: Vec<_> = columns.iter().map(|it| (it.proposed, it.confidence)).collect();
        assert_eq!(found, [(Some(Field::Sku), Confidence::Saved), (None, Confidence::None)]);
    }
}
