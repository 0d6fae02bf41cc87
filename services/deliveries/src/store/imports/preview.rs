//! What a dry run says an import would change.

use std::collections::BTreeMap;

use proto::deliveries::v1 as wire;

use super::{Loaded, record};
use crate::domain::state::FieldChange;

/// Fields that an answer names. People look at examples, not at a whole file.
const MOST: usize = 100;

/// The first fields that would change, of deliveries that are there.
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
