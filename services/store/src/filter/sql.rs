//! Clauses as SQL. Values are always bound.
//!
//! SQLite gets texts of its own where they cost less on many rows; docs/adr/0015.

use std::collections::BTreeMap;

use sea_orm::sea_query::{
    Alias, BinOper, Expr, ExprTrait, Func, IntoIden, LikeExpr, Query, SelectStatement, SimpleExpr, UnionType,
};
use sea_orm::{ColumnTrait, Condition, DbBackend, Value};

use super::clause::{Clause, Clauses, Match, Test};
use super::{Field, FieldKind, Related, Search, TextTable, empty};

/// How clauses are written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Style {
    /// Whether functions that only SQLite has may be used.
    sqlite: bool,
    /// Whether members of a fixed set are compared without an index.
    choices_unindexed: bool,
    /// The only key whose ranges an index may find; `None` for all keys.
    ranged: Option<&'static str>,
}

/// With up to this many ranges of texts, SQLite may find those of several keys in indexes.
const MAX_RANGES: usize = 100;

impl Style {
    pub fn of(backend: DbBackend) -> Self {
        Self { sqlite: backend == DbBackend::Sqlite, choices_unindexed: false, ranged: None }
    }
}

impl<C: ColumnTrait> Clauses<C> {
    /// Combines all filters into one condition; always true without filters.
    pub(crate) fn condition(&self, style: Style) -> Condition {
        // SQLite knows only how many rows a member of a set has on average. It would prefer the index of a state that
        // nearly all rows have to that of a customer.
        let choices_unindexed = style.sqlite && self.all.iter().any(Clause::is_selective);
        let ranged = if style.sqlite { self.ranged() } else { None };
        condition(self.all.iter(), Style { choices_unindexed, ranged, ..style })
    }

    /// Returns the only key whose ranges SQLite may find in an index; `None` for all keys. Where SQLite goes along an
    /// index once for each range of a key, it repeats the ranges of other keys each time, unless no index serves them:
    /// for 500 of one key and 500 of another, it planned for 15 s.
    fn ranged(&self) -> Option<&'static str> {
        let ranges = |field: &Field<C>| -> usize {
            let is_text = matches!(field.kind, FieldKind::Text { .. } | FieldKind::Search { .. });
            let texts =
                self.of(field).filter(|it| is_text && matches!(it.test, Test::Texts(Match::StartsWith, _)));
            texts.map(|it| it.test.comparisons()).sum()
        };
        let fields = self.fields.iter().map(|field| (ranges(field), field));
        let fields: Vec<_> = fields.filter(|(ranges, _)| *ranges > 0).collect();
        if fields.iter().map(|(ranges, _)| ranges).sum::<usize>() <= MAX_RANGES {
            return None;
        }
        fields.iter().min_by_key(|(ranges, field)| (!field.indexed, *ranges)).map(|(_, field)| field.key)
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
        (Test::Texts(how, values), kind) => {
            let (folded, by) = match kind {
                FieldKind::Search { folded, by } => (folded, Some(by)),
                FieldKind::Text { folded } => (folded, None),
                _ => (column, None),
            };
            let is_range = *how == Match::StartsWith;
            let is_unindexed = is_range && style.ranged.is_some_and(|key| key != field.key);
            let folded = if is_unindexed { unindexed(Expr::col(folded)) } else { Expr::col(folded) };
            texts(&folded, by, *how, values, style)
        }
        (Test::Choices(_, chosen), FieldKind::Choices(_)) if !chosen.is_empty() => {
            let among = |spelling: &&str| {
                like(Expr::col(column.as_column_ref()), format!("%|{}|%", escape(spelling)))
            };
            chosen.iter().map(among).collect()
        }
        (Test::Choices(_, chosen), _) if style.choices_unindexed => {
            vec![unindexed(column.into_expr()).is_in(chosen.iter().copied())]
        }
        (Test::Choices(_, chosen), _) => vec![column.is_in(chosen.iter().copied())],
        (Test::Ids(ids), _) => vec![whole(column, ids)],
        (Test::Numbers(numbers), _) => vec![whole(column, numbers)],
        (Test::Flags(flags), _) => {
            // Constants, not parameters, so that SQLite uses a partial index on true values.
            flags.iter().map(|it| column.into_expr().eq(Expr::Constant((*it).into()))).collect()
        }
        (Test::Range(from, to), kind) => {
            let at = match kind {
                FieldKind::FirstInstant { first, or } => first_of(first, or),
                _ => column.into_expr(),
            };
            let range = at.clone().gte(*from).and(at.lt(*to));
            vec![match kind {
                FieldKind::InstantIf { condition, .. } => range.and(condition()),
                _ => range,
            }]
        }
    }
}

