//! Looks at a database as an administrator would: version, and the settings that decide whether a commit
//! survives.

use std::collections::BTreeMap;
use std::path::Path;

use kit::findings::{Findings, Level};
use kit::{Error, Result};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::{Db, db};

/// The oldest Postgres that the tests run on.
const POSTGRES: i64 = 15;
/// A log that is larger than this was not brought into its database for long.
const LARGE_WAL: u64 = 256 << 20;
/// Clocks may differ by this much.
const SECONDS: i64 = 5;

/// What there is to say about the database of a service.
pub async fn inspect(db_: &Db, service: &str) -> Findings {
    let mut found = Findings::default();
    let looked = match db_.is_postgres() {
        true => postgres(db_, service, &mut found).await,
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
    let path = db_.url().trim_start_matches("sqlite://");
    let wal = std::fs::metadata(format!("{path}-wal")).map_or(0, |file| file.len());
    let text =
        format!("{what}: its log has {} MiB. Some reader is never done, or the disk is too slow.", wal >> 20);
    found.expect(wal < LARGE_WAL, Level::Look, format!("{what}: log of {} KiB", wal >> 10), text);
    if service == "auth" {
        let version = one(db_, "SELECT sqlite_version() AS version", "version").await?;
        found.good(format!("SQLite {version}, built in"));
        room(Path::new(path), found);
    }
    Ok(())
}

/// Space on the disk of a file, against the size of the files beside it.
fn room(file: &Path, found: &mut Findings) {
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let used: u64 = std::fs::read_dir(folder)
        .map(|entries| entries.filter_map(|it| it.ok()?.metadata().ok()).map(|it| it.len()).sum())
        .unwrap_or(0);
    let Ok(disk) = rustix::fs::statvfs(folder) else { return };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let text = format!("disk of {}: {} MiB free", folder.display(), free >> 20);
    let little =
        format!("{text}. The databases have {} MiB; an upgrade needs as much again and more.", used >> 20);
    found.expect(free > used.saturating_mul(2).max(1 << 30), Level::Look, text, little);
}

async fn postgres(db_: &Db, service: &str, found: &mut Findings) -> Result<()> {
    let what = format!("database of {service}");
    let sql = "SELECT name, setting FROM pg_settings WHERE name IN ('server_version', 'server_version_num', 'fsync', \
               'full_page_writes', 'synchronous_commit', 'data_checksums', 'archive_mode', 'max_connections')";
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
    for (name, risk) in [
        ("fsync", "a crash of the machine can destroy the database"),
        ("full_page_writes", "a crash of the machine can destroy pages"),
    ] {
        found.expect(
            of(name) == "on",
            Level::Wrong,
            format!("{what}: {name} on"),
            format!("{what}: {name} is {}: {risk}", of(name)),
        );
    }
    let commit = of("synchronous_commit");
    let text =
        format!("{what}: synchronous_commit is {commit}: what was answered as saved can be lost in a crash");
    found.expect(
        !["off", ""].contains(&commit),
        Level::Wrong,
        format!("{what}: synchronous_commit {commit}"),
        text,
    );
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
    let text = format!("{what}: its clock and the one here differ by {apart} s. Set both by NTP.");
    found.expect(apart <= SECONDS, Level::Wrong, format!("{what}: clock within {SECONDS} s"), text);
    Ok(())
}
