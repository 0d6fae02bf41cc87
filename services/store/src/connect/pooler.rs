//! Detects connection poolers that break our use of Postgres.
//!
//! Statements are prepared once per connection, upgrades hold a session lock, and each connection sets its
//! own statement timeout. A pooler that lends connections per transaction (PgBouncer: `pool_mode =
//! transaction`) mixes all of that up between clients, so refuse it at start.

use kit::config::Database as DatabaseConfig;
use kit::{Error, Result};
use sea_orm::sqlx::{self, PgConnection, Row};
use sea_orm::{DbErr, RuntimeErr};

use crate::{Db, db};

const BACKEND: &str = "SELECT pg_backend_pid()::text";
const TIMEOUT: &str = "SELECT setting FROM pg_settings WHERE name = 'statement_timeout'";
/// Number of checks. A single check may reach the same backend by chance, because other clients use the
/// pooler, too.
const LOOKS: usize = 3;
const PAGE: &str = "docs/supported-versions.md says more.";

impl Db {
    /// Refuses a pooler that gives every transaction another connection, and a pooler that does not pass
    /// statement timeouts on to Postgres. Does nothing on SQLite.
    ///
    /// # Errors
    ///
    /// `DATABASE_POOLER`, and the errors of a database that is down.
    pub async fn require_sessions(&self, config: &DatabaseConfig) -> Result<()> {
        if !self.is_postgres() {
            return Ok(());
        }
        let pool = self.writer.get_postgres_connection_pool();
        let mut first = pool.acquire().await.map_err(unavailable)?;
        let patience = ask(&mut first, TIMEOUT).await.map_err(unavailable)?;
        let wanted = config.statement_timeout_seconds * 1000;
        if patience != wanted.to_string() {
            return Err(refused(format!(
                "Postgres has another statement timeout than Waybill set ({patience} ms instead of \
                 {wanted}): a connection pooler dropped it. Set it for the role: ALTER ROLE … SET \
                 statement_timeout = {wanted}."
            )));
        }
        if config.max_connections < 2 {
            return Ok(());
        }
        // Two connections that are open at the same time must reach two different backends of Postgres.
        let mut second = pool.acquire().await.map_err(unavailable)?;
        let home = ask(&mut first, BACKEND).await.map_err(unavailable)?;
        for _ in 0..LOOKS {
            let other = ask(&mut second, BACKEND).await.map_err(unavailable)?;
            let again = ask(&mut first, BACKEND).await.map_err(unavailable)?;
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

/// Returns the only text that a query answers. Sends an unprepared statement: the pooler may not support prepared ones.
pub(crate) async fn ask(
    connection: &mut PgConnection,
    query: &'static str,
) -> std::result::Result<String, sqlx::Error> {
    sqlx::raw_sql(query).fetch_one(connection).await?.try_get(0)
}

pub(crate) fn unavailable(error: sqlx::Error) -> Error {
    db(DbErr::Conn(RuntimeErr::SqlxError(error.into())))
}

fn refused(text: impl Into<String>) -> Error {
    Error::precondition("DATABASE_POOLER", format!("{} {PAGE}", text.into()))
}

/// Recognizes a pooler's error about settings that it does not pass on.
pub(super) fn refusal(error: &DbErr) -> Option<Error> {
    let text = error.to_string();
    let (_, parameter) = text.split_once("unsupported startup parameter: ")?;
    Some(refused(format!("The database is behind a connection pooler that refuses the setting {parameter}.")))
}
