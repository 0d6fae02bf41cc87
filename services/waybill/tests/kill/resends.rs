//! 64 administrators resend thousands of dead letters at the same time, while the sender is killed. The
//! receiver responds late, with 500, with a redirect or never. A receiver that recognizes ids still sees each
//! message once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::browser::{Browser, PASSWORD};
use crate::client::Staff;
use crate::letters::{call, door};
use crate::number;
use crate::product::Product;

const ADMINISTRATORS: usize = 64;
const RESEND: &str = "mutation M($input: DeadLettersInput!) { resendDeadLetters(input: $input) { id } }";
const ENDPOINTS: &str = "{ outboundEndpoints { id pausedAt } }";
const RESUME: &str = "mutation M($id: String!) { resumeOutboundEndpoint(id: $id) { id } }";
const COUNTS: &str = "{ failed: deliveryDeadLettersCount(mode: failed) { total } \
                      sent: deliveryDeadLettersCount(mode: success) { total exact } }";
const PATIENCE: Duration = Duration::from_secs(600);

/// What a receiver saw: attempts and accepted bodies, both by message id, and the number of followed
/// redirects.
#[derive(Clone, Default)]
struct Seen {
    tried: Arc<Mutex<HashMap<String, usize>>>,
    taken: Arc<Mutex<HashMap<String, Vec<String>>>>,
    followed: Arc<AtomicUsize>,
    /// Whether this is the full run. Only then does the receiver give some responses after the sender's time
    /// limit of half a minute, or never.
    is_full: bool,
}

impl Seen {
    async fn answer(self, headers: HeaderMap, body: String) -> Response {
        let id = headers.get("webhook-id").unwrap().to_str().unwrap().to_owned();
        let time = {
            let mut tried = self.tried.lock().unwrap();
            let time = tried.entry(id.clone()).or_default();
            *time += 1;
            *time
        };
        // The letter determines the behavior, so that every run behaves the same.
        let number: usize = serde_json::from_str::<Value>(&body).unwrap()["n"].as_u64().unwrap() as usize;
        match (number % 40, time) {
            // The receiver accepts the message, but responds after the sender has given up or died.
            (3, 1) if self.is_full && number % 400 == 3 => {
                self.take(id, body);
                tokio::time::sleep(Duration::from_secs(35)).await;
                return StatusCode::OK.into_response();
            }
            (6, 1) if self.is_full && number == 6 => std::future::pending().await,
            (0 | 1, 1) => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            (2, 1) => return (StatusCode::FOUND, [("location", "/elsewhere")]).into_response(),
            (4 | 5, 1) => tokio::time::sleep(Duration::from_secs(2)).await,
            _ => {}
        }
        self.take(id, body);
        StatusCode::NO_CONTENT.into_response()
    }

    fn take(&self, id: String, body: String) {
        self.taken.lock().unwrap().entry(id).or_default().push(body);
    }
}

async fn receiver(is_full: bool) -> (String, Seen) {
    let seen = Seen { is_full, ..Seen::default() };
    let (hook, elsewhere) = (seen.clone(), seen.clone());
    let app = axum::Router::new()
        .route(
            "/hook",
            axum::routing::post(move |headers: HeaderMap, body: String| hook.answer(headers, body)),
        )
        .fallback(move || async move {
            elsewhere.followed.fetch_add(1, Ordering::SeqCst);
            StatusCode::OK
        });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    (url, seen)
}

/// All administrators press the button together. If a kill ends the request, they do not press it again.
async fn press_resend(browser: &Browser) {
    let pressing = (0..ADMINISTRATORS).map(|_| async {
        let job = json!({ "jobId": kit::clock::new_id().to_string() });
        let body = json!({ "query": RESEND, "variables": { "input": job } });
        let request = browser.http.post(browser.url("/graphql")).headers(browser.bearer());
        let _ = request.json(&body).timeout(Duration::from_secs(20)).send().await;
    });
    futures::future::join_all(pressing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resent_by_many_at_once_and_killed_meanwhile_each_takes_effect_once() {
    let letters = number("WAYBILL_RESENDS", 120);
    let kills = number("WAYBILL_RESEND_KILLS", 2);
    let seed = number("WAYBILL_KILL_SEED", 20_261_123) as u64;
    let mut random = rand::rngs::StdRng::seed_from_u64(seed);
    let (url, seen) = receiver(letters >= 1_000).await;
    let mut product = Product::in_one();
    product.set("DELIVERIES__PRIVATE_ENDPOINTS", "true");
    product.revive().await;
    let mut staff = Staff::new(&mut product);
    let door = door(&mut staff, &url).await;
    let http = reqwest::Client::new();
    // Leave out malformed letters, which have `n % 20 == 7`.
    let good: Vec<usize> = (0..).filter(|n| n % 20 != 7).take(letters).collect();
    for some in good.chunks(8) {
        futures::future::join_all(some.iter().map(|n| call(&http, &door, "resend", *n))).await;
    }
    let began = Instant::now();
    let mut killed = 0;
    loop {
        assert!(staff.sign_in("admin", PASSWORD).await);
        let mut browser = Browser::new(&door.base);
        browser.token = Some(staff.token().to_owned());
        let pressing = tokio::spawn(async move { press_resend(&browser).await });
        if killed < kills {
            let wait = Duration::from_millis(random.random_range(50..1_500));
            staff.product.kill_after(0, wait).join().unwrap();
            staff.product.revive().await;
            killed += 1;
        }
        pressing.await.unwrap();
        for endpoint in staff.read(ENDPOINTS, &Value::Null).await["outboundEndpoints"].as_array().unwrap() {
            if !endpoint["pausedAt"].is_null() {
                staff.read(RESUME, &json!({ "id": endpoint["id"] })).await;
            }
        }
        let counts = staff.read(COUNTS, &Value::Null).await;
        let (failed, sent) = (&counts["failed"]["total"], &counts["sent"]["total"]);
        if *failed == 0 && killed == kills && (*sent == letters || counts["sent"]["exact"] == false) {
            break;
        }
        let context = format!("seed {seed}, {killed} kills, {counts}\n{}", staff.product.errors());
        assert!(began.elapsed() < PATIENCE + Duration::from_millis(200 * letters as u64), "{context}");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let taken = std::mem::take(&mut *seen.taken.lock().unwrap());
    assert_eq!(taken.len(), letters, "each once for a receiver that knows ids, none lost");
    assert!(taken.values().all(|bodies| bodies.iter().all(|it| *it == bodies[0])), "an id is one message");
    assert_eq!(seen.followed.load(Ordering::SeqCst), 0, "redirects are not followed");
    let repeated = taken.values().filter(|bodies| bodies.len() > 1).count();
    eprintln!("seed {seed}: {letters} letters, {killed} kills, {repeated} came again, {:?}", began.elapsed());
    drop(staff);
    product.end().await;
}
