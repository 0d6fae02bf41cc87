//! Inserts, finds and deletes many rows in few statements.

mod arrays;
mod keys;

use std::vec::IntoIter;

use kit::Result;
use sea_orm::sea_query::{InsertStatement, OnConflict, Query};
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DbBackend, EntityTrait, FromQueryResult, Iterable, QueryTrait,
};

pub use keys::among;

use crate::db;

/// Maximum rows of one statement. Statements of thousands of values took longer to prepare than to run, and
/// filled the memory of client and server.
const ROWS: usize = 128;
/// Up to this many rows always go into one statement.
const FEW: usize = 8;
/// Maximum rows of one statement that has an array for each column.
const ARRAYS: usize = 1_000;

type Model<A> = <<A as ActiveModelTrait>::Entity as EntityTrait>::Model;

/// Splits rows, or keys of rows, into parts for one statement each. A connection keeps a prepared statement
/// for each number of rows, so parts have few different lengths: 128, 64, 32, 16, or 8 and fewer.
pub fn chunks<E: EntityTrait, T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let (part, after) = rest.split_at_checked(length::<E>(rest.len()))?;
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// Returns how many of `left` rows go into the next statement.
fn length<E: EntityTrait>(left: usize) -> usize {
    // SQLite binds at most 32,766 values, Postgres 65,535.
    let most = (30_000 / E::Column::iter().count()).clamp(1, ROWS);
    match left.min(most) {
        few @ 0..=FEW => few,
        many => 1 << many.ilog2(),
    }
}

/// Inserts rows.
pub async fn insert<A>(connection: &impl ConnectionTrait, rows: Vec<A>) -> Result<()>
where
    A: ActiveModelTrait + Send,
{
    let mut rest = rows.into_iter();
    while let Some(insert) = next(connection, &mut rest, None)? {
        connection.execute(&insert).await.map_err(db)?;
    }
    Ok(())
}

/// Inserts rows, or does what `conflict` says if a row exists; returns how many rows were changed.
pub async fn upsert<A>(connection: &impl ConnectionTrait, rows: Vec<A>, conflict: &OnConflict) -> Result<u64>
where
    A: ActiveModelTrait + Send,
{
    let (mut rest, mut changed) = (rows.into_iter(), 0);
    while let Some(insert) = next(connection, &mut rest, Some(conflict))? {
        changed += connection.execute(&insert).await.map_err(db)?.rows_affected();
    }
    Ok(changed)
}

/// Inserts rows, or does what `conflict` says if a row exists; returns the rows that were inserted or changed,
/// as they are now.
pub async fn upsert_returning<A>(
    connection: &impl ConnectionTrait,
    rows: Vec<A>,
    conflict: &OnConflict,
) -> Result<Vec<Model<A>>>
where
    A: ActiveModelTrait + Send,
{
    let (mut changed, mut rest) = (Vec::with_capacity(rows.len()), rows.into_iter());
    while let Some(mut insert) = next(connection, &mut rest, Some(conflict))? {
        insert.returning(Query::returning().columns(<A::Entity as EntityTrait>::Column::iter()));
        for row in connection.query_all(&insert).await.map_err(db)? {
            changed.push(Model::<A>::from_query_result(&row, "").map_err(db)?);
        }
    }
    Ok(changed)
}

/// Takes the rows of the next statement from `rest`, and returns the statement. `None` without rows.
fn next<A: ActiveModelTrait>(
    connection: &impl ConnectionTrait,
    rest: &mut IntoIter<A>,
    conflict: Option<&OnConflict>,
) -> Result<Option<InsertStatement>> {
    let left = rest.len();
    if left == 0 {
        return Ok(None);
    }
    if connection.get_database_backend() == DbBackend::Postgres && left > FEW {
        let count = left.min(ARRAYS);
        if let Some(insert) = arrays::insert(&mut rest.as_mut_slice()[..count], conflict)? {
            rest.by_ref().take(count).for_each(drop);
            return Ok(Some(insert));
        }
    }
    let rows = rest.by_ref().take(length::<A::Entity>(left));
    let mut insert = A::Entity::insert_many(rows).into_query();
    if let Some(conflict) = conflict {
        insert.on_conflict(conflict.clone());
    }
    Ok(Some(insert))
}

#[cfg(test)]
mod tests {
    use super::chunks;
    use crate::outbox::outbox_event::Entity;

    #[test]
    fn parts_have_few_lengths_and_miss_no_row() {
        let rows: Vec<usize> = (0..1_000).collect();
        let mut lengths = std::collections::BTreeSet::new();
        for count in 0..=rows.len() {
            let parts: Vec<&[usize]> = chunks::<Entity, _>(&rows[..count]).collect();
            assert_eq!(parts.concat(), rows[..count]);
            lengths.extend(parts.iter().map(|part| part.len()));
        }
        assert_eq!(lengths.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128]);
    }
}
