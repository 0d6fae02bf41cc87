//! Finds the values of a dimension one by one in an index, with a recursive statement.
//!
//! Each step finds the next value in the index of keys, and one of its spellings in the time range. Values
//! without a delivery in the range are skipped. The walk ends when the limit of the answer is reached.

use sea_orm::sea_query::{
    Alias, CommonTableExpression, Expr, ExprTrait, Order, Query, SelectStatement, UnionType, WithClause,
};

use super::sql::Sql;
use crate::members::{Dimension, Table};

const WALK: &str = "walk";

fn at(column: &'static str) -> Expr {
    Expr::col((Alias::new(WALK), Alias::new(column)))
}

fn subquery(select: SelectStatement) -> Expr {
    Expr::SubQuery(None, Box::new(select.into()))
}

/// Returns the number of values that were found so far.
fn found() -> Expr {
    at("found").add(Expr::case(at("spelled").is_null(), 0).finally(1))
}

impl Sql<'_> {
    /// Selects rows with the columns `k0` and `d0`, like other plans.
    pub(super) fn walk(&self) -> SelectStatement {
        let query = self.plan.query;
        let Some(dimension) = query.dimensions.first() else { return Query::select() };
        let step = |after: Option<Expr>, found: Expr| {
            let next = self.next(dimension, after);
            let mut step = Query::select();
            step.expr_as(subquery(next.clone()), Alias::new("value"))
                .expr_as(subquery(self.spelling(dimension, next)), Alias::new("spelled"))
                .expr_as(found, Alias::new("found"));
            step
        };
        let mut steps = step(None, Expr::Constant(0.into()));
        let mut further = step(Some(at("value")), found());
        further.from(Alias::new(WALK)).and_where(at("value").is_not_null());
        further.and_where(found().lt(query.limit + query.offset));
        steps.union(UnionType::All, further);
        let cte = CommonTableExpression::new()
            .table_name(Alias::new(WALK))
            .columns(["value", "spelled", "found"].map(Alias::new))
            .query(steps)
            .to_owned();
        let mut rows = Query::select();
        rows.expr_as(at("value"), Alias::new("k0")).expr_as(at("spelled"), Alias::new("d0"));
        rows.from(Alias::new(WALK)).and_where(at("spelled").is_not_null());
        rows.order_by_expr(at("value"), Order::Asc).limit(query.limit);
        if query.offset > 0 {
            rows.offset(query.offset);
        }
        rows.with_cte(WithClause::new().recursive(true).cte(cte).to_owned());
        rows
    }

    /// Selects the first matching value or, with `after`, the next one.
    fn next(&self, dimension: &Dimension, after: Option<Expr>) -> SelectStatement {
        let key = || self.column(Table::Delivery, dimension.compared());
        let mut next = Query::select();
        next.expr(key().min()).from(Alias::new(Table::Delivery.name()));
        next.and_where_option(self.passes_all(self.plan.query.filters.iter()));
        if let Some(after) = after {
            next.and_where(key().gt(after));
        }
        next
    }

    /// Selects a spelling of the value in the time range; NULL if no delivery in the range has the value.
    fn spelling(&self, dimension: &Dimension, value: SelectStatement) -> SelectStatement {
        let mut spelling = Query::select();
        spelling.expr(self.shown(self.column(Table::Delivery, dimension.column)));
        spelling.from(Alias::new(Table::Delivery.name()));
        spelling.and_where(self.column(Table::Delivery, dimension.compared()).eq(subquery(value)));
        self.within(&mut spelling);
        spelling
    }
}
