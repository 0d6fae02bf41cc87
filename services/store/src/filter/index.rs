//! Chooses the index that finds matches, and determines in which order the index returns rows.

use std::collections::BTreeSet;

use sea_orm::sea_query::SimpleExpr;
use sea_orm::{ColumnTrait, Condition};

use super::clause::{Clause, Clauses, Match, Test};
use super::empty::{Held, is_nullable};
use super::sql::Style;
use super::{Field, FieldKind, Search, sql};

/// Up to this many values, the index is scanned once for each value and the results are merged.
const MAX_HEADS: usize = 8;

/// A statement has at most this many comparisons in all of its scans together, each of which may repeat the filters of
/// the sorted field. SQLite plans for a time that grows by the square of their number: 0.1 s for 800, and 10 s for
/// 8,000.
const MAX_COMPARISONS: usize = 800;

/// A range of an index whose rows are in the list's order.
pub(crate) struct Start<C> {
    pub rows: Condition,
    /// The column that is NULL in all of these rows. Postgres uses the index for NULLs only if the statement
    /// orders by that column.
    pub missing: Option<C>,
}

impl<C> From<SimpleExpr> for Start<C> {
    fn from(rows: SimpleExpr) -> Self {
        Self { rows: Condition::all().add(rows), missing: None }
    }
}

impl<C: ColumnTrait> Clauses<C> {
    /// Returns whether an index finds the matches: on at least one field, all filters are of a kind that the
    /// field's index supports. Otherwise the list can only be scanned in its order.
    pub(crate) fn narrows(&self) -> bool {
        let present = |field| self.of(field).any(|it| it.negated && matches!(it.test, Test::Empty(_)));
        let mut indexed = self.fields.iter().filter(|field| field.indexed);
        indexed.any(|field| self.all_positive(field, serves) || present(field))
    }

    /// Returns the part of the condition that bounds a scan of the field's index; `None` when some filter on
    /// the field cannot bound the scan.
    pub(crate) fn leading(&self, field: &Field<C>, style: Style) -> Option<Condition> {
        let ranged = |it: &Clause<C>| match field.kind {
            FieldKind::Text { .. } | FieldKind::Search { .. } => {
                matches!(it.test, Test::Texts(Match::Equals | Match::StartsWith, _))
            }
            FieldKind::Related { .. } | FieldKind::Choices(_) => false,
            _ => true,
        };
        self.all_positive(field, ranged).then(|| sql::condition(self.of(field), style))
    }

    /// Returns whether only rows with this member of a fixed set can match.
    pub(crate) fn are_only(&self, key: &str, value: &str) -> bool {
        let is_value =
            |it: &Clause<C>| matches!(&it.test, Test::Choices(_, chosen) if chosen.as_slice() == [value]);
        self.fields.iter().any(|field| field.key == key && self.all_positive(field, is_value))
    }

    /// Returns whether the matches are one contiguous range of the field's index.
    pub(crate) fn is_one_range(&self, field: &Field<C>) -> bool {
        if let Some((key, value)) = field.within {
            // The index has no other rows.
            let others: Vec<_> = self.all.iter().filter(|it| it.field.key != key).collect();
            let is_range = others.iter().all(|it| !it.negated && it.field.key == field.key);
            return self.are_only(key, value) && is_range && others.len() <= 1;
        }
        let [one] = self.all.as_slice() else { return false };
        let is_range = match (&one.test, field.kind) {
            (
                Test::Texts(Match::Equals | Match::StartsWith, values),
                FieldKind::Text { .. } | FieldKind::Search { .. },
            ) => values.len() == 1,
            (Test::Range(..), FieldKind::Instant) => true,
            _ => false,
        };
        is_range && field.indexed && !one.negated && one.field.key == field.key
    }

