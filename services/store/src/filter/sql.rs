//! Clauses as SQL. Values are always bound.
//!
//! SQLite gets texts of its own where they cost less on many rows; docs/adr/0015.

use std::collections::BTreeMap;

use sea_orm::sea_query::{
    Alias, BinOper, Expr, ExprTrait, Func, IntoColumnRef, IntoIden, LikeExpr, Query, SelectStatement,
    SimpleExpr,
};
use sea_orm::{ColumnTrait, Condition, DbBackend};

use super::clause::{Clause, Clauses, Match, Test};
use super::{Field, FieldKind, Related, Search, empty};

/// How clauses are written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Style {
    /// Whether functions that only SQLite has may be used.
    sqlite: bool,
    /// Whether members of a fixed set are compared without an index.
    choices_unindexed: bool,
}

impl Style {
    pub fn of(backend: DbBackend) -> Self {
        Self { sqlite: backend == DbBackend::Sqlite, choices_unindexed: false }
    }
}

impl<C: ColumnTrait> Clauses<C> {
    /// Combines all filters into one condition; always true without filters.
    pub(crate) fn condition(&self, style: Style) -> Condition {
        // SQLite knows only how many rows a member of a set has on average. It would prefer the index of a state that
        // nearly all rows have to that of a customer.
        let choices_unindexed = style.sqlite && self.all.iter().any(Clause::is_selective);
        condition(self.all.iter(), Style { choices_unindexed, ..style })
    }
}

pub(super) fn condition<'a, C: ColumnTrait>(
    clauses: impl Iterator<Item = &'a Clause<C>>,
    style: Style,
) -> Condition {
    // Sorted, so that the same filters in another order give the same statement text.
    let mut keys: BTreeMap<&str, OfKey<C>> = BTreeMap::new();
    for Clause { field, negated, test } in clauses {
        let of_key = keys.entry(field.key).or_insert_with(|| OfKey::new(field.column));
        match test {
            Test::Empty(held) if *negated => of_key.present = Some(empty::present(held)),
            _ if *negated => of_key.negative.extend(expressions(field, test, style)),
            _ => of_key.positive.extend(expressions(field, test, style)),
        }
    }
    keys.into_values().fold(Condition::all(), |all, of_key| of_key.add_to(all))
}

/// The filters on one key.
struct OfKey<C> {
    column: C,
    /// Expressions of which at least one must be true.
    positive: Vec<SimpleExpr>,
    /// Expressions of which none may be true.
    negative: Vec<SimpleExpr>,
    /// A further expression that must be true, if set.
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
            let missing = empty::is_nullable(column).then(|| column.is_null());
            all = all.add(Condition::any().add_option(missing).add(any(negative).not()));
        }
        all.add_option(present)
    }
}

/// Returns the expressions of a test, one of which must pass.
pub(super) fn expressions<C: ColumnTrait>(field: &Field<C>, test: &Test<C>, style: Style) -> Vec<SimpleExpr> {
    let column = field.column;
    match (test, field.kind) {
        (_, FieldKind::Related { on, table, key, value }) if !matches!(test, Test::Empty(_)) => {
            vec![on.in_subquery(those(table, key).cond_where(related(table, value, test, style)).take())]
        }
        (Test::Empty(held), _) => vec![empty::absent(held)],
        (Test::Texts(how, values), FieldKind::Search { folded, by }) => {
            values.iter().map(|value| text(&folded, Some(by), *how, value, style)).collect()
        }
        (Test::Texts(how, values), FieldKind::Text { folded }) => {
            values.iter().map(|value| text(&folded, None, *how, value, style)).collect()
        }
        (Test::Texts(how, values), _) => {
            values.iter().map(|value| text(&column, None, *how, value, style)).collect()
        }
        (Test::Choices(_, chosen), FieldKind::Choices(_)) if !chosen.is_empty() => {
            let among = |spelling: &&str| {
                like(Expr::col(column.as_column_ref()), format!("%|{}|%", escape(spelling)))
            };
            chosen.iter().map(among).collect()
        }
        (Test::Choices(_, chosen), _) if style.choices_unindexed => {
            // SQLite uses no index for an expression.
            let column = Expr::cust_with_expr("+ ?", column.into_expr());
            vec![column.is_in(chosen.iter().copied())]
        }
        (Test::Choices(_, chosen), _) => vec![column.is_in(chosen.iter().copied())],
        (Test::Ids(ids), _) => ids.iter().map(|it| column.eq(*it)).collect(),
        (Test::Numbers(numbers), _) => numbers.iter().map(|it| column.eq(*it)).collect(),
        (Test::Flags(flags), _) => {
            // Constants, not parameters, so that SQLite uses a partial index on true values.
            flags.iter().map(|it| column.into_expr().eq(Expr::Constant((*it).into()))).collect()
        }
        (Test::Range(from, to), kind) => {
            let at = match kind {
                FieldKind::FirstInstant { first, or } => {
                    Func::coalesce([first.into_expr(), or.into_expr()]).into()
                }
                _ => column.into_expr(),
            };
            vec![at.clone().gte(*from).and(at.lt(*to))]
        }
    }
}

