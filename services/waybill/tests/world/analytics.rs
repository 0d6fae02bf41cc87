//! Compares the facts of analytics with their owners' lists.

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{World, until};
use crate::imports::csv;
use crate::in_both_shapes;

const STATUSES: [&str; 5] =
    ["Pending", "Complete_No_Variance", "Complete_With_Variance", "Undelivered", "Rejected"];

/// Returns how many deliveries the list has in each status.
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

/// Returns the counts that a statement reads from the tables of analytics, by status.
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

/// Returns random filters in two forms: for the delivery list, and for a query of analytics.
fn random_filters(random: &mut StdRng) -> (Value, Value) {
    const FIELDS: [(&str, &str, &[&str]); 6] = [
        ("deliverystatus", "Delivery.deliverystatus", &STATUSES),
        ("trucker", "Delivery.trucker", &["h", "Har", "n", "er", "express", "zzz"]),
        ("customername", "CustomerReport.customername", &["a", "B", "m", "store", "%", "s"]),
        ("scanmode", "Delivery.scanmode", &["Yes", "No"]),
        ("shipmentnumber", "Delivery.shipmentnumber", &["1", "S", "s-1", "00"]),
        ("driverId", "Driver.driverId", &["D", "1", "dr"]),
    ];
    const OPERATORS: [(&str, &str); 6] = [
        ("equals", "equals"),
        ("!equals", "notEquals"),
        ("contains", "contains"),
        ("!contains", "notContains"),
        ("startsWith", "startsWith"),
        ("endsWith", "endsWith"),
    ];
    let (mut of_list, mut of_query) = (Vec::new(), Vec::new());
    let mut fields = FIELDS.to_vec();
    for _ in 0..random.random_range(1..4) {
        let (key, member, values) = fields.swap_remove(random.random_range(0..fields.len()));
        let (of_list_operator, operator) = match values == STATUSES || values.len() == 2 {
            true => OPERATORS[random.random_range(0..2)],
            false => OPERATORS[random.random_range(0..OPERATORS.len())],
        };
        let drawn: Vec<&str> =
            (0..random.random_range(1..3)).map(|_| values[random.random_range(0..values.len())]).collect();
        of_list.push(json!({ "key": key, "operator": of_list_operator, "values": drawn }));
        of_query.push(json!({ "member": member, "operator": operator, "values": drawn }));
    }
    (json!(of_list), json!(of_query))
}

/// Asserts that analytics and the delivery list count the same under random filters.
async fn agrees_at_random_filters(browser: &Browser, times: usize) {
    let mut random = StdRng::seed_from_u64(20_261_123);
    let list = "query Q($where: [Filter!]) { deliveriesCount(where: $where) { total exact } }";
    let mut found = 0;
    for _ in 0..times {
        let (of_list, of_query) = random_filters(&mut random);
        let listed = browser.data(list, json!({ "where": of_list })).await["deliveriesCount"].clone();
        assert_eq!(listed["exact"], true);
        let query = json!({ "query": { "measures": ["Delivery.count"], "filters": of_query } });
        let answer: Value = browser.post("/cubejs-api/v1/load", query).await.json().await.unwrap();
        let counted = answer["data"][0]["Delivery.count"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(counted, listed["total"].to_string(), "{of_query}");
        found += usize::from(counted != "0");
    }
    assert!(found > times / 4, "{found} filters passed something");
}

in_both_shapes!(facts_equal_the_lists, |world: World| async move {
    let browser = world.admin().await;
    let db = world.database(deliveries::NAME).await;
    let zone = world.config.organization.zone();
    deliveries::seed::run(&db, &world.clock, zone, 500).await.unwrap();
    db.close().await;
    // Demo data emits no events, so only a rebuild reads it.
    let db = world.database(analytics::NAME).await;
    analytics::seed::request_rebuild(&db, "admin", world.clock.now()).await.unwrap();
    db.close().await;
    agrees(&world, &browser).await;

    // Analytics receives all later data by events.
    let lines = ["A-1,S-1,Store,2026-11-20 08:00,1,RICE-25,12", "A-2,S-1,Store,2026-11-20 09:00,1,RICE-25,5"];
    let ended = browser.import("more.csv", csv(&lines)).await;
    assert_eq!(ended.status, "imported");
    agrees(&world, &browser).await;
    agrees_at_random_filters(&browser, 60).await;
    assert_eq!(facts(&world).await.values().sum::<i64>(), 502);
    world
});
