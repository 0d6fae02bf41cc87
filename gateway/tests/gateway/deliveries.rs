//! Deliveries in GraphQL: what screens read and send, word for word.

use kit::Role;
use proto::deliveries::v1 as contract;
use serde_json::{Value, json};

use crate::world::{World, first_error};

pub async fn mutate(world: &World, role: Role, name: &str, kind: &str, input: Value, fields: &str) -> Value {
    let query = format!("mutation M($input: {kind}!) {{ {name}(input: $input) {{ {fields} }} }}");
    let ask = json!({ "query": query, "variables": { "input": input } });
    world.graphql(&world.token(role), ask).await.json()
}

fn messages(answer: &Value) -> &Value {
    assert_eq!(first_error(answer).0, "BAD_USER_INPUT", "{answer}");
    &answer["errors"][0]["extensions"]["properties"]["messages"]
}

#[tokio::test]
async fn a_delivery_tells_its_outcome_and_what_may_be_done() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let query = r#"{ delivery(id: "d-1") { addressPoint { lat lng accuracy } receivedBy receivedByRelation
        outcomeReason outcomeDistanceM outcomeOccurredAt outcomePoint { lat } late conflict formVersion
        allowedActions podRequirement timeWindowStart timeWindowEnd } }"#;
    let answer = world.query(&token, query).await;
    assert_eq!(
        answer["data"]["delivery"],
        json!({
            "addressPoint": { "lat": 14.5, "lng": 121.0, "accuracy": 12.0 }, "receivedBy": "Ana",
            "receivedByRelation": "safe_place", "outcomeReason": null, "outcomeDistanceM": 31.5,
            "outcomeOccurredAt": null, "outcomePoint": null, "late": false, "conflict": false,
            "formVersion": 2, "allowedActions": ["correct_lines", "print"],
            "podRequirement": ["signature", "photo"], "timeWindowStart": "2027-01-15T09:00:00Z",
            "timeWindowEnd": "2027-01-15T10:00:00Z",
        }),
        "an action that only a newer service knows is left out"
    );
    let query = r#"{ delivery(id: "D-1") {
        items { quantityDelivered quantityRejected quantityMissing quantityExtra condition }
        variances { kind expectedQuantity actualQuantity difference reason occurredAt }
        attachments { kind source sizeBytes url width } forms { formVersion supersededBy status content { reason } } } }"#;
    let answer = world.query(&token, query).await;
    let delivery = &answer["data"]["delivery"];
    assert_eq!(
        delivery["items"][0],
        json!({ "quantityDelivered": 2.0, "quantityRejected": 0.0, "quantityMissing": 0.5,
            "quantityExtra": 0.0, "condition": "wrong_item" })
    );
    assert_eq!(
        delivery["variances"],
        json!([{ "kind": "wrong_item", "expectedQuantity": 2.5, "actualQuantity": 2.0, "difference": -0.5,
            "reason": null, "occurredAt": "1970-01-01T00:00:01Z" }])
    );
    assert_eq!(
        delivery["attachments"],
        json!([{ "kind": "barcode_image", "source": "driver_app", "sizeBytes": 5e9,
            "url": "/objects/proof/x", "width": null }])
    );
    assert_eq!(
        delivery["forms"],
        json!([
            { "formVersion": 3, "supersededBy": null, "status": "Rejected", "content": null },
            { "formVersion": 2, "supersededBy": 3, "status": "Rejected", "content": null },
        ])
    );
}

#[tokio::test]
async fn new_references_of_many_rows_are_fetched_with_one_call_each() {
    let world = World::new();
    let query = "{ deliveries(page: {limit: 20}) { variances { id } attachments { id } forms { formVersion } podRequirement } }";
    let answer = world.query(&world.token(Role::Viewer), query).await;
    assert_eq!(answer["data"]["deliveries"].as_array().unwrap().len(), 20, "{answer}");
    for name in ["variances", "attachments", "forms", "requirements"] {
        let calls = world.stage.calls(name);
        assert_eq!((calls.len(), calls[0].split(',').count()), (1, 20), "{name}");
    }
}

