//! Query plans of the lists: in Postgres for each filter and sort order that the screens offer, on 100,000 deliveries,
//! where no statement may scan the whole table of deliveries or of their history; in SQLite the choice of an index.

use std::time::Instant;

use ::store::bulk;
use ::store::testing::{Backend, TestDb, sqlite_plan};
use proto::common::v1::{Filter, Page, Sort, SortDirection};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{ConnectionTrait, DbBackend, QueryTrait, Statement, StatementBuilder};
use sea_orm_migration::{MigrationTrait, MigratorTrait};
use serde_json::Value;

use super::late;
use super::lists::{filter, sort};
use super::office::Office;
use super::*;
use crate::queries::{driver_days, histories};

const DELIVERIES: u32 = 100_000;

/// Data like that of an installation after ninety days: ids and times correlate, some customers have many
/// deliveries, and the newest deliveries are pending.
const FILL: &str = include_str!("plans.sql");

/// The migrations up to the one that creates the list indexes.
struct Before;

impl MigratorTrait for Before {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let all = Migrator::migrations().into_iter();
        all.take_while(|it| it.name() != "m0003_list_indexes").collect()
    }
}

/// Fills a database, then builds the list indexes on existing rows, as an upgrade does.
async fn filled() -> TestDb {
    let test = TestDb::migrated::<Before>(Backend::Postgres).await;
    let fill = FILL.replace(":n", &DELIVERIES.to_string());
    // On a busy machine, filling takes longer than the statement timeout.
    let fill = format!("SET statement_timeout = 0; {fill}; RESET statement_timeout");
    test.db.read().execute_unprepared(&fill).await.unwrap();
    ::store::migrate::up::<Migrator>(&test.db).await.unwrap();
    for table in ["delivery", "delivery_status_history", "shipment", "variance", "customer"] {
        test.db.read().execute_unprepared(&format!("VACUUM ANALYZE {table}")).await.unwrap();
    }
    test
}

/// Returns the filters that the screens offer, with values that match no rows, few, some and many.
fn filters() -> Vec<Filter> {
    let at = |day: u32| format!("2026-{:02}-{:02}T00:00:00Z", 9 + day / 30, 1 + day % 30);
    let range = |key: &str, from: u32, to: u32| filter(key, "inDateRange", &[&at(from), &at(to)]);
    let source = "00000000-0000-0000-0000-000000000012";
    vec![
        filter("id", "contains", &["0012"]),
        filter("id", "contains", &["dr-"]),
        filter("id", "startsWith", &["dr-0001"]),
        filter("id", "endsWith", &["789"]),
        filter("id", "equals", &["DR-00000042"]),
        filter("id", "!contains", &["001"]),
        filter("id", "contains", &["1"]),
        filter("customername", "contains", &["sto"]),
        filter("customername", "startsWith", &["bal"]),
        filter("customername", "equals", &["aling belen store 0"]),
        filter("customername", "!contains", &["store"]),
        filter("trucker", "contains", &["fre"]),
        filter("trucker", "equals", &["alon freight"]),
        filter("driverId", "startsWith", &["drv-12"]),
        filter("driverId", "contains", &["v-12"]),
        filter("deliverystatus", "equals", &["Pending"]),
        filter("deliverystatus", "equals", &["Undelivered", "Rejected"]),
        filter("deliverystatus", "!equals", &["Pending"]),
        range("scheduledatetime", 20, 21),
        range("scheduledatetime", 10, 40),
        range("deliverydatetime", 20, 27),
        filter("reason", "contains", &["item"]),
        filter("reason", "equals", &["wrong item"]),
        filter("reason", "!equals", &["wrong item"]),
        filter("scanmode", "equals", &["Yes"]),
        filter("outcomeReason", "equals", &["recipient_absent"]),
        filter("linecount", "equals", &["3"]),
        filter("shipmentnumber", "contains", &["0012"]),
        filter("shipmentnumber", "startsWith", &["s-000"]),
        filter("shipmentstatus", "equals", &["Pending"]),
        filter("shipmentstatus", "equals", &["Completed"]),
        filter("referencedoc", "contains", &["012"]),
        filter("referencedoc", "startsWith", &["si-20"]),
        filter("sourceId", "equals", &[source]),
        filter("uploadLogId", "equals", &["00000000-0000-0000-0001-000000000003"]),
        range("createdAt", 20, 30),
        filter("driverId", "isEmpty", &[]),
        filter("driverId", "!isEmpty", &[]),
        filter("trucker", "isEmpty", &[]),
        filter("referencedoc", "isEmpty", &[]),
        filter("referencedoc", "!isEmpty", &[]),
        filter("deliverydatetime", "isEmpty", &[]),
        filter("deliverydatetime", "!isEmpty", &[]),
        filter("sourceId", "isEmpty", &[]),
        filter("reason", "isEmpty", &[]),
        filter("reason", "!isEmpty", &[]),
        filter("conflict", "equals", &["Yes"]),
        filter("conflict", "equals", &["No"]),
        range("dueAt", 20, 21),
    ]
}

