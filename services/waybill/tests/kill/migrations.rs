//! Kills `waybill migrate` on Postgres after each statement, and ends its connection during each concurrent
//! index build. The next upgrade leads to the same tables and rows. For upgrades of SQLite see
//! `store::testing::kills`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, Statement};
use store::Db;
use store::testing::{config, database_at, drop_postgres, postgres_url};
use tokio::process::{Child, Command};
use waybill::target::{Row, SERVICES};

use crate::number;
use crate::points::seed;
use crate::running::program;
use crate::wire::{Step, What, Wire};

/// Describes a schema: every table with its columns, indexes, constraints, triggers and functions, and the
/// migrations that were applied.
const SCHEMA: &str = "\
    SELECT concat_ws(' ', 'column', table_name, column_name, data_type, collation_name, is_nullable, column_default) \
      FROM information_schema.columns WHERE table_schema = 'public' \
    UNION ALL SELECT concat_ws(' ', 'index', pg_get_indexdef(indexrelid), indisvalid, indisready) \
      FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = 'public'::regnamespace \
    UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated) \
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace \
    UNION ALL SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(oid), tgenabled) FROM pg_trigger WHERE NOT tgisinternal \
    UNION ALL SELECT concat_ws(' ', 'function', p.oid::regprocedure, prosrc) FROM pg_proc p \
      WHERE pronamespace = 'public'::regnamespace \
      AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = p.oid AND deptype = 'e') \
    UNION ALL SELECT concat_ws(' ', 'extension', extname) FROM pg_extension \
    UNION ALL SELECT concat_ws(' ', 'migration', version) FROM seaql_migrations ORDER BY 1";

async fn lines(db: &DatabaseConnection, sql: &str) -> Vec<String> {
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await;
    let rows = rows.unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.iter().map(|row| row.try_get_by_index::<String>(0).unwrap()).collect()
}

/// Returns the tables of the service, without the tables of the upgrade itself.
async fn tables(db: &DatabaseConnection) -> Vec<String> {
    let sql = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' \
               AND table_type = 'BASE TABLE' AND table_name <> 'seaql_migrations' ORDER BY 1";
    lines(db, sql).await
}

/// A row as JSON, without the ids, times and salts that the upgrade made up, which differ each time. Those that
/// [`fill_table`] inserted stay: the ids begin with zeros, the times have no fraction of a second, and the salts
/// are shorter.
const WITHOUT_MADE: &str = r#"regexp_replace(regexp_replace(regexp_replace(to_jsonb(t)::text,
    '"01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"', '"id"', 'g'),
    '"\d{4}-\d\d-\d\dT[\d:]+\.\d+\+00:00"', '"time"', 'g'),
    '"\\\\x[0-9a-f]{64}"', '"salt"', 'g')"#;

/// Returns the schema and the rows of a database.
async fn state(name: &str) -> Vec<String> {
    let db = Database::connect(database_at(name)).await.unwrap();
    let mut all = lines(&db, SCHEMA).await;
    for table in tables(&db).await {
        let rows = lines(&db, &format!("SELECT {WITHOUT_MADE} FROM \"{table}\" t ORDER BY 1")).await;
        all.extend(rows.into_iter().map(|row| format!("{table}: {row}")));
    }
    db.close().await.unwrap();
    all
}

/// A name in two spellings, which some migrations treat as equal, and another name.
const NAMES: [&str; 3] = ["jos\u{e9}", "jose\u{301}", "ana"];

/// Inserts rows into every table. The values of a row are the same in all tables, so that references match.
async fn fill(db: &DatabaseConnection) {
    let mut left = tables(db).await;
    left.retain(|table| table != "schema_compatibility");
    // A table is filled after the tables that it refers to.
    let mut refused = Vec::new();
    for _ in 0..4 {
        for table in std::mem::take(&mut left) {
            if let Err(error) = fill_table(db, &table).await {
                refused.push(format!("{table}: {error}"));
                left.push(table);
            }
        }
    }
    assert!(left.is_empty(), "no rows in {left:?}: {refused:#?}");
}

