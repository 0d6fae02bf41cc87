use ::store::testing::{Backend, TestDb};
use sea_orm::sea_query::{Alias, Query};
use sea_orm::{ConnectionTrait, EntityTrait};
use sea_orm_migration::MigratorTrait;

use super::*;
use crate::Migrator;
use crate::entity::{session, setup, signing_key};

/// Reads every column of every table: a column the migrations do not make is an error.
async fn tables_match_entities(db: &Db) {
    user::Entity::find().all(db.read()).await.unwrap();
    user_role::Entity::find().all(db.read()).await.unwrap();
    session::Entity::find().all(db.read()).await.unwrap();
    signing_key::Entity::find().all(db.read()).await.unwrap();
    assert_eq!(setup::Entity::find().all(db.read()).await.unwrap().len(), 1);
}

async fn up_down_up(backend: Backend) {
    let test = TestDb::migrated::<Migrator>(backend).await;
    tables_match_entities(&test.db).await;
    let first = salt(&test.db).await;
    let connection = sea_orm::Database::connect(&test.url).await.unwrap();
    Migrator::down(&connection, Some(1)).await.unwrap();
    let users =
        Query::select().expr(sea_orm::sea_query::Expr::cust("1")).from(Alias::new("users")).to_owned();
    assert!(connection.query_one(&users).await.is_err(), "down removes the tables");
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