#[tokio::test]
async fn single_things_are_found_by_any_spelling_or_null() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let query = r#"{ a: deliveryItem(deliveryId: "D-1", itemNumber: " 2") { itemNumber }
        b: deliveryItem(deliveryId: "D-1", itemNumber: "9") { itemNumber }
        c: customer(customerName: "A/B 100% Co") { customerName podRequirement }
        d: customer(customerName: "Nobody") { customerName }
        e: source(id: "src") { name podRequirement } f: source(id: "x") { name } }"#;
    let answer = world.query(&token, query).await;
    assert_eq!(
        answer["data"],
        json!({
            "a": { "itemNumber": "2" }, "b": null,
            "c": { "customerName": "A/B 100% Co", "podRequirement": null }, "d": null,
            "e": { "name": "Files", "podRequirement": null }, "f": null,
        })
    );
}

#[tokio::test]
async fn a_form_is_as_it_was_issued() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let query = r#"{ deliveryForm(deliveryId: "D-1") { formVersion verificationCode content {
        delivery { receivedBy history { id } } items { condition } attachments { id } correctionReason } } }"#;
    let answer = world.query(&token, query).await;
    assert_eq!(
        answer["data"]["deliveryForm"],
        json!({ "formVersion": 3, "verificationCode": "ABCD-EFGH", "content": {
            "delivery": { "receivedBy": "As it was", "history": [{ "id": "h-D-1" }] },
            "items": [{ "condition": "ok" }], "attachments": [{ "id": "a-D-1" }],
            "correctionReason": "Counted again" } })
    );
    let query = r#"{ deliveryForm(deliveryId: "D-1", without: [photos, notes]) { description {
        title sections { facts { label } } items { columns { kind title } rows { cells } totals { cells } }
        signature { name } logoUrl } } }"#;
    let answer = world.query(&token, query).await;
    assert_eq!(
        answer["data"]["deliveryForm"]["description"],
        json!({ "title": "Delivery form", "sections": [{ "facts": [{ "label": "" }] }],
            "items": { "columns": [{ "kind": "quantity", "title": "Expected" }],
                "rows": [{ "cells": ["40"] }], "totals": [] },
            "signature": null, "logoUrl": null })
    );
    let asked = world.stage.asked::<contract::GetFormRequest>();
    assert_eq!(asked.without().collect::<Vec<_>>(), [contract::FormPart::Photos, contract::FormPart::Notes]);
    let query = r#"{ a: deliveryForm(deliveryId: "D-1", formVersion: 2) { formVersion supersededBy }
        b: deliveryForm(deliveryId: "D-1", formVersion: 0) { formVersion }
        c: deliveryForm(deliveryId: "x") { formVersion } }"#;
    let answer = world.query(&token, query).await;
    assert_eq!(answer["data"], json!({ "a": { "formVersion": 2, "supersededBy": 3 }, "b": null, "c": null }));
}

#[tokio::test]
async fn history_is_a_list_with_a_count() {
    let world = World::new();
    let query = r#"{ deliveryStatusHistories(page: { where: [{ key: "deliveryId", operator: "contains", values: ["D"] }] }) {
        fromStatus toStatus point { lat } late superseded changes { itemNumber field before after } } deliveryStatusHistoriesCount { total } }"#;
    let answer = world.query(&world.token(Role::Viewer), query).await;
    assert_eq!(
        answer["data"]["deliveryStatusHistories"][0],
        json!({ "fromStatus": "Pending", "toStatus": "Rejected", "point": { "lat": 14.5 }, "late": true,
            "superseded": true, "changes": [{ "itemNumber": "1", "field": "quantityDelivered", "before": "0",
            "after": null }] })
    );
    assert_eq!(answer["data"]["deliveryStatusHistoriesCount"]["total"], 1);
    assert_eq!(world.stage.last_page().r#where[0].values, ["D"]);
}

