//! One trace leads from the browser's request through the gateway to the service that responds, and into the
//! event that the request caused.

use kit::testing::Log;
use prost::Message;
use proto::events::Envelope;
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use crate::harness::World;
use crate::running::until;

/// Returns whether a span of this name has ended and has a trace id in the log.
fn has_traced(log: &Log, name: &str) -> bool {
    let spans = log.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
    spans.iter().any(|it| it["span"]["name"] == name && it["span"]["trace_id"].is_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_one_trace_through_every_service() {
    let log = Log::default();
    let sink = log.clone();
    let _guard = kit::telemetry::init_for_test(move || sink.clone());
    let world = World::split().await;
    let browser = world.admin().await;

    // A trace id from outside is linked, but never becomes the trace id of the request.
    let strangers = "0af7651916cd43dd8448eb211c80319c";
    let answer = browser
        .http
        .post(format!("{}/graphql", world.base))
        .bearer_auth(browser.token.as_deref().unwrap())
        .header("traceparent", format!("00-{strangers}-b7ad6b7169203331-01"))
        .json(&json!({ "query": "query { deliveries { id } }" }))
        .send()
        .await
        .unwrap();
    assert!(answer.status().is_success());
    let trace = answer.headers()["x-request-id"].to_str().unwrap();
    assert_eq!((trace.len(), trace == strangers), (32, false));

    let text = log.text();
    let of_trace: Vec<&str> = text.lines().filter(|line| line.contains(trace)).collect();
    for span in ["http.request", "rpc.serve"] {
        assert!(of_trace.iter().any(|line| line.contains(span)), "{span} is not in the trace:\n{text}");
    }
    assert!(of_trace.iter().any(|line| line.contains("ListDeliveries")), "{of_trace:#?}");
    assert!(!text.contains(browser.token.as_deref().unwrap()), "a token is in the log");
    assert!(!text.contains(crate::harness::PASSWORD), "a password is in the log");

    // An import runs in the background. It has its own trace, which its events carry.
    let csv = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time\nDR-1,S-1,A,2026-11-20 08:00\n";
    browser.import("a.csv", csv).await;
    for background in ["job.run", "bus.handle"] {
        until(&format!("{background} has a trace id"), || async { has_traced(&log, background) }).await;
    }
    let db = world.database(deliveries::NAME).await;
    let row = db
        .read()
        .query_one_raw(Statement::from_string(
            db.backend(),
            "SELECT envelope FROM outbox WHERE subject LIKE '%.delivery.imported.%' LIMIT 1",
        ))
        .await
        .unwrap()
        .unwrap();
    let envelope = Envelope::decode(row.try_get::<Vec<u8>>("", "envelope").unwrap().as_slice()).unwrap();
    assert_eq!(envelope.traceparent.len(), 55, "{:?}", envelope.traceparent);
    db.close().await;
    world.stop().await;
}
