//! Backups of several databases while services write to them, and their restoration, on SQLite and on
//! Postgres.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use kit::clock::Clock;
use kit::config::Database as DatabaseConfig;
use proto::events::ImportFinished;
use proto::events::envelope::Payload;
use sea_orm::{ConnectionTrait, EntityTrait, QueryOrder, Statement};
use store::Db;
use store::backup::{self, Copied};
use store::outbox::outbox_event::{Column, Entity, Model};
use store::outbox::{NewEvent, add};
use store::testing::{Backend, TestDb, config, create_postgres, drop_postgres};

use crate::Migrator;

const WRITERS: usize = 4;

async fn commit(db: &Db, name: &str) {
    let tx = db.begin().await.unwrap();
    let event = NewEvent {
        service: "upload",
        actor: "system:upload",
        aggregate_id: name,
        aggregate_version: 1,
        occurred_at: Clock::system().now(),
        payload: Payload::ImportFinished(ImportFinished::default()),
    };
    add(&tx, event).await.unwrap();
    tx.commit().await.unwrap();
}

async fn rows(db: &Db) -> Vec<Model> {
    Entity::find().order_by_asc(Column::Id).all(db.read()).await.unwrap()
}

/// A new target to restore into.
struct Place {
    url: String,
    name: Option<String>,
}

impl Place {
    async fn new(backend: Backend, dir: &Path, service: &str) -> Self {
        match backend {
            Backend::Sqlite => {
                Self { url: format!("sqlite://{}/restored/{service}.db", dir.display()), name: None }
            }
            Backend::Postgres => {
                let (url, name) = create_postgres().await;
                Self { url, name: Some(name) }
            }
        }
    }

    async fn restored(&self, copied: &Copied, folder: &Path) -> Vec<Model> {
        backup::restore(copied, folder, &self.url, &config()).await.unwrap();
        let db = Db::connect(&self.url, &config()).await.unwrap();
        let rows = rows(&db).await;
        db.close().await;
        rows
    }

    async fn remove(self) {
        if let Some(name) = &self.name {
            drop_postgres(name).await;
        }
    }
}

