//! Copies of the databases of all services as they were at one moment, made while they are written, and putting
//! them back.
//!
//! One moment, because services pass events to each other: were the copies of two databases taken one after the
//! other, one could hold the effect of a change that the other does not have. So writers of all databases are
//! held for as long as it takes every copy to fix what it sees, which is milliseconds; then the copies are
//! written while everybody goes on. Files are in the program's hands. Reasons are in docs/adr/0069.

mod postgres;
mod sqlite;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use kit::config::Database as DatabaseConfig;
use kit::{Error, Result};
use ring::digest::{Context, SHA256};
use sea_orm::sea_query::{Alias, Asterisk, Func, Query};
use sea_orm::{ConnectionTrait, Statement};

use crate::{Db, db};

/// Rows of each table.
pub type Rows = BTreeMap<String, u64>;

/// A copy of one database.
#[derive(Debug, Clone)]
pub struct Copied {
    pub service: String,
    /// In the folder of the copies.
    pub file: PathBuf,
    pub rows: Rows,
}

/// Copies the databases of these services into a folder, all as they were at one moment. They have to be opened for
/// this: the connections of those whose writers are held may all be taken by what waits.
///
/// # Errors
///
/// `DATABASE_BUSY` when writers could not be held for want of time, `BACKUP_TOOL_MISSING` when Postgres' own tools are
/// not installed. What was written into the folder is no copy then.
pub async fn copy(databases: &[(&str, Db)], folder: &Path) -> Result<Vec<Copied>> {
    match databases.first() {
        Some((_, first)) if first.is_postgres() => postgres::copy(databases, folder).await,
        Some(_) => sqlite::copy(databases, folder).await,
        None => Ok(Vec::new()),
    }
}

/// Makes the database of a service from its copy.
///
/// # Errors
///
/// `DATABASE_NOT_EMPTY` when there is one already, `BACKUP_DAMAGED` when what was put back is not what was copied.
pub async fn restore(copied: &Copied, folder: &Path, url: &str, config: &DatabaseConfig) -> Result<()> {
    let file = folder.join(&copied.file);
    let found = match url.strip_prefix("sqlite://") {
        Some(path) => sqlite::restore(&file, Path::new(path)).await?,
        None => postgres::restore(&file, url, config).await?,
    };
    if found != copied.rows {
        let text = format!("What was restored of {} is not what was copied", copied.service);
        return Err(damaged(text).with_source(format!("{found:?} is not {:?}", copied.rows)));
    }
    Ok(())
}

/// Size and SHA-256 of a file, as hex.
pub fn digest(file: &Path) -> std::io::Result<(u64, String)> {
    let mut file = std::fs::File::open(file)?;
    let mut context = Context::new(&SHA256);
    let (mut size, mut buffer) = (0, vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            let hex = context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
            return Ok((size, hex));
        }
        size += read as u64;
        context.update(&buffer[..read]);
    }
}

/// How many rows each of the tables has that `listed` names.
async fn count<C: ConnectionTrait>(connection: &C, listed: &str) -> Result<Rows> {
    let backend = connection.get_database_backend();
    let tables = connection.query_all_raw(Statement::from_string(backend, listed)).await.map_err(db)?;
    let mut rows = Rows::new();
    for table in tables {
        let table: String = table.try_get("", "name").map_err(db)?;
        let total = Query::select()
            .expr_as(Func::count(sea_orm::sea_query::Expr::col(Asterisk)), Alias::new("total"))
            .from(Alias::new(table.as_str()))
            .to_owned();
        let found = connection.query_one_raw(backend.build(&total)).await.map_err(db)?;
        let found = found.ok_or_else(|| Error::internal("a table could not be counted"))?;
        rows.insert(table, found.try_get::<i64>("", "total").map_err(db)?.unsigned_abs());
    }
    Ok(rows)
}

fn damaged(text: impl Into<String>) -> Error {
    Error::precondition("BACKUP_DAMAGED", text)
}

fn not_empty(what: &str) -> Error {
    Error::precondition(
        "DATABASE_NOT_EMPTY",
        format!("{what} is not empty. A backup is restored into an empty place; nothing was changed."),
    )
}
