//! Drivers in GraphQL: what screens read and send.

use std::time::{Duration, Instant};

use kit::Role;
use proto::deliveries::v1::BatchGetDriverDaysRequest;
use proto::drivers::v1 as contract;
use serde_json::{Value, json};

use crate::stand_ins::position;
use crate::world::{World, first_error};

async fn mutate(world: &World, name: &str, kind: &str, input: Value) -> Value {
    let query =
        format!("mutation M($input: {kind}!) {{ {name}(input: $input) {{ driverId status version }} }}");
    let ask = json!({ "query": query, "variables": { "input": input } });
    world.graphql(&world.token(Role::Dispatcher), ask).await.json()
}

#[tokio::test]
async fn a_driver_is_found_by_any_spelling_or_null() {
    let world = World::new();
    let query = r#"{ a: driver(driverId: " drv/1 ") { driverId name status username phone licenceExpiry deviceUniqueIds
            lastSeenAt onlineState trackingConsentAt updatedBy version
            lastPosition { occurredAt lat lng altitude speedKmh batteryPct charging motion provider valid filteredReason attributes } }
        b: driver(driverId: "nobody") { name } }"#;
    let answer = world.query(&world.token(Role::Viewer), query).await;
    assert_eq!(
        answer["data"],
        json!({
            "a": { "driverId": " DRV/1 ", "name": "Ramon <Cruz>", "status": "active", "username": "ramon",
                "phone": null, "licenceExpiry": "2027-01-31", "deviceUniqueIds": ["860"],
                "lastSeenAt": "2027-01-15T08:00:00Z", "onlineState": "stale", "trackingConsentAt": null,
                "updatedBy": "maria", "version": 7,
                "lastPosition": { "occurredAt": "2027-01-15T08:00:00Z", "lat": 14.5, "lng": -121.25,
                    "altitude": null, "speedKmh": 36.5, "batteryPct": 80.0, "charging": false, "motion": null,
                    "provider": "osmand", "valid": true, "filteredReason": null,
                    "attributes": { "a": "=1", "b": "2" } } },
            "b": null,
        })
    );
    assert_eq!(world.stage.calls("driver ")[0], "driver  drv/1 ", "as it was spelled");
}

