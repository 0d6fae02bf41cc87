//! Outcomes that are sent to another system, receivers that refuse them, and failed messages that another
//! system reports.

/// The example from the documentation, run unchanged.
#[path = "../../../../docs/examples/report.rs"]
mod report;

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};

use axum::http::StatusCode;
use proto::deliveries::v1::ReportedLetter;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{Settings, Shape, World, nats_url, until};
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
/// How many failures in a row pause an endpoint.
const FAILURES: usize = 50;

fn receivers_inside(settings: &mut Settings) {
    settings.config.deliveries.private_endpoints = true;
}

/// Starts a receiver whose response status can be set, and which counts the messages it accepted.
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
        until("the announcement ends", || async { !news(&admin).await.to_string().contains("is paused") })
            .await;
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

const LETTERS: &str = "{ deliveryDeadLetters(mode: failed, page: { limit: 100 }) \
                       { deliveryId method producerName endpointName errorText } }";
const PRODUCER: &str = "mutation M($input: SaveDeadLetterProducerInput!) { saveDeadLetterProducer(input: $input) { id token subject } }";
const INTAKE: &str = "/intake/v1/dead-letters";

in_both_shapes!(
    what_another_system_reports_is_shown_once_whichever_way_it_came,
    receivers_inside,
    |world: World| async move {
        let admin = world.admin().await;
        let (url, ..) = receiver().await;
        let input =
            json!({ "name": "ERP", "url": url, "methods": ["create"], "sourceIds": [], "isActive": true });
        let endpoint =
            admin.data(SAVE, json!({ "input": input })).await["saveOutboundEndpoint"]["id"].clone();
        let input = json!({ "name": "erp", "endpointId": endpoint, "isActive": true });
        let producer =
            admin.data(PRODUCER, json!({ "input": input })).await["saveDeadLetterProducer"].clone();
        let token = producer["token"].as_str().unwrap().to_owned();
        let letter = |n: usize| json!({ "deliveryId": format!("DR-{n}"), "method": "status", "error": "503 from ERP", "payload": { "n": n } });
        let http = reqwest::Client::new();
        let raise = async |token: &str, key: &[u8], body: String| {
            let ask = http.post(format!("{}{INTAKE}", world.base)).bearer_auth(token);
            let key = reqwest::header::HeaderValue::from_bytes(key).unwrap();
            let ask = ask.header("idempotency-key", key).header("content-type", "application/json");
            let answer = ask.body(body).send().await.unwrap();
            (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
        };
        let (status, first) = raise(&token, b"k-1", letter(1).to_string()).await;
        assert_eq!((status, &first["repeated"]), (201, &json!(false)), "{first}");
        let (status, again) = raise(&token, b"k-1", letter(1).to_string()).await;
        assert_eq!((status, &again["id"]), (200, &first["id"]), "{again}");
        assert_eq!(raise(&token, b"k-1", letter(2).to_string()).await.0, 422, "another letter under the key");
        assert_eq!(raise(&token, b"k-2", "{".into()).await.0, 422);
        assert_eq!(raise("wbp_wrong", b"k-3", letter(3).to_string()).await.0, 401);
        // A letter with an invalid key is refused on arrival, but stored.
        for key in [&b""[..], b"k\xff", &[b'k'; 201]] {
            let (status, refused) = raise(&token, key, letter(7).to_string()).await;
            assert_eq!((status, refused["fields"]["id"].is_array()), (422, true), "{refused}");
        }
        let mut expected = 6;
        if world.shape == Shape::Split {
            let client = async_nats::connect(nats_url()).await.unwrap();
            let stream = async_nats::jetstream::new(client);
            let namespace = &world.config.bus.namespace;
            let subject = producer["subject"].as_str().unwrap().replacen("waybill", namespace, 1);
            for (key, body) in
                [("k-1", letter(1).to_string()), ("k-4", letter(4).to_string()), ("k-5", "?".into())]
            {
                let mut headers = async_nats::HeaderMap::new();
                headers.insert("Nats-Msg-Id", key);
                let published = stream.publish_with_headers(subject.clone(), headers, body.into()).await;
                published.unwrap().await.unwrap();
            }
            let letter = ReportedLetter {
                delivery_id: "DR-6".into(),
                method: "status".into(),
                error: "503 from ERP".into(),
                payload: "{}".into(),
                ..Default::default()
            };
            let address = format!("http://{}", world.address("deliveries"));
            let id = report::report(address, &token, "k-6", letter).await.unwrap();
            assert_ne!(json!(id), first["id"]);
            expected += 3;
        }
        until("all are shown", || async { totals(&admin).await.0 == expected }).await;
        let shown = admin.data(LETTERS, json!({})).await["deliveryDeadLetters"].clone();
        let good: Vec<&Value> =
            shown.as_array().unwrap().iter().filter(|it| it["method"] == "status").collect();
        assert_eq!(good.len() as u64, expected - if world.shape == Shape::Split { 6 } else { 5 });
        assert!(good.iter().all(|it| it["producerName"] == "erp" && it["endpointName"] == "ERP"), "{good:?}");
        world
    }
);

#[test]
fn the_example_repeats_what_may_succeed_later() {
    use tonic::Code;
    for code in [Code::Unavailable, Code::DeadlineExceeded, Code::ResourceExhausted, Code::Unknown] {
        assert!(report::may_repeat(code), "{code:?}");
    }
    for code in [Code::InvalidArgument, Code::Unauthenticated, Code::OutOfRange] {
        assert!(!report::may_repeat(code), "{code:?}");
    }
}
