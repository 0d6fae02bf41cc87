//! The actions offered for a delivery are exactly the actions that the server accepts. Every action is tried
//! in every status by every office role.

use kit::clock::new_id;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::World;
use crate::in_both_shapes;

const STATUSES: [&str; 5] =
    ["Pending", "Complete_No_Variance", "Complete_With_Variance", "Undelivered", "Rejected"];
const ROLES: [&str; 4] = ["viewer", "dispatcher", "transport_planner", "admin"];
const ACTIONS: [&str; 13] = [
    "edit",
    "edit_items",
    "complete",
    "mark_undelivered",
    "reject",
    "reschedule",
    "refuse_after_attempt",
    "reopen",
    "correct_lines",
    "correct_status",
    "assign_driver",
    "add_evidence",
    "print",
];

fn lines(delivered: f64) -> Value {
    let reason = if delivered < 5.0 { json!("short_delivered") } else { Value::Null };
    json!([{ "itemNumber": "1", "quantityDelivered": delivered, "quantityRejected": 0.0, "condition": "ok",
             "varianceReason": reason }])
}

/// Returns the input of an outcome as the form sends it.
fn outcome(id: &str, version: u64, to: &str) -> Value {
    let (lines, reason) = match to {
        "Complete_No_Variance" => (lines(5.0), Value::Null),
        "Complete_With_Variance" => (lines(3.0), Value::Null),
        "Undelivered" => (Value::Null, json!("recipient_absent")),
        _ => (Value::Null, json!("refused_late")),
    };
    json!({ "deliveryId": id, "version": version, "clientEventId": new_id(), "status": to, "lines": lines,
            "outcomeReason": reason, "outcomeNote": "Told by phone", "receivedBy": "Nena",
            "receivedByRelation": "recipient" })
}

fn correction(id: &str, version: u64, to: Option<&str>, lines: Value) -> Value {
    let reason = match to {
        Some("Undelivered") => json!("recipient_absent"),
        Some("Rejected") => json!("refused_late"),
        _ => Value::Null,
    };
    json!({ "deliveryId": id, "version": version, "clientEventId": new_id(), "status": to, "lines": lines,
            "reason": "Counted again", "outcomeReason": reason, "outcomeNote": "Told by phone" })
}

/// Returns the mutation of an action and its input. Returns `None` where the same call would be another
/// action in that status, or would leave the delivery unchanged.
fn call(action: &str, from: &str, id: &str, version: u64) -> Option<(&'static str, Value)> {
    let complete = from.starts_with("Complete");
    let other_lines = lines(if from == "Complete_No_Variance" { 3.0 } else { 5.0 });
    let event = || json!({ "deliveryId": id, "version": version, "clientEventId": new_id() });
    Some(match action {
        "edit" => (
            "updateDelivery",
            json!({ "id": id, "version": version, "shipmentnumber": "S-9", "customername": "Aling Nena Store",
                    "scheduledatetime": "2026-11-20T00:00:00Z", "referencedoc": format!("REF-{}", new_id()) }),
        ),
        "edit_items" => {
            let item = json!({ "itemNumber": "2", "quantity": 1.0 });
            ("createDeliveryItem", json!({ "deliveryId": id, "version": version, "item": item }))
        }
        "complete" => {
            let other = if from == "Complete_No_Variance" {
                "Complete_With_Variance"
            } else {
                "Complete_No_Variance"
            };
            ("recordOutcome", outcome(id, version, other))
        }
        "mark_undelivered" if from != "Undelivered" => ("recordOutcome", outcome(id, version, "Undelivered")),
        "reject" if from != "Rejected" && from != "Undelivered" => {
            ("recordOutcome", outcome(id, version, "Rejected"))
        }
        "refuse_after_attempt" if from != "Rejected" && from != "Pending" => {
            ("recordOutcome", outcome(id, version, "Rejected"))
        }
        "reschedule" => {
            let mut input = event();
            input["scheduledatetime"] = json!("2099-01-06T00:00:00Z");
            ("rescheduleDelivery", input)
        }
        "reopen" if from != "Pending" && !complete => {
            ("correctDelivery", correction(id, version, Some("Pending"), Value::Null))
        }
        "correct_lines" => ("correctDelivery", correction(id, version, None, other_lines)),
        "correct_status" if from != "Undelivered" => {
            ("correctDelivery", correction(id, version, Some("Undelivered"), Value::Null))
        }
        "assign_driver" => ("assignDriver", json!({ "deliveryIds": [id], "driverId": "D-1" })),
        "add_evidence" => ("requestAttachmentLink", json!({ "deliveryId": id, "filename": "goods.jpg" })),
        _ => return None,
    })
}

