use ::store::jobs::job;
use ::store::settings::setting_copy;
use ::store::testing::{Backend, TestDb};
use sea_orm::sea_query::{Alias, Query};
use sea_orm::{ConnectionTrait, EntityTrait};
use sea_orm_migration::MigratorTrait;

use super::*;
use crate::Migrator;
use crate::entity::{
    audit_head, report_mail, reset_token, session, setup, sign_in_address, signing_key, throttle,
};

/// Reads every column of every table: a column that the migrations do not create is an error.
async fn tables_match_entities(db: &Db) {
    user::Entity::find().all(db.read()).await.unwrap();
    user_role::Entity::find().all(db.read()).await.unwrap();
    session::Entity::find().all(db.read()).await.unwrap();
    signing_key::Entity::find().all(db.read()).await.unwrap();
    reset_token::Entity::find().all(db.read()).await.unwrap();
    throttle::Entity::find().all(db.read()).await.unwrap();
    sign_in_address::Entity::find().all(db.read()).await.unwrap();
    audit_entry::Entity::find().all(db.read()).await.unwrap();
    job::Entity::find().all(db.read()).await.unwrap();
    report_mail::Entity::find().all(db.read()).await.unwrap();
    setting_copy::Entity::find().all(db.read()).await.unwrap();
    assert_eq!(audit_head::Entity::find().all(db.read()).await.unwrap().len(), 1);
    assert_eq!(setup::Entity::find().all(db.read()).await.unwrap().len(), 1);
}

async fn up_down_up(backend: Backend) {
    let test = TestDb::migrated::<Migrator>(backend).await;
    tables_match_entities(&test.db).await;
    let first = salt(&test.db).await;
    let connection = sea_orm::Database::connect(&test.url).await.unwrap();
    let table =
        |name| Query::select().expr(sea_orm::sea_query::Expr::cust("1")).from(Alias::new(name)).to_owned();
    // Name the table: without it, SQLite reads an unknown column name as a text.
    let looks =
        Query::select().column((user::Entity, user::Column::UsernameLook)).from(user::Entity).to_owned();
    Migrator::down(&connection, Some(1)).await.unwrap();
    assert!(setting_copy::Entity::find().all(&connection).await.is_ok(), "only indexes change");
    Migrator::down(&connection, Some(1)).await.unwrap();
    assert!(setting_copy::Entity::find().all(&connection).await.is_err(), "down removes the sequence");
    Migrator::down(&connection, Some(1)).await.unwrap();
    assert!(connection.query_one(&table("setting_copy")).await.is_err(), "down removes the copies");
    assert!(report_mail::Entity::find().all(&connection).await.is_ok(), "what was before stays");
    Migrator::down(&connection, Some(1)).await.unwrap();
    assert!(report_mail::Entity::find().all(&connection).await.is_err(), "down removes the mails");
    Migrator::down(&connection, Some(1)).await.unwrap();
    assert!(job::Entity::find().all(&connection).await.is_err(), "down removes the jobs");
    assert!(user::Entity::find().all(&connection).await.is_ok(), "what was before stays");
    Migrator::down(&connection, Some(1)).await.unwrap();
    assert!(user::Entity::find().all(&connection).await.is_err(), "down removes the sequence of drivers");
    assert!(connection.query_one(&looks).await.is_ok(), "what was before stays");
    Migrator::down(&connection, Some(1)).await.unwrap();
    assert!(connection.query_one(&looks).await.is_err(), "down removes the looks");
    Migrator::down(&connection, Some(1)).await.unwrap();
    assert!(connection.query_one(&table("audit_head")).await.is_err(), "down removes the head");
    assert!(connection.query_one(&table("audit_entry")).await.is_ok(), "what was before stays");
    Migrator::down(&connection, Some(1)).await.unwrap();
    for name in ["audit_entry", "sign_in_address", "throttle", "reset_token"] {
        assert!(connection.query_one(&table(name)).await.is_err(), "down removes {name}");
    }
    assert!(connection.query_one(&table("users")).await.is_ok(), "what was before stays");
    Migrator::down(&connection, Some(1)).await.unwrap();
    assert!(connection.query_one(&table("users")).await.is_err(), "down removes the tables");
    assert!(::store::migrate::require_current::<Migrator>(&test.db, crate::NAME).await.is_err());
    connection.close().await.unwrap();
    ::store::migrate::up::<Migrator>(&test.db).await.unwrap();
    ::store::migrate::up::<Migrator>(&test.db).await.unwrap();
    ::store::migrate::require_current::<Migrator>(&test.db, crate::NAME).await.unwrap();
    tables_match_entities(&test.db).await;
    assert_ne!(first, salt(&test.db).await, "each database has its own");
    World::with_admin(test.db.clone()).await.login(NAME, PASSWORD).await.unwrap();
    test.close().await;
}

async fn salt(db: &Db) -> Vec<u8> {
    crate::store::setup(db.read()).await.unwrap().salt.0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn up_down_up_on_sqlite() {
    up_down_up(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn up_down_up_on_postgres() {
    up_down_up(Backend::Postgres).await;
}

::store::on_both!(names_are_unique_by_their_folded_form, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let db = &world.context.db;
    let mut twin = user::Entity::find().one(db.read()).await.unwrap().unwrap();
    twin.id = kit::clock::new_id();
    twin.username = "MARIA".into();
    let tx = db.begin().await.unwrap();
    let error =
        user::Entity::insert(user::ActiveModel::from(twin)).exec_without_returning(&*tx).await.unwrap_err();
    assert_eq!(::store::db(error).reason, "ALREADY_EXISTS");
});

/// The migrations keep an account that the previous release created.
async fn the_first_account_is_brought_along(backend: Backend) {
    let test = TestDb::open(backend).await;
    let connection = sea_orm::Database::connect(&test.url).await.unwrap();
    // The migrations of the crate `store` come first.
    let until_the_first = ::store::migrate::migrations().len() + 1;
    Migrator::up(&connection, Some(until_the_first as u32)).await.unwrap();
    for statement in [
        "INSERT INTO users (id, username, username_key, email, password_hash, status, created_at, created_by, \
         updated_at, updated_by, version) VALUES ('019a0000-0000-7000-8000-000000000001', 'Maria', 'maria', \
         'Maria@Example.com', 'x', 'active', '2026-01-01T00:00:00+00:00', 'system:auth', \
         '2026-01-01T00:00:00+00:00', 'system:auth', 1)",
        "INSERT INTO user_role (user_id, role) VALUES ('019a0000-0000-7000-8000-000000000001', 'admin')",
    ] {
        // SQLite stores ids as bytes.
        let id = "'019a0000-0000-7000-8000-000000000001'";
        let bytes = "x'019a0000000070008000000000000001'";
        let statement =
            if backend == Backend::Sqlite { statement.replace(id, bytes) } else { statement.to_owned() };
        connection.execute_unprepared(&statement).await.unwrap();
    }
    connection.close().await.unwrap();
    ::store::migrate::up::<Migrator>(&test.db).await.unwrap();
    let user = user::Entity::find().one(test.db.read()).await.unwrap().unwrap();
    assert_eq!((user.email_key.as_str(), user.role_list.as_str()), ("maria@example.com", "|admin|"));
    assert_eq!((user.display_name.as_str(), user.driver_id, user.driver_version), ("", None, 0));
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_account_is_brought_along_on_sqlite() {
    the_first_account_is_brought_along(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_account_is_brought_along_on_postgres() {
    the_first_account_is_brought_along(Backend::Postgres).await;
}
