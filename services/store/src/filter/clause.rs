//! Parsed filters.

use chrono::{DateTime, Utc};
use sea_orm::ColumnTrait;
use uuid::Uuid;

use super::empty::{Held, is_nullable};
use super::{Field, FieldKind, Search};

/// The validated filters of a list.
#[derive(Debug)]
pub struct Clauses<C: 'static> {
    pub(super) fields: &'static [Field<C>],
    pub(super) all: Vec<Clause<C>>,
}

/// One filter on one field.
#[derive(Debug)]
pub(super) struct Clause<C: 'static> {
    pub field: &'static Field<C>,
    pub negated: bool,
    pub test: Test<C>,
}

/// A test of a value. With several texts or values, one of them must match.
#[derive(Debug)]
pub(super) enum Test<C> {
    /// Folded texts.
    Texts(Match, Vec<String>),
    /// The members of a fixed set that match the filter; there may be none.
    Choices(Match, Vec<&'static str>),
    Ids(Vec<Uuid>),
    Numbers(Vec<i64>),
    Flags(Vec<bool>),
    /// From the first instant (included) to the second (excluded).
    Range(DateTime<Utc>, DateTime<Utc>),
    Empty(Held<C>),
}

/// How a text is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    Contains,
    Equals,
    StartsWith,
    EndsWith,
}

impl Match {
    pub fn passes(self, text: &str, wanted: &str) -> bool {
        match self {
            Self::Contains => text.contains(wanted),
            Self::Equals => text == wanted,
            Self::StartsWith => text.starts_with(wanted),
            Self::EndsWith => text.ends_with(wanted),
        }
    }
}

impl<C> Clause<C> {
    /// Returns whether usually few of all rows match, and an index finds them on either database.
    pub fn is_selective(&self) -> bool {
        let finds_parts = matches!(self.field.kind, FieldKind::Search { by: Search::Listed(_), .. });
        let is_text = matches!(self.field.kind, FieldKind::Text { .. } | FieldKind::Search { .. });
        let found = |how| matches!(how, Match::Equals | Match::StartsWith) || finds_parts;
        self.field.indexed
            && is_text
            && !self.negated
            && matches!(self.test, Test::Texts(how, _) if found(how))
    }

    /// Adds the values of a clause that differs in nothing else; returns any other clause.
    pub fn absorb(&mut self, other: Self) -> Option<Self> {
        if self.field.key != other.field.key || self.negated != other.negated {
            return Some(other);
        }
        match (&mut self.test, other.test) {
            (Test::Texts(how, all), Test::Texts(same, more)) if *how == same => add_new(all, more),
            (Test::Choices(how, all), Test::Choices(same, more)) if *how == same => add_new(all, more),
            (Test::Ids(all), Test::Ids(more)) => add_new(all, more),
            (Test::Numbers(all), Test::Numbers(more)) => add_new(all, more),
            (Test::Flags(all), Test::Flags(more)) => add_new(all, more),
            (_, test) => return Some(Self { field: other.field, negated: other.negated, test }),
        }
        None
    }
}

/// Appends the values that are not in the list yet.
pub(super) fn add_new<T: PartialEq>(all: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    for value in more {
        if !all.contains(&value) {
            all.push(value);
        }
    }
}

impl<C> Test<C> {
    /// Returns whether the test compares whole values.
    pub fn is_whole(&self) -> bool {
        match self {
            Self::Texts(how, _) | Self::Choices(how, _) => *how == Match::Equals,
            Self::Ids(_) | Self::Numbers(_) | Self::Flags(_) => true,
            Self::Range(..) | Self::Empty(_) => false,
        }
    }

    /// Returns how many comparisons the test is in SQL. A list of whole values is one.
    pub fn comparisons(&self) -> usize {
        match self {
            Self::Texts(how, values) if *how != Match::Equals => values.len(),
            _ => 1,
        }
    }
}

impl<C> Clauses<C> {
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns how many comparisons the condition is in SQL.
    pub(super) fn comparisons(&self) -> usize {
        self.all.iter().map(|it| it.test.comparisons()).sum()
    }

    /// Returns the columns that are compared, some of them several times.
    pub(crate) fn columns(&self) -> impl Iterator<Item = C>
    where
        C: ColumnTrait,
    {
        self.all.iter().flat_map(|Clause { field, negated, .. }| {
            let compared = match field.kind {
                FieldKind::Text { folded } | FieldKind::Search { folded, .. } => [Some(folded), None],
                FieldKind::FirstInstant { first, or } => [Some(first), Some(or)],
                FieldKind::Related { on, .. } => [Some(on), None],
                _ => [Some(field.column), None],
            };
            let of_condition: &'static [C] = match field.kind {
                FieldKind::InstantIf { columns, .. } => columns,
                _ => &[],
            };
            // A missing value passes a negated filter.
            let missing = (*negated && is_nullable(field.column)).then_some(field.column);
            compared.into_iter().flatten().chain(of_condition.iter().copied()).chain(missing)
        })
    }

    pub(super) fn of<'a>(&'a self, field: &Field<C>) -> impl Iterator<Item = &'a Clause<C>> + use<'a, C> {
        let key = field.key;
        self.all.iter().filter(move |it| it.field.key == key)
    }
}
