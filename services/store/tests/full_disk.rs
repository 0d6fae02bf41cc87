//! Writes that fail because a file cannot grow. The limit applies to the whole process, so this test program
//! has a single test.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

use kit::Kind;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use store::Db;
use store::testing::{Backend, TestDb, config};
use tokio::signal::unix::{SignalKind, signal};

/// The signal for exceeding the file size limit. By default it ends the process.
const SIGXFSZ: i32 = 25;

async fn write(db: &Db, name: &str) -> kit::Result<()> {
    let tx = db.begin().await?;
    insert(&*tx, name).await?;
    tx.commit().await
}

async fn insert(connection: &impl ConnectionTrait, name: &str) -> kit::Result<()> {
    let sql = "INSERT INTO note (name, body) VALUES (?, zeroblob(50000))";
    let insert = Statement::from_sql_and_values(DbBackend::Sqlite, sql, [name.into()]);
    connection.execute_raw(insert).await.map(|_| ()).map_err(store::db)
}

/// Returns what another process sees: only durable data.
async fn durable(url: &str) -> Vec<String> {
    let db = Db::connect(url, &config()).await.unwrap();
    let ask = Statement::from_string(DbBackend::Sqlite, "SELECT name FROM note ORDER BY name");
    let rows = db.read().query_all_raw(ask).await.unwrap();
    db.close().await;
    rows.iter().map(|row| row.try_get("", "name").unwrap()).collect()
}

fn may_grow_to(bytes: Option<u64>) {
    let maximum = getrlimit(Resource::Fsize).maximum;
    setrlimit(Resource::Fsize, Rlimit { current: bytes.or(maximum), maximum }).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_answered_as_saved_after_a_failed_commit_is_durable() {
    let _survives = signal(SignalKind::from_raw(SIGXFSZ)).unwrap();
    let test = TestDb::open(Backend::Sqlite).await;
    let tx = test.db.begin().await.unwrap();
    tx.execute_unprepared("CREATE TABLE note (name TEXT PRIMARY KEY, body BLOB)").await.unwrap();
    tx.commit().await.unwrap();
    write(&test.db, "before").await.unwrap();

    let log = format!("{}-wal", test.url.strip_prefix("sqlite://").unwrap());
    may_grow_to(Some(std::fs::metadata(&log).unwrap().len()));
    let error = write(&test.db, "no room").await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::StorageFull, "STORAGE_FULL"), "{error:?}");
    may_grow_to(None);

    // If the refused write had left its transaction open, this write would join it.
    write(&test.db, "room again").await.unwrap();
    write(&test.db, "before").await.unwrap_err();
    let later: Vec<String> = (0..10).map(|number| format!("later {number}")).collect();
    for name in &later {
        write(&test.db, name).await.unwrap();
    }
    let mut expected = vec!["before".to_owned()];
    expected.extend(later.clone());
    expected.push("room again".to_owned());
    assert_eq!(durable(&test.url).await, expected);

    // A database at its size limit reports that, and works again once it may grow.
    let pages = "PRAGMA max_page_count = 1";
    let tx = test.db.begin().await.unwrap();
    tx.execute_unprepared(pages).await.unwrap();
    let error = insert(&*tx, "too much").await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::StorageFull, "STORAGE_FULL"));
    tx.execute_unprepared("PRAGMA max_page_count = 1000000").await.unwrap();
    drop(tx);
    write(&test.db, "space").await.unwrap();
    assert!(durable(&test.url).await.contains(&"space".to_owned()));
    test.close().await;
}
