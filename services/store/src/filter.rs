//! From the wire's filters to a condition, by a table of allowed fields.
//!
//! The wire's shape is generic, its meaning is not: an unknown key or an operator that the
//! field does not know is an input error that names it. Values are always bound, never text of
//! a statement. Filters on one key combine as OR, negated ones as NOT of OR, keys as AND.
//!
//! Text compares ignoring case, by a column that holds the text folded by [`fold`]: databases
//! disagree about folding beyond ASCII. A missing value matches no positive filter but `isEmpty`, and every
//! negated one but `!isEmpty`. To be empty is to be missing or a text without a character.

mod empty;
mod sql;

use std::collections::{BTreeMap, BTreeSet};

pub use kit::text::fold;
use kit::{Error, Result};
use proto::common::v1::Filter;
use sea_orm::sea_query::SimpleExpr;
use sea_orm::{ColumnTrait, Condition};

use sql::expressions;
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
    /// Whether an index finds what passes; if not, the list is read in its order.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Contains,
    Equals,
    StartsWith,
    EndsWith,
    InDateRange,
    IsEmpty,
}

/// The operator and whether it is negated.
fn parse(operator: &str) -> Option<(Op, bool)> {
    Some(match operator {
        "contains" => (Op::Contains, false),
        "!contains" => (Op::Contains, true),
        "equals" => (Op::Equals, false),
        "!equals" => (Op::Equals, true),
        "startsWith" => (Op::StartsWith, false),
        "endsWith" => (Op::EndsWith, false),
        "inDateRange" => (Op::InDateRange, false),
        "isEmpty" => (Op::IsEmpty, false),
        "!isEmpty" => (Op::IsEmpty, true),
        _ => return None,
    })
}

/// The condition that the filters ask for. Without filters it is always true.
pub fn condition<C: ColumnTrait>(fields: &[Field<C>], filters: &[Filter]) -> Result<Condition> {
    if filters.len() > MAX_FILTERS {
        return Err(refuse("TOO_MANY_FILTERS", format!("at most {MAX_FILTERS} filters can be used at once")));
    }
    // Ordered, so that the same filters in another order are the same statement.
    let mut keys: BTreeMap<&str, OfKey<C>> = BTreeMap::new();
    for filter in filters {
        let field = find(fields, &filter.key)?;
        let (op, negated) = parse(&filter.operator).ok_or_else(|| {
            refuse("FILTER_OPERATOR_UNKNOWN", format!("{} is no filter operator", filter.operator))
        })?;
        let of_key = keys.entry(field.key).or_insert_with(|| OfKey::new(field.column));
        match (op, negated) {
            (Op::IsEmpty, false) => of_key.positive.push(empty::absent(field, filter)?),
            (Op::IsEmpty, true) => of_key.present = Some(empty::present(field, filter)?),
            (_, false) => of_key.positive.extend(expressions(field, op, filter)?),
            (_, true) => of_key.negative.extend(expressions(field, op, filter)?),
        }
    }
    Ok(keys.into_values().fold(Condition::all(), |all, of_key| of_key.add_to(all)))
}

/// What the filters on one key ask for.
struct OfKey<C> {
    column: C,
    /// One of these has to pass,
    positive: Vec<SimpleExpr>,
    /// none of these,
    negative: Vec<SimpleExpr>,
    /// and this.
    present: Option<SimpleExpr>,
}

impl<C: ColumnTrait> OfKey<C> {
    fn new(column: C) -> Self {
        Self { column, positive: Vec::new(), negative: Vec::new(), present: None }
    }

    fn add_to(self, mut all: Condition) -> Condition {
        let Self { column, positive, negative, present } = self;
        if !positive.is_empty() {
            all = all.add(any(positive));
        }
        if !negative.is_empty() {
            all = all.add(Condition::any().add(column.is_null()).add(any(negative).not()));
        }
        all.add_option(present)
    }
}

/// Whether an index leads to what passes all filters: those on one field at least are all of a
/// kind that its index serves. Otherwise the list can only be read in its order.
pub(crate) fn narrows<C: ColumnTrait>(fields: &[Field<C>], filters: &[Filter]) -> bool {
    let present = |field: &Field<C>| {
        filters.iter().any(|it| it.key == field.key && parse(&it.operator) == Some((Op::IsEmpty, true)))
    };
    fields.iter().any(|field| {
        field.indexed && (all_positive(field, filters, |op, it| serves(field, op, it)) || present(field))
    })
}

