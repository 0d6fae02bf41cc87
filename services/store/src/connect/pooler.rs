//! Whether what answers as Postgres is a connection pooler that cannot be worked with.
//!
//! Statements are prepared once per connection, upgrades hold a lock of a session, and each connection is told how
//! long a statement may take. A pooler that lends connections for a transaction only (PgBouncer: `pool_mode =
//! transaction`) mixes all that up between clients; sooner or later, so it is better said at the start.

use kit::config::Database as DatabaseConfig;
use kit::{Error, Result};
use sea_orm::DbErr;
use sea_orm::sqlx::{self, PgConnection, Row};

use crate::{Db, db};

/// Sent unprepared: the pooler may not support prepared statements.
const PROBE: &str =
    "SELECT pg_backend_pid()::text, setting FROM pg_settings WHERE name = 'statement_timeout'";
/// Others use the pooler as well, so its choice may look right by chance.
const LOOKS: usize = 3;
const PAGE: &str = "docs/supported-versions.md says more.";

impl Db {
    /// Refuses a pooler that gives every transaction another connection, and one that keeps from Postgres
    /// how long statements may take. Nothing on SQLite.
    ///
    /// Errors: DATABASE_POOLER, and what a database that is away says.
    pub async fn require_sessions(&self, config: &DatabaseConfig) -> Result<()> {
        if !self.is_postgres() {
            return Ok(());
        }
        let pool = self.writer.get_postgres_connection_pool();
        let unavailable = |error: sqlx::Error| db(DbErr::Conn(sea_orm::RuntimeErr::SqlxError(error.into())));
        let mut first = pool.acquire().await.map_err(unavailable)?;
        let (home, patience) = probe(&mut first).await.map_err(unavailable)?;
        let wanted = config.statement_timeout_seconds * 1000;
        if patience != wanted.to_string() {
            return Err(refused(format!(
                "Postgres was not told how long a statement may take ({patience} ms instead of {wanted}): a connection \
                 pooler left it out. Set it for the role: ALTER ROLE … SET statement_timeout = {wanted}."
            )));
        }
        if config.max_connections < 2 {
            return Ok(());
        }
        // Two connections that are open at once are two processes of Postgres.
        let mut second = pool.acquire().await.map_err(unavailable)?;
        for _ in 0..LOOKS {
            let (other, _) = probe(&mut second).await.map_err(unavailable)?;
            let (again, _) = probe(&mut first).await.map_err(unavailable)?;
            if other == home || again != home {
                return Err(refused(
                    "The database is behind a connection pooler that gives every transaction another connection. \
                     Waybill needs connections of its own: name Postgres itself, or a pooler in session mode.",
                ));
            }
        }
        Ok(())
    }
}

/// The process of Postgres that answers, and how long it lets a statement take, in milliseconds.
async fn probe(connection: &mut PgConnection) -> std::result::Result<(String, String), sqlx::Error> {
    let row = sqlx::raw_sql(PROBE).fetch_one(connection).await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

fn refused(text: impl Into<String>) -> Error {
    Error::precondition("DATABASE_POOLER", format!("{} {PAGE}", text.into()))
}

/// What a pooler says of settings that it does not pass on.
pub(super) fn refusal(error: &DbErr) -> Option<Error> {
    let text = error.to_string();
    let (_, parameter) = text.split_once("unsupported startup parameter: ")?;
    Some(refused(format!("The database is behind a connection pooler that refuses the setting {parameter}.")))
}
