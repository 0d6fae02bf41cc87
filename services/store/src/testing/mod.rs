//! A database per test: a SQLite file in a temporary folder, or a fresh Postgres database.

#![allow(clippy::expect_used)] // a test fails by panicking

pub mod copies;
pub mod kills;
pub mod template;

use kit::config::Database as DatabaseConfig;
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{AuditRecorded, Envelope};
use sea_orm::{ConnectionTrait, Database, EntityTrait, QueryOrder, Statement};

use crate::Db;
use crate::outbox::outbox_event::{Column, Entity};

/// The database that a test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// Keeps the database of a test alive; [`TestDb::close`] removes it.
pub struct TestDb {
    pub db: Db,
    pub url: String,
    /// The name of the Postgres database that `close` removes.
    cleanup: Option<String>,
    _dir: tempfile::TempDir,
}

/// Returns the address of the Postgres server for tests.
pub fn postgres_url() -> String {
    std::env::var("WAYBILL_TEST_POSTGRES_URL")
        .unwrap_or_else(|_| "postgres://postgres@127.0.0.1:5432/postgres".into())
}

pub fn config() -> DatabaseConfig {
    DatabaseConfig {
        url: "auto".to_owned().into(),
        url_file: String::new(),
        max_connections: 5,
        statement_timeout_seconds: 30,
        // Postgres for tests need not wait for the disk.
        require_durable: false,
    }
}

/// Returns a database name that no other test has.
fn new_name() -> String {
    format!("waybill_test_{}", kit::clock::new_id().simple())
}

/// Returns the address of a database on the tests' server.
pub fn database_at(name: &str) -> String {
    let admin = postgres_url();
    let at = admin.rfind('/').expect("an address names a database");
    format!("{}/{name}", &admin[..at])
}

/// Creates an empty Postgres database; returns its address and its name.
pub async fn create_postgres() -> (String, String) {
    let name = new_name();
    let connection = Database::connect(postgres_url()).await.expect("Postgres for tests answers");
    connection
        .execute_unprepared(&format!("CREATE DATABASE {name}"))
        .await
        .expect("a test may create databases");
    connection.close().await.expect("closes");
    (database_at(&name), name)
}

/// Removes a database that `create_postgres` made.
pub async fn drop_postgres(name: &str) {
    if let Ok(connection) = Database::connect(postgres_url()).await {
        let _ = connection.execute_unprepared(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        let _ = connection.close().await;
    }
}

const FILE: &str = "test.db";

fn sqlite_in(dir: &tempfile::TempDir) -> String {
    format!("sqlite://{}", dir.path().join(FILE).display())
}

async fn migrate<M: sea_orm_migration::MigratorTrait>(url: String) {
    let db = Db::connect(&url, &config()).await.expect("a test database opens");
    crate::migrate::up::<M>(&db).await.expect("migrations run");
    db.close().await;
}

/// Upgrades a database; waits for another process's upgrade for `patience` at most.
pub async fn up_within<M: sea_orm_migration::MigratorTrait>(
    db: &Db,
    patience: std::time::Duration,
) -> kit::Result<()> {
    crate::upgrade::up_within::<M>(db, patience).await
}

/// Upgrades databases as if their disk had so many free bytes.
pub async fn up_together_with(databases: &[(crate::migrate::Migrations, &Db)], free: u64) -> kit::Result<()> {
    crate::upgrade::up_together_with(databases, |_| Ok(free)).await
}

/// Returns the copies of a SQLite file that upgrades left, oldest first.
pub fn copies(file: &std::path::Path) -> Vec<std::path::PathBuf> {
    crate::upgrade::copy::copies(file).expect("a folder is listed")
}

/// Reverts the newest migration.
pub async fn down_one<M: sea_orm_migration::MigratorTrait>(db: &Db) {
    M::down(&db.writer, Some(1)).await.expect("a migration goes down");
}

impl TestDb {
    /// Creates an empty database, for tests of migrations.
    pub async fn open(backend: Backend) -> Self {
        kit::install_crypto();
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (url, cleanup) = match backend {
            Backend::Sqlite => (sqlite_in(&dir), None),
            Backend::Postgres => {
                let (url, name) = create_postgres().await;
                (url, Some(name))
            }
        };
        Self::at(url, cleanup, dir).await
    }

    /// Creates a database with a service's tables.
    pub async fn migrated<M: sea_orm_migration::MigratorTrait>(backend: Backend) -> Self {
        kit::install_crypto();
        let dir = tempfile::tempdir().expect("a temporary folder");
        let service = std::any::type_name::<M>();
        let (url, cleanup) = match backend {
            Backend::Sqlite => {
                template::sqlite(service, &dir.path().join(FILE), migrate::<M>).await;
                (sqlite_in(&dir), None)
            }
            Backend::Postgres => {
                let (url, name) = template::postgres(service, migrate::<M>).await;
                (url, Some(name))
            }
        };
        Self::at(url, cleanup, dir).await
    }

    async fn at(url: String, cleanup: Option<String>, dir: tempfile::TempDir) -> Self {
        let db = Db::connect(&url, &config()).await.expect("a test database opens");
        Self { db, url, cleanup, _dir: dir }
    }

    /// Closes and removes the database.
    pub async fn close(mut self) {
        self.db.close().await;
        if let Some(name) = self.cleanup.take() {
            drop_postgres(&name).await;
        }
    }
}

/// Returns the events of an outbox in order, published or not, without those for the audit log.
pub async fn events(db: &Db) -> Vec<Envelope> {
    let all = all_events(db).await;
    all.into_iter().filter(|it| !matches!(it.payload, Some(Payload::AuditRecorded(_)))).collect()
}

/// Returns the events for the audit log, in order.
pub async fn acts(db: &Db) -> Vec<(Envelope, AuditRecorded)> {
    let acts = all_events(db).await.into_iter().filter_map(|mut it| match it.payload.take() {
        Some(Payload::AuditRecorded(act)) => Some((it, act)),
        _ => None,
    });
    acts.collect()
}

async fn all_events(db: &Db) -> Vec<Envelope> {
    let rows = Entity::find().order_by_asc(Column::Id).all(db.read()).await.expect("an outbox");
    let events = rows.iter().map(|row| Envelope::decode(row.envelope.as_slice()).expect("an envelope"));
    events.collect()
}

/// Returns the steps by which SQLite would run a statement, one a line.
pub async fn sqlite_plan(on: &impl ConnectionTrait, statement: Statement) -> String {
    let explain = Statement { sql: format!("EXPLAIN QUERY PLAN {}", statement.sql), ..statement };
    let steps = on.query_all_raw(explain).await.expect("SQLite plans a statement");
    let steps = steps.iter().map(|it| it.try_get::<String>("", "detail").expect("a step"));
    steps.collect::<Vec<_>>().join("\n")
}

/// Writes one test as two, `<name>::sqlite` and `<name>::postgres`.
///
/// Shape: `store::on_both!(name, Migrator, |db| async move { ... });` with `db: store::Db`.
#[macro_export]
macro_rules! on_both {
    ($name:ident, $migrator:ty, $body:expr) => {
        mod $name {
            use super::*;

            async fn on(backend: $crate::testing::Backend) {
                let test = $crate::testing::TestDb::migrated::<$migrator>(backend).await;
                let body = $body;
                body(test.db.clone()).await;
                test.close().await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                on($crate::testing::Backend::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                on($crate::testing::Backend::Postgres).await;
            }
        }
    };
}
