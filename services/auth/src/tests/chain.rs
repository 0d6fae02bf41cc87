//! The audit log's hash chain reveals whatever the database's owner does to an entry.

use ::store::testing::{Backend, TestDb};
use chrono::{SubsecRound, Utc};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sea_orm::sea_query::{Alias, Query};
use sea_orm::{ActiveModelTrait, ConnectionTrait, DatabaseTransaction, IntoActiveModel, Iterable};
use sea_orm_migration::MigratorTrait;

use super::*;
use crate::Migrator;
use crate::audit::chain::{self, Entry, Found, Seal};
use crate::entity::audit_entry::{Column, Model};
use crate::entity::audit_head;

const ENTRIES: usize = 30;
const TAMPERINGS: usize = 1_000;

async fn add(db: &Db, n: usize) {
    let tx = db.begin().await.unwrap();
    let at: DateTime<Utc> = "2027-01-15T08:00:00.123456789Z".parse().unwrap();
    let entry = Entry {
        id: kit::clock::new_id(),
        at: at + Duration::milliseconds(n as i64 * 7),
        actor: format!("Actor {}", n % 3),
        address: HOME.into(),
        action: "user.updated".into(),
        entity: "user".into(),
        entity_id: n.to_string(),
        entity_name: format!("Ñame {}", n % 5),
        before_json: r#"{"email":"a"}"#.into(),
        after_json: String::new(),
        request_id: format!("{n:032x}"),
    };
    chain::append(&tx, entry).await.unwrap();
    tx.commit().await.unwrap();
}

async fn head(connection: &impl ConnectionTrait) -> Seal {
    match chain::check(connection, None).await.unwrap() {
        Found::Intact { head } => head,
        broken => panic!("{broken:?}"),
    }
}

async fn run(connection: &impl ConnectionTrait, statement: &str) {
    connection.execute_unprepared(statement).await.unwrap();
}

/// Removes the triggers, as the database's owner would do first.
async fn lift_triggers(db: &Db, connection: &impl ConnectionTrait) {
    let statements: &[&str] = match db.is_postgres() {
        true => &["DROP TRIGGER audit_entry_kept ON audit_entry"],
        false => &["DROP TRIGGER audit_entry_not_updated", "DROP TRIGGER audit_entry_not_deleted"],
    };
    for statement in statements {
        run(connection, statement).await;
    }
}

fn other(random: &mut StdRng, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let at = random.random_range(0..=chars.len());
    match chars.get(at).copied() {
        Some(c) if random.random_bool(0.5) => chars[at] = if c == 'x' { 'y' } else { 'x' },
        Some(_) if random.random_bool(0.5) => {
            chars.remove(at);
        }
        _ => chars.insert(at, 'x'),
    }
    chars.into_iter().collect()
}

/// Returns another value for one column of a row.
fn edited(random: &mut StdRng, column: Column, row: &Model) -> Expr {
    let mut bytes = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        let at = random.random_range(0..bytes.len());
        bytes[at] ^= 1 << random.random_range(0..8);
        bytes
    };
    match column {
        Column::Id => Expr::value(kit::clock::new_id()),
        Column::At => {
            let by = [1, -1, 1_000_000, -86_400_000_000][random.random_range(0..4)];
            Expr::value(row.at + Duration::microseconds(by))
        }
        Column::Number => Expr::value([0, -5, row.number + 1_000][random.random_range(0..3)]),
        Column::PreviousHash => Expr::value(bytes(&row.previous_hash)),
        Column::Hash => Expr::value(bytes(&row.hash)),
        Column::Actor => Expr::value(other(random, &row.actor)),
        Column::ActorKey => Expr::value(other(random, &row.actor_key)),
        Column::Address => Expr::value(other(random, &row.address)),
        Column::Action => Expr::value(other(random, &row.action)),
        Column::Entity => Expr::value(other(random, &row.entity)),
        Column::EntityId => Expr::value(other(random, &row.entity_id)),
        Column::EntityName => Expr::value(other(random, &row.entity_name)),
        Column::EntityNameKey => Expr::value(other(random, &row.entity_name_key)),
        Column::BeforeJson => Expr::value(other(random, &row.before_json)),
        Column::AfterJson => Expr::value(other(random, &row.after_json)),
        Column::RequestId => Expr::value(other(random, &row.request_id)),
    }
}

async fn set(tx: &DatabaseTransaction, id: uuid::Uuid, column: Column, value: Expr) {
    let update = audit_entry::Entity::update_many().col_expr(column, value).filter(Column::Id.eq(id));
    assert_eq!(update.exec(tx).await.unwrap().rows_affected, 1);
}