/// The part of the condition that the index of the field can start and end at; nothing when a
/// filter on it is of another kind.
pub(crate) fn leading<C: ColumnTrait>(field: &Field<C>, filters: &[Filter]) -> Result<Option<Condition>> {
    let ranged = |op, _: &Filter| match field.kind {
        FieldKind::Text { .. } | FieldKind::Search { .. } => matches!(op, Op::Equals | Op::StartsWith),
        FieldKind::Related { .. } | FieldKind::Choices(_) => false,
        _ => true,
    };
    if !all_positive(field, filters, ranged) {
        return Ok(None);
    }
    let of_field: Vec<Filter> = filters.iter().filter(|it| it.key == field.key).cloned().collect();
    condition(std::slice::from_ref(field), &of_field).map(Some)
}

/// With more values, do not merge one index scan per value.
const MAX_HEADS: usize = 8;

/// Rows that an index has together and in the order of the list.
pub(crate) struct Start<C> {
    pub rows: Condition,
    /// The column that is missing in all of them. Postgres goes along the index of a missing value only
    /// when told to order by it.
    pub missing: Option<C>,
}

impl<C> From<Condition> for Start<C> {
    fn from(rows: Condition) -> Self {
        Self { rows, missing: None }
    }
}

/// Where to start in the index of one field so that it goes on in the order of the list: what passes the
/// filters is in one of these. Empty when no field is filtered by whole values or by being empty.
pub(crate) fn in_order<C: ColumnTrait>(
    fields: &[Field<C>],
    filters: &[Filter],
    goes_on: impl Fn(&[C]) -> bool,
) -> Result<Vec<Start<C>>> {
    let field = fields.iter().find(|field| {
        let kept = !matches!(field.kind, FieldKind::Related { .. } | FieldKind::Choices(_));
        let whole = |op, _: &Filter| op == Op::Equals || (op == Op::IsEmpty && !field.sparse);
        kept && field.indexed && goes_on(field.then) && all_positive(field, filters, whole)
    });
    let Some(field) = field else { return Ok(Vec::new()) };
    let of_field = || filters.iter().filter(|it| it.key == field.key);
    let whole = of_field().filter(|it| it.operator == "equals");
    let values: BTreeSet<String> = whole.flat_map(|it| it.values.iter()).map(|it| fold(it)).collect();
    if values.len() > MAX_HEADS {
        return Ok(Vec::new());
    }
    let equals = |value| Filter { key: field.key.into(), operator: "equals".into(), values: vec![value] };
    let mut starts = Vec::new();
    for value in values {
        starts.push(condition(std::slice::from_ref(field), &[equals(value)])?.into());
    }
    if of_field().any(|it| it.operator == "isEmpty") {
        starts.extend(empty::starts(field));
    }
    Ok(starts)
}

/// Whether there are filters on the field that are not negated, and all of those are such.
fn all_positive<C>(field: &Field<C>, filters: &[Filter], such: impl Fn(Op, &Filter) -> bool) -> bool {
    let positive = || {
        filters.iter().filter(|it| it.key == field.key).filter_map(|it| match parse(&it.operator) {
            Some((op, false)) => Some((op, it)),
            _ => None,
        })
    };
    positive().next().is_some() && positive().all(|(op, filter)| such(op, filter))
}

fn serves<C>(field: &Field<C>, op: Op, filter: &Filter) -> bool {
    let part = matches!(op, Op::Contains | Op::EndsWith);
    match &field.kind {
        FieldKind::Related { .. } if op == Op::IsEmpty => false,
        _ if op == Op::IsEmpty => !field.sparse,
        FieldKind::Flag { yes, .. } if field.sparse => {
            filter.values.iter().all(|value| [fold(yes), "true".to_owned()].contains(&fold(value)))
        }
        FieldKind::Text { .. } => !part,
        // Two characters make no trigram.
        FieldKind::Search { by: Search::Grams, .. } => {
            !part || filter.values.iter().all(|value| fold(value).chars().count() >= 3)
        }
        _ => true,
    }
}

fn any(expressions: Vec<SimpleExpr>) -> Condition {
    expressions.into_iter().fold(Condition::any(), Condition::add)
}

/// The row of the table for a key, or an error that names the keys there are.
pub(crate) fn find<'a, C>(fields: &'a [Field<C>], key: &str) -> Result<&'a Field<C>> {
    fields.iter().find(|field| field.key == key).ok_or_else(|| {
        let known: Vec<_> = fields.iter().map(|field| field.key).collect();
        refuse("FIELD_UNKNOWN", format!("there is no field {key}; known are {}", known.join(", ")))
    })
}

fn refuse(reason: &str, message: String) -> Error {
    Error::invalid(reason, message.clone()).field("where", message)
}
