//! Customers, sources and reasons in GraphQL: what the office changes reaches the service.

use kit::Role;
use proto::deliveries::v1 as contract;
use serde_json::{Value, json};

use crate::deliveries::mutate;
use crate::world::World;

#[tokio::test]
async fn parties_and_reasons_change_as_a_whole() {
    let world = World::new();
    let input = json!({ "customerName": "C", "version": 3, "customerEmail": "E", "customerAddress": "A",
        "code": "K", "phone": "1", "addressPoint": { "lat": 1, "lng": 2 }, "podRequirement": [] });
    let answer =
        mutate(&world, Role::Admin, "updateCustomer", "UpdateCustomerInput", input, "podRequirement").await;
    assert_eq!(answer["data"]["updateCustomer"]["podRequirement"], json!([]), "nothing is a decision too");
    assert_eq!(
        world.stage.asked::<contract::UpdateCustomerRequest>(),
        contract::UpdateCustomerRequest {
            customer_name: "C".into(),
            version: 3,
            customer_email: Some("E".into()),
            customer_address: "A".into(),
            code: Some("K".into()),
            phone: Some("1".into()),
            address_point: Some(contract::GeoPoint { lat: 1.0, lng: 2.0, accuracy: None }),
            pod_requirement: Some(contract::ProofSet { proofs: Vec::new() }),
        }
    );
    let input = json!({ "customerName": "C", "version": 3 });
    let answer =
        mutate(&world, Role::Admin, "updateCustomer", "UpdateCustomerInput", input, "podRequirement").await;
    assert_eq!(answer["data"]["updateCustomer"]["podRequirement"], Value::Null);

    mutate(&world, Role::Admin, "createSource", "CreateSourceInput", json!({ "name": "S" }), "id").await;
    let asked = world.stage.asked::<contract::CreateSourceRequest>();
    assert_eq!((asked.is_active, asked.pod_requirement), (true, None));
    let input =
        json!({ "id": "src", "version": 2, "name": "S", "isActive": false, "podRequirement": ["photo"] });
    mutate(&world, Role::Admin, "updateSource", "UpdateSourceInput", input, "id").await;
    let asked = world.stage.asked::<contract::UpdateSourceRequest>();
    assert_eq!((asked.is_active, asked.pod_requirement.unwrap().proofs), (false, vec!["photo".to_owned()]));

    let input = json!({ "appliesTo": "undelivered", "code": "other", "version": 2, "label": "Else",
        "requiresPhoto": true, "requiresNote": false, "responsible": "shipper", "isActive": false, "order": 9 });
    let answer =
        mutate(&world, Role::Admin, "updateReason", "UpdateReasonInput", input, "label responsible").await;
    assert_eq!(answer["data"]["updateReason"], json!({ "label": "Else", "responsible": "carrier" }));
    let asked = world.stage.asked::<contract::UpdateReasonRequest>();
    assert_eq!(
        (asked.applies_to.as_str(), asked.responsible.as_str(), asked.order),
        ("undelivered", "shipper", 9)
    );
    world.query(&world.token(Role::Viewer), "{ reasons(appliesTo: rejected) { code } }").await;
    assert_eq!(world.stage.calls("reasons rejected").len(), 1);
    let addresses = world.query(&world.token(Role::Viewer), "{ addresses { address point { lat } } }").await;
    assert_eq!(
        addresses["data"]["addresses"],
        json!([{ "address": "12 Rizal St", "point": { "lat": 14.5 } }, { "address": "13 Rizal St", "point": null }])
    );
}
