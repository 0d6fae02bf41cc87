//! Acts on other systems, their messages, and reports.

use kit::clock::new_id;
use reqwest::StatusCode;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use super::act;
use crate::browser::Browser;
use crate::harness::{World, until};

pub const LEFT: &[(&str, usize)] = &[
    ("endpoint.created endpoint ERP", 1),
    ("endpoint.updated endpoint ERP", 1),
    ("endpoint.rotated endpoint ERP", 1),
    ("endpoint.resumed endpoint ERP", 1),
    ("endpoint.deleted endpoint ERP", 1),
    ("producer.created producer wms", 1),
    ("producer.updated producer wms", 1),
    ("producer.rotated producer wms", 1),
    ("producer.deleted producer wms", 1),
    ("dead_letter.resent dead_letter DR-1", 1),
    ("dead_letter.discarded dead_letter 2 messages", 1),
    ("analytics.rebuild_requested analytics ", 1),
];

/// Changes the object with this id and version. Selects `fields` from the response.
async fn change(admin: &Browser, name: &str, fields: &str, of: &Value) -> Value {
    let mutation =
        format!("mutation M($id: String!, $version: Int!) {{ {name}(id: $id, version: $version) {fields} }}");
    admin.data(&mutation, json!({ "id": of["id"], "version": of["version"] })).await[name].clone()
}

/// Pauses the endpoints, as if too many messages had failed.
async fn pause_endpoints(world: &World) {
    let db = world.database(deliveries::NAME).await;
    let tx = db.begin().await.unwrap();
    tx.execute_unprepared("UPDATE outbound_endpoint SET paused_at = created_at").await.unwrap();
    tx.commit().await.unwrap();
    db.close().await;
}

/// Reports two failed messages of another system; returns their ids.
async fn report(world: &World, admin: &Browser, token: &str) -> [Value; 2] {
    for n in 1..=2 {
        let letter =
            json!({ "deliveryId": format!("DR-{n}"), "method": "status", "error": "503", "payload": {} });
        let ask = admin.http.post(format!("{}/intake/v1/dead-letters", world.base)).bearer_auth(token);
        let answer = ask.header("idempotency-key", format!("k-{n}")).json(&letter).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::CREATED);
    }
    let letters = admin.data("{ deliveryDeadLetters { id deliveryId } }", json!({})).await;
    let letters = letters["deliveryDeadLetters"].as_array().unwrap();
    let of = |delivery: &str| letters.iter().find(|it| it["deliveryId"] == delivery).unwrap()["id"].clone();
    [of("DR-1"), of("DR-2")]
}

pub async fn exchange(world: &World, admin: &Browser) {
    // No message is ever sent to this address.
    let mut form = json!({ "name": "ERP", "url": "http://127.0.0.1:9/hook", "methods": ["create"], "sourceIds": [],
                           "isActive": false });
    let made = act(admin, "saveOutboundEndpoint", "{ id version }", form.clone()).await;
    form["id"] = made["id"].clone();
    form["version"] = made["version"].clone();
    form["methods"] = json!(["status"]);
    let endpoint = act(admin, "saveOutboundEndpoint", "{ id version }", form).await;
    let endpoint = change(admin, "rotateOutboundSecret", "{ id version }", &endpoint).await;
    pause_endpoints(world).await;
    let resume = "mutation M($id: String!) { resumeOutboundEndpoint(id: $id) { pausedAt } }";
    for _ in 0..2 {
        admin.data(resume, json!({ "id": endpoint["id"] })).await;
    }

    let mut form = json!({ "name": "wms", "endpointId": endpoint["id"], "isActive": false });
    let made = act(admin, "saveDeadLetterProducer", "{ id version }", form.clone()).await;
    form["id"] = made["id"].clone();
    form["version"] = made["version"].clone();
    form["isActive"] = json!(true);
    let producer = act(admin, "saveDeadLetterProducer", "{ id version }", form).await;
    let producer = change(admin, "rotateDeadLetterProducerToken", "{ id version token }", &producer).await;

    let [sent, old] = report(world, admin, producer["token"].as_str().unwrap()).await;
    let resend = "mutation M($id: String!) { resendDeadLetter(id: $id) { id } }";
    admin.data(resend, json!({ "id": sent })).await;
    let discard = "mutation M($input: DeadLettersInput!) { discardDeadLetters(input: $input, reason: \"Too old\") { id } }";
    // An endpoint with messages of another system is not deleted.
    let job = json!({ "jobId": new_id(), "ids": [sent, old] });
    for _ in 0..2 {
        admin.data(discard, json!({ "input": job })).await;
    }
    let ended = "query Q($id: String!) { deadLetterJob(id: $id) { changed } }";
    until("both are discarded", || async {
        admin.data(ended, json!({ "id": job["jobId"] })).await["deadLetterJob"]["changed"] == 2
    })
    .await;
    change(admin, "deleteDeadLetterProducer", "", &producer).await;
    change(admin, "deleteOutboundEndpoint", "", &endpoint).await;
}

pub async fn rebuild_reports(admin: &Browser) {
    admin.data("mutation { rebuildAnalytics { id } }", json!({})).await;
}
