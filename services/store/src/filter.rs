//! From the wire's filters to a condition, by a table of allowed fields.
//!
//! The wire's shape is generic, its meaning is not: an unknown key or an operator that the
//! field does not know is an input error that names it. Values are always bound, never text of
//! a statement. Filters on one key combine as OR, negated ones as NOT of OR, keys as AND.
//!
//! Text compares ignoring case, by a column that holds the text folded by [`fold`]: databases
//! disagree about folding beyond ASCII. A missing value matches no positive filter and every
//! negated one.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::common::v1::Filter;
use sea_orm::sea_query::{
    Alias, BinOper, Expr, ExprTrait, IntoColumnRef, IntoIden, LikeExpr, Query, SelectStatement, SimpleExpr,
};
use sea_orm::{ColumnTrait, Condition};
use uuid::Uuid;

pub const MAX_FILTERS: usize = 20;
pub const MAX_VALUES: usize = 50;
pub const MAX_VALUE_CHARS: usize = 200;

/// The form in which text is searched and compared.
pub fn fold(text: &str) -> String {
    text.trim().to_lowercase()
}

/// What a field holds, and so which operators it knows.
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
    /// By what the index of this field goes on, before the key that ends every order.
    pub then: &'static [C],
}

impl<C: 'static> Field<C> {
    pub const fn new(key: &'static str, column: C, kind: FieldKind<C>) -> Self {
        Self { key, column, kind, sortable: true, indexed: true, then: &[] }
    }

    pub const fn unsortable(mut self) -> Self {
        self.sortable = false;
        self
    }

    pub const fn unindexed(mut self) -> Self {
        self.indexed = false;
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
        _ => return None,
    })
}

/// The condition that the filters ask for. Without filters it is always true.
pub fn condition<C: ColumnTrait>(fields: &[Field<C>], filters: &[Filter]) -> Result<Condition> {
    if filters.len() > MAX_FILTERS {
        return Err(refuse("TOO_MANY_FILTERS", format!("at most {MAX_FILTERS} filters can be used at once")));
    }
    // Ordered, so that the same filters in another order are the same statement.
    let mut keys: BTreeMap<&str, (Vec<SimpleExpr>, Vec<SimpleExpr>, C)> = BTreeMap::new();
    for filter in filters {
        let field = find(fields, &filter.key)?;
        let (op, negated) = parse(&filter.operator).ok_or_else(|| {
            refuse("FILTER_OPERATOR_UNKNOWN", format!("{} is no filter operator", filter.operator))
        })?;
        let matches = expressions(field, op, filter)?;
        let entry = keys.entry(field.key).or_insert_with(|| (Vec::new(), Vec::new(), field.column));
        if negated { entry.1.extend(matches) } else { entry.0.extend(matches) }
    }
    let mut all = Condition::all();
    for (positive, negative, column) in keys.into_values() {
        if !positive.is_empty() {
            all = all.add(any(positive));
        }
        if !negative.is_empty() {
            all = all.add(Condition::any().add(column.is_null()).add(any(negative).not()));
        }
    }
    Ok(all)
}

