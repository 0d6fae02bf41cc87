//! From the wire's filters to a condition, by a table of allowed fields.
//!
//! The wire's shape is generic, its meaning is not: an unknown key or an operator that the
//! field does not know is an input error that names it. Values are always bound, never text of
//! a statement. Filters on one key combine as OR, negated ones as NOT of OR, keys as AND.
//!
//! Text compares ignoring case, by a column that holds the text folded by [`fold`]: databases
//! disagree about folding beyond ASCII. A missing value matches no positive filter but `isEmpty`, and every
//! negated one but `!isEmpty`. To be empty is to be missing or a text without a character.

//!
//! [`Clauses::parse`] reads them once; SQL and the choice of an index go by what it made of them.

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
pub use sql::{escape, grams, starts_with};

pub const MAX_FILTERS: usize = 20;
pub const MAX_VALUES: usize = 50;
pub const MAX_VALUE_CHARS: usize = 200;

/// What a field holds, and so which operators it knows. Texts, and whatever may be missing, know isEmpty and
/// !isEmpty as well.
#[derive(Debug, Clone, Copy)]
pub enum FieldKind<C> {
    /// Text whose folded form is in the given column: all six text operators.
    Text { folded: C },
    /// One of a fixed set, kept as spelled here: all six text operators, on the spelling.
    Choice(&'static [&'static str]),
    /// Several of a fixed set, kept as spelled here in one text, each between bars as in "|a|b|":
    /// all six text operators, of which one of them has to pass.
    Choices(&'static [&'static str]),
    /// A UUID: equals and !equals.
    Id,
    /// True or false, with the words for each: equals and !equals.
    Flag { yes: &'static str, no: &'static str },
    /// A whole number: equals and !equals.
    Number,
    /// A point in time: inDateRange.
    Instant,
    /// A point in time, the first of two columns that has one: inDateRange.
    FirstInstant { first: C, or: C },
    /// As `Text`, where a part of a text is not found by reading every row.
    Search { folded: C, by: Search },
    /// What rows of another table say of this one; one of them has to pass. The other table's
    /// column `key` holds what is here in `on`.
    Related { on: C, table: &'static str, key: &'static str, value: Related },
}

/// How a part of a text is found.
#[derive(Debug, Clone, Copy)]
pub enum Search {
    /// An index of trigrams; see [`grams`].
    Grams,
    /// Another table has each text that occurs once, in its column `key`, perhaps with an index of
    /// trigrams.
    Listed { table: &'static str, key: &'static str, grams: bool },
}

/// What is compared in another table.
#[derive(Debug, Clone, Copy)]
pub enum Related {
    Text { folded: &'static str, by: Option<Search> },
    Choice { column: &'static str, spellings: &'static [&'static str] },
}

/// One row of a list's field table.
#[derive(Debug, Clone, Copy)]
pub struct Field<C: 'static> {
    pub key: &'static str,
    pub column: C,
    pub kind: FieldKind<C>,
    pub sortable: bool,
    /// Whether an index finds matches; if not, the list is scanned in sort order.
    pub indexed: bool,
    /// Whether that index leaves out rows where the field is empty or false.
    pub sparse: bool,
    /// Columns that follow this one in its index, before the primary key.
    pub then: &'static [C],
}

impl<C: 'static> Field<C> {
    pub const fn new(key: &'static str, column: C, kind: FieldKind<C>) -> Self {
        Self { key, column, kind, sortable: true, indexed: true, sparse: false, then: &[] }
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
}

/// The condition that the filters ask for. Without filters it is always true.
pub fn condition<C: ColumnTrait>(fields: &'static [Field<C>], filters: &[Filter]) -> Result<Condition> {
    Ok(Clauses::parse(fields, filters)?.condition())
}

/// The row of the table for a key, or an error that names the keys there are.
pub(crate) fn find<C>(fields: &'static [Field<C>], key: &str) -> Result<&'static Field<C>> {
    fields.iter().find(|field| field.key == key).ok_or_else(|| {
        let known: Vec<_> = fields.iter().map(|field| field.key).collect();
        refuse("FIELD_UNKNOWN", format!("there is no field {key}; known are {}", known.join(", ")))
    })
}

fn refuse(reason: &str, message: String) -> Error {
    Error::invalid(reason, message.clone()).field("where", message)
}
