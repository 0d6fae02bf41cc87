//! Many rows at once, with values that an array of Postgres must escape.

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, Schema,
};
use store::outbox::outbox_event::{ActiveModel, Column, Entity, Model};
use store::testing::{Backend, TestDb};
use store::{Db, bulk, on_both};
use uuid::Uuid;

use crate::Migrator;

const AWKWARD: &[&str] = &[
    "",
    " ",
    "NULL",
    "null",
    "{}",
    "{a,b}",
    ",",
    "\"",
    "\\",
    "\\\"",
    "\\x41",
    "a\nb\r\t",
    "Peña",
    "日本 🚚",
    "\u{202e}abc",
    "'; DROP TABLE outbox; --",
    "$1",
    "\u{1}",
];

fn at(microseconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::microseconds(microseconds)
}

fn row(place: usize, text: &str, bytes: Vec<u8>, maybe: bool) -> Model {
    let time = at(1_700_000_000_123_456 + place as i64);
    Model {
        id: Uuid::from_u128(place as u128 + 1),
        subject: text.to_owned(),
        envelope: bytes,
        created_at: time,
        claimed_until: maybe.then_some(time),
        published_at: None,
        claims: place as i32 - 3,
        refused_at: (!maybe).then_some(time),
        refusal: maybe.then(|| text.to_owned()),
    }
}

async fn all(db: &Db) -> Vec<Model> {
    Entity::find().order_by_asc(Column::Id).all(db.read()).await.unwrap()
}

fn active(rows: &[Model]) -> Vec<ActiveModel> {
    rows.iter().cloned().map(|row| row.into_active_model().reset_all()).collect()
}

on_both!(rows_are_stored_as_they_are, Migrator, |db: Db| async move {
    // More than one statement takes, by either way.
    let text = |place: usize| AWKWARD[place % AWKWARD.len()];
    let bytes = |place: usize| vec![0, place as u8, b'"', b'\\', 255];
    let rows: Vec<Model> =
        (0..1_337).map(|place| row(place, text(place), bytes(place), place % 3 == 0)).collect();
    let tx = db.begin().await.unwrap();
    bulk::insert(&*tx, active(&rows)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(all(&db).await, rows);
});

on_both!(what_only_some_rows_set_is_empty_in_the_others, Migrator, |db: Db| async move {
    let rows = (0..40).map(|place| {
        let row = row(place, "text", Vec::new(), true).into_active_model().reset_all();
        let refusal = if place % 2 == 0 { row.refusal } else { NotSet };
        ActiveModel { refusal, published_at: NotSet, ..row }
    });
    let tx = db.begin().await.unwrap();
    bulk::insert(&*tx, rows.collect()).await.unwrap();
    tx.commit().await.unwrap();
    let refusals: Vec<bool> = all(&db).await.iter().map(|row| row.refusal.is_some()).collect();
    assert_eq!(refusals, (0..40).map(|place| place % 2 == 0).collect::<Vec<_>>());
});

mod level {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "level")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub name: String,
        pub level: f32,
        pub note: Option<String>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

on_both!(rows_with_a_type_that_has_no_array_are_stored_with_all_values, Migrator, |db: Db| async move {
    let rows: Vec<level::Model> = (0..40_i64)
        .map(|id| level::Model {
            id,
            name: format!("level {id}"),
            level: id as f32 / 2.0,
            note: (id % 2 == 0).then(|| "even".to_owned()),
        })
        .collect();
    let active = rows.iter().cloned().map(|row| row.into_active_model().reset_all());
    let tx = db.begin().await.unwrap();
    let table = Schema::new(tx.get_database_backend()).create_table_from_entity(level::Entity);
    tx.execute(&table).await.unwrap();
    bulk::insert(&*tx, active.collect()).await.unwrap();
    tx.commit().await.unwrap();
    let stored = level::Entity::find().order_by_asc(level::Column::Id).all(db.read()).await.unwrap();
    assert_eq!(stored, rows);
});

on_both!(a_conflict_is_decided_for_each_row, Migrator, |db: Db| async move {
    let rows: Vec<Model> = (0..300).map(|place| row(place, "before", Vec::new(), true)).collect();
    let tx = db.begin().await.unwrap();
    bulk::insert(&*tx, active(&rows[..200])).await.unwrap();
    let keep = OnConflict::column(Column::Id).do_nothing().to_owned();
    assert_eq!(bulk::upsert(&*tx, active(&rows[150..250]), &keep).await.unwrap(), 50);

    let raised = Expr::col((Entity, Column::Claims));
    let over = OnConflict::column(Column::Id)
        .value(Column::Claims, raised)
        .update_column(Column::Subject)
        .to_owned();
    let later = rows[100..].iter().map(|row| ActiveModel {
        subject: Set("after".to_owned()),
        ..row.clone().into_active_model().reset_all()
    });
    let mut changed = bulk::upsert_returning(&*tx, later.collect(), &over).await.unwrap();
    tx.commit().await.unwrap();
    changed.sort_by_key(|row| row.id);
    let stored = all(&db).await;
    assert_eq!(stored.len(), 300);
    assert_eq!(changed, stored[100..]);
    for (place, row) in stored.iter().enumerate() {
        assert_eq!(row.subject, if place < 100 { "before" } else { "after" });
    }
});

on_both!(rows_are_found_by_many_keys, Migrator, |db: Db| async move {
    let rows: Vec<Model> =
        AWKWARD.iter().enumerate().map(|(place, text)| row(place, text, Vec::new(), true)).collect();
    let tx = db.begin().await.unwrap();
    bulk::insert(&*tx, active(&rows)).await.unwrap();
    tx.commit().await.unwrap();
    let find = |keys: Vec<String>| {
        let db = db.clone();
        async move {
            let found = Entity::find().filter(bulk::among(db.read(), Column::Subject, keys));
            found.order_by_asc(Column::Id).all(db.read()).await.unwrap()
        }
    };
    for row in &rows {
        assert_eq!(find(vec![row.subject.clone()]).await, std::slice::from_ref(row));
    }
    let missing = (0..5_000).map(|place| format!("missing {place}"));
    let keys = AWKWARD.iter().map(|text| (*text).to_owned()).chain(missing);
    assert_eq!(find(keys.collect()).await, rows);
    assert!(find(Vec::new()).await.is_empty());
});

/// Any text that Postgres can store comes back as it was.
#[test]
fn any_text_and_bytes_survive_an_array() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let test = runtime.block_on(TestDb::migrated::<Migrator>(Backend::Postgres));
    let texts = proptest::collection::vec(("[^\u{0}]{0,20}", any::<Vec<u8>>(), any::<bool>()), 9..40);
    proptest!(ProptestConfig::with_cases(64), |(values in texts)| {
        let rows: Vec<Model> =
            values.into_iter().enumerate().map(|(place, (text, bytes, maybe))| row(place, &text, bytes, maybe)).collect();
        let stored = runtime.block_on(async {
            let tx = test.db.begin().await.unwrap();
            Entity::delete_many().exec(&*tx).await.unwrap();
            bulk::insert(&*tx, active(&rows)).await.unwrap();
            tx.commit().await.unwrap();
            all(&test.db).await
        });
        prop_assert_eq!(stored, rows);
    });
    runtime.block_on(test.close());
}