#[tokio::test]
async fn a_lookup_asks_for_a_page_like_any_other() {
    let world = World::new();
    let query = r#"query Drivers($page: PageOptions) { drivers(page: $page) { driverId name } driversCount { total exact } }"#;
    let page = json!({ "where": [{ "key": "name", "operator": "contains", "values": ["ra"] }],
        "sort": [{ "key": "name", "direction": "asc" }], "limit": 20, "offset": 0 });
    let ask = json!({ "query": query, "variables": { "page": page } });
    let answer = world.graphql(&world.token(Role::Viewer), ask).await.json();
    assert_eq!(
        answer["data"],
        json!({ "drivers": [{ "driverId": "DRV/1", "name": "Ramon <Cruz>" }, { "driverId": "DRV/2", "name": "Ramon <Cruz>" }],
            "driversCount": { "total": 2, "exact": true } })
    );
    let asked = world.stage.last_page();
    assert_eq!((asked.limit, asked.r#where[0].values.as_slice()), (20, &["ra".to_owned()][..]));
}

#[tokio::test]
async fn drivers_of_many_deliveries_are_fetched_with_one_call() {
    let world = World::new();
    let query = "{ deliveries(page: {limit: 20}) { driverId driver { driverId name } } }";
    let answer = world.query(&world.token(Role::Viewer), query).await;
    let deliveries = answer["data"]["deliveries"].as_array().unwrap();
    assert_eq!(deliveries[0], json!({ "driverId": null, "driver": null }), "nobody is assigned");
    assert_eq!(
        deliveries[1],
        json!({ "driverId": "drv/2", "driver": { "driverId": "DRV/2", "name": "Ramon <Cruz>" } }),
        "whatever the spelling"
    );
    assert_eq!(deliveries[2], json!({ "driverId": "drv/0", "driver": null }), "not known");
    assert_eq!(world.stage.calls("drivers"), ["drivers drv/0,drv/1,drv/2"]);
}

#[tokio::test]
async fn deliveries_do_not_wait_for_a_drivers_service_that_is_silent() {
    let world = World::new();
    let _held = world.stage.hold("drivers");
    let begun = Instant::now();
    let query = "{ deliveries(page: {limit: 2}) { driverId driver { name } } }";
    let answer = world.query(&world.token(Role::Viewer), query).await;
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    assert_eq!(answer["data"]["deliveries"][1], json!({ "driverId": "drv/2" }));
    assert_eq!(answer["errors"][0]["extensions"]["reason"], "SERVICE_UNAVAILABLE");
}

#[tokio::test]
async fn what_is_entered_reaches_the_service() {
    let world = World::new();
    let input = json!({ "driverId": "a/1", "name": "Ana", "username": "ana", "phone": "+63", "email": "a@b.c",
        "trucker": "Haul", "licenceNumber": "N-1", "licenceExpiry": "2027-01-31", "vehiclePlate": "ABC 123",
        "language": "en", "trackingConsentAt": "2027-01-15T16:00:00+08:00" });
    let driver = contract::DriverInput {
        name: "Ana".into(),
        username: "ana".into(),
        phone: Some("+63".into()),
        email: Some("a@b.c".into()),
        trucker: Some("Haul".into()),
        licence_number: Some("N-1".into()),
        licence_expiry: Some("2027-01-31".into()),
        vehicle_plate: Some("ABC 123".into()),
        language: Some("en".into()),
        tracking_consent_at: Some(prost_types::Timestamp { seconds: 1_800_000_000, nanos: 0 }),
    };
    let answer = mutate(&world, "createDriver", "CreateDriverInput", input.clone()).await;
    assert_eq!(answer["data"]["createDriver"]["driverId"], "A/1", "{answer}");
    let asked = world.stage.asked::<contract::CreateDriverRequest>();
    assert_eq!((asked.driver_id.as_str(), asked.driver.as_ref()), ("a/1", Some(&driver)));

    let mut changed = input;
    changed["version"] = json!(7);
    mutate(&world, "updateDriver", "UpdateDriverInput", changed).await;
    let asked = world.stage.asked::<contract::UpdateDriverRequest>();
    assert_eq!((asked.driver_id.as_str(), asked.version, asked.driver), ("a/1", 7, Some(driver)));
    let least = json!({ "driverId": "a", "version": 7, "name": "A", "username": "a", "phone": null });
    mutate(&world, "updateDriver", "UpdateDriverInput", least).await;
    let asked = world.stage.asked::<contract::UpdateDriverRequest>().driver.unwrap();
    assert_eq!((asked.phone, asked.tracking_consent_at), (None, None));

    let input = json!({ "driverId": "a/1", "status": "blocked" });
    let answer = mutate(&world, "updateDriverStatus", "UpdateDriverStatusInput", input).await;
    assert_eq!(answer["data"]["updateDriverStatus"]["status"], "blocked");
    let asked = world.stage.asked::<contract::UpdateDriverStatusRequest>();
    assert_eq!((asked.version, asked.status()), (None, contract::DriverStatus::Blocked));

    let input = json!({ "uniqueId": "861/x", "driverId": "a/1" });
    let answer = mutate(&world, "pairDevice", "PairDeviceInput", input.clone()).await;
    assert_eq!(answer["data"]["pairDevice"]["driverId"], "A/1");
    mutate(&world, "unpairDevice", "UnpairDeviceInput", input).await;
    let asked = world.stage.asked::<contract::UnpairDeviceRequest>();
    assert_eq!((asked.unique_id.as_str(), asked.driver_id.as_str()), ("861/x", "a/1"));
}

#[tokio::test]
async fn a_refusal_says_which_field_and_why() {
    let world = World::new();
    let input = json!({ "driverId": "taken", "name": "Ana", "username": "ana" });
    let taken = mutate(&world, "createDriver", "CreateDriverInput", input).await;
    assert_eq!(first_error(&taken).0, "BAD_USER_INPUT");
    assert_eq!(
        taken["errors"][0]["extensions"]["properties"]["messages"],
        json!({ "driverId": ["Another driver has this id"] })
    );
    let input = json!({ "driverId": "a", "version": 6, "name": "Ana", "username": "ana" });
    for (answer, reason) in [
        (mutate(&world, "updateDriver", "UpdateDriverInput", input).await, "DRIVER_CHANGED"),
        (
            mutate(&world, "pairDevice", "PairDeviceInput", json!({ "uniqueId": "taken", "driverId": "a" }))
                .await,
            "DEVICE_TAKEN",
        ),
    ] {
        let extensions = &answer["errors"][0]["extensions"];
        assert_eq!(
            (&extensions["code"], &extensions["reason"]),
            (&json!("FAILED_PRECONDITION"), &json!(reason))
        );
    }
    let input = json!({ "uniqueId": "861", "driverId": "nobody" });
    let answer = mutate(&world, "pairDevice", "PairDeviceInput", input).await;
    assert_eq!(first_error(&answer), ("NOT_FOUND".into(), "There is no such driver.".into()));
}

#[tokio::test]
async fn devices_and_what_drivers_did() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let query = r#"{ unpairedDevices { uniqueId provider firstSeenAt positions lastPosition { lat } address }
        driverLogs(page: { sort: [{ key: "occurredAt", direction: desc }] }) { id driverName activity deliveryId lat lng detail }
        driverLogsCount { total exact } a: driverLog(id: "l-2") { receivedAt } b: driverLog(id: "x") { id } }"#;
    let answer = world.query(&token, query).await;
    assert_eq!(
        answer["data"],
        json!({
            "unpairedDevices": [{ "uniqueId": "861/x", "provider": "owntracks", "positions": 12,
                "firstSeenAt": "1970-01-01T00:00:01Z", "lastPosition": { "lat": 14.5 }, "address": "203.0.113.7" }],
            "driverLogs": [
                { "id": "l-1", "driverName": "Ramon", "activity": "arrived", "deliveryId": null, "lat": 14.5,
                    "lng": null, "detail": { "battery": 12 } },
                { "id": "l-2", "driverName": "Ramon", "activity": "arrived", "deliveryId": null, "lat": 14.5,
                    "lng": null, "detail": {} },
            ],
            "driverLogsCount": { "total": 10_000, "exact": false },
            "a": { "receivedAt": "1970-01-01T00:00:02Z" }, "b": null,
        })
    );
    let broken = world.query(&token, r#"{ driverLog(id: "l-1") { detail } }"#).await;
    assert_eq!(first_error(&broken).0, "INTERNAL", "what is no JSON is nobody's guess");
}

#[tokio::test]
async fn a_trail_is_read_on_with_its_cursor() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    world.stage.was_at((0..5).map(position).collect());
    world.stage.tracker_page(3);
    let query = "query Q($after: String) { driverPositions(driverId: \"drv/1\", from: \"2027-01-15T00:00:00Z\",
        to: \"2027-01-16T00:00:00+08:00\", after: $after) { positions { occurredAt receivedAt lat } cursor more } }";
    let (mut after, mut times, mut mores) = (Value::Null, Vec::new(), Vec::new());
    for _ in 0..3 {
        let ask = json!({ "query": query, "variables": { "after": after } });
        let answer = world.graphql(&token, ask).await.json();
        let trail = &answer["data"]["driverPositions"];
        times.extend(trail["positions"].as_array().unwrap().iter().map(|it| it["occurredAt"].clone()));
        mores.push(trail["more"].as_bool().unwrap());
        after = trail["cursor"].clone();
    }
    assert_eq!((times.len(), mores.as_slice()), (5, &[true, false, false][..]));
    assert_eq!(after, Value::Null, "nothing to go on from");
    assert_eq!(times[4], "2027-01-15T08:00:04Z");
    let asked = world.stage.asked::<contract::ListPositionsRequest>();
    assert_eq!(
        (asked.driver_id.as_str(), asked.from.unwrap().seconds, asked.to.unwrap().seconds),
        ("drv/1", 1_799_971_200, 1_800_028_800)
    );
}

