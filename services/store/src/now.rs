//! The clock of the database. It decides on leases and on what is old enough to be deleted: all
//! processes share it, and one whose own clock is wrong does no harm.

use chrono::{DateTime, Utc};
use kit::clock::Clock;
use kit::{Error, Result};
use sea_orm::sea_query::Expr;
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::{Db, db};

/// The time of the statement, for a column.
pub(crate) fn expr(backend: DbBackend) -> Expr {
    match backend {
        DbBackend::Postgres => Expr::current_timestamp(),
        // SQLite reads the clock of this machine too, but only to the millisecond.
        _ => Expr::value(Clock::system().now()),
    }
}

impl Db {
    /// The time by the database.
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
