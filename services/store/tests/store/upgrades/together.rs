//! Upgrades of several databases of SQLite, which leave copies of all of them to go back to.

use sea_orm::{ConnectionTrait, Statement};
use store::Db;
use store::migrate::{Migrations, up, up_together};
use store::testing::{Backend, TestDb, config, copies, up_together_with};

use super::{Broken, First, Second, Third, file, has};

/// Services know of each other's records, so the way back needs all databases as of one time. An upgrade that fails and
/// is started again keeps the copies of the first try.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_of_one_database_copies_all_of_them_once() {
    let (changed, unchanged, failing) = (
        TestDb::open(Backend::Sqlite).await,
        TestDb::open(Backend::Sqlite).await,
        TestDb::open(Backend::Sqlite).await,
    );
    let first = Migrations::of::<First>();
    let all = |changed_by, failing_by| {
        [(changed_by, &changed.db), (first, &unchanged.db), (failing_by, &failing.db)]
    };
    let found = || [&changed, &unchanged, &failing].map(|it| copies(file(it)));
    up_together(&all(first, first)).await.unwrap();
    up_together(&all(first, first)).await.unwrap();
    assert_eq!(found().map(|it| it.len()), [0, 0, 0], "no upgrade, no copy");

    let second = Migrations::of::<Second>();
    up_together(&all(second, Migrations::of::<Broken>())).await.unwrap_err();
    let [before, others, _] = found();
    assert_eq!((before.len(), others.len()), (1, 1));
    for _ in 0..3 {
        up_together(&all(second, Migrations::of::<Broken>())).await.unwrap_err();
    }
    assert_eq!(found()[..2], [before, others], "of before the first try");

    // Somebody goes back to the copies, works with the release before, and upgrades again.
    let tx = changed.db.begin().await.unwrap();
    let delete = "DELETE FROM seaql_migrations WHERE version = 'second'";
    for sql in ["DROP TABLE second", "DROP TABLE second_more", delete] {
        tx.execute_unprepared(sql).await.unwrap();
    }
    tx.commit().await.unwrap();
    up_together(&all(second, Migrations::of::<Broken>())).await.unwrap_err();
    assert_eq!(found().map(|it| it.len()), [2, 2, 2], "what people did since is in the copies");
    up_together(&all(second, first)).await.unwrap();

    // The next upgrade.
    let earlier = found();
    up_together(&all(Migrations::of::<Third>(), first)).await.unwrap();
    for (earlier, now) in earlier.iter().zip(found()) {
        assert_ne!(earlier.last(), now.last());
    }
    for test in [changed, unchanged, failing] {
        test.close().await;
    }
}