/// Returns the condition on the rows of a related table.
fn related<C>(table: &'static str, value: Related, test: &Test<C>, style: Style) -> Condition {
    match (value, test) {
        (Related::Text { folded, by }, Test::Texts(how, values)) => {
            let folded = (Alias::new(table), Alias::new(folded));
            any(values.iter().map(|value| text(&folded, by, *how, value, style)).collect())
        }
        (Related::Choice { column, .. }, Test::Choices(_, chosen)) => {
            let column = Expr::col((Alias::new(table), Alias::new(column)));
            Condition::all().add(column.is_in(chosen.iter().copied()))
        }
        // Parsing allows no other filter here.
        _ => Condition::all().add(Expr::Constant(false.into())),
    }
}

fn any(expressions: Vec<SimpleExpr>) -> Condition {
    expressions.into_iter().fold(Condition::any(), Condition::add)
}

/// Compares one text.
fn text(
    folded: &(impl IntoColumnRef + Clone),
    by: Option<Search>,
    how: Match,
    value: &str,
    style: Style,
) -> SimpleExpr {
    let column = || Expr::col(folded.clone());
    match how {
        Match::Equals => return column().eq(value),
        Match::StartsWith => return starts_with(column(), value),
        Match::Contains | Match::EndsWith => {}
    }
    match by {
        None => part(column(), false, how, value, style),
        Some(Search::Grams) => part(column(), true, how, value, style),
        Some(Search::Listed { table, key, grams }) => {
            let listed = Expr::col((Alias::new(table), Alias::new(key)));
            let part = part(listed, grams, how, value, style);
            column().in_subquery(those(table, key).and_where(part).take())
        }
    }
}

/// Returns whether a text contains the value or ends with it.
fn part(text: Expr, has_grams: bool, how: Match, value: &str, style: Style) -> SimpleExpr {
    if style.sqlite {
        // Half the time of LIKE, which SQLite compares letter by letter without regard to case.
        let length = i64::try_from(value.chars().count()).unwrap_or(i64::MAX);
        return match how {
            Match::EndsWith if length > 0 => Func::cust("substr").args([text, (-length).into()]).eq(value),
            _ => Func::cust("instr").args([text, value.into()]).gt(0),
        };
    }
    let anything_after = if how == Match::Contains { "%" } else { "" };
    let text = if has_grams { grams(text) } else { text };
    like(text, format!("%{}{anything_after}", escape(value)))
}

/// Selects one column of another table.
fn those(table: &'static str, key: &'static str) -> SelectStatement {
    let table = Alias::new(table).into_iden();
    Query::select().column((table.clone(), Alias::new(key))).from(table).take()
}

/// Returns the expression of a trigram index: the column concatenated with an empty string. On the plain
/// column, Postgres would also use this index for "equals": it estimates that as cheap, although a plain
/// index is a thousand times faster.
pub fn grams(column: SimpleExpr) -> SimpleExpr {
    column.binary(BinOper::Custom("||"), Expr::Constant("".into()))
}

fn like(text: SimpleExpr, pattern: String) -> SimpleExpr {
    text.like(LikeExpr::new(pattern).escape('\\'))
}

/// Returns "begins with" as a range in byte order. Folded columns have that order, so a plain index serves
/// the range in every plan.
pub fn starts_with(column: SimpleExpr, prefix: &str) -> SimpleExpr {
    let from = column.clone().gte(prefix);
    match after(prefix) {
        Some(end) => from.and(column.lt(end)),
        None => from,
    }
}

/// Returns the least string that is greater than every string with this prefix; `None` for the empty prefix.
pub(super) fn after(prefix: &str) -> Option<String> {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        // UTF-8 preserves the order of code points. Skip the surrogates, which are not valid text.
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

/// Escapes the wildcards of LIKE.
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