/// Whether an index leads to what passes all filters: those on one field at least are all of a
/// kind that its index serves. Otherwise the list can only be read in its order.
pub(crate) fn narrows<C: ColumnTrait>(fields: &[Field<C>], filters: &[Filter]) -> bool {
    fields
        .iter()
        .any(|field| field.indexed && all_positive(field, filters, |op, it| serves(&field.kind, op, it)))
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

/// More values than this are not gone along one by one.
const MAX_HEADS: usize = 8;

/// The conditions that leave the index of one field in the order of the list, one of which passes:
/// the field equals a value, and the index goes on as the list is sorted. None when no field is
/// filtered so.
pub(crate) fn in_order<C: ColumnTrait>(
    fields: &[Field<C>],
    filters: &[Filter],
    goes_on: impl Fn(&[C]) -> bool,
) -> Result<Vec<Condition>> {
    let field = fields.iter().find(|field| {
        let kept = !matches!(field.kind, FieldKind::Related { .. } | FieldKind::Choices(_));
        kept && field.indexed && goes_on(field.then) && all_positive(field, filters, |op, _| op == Op::Equals)
    });
    let Some(field) = field else { return Ok(Vec::new()) };
    let of_field = filters.iter().filter(|it| it.key == field.key && it.operator == "equals");
    let values: BTreeSet<String> = of_field.flat_map(|it| it.values.iter()).map(|it| fold(it)).collect();
    if values.len() > MAX_HEADS {
        return Ok(Vec::new());
    }
    let equals = |value| Filter { key: field.key.into(), operator: "equals".into(), values: vec![value] };
    values.into_iter().map(|value| condition(std::slice::from_ref(field), &[equals(value)])).collect()
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

fn serves<C>(kind: &FieldKind<C>, op: Op, filter: &Filter) -> bool {
    let part = matches!(op, Op::Contains | Op::EndsWith);
    match kind {
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

fn expressions<C: ColumnTrait>(field: &Field<C>, op: Op, filter: &Filter) -> Result<Vec<SimpleExpr>> {
    let values = &filter.values;
    if values.is_empty() || values.len() > MAX_VALUES {
        return Err(refuse(
            "FILTER_VALUES",
            format!("a filter on {} takes 1 to {MAX_VALUES} values", field.key),
        ));
    }
    if values.iter().any(|value| value.chars().count() > MAX_VALUE_CHARS || value.contains('\0')) {
        return Err(refuse(
            "FILTER_VALUE_TOO_LONG",
            format!(
                "a value of the filter on {} is longer than {MAX_VALUE_CHARS} characters or not plain text",
                field.key
            ),
        ));
    }
    let unsuited = || unsuited(field.key, filter);
    match field.kind {
        FieldKind::Text { folded } => {
            values.iter().map(|value| text(&folded, None, op, &fold(value)).ok_or_else(unsuited)).collect()
        }
        FieldKind::Search { folded, by } => values
            .iter()
            .map(|value| text(&folded, Some(by), op, &fold(value)).ok_or_else(unsuited))
            .collect(),
        FieldKind::Related { on, table, key, value } => {
            let matches = match value {
                Related::Text { folded, by } => {
                    let folded = (Alias::new(table), Alias::new(folded));
                    let each =
                        values.iter().map(|value| text(&folded, by, op, &fold(value)).ok_or_else(unsuited));
                    any(each.collect::<Result<_>>()?)
                }
                Related::Choice { column, spellings } => {
                    let chosen = chosen(field.key, spellings, op, filter)?;
                    Condition::all().add(Expr::col((Alias::new(table), Alias::new(column))).is_in(chosen))
                }
            };
            Ok(vec![on.in_subquery(those(table, key).cond_where(matches).take())])
        }
        FieldKind::Choice(spellings) => {
            Ok(vec![field.column.is_in(chosen(field.key, spellings, op, filter)?)])
        }
        FieldKind::Choices(spellings) => {
            let chosen = chosen(field.key, spellings, op, filter)?;
            if chosen.is_empty() {
                return Ok(vec![field.column.is_in(chosen)]);
            }
            let among = |spelling: &str| {
                like(Expr::col(field.column.as_column_ref()), format!("%|{}|%", escape(spelling)))
            };
            Ok(chosen.into_iter().map(among).collect())
        }
        FieldKind::Id | FieldKind::Number | FieldKind::Flag { .. } if op != Op::Equals => Err(unsuited()),
        FieldKind::Id => values
            .iter()
            .map(|value| {
                let id: Uuid =
                    value.trim().parse().map_err(|_| refuse("FILTER_VALUE", format!("{value} is no id")))?;
                Ok(field.column.eq(id))
            })
            .collect(),
        FieldKind::Number => values
            .iter()
            .map(|value| {
                let number: i64 = value
                    .trim()
                    .parse()
                    .map_err(|_| refuse("FILTER_VALUE", format!("{value} is no whole number")))?;
                Ok(field.column.eq(number))
            })
            .collect(),
        FieldKind::Flag { yes, no } => values
            .iter()
            .map(|value| {
                let value = fold(value);
                if value == "true" || value == fold(yes) {
                    Ok(field.column.eq(true))
                } else if value == "false" || value == fold(no) {
                    Ok(field.column.eq(false))
                } else {
                    Err(refuse("FILTER_VALUE", format!("{} is {yes} or {no}", field.key)))
                }
            })
            .collect(),
        FieldKind::Instant if op == Op::InDateRange => {
            let [from, to] = values.as_slice() else {
                return Err(refuse(
                    "FILTER_DATE_RANGE",
                    format!("a date range on {} takes two instants, from and to", field.key),
                ));
            };
            let (from, to) = (instant(from)?, instant(to)?);
            Ok(vec![field.column.gte(from).and(field.column.lt(to))])
        }
        FieldKind::Instant => Err(unsuited()),
    }
}

fn unsuited(key: &str, filter: &Filter) -> Error {
    refuse("FILTER_OPERATOR_UNSUITED", format!("{} cannot be used on {key}", filter.operator))
}

/// Those of a fixed set that the values of a filter mean; it may be none.
fn chosen(
    key: &str,
    spellings: &'static [&'static str],
    op: Op,
    filter: &Filter,
) -> Result<Vec<&'static str>> {
    if op == Op::InDateRange {
        return Err(unsuited(key, filter));
    }
    let mut chosen = Vec::new();
    for value in &filter.values {
        let wanted = fold(value);
        // A part that nothing has matches nothing; a whole value that cannot be is a slip.
        if op == Op::Equals && !spellings.iter().any(|spelling| fold(spelling) == wanted) {
            return Err(refuse("FILTER_VALUE_UNKNOWN", format!("{key} is one of {}", spellings.join(", "))));
        }
        chosen.extend(spellings.iter().copied().filter(|spelling| {
            let spelling = fold(spelling);
            match op {
                Op::Contains => spelling.contains(&wanted),
                Op::Equals => spelling == wanted,
                Op::StartsWith => spelling.starts_with(&wanted),
                Op::EndsWith => spelling.ends_with(&wanted),
                Op::InDateRange => false,
            }
        }));
    }
    Ok(chosen)
}

fn instant(text: &str) -> Result<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text)
        .map(|at| at.with_timezone(&Utc))
        .map_err(|_| refuse("FILTER_VALUE", format!("{text} is no instant such as 2026-11-21T00:00:00Z")))
}

