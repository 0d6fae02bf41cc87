//! Days and batches that are larger than usual.

use kit::Role;
use proto::drivers::v1::RecordDriverLogsRequest;
use serde_json::json;

use super::{EVENTS, LIST, log, noted, outcome, told, with};
use crate::world::World;

#[tokio::test]
async fn a_day_of_several_pages_survives_an_assignment_between_them() {
    let world = World::new();
    world.stage.long_day(250);
    let token = world.token(Role::Driver);
    let day = world.ask("GET", LIST, &token, None).await.json();
    let deliveries = day["deliveries"].as_array().unwrap();
    let ids: Vec<_> = deliveries.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect();
    let others: Vec<_> = (2..=250).map(|number| format!("D-{number}")).collect();
    assert_eq!((ids, &day["more"]), (others, &json!(false)), "each once, and none of another driver");
    assert!(deliveries.iter().all(|it| it["items"].as_array().unwrap().len() == 2));
}

/// Parsed values can take a hundred times the memory of their text, so foreign ones stay text. A parser would refuse
/// these, because they are too deep.
#[tokio::test]
async fn foreign_values_in_events_are_not_parsed() {
    let world = World::new();
    let deep = (0..200).fold(json!({}), |inner, _| json!({ "a": inner }));
    let events = [
        told("D-1", with(outcome(), "colour", deep.clone())),
        noted(with(log("arrived"), "detail", deep.clone())),
        noted(with(log("arrived"), "detail", json!([]))),
        told("D-1", outcome()),
    ];
    let answer = world.drive(EVENTS, json!({ "events": events })).await;
    assert_eq!(answer.status, 200, "{:.300}", answer.text());
    let results = answer.json()["results"].as_array().unwrap().clone();
    let ok: Vec<_> = results.iter().map(|result| result["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [false, true, false, true], "{results:#?}");
    assert_eq!(world.stage.asked::<RecordDriverLogsRequest>().logs[0].detail, deep.to_string());
}
