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

#[tokio::test]
async fn a_delivery_comes_with_its_items_and_history_in_one_call() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let ask = async |fields: &str| {
        let answer = world.query(&token, &format!(r#"{{ delivery(id: "d-1") {{ {fields} }} }}"#)).await;
        let calls = ["get", "items", "history"].map(|name| world.stage.calls(name).len());
        (answer["data"]["delivery"].clone(), calls)
    };
    let fields = "id items { itemNumber } history { id }";
    let (together, calls) = ask(fields).await;
    assert_eq!(together["items"], json!([{ "itemNumber": "1" }, { "itemNumber": "2" }]));
    assert_eq!(together["history"], json!([{ "id": "h-d-1" }]));
    assert_eq!(calls, [1, 0, 0]);
    assert_eq!(ask("id").await.1, [2, 0, 0]);
    let asked = world.stage.asked::<contract::GetDeliveryRequest>();
    assert_eq!((asked.items_up_to, asked.history), (0, false), "no more than is shown");

    // Lines of all deliveries of a request are counted before many of them are loaded.
    world.stage.long_lines(101);
    let (many, calls) = ask("items { itemNumber }").await;
    assert_eq!((many["items"].as_array().unwrap().len(), calls), (101, [3, 1, 0]));
    world.stage.long_lines(0);

    world.stage.answer_as_earlier();
    let (loaded, calls) = ask(fields).await;
    assert_eq!(calls, [4, 2, 1]);
    assert_eq!((&loaded["id"], &loaded["items"]), (&together["id"], &together["items"]));
    assert_eq!(loaded["history"].as_array().unwrap().len(), 1);
}

/// Reading and encoding all columns of each row is what costs most in a list.
#[tokio::test]
async fn a_list_asks_for_the_fields_that_are_shown() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let ask = async |fields: &str| {
        let answer =
            world.query(&token, &format!("{{ deliveries(page: {{ limit: 2 }}) {{ {fields} }} }}")).await;
        let asked = world.stage.asked::<contract::ListDeliveriesRequest>();
        (answer["data"]["deliveries"][0].clone(), asked.fields.join(" "))
    };
    let id = json!({ "id": "D-1", "__typename": "Delivery" });
    assert_eq!(ask("id __typename").await, (id, "id".to_owned()));
    assert_eq!(ask("doc: id ... on Delivery { id }").await.1, "id");
    let named = (json!({ "id": "D-1", "customername": "Customer 1" }), "customername id".to_owned());
    assert_eq!(ask("id customername").await, named);
    assert_eq!(ask("id ... on Delivery { customername }").await, named);
    assert_eq!(ask("driverId addressLat items { unit }").await.1, "address_point driver_id id linecount");
}

#[tokio::test]
async fn each_field_is_in_a_list_what_it_is_in_a_delivery_alone() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let sdl = gateway::sdl();
    let body = sdl.split_once("\ntype Delivery {").unwrap().1.split_once("\n}").unwrap().0;
    // Long descriptions stand between triple quotes.
    let lines = body.split("\"\"\"").step_by(2).flat_map(str::lines).map(str::trim);
    let fields = lines.filter_map(|line| line.split_once(": ")).filter(|(name, _)| !name.starts_with('"'));
    let select = |(name, of): (&str, &str)| {
        let of = of.trim_matches(['[', ']', '!']);
        let is_object = sdl.contains(&format!("\ntype {of} {{"));
        if is_object { format!("{name} {{ __typename }}") } else { name.to_owned() }
    };
    let fields: Vec<String> = fields.map(select).collect();
    assert!(fields.len() > 50);
    let all = fields.join(" ");
    for fields in fields.iter().chain([&all]) {
        let query = format!(
            "{{ deliveries(page: {{ limit: 1 }}) {{ {fields} }} delivery(id: \"D-1\") {{ {fields} }} }}"
        );
        let answer = world.query(&token, &query).await;
        assert!(answer["errors"].is_null(), "{answer}");
        assert_eq!(answer["data"]["deliveries"][0], answer["data"]["delivery"], "{fields}");
    }
}
