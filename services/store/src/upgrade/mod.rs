//! Upgrades a database, or reports why program and database do not fit each other.
//!
//! On SQLite an upgrade is one transaction: it happens as a whole or not at all, even if the process is
//! killed. On Postgres each migration is one transaction, except those that build indexes concurrently, whose
//! steps can all be repeated. Processes that start at the same time wait for each other. docs/upgrades.md is
//! for administrators; docs/adr/0029 has the reasons.

pub(crate) mod compatibility;
pub(crate) mod copy;
mod migrations;
mod postgres;
mod room;
mod sqlite;
mod together;

use std::collections::HashSet;
use std::time::Duration;

use kit::{Error, Result};
use sea_orm::{ConnectionTrait, Statement};
use sea_orm_migration::prelude::*;

use crate::{Db, db};

pub use compatibility::compatible_from;
pub use copy::clear_copies;
pub use migrations::Migrations;
pub use together::up_together;
#[cfg(feature = "testing")]
pub(crate) use together::up_together_with;

/// How long an upgrade waits for another process's upgrade, and for tables that others use.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often a waiting process logs that it waits.
const SAY_AGAIN: Duration = Duration::from_secs(30);

/// Upgrades the database, without a copy to go back to; [`up_together`] makes one. Leaves a database unchanged that is
/// newer than this program.
///
/// # Errors
///
/// `DATABASE_TOO_NEW` when this program cannot work with the tables of a later release, `UPGRADE_UNDER_WAY`
/// when another process keeps upgrading for ten minutes, `TABLES_IN_USE` when others keep tables locked for as
/// long, `STORAGE_FULL` when there is no space for the upgrade. After an error a SQLite database is unchanged;
/// on Postgres, completed migrations stay applied.
pub async fn up<M: MigratorTrait>(db_: &Db) -> Result<()> {
    up_within::<M>(db_, PATIENCE).await
}

/// Upgrades like [`up`], but waits for another process only for `patience`.
pub(crate) async fn up_within<M: MigratorTrait>(db_: &Db, patience: Duration) -> Result<()> {
    // Nearly every start finds nothing to do, and then needs neither a lock nor another connection.
    if Found::read::<M, _>(db_.read()).await?.is_current()? {
        return Ok(());
    }
    match db_.is_postgres() {
        true => postgres::up::<M>(db_, patience).await,
        false => sqlite::up::<M>(db_, patience).await,
    }
}

/// Refuses a database that is older than the program, or too new for it.
///
/// # Errors
///
/// `MIGRATIONS_PENDING`, `DATABASE_TOO_NEW`.
pub async fn require_current<M: MigratorTrait>(db_: &Db, service: &str) -> Result<()> {
    if Found::read::<M, _>(db_.read()).await?.is_current()? {
        return Ok(());
    }
    Err(Error::precondition(
        "MIGRATIONS_PENDING",
        format!(
            "The database of {service} is older than this program. Run `waybill migrate` first, with \
             `--target {service}` if the services run separately."
        ),
    ))
}

/// The state of a database, compared to this program.
struct Found {
    /// Migrations of this program that were not applied.
    pending: Vec<String>,
    /// Applied migrations that this program does not know: a later release ran them.
    unknown: Vec<String>,
    /// Migrations that a program must know to work with the tables and that this program does not know.
    required: Vec<String>,
    /// Whether no migration was applied yet.
    is_empty: bool,
}

impl Found {
    async fn read<M: MigratorTrait, C: ConnectionTrait>(connection: &C) -> Result<Self> {
        let known: Vec<String> = M::migrations().iter().map(|it| it.name().to_owned()).collect();
        let applied = applied::<M, C>(connection).await?;
        let pending = known.iter().filter(|name| !applied.contains(*name)).cloned().collect();
        let unknown: Vec<String> = applied.iter().filter(|name| !known.contains(name)).cloned().collect();
        let required = match unknown.is_empty() {
            true => Vec::new(),
            false => compatibility::required(connection).await?,
        };
        let required = required.into_iter().filter(|name| !known.contains(name)).collect();
        Ok(Self { pending, unknown, required, is_empty: applied.is_empty() })
    }