async fn fill_table(db: &DatabaseConnection, table: &str) -> Result<(), sea_orm::DbErr> {
    let columns = lines(
        db,
        &format!(
            "SELECT column_name || ' ' || udt_name FROM information_schema.columns \
             WHERE table_schema = 'public' AND table_name = '{table}' ORDER BY ordinal_position"
        ),
    )
    .await;
    for (number, name) in NAMES.iter().enumerate() {
        let value = |column: &String| match column.split_once(' ').unwrap().1 {
            "text" | "varchar" | "bpchar" => format!("'{name}'"),
            "bool" => "false".to_owned(),
            "uuid" => format!("'00000000-0000-7000-8000-00000000000{number}'"),
            "timestamptz" | "timestamp" | "date" => format!("'2026-11-0{} 08:00:00'", number + 1),
            "bytea" => format!("'\\x0{number}'"),
            "json" | "jsonb" => "'{}'".to_owned(),
            _ => number.to_string(),
        };
        let names: Vec<String> =
            columns.iter().map(|it| format!("\"{}\"", it.split_once(' ').unwrap().0)).collect();
        let values: Vec<String> = columns.iter().map(value).collect();
        let (names, values) = (names.join(", "), values.join(", "));
        let insert = format!("INSERT INTO \"{table}\" ({names}) VALUES ({values}) ON CONFLICT DO NOTHING");
        db.execute_unprepared(&insert).await?;
    }
    Ok(())
}

/// The databases of one test, which are all removed at the end.
struct Databases {
    admin: DatabaseConnection,
    prefix: String,
    made: Vec<String>,
}

impl Databases {
    async fn new() -> Self {
        kit::install_crypto();
        let admin = Database::connect(postgres_url()).await.unwrap();
        Self { admin, prefix: format!("m{}", kit::clock::new_id().simple()), made: Vec::new() }
    }

    async fn copy(&mut self, template: &str) -> String {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("{}_{}", self.prefix, NUMBER.fetch_add(1, Ordering::Relaxed));
        let create = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY wal_log");
        self.admin.execute_unprepared(&create).await.unwrap();
        self.made.push(name.clone());
        name
    }

    /// Creates a database with rows as an earlier release left it, or an empty database for zero migrations.
    async fn old(&mut self, row: &Row, migrations: u32) -> String {
        let name = self.copy("template0").await;
        if migrations > 0 {
            let db = connect(&name).await;
            row.migrations.first(&db, migrations).await.unwrap();
            db.close().await;
            let db = Database::connect(database_at(&name)).await.unwrap();
            fill(&db).await;
            db.close().await.unwrap();
        }
        name
    }

    async fn drop(&mut self, name: &str) {
        drop_postgres(name).await;
        self.made.retain(|made| made != name);
    }

    async fn end(self) {
        self.admin.close().await.unwrap();
        for name in self.made {
            drop_postgres(&name).await;
        }
    }
}

async fn connect(name: &str) -> Db {
    Db::connect(&database_at(name), &config()).await.unwrap()
}

async fn up(row: &Row, name: &str) {
    let db = connect(name).await;
    row.migrations.up(&db).await.unwrap();
    db.close().await;
}

/// The beginning of a statement that builds an index while others write.
const BUILD: &str = "CREATE INDEX CONCURRENTLY";

const OTHERS: [(&str, &str); 8] = [
    ("AUTH__SERVICE_SECRET", "a-secret-of-this-test-and-of-no-other"),
    ("BUS__URL", "nats://127.0.0.1:1"),
    ("CACHE__URL", "redis://127.0.0.1:1"),
    ("BLOB__KIND", "s3"),
    ("BLOB__ENDPOINT", "http://127.0.0.1:1"),
    ("BLOB__BUCKET", "none"),
    ("BLOB__ACCESS_KEY", "none"),
    ("BLOB__SECRET_KEY", "none"),
];

/// `waybill migrate` of a service through a [`Wire`].
struct Upgrade {
    wire: Wire,
    child: Child,
    /// The statements so far that build an index while others write.
    builds: Vec<String>,
    _data: tempfile::TempDir,
}

impl Upgrade {
    async fn start(row: &Row, name: &str) -> Self {
        let (wire, data) = (Wire::to(name).await, tempfile::tempdir().unwrap());
        let mut command = Command::from(program(&["migrate", "--target", row.name]));
        command.env("WAYBILL__DATABASE__URL", &wire.url).env("WAYBILL__DATA", data.path());
        // A service alone requires all of these settings, but a migration uses none of them.
        for (key, value) in OTHERS {
            command.env(format!("WAYBILL__{key}"), value);
        }
        Self { wire, child: command.kill_on_drop(true).spawn().unwrap(), builds: Vec::new(), _data: data }
    }

