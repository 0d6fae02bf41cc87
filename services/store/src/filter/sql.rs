//! What one filter asks of a column, as SQL. Values are always bound.

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::common::v1::Filter;
use sea_orm::sea_query::{
    Alias, BinOper, Expr, ExprTrait, Func, IntoColumnRef, IntoIden, LikeExpr, Query, SelectStatement,
    SimpleExpr,
};
use sea_orm::{ColumnTrait, Condition};
use uuid::Uuid;

use super::{Field, FieldKind, MAX_VALUE_CHARS, MAX_VALUES, Op, Related, Search, any, fold, refuse};

/// The expressions for a filter that is not negated, one of which has to pass.
pub(super) fn expressions<C: ColumnTrait>(
    field: &Field<C>,
    op: Op,
    filter: &Filter,
) -> Result<Vec<SimpleExpr>> {
    check_values(field.key, &filter.values)?;
    let unsuited = || unsuited(field.key, filter);
    let values = filter.values.iter();
    match field.kind {
        FieldKind::Text { folded } => {
            values.map(|value| text(&folded, None, op, &fold(value)).ok_or_else(unsuited)).collect()
        }
        FieldKind::Search { folded, by } => {
            values.map(|value| text(&folded, Some(by), op, &fold(value)).ok_or_else(unsuited)).collect()
        }
        FieldKind::Related { on, table, key, value } => {
            let matches = related(field.key, table, value, op, filter)?;
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
        FieldKind::Id => values.map(|value| Ok(field.column.eq(id(value)?))).collect(),
        FieldKind::Number => values.map(|value| Ok(field.column.eq(number(value)?))).collect(),
        FieldKind::Flag { yes, no } => {
            // Said as it is, so that an index of those that are true serves it on SQLite too.
            let is = |said: bool| field.column.into_expr().eq(Expr::Constant(said.into()));
            values.map(|value| flag(field.key, value, yes, no).map(is)).collect()
        }
        FieldKind::Instant if op == Op::InDateRange => range(field.column.into_expr(), filter),
        FieldKind::FirstInstant { first, or } if op == Op::InDateRange => {
            range(Func::coalesce([first.into_expr(), or.into_expr()]).into(), filter)
        }
        FieldKind::Instant | FieldKind::FirstInstant { .. } => Err(unsuited()),
    }
}

fn range(at: SimpleExpr, filter: &Filter) -> Result<Vec<SimpleExpr>> {
    let [from, to] = filter.values.as_slice() else {
        return Err(refuse(
            "FILTER_DATE_RANGE",
            format!("a date range on {} takes two instants, from and to", filter.key),
        ));
    };
    let (from, to) = (instant(from)?, instant(to)?);
    Ok(vec![at.clone().gte(from).and(at.lt(to))])
}

fn check_values(key: &str, values: &[String]) -> Result<()> {
    if values.is_empty() || values.len() > MAX_VALUES {
        return Err(refuse("FILTER_VALUES", format!("a filter on {key} takes 1 to {MAX_VALUES} values")));
    }
    if values.iter().any(|value| value.chars().count() > MAX_VALUE_CHARS || value.contains('\0')) {
        return Err(refuse(
            "FILTER_VALUE_TOO_LONG",
            format!(
                "a value of the filter on {key} is longer than {MAX_VALUE_CHARS} characters or not plain text"
            ),
        ));
    }
    Ok(())
}

/// What the rows of another table have to be.
fn related(key: &str, table: &'static str, value: Related, op: Op, filter: &Filter) -> Result<Condition> {
    match value {
        Related::Text { folded, by } => {
            let folded = (Alias::new(table), Alias::new(folded));
            let unsuited = || unsuited(key, filter);
            let each =
                filter.values.iter().map(|value| text(&folded, by, op, &fold(value)).ok_or_else(unsuited));
            Ok(any(each.collect::<Result<_>>()?))
        }
        Related::Choice { column, spellings } => {
            let chosen = chosen(key, spellings, op, filter)?;
            Ok(Condition::all().add(Expr::col((Alias::new(table), Alias::new(column))).is_in(chosen)))
        }
    }
}

fn id(value: &str) -> Result<Uuid> {
    value.trim().parse().map_err(|_| refuse("FILTER_VALUE", format!("{value} is no id")))
}

fn number(value: &str) -> Result<i64> {
    value.trim().parse().map_err(|_| refuse("FILTER_VALUE", format!("{value} is no whole number")))
}

fn flag(key: &str, value: &str, yes: &str, no: &str) -> Result<bool> {
    let value = fold(value);
    if value == "true" || value == fold(yes) {
        Ok(true)
    } else if value == "false" || value == fold(no) {
        Ok(false)
    } else {
        Err(refuse("FILTER_VALUE", format!("{key} is {yes} or {no}")))
    }
}

pub(super) fn unsuited(key: &str, filter: &Filter) -> Error {
    refuse("FILTER_OPERATOR_UNSUITED", format!("{} cannot be used on {key}", filter.operator))
}

/// Those of a fixed set that the values of a filter mean; it may be none.
fn chosen(
    key: &str,
    spellings: &'static [&'static str],
    op: Op,
    filter: &Filter,
) -> Result<Vec<&'static str>> {
    if matches!(op, Op::InDateRange | Op::IsEmpty) {
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
                Op::InDateRange | Op::IsEmpty => false,
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
        Op::InDateRange | Op::IsEmpty => return None,
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
pub fn escape(text: &str) -> String {
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