fn history_filters() -> Vec<Filter> {
    let range = ["2026-10-01T00:00:00Z", "2026-10-08T00:00:00Z"];
    vec![
        filter("deliveryId", "contains", &["0012"]),
        filter("deliveryId", "startsWith", &["dr-0001"]),
        filter("deliveryId", "equals", &["DR-00000042"]),
        filter("deliveryId", "!contains", &["001"]),
        filter("shipmentnumber", "contains", &["0012"]),
        filter("shipmentnumber", "equals", &["S-0000012"]),
        filter("fromStatus", "equals", &["Pending"]),
        filter("toStatus", "equals", &["Rejected"]),
        filter("actorType", "equals", &["driver"]),
        filter("actorName", "equals", &["maria"]),
        filter("actorName", "contains", &["ari"]),
        filter("occurredAt", "inDateRange", &range),
        filter("receivedAt", "inDateRange", &range),
        filter("reasonCode", "equals", &["site_closed"]),
        filter("reasonCode", "isEmpty", &[]),
        filter("fromStatus", "isEmpty", &[]),
    ]
}

fn pages(filters: Vec<Filter>, sorts: &[&str]) -> Vec<Page> {
    let filters: Vec<Vec<Filter>> =
        std::iter::once(Vec::new()).chain(filters.into_iter().map(|it| vec![it])).collect();
    let directions = [SortDirection::Asc, SortDirection::Desc];
    let sorts = sorts.iter().flat_map(|key| directions.map(|direction| sort(key, direction)));
    let page =
        |r#where: &Vec<Filter>, sort| Page { r#where: r#where.clone(), sort: vec![sort], ..Page::default() };
    sorts.flat_map(|sort| filters.iter().map(move |it| page(it, sort.clone())).collect::<Vec<_>>()).collect()
}

/// Returns the full scans of deliveries or their history in the plan of `select`.
async fn read_through(connection: &impl ConnectionTrait, select: &SelectStatement) -> Vec<String> {
    let Statement { sql, values, .. } = StatementBuilder::build(select, &DbBackend::Postgres);
    let explain =
        Statement { sql: format!("EXPLAIN (FORMAT JSON) {sql}"), values, db_backend: DbBackend::Postgres };
    let row = connection.query_one_raw(explain).await.unwrap().unwrap();
    let plan: Value = row.try_get("", "QUERY PLAN").unwrap();
    let mut found = Vec::new();
    look(&plan, &mut found);
    found
}

