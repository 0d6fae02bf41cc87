//! Entities that many rows refer to are fetched with one call per kind.

use kit::Role;

use crate::world::{World, first_error};

const EVERYTHING: &str = "{ deliveries(page: {limit: 20}) { id items { itemNumber } history { id }
    shipment { shipmentstatus } customer { customerName } source { id } } }";

#[tokio::test]
async fn one_call_per_kind_of_reference() {
    let world = World::new();
    let answer = world.query(&world.token(Role::Viewer), EVERYTHING).await;
    let deliveries = answer["data"]["deliveries"].as_array().unwrap();
    assert_eq!(deliveries.len(), 20);
    for delivery in deliveries {
        assert_eq!(delivery["items"].as_array().unwrap().len(), 2, "whatever the spelling");
        assert_eq!(delivery["history"].as_array().unwrap().len(), 1);
        assert_eq!(delivery["shipment"]["shipmentstatus"], "Partial");
        assert!(delivery["customer"]["customerName"].is_string());
    }
    for (name, ids) in [("items", 20), ("history", 20), ("shipments", 1), ("customers", 2), ("sources", 1)] {
        let calls = world.stage.calls(name);
        assert_eq!(calls.len(), 1, "{name}");
        assert_eq!(calls[0].split(',').count(), ids, "{name}");
    }
    assert!(world.stage.calls("items")[0].contains("D-1,"), "ids keep their spelling");
}

#[tokio::test]
async fn nothing_loaded_for_one_request_is_shown_to_the_next() {
    let world = World::new();
    let query = r#"{ delivery(id: "D-1") { shipment { shipmentstatus } } }"#;
    world.query(&world.token(Role::Viewer), query).await;
    world.query(&world.token(Role::Viewer), query).await;
    assert_eq!(world.stage.calls("shipments").len(), 2);
    let driver = world.query(&world.token(Role::Driver), query).await;
    assert_eq!(first_error(&driver).0, "FORBIDDEN");
}
