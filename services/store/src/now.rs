//! The database's clock, which all processes share. It decides whether leases have expired and which rows are
//! old enough to delete, so a wrong clock of one process does no harm.

use chrono::{DateTime, Utc};
use kit::clock::Clock;
use kit::{Error, Result};
use sea_orm::sea_query::Expr;
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::{Db, db};

/// Returns the time of the current statement, as an SQL expression.
pub(crate) fn expr(backend: DbBackend) -> Expr {
    match backend {
        DbBackend::Postgres => Expr::current_timestamp(),
        // SQLite would read the same clock, this machine's, but only to the millisecond.
        _ => Expr::value(Clock::system().now()),
    }
}

impl Db {
    /// Returns the database's time.
    pub(crate) async fn now(&self) -> Result<DateTime<Utc>> {
        if !self.is_postgres() {
            return Ok(Clock::system().now());
        }
        let ask = Statement::from_string(DbBackend::Postgres, "SELECT CURRENT_TIMESTAMP AS now");
        let row = self.read().query_one_raw(ask).await.map_err(db)?;
        let row = row.ok_or_else(|| Error::internal("the database did not say the time"))?;
        row.try_get("", "now").map_err(db)
    }
}
