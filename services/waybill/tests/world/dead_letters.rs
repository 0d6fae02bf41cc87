//! Outcomes on their way to another system, and what becomes of a receiver that refuses them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{Settings, World, until};
use crate::in_both_shapes;

const SAVE: &str =
    "mutation M($input: SaveOutboundEndpointInput!) { saveOutboundEndpoint(input: $input) { id secret } }";
const CREATE: &str = "mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }";
const COUNTS: &str = "{ failed: deliveryDeadLettersCount(mode: failed) { total } \
                      sent: deliveryDeadLettersCount(mode: success) { total } }";
const RESEND: &str =
    "mutation M($input: DeadLettersInput!) { resendDeadLetters(input: $input) { id total } }";
const JOB: &str = "query Q($id: String!) { deadLetterJob(id: $id) { state changed total } }";
const RESUME: &str = "mutation M($id: String!) { resumeOutboundEndpoint(id: $id) { pausedAt } }";
const NEWS: &str = "{ redwood { currentUser } }";
/// As many failures in a row as pause an endpoint.
const FAILURES: usize = 50;

fn receivers_inside(settings: &mut Settings) {
    settings.config.deliveries.private_endpoints = true;
}

/// A receiver that answers with the status it is told last, and counts what it took.
async fn receiver() -> (String, Arc<AtomicU16>, Arc<AtomicUsize>) {
    let (status, taken) = (Arc::new(AtomicU16::new(410)), Arc::new(AtomicUsize::new(0)));
    let (answer, counted) = (status.clone(), taken.clone());
    let app = axum::Router::new().fallback(move || async move {
        let status = StatusCode::from_u16(answer.load(Ordering::SeqCst)).unwrap();
        if status.is_success() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        status
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    (url, status, taken)
}

async fn totals(admin: &Browser) -> (u64, u64) {
    let counts = admin.data(COUNTS, json!({})).await;
    let total = |half: &str| counts[half]["total"].as_u64().unwrap();
    (total("failed"), total("sent"))
}

async fn news(admin: &Browser) -> Value {
    admin.data(NEWS, json!({})).await["redwood"]["currentUser"]["news"].clone()
}

in_both_shapes!(
    a_receiver_that_refuses_is_paused_and_gets_everything_once_mended,
    receivers_inside,
    |world: World| async move {
        let admin = world.admin().await;
        let (url, status, taken) = receiver().await;
        let input =
            json!({ "name": "ERP", "url": url, "methods": ["create"], "sourceIds": [], "isActive": true });
        let endpoint = admin.data(SAVE, json!({ "input": input })).await["saveOutboundEndpoint"].clone();
        assert!(endpoint["secret"].as_str().unwrap().starts_with("whsec_"));
        let at = world.clock.now().to_rfc3339();
        for n in 0..FAILURES {
            let input = json!({
                "id": format!("DR-{n}"), "customername": "Aling Nena Store", "shipmentnumber": "S-1",
                "scheduledatetime": at,
            });
            admin.data(CREATE, json!({ "input": input })).await;
        }
        until("all were refused", || async { totals(&admin).await.0 == FAILURES as u64 }).await;
        until("administrators hear of it", || async {
            news(&admin).await.to_string().contains("Sending to ERP is paused")
        })
        .await;

        status.store(204, Ordering::SeqCst);
        admin.data(RESUME, json!({ "id": endpoint["id"] })).await;
        let job = kit::clock::new_id().to_string();
        let asked = admin.data(RESEND, json!({ "input": { "jobId": job } })).await;
        assert_eq!(asked["resendDeadLetters"]["total"], FAILURES);
        until("all were sent", || async { totals(&admin).await == (0, FAILURES as u64) }).await;
        assert_eq!(taken.load(Ordering::SeqCst), FAILURES, "each once");
        let receipt = admin.data(JOB, json!({ "id": job })).await["deadLetterJob"].clone();
        assert_eq!(receipt, json!({ "state": "done", "changed": FAILURES, "total": FAILURES }));
        world
    }
);