#[tokio::test]
async fn a_whole_trail_fits_a_document_and_two_do_not() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let all = "driverId occurredAt receivedAt lat lng altitude speedKmh headingDeg accuracyM batteryPct
        charging motion odometerM provider valid filteredReason attributes";
    let trail = format!(
        "driverPositions(driverId: \"a\", from: \"2027-01-15T00:00:00Z\", to: \"2027-01-16T00:00:00Z\") {{ positions {{ {all} }} cursor more }}"
    );
    let map = format!(
        "driverLocations {{ locations {{ driverId name status onlineState position {{ {all} }} }} cursor more }}"
    );
    let days = "driverDays(driverIds: [], from: \"2027-01-15T00:00:00Z\", to: \"2027-01-16T00:00:00Z\") {
        driverId total done undelivered currentDeliveryId nextDeliveryId }";
    let devices = format!(
        "unpairedDevices {{ uniqueId provider firstSeenAt lastSeenAt positions address lastPosition {{ {all} }} }}"
    );
    let list = format!("drivers(page: {{ limit: 100 }}) {{ driverId name status username phone email trucker licenceNumber
        licenceExpiry vehiclePlate deviceUniqueIds lastSeenAt onlineState trackingConsentAt language createdAt createdBy
        updatedAt updatedBy version lastPosition {{ {all} }} }}");
    for document in [
        format!("{{ {trail} }}"),
        format!("{{ {map} {days} }}"),
        format!("{{ {devices} }}"),
        format!("{{ {list} }}"),
    ] {
        let answer = world.query(&token, &document).await;
        assert!(answer["errors"].is_null(), "{document}: {answer}");
    }
    let two = world.query(&token, &format!("{{ a: {trail} b: {trail} }}")).await;
    assert_eq!(first_error(&two).0, "GRAPHQL_VALIDATION_FAILED");
}

