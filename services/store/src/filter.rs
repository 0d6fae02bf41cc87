//! From the wire's filters to a condition, by a table of allowed fields.
//!
//! The wire's shape is generic, its meaning is not: an unknown key or an operator that the
//! field does not know is an input error that names it. Values are always bound, never text of
//! a statement. Filters on one key combine as OR, negated ones as NOT of OR, keys as AND.
//!
//! Text compares ignoring case, by a column that holds the text folded by [`fold`]: databases
//! disagree about folding beyond ASCII. A missing value matches no positive filter and every
//! negated one.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::common::v1::Filter;
use sea_orm::sea_query::{Expr, ExprTrait, IntoColumnRef, LikeExpr, SimpleExpr};
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
}

/// One row of a list's field table.
#[derive(Debug, Clone, Copy)]
pub struct Field<C> {
    pub key: &'static str,
    pub column: C,
    pub kind: FieldKind<C>,
    pub sortable: bool,
}

impl<C> Field<C> {
    pub const fn new(key: &'static str, column: C, kind: FieldKind<C>) -> Self {
        Self { key, column, kind, sortable: true }
    }

    pub const fn unsortable(mut self) -> Self {
        self.sortable = false;
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
            values.iter().map(|value| text(folded, op, &fold(value)).ok_or_else(unsuited)).collect()
        }
        FieldKind::Choice(spellings) => {
            Ok(vec![field.column.is_in(chosen(field.key, spellings, op, filter)?)])
        }
        FieldKind::Choices(spellings) => {
            let chosen = chosen(field.key, spellings, op, filter)?;
            if chosen.is_empty() {
                return Ok(vec![field.column.is_in(chosen)]);
            }
            let among = |spelling: &str| like(field.column, format!("%|{}|%", escape(spelling)));
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
fn text<C: ColumnTrait>(folded: C, op: Op, value: &str) -> Option<SimpleExpr> {
    let column = || Expr::col(folded.as_column_ref().into_column_ref());
    let like = |pattern: String| like(folded, pattern);
    Some(match op {
        Op::Equals => column().eq(value),
        Op::StartsWith => starts_with(column(), value),
        Op::Contains => like(format!("%{}%", escape(value))),
        Op::EndsWith => like(format!("%{}", escape(value))),
        Op::InDateRange => return None,
    })
}

fn like<C: ColumnTrait>(column: C, pattern: String) -> SimpleExpr {
    Expr::col(column.as_column_ref().into_column_ref()).like(LikeExpr::new(pattern).escape('\\'))
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
