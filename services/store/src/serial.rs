//! Serializes transactions that read what the others are about to write.

use kit::Result;
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::{Tx, db};

/// Waits for all transactions that called this with the same text, until they end. SQLite serializes writing
/// transactions anyway.
pub async fn one_at_a_time(tx: &Tx, what: &str) -> Result<()> {
    if tx.get_database_backend() != DbBackend::Postgres {
        return Ok(());
    }
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
    let lock = Statement::from_sql_and_values(DbBackend::Postgres, lock, [what.into()]);
    tx.execute_raw(lock).await.map_err(db)?;
    Ok(())
}
