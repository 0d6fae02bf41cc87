//! Filters as SQL conditions.

use sea_orm::DbBackend;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, LikeExpr, Query};

use super::filter::{Filter, How, Leaf, NumberTest, Test, Than, What, own_statuses};
use super::sql::Sql;
use crate::members::{Dimension, Table};

/// Largest number of ranges of a filter that SQLite may find in an index. The time for which SQLite plans a
/// statement grows by the square of the number of such ranges: 0.1 s for 800, and a minute for 5,000.
const INDEXED_RANGES: usize = 8;

impl Sql<'_> {
    /// Returns the condition for passing all of these filters; `None` without filters.
    pub(super) fn passes_all<'f>(&self, filters: impl Iterator<Item = &'f Filter>) -> Option<Expr> {
        joined(filters.map(|filter| self.passes(filter)), ExprTrait::and)
    }

    fn passes(&self, filter: &Filter) -> Expr {
        match filter {
            Filter::And(parts) | Filter::Or(parts) if parts.is_empty() => Expr::Constant(true.into()),
            Filter::And(parts) => all(parts.iter().map(|part| self.passes(part)), ExprTrait::and),
            Filter::Or(parts) => all(parts.iter().map(|part| self.passes(part)), ExprTrait::or),
            Filter::Leaf(leaf) => self.leaf(leaf),
        }
    }

    fn leaf(&self, leaf: &Leaf) -> Expr {
        match &leaf.what {
            What::Own(measure) => match own_statuses(measure) {
                Some(statuses) => {
                    self.column(Table::Delivery, "delivery_status").is_in(statuses.iter().copied())
                }
                None if measure.table == Table::Variance => {
                    self.column(Table::Variance, Table::Variance.key()).is_not_null()
                }
                None => Expr::Constant(true.into()),
            },
            What::Dimension { of, test, negated: true } if self.is_of_no_variance(of) => {
                self.has_no_variance(of, test)
            }
            What::Dimension { of, test, negated } => {
                let at = || self.compared(of);
                let (passing, null) = self.tested(&at, test);
                decided(&at, passing, null, *negated)
            }
            What::Measure { of, test, negated } => {
                let id = self.summed().into_iter().find(|(it, _)| it.name == of.name).map(|(_, id)| id);
                let at = || self.value(of, id.as_deref().unwrap_or_default());
                let (passing, null) = counted(&at, test);
                decided(&at, passing, null, *negated)
            }
        }
    }

    /// Returns whether a negated filter on this dimension is about all variances of a delivery, and not about the one of
    /// a row.
    fn is_of_no_variance(&self, of: &Dimension) -> bool {
        of.table == Table::Variance && self.plan.root == Table::Delivery && !self.plan.query.shows_variances()
    }

    /// Passes deliveries without a variance that passes the test.
    fn has_no_variance(&self, of: &Dimension, test: &Test) -> Expr {
        let at = || self.compared(of);
        let (passing, null) = self.tested(&at, test);
        let key = Table::Delivery.key();
        // Inside the subquery, the table's name means the subquery's variances, even if the query joins variances as
        // well.
        let those = Query::select()
            .expr(Expr::val(1))
            .from(Alias::new(Table::Variance.name()))
            .and_where(self.column(Table::Variance, key).eq(self.column(Table::Delivery, key)))
            .and_where(decided(&at, passing, null, false))
            .take();
        let none = Expr::exists(those).not();
        match null {
            // Without a variance, the value is missing, which passes the test.
            true => none.and(self.column(Table::Variance, Table::Variance.key()).is_not_null()),
            false => none,
        }
    }

    /// Returns the SQL of a test, and whether NULL passes the test.
    fn tested(&self, at: &dyn Fn() -> Expr, test: &Test) -> (Expr, bool) {
        match test {
            Test::IsSet => (at().is_not_null(), false),
            Test::Texts { how: How::Equals, any, null } => (one_of(at(), any), *null),
            Test::Texts { how, any, null } => {
                let matches = |text: &String| match how {
                    How::StartsWith => store::filter::starts_with(self.ranged(at(), any.len()), text),
                    How::EndsWith => like(at(), format!("%{}", store::filter::escape(text))),
                    How::Contains | How::Equals => like(at(), format!("%{}%", store::filter::escape(text))),
                };
                (all(any.iter().map(matches), ExprTrait::or), *null)
            }
            Test::Compare { than, key } => (compared(at(), *than, Expr::val(key.as_str())), false),
            Test::Times { any, null } => {
                let within = |(from, until): &(_, _)| {
                    let at = || self.ranged(at(), any.len());
                    at().gte(*from).and(at().lt(*until))
                };
                (all(any.iter().map(within), ExprTrait::or), *null)
            }
            Test::Since(from) => (at().gte(*from), false),
            Test::Before(until) => (at().lt(*until), false),
        }
    }

    /// Returns a value that is compared with this number of ranges. With many ranges, SQLite compares it row
    /// by row, without an index.
    fn ranged(&self, value: Expr, ranges: usize) -> Expr {
        match self.backend {
            DbBackend::Sqlite if ranges > INDEXED_RANGES => Expr::cust_with_expr("+ ?", value),
            _ => value,
        }
    }
}

fn counted(at: &dyn Fn() -> Expr, test: &NumberTest) -> (Expr, bool) {
    match test {
        NumberTest::IsSet => (at().is_not_null(), false),
        NumberTest::Any { any, null } if any.is_empty() => (Expr::Constant(false.into()), *null),
        NumberTest::Any { any, null } => (at().is_in(any.iter().copied()), *null),
        NumberTest::Compare { than, number } => (compared(at(), *than, Expr::val(*number)), false),
    }
}

fn one_of(at: Expr, any: &[String]) -> Expr {
    match any {
        [] => Expr::Constant(false.into()),
        any => at.is_in(any.iter().map(String::as_str)),
    }
}

fn compared(at: Expr, than: Than, with: Expr) -> Expr {
    match than {
        Than::Greater => at.gt(with),
        Than::GreaterOrEqual => at.gte(with),
        Than::Less => at.lt(with),
        Than::LessOrEqual => at.lte(with),
    }
}

/// Makes the condition true or false for a NULL value, too, so that the condition itself is never NULL.
fn decided(at: &dyn Fn() -> Expr, passing: Expr, null: bool, negated: bool) -> Expr {
    match (negated, null) {
        (false, false) => passing.and(at().is_not_null()),
        (false, true) => passing.or(at().is_null()),
        (true, false) => passing.not().or(at().is_null()),
        (true, true) => passing.not().and(at().is_not_null()),
    }
}

/// Joins conditions by an operator. Without conditions, nothing passes.
fn all(parts: impl Iterator<Item = Expr>, join: impl Fn(Expr, Expr) -> Expr) -> Expr {
    joined(parts, join).unwrap_or(Expr::Constant(false.into()))
}

/// Joins conditions by an operator, as a balanced tree; returns `None` without conditions. A chain would be as
/// deep as it is long: writing a statement recurses once per level, and SQLite allows 1,000 levels.
fn joined(parts: impl Iterator<Item = Expr>, join: impl Fn(Expr, Expr) -> Expr) -> Option<Expr> {
    let mut parts: Vec<Expr> = parts.collect();
    while parts.len() > 1 {
        let mut rest = parts.into_iter();
        let mut pairs = Vec::with_capacity(rest.len().div_ceil(2));
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => join(left, right),
                None => left,
            });
        }
        parts = pairs;
    }
    parts.pop()
}

fn like(text: Expr, pattern: String) -> Expr {
    text.like(LikeExpr::new(pattern).escape('\\'))
}
