//! Which fields of the contract's delivery a query shows, so that lists read no others.

use async_graphql::SelectionField;

/// Fields of the schema without a field of the same name in the contract, each with the contract fields it is computed
/// from.
const COMPUTED: &[(&str, &[&str])] = &[
    ("__typename", &[]),
    ("addressAccuracy", &["address_point"]),
    ("addressLat", &["address_point"]),
    ("addressLng", &["address_point"]),
    ("attachments", &[]),
    ("customer", &["customername"]),
    ("driver", &["driver_id"]),
    ("forms", &[]),
    ("history", &[]),
    ("items", &["linecount"]),
    ("outcomeAccuracy", &["outcome_point"]),
    ("outcomeLat", &["outcome_point"]),
    ("outcomeLng", &["outcome_point"]),
    ("podRequirement", &[]),
    ("shipment", &["shipmentnumber"]),
    ("source", &["source_id"]),
    ("variances", &["linecount"]),
];

/// Returns the fields that a selection of deliveries shows, and the id, by which related objects are found.
pub fn shown(deliveries: SelectionField<'_>) -> Vec<String> {
    let mut fields = vec!["id".to_owned()];
    for field in deliveries.selection_set() {
        match COMPUTED.iter().find(|(name, _)| *name == field.name()) {
            Some((_, from)) => fields.extend(from.iter().map(|name| (*name).to_owned())),
            None => fields.push(in_contract(field.name())),
        }
    }
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// Returns a field's name as the contract spells it: `driver_id` for `driverId`.
fn in_contract(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            spelled.push('_');
        }
        spelled.push(letter.to_ascii_lowercase());
    }
    spelled
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proto::deliveries::v1::Delivery;

    use super::*;

    #[test]
    fn each_field_of_the_schema_is_known_here_or_has_its_name_in_the_contract() {
        let sdl = crate::sdl();
        let body = sdl.split_once("\ntype Delivery {").unwrap().1.split_once("\n}").unwrap().0;
        // Long descriptions stand between triple quotes.
        let lines = body.split("\"\"\"").step_by(2).flat_map(str::lines).map(str::trim);
        let names = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
        let schema: BTreeSet<&str> = names.map(|line| line.split(['(', ':']).next().unwrap()).collect();
        // The message names its own fields.
        let message = format!("{:#?}", Delivery::default());
        let contract: BTreeSet<&str> =
            message.lines().filter_map(|line| Some(line.trim().split_once(": ")?.0)).collect();
        assert!(contract.contains("scheduledatetime") && contract.len() > 40);

        let computed: BTreeSet<&str> = COMPUTED.iter().map(|(name, _)| *name).collect();
        for name in schema.difference(&computed) {
            assert!(contract.contains(in_contract(name).as_str()), "{name} needs a row in COMPUTED");
        }
        for name in computed.difference(&schema) {
            assert_eq!(*name, "__typename");
        }
        for name in COMPUTED.iter().flat_map(|(_, from)| *from) {
            assert!(contract.contains(name), "{name}");
        }
    }
}
