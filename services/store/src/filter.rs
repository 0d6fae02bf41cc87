//! Turns the filters of a request into an SQL condition, by a table of allowed fields.
//!
//! The wire format is generic; the fields give it a meaning: an unknown key, or an operator that the field
//! does not support, is an input error that names it. Values are always bound, never part of a statement's
//! text. Filters on one key are combined with OR, negated filters with AND, and different keys with AND.
//!
//! Text is compared case-insensitively, by a column that holds the text in the form of [`fold`]: databases
//! disagree about folding beyond ASCII. A missing value matches `isEmpty` and every negated filter except
//! `!isEmpty`, and nothing else. Empty means missing, or a text without characters.
//!
//! [`Clauses::parse`] reads filters once; both the SQL and the choice of an index use its result.

mod clause;
mod empty;
mod index;
mod parse;
mod sql;
#[cfg(test)]
mod tests;

pub use kit::text::fold;
use kit::{Error, Result};
use proto::common::v1::Filter;
use sea_orm::{ColumnTrait, Condition};

pub use clause::Clauses;
pub(crate) use index::Start;
pub use parse::check_values;
pub(crate) use sql::{Style, first_of};
pub use sql::{escape, grams, starts_with, unindexed};

pub const MAX_FILTERS: usize = 20;
pub const MAX_VALUES: usize = 50;
pub const MAX_VALUE_CHARS: usize = 200;

/// The type of a field, which determines its operators. Texts and nullable fields also support isEmpty and
/// !isEmpty.
#[derive(Debug, Clone, Copy)]
pub enum FieldKind<C: 'static> {
    /// Text whose folded form is in the given column: all six text operators.
    Text { folded: C },
    /// One member of a fixed set, stored in one of these spellings: all six text operators, applied to the
    /// spelling.
    Choice(&'static [&'static str]),
    /// Several members of a fixed set, stored in one string with `|` around each, as in "|a|b|": all six text
    /// operators; at least one member must match.
    Choices(&'static [&'static str]),
    /// A UUID: equals and !equals.
    Id,
    /// True or false, with the words for each: equals and !equals.
    Flag { yes: &'static str, no: &'static str },
    /// A whole number: equals and !equals.
    Number,
    /// A point in time: inDateRange.
    Instant,
    /// A point in time, the first of two columns that is not NULL: inDateRange.
    FirstInstant { first: C, or: C },
    /// A point in time that a row has only if a condition on these columns is true: inDateRange.
    InstantIf { condition: fn() -> Condition, columns: &'static [C] },
    /// Like `Text`, with a way to find substrings without reading every row.
    Search { folded: C, by: Search },
    /// Rows of another table that refer to this one; at least one of them must match. The column `key` of the
    /// other table refers to `on` here.
    Related { on: C, table: &'static str, key: &'static str, value: Related },
}

/// How substrings are found.
#[derive(Debug, Clone, Copy)]
pub enum Search {
    /// By a trigram index; see [`grams`].
    Grams,
    /// In other tables that together have each distinct text.
    Listed(&'static [TextTable]),
}

/// A table with texts in its column `key`; `grams` says whether that column has a trigram index.
#[derive(Debug, Clone, Copy)]
pub struct TextTable {
    pub table: &'static str,
    pub key: &'static str,
    pub grams: bool,
}

/// The column of the other table that is compared.
#[derive(Debug, Clone, Copy)]
pub enum Related {
    Text { folded: &'static str, by: Option<Search> },
    Choice { column: &'static str, spellings: &'static [&'static str] },
}

/// One row of a list's table of fields.
#[derive(Debug, Clone, Copy)]
pub struct Field<C: 'static> {
    pub key: &'static str,
    pub column: C,
    pub kind: FieldKind<C>,
    pub sortable: bool,
    /// Whether an index finds the matches; otherwise the list is scanned in sort order.
    pub indexed: bool,
    /// Whether the field's index leaves out rows where the field is empty or false.
    pub sparse: bool,
    /// Columns that follow this one in its index, before the primary key.
    pub then: &'static [C],
    /// Set if the index for sorting by this field is partial: the key and value of the field that all its rows have.
    /// Sorting by this field requires a filter by that value.
    pub within: Option<(&'static str, &'static str)>,
}

impl<C: 'static> Field<C> {
    pub const fn new(key: &'static str, column: C, kind: FieldKind<C>) -> Self {
        Self { key, column, kind, sortable: true, indexed: true, sparse: false, then: &[], within: None }
    }

    pub const fn unsortable(mut self) -> Self {
        self.sortable = false;
        self
    }

    pub const fn unindexed(mut self) -> Self {
        self.indexed = false;
        self
    }

    pub const fn sparse(mut self) -> Self {
        self.sparse = true;
        self
    }

    pub const fn then(mut self, columns: &'static [C]) -> Self {
        self.then = columns;
        self
    }

    pub const fn within(mut self, key: &'static str, value: &'static str) -> Self {
        self.within = Some((key, value));
        self
    }
}

/// Returns the condition for the filters, in words of both databases; always true without filters.
pub fn condition<C: ColumnTrait>(fields: &'static [Field<C>], filters: &[Filter]) -> Result<Condition> {
    Ok(Clauses::parse(fields, filters)?.condition(Style::default()))
}

/// Returns the field for a key, or an error that lists the known keys.
pub(crate) fn find<C>(fields: &'static [Field<C>], key: &str) -> Result<&'static Field<C>> {
    fields.iter().find(|field| field.key == key).ok_or_else(|| {
        let known: Vec<_> = fields.iter().map(|field| field.key).collect();
        refuse("FIELD_UNKNOWN", format!("there is no field {key}; known are {}", known.join(", ")))
    })
}

fn refuse(reason: &str, message: String) -> Error {
    Error::invalid(reason, message.clone()).field("where", message)
}