#[tokio::test]
async fn locations_are_everybodys_or_of_those_who_are_named() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    world.stage.moves(&["A/1", "B", "C"]);
    let all = world.query(&token, "{ driverLocations { locations { driverId name status onlineState position { lat } } cursor more } }").await;
    let all = &all["data"]["driverLocations"];
    assert_eq!(all["locations"].as_array().unwrap().len(), 3);
    assert_eq!(
        all["locations"][0],
        json!({ "driverId": "A/1", "name": "Driver A/1", "status": "active", "onlineState": "online",
            "position": { "lat": 14.5 } })
    );
    world.stage.moves(&["B", "A/1"]);
    let query = "query Q($after: String, $ids: [String!]) { driverLocations(after: $after, driverIds: $ids) { locations { driverId } cursor more } }";
    let ask = json!({ "query": query, "variables": { "after": all["cursor"], "ids": ["a/1"] } });
    let since = world.graphql(&token, ask).await.json();
    assert_eq!(
        since["data"]["driverLocations"],
        json!({ "locations": [{ "driverId": "A/1" }], "cursor": "5", "more": false })
    );
    let many: Vec<_> = (0..1_001).map(|n| n.to_string()).collect();
    for (ids, after) in [(json!([]), json!(null)), (json!(many), json!(null)), (json!(null), json!("x"))] {
        let ask = json!({ "query": query, "variables": { "after": after, "ids": ids } });
        let refused = world.graphql(&token, ask).await.json();
        assert_eq!(first_error(&refused).0, "BAD_USER_INPUT", "{refused}");
    }
}

#[tokio::test]
async fn days_are_asked_for_many_drivers_at_once() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let query = "query Q($ids: [String!]!) { driverDays(driverIds: $ids, from: \"2027-01-14T16:00:00Z\",
        to: \"2027-01-15T16:00:00Z\") { driverId total done undelivered currentDeliveryId nextDeliveryId } }";
    let ask = |ids: Value| json!({ "query": query, "variables": { "ids": ids } });
    let answer = world.graphql(&token, ask(json!(["DRV/1", "b"]))).await.json();
    assert_eq!(
        answer["data"]["driverDays"],
        json!([
            { "driverId": "DRV/1", "total": 9, "done": 4, "undelivered": 1, "currentDeliveryId": "D-1", "nextDeliveryId": null },
            { "driverId": "b", "total": 9, "done": 4, "undelivered": 1, "currentDeliveryId": "D-1", "nextDeliveryId": null },
        ])
    );
    let asked = world.stage.asked::<BatchGetDriverDaysRequest>();
    assert_eq!((asked.from.unwrap().seconds, asked.to.unwrap().seconds), (1_799_942_400, 1_800_028_800));
    let many: Vec<_> = (0..1_001).map(|n| n.to_string()).collect();
    let refused = world.graphql(&token, ask(json!(many))).await.json();
    assert!(
        refused["errors"][0]["extensions"]["properties"]["messages"]["driverIds"].is_array(),
        "{refused}"
    );
}
