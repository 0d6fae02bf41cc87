//! Inspects a database as an administrator would: its version, and the settings that decide whether commits
//! are durable.

use std::collections::BTreeMap;
use std::path::Path;

use kit::findings::{Findings, Level};
use kit::{Error, Result};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::connect::durable::DURABILITY;
use crate::connect::files;
use crate::{Db, db};

/// The oldest Postgres that tests run on.
const POSTGRES: i64 = 15;
/// Size above which a write-ahead log has evidently not been checkpointed for a long time.
const LARGE_WAL: u64 = 256 << 20;
/// Tolerated difference between this machine's clock and the database's.
const SECONDS: i64 = 5;

/// Returns the findings about a service's database. `connections` is the total number of connections that one
/// process of each service opens.
pub async fn inspect(db_: &Db, service: &str, connections: u32) -> Findings {
    let mut found = Findings::default();
    let looked = match db_.is_postgres() {
        true => postgres(db_, service, connections, &mut found).await,
        false => sqlite(db_, service, &mut found).await,
    };
    if let Err(error) = looked {
        found.wrong(format!("database of {service}: {error:#}"));
    }
    found
}

async fn one(db_: &Db, sql: &str, column: &str) -> Result<String> {
    let row = db_.writer.query_one_raw(Statement::from_string(db_.backend(), sql)).await.map_err(db)?;
    let row = row.ok_or_else(|| Error::internal("there is no answer"))?;
    match row.try_get::<String>("", column) {
        Ok(text) => Ok(text),
        Err(_) => Ok(row.try_get::<i64>("", column).map_err(db)?.to_string()),
    }
}

async fn sqlite(db_: &Db, service: &str, found: &mut Findings) -> Result<()> {
    let what = format!("database of {service}");
    let check = one(db_, "PRAGMA quick_check(1)", "quick_check").await?;
    found.expect(
        check == "ok",
        Level::Wrong,
        format!("{what}: whole"),
        format!("{what}: damaged: {check}. Restore a backup (docs/backup.md)."),
    );
    let journal = one(db_, "PRAGMA journal_mode", "journal_mode").await?;
    let text =
        format!("{what}: journal_mode is {journal} and should be wal: the file system may not allow it");
    found.expect(journal == "wal", Level::Wrong, format!("{what}: journal_mode wal"), text);
    let synchronous = one(db_, "PRAGMA synchronous", "synchronous").await?;
    let text =
        format!("{what}: synchronous is {synchronous} and should be 2: a commit may not survive power loss");
    found.expect(synchronous == "2", Level::Wrong, format!("{what}: synchronous full"), text);
    let Some(file) = db_.file() else { return Ok(()) };
    let [_, wal, _] = files(file);
    let wal = std::fs::metadata(wal).map_or(0, |file| file.len());
    let text =
        format!("{what}: its log has {} MiB. A reader never finishes, or the disk is too slow.", wal >> 20);
    found.expect(wal < LARGE_WAL, Level::Look, format!("{what}: log of {} KiB", wal >> 10), text);
    if service == "auth" {
        let version = one(db_, "SELECT sqlite_version() AS version", "version").await?;
        found.good(format!("SQLite {version}, built in"));
        room(file, found);
    }
    Ok(())
}

/// Compares the free disk space with the size of the database files.
fn room(file: &Path, found: &mut Findings) {
    let folder = kit::folder::of(file);
    let used: u64 = std::fs::read_dir(folder)
        .map(|entries| entries.filter_map(|it| it.ok()?.metadata().ok()).map(|it| it.len()).sum())
        .unwrap_or(0);
    let Ok(free) = kit::disk::free(folder) else { return };
    let text = format!("disk of {}: {} MiB free", folder.display(), free >> 20);
    let little =
        format!("{text}. The databases have {} MiB; an upgrade needs as much again and more.", used >> 20);
    found.expect(free > used.saturating_mul(2).max(1 << 30), Level::Look, text, little);
}

async fn postgres(db_: &Db, service: &str, connections: u32, found: &mut Findings) -> Result<()> {
    let what = format!("database of {service}");
    let sql = "SELECT name, setting FROM pg_settings WHERE name IN ('server_version', 'server_version_num', 'fsync', \
               'full_page_writes', 'synchronous_commit', 'data_checksums', 'archive_mode', 'max_connections', \
               'server_encoding')";
    let rows =
        db_.read().query_all_raw(Statement::from_string(DbBackend::Postgres, sql)).await.map_err(db)?;
    let mut settings = BTreeMap::new();
    for row in rows {
        let name: String = row.try_get("", "name").map_err(db)?;
        settings.insert(name, row.try_get::<String>("", "setting").map_err(db)?);
    }
    let of = |name: &str| settings.get(name).map_or("", String::as_str);
    let major = of("server_version_num").parse::<i64>().unwrap_or(0) / 10_000;
    let version = format!("{what}: Postgres {}", of("server_version"));
    found.expect(
        major >= POSTGRES,
        Level::Look,
        version.clone(),
        format!("{version}; nothing older than {POSTGRES} was tried"),
    );
    for (name, risk) in DURABILITY {
        found.expect(
            !["off", ""].contains(&of(name)),
            Level::Wrong,
            format!("{what}: {name} {}", of(name)),
            format!("{what}: {name} is {}: {risk}", of(name)),
        );
    }
    let encoding = of("server_encoding");
    let text = format!(
        "{what}: its encoding is {encoding}, which lacks letters. Make it anew with ENCODING 'UTF8'."
    );
    found.expect(encoding == "UTF8", Level::Wrong, format!("{what}: encoding UTF8"), text);
    let allowed = of("max_connections").parse::<u32>().unwrap_or(0);
    let text = format!(
        "{what}: max_connections is {allowed}. One process of each service opens {connections}, more replicas open more, and \
         a roll-out as many again. Raise it, or lower database.max_connections."
    );
    let good = format!("{what}: max_connections {allowed}");
    found.expect(allowed > connections, Level::Look, good, text);
    encrypted(db_, &what, found).await?;
    let text = format!("{what}: data_checksums are off: a damaged page is not noticed");
    found.expect(of("data_checksums") == "on", Level::Look, format!("{what}: data_checksums on"), text);
    let text = format!("{what}: archive_mode is off: a restore goes back to the last backup");
    found.expect(
        of("archive_mode") != "off",
        Level::Look,
        format!("{what}: archive_mode {}", of("archive_mode")),
        text,
    );
    let apart = (db_.now().await? - kit::clock::Clock::system().now()).num_seconds().abs();
    let text = format!("{what}: its clock and the one here differ by {apart} s. Synchronize both with NTP.");
    found.expect(apart <= SECONDS, Level::Wrong, format!("{what}: clock within {SECONDS} s"), text);
    Ok(())
}

/// Checks whether the connection crosses a network unencrypted.
async fn encrypted(db_: &Db, what: &str, found: &mut Findings) -> Result<()> {
    let sql = "SELECT CASE WHEN ssl THEN 'TLS' WHEN inet_server_addr() IS NULL OR inet_server_addr() = inet_client_addr() \
               THEN 'on this machine' ELSE 'open' END AS connection FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let connection = one(db_, sql, "connection").await?;
    let text = format!(
        "{what}: on another machine, without TLS. Add ?sslmode=verify-full to its address, unless its network is encrypted."
    );
    found.expect(connection != "open", Level::Look, format!("{what}: connection: {connection}"), text);
    Ok(())
}