#[tokio::test]
async fn an_outcome_reaches_the_service_exact() {
    let world = World::new();
    let input = json!({
        "deliveryId": "D-1", "version": 7, "clientEventId": "e-1", "attempt": 2,
        "status": "Complete_With_Variance", "outcomeReason": "other", "outcomeNote": "note",
        "receivedBy": "Ana", "receivedByRelation": "pickup_point", "scanmode": "Yes",
        "point": { "lat": 14.5, "lng": 121.25 }, "occurredAt": "2027-01-15T16:00:00.25+08:00",
        "lines": [
            { "itemNumber": "1", "quantityDelivered": 0.1, "quantityRejected": 8.029, "condition": "damaged",
              "varianceReason": "damaged_in_transit", "varianceNote": "wet" },
            { "itemNumber": "2", "quantityDelivered": 2, "quantityRejected": 0 },
        ],
    });
    let answer = mutate(&world, Role::Dispatcher, "recordOutcome", "RecordOutcomeInput", input, "id").await;
    assert_eq!(answer["data"]["recordOutcome"]["id"], "D-1", "{answer}");
    let asked = world.stage.asked::<contract::RecordOutcomeRequest>();
    let line = |number: &str, delivered, rejected, condition: contract::Condition| contract::LineCount {
        item_number: number.into(),
        delivered_thousandths: delivered,
        rejected_thousandths: rejected,
        condition: condition.into(),
        ..contract::LineCount::default()
    };
    assert_eq!(
        asked,
        contract::RecordOutcomeRequest {
            delivery_id: "D-1".into(),
            version: Some(7),
            client_event_id: "e-1".into(),
            status: Some(contract::DeliveryStatus::CompleteWithVariance.into()),
            attempt: Some(2),
            lines: vec![
                contract::LineCount {
                    reason: Some("damaged_in_transit".into()),
                    note: Some("wet".into()),
                    ..line("1", 100, 8_029, contract::Condition::Damaged)
                },
                line("2", 2_000, 0, contract::Condition::Ok),
            ],
            reason: Some("other".into()),
            note: Some("note".into()),
            received_by: Some("Ana".into()),
            received_by_relation: Some(contract::Relation::PickupPoint.into()),
            scanmode: contract::ScanMode::Yes.into(),
            point: Some(contract::GeoPoint { lat: 14.5, lng: 121.25, accuracy: None }),
            occurred_at: Some(prost_types::Timestamp { seconds: 1_800_000_000, nanos: 250_000_000 }),
        }
    );
    let input = json!({ "deliveryId": "D-1", "clientEventId": "e-1" });
    mutate(&world, Role::Dispatcher, "recordOutcome", "RecordOutcomeInput", input, "id").await;
    let asked = world.stage.asked::<contract::RecordOutcomeRequest>();
    assert_eq!((asked.version, asked.status, asked.attempt, asked.occurred_at), (None, None, None, None));
    assert_eq!((asked.scanmode, asked.lines.len()), (0, 0));
}