async fn remove(tx: &DatabaseTransaction, row: &Model) {
    assert_eq!(audit_entry::Entity::delete_by_id(row.id).exec(tx).await.unwrap().rows_affected, 1);
}

/// Tampers with the log once. Returns a description, and the number of the first entry that the check must
/// report.
async fn tamper(tx: &DatabaseTransaction, random: &mut StdRng, rows: &[Model]) -> (String, i64) {
    let at = random.random_range(0..rows.len());
    let row = &rows[at];
    let last = rows.len() as i64;
    match random.random_range(0..10) {
        0..=4 => {
            let columns: Vec<Column> = Column::iter().collect();
            let column = columns[random.random_range(0..columns.len())];
            let value = edited(random, column, row);
            set(tx, row.id, column, value).await;
            (format!("{column:?} of {}", row.number), row.number)
        }
        5 => {
            // The attacker also recomputes the hash of the entry.
            let edited = Model { actor: other(random, &row.actor), ..row.clone() };
            let edited = Model { hash: chain::hash(&edited), ..edited };
            set(tx, row.id, Column::Actor, Expr::value(edited.actor)).await;
            set(tx, row.id, Column::Hash, Expr::value(edited.hash)).await;
            // For the last entry, only the head reveals the change.
            (format!("{} with its hash", row.number), if row.number == last { last } else { row.number + 1 })
        }
        6 => {
            remove(tx, row).await;
            (format!("without {}", row.number), row.number)
        }
        7 => {
            remove(tx, &rows[rows.len() - 1]).await;
            ("without the last".into(), last)
        }
        8 => {
            let next = &rows[(at + random.random_range(1..rows.len())) % rows.len()];
            for (id, number) in [(row.id, -1), (next.id, row.number), (row.id, next.number)] {
                set(tx, id, Column::Number, Expr::value(number)).await;
            }
            (format!("{} for {}", row.number, next.number), row.number.min(next.number))
        }
        _ => {
            // Numbers are unique, so move all later entries to insert one in the middle.
            let number = if random.random_bool(0.5) { last + 1 } else { row.number };
            for moved in rows.iter().rev().filter(|it| it.number >= number) {
                set(tx, moved.id, Column::Number, Expr::value(moved.number + 1)).await;
            }
            let before = rows.iter().find(|it| it.number == number - 1);
            let mut new = Model {
                id: kit::clock::new_id(),
                number,
                previous_hash: before.map_or(chain::NOTHING.to_vec(), |it| it.hash.clone()),
                ..row.clone()
            };
            new.hash = chain::hash(&new);
            let new = new.into_active_model().reset_all();
            audit_entry::Entity::insert(new).exec_without_returning(tx).await.unwrap();
            (format!("one more as {number}"), if number > last { number } else { number + 1 })
        }
    }
}