    /// Returns the next statement that the server has completed, or `None` once the program has ended.
    async fn next(&mut self) -> Option<(Step, String, bool)> {
        loop {
            let step = tokio::select! {
                step = self.wire.next() => step,
                ended = self.child.wait() => {
                    assert!(ended.unwrap().success());
                    return None;
                }
            };
            match step.what.clone() {
                What::Sent { statement } => {
                    if statement.starts_with(BUILD) {
                        self.builds.push(statement);
                    }
                    step.go_on();
                }
                What::Answered { command, in_transaction } => return Some((step, command, in_transaction)),
            }
        }
    }
}

struct Undisturbed {
    /// Whether each statement left a transaction open.
    statements: Vec<bool>,
    /// Statements that build an index while others write.
    builds: Vec<String>,
    state: Vec<String>,
}

/// Upgrades a copy of a database without any kill.
async fn undisturbed(row: &Row, databases: &mut Databases, old: &str) -> Undisturbed {
    let name = databases.copy(old).await;
    let mut upgrade = Upgrade::start(row, &name).await;
    let mut statements = Vec::new();
    while let Some((step, _, in_transaction)) = upgrade.next().await {
        statements.push(in_transaction);
        step.go_on();
    }
    let state = state(&name).await;
    let builds = std::mem::take(&mut upgrade.builds);
    drop(upgrade);
    databases.drop(&name).await;
    Undisturbed { statements, builds, state }
}

/// Upgrades a copy of a database, kills the upgrade when the server has completed one of its statements, and
/// upgrades again.
async fn killed_after(
    row: &Row,
    databases: &mut Databases,
    old: &str,
    statement: usize,
) -> (String, Vec<String>) {
    let name = databases.copy(old).await;
    let mut upgrade = Upgrade::start(row, &name).await;
    let mut number = 0;
    let killed_at = loop {
        let (step, command, in_transaction) = upgrade.next().await.expect("as many statements as before");
        if number == statement {
            upgrade.child.kill().await.unwrap();
            break format!("{} {number}, {command}, in a transaction: {in_transaction}", row.name);
        }
        number += 1;
        step.go_on();
    };
    drop(upgrade);
    up(row, &name).await;
    let state = state(&name).await;
    databases.drop(&name).await;
    (killed_at, state)
}

/// Returns the statements to kill at: all of them, or a sample. Most of a sample are outside transactions,
/// where a partial change could remain.
fn chosen(statements: &[bool], kills: usize, random: &mut StdRng) -> Vec<usize> {
    let (mut inside, mut outside): (Vec<usize>, Vec<usize>) =
        (0..statements.len()).partition(|number| statements[*number]);
    inside.shuffle(random);
    outside.shuffle(random);
    outside.truncate(kills.div_ceil(2).max(kills.saturating_sub(inside.len())));
    inside.truncate(kills.saturating_sub(outside.len()));
    outside.into_iter().chain(inside).collect()
}

/// Returns the number of kills for each service and each start. If an upgrade has fewer statements, it is
/// killed once after each of them.
fn kills() -> usize {
    number("WAYBILL_MIGRATION_KILLS", 3)
}