#[tokio::test]
async fn what_is_wrong_stands_under_the_fields_of_the_form() {
    let world = World::new();
    let lines = json!([
        { "itemNumber": "1", "quantityDelivered": 1.0005, "quantityRejected": -1 },
        { "itemNumber": "2", "quantityDelivered": 1e30, "quantityRejected": 0 },
    ]);
    for (name, kind, input) in [
        (
            "recordOutcome",
            "RecordOutcomeInput",
            json!({ "deliveryId": "D-1", "clientEventId": "e", "lines": lines }),
        ),
        (
            "correctDelivery",
            "CorrectDeliveryInput",
            json!({ "deliveryId": "D-1", "version": 7, "clientEventId": "e", "reason": "r", "lines": lines }),
        ),
    ] {
        let answer = mutate(&world, Role::Admin, name, kind, input, "id").await;
        assert_eq!(
            messages(&answer),
            &json!({
                "lines.0.quantityDelivered": ["Delivered quantity must have no more than 3 decimals"],
                "lines.0.quantityRejected": ["Rejected quantity must not be negative"],
                "lines.1.quantityDelivered": ["Delivered quantity is too large"],
            })
        );
    }
    assert!(world.stage.calls("outcome").is_empty(), "the service is not asked");

    let items = json!([{ "itemNumber": "1", "quantity": 1, "weightKg": 0.0001 }, { "itemNumber": "2", "quantity": -1 }]);
    let input = json!({ "id": "D", "shipmentnumber": "S", "customername": "C",
        "scheduledatetime": "2027-01-15T08:00:00Z", "items": items });
    let answer = mutate(&world, Role::Admin, "createDelivery", "CreateDeliveryInput", input, "id").await;
    assert_eq!(
        messages(&answer),
        &json!({ "items.0.weightKg": ["Weight must have no more than 3 decimals"],
            "items.1.quantity": ["Quantity must not be negative"] })
    );
    let input =
        json!({ "deliveryId": "D-1", "version": 7, "item": { "itemNumber": "1", "quantity": 0.0001 } });
    let answer =
        mutate(&world, Role::Admin, "createDeliveryItem", "CreateDeliveryItemInput", input, "id").await;
    assert_eq!(messages(&answer), &json!({ "quantity": ["Quantity must have no more than 3 decimals"] }));

    // The service's messages are passed on under the service's field names.
    let input = json!({ "deliveryId": "D-1", "clientEventId": "e", "receivedBy": "" });
    let answer = mutate(&world, Role::Admin, "recordOutcome", "RecordOutcomeInput", input, "id").await;
    assert_eq!(
        messages(&answer),
        &json!({ "receivedBy": ["Name of the recipient is required"],
            "lines.0.varianceReason": ["Reason is required"] })
    );
}

#[tokio::test]
async fn a_stale_form_is_told_so() {
    let world = World::new();
    let input = json!({ "id": "D-1", "version": 6, "shipmentnumber": "S", "customername": "C",
        "scheduledatetime": "2027-01-15T08:00:00Z" });
    let answer = mutate(&world, Role::Admin, "updateDelivery", "UpdateDeliveryInput", input, "id").await;
    assert_eq!(first_error(&answer).0, "FAILED_PRECONDITION");
    assert_eq!(answer["errors"][0]["extensions"]["reason"], "DELIVERY_CHANGED");
}

