//! What a query makes the gateway ask of services: one call per kind of entity, and no more than is shown.

use kit::Role;
use proto::deliveries::v1 as contract;
use serde_json::json;

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

/// Reading all columns of each row is what costs most in a lookup of ids.
#[tokio::test]
async fn a_list_of_ids_asks_for_ids_alone_and_any_other_for_whole_deliveries() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let ask = async |fields: &str| {
        let answer =
            world.query(&token, &format!("{{ deliveries(page: {{ limit: 2 }}) {{ {fields} }} }}")).await;
        let asked = world.stage.asked::<contract::ListDeliveriesRequest>();
        (answer["data"]["deliveries"][0].clone(), asked.ids_only)
    };
    assert_eq!(ask("id __typename").await, (json!({ "id": "D-1", "__typename": "Delivery" }), true));
    assert_eq!(ask("doc: id ... on Delivery { id }").await, (json!({ "doc": "D-1", "id": "D-1" }), true));
    let whole = json!({ "id": "D-1", "customername": "Customer 1" });
    assert_eq!(ask("id customername").await, (whole.clone(), false));
    assert_eq!(ask("id ... on Delivery { customername }").await, (whole, false));
    assert!(!ask("id items { unit }").await.1);
}
