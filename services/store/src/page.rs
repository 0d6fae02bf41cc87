//! Limit, offset and order of a list.
//!
//! The primary key always ends the order, so that pages neither repeat nor skip rows. A missing
//! value sorts last ascending and first descending, on both databases.

use kit::{Error, Result};
use proto::common::v1::{Page, Sort, SortDirection};
use sea_orm::sea_query::NullOrdering;
use sea_orm::{ColumnTrait, DbBackend, Order, QueryOrder};

use crate::filter::{Field, FieldKind, find};

pub const DEFAULT_LIMIT: u64 = 25;
pub const MAX_LIMIT: u64 = 100;
pub const MAX_OFFSET: u64 = 1_000_000;
const MAX_SORTS: usize = 5;
/// From here on rows are found by the index alone and fetched afterwards.
pub const DEEP: u64 = 1_000;

/// Checked limit and offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub limit: u64,
    pub offset: u64,
}

/// Checks limit and offset; both refuse rather than clip.
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

/// The columns to order by, checked against the table and ended by the primary key.
pub fn order<C: ColumnTrait>(
    fields: &[Field<C>],
    sorts: &[Sort],
    default: (C, Order),
    key: C,
) -> Result<Vec<(C, Order)>> {
    if sorts.len() > MAX_SORTS {
        return Err(Error::invalid_field("sort", format!("a list is sorted by at most {MAX_SORTS} fields")));
    }
    let mut columns = Vec::with_capacity(sorts.len() + 1);
    for sort in sorts {
        let field = find(fields, &sort.key)?;
        if !field.sortable {
            return Err(Error::invalid_field("sort", format!("the list cannot be sorted by {}", sort.key)));
        }
        let column = match field.kind {
            FieldKind::Text { folded } => folded,
            _ => field.column,
        };
        let direction = match sort.direction() {
            SortDirection::Desc => Order::Desc,
            SortDirection::Asc | SortDirection::Unspecified => Order::Asc,
        };
        columns.push((column, direction));
    }
    if columns.is_empty() {
        columns.push(default);
    }
    // The key runs with the last column, so that one index serves both directions.
    let last = columns.last().map_or(Order::Asc, |(_, order)| order.clone());
    if !columns.iter().any(|(column, _)| column.as_column_ref() == key.as_column_ref()) {
        columns.push((key, last));
    }
    Ok(columns)
}

/// Applies the order to a query.
pub fn apply<Q: QueryOrder, C: ColumnTrait>(mut query: Q, columns: &[(C, Order)], backend: DbBackend) -> Q {
    for (column, order) in columns {
        query = match (backend, order) {
            // Postgres has this order by itself; saying so would keep it from using an index.
            (DbBackend::Postgres, _) => query.order_by(*column, order.clone()),
            (_, Order::Desc) => query.order_by_with_nulls(*column, Order::Desc, NullOrdering::First),
            (_, order) => query.order_by_with_nulls(*column, order.clone(), NullOrdering::Last),
        };
    }
    query
}