#[tokio::test]
async fn what_the_office_enters_reaches_the_service() {
    let world = World::new();
    let input = json!({
        "id": "D/9 %", "shipmentnumber": "S", "customername": "C", "customeraddress": "12 Rizal St",
        "addressPoint": { "lat": 1.5, "lng": 2.5, "accuracy": 3 }, "trucker": "T", "driverId": "drv",
        "scheduledatetime": "2027-01-15T08:00:00Z", "timeWindowStart": "2027-01-15T09:00:00Z",
        "timeWindowEnd": "2027-01-15T10:00:00Z", "referencedoc": "R", "contactName": "N", "contactPhone": "P",
        "contactEmail": "E", "instructions": "I", "internalNote": "X", "priority": "low", "sourceId": "src",
        "items": [{ "itemNumber": "1", "sku": "K", "description": "D", "unit": "pcs", "quantity": 2.5,
            "weightKg": 1.25, "barcode": "B" }],
    });
    let answer = mutate(&world, Role::Admin, "createDelivery", "CreateDeliveryInput", input, "id").await;
    assert_eq!(answer["data"]["createDelivery"]["id"], "D/9 %", "{answer}");
    let asked = world.stage.asked::<contract::CreateDeliveryRequest>();
    assert_eq!(asked.source_id.as_deref(), Some("src"));
    let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    assert_eq!(
        asked.head.unwrap(),
        contract::DeliveryHead {
            shipmentnumber: "S".into(),
            customername: "C".into(),
            customeraddress: "12 Rizal St".into(),
            address_point: Some(contract::GeoPoint { lat: 1.5, lng: 2.5, accuracy: Some(3.0) }),
            trucker: "T".into(),
            driver_id: Some("drv".into()),
            scheduledatetime: at(1_800_000_000),
            time_window_start: at(1_800_003_600),
            time_window_end: at(1_800_007_200),
            referencedoc: Some("R".into()),
            contact_name: Some("N".into()),
            contact_phone: Some("P".into()),
            contact_email: Some("E".into()),
            instructions: Some("I".into()),
            internal_note: Some("X".into()),
            priority: contract::Priority::Low.into(),
        }
    );
    assert_eq!((asked.items[0].quantity_thousandths, asked.items[0].weight_grams), (2_500, Some(1_250)));

    let input = json!({ "id": "D-1", "version": 7, "shipmentnumber": "S", "customername": "C",
        "scheduledatetime": "2027-01-15T08:00:00Z" });
    mutate(&world, Role::Admin, "updateDelivery", "UpdateDeliveryInput", input, "id").await;
    let asked = world.stage.asked::<contract::UpdateDeliveryRequest>();
    let head = asked.head.unwrap();
    assert_eq!((asked.version, head.priority), (7, contract::Priority::Normal.into()));
    assert_eq!((head.time_window_start, head.time_window_end), (None, None));
    assert_eq!((head.driver_id, head.customeraddress.as_str(), head.trucker.as_str()), (None, "", ""));
}

#[tokio::test]
async fn bulk_changes_answer_for_each_delivery() {
    let world = World::new();
    let fields = "deliveryId ok code text";
    let expected = json!([
        { "deliveryId": "a", "ok": true, "code": null, "text": null },
        { "deliveryId": "b", "ok": false, "code": "DELIVERY_NOT_FOUND", "text": "There is no such delivery." },
    ]);
    let input = json!({ "deliveryIds": ["a", "b"], "clientEventId": "e", "scheduledatetime": "2027-01-15T08:00:00Z" });
    let answer =
        mutate(&world, Role::Admin, "rescheduleDeliveries", "RescheduleDeliveriesInput", input, fields).await;
    assert_eq!(answer["data"]["rescheduleDeliveries"], expected);
    let input = json!({ "deliveryIds": ["a", "b"], "driverId": null });
    let answer = mutate(&world, Role::Admin, "assignDriver", "AssignDriverInput", input, fields).await;
    assert_eq!(answer["data"]["assignDriver"], expected);
    assert_eq!(world.stage.asked::<contract::AssignDriverRequest>().driver_id, None);
    let change = |id: &str, version| json!({ "deliveryId": id, "version": version, "scheduledatetime": "2027-01-15T08:00:00Z" });
    let input = json!({ "changes": [change("a", json!(7)), change("b", json!(null))] });
    let answer =
        mutate(&world, Role::Admin, "changeDispatchTimes", "ChangeDispatchTimesInput", input, fields).await;
    assert_eq!(answer["data"]["changeDispatchTimes"], expected);
    let asked = world.stage.asked::<contract::ChangeDispatchTimesRequest>().changes;
    let versions: Vec<Option<u64>> = asked.iter().map(|it| it.version).collect();
    assert_eq!(versions, [Some(7), None]);
}

