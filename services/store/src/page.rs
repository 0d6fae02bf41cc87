//! Limit, offset and order of a list.
//!
//! Every order ends with the primary key, so that pages neither repeat nor skip rows. Missing values sort
//! last in ascending and first in descending order, on both databases.

use kit::{Error, Result};
use proto::common::v1::{Page, Sort, SortDirection};
use sea_orm::sea_query::{Expr, ExprTrait, NullOrdering, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, DbBackend, DynIden, EntityTrait, ModelTrait, Order, QueryTrait, Value};

use crate::filter::{Field, FieldKind, find, first_of};

pub const DEFAULT_LIMIT: u64 = 25;
pub const MAX_LIMIT: u64 = 100;
pub const MAX_OFFSET: u64 = 1_000_000;
const MAX_SORTS: usize = 5;
/// From this offset on, keys are found by the index alone, and their rows are fetched afterwards.
pub const DEEP: u64 = 1_000;

/// What rows are sorted by.
#[derive(Debug, Clone, Copy)]
pub enum SortBy<C> {
    Column(C),
    /// The first of two columns that is not NULL.
    First(C, C),
}

impl<C: ColumnTrait> From<C> for SortBy<C> {
    fn from(column: C) -> Self {
        Self::Column(column)
    }
}

impl<C: ColumnTrait> SortBy<C> {
    /// Returns the columns that are compared.
    pub(crate) fn columns(self) -> impl Iterator<Item = C> {
        let (first, or) = match self {
            Self::Column(column) => (column, None),
            Self::First(first, or) => (first, Some(or)),
        };
        std::iter::once(first).chain(or)
    }

    /// Like [`Self::columns`], in a form that can be compared.
    pub(crate) fn references(self) -> Vec<(DynIden, DynIden)> {
        self.columns().map(|column| column.as_column_ref()).collect()
    }

    fn expression(self) -> SimpleExpr {
        match self {
            Self::Column(column) => Expr::col(column.as_column_ref()),
            Self::First(first, or) => first_of(first, or),
        }
    }

    fn is_nullable(self) -> bool {
        self.columns().all(|column| column.def().is_null())
    }

    fn value<M>(self, row: &M) -> Value
    where
        M: ModelTrait,
        M::Entity: EntityTrait<Column = C>,
    {
        match self {
            Self::Column(column) => row.get(column),
            Self::First(first, or) => {
                let value = row.get(first);
                if value == value.as_null() { row.get(or) } else { value }
            }
        }
    }
}

/// Checked limit and offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub limit: u64,
    pub offset: u64,
}

impl Window {
    /// Drops the extra row that was requested; returns the page, and whether there was an extra row.
    pub(crate) fn cut<T>(self, mut rows: Vec<T>) -> (Vec<T>, bool) {
        let more = rows.len() as u64 > self.limit;
        rows.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        (rows, more)
    }
}

/// Checks limit and offset; refuses out-of-range values instead of clipping them.
pub fn window(page: &Page) -> Result<Window> {
    let limit = if page.limit == 0 { DEFAULT_LIMIT } else { u64::from(page.limit) };
    if limit > MAX_LIMIT {
        return Err(Error::invalid_field("limit", format!("a page has at most {MAX_LIMIT} rows")));
    }
    if page.offset > MAX_OFFSET {
        return Err(Error::invalid_field(
            "offset",
            format!("a list can be read up to row {MAX_OFFSET}; use filters to narrow it down"),
        ));
    }
    Ok(Window { limit, offset: page.offset })
}

/// Returns the columns to order by, checked against the table, ending with the primary key.
pub fn order<C: ColumnTrait>(
    fields: &'static [Field<C>],
    sorts: &[Sort],
    default: (C, Order),
    key: C,
) -> Result<Vec<(SortBy<C>, Order)>> {
    let mut columns = sorted_by(fields, sorts)?;
    if columns.is_empty() {
        columns.push((default.0.into(), default.1));
    }
    end(&mut columns, &[key]);
    Ok(columns)
}

