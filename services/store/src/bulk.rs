//! Inserts, finds and deletes many rows in few statements.

use kit::Result;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, InsertMany, Iterable};

use crate::db;

/// Maximum rows of one statement. Statements of thousands of values took longer to prepare than to run, and
/// filled the memory of client and server.
const ROWS: usize = 128;
/// Up to this many rows always go into one statement.
const FEW: usize = 8;

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
    each(connection, rows, |insert| insert).await?;
    Ok(())
}

/// Inserts rows, or does what `conflict` says if a row exists; returns how many rows were changed.
pub async fn upsert<A>(connection: &impl ConnectionTrait, rows: Vec<A>, conflict: &OnConflict) -> Result<u64>
where
    A: ActiveModelTrait + Send,
{
    each(connection, rows, |insert| insert.on_conflict(conflict.clone())).await
}

async fn each<A>(
    connection: &impl ConnectionTrait,
    rows: Vec<A>,
    complete: impl Fn(InsertMany<A>) -> InsertMany<A> + Send,
) -> Result<u64>
where
    A: ActiveModelTrait + Send,
{
    let mut changed = 0;
    let mut rows = rows.into_iter();
    while rows.len() > 0 {
        let count = length::<A::Entity>(rows.len());
        let some = rows.by_ref().take(count);
        changed +=
            complete(A::Entity::insert_many(some)).exec_without_returning(connection).await.map_err(db)?;
    }
    Ok(changed)
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
