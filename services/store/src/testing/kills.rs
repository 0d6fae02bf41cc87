//! Simulates kills at every statement of an upgrade of SQLite, and in the middle of statements. A kill leaves
//! the files as they are at that moment, so the files are copied each time they have changed. For upgrades of
//! Postgres see `services/waybill/tests/kill/migrations.rs`.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use sea_orm::{ConnectionTrait, DbBackend, Statement};

use super::{FILE, config};
use crate::Db;
use crate::migrate::Migrations;

/// Suffixes of a database's files. `-shm` is missing here: SQLite recreates that file after a crash.
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

/// Returns the tables and the applied migrations, as text.
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

/// Steps of SQLite's virtual machine between two comparisons of the files; a statement that changes a schema
/// takes dozens.
const STEPS: i32 = 5;

#[derive(Default)]
struct Seen {
    statements: usize,
    moments: usize,
    states: HashSet<u64>,
    /// The copies, each in a different state.
    folders: Vec<PathBuf>,
}

impl Seen {
    /// Copies the files if they have changed.
    fn look(&mut self, files: &Path, into: &Path) {
        self.moments += 1;
        let mut hasher = DefaultHasher::new();
        for ending in ENDINGS {
            std::fs::read(file(files, ending)).unwrap_or_default().hash(&mut hasher);
        }
        if self.states.insert(hasher.finish()) {
            let at = into.join(self.moments.to_string());
            copy(files, &at);
            self.folders.push(at);
        }
    }
}

/// Upgrades the database in `start`, and copies its files after each statement and during statements.
async fn moments(of: Migrations, start: &Path, into: &Path) -> Seen {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut db = open(start).await;
    let (files, folder, noted) = (start.to_owned(), into.to_owned(), seen.clone());
    db.writer.set_metric_callback(move |_| {
        let mut seen = noted.lock().expect("a lock");
        seen.statements += 1;
        seen.look(&files, &folder);
    });
    // Look during statements, too. This also covers unprepared statements, which the callback above misses.
    let (files, folder, noted) = (start.to_owned(), into.to_owned(), seen.clone());
    let pool = db.writer.get_sqlite_connection_pool();
    let mut connection = pool.acquire().await.expect("a connection");
    connection.lock_handle().await.expect("a handle").set_progress_handler(STEPS, move || {
        noted.lock().expect("a lock").look(&files, &folder);
        true
    });
    drop(connection);
    of.up(&db).await.expect("migrations run");
    db.close().await;
    std::mem::take(&mut *seen.lock().expect("a lock"))
}

/// Simulates a kill at each statement of two upgrades: from an empty database, and from the first migration.
/// Fails unless the next start leads to the same tables as without a kill.
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
        let seen = moments(of, &start, &moments_dir).await;
        let migrations = of.count() - applied as usize;
        assert!(seen.statements > migrations, "{} statements were seen", seen.statements);
        assert!(seen.moments > 2 * seen.statements, "{} moments were seen", seen.moments);
        for folder in seen.folders {
            let at = folder.display();
            let db = open(&folder).await;
            of.up(&db).await.unwrap_or_else(|error| panic!("killed at {at}: {error:?}"));
            assert_eq!(schema(&db).await, expected, "killed at {at}");
            db.close().await;
        }
    }
}