    /// Returns whether there is nothing to do. Fails when the database is too new.
    fn is_current(&self) -> Result<bool> {
        if self.unknown.is_empty() {
            return Ok(self.pending.is_empty());
        }
        if self.required.is_empty() && self.pending.is_empty() {
            return Ok(true);
        }
        tracing::error!(unknown = ?self.unknown, required = ?self.required, pending = ?self.pending, "the database is too new");
        Err(Error::precondition(
            "DATABASE_TOO_NEW",
            "The database was upgraded by a later release of Waybill, and this release cannot work with it. Run the \
             later release, or go back as docs/upgrades.md describes.",
        ))
    }
}

/// Returns the applied migrations; empty when their table does not exist yet.
async fn applied<M: MigratorTrait, C: ConnectionTrait>(connection: &C) -> Result<HashSet<String>> {
    let backend = connection.get_database_backend();
    let table = SqlTable::of::<M>();
    if !table.exists(connection).await? {
        return Ok(HashSet::new());
    }
    let versions =
        Query::select().column(Alias::new("version")).from(Alias::new(table.0.as_str())).to_owned();
    let rows = connection.query_all_raw(backend.build(&versions)).await.map_err(db)?;
    rows.iter().map(|row| row.try_get("", "version").map_err(db)).collect()
}

/// The name of a table that might not exist.
struct SqlTable(String);

impl SqlTable {
    fn of<M: MigratorTrait>() -> Self {
        Self(M::migration_table_name().to_string())
    }

    async fn exists<C: ConnectionTrait>(&self, connection: &C) -> Result<bool> {
        let backend = connection.get_database_backend();
        let ask = match backend {
            sea_orm::DbBackend::Postgres => "SELECT to_regclass($1) IS NOT NULL AS there",
            _ => "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?) AS there",
        };
        let ask = Statement::from_sql_and_values(backend, ask, [self.0.as_str().into()]);
        let row = connection.query_one_raw(ask).await.map_err(db)?;
        Ok(row.is_some_and(|row| row.try_get("", "there").unwrap_or(false)))
    }
}

/// What an upgrade waits for.
#[derive(Debug, Clone, Copy)]
enum WaitFor {
    /// The upgrade of another process.
    Upgrade,
    /// Tables that are locked by others, such as a backup.
    Tables,
}

impl WaitFor {
    /// Returns the first and the longest pause between two attempts; each is twice as long as the one before. An
    /// attempt to lock a table holds up everybody who wants to use it, so these must be rare.
    fn pauses(self) -> (Duration, Duration) {
        match self {
            Self::Upgrade => (Duration::from_millis(100), Duration::from_millis(100)),
            Self::Tables => (Duration::from_secs(1), Duration::from_secs(16)),
        }
    }

    fn log(self, seconds: u64) {
        match self {
            Self::Upgrade => tracing::info!(seconds, "waiting for another process to upgrade the database"),
            Self::Tables => tracing::info!(seconds, "waiting for tables that others use, such as a backup"),
        }
    }

    fn given_up(self) -> Error {
        match self {
            Self::Upgrade => Error::unavailable(
                "UPGRADE_UNDER_WAY",
                "Another process is upgrading this database and has not finished. Check what it is doing, \
                 then start this one again.",
            ),
            Self::Tables => Error::unavailable(
                "TABLES_IN_USE",
                "Others keep a table locked that the upgrade must change, such as a backup or a long query. \
                 Wait until they have finished, then start this one again.",
            ),
        }
    }
}

/// Logs that this process waits, immediately and then every half minute. Gives up after `patience`.
struct Waiting {
    wait_for: WaitFor,
    since: std::time::Instant,
    said: Option<std::time::Instant>,
    pause: Duration,
    patience: Duration,
}

impl Waiting {
    fn new(wait_for: WaitFor, patience: Duration) -> Self {
        let (pause, _) = wait_for.pauses();
        Self { wait_for, since: std::time::Instant::now(), said: None, pause, patience }
    }

    async fn pause(&mut self) -> Result<()> {
        if self.since.elapsed() >= self.patience {
            return Err(self.wait_for.given_up());
        }
        if self.said.is_none_or(|at| at.elapsed() >= SAY_AGAIN) {
            self.wait_for.log(self.since.elapsed().as_secs());
            self.said = Some(std::time::Instant::now());
        }
        tokio::time::sleep(self.pause).await;
        let (_, longest) = self.wait_for.pauses();
        self.pause = longest.min(self.pause * 2);
        Ok(())
    }
}