/// Each writer writes to the first database before the second. So a consistent backup never has a row in the
/// second database alone, and at most one row of each writer in the first alone.
async fn copies_under_load_are_of_one_moment(backend: Backend) {
    let (first, second) =
        (TestDb::migrated::<Migrator>(backend).await, TestDb::migrated::<Migrator>(backend).await);
    let stop = Arc::new(AtomicBool::new(false));
    let written = Arc::new(AtomicUsize::new(0));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (first, second) = (first.db.clone(), second.db.clone());
            let (stop, written) = (stop.clone(), written.clone());
            tokio::spawn(async move {
                for number in 0.. {
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    let name = format!("{writer}-{number:05}");
                    commit(&first, &name).await;
                    commit(&second, &name).await;
                    written.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    let dir = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let before = written.load(Ordering::SeqCst);
        while written.load(Ordering::SeqCst) < before + 20 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let folder = dir.path().join(round.to_string());
        std::fs::create_dir(&folder).unwrap();
        let at_least = written.load(Ordering::SeqCst);
        // Here the database that is written last comes first: the order must not matter.
        let own = async |url: &str| Db::connect(url, &config()).await.unwrap();
        let databases = [("second", own(&second.url).await), ("first", own(&first.url).await)];
        let copied = backup::copy(&databases, &folder).await.unwrap();
        for (_, db) in &databases {
            db.close().await;
        }
        let dir = dir.path().join(format!("{round}-restored"));
        let mut found = Vec::new();
        for copy in &copied {
            let place = Place::new(backend, &dir, &copy.service).await;
            let rows = place.restored(copy, &folder).await;
            assert_eq!(rows.len() as u64, copy.rows["outbox"]);
            let again = backup::restore(copy, &folder, &place.url, &config()).await.unwrap_err();
            assert_eq!(again.reason, "DATABASE_NOT_EMPTY");
            place.remove().await;
            found.push(rows);
        }
        let names = |rows: &[Model]| -> BTreeSet<String> {
            let name = |row: &Model| {
                use prost::Message;
                proto::events::Envelope::decode(row.envelope.as_slice()).unwrap().aggregate_id
            };
            rows.iter().map(name).collect()
        };
        let (of_second, of_first) = (names(&found[0]), names(&found[1]));
        assert!(of_second.is_subset(&of_first), "{:?}", of_second.difference(&of_first));
        assert!(of_first.len() <= of_second.len() + WRITERS, "{:?}", of_first.difference(&of_second));
        assert!(of_second.len() >= at_least, "what was acknowledged before the backup is in it");
        // Every row of the backup, with every column, exists in the live database.
        let live = rows(&first.db).await;
        assert!(found[1].iter().all(|row| live.contains(row)));
    }
    stop.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
    first.close().await;
    second.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_under_load_are_of_one_moment_on_sqlite() {
    copies_under_load_are_of_one_moment(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_under_load_are_of_one_moment_on_postgres() {
    copies_under_load_are_of_one_moment(Backend::Postgres).await;
}

/// A backup that was changed must be refused.
async fn another_number_of_rows_is_refused(backend: Backend) {
    let test = TestDb::migrated::<Migrator>(backend).await;
    commit(&test.db, "a").await;
    let dir = tempfile::tempdir().unwrap();
    let copied = backup::copy(&[("upload", test.db.clone())], dir.path()).await.unwrap();
    let mut less = copied[0].clone();
    *less.rows.get_mut("outbox").unwrap() = 2;
    let place = Place::new(backend, dir.path(), "less").await;
    let refused = backup::restore(&less, dir.path(), &place.url, &config()).await.unwrap_err();
    assert_eq!(refused.reason, "BACKUP_DAMAGED");
    place.remove().await;
    let file = dir.path().join(&copied[0].file);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&file, bytes).unwrap();
    let place = Place::new(backend, dir.path(), "cut").await;
    assert!(backup::restore(&copied[0], dir.path(), &place.url, &config()).await.is_err());
    place.remove().await;
    // The original database keeps working.
    let alive = Statement::from_string(test.db.backend(), "SELECT 1 AS one");
    test.db.read().query_one_raw(alive).await.unwrap();
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_number_of_rows_is_refused_on_sqlite() {
    another_number_of_rows_is_refused(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_number_of_rows_is_refused_on_postgres() {
    another_number_of_rows_is_refused(Backend::Postgres).await;
}

/// The mark of an unfinished restore is no content of the database.
async fn a_place_is_checked_first_and_marked_until_all_is_restored(backend: Backend) {
    let test = TestDb::migrated::<Migrator>(backend).await;
    commit(&test.db, "a").await;
    let dir = tempfile::tempdir().unwrap();
    let copied = backup::copy(&[("upload", test.db.clone())], dir.path()).await.unwrap();
    let place = Place::new(backend, dir.path(), "upload").await;
    let check = async |url: &str| backup::require_empty("upload", url, &config()).await;
    check(&place.url).await.unwrap();
    let full = check(&test.url).await.unwrap_err();
    assert_eq!(full.reason, "DATABASE_NOT_EMPTY");
    let name = if backend == Backend::Sqlite { "test.db" } else { "upload" };
    assert!(full.message.contains(name), "{}", full.message);

    backup::begin(dir.path(), &place.url, &config()).await.unwrap();
    assert_eq!(check(&place.url).await.unwrap_err().reason, "RESTORE_UNFINISHED");
    assert_eq!(place.restored(&copied[0], dir.path()).await.len(), 1);
    let part = Db::connect_restored(&place.url, &config()).await.err().unwrap();
    assert_eq!(part.reason, "RESTORE_UNFINISHED");
    backup::end(&place.url, &config()).await.unwrap();
    Db::connect_restored(&place.url, &config()).await.unwrap().close().await;
    place.remove().await;
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_place_is_checked_first_and_marked_until_all_is_restored_on_sqlite() {
    a_place_is_checked_first_and_marked_until_all_is_restored(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_place_is_checked_first_and_marked_until_all_is_restored_on_postgres() {
    a_place_is_checked_first_and_marked_until_all_is_restored(Backend::Postgres).await;
}

/// In a deployment every service has a role of its own, and one account restores all databases.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_restored_belongs_to_the_owner_of_the_database_on_postgres() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    commit(&test.db, "a").await;
    let dir = tempfile::tempdir().unwrap();
    let copied = backup::copy(&[("upload", test.db.clone())], dir.path()).await.unwrap();
    let place = Place::new(Backend::Postgres, dir.path(), "upload").await;
    let name = place.name.clone().unwrap();
    let role = format!("Owner of {name}");
    for sql in [format!("CREATE ROLE \"{role}\""), format!("ALTER DATABASE {name} OWNER TO \"{role}\"")] {
        test.db.read().execute_unprepared(&sql).await.unwrap();
    }
    backup::begin(dir.path(), &place.url, &config()).await.unwrap();
    backup::restore(&copied[0], dir.path(), &place.url, &config()).await.unwrap();
    backup::end(&place.url, &config()).await.unwrap();
    let db = Db::connect(&place.url, &config()).await.unwrap();
    let others = "SELECT count(*) AS others FROM pg_class WHERE relnamespace = 'public'::regnamespace \
                  AND pg_get_userbyid(relowner) <> $1";
    let ask = Statement::from_sql_and_values(db.backend(), others, [role.as_str().into()]);
    let row = db.read().query_one_raw(ask).await.unwrap().unwrap();
    assert_eq!(row.try_get::<i64>("", "others").unwrap(), 0);
    // The service itself reads its rows and changes its tables.
    let tx = db.begin().await.unwrap();
    tx.execute_unprepared(&format!("SET LOCAL ROLE \"{role}\"")).await.unwrap();
    assert_eq!(Entity::find().all(&*tx).await.unwrap().len(), 1);
    tx.execute_unprepared("ALTER TABLE outbox ADD COLUMN more integer").await.unwrap();
    tx.commit().await.unwrap();
    db.close().await;
    place.remove().await;
    test.db.read().execute_unprepared(&format!("DROP ROLE \"{role}\"")).await.unwrap();
    test.close().await;
}

/// Makes `count(*)` take longer than a second in this database, as if its tables were large.
async fn count_slowly(place: &Place) {
    let db = Db::connect(&place.url, &config()).await.unwrap();
    let name = place.name.as_deref().unwrap();
    // The first function of that name along the search path is the one that runs.
    let slow = format!(
        "CREATE FUNCTION slow_next(bigint) RETURNS bigint LANGUAGE sql VOLATILE AS \
           'SELECT $1 + 1 FROM pg_sleep(CASE WHEN $1 = 0 THEN 1.2 ELSE 0 END)'; \
         CREATE AGGREGATE count(*) (SFUNC = slow_next, STYPE = bigint, INITCOND = '0'); \
         ALTER DATABASE {name} SET search_path = public, pg_catalog"
    );
    db.read().execute_unprepared(&slow).await.unwrap();
    db.close().await;
}

/// Counting the tables of a large database takes longer than a statement of the running program may.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_restored_is_counted_however_long_that_takes_on_postgres() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    commit(&test.db, "a").await;
    let dir = tempfile::tempdir().unwrap();
    let copied = backup::copy(&[("upload", test.db.clone())], dir.path()).await.unwrap();
    let place = Place::new(Backend::Postgres, dir.path(), "upload").await;
    count_slowly(&place).await;
    let hurried = DatabaseConfig { statement_timeout_seconds: 1, ..config() };
    backup::restore(&copied[0], dir.path(), &place.url, &hurried).await.unwrap();
    // What is there is refused without counting it.
    let again = backup::restore(&copied[0], dir.path(), &place.url, &hurried).await.unwrap_err();
    assert_eq!(again.reason, "DATABASE_NOT_EMPTY");
    place.remove().await;
    test.close().await;
}
