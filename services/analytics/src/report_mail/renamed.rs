//! Names in the filters of a report that no source or driver has now. Filters are text, so they stay as they are when
//! a source or a driver is renamed, and then match nothing.

use std::collections::BTreeSet;

use ::store::{Db, db};
use kit::Result;
use kit::text::fold;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::entity::{driver_fact, source_fact};
use crate::query::check::Query;
use crate::query::filter::{Filter, How, Test, What};

/// Maximum number of names of a kind in a note. Names have up to 200 characters, and auth refuses texts over 2,000.
const SHOWN: usize = 3;

/// Says which names in filters no source or driver has; `None` if all exist.
pub async fn note(db_: &Db, queries: &[Query]) -> Result<Option<String>> {
    let sources = named(queries, "Delivery.source");
    let sources = missing::<source_fact::Entity>(db_, source_fact::Column::SourceKey, sources).await?;
    let drivers = named(queries, "Driver.driverName");
    let drivers = missing::<driver_fact::Entity>(db_, driver_fact::Column::DriverNameKey, drivers).await?;
    Ok(text(&sources, &drivers))
}

/// Returns the values that filters compare a member with as a whole.
fn named<'a>(queries: &'a [Query], member: &str) -> Vec<&'a str> {
    let leaves = queries.iter().flat_map(|query| &query.filters).flat_map(Filter::leaves);
    let values = leaves.filter_map(|leaf| match &leaf.what {
        What::Dimension { of, test: Test::Texts { how: How::Equals, .. }, .. } if of.name == member => {
            leaf.values.as_ref()
        }
        _ => None,
    });
    values.flatten().flatten().map(String::as_str).collect()
}

/// Returns those of the names that are not in the column, which has folded names.
async fn missing<'a, E: EntityTrait>(db_: &Db, key: E::Column, names: Vec<&'a str>) -> Result<Vec<&'a str>> {
    if names.is_empty() {
        return Ok(names);
    }
    let wanted = names.iter().map(|name| fold(name));
    let found = E::find().select_only().column(key).distinct().filter(key.is_in(wanted));
    let found: Vec<String> = found.into_tuple().all(db_.read()).await.map_err(db)?;
    let mut seen: BTreeSet<String> = found.into_iter().collect();
    Ok(names.into_iter().filter(|name| seen.insert(fold(name))).collect())
}

fn text(sources: &[&str], drivers: &[&str]) -> Option<String> {
    let kinds = [("source", sources), ("driver", drivers)].into_iter().filter(|(_, names)| !names.is_empty());
    let sentences: Vec<String> =
        kinds.map(|(kind, names)| format!("No {kind} is named {} now.", listed(names))).collect();
    let advice = match sources.len() + drivers.len() {
        0 => return None,
        1 => "It may have been renamed; change the filter of the report.",
        _ => "They may have been renamed; change the filters of the report.",
    };
    Some(format!("{} {advice}", sentences.join(" ")))
}

fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("“{name}”")).collect();
    let list = shown.join(" or ");
    match names.len().saturating_sub(SHOWN) {
        0 => list,
        more => format!("{list} or {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_a_few_and_counts_the_rest() {
        assert_eq!(text(&[], &[]), None);
        let note = text(&["A", "B", "C", "D", "E"], &["Ana"]).unwrap();
        assert_eq!(
            note,
            "No source is named “A” or “B” or “C” or 2 more now. No driver is named “Ana” now. They may have been \
             renamed; change the filters of the report."
        );
    }
}
