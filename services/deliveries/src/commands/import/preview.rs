//! The changes that an import would make, for dry runs.

use std::collections::BTreeMap;

use proto::deliveries::v1 as wire;

use super::{Loaded, record};
use crate::domain::state::FieldChange;

/// Maximum number of fields in an answer: people look at examples, not at a whole file.
const MOST: usize = 100;

/// Returns the first fields of existing deliveries that would change.
pub(super) fn changes(known: &BTreeMap<String, Loaded>) -> Vec<wire::ImportFieldChange> {
    let changed = known.values().filter(|it| it.known.write.is_some());
    let stored = changed.filter_map(|it| Some((it, it.stored.as_ref()?)));
    let fields = stored.flat_map(|(it, stored)| {
        let of = |change: FieldChange| {
            let FieldChange { item_number, field, before, after } = change;
            let change = wire::FieldChange { item_number, field: field.to_owned(), before, after };
            wire::ImportFieldChange { delivery_id: stored.id.clone(), change: Some(change) }
        };
        record::changes(it, stored).into_iter().map(of)
    });
    fields.take(MOST).collect()
}
