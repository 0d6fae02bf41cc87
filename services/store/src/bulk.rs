//! Inserts many rows in few statements.

use kit::Result;
use sea_orm::{ConnectionTrait, EntityTrait, Iterable};

use crate::db;

/// Maximum rows of one statement. A statement is prepared anew for each number of rows, and kept: statements
/// of thousands of values took longer to prepare than to run, and filled the memory of client and server.
const ROWS: usize = 128;

/// Returns how many rows of an entity go into one INSERT. SQLite binds at most 32,766 values, Postgres 65,535.
pub fn chunk<E: EntityTrait>() -> usize {
    (30_000 / E::Column::iter().count()).clamp(1, ROWS)
}

/// Inserts rows, one statement per chunk.
pub async fn insert<A>(connection: &impl ConnectionTrait, rows: Vec<A>) -> Result<()>
where
    A: sea_orm::ActiveModelTrait + Send,
{
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some: Vec<A> = rows.by_ref().take(chunk::<A::Entity>()).collect();
        A::Entity::insert_many(some).exec_without_returning(connection).await.map_err(db)?;
    }
    Ok(())
}
