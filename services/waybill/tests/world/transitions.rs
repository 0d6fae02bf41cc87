//! Tests the table of transitions through GraphQL. Each office role tries to go from each status to every
//! other status; the transition is accepted as the table says, and refused otherwise.

use kit::clock::new_id;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::World;
use crate::in_both_shapes;

const STATUSES: [&str; 5] =
    ["Pending", "Complete_No_Variance", "Complete_With_Variance", "Undelivered", "Rejected"];
const OFFICE: [&str; 3] = ["dispatcher", "transport_planner", "admin"];

/// Returns the roles that may make this transition, or none if it is not in the table.
fn who(from: &str, to: &str) -> &'static [&'static str] {
    let is_complete = |status: &str| status.starts_with("Complete");
    match (from, to) {
        ("Pending", _) | ("Undelivered", "Pending" | "Rejected") => &OFFICE,
        ("Rejected", "Pending") => &["admin"],
        _ if is_complete(from) && is_complete(to) => &["transport_planner", "admin"],
        _ if is_complete(from) => &["admin"],
        _ => &[],
    }
}

/// Returns the operations that could lead to the status, the right one first.
fn ways(from: &str, to: &str) -> Vec<&'static str> {
    let right = match (from, to) {
        ("Pending", _) | ("Undelivered", "Rejected") => "recordOutcome",
        ("Undelivered", "Pending") => "rescheduleDelivery",
        _ => "correctDelivery",
    };
    let others = ["recordOutcome", "correctDelivery", "rescheduleDelivery"].into_iter();
    // Rescheduling leads only to Pending.
    let others = others.filter(|way| *way != right && (*way != "rescheduleDelivery" || to == "Pending"));
    [right].into_iter().chain(others).collect()
}

/// Returns the line counts for a status in which something arrived, or null for any other status.
fn lines(to: &str) -> Value {
    let line = |delivered: f64, reason: Value| {
        json!({ "itemNumber": "1", "quantityDelivered": delivered, "quantityRejected": 0.0,
                "condition": "ok", "varianceReason": reason })
    };
    match to {
        "Complete_No_Variance" => json!([line(5.0, Value::Null)]),
        "Complete_With_Variance" => json!([line(3.0, json!("short_delivered"))]),
        _ => Value::Null,
    }
}

/// Returns a reason from the list of this status, or null for a status without reasons.
fn reason(to: &str) -> Value {
    match to {
        "Undelivered" => json!("recipient_absent"),
        "Rejected" => json!("refused_late"),
        _ => Value::Null,
    }
}

async fn ask(browser: &Browser, way: &str, id: &str, version: u64, to: &str) -> Value {
    let mut input = json!({ "deliveryId": id, "version": version, "clientEventId": new_id() });
    let some = match way {
        "rescheduleDelivery" => json!({ "scheduledatetime": "2099-01-06T00:00:00Z" }),
        "correctDelivery" => json!({
            "status": to, "lines": lines(to), "reason": "Counted again", "outcomeReason": reason(to),
            "outcomeNote": "Told by phone",
        }),
        _ => json!({
            "status": to, "lines": lines(to), "outcomeReason": reason(to), "outcomeNote": "Told by phone",
            "receivedBy": "Nena", "receivedByRelation": "recipient",
        }),
    };
    input.as_object_mut().unwrap().extend(some.as_object().unwrap().clone());
    let kind = format!("{}{}Input", way[..1].to_uppercase(), &way[1..]);
    let mutation =
        format!("mutation M($input: {kind}!) {{ {way}(input: $input) {{ deliverystatus version }} }}");
    browser.graphql(&mutation, json!({ "input": input })).await
}

async fn standing(browser: &Browser, id: &str) -> (String, u64, usize) {
    let query = "query Q($id: String!) { delivery(id: $id) { deliverystatus version history { toStatus } } }";
    let it = browser.data(query, json!({ "id": id })).await["delivery"].clone();
    let status = it["deliverystatus"].as_str().unwrap().to_owned();
    (status, it["version"].as_u64().unwrap(), it["history"].as_array().unwrap().len())
}

in_both_shapes!(each_row_of_the_table_is_taken_by_its_actors_alone, |world: World| async move {
    let admin = world.admin().await;
    let dispatcher = admin.signed_in_user("rosa", &["dispatcher"]).await;
    let planner = admin.signed_in_user("lito", &["transport_planner"]).await;
    let browsers = [&dispatcher, &planner, &admin];

    let cases: Vec<_> = STATUSES
        .into_iter()
        .flat_map(|from| STATUSES.into_iter().map(move |to| (from, to)))
        .filter(|(from, to)| from != to)
        .flat_map(|(from, to)| (0..OFFICE.len()).map(move |role| (from, to, role)))
        .collect();
    assert_eq!(cases.len(), 60);
    let head = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity";
    let rows =
        (0..cases.len()).map(|n| format!("DR-{n},S-{n},Aling Nena Store,2026-11-20 08:00,1,RICE-25,5"));
    let file = [head.to_owned()].into_iter().chain(rows).collect::<Vec<_>>().join("\n");
    assert_eq!(admin.import("a.csv", file).await.created, 60);

    for (n, (from, to, role)) in cases.into_iter().enumerate() {
        let (id, case) = (format!("DR-{n}"), format!("{from} to {to} by {}", OFFICE[role]));
        if from != "Pending" {
            let answer = ask(&admin, "recordOutcome", &id, 1, from).await;
            assert_eq!(answer["data"]["recordOutcome"]["deliverystatus"], from, "{case}: {answer}");
        }
        let before = standing(&admin, &id).await;
        if who(from, to).contains(&OFFICE[role]) {
            let way = ways(from, to)[0];
            let answer = ask(browsers[role], way, &id, before.1, to).await;
            let after = json!({ "deliverystatus": to, "version": before.1 + 1 });
            assert_eq!(answer["data"][way], after, "{case}: {answer}");
            assert_eq!(standing(&admin, &id).await, (to.to_owned(), before.1 + 1, before.2 + 1), "{case}");
            continue;
        }
        for way in ways(from, to) {
            let answer = ask(browsers[role], way, &id, before.1, to).await;
            let error = &answer["errors"][0];
            assert_eq!(error["extensions"]["reason"], "DELIVERY_TRANSITION_NOT_ALLOWED", "{case}: {answer}");
            assert!(error["message"].as_str().unwrap().contains(" cannot go from "), "{case}: {answer}");
        }
        assert_eq!(standing(&admin, &id).await, before, "{case}");
    }
    world
});