async fn a_thousand_tamperings_are_found(backend: Backend) {
    let test = TestDb::migrated::<Migrator>(backend).await;
    for n in 0..ENTRIES {
        add(&test.db, n).await;
    }
    let tx = test.db.begin().await.unwrap();
    lift_triggers(&test.db, &*tx).await;
    tx.commit().await.unwrap();
    let rows = audit_entry::Entity::find().order_by_asc(Column::Number).all(test.db.read()).await.unwrap();
    assert_eq!(head(test.db.read()).await.number, ENTRIES as i64);
    let mut random = StdRng::seed_from_u64(20_261_122);
    let (mut missed, mut wrong) = (Vec::new(), Vec::new());
    for n in 0..TAMPERINGS {
        let tx = test.db.begin().await.unwrap();
        let (what, first) = tamper(&tx, &mut random, &rows).await;
        match chain::check(&*tx, None).await.unwrap() {
            Found::Intact { .. } => missed.push(format!("{n}: {what}")),
            // A number changed to 0 or less sorts its entry first, and then the check reports entry 1.
            Found::Broken { number, .. } if number == first || what.starts_with("Number") => {}
            Found::Broken { number, why } => wrong.push(format!("{n}: {what}: {number} {why}")),
        }
        // Without a commit, dropping the transaction rolls all changes back.
        drop(tx);
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
    assert!(wrong.is_empty(), "not where it is: {wrong:?}");
    assert_eq!(head(test.db.read()).await.number, ENTRIES as i64, "each was taken back");
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tamperings_are_found_on_sqlite() {
    a_thousand_tamperings_are_found(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tamperings_are_found_on_postgres() {
    a_thousand_tamperings_are_found(Backend::Postgres).await;
}

::store::on_both!(the_head_is_watched_too, Migrator, |db: Db| async move {
    for n in 0..3 {
        add(&db, n).await;
    }
    let broken = async |statement: &str| {
        let tx = db.begin().await.unwrap();
        run(&*tx, statement).await;
        match chain::check(&*tx, None).await.unwrap() {
            Found::Broken { number, .. } => number,
            intact => panic!("{statement}: {intact:?}"),
        }
    };
    assert_eq!(broken("DELETE FROM audit_head").await, 4);
    assert_eq!(broken("UPDATE audit_head SET number = 2").await, 3);
    assert_eq!(broken("UPDATE audit_head SET number = 9").await, 4);
    assert_eq!(
        broken("UPDATE audit_head SET hash = (SELECT hash FROM audit_entry WHERE number = 1)").await,
        3
    );
    assert_eq!(head(db.read()).await.number, 3);
});

::store::on_both!(only_a_noted_seal_shows_a_chain_that_was_written_anew, Migrator, |db: Db| async move {
    for n in 0..3 {
        add(&db, n).await;
    }
    let noted = head(db.read()).await;
    add(&db, 3).await;
    let later = head(db.read()).await;
    assert_eq!(later.number, 4);
    let tx = db.begin().await.unwrap();
    assert!(matches!(chain::check(&*tx, Some(&noted)).await.unwrap(), Found::Intact { .. }));
    lift_triggers(&db, &*tx).await;
    let mut last = chain::NOTHING.to_vec();
    for row in audit_entry::Entity::find().order_by_asc(Column::Number).all(&*tx).await.unwrap() {
        let mut anew = Model { actor: "nobody".into(), previous_hash: last, ..row };
        anew.hash = chain::hash(&anew);
        last = anew.hash.clone();
        let anew = anew.into_active_model().reset_all();
        audit_entry::Entity::update(anew).exec(&*tx).await.unwrap();
    }
    audit_head::Entity::update_many()
        .col_expr(audit_head::Column::Hash, Expr::value(last))
        .exec(&*tx)
        .await
        .unwrap();
    assert_eq!(head(&*tx).await.number, 4, "by itself it is a good chain");
    let found = chain::check(&*tx, Some(&noted)).await.unwrap();
    assert!(matches!(found, Found::Broken { number: 3, .. }), "{found:?}");
});

::store::on_both!(appends_at_once_are_one_chain, Migrator, |db: Db| async move {
    let (db, all) = (&db, 40);
    let walks = async {
        for _ in 0..10 {
            assert!(head(db.read()).await.number <= all as i64);
        }
    };
    futures::future::join(futures::future::join_all((0..all).map(|n| add(db, n))), walks).await;
    assert_eq!(head(db.read()).await.number, all as i64);
    let kept = audit_entry::Entity::find().one(db.read()).await.unwrap().unwrap();
    assert_eq!(kept.at, kept.at.trunc_subsecs(6), "as exact as both databases keep it");
});

/// The migration also chains the entries that the previous release wrote.
async fn entries_of_before_are_chained(backend: Backend) {
    let test = TestDb::open(backend).await;
    let connection = sea_orm::Database::connect(&test.url).await.unwrap();
    // The migrations of the crate `store` come first.
    let until_the_second = ::store::migrate::migrations().len() + 2;
    Migrator::up(&connection, Some(until_the_second as u32)).await.unwrap();
    let old: Vec<Column> = Column::iter()
        .filter(|it| !matches!(it, Column::Number | Column::PreviousHash | Column::Hash))
        .collect();
    // With nanoseconds, as SQLite stores them.
    let at: DateTime<Utc> = "2026-01-01T00:00:00.123456789Z".parse().unwrap();
    let mut insert = Query::insert();
    insert.into_table(Alias::new("audit_entry")).columns(old.clone());
    for n in 0..1_200 {
        let values = old.iter().map(|column| match column {
            Column::Id => Expr::value(kit::clock::new_id()),
            Column::At => Expr::value(at),
            _ => Expr::value(n.to_string()),
        });
        insert.values_panic(values);
    }
    connection.execute(&insert).await.unwrap();
    connection.close().await.unwrap();
    ::store::migrate::up::<Migrator>(&test.db).await.unwrap();
    assert_eq!(head(test.db.read()).await.number, 1_200);
    add(&test.db, 0).await;
    assert_eq!(head(test.db.read()).await.number, 1_201);
    // Entries still cannot be changed.
    for statement in ["UPDATE audit_entry SET actor = 'x'", "DELETE FROM audit_entry"] {
        let tx = test.db.begin().await.unwrap();
        let error = tx.execute_unprepared(statement).await.unwrap_err().to_string();
        assert!(error.contains("audit entries are never changed or deleted"), "{error}");
    }
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_of_before_are_chained_on_sqlite() {
    entries_of_before_are_chained(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_of_before_are_chained_on_postgres() {
    entries_of_before_are_chained(Backend::Postgres).await;
}