    /// Returns ranges in the index of one field that together contain all matches, each in the list's order.
    /// Empty when no field is filtered by whole values or by being empty.
    pub(crate) fn in_order(&self, goes_on: impl Fn(&[C]) -> bool, style: Style) -> Vec<Start<C>> {
        let suited = |field: &&Field<C>| {
            let kept = !matches!(field.kind, FieldKind::Related { .. } | FieldKind::Choices(_));
            let whole = |it: &Clause<C>| match it.test {
                Test::Empty(_) => !field.sparse,
                _ => it.test.is_whole(),
            };
            kept && field.indexed && goes_on(field.then) && self.all_positive(field, whole)
        };
        let selective =
            self.fields.iter().find(|it| suited(it) && self.all_positive(it, Clause::is_selective));
        let Some(field) = selective.or_else(|| self.fields.iter().find(suited)) else { return Vec::new() };
        let positive = || self.of(field).filter(|it| !it.negated);
        let values: Vec<_> = positive().flat_map(|it| each(&it.test)).collect();
        let distinct: BTreeSet<_> = values.iter().map(|(name, _)| name).collect();
        if distinct.len() > MAX_HEADS || distinct.len() * self.comparisons() > MAX_COMPARISONS {
            return Vec::new();
        }
        let tests = distinct.into_iter().filter_map(|name| values.iter().find(|it| it.0 == *name));
        let mut starts: Vec<Start<C>> =
            tests.flat_map(|(_, test)| sql::expressions(field, test, style)).map(Start::from).collect();
        let empty = positive().find_map(|it| match &it.test {
            Test::Empty(held) => Some(held),
            _ => None,
        });
        starts.extend(empty.into_iter().flat_map(of_empty));
        starts
    }

    /// Returns whether the field has positive filters, all of which satisfy the predicate.
    fn all_positive(&self, field: &Field<C>, such: impl Fn(&Clause<C>) -> bool) -> bool {
        let mut positive = self.of(field).filter(|it| !it.negated).peekable();
        positive.peek().is_some() && positive.all(such)
    }
}

/// Splits a test on whole values into one test per value, each with its value as a string.
fn each<C>(test: &Test<C>) -> Vec<(String, Test<C>)> {
    match test {
        Test::Texts(how, values) => {
            values.iter().map(|it| (it.clone(), Test::Texts(*how, vec![it.clone()]))).collect()
        }
        Test::Choices(how, values) => {
            values.iter().map(|it| ((*it).to_owned(), Test::Choices(*how, vec![it]))).collect()
        }
        Test::Ids(values) => values.iter().map(|it| (it.to_string(), Test::Ids(vec![*it]))).collect(),
        Test::Numbers(values) => values.iter().map(|it| (it.to_string(), Test::Numbers(vec![*it]))).collect(),
        Test::Flags(values) => values.iter().map(|it| (it.to_string(), Test::Flags(vec![*it]))).collect(),
        Test::Range(..) | Test::Empty(_) => Vec::new(),
    }
}

fn serves<C: ColumnTrait>(clause: &Clause<C>) -> bool {
    let field = clause.field;
    match (&field.kind, &clause.test) {
        (FieldKind::Related { .. }, Test::Empty(_)) => false,
        (_, Test::Empty(_)) => !field.sparse,
        (FieldKind::Flag { .. }, Test::Flags(values)) if field.sparse => values.iter().all(|it| *it),
        (FieldKind::Text { .. }, Test::Texts(how, _)) => !is_part(*how),
        // The trigram index finds only strings of at least three characters.
        (FieldKind::Search { by: Search::Grams, .. }, Test::Texts(how, values)) => {
            !is_part(*how) || values.iter().all(|value| value.chars().count() >= 3)
        }
        _ => true,
    }
}

/// Returns the ranges of the field's index that hold empty values.
fn of_empty<C: ColumnTrait>(held: &Held<C>) -> Vec<Start<C>> {
    let (column, is_text) = match *held {
        Held::Text(column) => (column, true),
        Held::Other(column) => (column, false),
        Held::Elsewhere { .. } => return Vec::new(),
    };
    let missing = is_nullable(column)
        .then(|| Start { rows: Condition::all().add(column.is_null()), missing: Some(column) });
    let blank = is_text.then(|| Start::from(column.eq("")));
    missing.into_iter().chain(blank).collect()
}

fn is_part(how: Match) -> bool {
    matches!(how, Match::Contains | Match::EndsWith)
}