fn look(node: &Value, found: &mut Vec<String>) {
    match node {
        Value::Array(all) => all.iter().for_each(|it| look(it, found)),
        Value::Object(all) => {
            let kind = all.get("Node Type").and_then(Value::as_str).unwrap_or_default();
            let table = all.get("Relation Name").and_then(Value::as_str).unwrap_or_default();
            if kind.contains("Seq Scan") && ["delivery", "delivery_status_history"].contains(&table) {
                found.push(format!("{kind} on {table}"));
            }
            all.values().for_each(|it| look(it, found));
        }
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_list_reads_its_table_through() {
    let test = filled().await;
    let db = &test.db;
    let mut statements = Vec::new();
    let sorts = ["scheduledatetime", "id", "customername", "deliverystatus", "driverId"];
    for page in pages(filters(), &sorts) {
        for (what, select) in queries::deliveries::LIST.statements(&page, DbBackend::Postgres).unwrap() {
            statements.push((format!("{what} of deliveries {page:?}"), select));
        }
    }
    for page in pages(history_filters(), &["occurredAt"]) {
        for (what, select) in histories::LIST.statements(&page, DbBackend::Postgres).unwrap() {
            statements.push((format!("{what} of histories {page:?}"), select));
        }
    }
    let drivers: Vec<String> = (0..100).map(|at| format!("drv-{at:03}")).collect();
    let day = |day: &str| format!("{day}T00:00:00Z").parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    let days = driver_days::statement(drivers.iter(), day("2026-09-20"), day("2026-09-21"));
    statements.push(("days of drivers".to_owned(), days));
    assert!(statements.len() > 1_000, "{}", statements.len());
    let read = db.begin_read(::store::Reading::Export).await.unwrap();
    let mut wrong = Vec::new();
    for (about, select) in &statements {
        for found in read_through(&read, select).await {
            wrong.push(format!("{found}: {about}"));
        }
    }
    late::reads_little(&read).await;
    drop(read);
    assert!(
        wrong.is_empty(),
        "{} of {} statements, such as {:#?}",
        wrong.len(),
        statements.len(),
        &wrong[..wrong.len().min(5)]
    );

    // Even searches that no index supports well must finish, instead of failing with the advice to narrow
    // the search.
    let hard = [
        vec![filter("id", "contains", &["zz"])],
        vec![filter("id", "!contains", &["d"])],
        vec![filter("linecount", "equals", &["999"])],
        vec![filter("customername", "!contains", &["a", "e", "i", "o", "u"])],
        vec![filter("scanmode", "equals", &["Yes"]), filter("deliverystatus", "equals", &["Pending"])],
        vec![filter("id", "contains", &["no such"]), filter("reason", "equals", &["wrong item"])],
    ];
    for r#where in hard {
        let page = Page { r#where, ..Page::default() };
        // Other load on the machine may make a request exceed its time limit.
        let mut tries = 0;
        while let Err(error) = queries::deliveries::list(db, &page).await {
            tries += 1;
            assert!(error.reason == "LIST_TOO_BROAD" && tries < 3, "{page:?}: {error:?}");
        }
    }
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_takes_too_long_says_what_to_narrow() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    default_source(&test.db).await;
    import(&test.db, new_id(), 0, vec![row(2, "DR-1", "S-1", "1", 1)]).await.unwrap();
    // A lock on the table makes the list wait.
    let holder = test.db.begin().await.unwrap();
    holder.execute_unprepared("LOCK TABLE delivery IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let page = Page { r#where: vec![filter("id", "contains", &["dr-1"])], ..Page::default() };
    let begun = Instant::now();
    let error = queries::deliveries::list(&test.db, &page).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "LIST_TOO_BROAD"));
    assert!(error.message.contains("date range"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(3));
    let error = queries::deliveries::count(&test.db, &page.r#where).await.unwrap_err();
    assert_eq!(error.reason, "LIST_TOO_BROAD");
    drop(holder);
    // The failed reads must not leave their settings on the connection.
    assert_eq!(queries::deliveries::list(&test.db, &page).await.unwrap().0.len(), 1);
    let row = test
        .db
        .read()
        .query_one_raw(Statement::from_string(DbBackend::Postgres, "SHOW enable_seqscan"))
        .await;
    assert_eq!(row.unwrap().unwrap().try_get::<String>("", "enable_seqscan").unwrap(), "on");
    test.close().await;
}

/// As in the first import, whose tables grow a thousandfold before Postgres measures them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_looked_for_in_an_index_although_nothing_was_measured() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let tx = test.db.begin().await.unwrap();
    let shipments = (0..40).map(|it| format!("s-{it}"));
    let select = delivery::Entity::find()
        .filter(bulk::among(&*tx, delivery::Column::ShipmentnumberKey, shipments))
        .into_query();
    assert_ne!(read_through(&*tx, &select).await, Vec::<String>::new(), "it would be read through otherwise");
    tx.plan_for_keys().await.unwrap();
    assert_eq!(read_through(&*tx, &select).await, Vec::<String>::new());
    drop(tx);
    test.close().await;
}

/// SQLite takes each state for something that few rows have, although nearly all deliveries are completed. And it looks
/// at a row of the table only if an index does not have all columns that a statement selects.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_looks_for_keys_in_the_suitable_index_alone() {
    let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
    let tx = test.db.begin().await.unwrap();
    // What SQLite measured on a million deliveries: rows for each value of the index's columns.
    let measured = "ANALYZE; DELETE FROM sqlite_stat1 WHERE tbl = 'delivery'; INSERT INTO sqlite_stat1 VALUES \
         ('delivery', 'delivery_by_schedule', '1000000 2 1'), \
         ('delivery', 'delivery_by_reference', '1000000 2 2 1'), \
         ('delivery', 'delivery_by_status', '1000000 1695 2 1'), \
         ('delivery', 'delivery_by_due', '1000000 1695 2 1'), \
         ('delivery', 'delivery_by_customer_and_status', '1000000 1250 2 1 1'); ANALYZE sqlite_schema";
    tx.execute_unprepared(measured).await.unwrap();
    let states = || filter("deliverystatus", "equals", &["Complete_No_Variance", "Undelivered"]);
    let customers = |operator: &str, name: &str| vec![states(), filter("customername", operator, &[name])];
    let by_customer = "COVERING INDEX delivery_by_customer_and_status";
    let cases = [
        (customers("startsWith", "bal"), by_customer),
        (customers("equals", "aling belen store 0"), by_customer),
        (customers("contains", "sto"), by_customer),
        (vec![filter("id", "contains", &["0012"])], "USING COVERING INDEX"),
        (vec![filter("id", "endsWith", &["0012"])], "USING COVERING INDEX"),
        (vec![filter("referencedoc", "contains", &["0012"])], "COVERING INDEX delivery_by_reference"),
    ];
    for (r#where, expected) in cases {
        let page = Page { r#where, ..Page::default() };
        let statements = queries::deliveries::LIST.statements(&page, DbBackend::Sqlite).unwrap();
        assert!(statements.iter().any(|(what, _)| *what == "sorted"));
        // Near the head of the order, nothing is looked for.
        for (what, select) in statements.into_iter().filter(|(what, _)| *what != "near") {
            let statement = StatementBuilder::build(&select, &DbBackend::Sqlite);
            let plan = sqlite_plan(&*tx, statement).await;
            assert!(plan.contains(expected), "{what} of {page:?}: {plan}");
        }
    }
    drop(tx);
    test.close().await;
}

/// Each state is read along its index and only as far as needed; no more than the rows of the page are sorted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_merges_the_ranges_of_several_states() {
    let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
    let states = ["Complete_No_Variance", "Undelivered", "Pending"];
    let r#where =
        vec![filter("deliverystatus", "equals", &states), filter("customername", "contains", &["sto"])];
    for direction in [SortDirection::Asc, SortDirection::Desc] {
        let sort = vec![sort("scheduledatetime", direction)];
        let page = Page { r#where: r#where.clone(), sort, ..Page::default() };
        let statements = queries::deliveries::LIST.statements(&page, DbBackend::Sqlite).unwrap();
        let (_, near) = statements.into_iter().find(|(what, _)| *what == "near").unwrap();
        let statement = StatementBuilder::build(&near, &DbBackend::Sqlite);
        let plan = sqlite_plan(test.db.read(), statement).await;
        let count = |part: &str| plan.lines().filter(|it| it.contains(part)).count();
        assert_eq!(count("delivery_by_status (deliverystatus=?)"), states.len(), "{plan}");
        assert_eq!(count("MERGE (UNION ALL)"), states.len() - 1, "{plan}");
        assert_eq!(count("TEMP B-TREE"), 1, "{plan}");
    }
    test.close().await;
}

/// What is read without a time limit goes along an index: nothing is sorted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_sorts_no_page_that_has_no_time_limit() {
    let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
    let directions = [SortDirection::Asc, SortDirection::Desc];
    let keys = ["scheduledatetime", "id", "customername", "deliverystatus", "driverId"];
    let sorts: Vec<_> =
        keys.iter().flat_map(|key| directions.map(|direction| sort(key, direction))).collect();
    let two =
        |first: &Sort| sorts.iter().map(|second| vec![first.clone(), second.clone()]).collect::<Vec<_>>();
    let orders = sorts.iter().map(|it| vec![it.clone()]).chain(sorts.iter().flat_map(two));
    let mut unlimited = 0;
    for sort in orders {
        let page = Page { sort, ..Page::default() };
        let statements = queries::deliveries::LIST.statements(&page, DbBackend::Sqlite).unwrap();
        let straight: Vec<_> = statements.into_iter().filter(|(what, _)| *what == "page").collect();
        assert!(page.sort.len() > 1 || !straight.is_empty(), "{page:?}");
        unlimited += straight.len();
        for (_, select) in straight {
            let statement = StatementBuilder::build(&select, &DbBackend::Sqlite);
            let plan = sqlite_plan(test.db.read(), statement).await;
            assert!(!plan.contains("TEMP B-TREE"), "{page:?}: {plan}");
        }
    }
    // In both directions: five fields alone, three before the dispatch time, and the dispatch time before the id.
    assert_eq!(unlimited, 18);
    test.close().await;
}

/// Returns how many rows of deliveries were inserted, and how many were read by scans of the whole table. Postgres
/// counts them together, a second after a transaction at the latest.
async fn counted(db: &Db) -> (i64, i64) {
    let counts = "SELECT n_tup_ins, seq_tup_read FROM pg_stat_user_tables WHERE relname = 'delivery'";
    let counts = Statement::from_string(DbBackend::Postgres, counts);
    let row = db.read().query_one_raw(counts).await.unwrap().unwrap();
    (row.try_get("", "n_tup_ins").unwrap(), row.try_get("", "seq_tup_read").unwrap())
}

/// A connection keeps the plan of a statement that it has run five times. After a check of a file on an empty table,
/// that plan would read the whole table for each batch of the import.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_does_not_read_the_whole_table() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let (db, office) = (&test.db, Office::open(&test.db));
    let import = async |number: u32, dry_run: bool| {
        let rows = (0..10).map(|line| row(line + 2, &format!("DR-{number}-{line}"), "S-1", "1", 1_000));
        let batch = batch(new_id(), 0, default_source(db).await, rows.collect());
        import::run(&office.context, Batch { dry_run, ..batch }).await.unwrap();
    };
    // As many as make each connection of the pool keep its plan.
    for number in 0..60 {
        import(number, true).await;
    }
    import(0, false).await;
    let fill = "INSERT INTO delivery SELECT (jsonb_populate_record(it, jsonb_build_object('id_key', 'f-' || n, 'id', 'F-' || n))).* \
         FROM delivery it, generate_series(1, 20000) n WHERE it.id_key = 'dr-0-0'";
    db.read().execute_unprepared(fill).await.unwrap();
    let until = async |rows: i64| {
        loop {
            match counted(db).await {
                (inserted, read) if inserted >= rows => return read,
                _ => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
            }
        }
    };
    let before = until(20_010).await;
    for number in 1..9 {
        import(number, false).await;
    }
    let read = until(20_090).await - before;
    assert!(read < 20_000, "{read} rows were read by scans");
    test.close().await;
}
