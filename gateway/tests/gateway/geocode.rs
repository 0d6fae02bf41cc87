//! Address suggestions for typed text.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use kit::config::{Config, Geocoder};
use kit::{Kind, Role};
use serde_json::{Value, json};

use crate::world::{Answer, World};

async fn ask(world: &World, token: &str, query: &str) -> Answer {
    let bearer = format!("Bearer {token}");
    world.get(&format!("/geocode?{query}"), &[("authorization", &bearer)]).await
}

type Reply = Box<dyn Fn() -> Response + Send>;

/// A provider on this machine that returns `reply` and records requests.
#[derive(Clone)]
struct Provider {
    asked: Arc<Mutex<Vec<String>>>,
    reply: Arc<Mutex<Reply>>,
    url: String,
}

impl Provider {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/search", listener.local_addr().unwrap());
        let reply: Reply = Box::new(|| axum::Json(found()).into_response());
        let this = Self { asked: Arc::default(), reply: Arc::new(Mutex::new(reply)), url };
        let answer = |State(this): State<Provider>, RawQuery(query): RawQuery| async move {
            this.asked.lock().unwrap().push(query.unwrap_or_default());
            let reply = this.reply.lock().unwrap();
            reply()
        };
        let app = axum::Router::new()
            .route("/search", get(answer))
            .route("/elsewhere", get(async || axum::Json(found())))
            .with_state(this.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        this
    }

    fn answers(&self, reply: impl Fn() -> Response + Send + 'static) {
        *self.reply.lock().unwrap() = Box::new(reply);
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn world(&self) -> World {
        self.world_with(|_| {})
    }

    fn world_with(&self, change: impl FnOnce(&mut Config)) -> World {
        World::with(|config| {
            config.geocoding.provider = Geocoder::Nominatim;
            config.geocoding.url = self.url.clone();
            config.geocoding.key = "secret-key-loquat".to_owned().into();
            change(config);
        })
    }
}

fn found() -> Value {
    json!([{ "display_name": "12 Rizal St, Manila", "lat": "14.559", "lon": "121.02" }])
}

#[tokio::test]
async fn without_a_provider_known_addresses_are_offered() {
    let world = World::new();
    let answer = ask(&world, &world.token(Role::Viewer), "address=%20Rizal%20%20St%20").await;
    assert_eq!(
        answer.json(),
        json!([
            { "address": "12 Rizal St", "point": { "lat": 14.5, "lng": 121.0, "accuracy": 30.0 } },
            { "address": "13 Rizal St", "point": null },
        ])
    );
    let page = world.stage.last_page();
    assert_eq!(
        (page.limit, page.r#where[0].key.as_str(), page.r#where[0].operator.as_str()),
        (10, "address", "contains")
    );
    assert_eq!(page.r#where[0].values, ["Rizal St"]);
}

#[tokio::test]
async fn a_provider_is_asked_once_for_the_same_text() {
    let provider = Provider::start().await;
    let world = provider.world();
    let token = world.token(Role::Dispatcher);
    for query in ["address=12+Rizal+St", "address=12%20rizal%20%20ST"] {
        let answer = ask(&world, &token, query).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(
            answer.json(),
            json!([{ "address": "12 Rizal St, Manila", "point": { "lat": 14.559, "lng": 121.02, "accuracy": null } }])
        );
    }
    assert_eq!(provider.asked(), ["q=12+Rizal+St&format=jsonv2&limit=10&key=secret-key-loquat"]);
    assert_eq!(ask(&world, &token, "address=%20").await.json(), json!([]));
    assert_eq!(ask(&world, &token, "").await.json(), json!([]));
    assert_eq!(provider.asked().len(), 1, "nothing typed is no question");
    let long = format!("address={}", "x".repeat(201));
    let refused = ask(&world, &token, &long).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (400, &json!("BAD_USER_INPUT")));
    let hostile = "address=http%3A%2F%2F169.254.169.254%2F%26key%3Dx%23";
    ask(&world, &token, hostile).await;
    assert!(provider.asked()[1].starts_with("q=http%3A%2F%2F169.254.169.254%2F%26key%3Dx%23&format="));
}

#[tokio::test]
async fn only_the_office_asks_and_each_only_so_often() {
    let provider = Provider::start().await;
    let world = provider.world_with(|config| config.geocoding.requests_per_minute = 2);
    let cookie = format!("session={}", world.stage.begin(Role::Admin));
    assert_eq!(world.get("/geocode?address=a", &[("cookie", &cookie)]).await.status, 401);
    assert_eq!(world.get("/geocode?address=a", &[]).await.json()["ok"], false);
    assert_eq!(ask(&world, &world.token(Role::Driver), "address=a").await.status, 403);
    assert!(provider.asked().is_empty());

    let token = world.token(Role::Viewer);
    for n in 0..2 {
        assert_eq!(ask(&world, &token, &format!("address=a{n}")).await.status, 200);
    }
    let refused = ask(&world, &token, "address=a2").await;
    assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (429, &json!("RATE_LIMITED")));
    assert_eq!(refused.header("retry-after"), "60");
    assert_eq!(ask(&world, &token, "address=a0").await.status, 200, "what is known costs nothing");
    assert_eq!(provider.asked().len(), 2);
}

#[tokio::test]
async fn what_a_provider_does_wrong_stays_outside() {
    let provider = Provider::start().await;
    let log = kit::testing::Log::default();
    let _guard = log.watch_with_spans();
    let world = provider.world();
    let token = world.token(Role::Viewer);
    let replies: [(&str, Reply); 6] = [
        ("redirect", Box::new(|| Redirect::temporary("/elsewhere").into_response())),
        ("failure", Box::new(|| (http::StatusCode::INTERNAL_SERVER_ERROR, "private-loquat").into_response())),
        ("refusal", Box::new(|| (http::StatusCode::TOO_MANY_REQUESTS, "slow down").into_response())),
        ("html", Box::new(|| "<html>private-loquat".into_response())),
        ("other", Box::new(|| axum::Json(json!({ "private": "loquat" })).into_response())),
        ("large", Box::new(|| format!("[{}]", " ".repeat(300_000)).into_response())),
    ];
    for (what, reply) in replies {
        provider.answers(reply);
        let answer = ask(&world, &token, &format!("address=private-loquat-{what}")).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (503, &json!("UNAVAILABLE")), "{what}");
        assert!(!answer.text().contains("loquat"), "{what}: {}", answer.text());
    }
    assert_eq!(provider.asked().len(), 6);
    assert!(!log.text().contains("loquat"), "the log holds what was typed or the key");
    provider.answers(|| axum::Json(json!([])).into_response());
    assert_eq!(ask(&world, &token, "address=nowhere").await.json(), json!([]));
}

