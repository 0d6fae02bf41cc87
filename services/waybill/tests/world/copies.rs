//! Rebuilds copies of other services' data and the tables of analytics in the running product, with seeded
//! data as well.

use std::collections::BTreeMap;

use kit::blob::{Blob, LocalBlob, LocalConfig};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, JsonValue, QueryFilter, Statement,
};
use serde_json::json;
use store::copies;
use store::jobs::job;
use waybill::seed;
use waybill::target::{self, SERVICES};

use crate::harness::World;
use crate::imports::csv;
use crate::in_both_shapes;
use crate::running::until;

/// The tables of copies, each with the order of its rows.
const TABLES: [(&str, &str, &str); 13] = [
    (auth::NAME, "users", "username_key"),
    (auth::NAME, "setting_copy", "id"),
    (deliveries::NAME, "driver", "driver_id_key"),
    (deliveries::NAME, "setting_copy", "id"),
    (drivers::NAME, "setting_copy", "id"),
    (upload::NAME, "setting_copy", "id"),
    (analytics::NAME, "delivery_fact", "delivery_id_key"),
    (analytics::NAME, "variance_fact", "variance_id"),
    (analytics::NAME, "shipment_fact", "shipment_number_key"),
    (analytics::NAME, "driver_fact", "driver_id_key"),
    (analytics::NAME, "source_fact", "source_id"),
    (analytics::NAME, "stop_fact", "stop_key"),
    (analytics::NAME, "delivery_rollup", "rollup_id"),
];

/// Returns every row of every copy, without the number of the rebuild that wrote a fact.
async fn rows(world: &World) -> BTreeMap<String, Vec<JsonValue>> {
    let mut rows = BTreeMap::new();
    for (service, table, key) in TABLES {
        let db = world.database(service).await;
        // The row that records which settings were requested is not a setting.
        let only = if table == "setting_copy" { "WHERE id <> '*'" } else { "" };
        let text = format!("SELECT * FROM {table} {only} ORDER BY {key}");
        let statement = Statement::from_string(db.read().get_database_backend(), text);
        let mut found = JsonValue::find_by_statement(statement).all(db.read()).await.unwrap();
        for row in &mut found {
            row.as_object_mut().unwrap().remove("run");
        }
        rows.insert(format!("{service}.{table}"), found);
        db.close().await;
    }
    rows
}

/// Requests a rebuild of all copies, and waits until it is done.
async fn rebuild(world: &World) {
    for (row, copy) in target::copies(None) {
        let db = world.database(row.name).await;
        copies::request(&db, &copy, "test", world.clock.now()).await.unwrap();
        db.close().await;
    }
    let db = world.database(analytics::NAME).await;
    analytics::seed::request_rebuild(&db, "test", world.clock.now()).await.unwrap();
    db.close().await;
    for row in SERVICES.iter().filter(|row| row.name == analytics::NAME || !(row.copies)().is_empty()) {
        let db = world.database(row.name).await;
        until("every rebuild ended", || async {
            let jobs = job::Entity::find().filter(job::Column::Kind.is_in(["copy", "rebuild"]));
            let jobs = jobs.all(db.read()).await.unwrap();
            assert!(jobs.iter().all(|it| it.state != store::jobs::State::Failed), "{jobs:?}");
            !jobs.is_empty() && jobs.iter().all(|it| it.finished_at.is_some())
        })
        .await;
        db.close().await;
    }
}

/// Runs one statement in a service's database.
async fn change(world: &World, service: &str, text: &str) {
    let db = world.database(service).await;
    let tx = db.begin().await.unwrap();
    tx.execute_unprepared(text).await.unwrap();
    tx.commit().await.unwrap();
    db.close().await;
}

in_both_shapes!(copies_are_rebuilt_from_their_owners, |world: World| async move {
    let browser = world.admin().await;
    let dir = tempfile::tempdir().unwrap();
    let secret = "signs the links of this test and no others".to_owned().into();
    let objects = LocalConfig { root: dir.path().to_owned(), public_url: None, secret };
    let into = seed::Databases {
        accounts: world.database(auth::NAME).await,
        analytics: world.database(analytics::NAME).await,
        deliveries: world.database(deliveries::NAME).await,
        drivers: world.database(drivers::NAME).await,
        settings: world.database(settings::NAME).await,
        objects: Blob::Local(LocalBlob::new(objects, world.clock.clone()).unwrap()),
    };
    let wanted = seed::Wanted { deliveries: 100, staff: false };
    seed::run(&into, &world.clock, &world.config, wanted).await.unwrap();
    into.close().await;
    // A seed emits no events, so analytics reads the data from its owners.
    rebuild(&world).await;
    let seeded = rows(&world).await;
    assert!(seeded["auth.users"].len() > 10 && seeded["deliveries.driver"].len() > 10);
    assert_eq!(seeded["analytics.delivery_fact"].len(), 100);
    rebuild(&world).await;
    assert_eq!(rows(&world).await, seeded, "a rebuild of a fresh seed changes no row");

    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { version } }";
    let input = json!({ "driverId": "D-1", "name": "Dina who drives", "username": "dina.drives" });
    browser.data(create, json!({ "input": input })).await;
    let set = "mutation M($input: UpdateSettingValueInput!) { updateSettingValue(input: $input) { value } }";
    browser.data(set, json!({ "input": { "id": "delivery-max-attempts", "value": "7" } })).await;
    assert_eq!(
        browser.import("one.csv", csv(&["Q-1,S-Q,Corner Store,2026-11-20 08:00,1,RICE-25,12"])).await.status,
        "imported"
    );
    let all = [
        ("auth.users", 1),
        ("deliveries.driver", 1),
        ("deliveries.setting_copy", 1),
        ("analytics.driver_fact", 1),
        ("analytics.delivery_fact", 1),
        ("analytics.shipment_fact", 1),
    ];
    until("every copy has what was changed", || async {
        let now = rows(&world).await;
        all.iter().all(|(table, more)| now[*table].len() == seeded[*table].len() + more)
    })
    .await;
    let by_events = rows(&world).await;
    rebuild(&world).await;
    assert_eq!(rows(&world).await, by_events, "a rebuild makes what events made");

    // Rows that were lost, changed, or never received.
    let id = "driver_id_key = 'd-1'";
    change(&world, deliveries::NAME, &format!("DELETE FROM driver WHERE {id}")).await;
    change(&world, deliveries::NAME, "UPDATE driver SET name = 'Somebody else', version = 99").await;
    change(&world, deliveries::NAME, "UPDATE setting_copy SET value = '1' WHERE id <> '*'").await;
    let invented = "INSERT INTO driver SELECT 'zz', 'ZZ', 'Nobody', status, 1, 1 FROM driver LIMIT 1";
    change(&world, deliveries::NAME, invented).await;
    assert_ne!(rows(&world).await, by_events);
    rebuild(&world).await;
    assert_eq!(rows(&world).await, by_events, "a rebuild mends what no event would");
    world
});
