//! The statements that read the rows of a page.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait, Order, QueryFilter, QueryResult,
    QuerySelect, QueryTrait, Select,
};

use crate::page::{DEEP, SortBy, Window, apply};

/// Finds matches by scanning in sort order.
pub(super) fn walk<E: EntityTrait>(
    condition: Condition,
    order: &[(SortBy<E::Column>, Order)],
    key: &[E::Column],
    window: Window,
    backend: DbBackend,
) -> Select<E> {
    if window.offset < DEEP {
        let query = E::find().filter(condition).limit(window.limit + 1).offset(window.offset);
        return apply(query, order, backend);
    }
    // Find the keys first, because skipping rows is cheap in the index and expensive in the table.
    let keys = E::find().select_only().columns(key.iter().copied()).filter(condition);
    let keys = apply(keys, order, backend).limit(window.limit + 1).offset(window.offset);
    among(key, keys.into_query(), order, backend)
}

/// Fetches the rows of the selected keys, in order.
pub(super) fn among<E: EntityTrait>(
    key: &[E::Column],
    keys: SelectStatement,
    order: &[(SortBy<E::Column>, Order)],
    backend: DbBackend,
) -> Select<E> {
    let names = Query::select().columns(key.iter().copied()).from_subquery(keys, "page").take();
    let key = key.iter().map(|column| Expr::col(column.as_column_ref()));
    // MySQL forbids LIMIT in a subquery; we support only Postgres and SQLite.
    apply(E::find().filter(Expr::tuple(key).in_subquery(names)), order, backend)
}

/// Reads these columns of a query's rows, or all columns if there are none.
pub(super) async fn rows<E, C>(
    mut query: Select<E>,
    columns: &[E::Column],
    connection: &C,
) -> Result<Vec<QueryResult>, DbErr>
where
    E: EntityTrait,
    C: ConnectionTrait,
{
    if !columns.is_empty() {
        query = query.select_only().columns(columns.iter().copied());
    }
    connection.query_all(&query.into_query()).await
}