/// Returns the size of a database in bytes, including its write-ahead log.
fn size(test: &TestDb) -> u64 {
    let sizes = ["", "-wal"].map(|ending| std::fs::metadata(format!("{}{ending}", file(test).display())));
    sizes.into_iter().flatten().map(|file| file.len()).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_without_room_for_all_databases_changes_none() {
    let tests = [TestDb::open(Backend::Sqlite).await, TestDb::open(Backend::Sqlite).await];
    let (first, second) = (Migrations::of::<First>(), Migrations::of::<Second>());
    let unchanged = TestDb::open(Backend::Sqlite).await;
    let all =
        |upgraded_by| [(upgraded_by, &tests[0].db), (first, &unchanged.db), (upgraded_by, &tests[1].db)];
    up_together(&all(first)).await.unwrap();
    // The first attempt empties the write-ahead logs into the files.
    up_together_with(&all(second), 0).await.unwrap_err();
    let needed = 2 * (size(&tests[0]) + size(&tests[1])) + size(&unchanged);
    for _ in 0..2 {
        let error = up_together_with(&all(second), needed - 1).await.unwrap_err();
        assert_eq!(error.reason, "STORAGE_FULL");
        for test in [&tests[0], &unchanged, &tests[1]] {
            assert!(!has(&test.db, "second").await && copies(file(test)).is_empty());
        }
    }
    up_together_with(&all(second), needed).await.unwrap();
    for test in tests.into_iter().chain([unchanged]) {
        assert_eq!(copies(file(&test)).len(), 1);
        test.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_that_stopped_half_way_copies_again_what_changed_and_what_lost_its_copy() {
    let (upgraded, unchanged, failing) = (
        TestDb::open(Backend::Sqlite).await,
        TestDb::open(Backend::Sqlite).await,
        TestDb::open(Backend::Sqlite).await,
    );
    let (first, second) = (Migrations::of::<First>(), Migrations::of::<Second>());
    let all = |failing_by| [(second, &upgraded.db), (first, &unchanged.db), (failing_by, &failing.db)];
    let found = || [&upgraded, &unchanged, &failing].map(|it| copies(file(it)));
    for test in [&upgraded, &unchanged, &failing] {
        up::<First>(&test.db).await.unwrap();
    }
    up_together(&all(Migrations::of::<Broken>())).await.unwrap_err();
    let before = found();
    assert_eq!(before.each_ref().map(Vec::len), [1, 1, 1]);

    // Without the copies there is no way back, so they are made again.
    for copy in before.iter().flatten() {
        std::fs::remove_file(copy).unwrap();
    }
    up_together(&all(Migrations::of::<Broken>())).await.unwrap_err();
    let again = found();
    assert_eq!(again.each_ref().map(Vec::len), [1, 1, 1]);
    up_together(&all(Migrations::of::<Broken>())).await.unwrap_err();
    assert_eq!(found(), again, "nobody worked in between");

    // Somebody works with the release before, which can use the upgraded database.
    let mut before = again;
    let attempts = [(&upgraded, Migrations::of::<Broken>(), false), (&unchanged, second, true)];
    for (worked, failing_by, is_ok) in attempts {
        let tx = worked.db.begin().await.unwrap();
        tx.execute_unprepared("INSERT INTO first (id) VALUES (7)").await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(up_together(&all(failing_by)).await.is_ok(), is_ok);
        let now = found();
        for ((before, now), test) in before.iter().zip(&now).zip([&upgraded, &unchanged, &failing]) {
            assert_eq!((now.len(), Some(&now[0])), (2, before.last()), "{}", file(test).display());
        }
        before = now;
    }
    for test in [upgraded, unchanged, failing] {
        test.close().await;
    }
}

/// Two processes that upgrade one database must not take each other's copies of the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn processes_that_upgrade_databases_together_copy_each_of_them_once() {
    let (changed, unchanged) = (TestDb::open(Backend::Sqlite).await, TestDb::open(Backend::Sqlite).await);
    for test in [&changed, &unchanged] {
        up::<First>(&test.db).await.unwrap();
    }
    // Large, so that all of the processes would copy at the same time.
    let tx = unchanged.db.begin().await.unwrap();
    tx.execute_unprepared("CREATE TABLE large (body BLOB)").await.unwrap();
    let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) \
                INSERT INTO large SELECT zeroblob(1000000) FROM n";
    tx.execute_unprepared(rows).await.unwrap();
    tx.commit().await.unwrap();
    let tasks = (0..4).map(|_| {
        let (changed, unchanged) = (changed.url.clone(), unchanged.url.clone());
        tokio::spawn(async move {
            let changed = Db::connect(&changed, &config()).await.unwrap();
            let unchanged = Db::connect(&unchanged, &config()).await.unwrap();
            let all = [(Migrations::of::<Second>(), &changed), (Migrations::of::<First>(), &unchanged)];
            up_together(&all).await.unwrap();
            changed.close().await;
            unchanged.close().await;
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert_eq!(copies(file(&changed)).len(), 1);
    let [copy] = &copies(file(&unchanged))[..] else { panic!("one copy") };
    let copy = Db::connect(&format!("sqlite://{}", copy.display()), &config()).await.unwrap();
    let ask = "SELECT sum(length(body)) AS bytes, (SELECT * FROM pragma_integrity_check) AS state FROM large";
    let row = copy.read().query_one_raw(Statement::from_string(copy.backend(), ask)).await.unwrap().unwrap();
    let found = (row.try_get::<i64>("", "bytes").unwrap(), row.try_get::<String>("", "state").unwrap());
    assert_eq!(found, (30_000_000, "ok".to_owned()));
    copy.close().await;
    changed.close().await;
    unchanged.close().await;
}

/// The names of copies have the time, and the oldest are deleted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_keeps_its_copies_beside_those_from_when_the_clock_was_ahead() {
    let (changed, unchanged) = (TestDb::open(Backend::Sqlite).await, TestDb::open(Backend::Sqlite).await);
    for test in [&changed, &unchanged] {
        up::<First>(&test.db).await.unwrap();
        for year in [2998, 2999] {
            let name = format!("{}.before-upgrade-{year}0101T000000000000Z", file(test).display());
            std::fs::write(name, "of an earlier upgrade").unwrap();
        }
    }
    let all = |changed_by| [(changed_by, &changed.db), (Migrations::of::<First>(), &unchanged.db)];
    let found = || [&changed, &unchanged].map(|it| copies(file(it)));
    let earlier = found();
    up_together(&all(Migrations::of::<Broken>())).await.unwrap_err();
    let failed = found();
    for (now, earlier) in failed.iter().zip(&earlier) {
        assert_eq!((now.len(), &now[0]), (2, &earlier[1]), "of the earlier upgrades, the last one");
        assert!(std::fs::read(&now[1]).unwrap().starts_with(b"SQLite format 3\0"), "and of this one");
    }
    up_together(&all(Migrations::of::<Second>())).await.unwrap();
    assert_eq!(found(), failed, "of before the first try");
    for test in [changed, unchanged] {
        test.close().await;
    }
}
