//! The values of a file that name drivers, customers and truckers, and what is imported instead of them.

use std::collections::HashMap;

use ::store::filter::fold;
use proto::deliveries::v1::ImportRow;

use crate::entity::upload_value::ValueField;
use crate::store::{Chosen, ValueKey};

/// Maximum number of different values of a field that are collected.
const COLLECTED: usize = 5_000;

/// The different values of a file, with their numbers of rows.
#[derive(Debug, Default)]
pub struct Values([HashMap<String, (String, u32)>; ValueField::ALL.len()]);

impl Values {
    pub fn add(&mut self, row: &ImportRow) {
        for (field, values) in ValueField::ALL.into_iter().zip(&mut self.0) {
            let Some(value) = value(row, field) else { continue };
            let key = fold(value);
            let is_full = values.len() >= COLLECTED;
            match values.get_mut(&key) {
                Some((_, rows)) => *rows += 1,
                None if is_full => {}
                None => drop(values.insert(key, (value.to_owned(), 1))),
            }
        }
    }

    /// Returns the values of a field, those of most rows first.
    pub fn of(&self, field: ValueField) -> Vec<(&str, u32)> {
        let mut all: Vec<_> = self.0[field as usize].iter().collect();
        all.sort_by(|(a, (_, one)), (b, (_, other))| other.cmp(one).then_with(|| a.cmp(b)));
        all.into_iter().map(|(_, (value, rows))| (value.as_str(), *rows)).collect()
    }
}

/// The records that are imported instead of values.
#[derive(Debug, Default)]
pub struct Replacements(HashMap<ValueKey, String>);

impl Replacements {
    pub fn new(chosen: HashMap<ValueKey, Chosen>) -> Self {
        Self(chosen.into_iter().filter_map(|(key, chosen)| Some((key, chosen.target?))).collect())
    }

    pub fn apply(&self, row: &mut ImportRow) {
        if self.0.is_empty() {
            return;
        }
        for field in ValueField::ALL {
            let key = value(row, field).map(|value| (field, fold(value)));
            let Some(target) = key.and_then(|key| self.0.get(&key)) else { continue };
            match field {
                ValueField::Driver => row.driver_id = Some(target.clone()),
                ValueField::Customer => row.customername.clone_from(target),
                ValueField::Trucker => row.trucker = Some(target.clone()),
            }
        }
    }
}

fn value(row: &ImportRow, field: ValueField) -> Option<&str> {
    match field {
        ValueField::Driver => row.driver_id.as_deref(),
        ValueField::Customer => Some(row.customername.as_str()),
        ValueField::Trucker => row.trucker.as_deref(),
    }
}