/// Returns how many of a service's migrations come before the first that needs several transactions or
/// rewrites rows.
fn before_rewriting(service: &str) -> u32 {
    match service {
        "auth" => 7,
        "deliveries" => 8,
        "settings" | "drivers" | "upload" => 9,
        _ => 6,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_after_each_statement_of_a_migration_the_next_one_ends_the_same() {
    let kills = kills();
    let mut random = StdRng::seed_from_u64(seed());
    // A short run covers the deliveries service, whose migrations also run outside transactions, and one
    // other service.
    let (deliveries, mut services): (Vec<&Row>, Vec<&Row>) =
        SERVICES.iter().partition(|row| row.name == "deliveries");
    services.shuffle(&mut random);
    services.splice(0..0, deliveries);
    // Repeats a part of a long run: names of services, separated by commas.
    if let Ok(names) = std::env::var("WAYBILL_MIGRATION_SERVICES") {
        services.retain(|row| names.split(',').any(|name| name == row.name));
    }
    let with_rows = services.iter().map(|row| (*row, before_rewriting(row.name)));
    let starts: Vec<(&Row, u32)> = match kills < 1_000 {
        true => with_rows.take(2).collect(),
        false => with_rows.chain(services.iter().map(|row| (*row, 0))).collect(),
    };
    let mut databases = Databases::new().await;
    let mut done = 0;
    for (row, migrations) in starts {
        let old = databases.old(row, migrations).await;
        let expected = undisturbed(row, &mut databases, &old).await;
        let (chosen, all) = (chosen(&expected.statements, kills, &mut random), expected.statements.len());
        eprintln!("{} from {migrations}: {} of {all} statements", row.name, chosen.len());
        assert!(!chosen.is_empty());
        for statement in chosen {
            let (killed_at, state) = killed_after(row, &mut databases, &old, statement).await;
            assert_same(&state, &expected.state, &format!("killed at {killed_at}, seed {}", seed()));
            done += 1;
        }
        databases.drop(&old).await;
    }
    eprintln!("{done} kills");
    databases.end().await;
}

fn assert_same(one: &[String], other: &[String], context: &str) {
    let differing: Vec<_> = one.iter().filter(|line| !other.contains(line)).collect();
    let missing: Vec<_> = other.iter().filter(|line| !one.contains(line)).collect();
    assert!(one == other, "{context}: {differing:#?} instead of {missing:#?}");
}

/// An interrupted build leaves an invalid index behind: no query uses the index, but its name is taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_whose_build_is_cut_short_is_built_again() {
    let row = SERVICES.iter().find(|row| row.name == "deliveries").unwrap();
    let mut databases = Databases::new().await;
    let old = databases.old(row, before_rewriting(row.name)).await;
    let Undisturbed { mut builds, state: expected, .. } = undisturbed(row, &mut databases, &old).await;
    assert!(builds.len() >= 17, "{builds:#?}");
    builds.shuffle(&mut StdRng::seed_from_u64(seed()));
    builds.truncate(kills());
    let name = databases.copy(&old).await;
    let other = Database::connect(database_at(&name)).await.unwrap();
    while let Some(statement) = cut_a_build(row, &name, &other, &builds).await {
        builds.retain(|build| *build != statement);
    }
    assert!(builds.is_empty(), "nothing was built by {builds:#?}");
    other.close().await.unwrap();
    assert_same(&state(&name).await, &expected, "each build was cut short once");
    databases.end().await;
}

/// Upgrades a database, and ends the connection during the first index build in `builds`. Returns the
/// statement of that build, or `None` if there was none and the upgrade succeeded.
async fn cut_a_build(row: &Row, name: &str, other: &DatabaseConnection, builds: &[String]) -> Option<String> {
    let mut wire = Wire::to(name).await;
    let (url, migrations) = (wire.url.clone(), row.migrations);
    let mut upgrade = tokio::spawn(async move {
        let db = Db::connect(&url, &config()).await.unwrap();
        let done = migrations.up(&db).await;
        db.close().await;
        done
    });
    loop {
        let step = tokio::select! {
            step = wire.next() => step,
            done = &mut upgrade => {
                done.unwrap().unwrap();
                return None;
            }
        };
        let statement = match step.what.clone() {
            What::Sent { statement } if builds.contains(&statement) => statement,
            _ => {
                step.go_on();
                continue;
            }
        };
        // An index build that has registered its index waits for the uncommitted writers of the table.
        let table = statement.split(" ON ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
        let mut one = ConnectOptions::new(database_at(name));
        let writing = Database::connect(one.max_connections(1).to_owned()).await.unwrap();
        let write = format!("BEGIN; LOCK TABLE {table} IN ROW EXCLUSIVE MODE");
        writing.execute_unprepared(&write).await.unwrap();
        let go_on = async {
            step.go_on();
            loop {
                wire.next().await.go_on();
            }
        };
        tokio::select! {
            () = go_on => unreachable!(),
            () = end_of_build(other) => {}
        }
        writing.execute_unprepared("ROLLBACK").await.unwrap();
        writing.close().await.unwrap();
        drop(wire);
        assert!(upgrade.await.unwrap().is_err(), "{statement} came through");
        let broken =
            lines(other, "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid").await;
        assert_eq!(broken.len(), 1, "{statement} left {broken:?}");
        return Some(statement);
    }
}

/// Waits until an index build waits for a writer, and then ends the connection of the build, like a server
/// that shuts down.
async fn end_of_build(other: &DatabaseConnection) {
    let end = "SELECT pg_terminate_backend(pid, 10000)::text FROM pg_stat_activity WHERE datname = current_database() \
               AND wait_event_type = 'Lock' AND query LIKE 'CREATE INDEX CONCURRENTLY%'";
    while lines(other, end).await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
