//! What the audit log receives before anybody gets data.

use std::time::Duration;

use kit::{Kind, Role};
use proto::auth::v1::RecordAccessRequest;
use serde_json::{Value, json};

use crate::live::plain;
use crate::stand_ins::position;
use crate::world::{Answer, World};

const DAY: &str = "from=2027-01-15T00:00:00%2B08:00&to=2027-01-16T00:00:00%2B08:00";
const WAY: &str = r#"{ driverPositions(driverId: "drv/1", from: "2027-01-15T00:00:00Z", to: "2027-01-16T00:00:00Z") { more } }"#;
const MAP: &str = "{ driverLocations { more } }";
const LOG: &str = "{ driverLogs { id } }";
const PROOF: &str = r#"mutation { mutatePresignedUrl(url: "/objects/proof/2027/ab.png") { presignedUrl } }"#;

async fn get(world: &World, address: &str) -> Answer {
    let bearer = format!("Bearer {}", world.token(Role::Viewer));
    world.get(address, &[("authorization", &bearer)]).await
}

fn told(world: &World) -> Vec<String> {
    world.stage.calls("access ")
}

#[tokio::test]
async fn each_export_is_told_of_with_what_was_asked_for() {
    let world = World::new();
    world.stage.was_at(vec![position(0)]);
    let form = "/delivery-forms/D-1.pdf?formVersion=2&paper=letter";
    let positions = format!("/export/driver-positions?driverId=drv%2F1&format=gpx&{DAY}");
    let asked = || {
        let asked = world.stage.asked::<RecordAccessRequest>();
        (asked.entity_id, asked.entity_name, serde_json::from_str::<Value>(&asked.detail_json).unwrap())
    };
    for _ in 0..2 {
        assert_eq!(get(&world, "/export/deliveries?format=csv&sort=-id").await.status, 200);
        let detail = json!({ "format": "csv", "sort": "-id" });
        assert_eq!(asked(), (String::new(), String::new(), detail));
    }
    assert_eq!(get(&world, "/export/deliveries?format=xlsx").await.status, 200);
    assert_eq!(get(&world, &positions).await.status, 200);
    let span = json!({ "format": "gpx", "from": "2027-01-14T16:00:00Z", "to": "2027-01-15T16:00:00Z" });
    assert_eq!(asked(), ("DRV/1".into(), "Ramon <Cruz>".into(), span));
    assert_eq!(get(&world, form).await.status, 200);
    let detail = json!({ "format": "pdf", "paper": "letter", "formVersion": 2 });
    assert_eq!(asked(), ("D-1".into(), "D-1".into(), detail));
    let list = "access deliveries.exported";
    assert_eq!(
        told(&world),
        [list, list, list, "access driver_positions.exported DRV/1", "access forms.exported D-1"]
    );
    // A refused request is not an export.
    assert_eq!(get(&world, "/export/deliveries?format=csv&filters=!").await.status, 400);
    assert_eq!(get(&world, "/export/deliveries?format=doc").await.status, 400);
    assert_eq!(told(&world).len(), 5);
}

#[tokio::test]
async fn without_the_log_nothing_leaves() {
    let world = World::new();
    world.stage.was_at(vec![position(0)]);
    let positions = format!("/export/driver-positions?driverId=drv%2F1&format=csv&{DAY}");
    for kind in [Kind::Unavailable, Kind::Internal, Kind::InvalidInput] {
        world.stage.lose_log(kind);
        for address in [
            "/export/deliveries?format=csv",
            "/export/deliveries?format=xlsx",
            &positions,
            "/delivery-forms/D-1.pdf",
        ] {
            let answer = get(&world, address).await;
            assert_eq!(answer.status, 503, "{address}");
            let body: Value = serde_json::from_str(&answer.text()).unwrap();
            assert_eq!(body["code"], "UNAVAILABLE");
            assert!(body["error"].as_str().unwrap().contains("Nothing was exported"), "{body}");
        }
        let token = world.token(Role::Viewer);
        for question in [WAY, MAP, LOG, PROOF] {
            let answer = world.query(&token, question).await;
            let extensions = &answer["errors"][0]["extensions"];
            assert_eq!(extensions["code"], "UNAVAILABLE", "{question}: {answer}");
            assert_eq!(extensions["reason"], "VIEW_UNRECORDED");
            assert!(answer["data"].is_null(), "{answer}");
        }
    }
    // The refused exports freed their slots: the status would be 429 otherwise.
    assert_eq!(get(&world, "/export/deliveries?format=csv").await.status, 503);
}

