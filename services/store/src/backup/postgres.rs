//! Postgres: its own `pg_dump` and `pg_restore`, all dumps from snapshots taken at one moment.

use std::path::{Path, PathBuf};

use kit::config::Database as DatabaseConfig;
use kit::{Error, Kind, Result};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, Statement};
use tokio::process::Command;

use super::{Copied, Rows, count, damaged, not_empty};
use crate::{Db, db, relay};

const TABLES: &str = "SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace \
     AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1";
/// Pauses writers, because every change that other services learn of inserts a row into the outbox.
const HOLD: &str = "LOCK TABLE outbox IN SHARE MODE";
/// Maximum length of a tool's error output in our error message.
const SAID: usize = 2_000;

pub(super) async fn copy(databases: &[(&str, Db)], folder: &Path) -> Result<Vec<Copied>> {
    let mut held = Vec::new();
    for (_, db_) in databases {
        let tx = db_.begin().await?;
        let patience = Statement::from_string(DbBackend::Postgres, "SET LOCAL lock_timeout = '10s'");
        tx.execute_raw(patience).await.map_err(db)?;
        tx.execute_raw(Statement::from_string(DbBackend::Postgres, HOLD)).await.map_err(db)?;
        held.push(tx);
    }
    let mut snapshots = Vec::new();
    for (_, db_) in databases {
        snapshots.push(Snapshot::take(db_).await?);
    }
    for tx in held {
        tx.rollback().await?;
    }
    let mut copied = Vec::new();
    for ((service, db_), snapshot) in databases.iter().zip(snapshots) {
        let file = PathBuf::from(format!("{service}.dump"));
        let mut dump = tool("pg_dump", db_.url())?;
        dump.args(["--format=custom", "--no-owner", "--no-privileges", "--no-comments"])
            .args(["--lock-wait-timeout=10s", "--snapshot", &snapshot.name, "--file"])
            .arg(folder.join(&file));
        run("pg_dump", dump).await?;
        let rows = count(&snapshot.tx, TABLES).await?;
        snapshot.tx.rollback().await.map_err(db)?;
        copied.push(Copied { service: (*service).to_owned(), file, rows });
    }
    Ok(copied)
}

/// The exported state of a database, valid while the transaction is open.
struct Snapshot {
    tx: DatabaseTransaction,
    name: String,
}

impl Snapshot {
    async fn take(db_: &Db) -> Result<Self> {
        let tx = db_.begin_snapshot().await?;
        let export = Statement::from_string(DbBackend::Postgres, "SELECT pg_export_snapshot() AS name");
        let row = tx.query_one_raw(export).await.map_err(db)?;
        let row = row.ok_or_else(|| Error::internal("there is no name of the snapshot"))?;
        let name = row.try_get("", "name").map_err(db)?;
        Ok(Self { tx, name })
    }
}

/// Fails if `pg_restore` is not installed.
pub(super) async fn require_tool() -> Result<()> {
    let mut restore = Command::new("pg_restore");
    restore.arg("--version");
    run("pg_restore", restore).await
}

/// Fails if the database has a table.
pub(super) async fn require_empty(service: &str, db_: &Db) -> Result<()> {
    let tables = Statement::from_string(DbBackend::Postgres, TABLES);
    match db_.read().query_one_raw(tables).await.map_err(db)? {
        Some(_) => Err(not_empty(&format!("The database of {service} is not empty"))),
        None => Ok(()),
    }
}

pub(super) async fn restore(service: &str, from: &Path, url: &str, config: &DatabaseConfig) -> Result<Rows> {
    let db_ = Db::connect(url, config).await?;
    let restored = async {
        require_empty(service, &db_).await?;
        // The service works as the owner of its database, so its tables must belong to that role and not to the
        // account that restores.
        let role = owner(&db_).await?;
        let mut restore = tool("pg_restore", url)?;
        restore
            .args(["--no-owner", "--no-privileges", "--no-comments", "--exit-on-error"])
            .args(["--single-transaction", "--role", role.as_str()])
            .arg(from);
        run("pg_restore", restore).await?;
        // The processes that held leases at the time of the backup don't use this database.
        relay::release_all(&db_).await?;
        counted(&db_).await
    };
    let restored = restored.await;
    db_.close().await;
    restored
}

/// Returns the role that owns the database.
pub(super) async fn owner(db_: &Db) -> Result<String> {
    let ask =
        "SELECT pg_get_userbyid(datdba)::text AS name FROM pg_database WHERE datname = current_database()";
    let row = db_.read().query_one_raw(Statement::from_string(DbBackend::Postgres, ask)).await.map_err(db)?;
    let row = row.ok_or_else(|| Error::internal("the database is not in the server's list"))?;
    row.try_get("", "name").map_err(db)
}

/// Counts the rows of each table, without the time limit of a statement: counting a large table takes longer. By
/// then everything is restored, so an error would wrongly say that nothing was changed.
async fn counted(db_: &Db) -> Result<Rows> {
    let tx = db_.begin_snapshot().await?;
    let rows = count(&tx, TABLES).await?;
    tx.rollback().await.map_err(db)?;
    Ok(rows)
}

/// Prepares a tool for a database. The password goes through the environment, because other users of the
/// machine can read arguments.
fn tool(name: &str, url: &str) -> Result<Command> {
    let invalid =
        || Error::precondition("DATABASE_URL_INVALID", "The address of the database cannot be read");
    let (scheme, rest) = url.split_once("://").ok_or_else(invalid)?;
    let (credentials, place) = rest.split_once('@').unwrap_or(("", rest));
    let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
    let address =
        if user.is_empty() { format!("{scheme}://{place}") } else { format!("{scheme}://{user}@{place}") };
    let mut command = Command::new(name);
    command.arg("--dbname").arg(address).kill_on_drop(true);
    if !password.is_empty() {
        let password = decoded(password).ok_or_else(invalid)?;
        command.env("PGPASSWORD", password);
    }
    Ok(command)
}

/// Percent-decodes a part of an address.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut left = text.bytes();
    while let Some(byte) = left.next() {
        bytes.push(match byte {
            b'%' => {
                u8::from_str_radix(&String::from_utf8(vec![left.next()?, left.next()?]).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

async fn run(name: &str, mut command: Command) -> Result<()> {
    let output = command.output().await.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::precondition(
            "BACKUP_TOOL_MISSING",
            format!(
                "{name} is not installed. Install the client programs of Postgres, not older than the server \
                 (Debian, Ubuntu: apt-get install postgresql-client), then try again."
            ),
        ),
        _ => Error::internal(error),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said: String = String::from_utf8_lossy(&output.stderr).chars().take(SAID).collect();
    if name == "pg_restore" {
        return Err(damaged(format!("pg_restore failed, and the database is still empty: {said}")));
    }
    Err(Error::new(Kind::Internal, "BACKUP_FAILED", format!("{name} failed: {said}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_no_argument() {
        let command =
            tool("pg_dump", "postgres://waybill:p%40ss%2Fword@db:5432/auth?sslmode=require").unwrap();
        let command = command.as_std();
        let arguments: Vec<_> = command.get_args().map(|it| it.to_string_lossy().into_owned()).collect();
        assert_eq!(arguments, ["--dbname", "postgres://waybill@db:5432/auth?sslmode=require"]);
        let password = command.get_envs().find(|(key, _)| *key == "PGPASSWORD").unwrap().1.unwrap();
        assert_eq!(password, "p@ss/word");
    }
}