#[tokio::test]
async fn a_provider_that_does_not_answer_is_not_waited_for() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let world = World::with(|config| {
        config.geocoding.provider = Geocoder::Nominatim;
        config.geocoding.url = url;
    });
    let begun = std::time::Instant::now();
    assert_eq!(ask(&world, &world.token(Role::Viewer), "address=a").await.status, 503);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_name_that_leads_inside_is_not_called() {
    let provider = Provider::start().await;
    let port = provider.url.rsplit(':').next().unwrap().split('/').next().unwrap().to_owned();
    // Another name of this machine. Only `localhost` may resolve to a loopback address.
    let name = "localhost.localdomain";
    let world = World::with(|config| {
        config.geocoding.provider = Geocoder::Nominatim;
        config.geocoding.url = format!("http://{name}:{port}/search");
    });
    assert_eq!(ask(&world, &world.token(Role::Viewer), "address=a").await.status, 503);
    assert!(provider.asked().is_empty());
}

#[tokio::test]
async fn failures_have_the_shape_of_an_action() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    ask(&world, &token, "address=a").await;
    world.stage.fail_as(Kind::InvalidInput);
    let answer = ask(&world, &token, "address=a").await;
    assert_eq!((answer.status.as_u16(), &answer.json()["ok"]), (400, &json!(false)));
    let bearer = format!("Bearer {token}");
    let post = world.post("/geocode", &[("authorization", &bearer)], "").await;
    assert_eq!((post.status.as_u16(), post.header("allow")), (405, "GET"));
}
