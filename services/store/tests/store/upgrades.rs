//! Upgrades are atomic, run in one process at a time and can be undone. The previous release still works.

mod together;

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait, Statement};
use sea_orm_migration::prelude::*;
use store::migrate::{Migrations, compatible_from, require_current, up, up_together};
use store::testing::{Backend, TestDb, config, copies, kills, up_within};
use store::{Db, on_both};

/// A migration that creates two tables, named after the migration.
struct Makes(&'static str);

impl MigrationName for Makes {
    fn name(&self) -> &str {
        self.0
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Makes {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [self.0.to_owned(), format!("{}_more", self.0)] {
            let id = ColumnDef::new(Alias::new("id")).integer().not_null().primary_key().to_owned();
            manager.create_table(Table::create().table(Alias::new(table)).col(id).to_owned()).await?;
        }
        Ok(())
    }
}

/// Removes the table `first_more`, which only releases without the migration `second` use.
struct Contracts;

impl MigrationName for Contracts {
    fn name(&self) -> &str {
        "third_contracts"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Contracts {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Alias::new("first_more")).to_owned()).await?;
        compatible_from(manager, self.name(), Some("second")).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        compatible_from(manager, self.name(), None).await
    }
}

/// Defines a migrator with the named migrations.
macro_rules! release {
    ($name:ident: $($migration:expr),*) => {
        struct $name;
        impl MigratorTrait for $name {
            fn migrations() -> Vec<Box<dyn MigrationTrait>> {
                let mut all = store::migrate::migrations();
                $(all.push(Box::new($migration));)*
                all
            }
        }
    };
}

release!(First: Makes("first"));
release!(Second: Makes("first"), Makes("second"));
release!(Third: Makes("first"), Makes("second"), Contracts);
release!(Broken: Makes("first"), Makes("second"), Makes("second_more"));
release!(OtherBranch: Makes("first"), Makes("hotfix"));

async fn has(db: &Db, table: &str) -> bool {
    let ask = Statement::from_string(db.backend(), format!("SELECT count(*) FROM {table}"));
    db.read().query_one_raw(ask).await.is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_at_any_statement_leaves_a_database_that_starts_again() {
    kills::survives_a_kill_at_every_statement(Migrations::of::<Third>()).await;
}

on_both!(an_upgrade_that_fails_can_be_tried_again, First, |db: Db| async move {
    up::<Broken>(&db).await.unwrap_err();
    if !db.is_postgres() {
        assert!(!has(&db, "second").await, "half an upgrade was left behind");
        require_current::<First>(&db, "test").await.unwrap();
    }
    up::<Second>(&db).await.unwrap();
    assert!(has(&db, "second_more").await);
});

on_both!(a_release_runs_on_the_database_of_the_next_one, First, |db: Db| async move {
    up::<Second>(&db).await.unwrap();
    // The previous release starts on the new database when one of its pods restarts, or after a rollback.
    require_current::<First>(&db, "test").await.unwrap();
    up::<First>(&db).await.unwrap();
    assert!(has(&db, "second").await, "what is newer stays");
});

on_both!(a_release_that_misses_what_was_taken_away_is_refused, First, |db: Db| async move {
    up::<Third>(&db).await.unwrap();
    require_current::<Second>(&db, "test").await.unwrap();
    up::<Second>(&db).await.unwrap();
    for error in [
        require_current::<First>(&db, "test").await.unwrap_err(),
        up::<First>(&db).await.unwrap_err(),
        // A release with a migration that the database lacks, but not all that it has, is refused, too.
        up::<OtherBranch>(&db).await.unwrap_err(),
    ] {
        assert_eq!(error.reason, "DATABASE_TOO_NEW");
        assert!(error.message.contains("later release"), "{}", error.message);
    }
    assert!(!has(&db, "hotfix").await);
    // Once the migration that removes a table is reverted, a release without `second` may start again.
    store::testing::down_one::<Third>(&db).await;
    require_current::<First>(&db, "test").await.unwrap();
});

fn file(test: &TestDb) -> &Path {
    Path::new(test.url.strip_prefix("sqlite://").unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_leaves_a_copy_to_go_back_to() {
    let test = TestDb::open(Backend::Sqlite).await;
    up::<First>(&test.db).await.unwrap();
    assert!(copies(file(&test)).is_empty(), "a new database has nothing to go back to");
    let tx = test.db.begin().await.unwrap();
    tx.execute_unprepared("INSERT INTO first (id) VALUES (7)").await.unwrap();
    tx.commit().await.unwrap();
    for _ in 0..2 {
        up_together(&[(Migrations::of::<Third>(), &test.db)]).await.unwrap();
    }
    let copies = copies(file(&test));
    assert_eq!(copies.len(), 1, "a start that upgrades nothing copies nothing");
    // The way back, as documented: stop, restore the copy, start the previous release.
    test.db.close().await;
    for ending in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{ending}", file(&test).display()));
    }
    std::fs::copy(&copies[0], file(&test)).unwrap();
    let db = Db::connect(&test.url, &config()).await.unwrap();
    require_current::<First>(&db, "test").await.unwrap();
    assert!(!has(&db, "second").await && has(&db, "first_more").await);
    let ask = Statement::from_string(db.backend(), "SELECT id FROM first");
    let row = db.read().query_one_raw(ask).await.unwrap().unwrap();
    assert_eq!(row.try_get::<i32>("", "id").unwrap(), 7);
    // Then the later release upgrades again.
    up::<Third>(&db).await.unwrap();
    db.close().await;
    test.close().await;
}

/// Upgrades a database by four processes at once, by one way or the other.
async fn several_at_once(url: &str, together: bool) {
    let tasks = (0..4).map(|_| {
        let url = url.to_owned();
        tokio::spawn(async move {
            let db = Db::connect(&url, &config()).await.unwrap();
            let done = match together {
                true => up_together(&[(Migrations::of::<Third>(), &db)]).await,
                false => up::<Third>(&db).await,
            };
            done.unwrap();
            db.close().await;
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn processes_that_upgrade_a_file_at_once_wait_for_each_other() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..5 {
        let url = format!("sqlite://{}/{round}.db", dir.path().display());
        several_at_once(&url, round % 2 == 0).await;
    }
    let test = TestDb::open(Backend::Sqlite).await;
    up::<First>(&test.db).await.unwrap();
    several_at_once(&test.url, true).await;
    assert_eq!(copies(file(&test)).len(), 1, "one of them upgraded, the others found it done");
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_for_another_upgrade_on_postgres_does_not_wait_for_ever() {
    let test = TestDb::open(Backend::Postgres).await;
    let holder = sea_orm::Database::connect(&test.url).await.unwrap();
    let lock = i64::from_be_bytes(*b"\0waybill");
    holder.execute_unprepared(&format!("SELECT pg_advisory_lock({lock})")).await.unwrap();
    let error = up_within::<First>(&test.db, Duration::from_millis(300)).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::Unavailable, "UPGRADE_UNDER_WAY"));
    assert!(!has(&test.db, "first").await);
    let later = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        holder.close().await.unwrap();
    };
    let (done, ()) = tokio::join!(up_within::<First>(&test.db, Duration::from_secs(60)), later);
    done.unwrap();
    assert!(has(&test.db, "first").await);
    test.close().await;
}

/// Adds a column to the table `first`.
struct Alters;

impl MigrationName for Alters {
    fn name(&self) -> &str {
        "second_alters"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Alters {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = ColumnDef::new(Alias::new("more")).integer().to_owned();
        manager.alter_table(Table::alter().table(Alias::new("first")).add_column(column).to_owned()).await
    }
}

release!(Altering: Makes("first"), Alters);

/// Returns whether some session waits for a lock on the table `first`.
async fn is_waited_for(db: &Db) -> bool {
    let ask = "SELECT EXISTS (SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database \
               WHERE datname = current_database() AND relation = 'first'::regclass AND NOT granted) AS waits";
    let row = db.read().query_one_raw(Statement::from_string(db.backend(), ask)).await.unwrap().unwrap();
    row.try_get("", "waits").unwrap()
}

/// A backup reads every table until it ends. A migration that waits for it must not hold up everybody else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_that_waits_for_a_table_lets_others_use_it_on_postgres() {
    let test = TestDb::open(Backend::Postgres).await;
    up::<First>(&test.db).await.unwrap();
    let backup = test.db.begin().await.unwrap();
    backup.execute_unprepared("SELECT * FROM first").await.unwrap();
    let upgraded = test.db.clone();
    let upgrade =
        tokio::spawn(async move { up_within::<Altering>(&upgraded, Duration::from_secs(60)).await });
    while !is_waited_for(&test.db).await {
        assert!(!upgrade.is_finished(), "it did not wait");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let read = tokio::time::timeout(Duration::from_secs(20), has(&test.db, "first")).await;
    assert_eq!(read.ok(), Some(true), "readers wait as long as the upgrade does");
    backup.commit().await.unwrap();
    upgrade.await.unwrap().unwrap();
    require_current::<Altering>(&test.db, "test").await.unwrap();
    test.close().await;
}

/// The database URL for `LosesItsConnection`.
static URL: OnceLock<String> = OnceLock::new();
static WENT_ON: AtomicBool = AtomicBool::new(false);

/// A migration that loses its connection between two statements, outside of a transaction. This can happen to
/// a migration that builds indexes.
struct LosesItsConnection;

impl MigrationName for LosesItsConnection {
    fn name(&self) -> &str {
        "loses_its_connection"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for LosesItsConnection {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mine = manager.get_connection();
        let ask = Statement::from_string(sea_orm::DbBackend::Postgres, "SELECT pg_backend_pid() AS pid");
        let pid: i32 = mine.query_one_raw(ask).await?.unwrap().try_get("", "pid")?;
        let other = sea_orm::Database::connect(URL.get().unwrap()).await?;
        other.execute_unprepared(&format!("SELECT pg_terminate_backend({pid}, 5000)")).await?;
        mine.execute_unprepared("SELECT 1").await?;
        WENT_ON.store(true, Ordering::SeqCst);
        Ok(())
    }
}

release!(Losing: Makes("first"), LosesItsConnection);

/// The lock that keeps other processes away belongs to a connection. When that connection breaks, the upgrade
/// must end: on another connection it would continue without the lock.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_never_goes_on_without_its_lock() {
    let test = TestDb::open(Backend::Postgres).await;
    URL.set(test.url.clone()).unwrap();
    let begun = Instant::now();
    up::<Losing>(&test.db).await.unwrap_err();
    assert!(!WENT_ON.load(Ordering::SeqCst), "it went on by another connection");
    assert!(begun.elapsed() < Duration::from_secs(30));
    up::<First>(&test.db).await.unwrap();
    test.close().await;
}
