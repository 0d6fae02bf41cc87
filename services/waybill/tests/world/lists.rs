//! Lists, lookups and counts as the screens request them.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::World;
use crate::in_both_shapes;

async fn seeded(world: &World) -> Browser {
    let browser = world.admin().await;
    let db = world.database(deliveries::NAME).await;
    deliveries::seed::run(&db, &world.clock, world.config.organization.zone(), 1_000).await.unwrap();
    db.close().await;
    browser
}

const LIST: &str = "query Q($page: PageOptions, $where: [Filter!]) { deliveries(page: $page) { id deliverystatus \
                    scheduledatetime customername trucker } deliveriesCount(where: $where) { total exact } }";

async fn list(browser: &Browser, filters: Value, sort: Value, limit: u32, offset: u32) -> (Vec<Value>, u64) {
    let page = json!({ "where": filters, "sort": sort, "limit": limit, "offset": offset });
    let data = browser.data(LIST, json!({ "page": page, "where": filters })).await;
    (data["deliveries"].as_array().unwrap().clone(), data["deliveriesCount"]["total"].as_u64().unwrap())
}

fn filter(key: &str, operator: &str, values: &[&str]) -> Value {
    json!({ "key": key, "operator": operator, "values": values })
}

in_both_shapes!(filters_sorts_and_pages_agree_with_each_other, |world: World| async move {
    let browser = seeded(&world).await;
    let (newest, all) = list(&browser, json!([]), json!([]), 100, 0).await;
    assert_eq!(all, 1_000);
    assert!(
        newest
            .windows(2)
            .all(|two| two[0]["scheduledatetime"].as_str() >= two[1]["scheduledatetime"].as_str())
    );

    let mut sum = 0;
    for status in ["Pending", "Complete_No_Variance", "Complete_With_Variance", "Undelivered", "Rejected"] {
        let (rows, count) =
            list(&browser, json!([filter("deliverystatus", "equals", &[status])]), json!([]), 100, 0).await;
        assert!(rows.iter().all(|row| row["deliverystatus"] == status));
        sum += count;
    }
    assert_eq!(sum, 1_000);

    // All pages together contain each row once, although many rows have the same value in the sorted column.
    let sort = json!([{ "key": "customername", "direction": "asc" }]);
    let mut seen = std::collections::BTreeSet::new();
    for offset in (0..1_000).step_by(100) {
        let (rows, _) = list(&browser, json!([]), sort.clone(), 100, offset).await;
        assert_eq!(rows.len(), 100);
        seen.extend(rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()));
    }
    assert_eq!(seen.len(), 1_000);

    let trucker = newest[0]["trucker"].as_str().unwrap();
    let (with, a) = list(&browser, json!([filter("trucker", "equals", &[trucker])]), json!([]), 10, 0).await;
    let (without, b) =
        list(&browser, json!([filter("trucker", "!equals", &[trucker])]), json!([]), 10, 0).await;
    assert!(
        with.iter().all(|row| row["trucker"] == trucker)
            && without.iter().all(|row| row["trucker"] != trucker)
    );
    assert_eq!(a + b, 1_000);
    let names = browser
        .data(
            "query Q($t: String!) { getTruckerDrilldown(startsWith: $t) }",
            json!({ "t": trucker.to_uppercase() }),
        )
        .await;
    assert!(names["getTruckerDrilldown"].as_array().unwrap().contains(&json!(trucker)));
    world
});

in_both_shapes!(lookups_are_prefixes_that_ignore_case, |world: World| async move {
    let browser = seeded(&world).await;
    let (rows, _) = list(&browser, json!([]), json!([]), 1, 0).await;
    let id = rows[0]["id"].as_str().unwrap();
    let prefix = id[..id.len() - 1].to_lowercase();
    let (found, _) = list(&browser, json!([filter("id", "startsWith", &[&prefix])]), json!([]), 30, 0).await;
    assert!(found.iter().any(|row| row["id"] == id) && found.len() <= 30);
    let query = "query Q($page: PageOptions) { customers(page: $page) { customerName customerEmail } }";
    let name = rows[0]["customername"].as_str().unwrap();
    let page = json!({ "where": [filter("customerName", "contains", &[&name.to_uppercase()])], "limit": 10 });
    let customers = browser.data(query, json!({ "page": page })).await["customers"].clone();
    assert_eq!(customers[0]["customerName"], name);
    let sources = browser.data("query { sources { name isActive } }", json!({})).await;
    assert!(
        sources["sources"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["name"] == "Default" && it["isActive"] == true)
    );
    world
});

in_both_shapes!(what_a_list_cannot_do_is_said, |world: World| async move {
    let browser = world.admin().await;
    for (page, reason) in [
        (json!({ "where": [filter("password", "equals", &["x"])] }), "FIELD_UNKNOWN"),
        (json!({ "where": [filter("id", "like", &["x"])] }), "FILTER_OPERATOR_UNKNOWN"),
        (json!({ "sort": [{ "key": "uploadLogId", "direction": "asc" }] }), "INVALID_FIELDS"),
        (json!({ "limit": 101 }), "INVALID_FIELDS"),
        (json!({ "offset": 1_000_001 }), "INVALID_FIELDS"),
    ] {
        let got = browser
            .refused(
                "query Q($page: PageOptions) { deliveries(page: $page) { id } }",
                json!({ "page": page }),
            )
            .await;
        assert_eq!(got, ("BAD_USER_INPUT".into(), reason.into()), "{page}");
    }
    let missing = browser
        .data("query { delivery(id: \"no such\") { id } uploadLog(id: \"x\") { id } }", json!({}))
        .await;
    assert_eq!(missing, json!({ "delivery": null, "uploadLog": null }));
    world
});