async fn print(browser: &Browser, id: &str) -> bool {
    let address = format!("{}/delivery-forms/{id}.pdf", browser.base);
    let answer =
        browser.http.get(address).bearer_auth(browser.token.as_deref().unwrap()).send().await.unwrap();
    answer.status().is_success()
}

/// Returns whether the server accepts the action, or `None` if the server was not asked.
async fn is_taken(browser: &Browser, action: &str, from: &str, id: &str, version: u64) -> Option<bool> {
    if action == "print" {
        return Some(print(browser, id).await);
    }
    let (mutation, input) = call(action, from, id, version)?;
    let kind = format!("{}{}Input", mutation[..1].to_uppercase(), &mutation[1..]);
    let fields = match mutation {
        "assignDriver" => "ok code text",
        "requestAttachmentLink" => "url",
        _ => "id version",
    };
    let query = format!("mutation M($input: {kind}!) {{ {mutation}(input: $input) {{ {fields} }} }}");
    let answer = browser.graphql(&query, json!({ "input": input })).await;
    let code = answer["errors"][0]["extensions"]["code"].as_str();
    assert!(!matches!(code, Some("GRAPHQL_VALIDATION_FAILED" | "BAD_USER_INPUT")), "{action}: {answer}");
    let row = &answer["data"][mutation][0]["ok"];
    Some(code.is_none() && (row.is_null() || *row == true))
}

async fn offered(browser: &Browser, id: &str) -> (Vec<String>, u64) {
    let query = "query Q($id: String!) { delivery(id: $id) { allowedActions version } }";
    let found = browser.data(query, json!({ "id": id })).await["delivery"].clone();
    let actions = found["allowedActions"].as_array().unwrap();
    (actions.iter().map(|it| it.as_str().unwrap().to_owned()).collect(), found["version"].as_u64().unwrap())
}

in_both_shapes!(what_is_offered_is_what_is_done, |world: World| async move {
    let admin = world.admin().await;
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
    let driver = json!({ "driverId": "D-1", "name": "Nestor Ilagan", "username": "nestor" });
    admin.data(create, json!({ "input": driver })).await;
    crate::drivers::arrived(&admin, "D-1", "invited").await;
    let mut browsers = Vec::new();
    for role in &ROLES[..3] {
        browsers.push(admin.signed_in_user(&format!("the-{role}"), &[role]).await);
    }
    browsers.push(admin.stranger());
    browsers[3].token.clone_from(&admin.token);

    // Create one delivery for refused actions, and one for each action that may be accepted.
    let most = STATUSES.len() * ROLES.len() * ACTIONS.len();
    let head = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity";
    let rows = (0..most).map(|n| format!("DR-{n},S-{n},Aling Nena Store,2026-11-20 08:00,1,RICE-25,5"));
    let file = [head.to_owned()].into_iter().chain(rows).collect::<Vec<_>>().join("\n");
    assert_eq!(admin.import("a.csv", file).await.created as usize, most);
    let mut ids = (0..most).map(|n| format!("DR-{n}"));
    let record = "mutation M($input: RecordOutcomeInput!) { recordOutcome(input: $input) { version } }";
    let mut taken = 0;
    for from in STATUSES {
        for (role, browser) in ROLES.iter().zip(&browsers) {
            let mut left: Option<String> = None;
            for action in ACTIONS {
                // A refused action changes nothing, so the same delivery can be used again.
                let id = match left.take() {
                    Some(id) => id,
                    None => {
                        let id = ids.next().unwrap();
                        if from != "Pending" {
                            admin.data(record, json!({ "input": outcome(&id, 1, from) })).await;
                        }
                        id
                    }
                };
                let (actions, version) = offered(browser, &id).await;
                let is_offered = actions.iter().any(|it| it == action);
                let done = is_taken(browser, action, from, &id, version).await;
                let case = format!("{action} of {from} by {role}, offered {actions:?}");
                assert_eq!(done.unwrap_or(is_offered), is_offered, "{case}");
                assert!(done.is_some() || !is_offered, "nobody asked for {case}");
                taken += usize::from(is_offered);
                if !is_offered {
                    assert_eq!(offered(browser, &id).await.1, version, "{case} changed it");
                    left = Some(id);
                }
            }
        }
    }
    assert!(taken > 60, "{taken} were taken");
    world
});