/// One text comparison; nothing for the operator that compares no text.
fn text(
    folded: &(impl IntoColumnRef + Clone),
    by: Option<Search>,
    op: Op,
    value: &str,
) -> Option<SimpleExpr> {
    let column = || Expr::col(folded.clone());
    let pattern = match op {
        Op::Equals => return Some(column().eq(value)),
        Op::StartsWith => return Some(starts_with(column(), value)),
        Op::Contains => format!("%{}%", escape(value)),
        Op::EndsWith => format!("%{}", escape(value)),
        Op::InDateRange => return None,
    };
    Some(match by {
        None => like(column(), pattern),
        Some(Search::Grams) => like(grams(column()), pattern),
        Some(Search::Listed { table, key, grams: indexed }) => {
            let listed = Expr::col((Alias::new(table), Alias::new(key)));
            let listed = if indexed { grams(listed) } else { listed };
            column().in_subquery(those(table, key).and_where(like(listed, pattern)).take())
        }
    })
}

/// One column of another table.
fn those(table: &'static str, key: &'static str) -> SelectStatement {
    let table = Alias::new(table).into_iden();
    Query::select().column((table.clone(), Alias::new(key))).from(table).take()
}

/// What an index of trigrams holds: the text with nothing after it, so that Postgres does not
/// take that index for "equals", which it serves a thousand times slower than a plain one but
/// believes to be cheap.
pub fn grams(column: SimpleExpr) -> SimpleExpr {
    column.binary(BinOper::Custom("||"), Expr::Constant("".into()))
}

fn like(text: SimpleExpr, pattern: String) -> SimpleExpr {
    text.like(LikeExpr::new(pattern).escape('\\'))
}

/// "Begins with", as a range of the byte order that folded columns are kept in, so that a plain
/// index serves it whatever the plan.
pub fn starts_with(column: SimpleExpr, prefix: &str) -> SimpleExpr {
    let from = column.clone().gte(prefix);
    match after(prefix) {
        Some(end) => from.and(column.lt(end)),
        None => from,
    }
}

/// The least text greater than every text with this prefix; nothing for the empty prefix.
fn after(prefix: &str) -> Option<String> {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        // UTF-8 keeps the order of code points; step over the surrogates, which are no text.
        let next = match last {
            '\u{D7FF}' => Some('\u{E000}'),
            other => char::from_u32(other as u32 + 1),
        };
        if let Some(next) = next {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

/// Makes the wildcards of LIKE ordinary characters.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix() {
        assert_eq!(after("dr-1").as_deref(), Some("dr-2"));
        assert_eq!(after("").as_deref(), None);
        assert_eq!(after("a\u{10FFFF}").as_deref(), Some("b"));
        assert_eq!(after("\u{D7FF}").as_deref(), Some("\u{E000}"));
    }

    #[test]
    fn wildcards_are_plain_characters() {
        assert_eq!(escape("50%_a\\b"), "50\\%\\_a\\\\b");
    }
}