/// Returns the sort order: the requested fields, then the columns that follow the last field in that field's
/// index.
pub(crate) fn sorted_by<C: ColumnTrait>(
    fields: &'static [Field<C>],
    sorts: &[Sort],
) -> Result<Vec<(SortBy<C>, Order)>> {
    if sorts.len() > MAX_SORTS {
        return Err(Error::invalid_field("sort", format!("a list is sorted by at most {MAX_SORTS} fields")));
    }
    let mut columns = Vec::with_capacity(sorts.len() + 2);
    let mut then: &[C] = &[];
    for sort in sorts {
        let field = find(fields, &sort.key)?;
        if !field.sortable {
            return Err(Error::invalid_field("sort", format!("the list cannot be sorted by {}", sort.key)));
        }
        let by = match field.kind {
            FieldKind::Text { folded } | FieldKind::Search { folded, .. } => SortBy::Column(folded),
            FieldKind::FirstInstant { first, or } => SortBy::First(first, or),
            _ => SortBy::Column(field.column),
        };
        let direction = match sort.direction() {
            SortDirection::Desc => Order::Desc,
            SortDirection::Asc | SortDirection::Unspecified => Order::Asc,
        };
        columns.push((by, direction));
        then = field.then;
    }
    end(&mut columns, then);
    Ok(columns)
}

/// Appends the columns of `by` that the order lacks, in the direction of its last column, so that one index
/// serves both directions.
pub(crate) fn end<C: ColumnTrait>(columns: &mut Vec<(SortBy<C>, Order)>, by: &[C]) {
    let last = columns.last().map_or(Order::Asc, |(_, order)| order.clone());
    for column in by {
        if !columns.iter().any(|(other, _)| other.references() == [column.as_column_ref()]) {
            columns.push((SortBy::Column(*column), last.clone()));
        }
    }
}

/// Returns a condition for the rows after `row`; `None` when no row can follow.
pub(crate) fn after<M: ModelTrait>(
    order: &[(SortBy<<M::Entity as EntityTrait>::Column>, Order)],
    row: &M,
) -> Option<SimpleExpr> {
    let ((by, direction), rest) = order.split_first()?;
    let value = by.value(row);
    let missing = value == value.as_null();
    let nullable = by.is_nullable();
    let column = || by.expression();
    let descending = matches!(direction, Order::Desc);
    // NULL counts as the greatest value.
    let beyond = match (descending, missing) {
        (true, true) => Some(column().is_not_null()),
        (true, false) => Some(column().lt(value.clone())),
        (false, true) => None,
        (false, false) if nullable => Some(column().gt(value.clone()).or(column().is_null())),
        (false, false) => Some(column().gt(value.clone())),
    };
    let equal = if missing { column().is_null() } else { column().eq(value.clone()) };
    let level = after(rest, row).map(|rest| equal.and(rest));
    let later = match (beyond, level) {
        (Some(beyond), Some(level)) => beyond.or(level),
        (one, other) => one.or(other)?,
    };
    // Repeats the first column's bound on its own, so that an index scan can start there.
    Some(match (descending, missing) {
        (true, false) => column().lte(value).and(later),
        (false, false) if !nullable => column().gte(value).and(later),
        _ => later,
    })
}

/// Applies the order to a query.
pub fn apply<Q: QueryTrait<QueryStatement = SelectStatement>, C: ColumnTrait>(
    mut query: Q,
    columns: &[(SortBy<C>, Order)],
    backend: DbBackend,
) -> Q {
    order_by(query.query(), columns, backend);
    query
}

/// Orders a statement, and says where NULLs go only if that is needed. Postgres sorts them this way anyway, and would
/// not use an index otherwise. SQLite uses one only if no column after the first says it.
pub(crate) fn order_by<C: ColumnTrait>(
    query: &mut SelectStatement,
    columns: &[(SortBy<C>, Order)],
    backend: DbBackend,
) {
    for (by, order) in columns {
        let nulls = match (backend, order) {
            (DbBackend::Postgres, _) => None,
            _ if !by.is_nullable() => None,
            (_, Order::Desc) => Some(NullOrdering::First),
            _ => Some(NullOrdering::Last),
        };
        let (expression, order) = (by.expression(), order.clone());
        match nulls {
            Some(nulls) => query.order_by_expr_with_nulls(expression, order, nulls),
            None => query.order_by_expr(expression, order),
        };
    }
}