#[tokio::test]
async fn corrections_and_next_attempts_carry_the_version_that_was_seen() {
    let world = World::new();
    let input = json!({ "deliveryId": "D-1", "version": 7, "clientEventId": "e", "reason": "Counted again",
        "status": "Rejected", "outcomeReason": "refused_late", "outcomeNote": "n",
        "lines": [{ "itemNumber": "1", "quantityDelivered": 0, "quantityRejected": 2.5 }] });
    mutate(&world, Role::Admin, "correctDelivery", "CorrectDeliveryInput", input, "id").await;
    let asked = world.stage.asked::<contract::CorrectDeliveryRequest>();
    assert_eq!((asked.version, asked.reason.as_str()), (Some(7), "Counted again"));
    assert_eq!(
        (asked.outcome_reason.as_deref(), asked.outcome_note.as_deref()),
        (Some("refused_late"), Some("n"))
    );
    assert_eq!(asked.lines[0].rejected_thousandths, 2_500);
    let input = json!({ "deliveryId": "D-1", "version": 8, "clientEventId": "e",
        "scheduledatetime": "2027-01-15T08:00:00Z", "note": "n" });
    mutate(&world, Role::Admin, "rescheduleDelivery", "RescheduleDeliveryInput", input, "id").await;
    let asked = world.stage.asked::<contract::RescheduleDeliveryRequest>();
    assert_eq!((asked.version, asked.scheduledatetime.unwrap().seconds), (Some(8), 1_800_000_000));
    let input = json!({ "deliveryId": "D-1", "version": 9 });
    mutate(&world, Role::Admin, "resolveConflict", "ResolveConflictInput", input, "id").await;
    assert_eq!(world.stage.asked::<contract::ResolveConflictRequest>().version, 9);
}

#[tokio::test]
async fn attachments_are_added_and_looked_at_by_links() {
    let world = World::new();
    let input = json!({ "deliveryId": "D-1", "filename": "a b.png" });
    let answer =
        mutate(&world, Role::Dispatcher, "requestAttachmentLink", "RequestAttachmentLinkInput", input, "url")
            .await;
    assert_eq!(answer["data"]["requestAttachmentLink"]["url"], "/objects/proof/x?expires=1");
    let input = json!({ "deliveryId": "D-1", "url": "/objects/proof/x", "kind": "id_check", "itemNumber": "1",
        "capturedAt": "2027-01-15T08:00:00Z", "point": { "lat": 1, "lng": 2 }, "note": "n", "attempt": 1 });
    mutate(&world, Role::Dispatcher, "addAttachment", "AddAttachmentInput", input, "id").await;
    let asked = world.stage.asked::<contract::AddAttachmentRequest>();
    let at = asked.captured_at.unwrap().seconds;
    assert_eq!((asked.kind.as_str(), at, asked.attempt), ("id_check", 1_800_000_000, Some(1)));

    let presign =
        |url: &str| format!(r#"mutation {{ mutatePresignedUrl(url: "{url}") {{ presignedUrl }} }}"#);
    let token = world.token(Role::Viewer);
    let answer = world.query(&token, &presign("/objects/proof/2027/ab.png")).await;
    let link = &answer["data"]["mutatePresignedUrl"]["presignedUrl"];
    assert_eq!(link, "/objects/proof/2027/ab.png?signature=s");
    for other in [
        "/objects/imports/x",
        "/objects/proofs/x",
        "/objects/proof/../imports/x",
        "https://elsewhere.example/objects/proof/x",
        "",
    ] {
        let answer = world.query(&token, &presign(other)).await;
        assert_eq!(first_error(&answer), ("NOT_FOUND".into(), "The file does not exist.".into()), "{other}");
    }
    assert_eq!(world.stage.calls("presign").len(), 1);
}

#[tokio::test]
async fn null_is_the_default_of_a_page() {
    let world = World::new();
    let query = "query Q($page: PageOptions) { deliveries(page: $page) { id } }";
    let ask = json!({ "query": query, "variables": { "page": { "limit": null, "offset": null } } });
    let answer = world.graphql(&world.token(Role::Viewer), ask).await.json();
    assert!(answer["errors"].is_null(), "{answer}");
    assert_eq!((world.stage.last_page().limit, world.stage.last_page().offset), (25, 0));
}
