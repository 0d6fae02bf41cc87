//! Pages and bounded counts of any table.

use kit::Result;
use sea_orm::sea_query::{Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, PaginatorTrait, QueryFilter, QuerySelect};

use proto::common::v1::Count;

use crate::page::{DEEP, Window, apply};
use crate::{Db, db};

/// An exact count of filtered rows stops here; beyond, the answer is "at least".
pub const COUNT_BOUND: u64 = 10_000;

/// One page of a table and whether more follow.
pub async fn page<E, C>(
    db_: &Db,
    condition: Condition,
    order: &[(C, Order)],
    key: C,
    window: Window,
) -> Result<(Vec<E::Model>, bool)>
where
    E: EntityTrait<Column = C>,
    C: ColumnTrait,
    E::Model: Send,
{
    let backend = db_.backend();
    let query = if window.offset < DEEP {
        E::find().filter(condition).limit(window.limit + 1).offset(window.offset)
    } else {
        // Skipping rows is cheap in the index and dear in the table: find the keys first.
        let keys = E::find().select_only().column(key).filter(condition);
        let mut keys: SelectStatement = sea_orm::QueryTrait::into_query(apply(keys, order, backend));
        keys.limit(window.limit + 1).offset(window.offset);
        // MySQL's ban on LIMIT in a subquery does not concern us.
        E::find().filter(key.in_subquery(Query::select().column(key).from_subquery(keys, "page").take()))
    };
    let mut rows = apply(query, order, backend).all(db_.read()).await.map_err(db)?;
    let more = rows.len() as u64 > window.limit;
    rows.truncate(usize::try_from(window.limit).unwrap_or(usize::MAX));
    Ok((rows, more))
}

/// How many rows match, up to the bound.
pub async fn count<E>(db_: &Db, condition: Condition, key: E::Column) -> Result<Count>
where
    E: EntityTrait,
    E::Model: Send + Sync,
{
    let total = E::find()
        .select_only()
        .column(key)
        .filter(condition)
        .limit(COUNT_BOUND + 1)
        .count(db_.read())
        .await
        .map_err(db)?;
    Ok(Count { total: total.min(COUNT_BOUND), exact: total <= COUNT_BOUND })
}
