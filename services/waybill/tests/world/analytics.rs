//! The facts of analytics, held against the lists of their owners.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, Statement};
use serde_json::json;

use crate::browser::Browser;
use crate::harness::{World, until};
use crate::imports::csv;
use crate::in_both_shapes;

const STATUSES: [&str; 5] =
    ["Pending", "Complete_No_Variance", "Complete_With_Variance", "Undelivered", "Rejected"];

/// How many deliveries of each status the list counts.
async fn listed(browser: &Browser) -> BTreeMap<String, i64> {
    let query = "query Q($where: [Filter!]) { deliveriesCount(where: $where) { total } }";
    let mut counts = BTreeMap::new();
    for status in STATUSES {
        let filters = json!([{ "key": "deliverystatus", "operator": "equals", "values": [status] }]);
        let data = browser.data(query, json!({ "where": filters })).await;
        let count = data["deliveriesCount"]["total"].as_i64().unwrap();
        if count > 0 {
            counts.insert(status.to_owned(), count);
        }
    }
    counts
}

/// The same, as a statement about the tables of analytics counts them.
async fn counted(world: &World, statement: &str) -> BTreeMap<String, i64> {
    let db = world.database(analytics::NAME).await;
    let rows = db.read().query_all_raw(Statement::from_string(db.backend(), statement)).await.unwrap();
    let pair = |row: &sea_orm::QueryResult| {
        (row.try_get::<String>("", "status").unwrap(), row.try_get::<i64>("", "number").unwrap())
    };
    let counts = rows.iter().map(pair).collect();
    db.close().await;
    counts
}

async fn facts(world: &World) -> BTreeMap<String, i64> {
    counted(
        world,
        "SELECT delivery_status AS status, CAST(COUNT(*) AS bigint) AS number FROM delivery_fact GROUP BY 1",
    )
    .await
}

async fn rolled_up(world: &World) -> BTreeMap<String, i64> {
    counted(
        world,
        "SELECT delivery_status AS status, CAST(SUM(deliveries) AS bigint) AS number FROM delivery_rollup \
         WHERE axis = 'scheduled' AND grain = 'trucker' GROUP BY 1",
    )
    .await
}

async fn agrees(world: &World, browser: &Browser) {
    let list = listed(browser).await;
    until("the facts are those of the list", || async { facts(world).await == list }).await;
    assert_eq!(rolled_up(world).await, list);
}

in_both_shapes!(facts_equal_the_lists, |world: World| async move {
    let browser = world.admin().await;
    let db = world.database(deliveries::NAME).await;
    let zone = world.config.organization.zone();
    deliveries::seed::run(&db, &world.clock, zone, 500).await.unwrap();
    db.close().await;
    // Demo data emits no events: a rebuild reads it.
    let db = world.database(analytics::NAME).await;
    analytics::seed::request_rebuild(&db, "admin", world.clock.now()).await.unwrap();
    db.close().await;
    agrees(&world, &browser).await;

    // Everything else comes by events.
    let lines = ["A-1,S-1,Store,2026-11-20 08:00,1,RICE-25,12", "A-2,S-1,Store,2026-11-20 09:00,1,RICE-25,5"];
    let ended = browser.import("more.csv", csv(&lines)).await;
    assert_eq!(ended.status, "imported");
    agrees(&world, &browser).await;
    assert_eq!(facts(&world).await.values().sum::<i64>(), 502);
    world
});