#[tokio::test]
async fn a_view_is_told_of_once_for_as_long_as_the_log_says() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let ask = async |question: &str| {
        let answer = world.query(&token, question).await;
        assert!(answer["errors"].is_null(), "{answer}");
    };
    for _ in 0..5 {
        for question in [MAP, WAY, LOG, PROOF] {
            ask(question).await;
        }
    }
    let views = [
        "access driver_location.viewed",
        "access driver_location.viewed drv/1",
        "access driver_log.viewed",
        "access proof.viewed D-1",
    ];
    assert_eq!(told(&world), views);
    // A request about one driver names that driver.
    let filter = r#"{ driverLogs(page: { where: [{ key: "driverId", operator: "equals", values: ["DRV-7"] }] }) { id } }"#;
    ask(filter).await;
    ask(r#"{ driverLocations(driverIds: ["DRV-8"]) { more } }"#).await;
    // A negated filter removes entries, so one driver is left.
    ask(r#"{ driverLogs(page: { where: [{ key: "driverId", operator: "equals", values: ["DRV-9"] }, { key: "driverId", operator: "!equals", values: ["DRV-1"] }] }) { id } }"#).await;
    // A second filter adds entries of other drivers. This is a view without a driver, as recorded above.
    for other in [r#""equals", values: ["DRV-5"]"#, r#""startsWith", values: ["D"]"#] {
        ask(&format!(r#"{{ driverLogs(page: {{ where: [{{ key: "driverId", operator: "equals", values: ["DRV-4"] }}, {{ key: "driverId", operator: {other} }}] }}) {{ id }} }}"#)).await;
    }
    let named = ["driver_log.viewed DRV-7", "driver_location.viewed DRV-8", "driver_log.viewed DRV-9"];
    assert_eq!(told(&world)[4..], named.map(|it| format!("access {it}")));
}

#[tokio::test]
async fn a_view_is_told_of_again_when_its_time_is_over() {
    let world = World::new();
    world.stage.hold_views_for(1);
    let token = world.token(Role::Viewer);
    let asking = async {
        while told(&world).len() < 2 {
            assert!(world.query(&token, MAP).await["errors"].is_null());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), asking).await.expect("it is never told again");
}

#[tokio::test]
async fn a_place_in_a_row_is_told_of_once_for_the_whole_list() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let ask = async |question: &str| {
        let answer = world.query(&token, question).await;
        assert!(answer["errors"].is_null(), "{answer}");
    };
    ask("{ drivers { driverId lastPosition { occurredAt } } }").await;
    assert!(told(&world).is_empty(), "when is not where");
    ask("{ drivers { driverId lastPosition { lat lng } } }").await;
    assert_eq!(told(&world), ["access driver_location.viewed"]);
    ask(r#"{ driver(driverId: "DRV/1") { lastPosition { ...p } } } fragment p on DriverPosition { lat }"#)
        .await;
    assert_eq!(told(&world).len(), 2);
    assert!(told(&world)[1].starts_with("access driver_location.viewed "), "{:?}", told(&world));
}

#[tokio::test]
async fn the_place_of_an_unpaired_device_is_told_of() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    for (fields, views) in [("occurredAt", 0), ("lat lng", 1)] {
        let question = format!("{{ unpairedDevices {{ uniqueId lastPosition {{ {fields} }} }} }}");
        let answer = world.query(&token, &question).await;
        assert!(answer["errors"].is_null(), "{answer}");
        assert_eq!(told(&world), vec!["access driver_location.viewed"; views], "{fields}");
    }
}

#[tokio::test]
async fn an_open_map_is_told_of_before_it_hears_anything() {
    let world = World::new();
    world.stage.moves(&["A/1"]);
    world.stage.lose_log(Kind::Unavailable);
    let address = world.serve().await;
    let mut socket = plain(&address).await;
    socket.init(json!({ "token": world.token(Role::Viewer) })).await;
    assert_eq!(socket.next().await, Ok(json!({ "type": "connection_ack" })));
    let moved = "subscription { driverPositionsChanged { locations { driverId } } }";
    socket.subscribe("1", moved, json!({})).await;
    let message = socket.next().await.expect("it was closed").to_string();
    assert!(message.contains("VIEW_UNRECORDED") && !message.contains("A/1"), "{message}");
    assert_eq!(told(&world), ["access driver_location.viewed"]);
}