/// Returns the first of two columns that is not NULL. Filters and sorts share it: an index may have this expression.
pub(crate) fn first_of<C: ColumnTrait>(first: C, or: C) -> SimpleExpr {
    Func::coalesce([first.into_expr(), or.into_expr()]).into()
}

/// Returns the condition on the rows of a related table.
fn related<C>(table: &'static str, value: Related, test: &Test<C>, style: Style) -> Condition {
    match (value, test) {
        (Related::Text { folded, by }, Test::Texts(how, values)) => {
            let folded = Expr::col((Alias::new(table), Alias::new(folded)));
            any(texts(&folded, by, *how, values, style))
        }
        (Related::Choice { column, .. }, Test::Choices(_, chosen)) => {
            let column = Expr::col((Alias::new(table), Alias::new(column)));
            Condition::all().add(column.is_in(chosen.iter().copied()))
        }
        // Parsing allows no other filter here.
        _ => Condition::all().add(Expr::Constant(false.into())),
    }
}

/// Joins expressions by OR, as a balanced tree in their order. A chain would be as deep as it is long: SQLite takes
/// 1,000 levels, and writing a statement recurses once for each.
fn any(mut expressions: Vec<SimpleExpr>) -> Condition {
    while expressions.len() > 1 {
        let mut rest = expressions.into_iter();
        let mut pairs = Vec::with_capacity(rest.len().div_ceil(2));
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => left.or(right),
                None => left,
            });
        }
        expressions = pairs;
    }
    Condition::any().add_option(expressions.pop())
}

/// Makes a value of a column that SQLite compares row by row: it uses no index for an expression.
/// SQLite only: Postgres has no unary plus for text.
pub fn unindexed(column: SimpleExpr) -> SimpleExpr {
    Expr::cust_with_expr("+ ?", column)
}

/// Compares a column with whole values.
fn whole<C: ColumnTrait, V: Into<Value> + Copy>(column: C, values: &[V]) -> SimpleExpr {
    match values {
        [value] => ColumnTrait::eq(&column, *value),
        values => ColumnTrait::is_in(&column, values.iter().copied()),
    }
}

/// Compares texts; returns expressions, one of which must be true.
fn texts(
    column: &SimpleExpr,
    by: Option<Search>,
    how: Match,
    values: &[String],
    style: Style,
) -> Vec<SimpleExpr> {
    let parts = |column: &SimpleExpr, has_grams| -> Vec<SimpleExpr> {
        values.iter().map(|value| part(column.clone(), has_grams, how, value, style)).collect()
    };
    match (how, by) {
        (Match::Equals, _) => match values {
            [value] => vec![column.clone().eq(value.as_str())],
            values => vec![column.clone().is_in(values.iter().map(String::as_str))],
        },
        (Match::StartsWith, _) => values.iter().map(|value| starts_with(column.clone(), value)).collect(),
        (_, None) => parts(column, false),
        (_, Some(Search::Grams)) => parts(column, true),
        (_, Some(Search::Listed(tables))) => {
            let listed = tables.iter().map(|&TextTable { table, key, grams }| {
                let listed = Expr::col((Alias::new(table), Alias::new(key)));
                those(table, key).cond_where(any(parts(&listed, grams))).take()
            });
            // One subquery, not one for each table: joined by OR, Postgres would compare every row with each.
            let listed = listed.reduce(|mut all, more| all.union(UnionType::All, more).take());
            listed.map(|listed| column.clone().in_subquery(listed)).into_iter().collect()
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
