//! Kills at every statement of an upgrade of SQLite, without killing anything: what a kill leaves behind is
//! what the files hold at that moment, so they are copied at every moment.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use sea_orm::{ConnectionTrait, DbBackend, Statement};

use super::{FILE, config};
use crate::Db;
use crate::migrate::Migrations;

/// The files of a database. The index of the log is made anew after a crash.
const ENDINGS: [&str; 2] = ["", "-wal"];

fn url(folder: &Path) -> String {
    format!("sqlite://{}", folder.join(FILE).display())
}

async fn open(folder: &Path) -> Db {
    Db::connect(&url(folder), &config()).await.expect("a database opens")
}

fn file(folder: &Path, ending: &str) -> PathBuf {
    folder.join(format!("{FILE}{ending}"))
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for ending in ENDINGS {
        if file(from, ending).exists() {
            std::fs::copy(file(from, ending), file(to, ending)).expect("a file is copied");
        }
    }
}

/// The tables and the names of the migrations, as text.
pub async fn schema(db: &Db) -> Vec<String> {
    let mut all = Vec::new();
    for sql in [
        "SELECT type || ' ' || name || ' ' || COALESCE(sql, '') AS line FROM sqlite_master \
         WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 1",
        "SELECT version AS line FROM seaql_migrations ORDER BY 1",
    ] {
        let rows = db.read().query_all_raw(Statement::from_string(DbBackend::Sqlite, sql)).await;
        all.extend(
            rows.expect("a schema").iter().map(|row| row.try_get::<String>("", "line").expect("text")),
        );
    }
    all
}

/// Upgrades the database in `start`, and copies its files after each statement. Returns how many
/// statements there were, and the folders of states that differ from each other.
async fn moments(of: Migrations, start: &Path, into: &Path) -> (usize, Vec<PathBuf>) {
    #[derive(Default)]
    struct Seen {
        statements: usize,
        states: HashSet<Vec<u8>>,
        folders: Vec<PathBuf>,
    }
    let seen = Arc::new(Mutex::new(Seen::default()));
    let (files, folder, noted) = (start.to_owned(), into.to_owned(), seen.clone());
    let mut db = open(start).await;
    db.writer.set_metric_callback(move |_| {
        let mut seen = noted.lock().expect("a lock");
        seen.statements += 1;
        let state = ENDINGS.map(|ending| std::fs::read(file(&files, ending)).unwrap_or_default()).concat();
        if seen.states.insert(state) {
            let at = folder.join(seen.statements.to_string());
            copy(&files, &at);
            seen.folders.push(at);
        }
    });
    of.up(&db).await.expect("migrations run");
    db.close().await;
    let seen = std::mem::take(&mut *seen.lock().expect("a lock"));
    (seen.statements, seen.folders)
}

/// Fails unless a process that is killed at any statement of its first start, or of an upgrade from the
/// first migration on, starts again afterwards and has the same tables as one that was left alone.
pub async fn survives_a_kill_at_every_statement(of: Migrations) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let clean = dir.path().join("clean");
    std::fs::create_dir_all(&clean).expect("a folder");
    let db = open(&clean).await;
    of.up(&db).await.expect("migrations run");
    let expected = schema(&db).await;
    db.close().await;
    for applied in [0, 1] {
        let start = dir.path().join(format!("from {applied}"));
        std::fs::create_dir_all(&start).expect("a folder");
        let db = open(&start).await;
        if applied > 0 {
            of.first(&db, applied).await.expect("the first migration runs");
        }
        db.close().await;
        let moments_dir = dir.path().join(format!("moments from {applied}"));
        let (statements, folders) = moments(of, &start, &moments_dir).await;
        let migrations = of.count() - applied as usize;
        assert!(statements > migrations && !folders.is_empty(), "{statements} statements were seen");
        for folder in folders {
            let at = folder.display();
            let db = open(&folder).await;
            of.up(&db).await.unwrap_or_else(|error| panic!("killed at {at}: {error:?}"));
            assert_eq!(schema(&db).await, expected, "killed at {at}");
            db.close().await;
        }
    }
}
