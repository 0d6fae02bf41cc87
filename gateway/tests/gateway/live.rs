//! Subscriptions: what an open screen receives, and when it stops receiving.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use kit::{Kind, Role};
use proto::events::envelope::Payload;
use proto::events::{DeliveriesImported, DeliveryChanged, DeliveryFact, Envelope};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::world::World;

const ALL: &str = "subscription { deliveryChanged { id delivery { id } } }";

pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

async fn connect(address: &str, headers: &[(&'static str, &str)]) -> Result<Socket, u16> {
    let mut request = format!("ws://{address}/graphql").into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    match connect_async(request).await {
        Ok((socket, response)) => {
            assert_eq!(response.headers()["sec-websocket-protocol"], "graphql-transport-ws");
            Ok(Socket(socket))
        }
        Err(WsError::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

/// Connects through a proxy that names this client address; returns the status if the connection is refused.
pub async fn plain_from(address: &str, from: &str) -> Result<Socket, u16> {
    let headers = [("sec-websocket-protocol", "graphql-transport-ws"), ("x-forwarded-for", from)];
    connect(address, &headers).await
}

pub async fn plain(address: &str) -> Socket {
    connect(address, &[("sec-websocket-protocol", "graphql-transport-ws")]).await.ok().unwrap()
}

impl Socket {
    pub async fn send(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    pub async fn init(&mut self, payload: Value) {
        self.send(json!({ "type": "connection_init", "payload": payload })).await;
    }

    pub async fn subscribe(&mut self, id: &str, query: &str, variables: Value) {
        let payload = json!({ "query": query, "variables": variables });
        self.send(json!({ "type": "subscribe", "id": id, "payload": payload })).await;
    }

    /// Returns the next message, or the code with which the connection was closed.
    pub async fn next(&mut self) -> Result<Value, u16> {
        let next = async {
            loop {
                match self.0.next().await {
                    Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                    Some(Ok(Message::Close(frame))) => return Err(frame.map_or(0, |it| it.code.into())),
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return Err(0),
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(15), next).await.expect("nothing came")
    }

    pub async fn nothing_for(&mut self, time: Duration) {
        if let Ok(message) = tokio::time::timeout(time, self.next()).await {
            panic!("{message:?} came");
        }
    }
}

/// Subscribes, and waits until the subscription is active.
pub async fn subscriber(world: &World, address: &str, query: &str, variables: Value) -> Socket {
    let mut socket = plain(address).await;
    socket.init(json!({ "authorization": format!("Bearer {}", world.token(Role::Viewer)) })).await;
    assert_eq!(socket.next().await, Ok(json!({ "type": "connection_ack" })));
    socket.subscribe("1", query, variables).await;
    // Messages are processed in order: once the ping is answered, the subscription is active.
    socket.send(json!({ "type": "ping" })).await;
    assert_eq!(socket.next().await, Ok(json!({ "type": "pong" })));
    socket
}

fn fact(id: &str) -> DeliveryFact {
    DeliveryFact { id: id.to_owned(), ..DeliveryFact::default() }
}

async fn publish(world: &World, payload: Payload) {
    let envelope = Envelope {
        id: kit::clock::new_id().to_string(),
        subject: payload.entry().subject("deliveries"),
        payload: Some(payload),
        ..Envelope::default()
    };
    world.bus.publish(&envelope).await.unwrap();
}

async fn changed(world: &World, id: &str) {
    let change = DeliveryChanged { delivery: Some(fact(id)), ..DeliveryChanged::default() };
    publish(world, Payload::DeliveryChanged(change)).await;
}

/// Waits until the gateway listens to the bus.
async fn listening(world: &World) -> String {
    let address = world.serve().await;
    let mut notices = world.notices.listen();
    for _ in 0..200 {
        changed(world, "probe").await;
        if tokio::time::timeout(Duration::from_millis(50), notices.recv()).await.is_ok() {
            return address;
        }
    }
    panic!("the gateway never listened");
}

#[tokio::test]
async fn a_change_elsewhere_reaches_an_open_list_as_a_bare_id() {
    let world = World::new();
    let address = listening(&world).await;
    let mut socket = subscriber(&world, &address, ALL, json!({})).await;
    changed(&world, "D-7").await;
    let expected = json!({ "type": "next", "id": "1",
        "payload": { "data": { "deliveryChanged": { "id": "D-7", "delivery": null } } } });
    assert_eq!(socket.next().await, Ok(expected));
    let deliveries = vec![fact("D-8"), fact("D-9")];
    publish(&world, Payload::DeliveriesImported(DeliveriesImported { deliveries, ..Default::default() }))
        .await;
    for id in ["D-8", "D-9"] {
        assert_eq!(socket.next().await.unwrap()["payload"]["data"]["deliveryChanged"]["id"], id);
    }
    assert!(world.stage.calls("get").is_empty(), "a bare id is nobody's question");
    socket.send(json!({ "type": "complete", "id": "1" })).await;
    assert_eq!(socket.next().await, Ok(json!({ "type": "complete", "id": "1" })));
    changed(&world, "D-7").await;
    socket.nothing_for(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn a_list_hears_once_a_second_that_something_changed() {
    let world = World::new();
    let address = listening(&world).await;
    let mut socket = subscriber(&world, &address, "subscription { deliveriesChanged }", json!({})).await;
    let told = |message: Result<Value, u16>| message.unwrap()["payload"]["data"]["deliveriesChanged"].clone();
    let begun = std::time::Instant::now();
    for batch in 0..10 {
        let deliveries = (0..500).map(|n| fact(&format!("D-{batch}-{n}"))).collect();
        publish(&world, Payload::DeliveriesImported(DeliveriesImported { deliveries, ..Default::default() }))
            .await;
    }
    assert_eq!(told(socket.next().await), json!(true));
    changed(&world, "D-0").await;
    let (mut messages, mut elapsed) = (1, begun.elapsed());
    while let Ok(message) = tokio::time::timeout(Duration::from_millis(1500), socket.next()).await {
        assert_eq!(told(message), json!(true));
        messages += 1;
        elapsed = begun.elapsed();
    }
    assert!(messages <= 2 + elapsed.as_secs(), "{messages} messages in {elapsed:?}");
    assert!(messages >= 2 && elapsed >= Duration::from_millis(900), "{elapsed:?}");
    changed(&world, "D-1").await;
    assert_eq!(told(socket.next().await), json!(true));
}

#[tokio::test]
async fn an_open_delivery_is_read_anew_with_the_subscribers_rights() {
    let world = World::new();
    let address = listening(&world).await;
    let query = "subscription S($ids: [String!]) { deliveryChanged(ids: $ids) { id delivery { version items { itemNumber } } } }";
    let mut socket = subscriber(&world, &address, query, json!({ "ids": ["d-1", "gone"] })).await;
    changed(&world, "D-2").await;
    changed(&world, "gone").await;
    for n in 1..=2 {
        changed(&world, "D-1").await;
        let message = socket.next().await.unwrap();
        let change = &message["payload"]["data"]["deliveryChanged"];
        assert_eq!((&change["id"], &change["delivery"]["version"]), (&json!("D-1"), &json!(7)), "{message}");
        assert_eq!(change["delivery"]["items"].as_array().unwrap().len(), 2);
        assert_eq!(world.stage.calls("items").len(), n, "nothing is shown that was loaded before");
    }
    // Many simultaneous changes cause one message, or two if some of them come while the first message is
    // made.
    for _ in 0..20 {
        changed(&world, "D-1").await;
    }
    socket.next().await.unwrap();
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert!(world.stage.calls("get").len() <= 2 + 2 + 1, "{:?}", world.stage.calls("get"));
}

#[tokio::test]
async fn an_id_alone_is_sent_without_reading_the_delivery() {
    let world = World::new();
    let address = listening(&world).await;
    let query = "subscription S($ids: [String!]) { deliveryChanged(ids: $ids) { id } }";
    let mut socket = subscriber(&world, &address, query, json!({ "ids": ["d-1", "gone"] })).await;
    for id in ["D-2", "gone", "D-1"] {
        changed(&world, id).await;
    }
    for id in ["gone", "D-1"] {
        assert_eq!(socket.next().await.unwrap()["payload"]["data"]["deliveryChanged"], json!({ "id": id }));
    }
    assert!(world.stage.calls("get").is_empty(), "{:?}", world.stage.calls("get"));
}

#[tokio::test]
async fn who_says_nothing_or_something_wrong_is_let_go() {
    let world = World::new();
    let address = listening(&world).await;
    for payload in
        [json!(null), json!({}), json!({ "authorization": "Bearer nonsense" }), json!({ "token": 7 })]
    {
        let mut socket = plain(&address).await;
        socket.init(payload.clone()).await;
        assert_eq!(socket.next().await, Err(4401), "{payload}");
    }
    let token = world.token(Role::Viewer);
    for payload in [
        json!({ "token": token }),
        json!({ "authorization": token }),
        json!({ "Authorization": format!("bearer {token}") }),
    ] {
        let mut socket = plain(&address).await;
        socket.init(payload).await;
        assert_eq!(socket.next().await, Ok(json!({ "type": "connection_ack" })));
    }
    let mut early = plain(&address).await;
    early.subscribe("1", ALL, json!({})).await;
    assert_eq!(early.next().await, Err(1011), "nobody subscribes before they said who they are");
    let mut garbage = plain(&address).await;
    garbage.0.send(Message::text("{")).await.unwrap();
    assert_eq!(garbage.next().await, Err(1002));
    let mut silent = plain(&address).await;
    assert_eq!(silent.next().await, Err(4408));

    world.stage.fail_as(Kind::Unavailable);
    let mut unlucky = plain(&address).await;
    unlucky.init(json!({ "token": world.token(Role::Viewer) })).await;
    assert_eq!(unlucky.next().await, Err(1013), "not knowing is not being signed out");
}

#[tokio::test]
async fn a_driver_hears_nothing() {
    let world = World::new();
    let address = listening(&world).await;
    let one = r#"subscription { deliveryChanged(ids: ["D-1"]) { id } }"#;
    for query in [ALL, one, "subscription { deliveriesChanged }"] {
        let mut socket = plain(&address).await;
        socket.init(json!({ "token": world.token(Role::Driver) })).await;
        socket.next().await.unwrap();
        socket.subscribe("1", query, json!({})).await;
        let refused = socket.next().await.unwrap();
        assert_eq!(refused["payload"]["errors"][0]["extensions"]["code"], "FORBIDDEN", "{refused}");
        assert_eq!(socket.next().await, Ok(json!({ "type": "complete", "id": "1" })));
    }
}

#[tokio::test]
async fn the_connection_ends_with_its_session_and_with_its_token() {
    let world = World::new();
    let address = listening(&world).await;
    let mut socket = subscriber(&world, &address, ALL, json!({})).await;
    world.stage.end_all();
    let begun = std::time::Instant::now();
    assert_eq!(socket.next().await, Err(4401));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());

    // This process ended the session, so there is no further message.
    let secret = world.stage.begin(Role::Viewer);
    let mut socket = plain(&address).await;
    socket.init(json!({ "token": world.stage.token_of(&secret).unwrap() })).await;
    socket.next().await.unwrap();
    socket.subscribe("1", ALL, json!({})).await;
    world.post("/auth", &[("cookie", &format!("session={secret}"))], r#"{"method":"logout"}"#).await;
    changed(&world, "D-1").await;
    assert_eq!(socket.next().await, Err(4401));

    let mut socket = subscriber(&world, &address, ALL, json!({})).await;
    world.clock.advance(chrono::Duration::seconds(301));
    assert_eq!(socket.next().await, Err(4403), "one comes back with a new token");
}

#[tokio::test]
async fn a_stopping_process_says_so() {
    let world = World::new();
    let address = listening(&world).await;
    let mut socket = subscriber(&world, &address, ALL, json!({})).await;
    world.stop.cancel();
    assert_eq!(socket.next().await, Err(1012));
}

#[tokio::test]
async fn only_our_pages_and_our_protocol() {
    let world = World::with(|config| config.http.allowed_origins = vec!["https://app.example.com".into()]);
    let address = world.serve().await;
    let protocol = ("sec-websocket-protocol", "graphql-transport-ws");
    let own = format!("http://{address}");
    for (headers, expected) in [
        (vec![protocol], None),
        (vec![protocol, ("origin", own.as_str())], None),
        (vec![protocol, ("origin", "https://app.example.com")], None),
        (vec![protocol, ("origin", "https://app.example.com"), ("sec-fetch-site", "cross-site")], None),
        (vec![protocol, ("origin", "https://evil.example.com")], Some(403)),
        (vec![protocol, ("sec-fetch-site", "cross-site")], Some(403)),
        (vec![("sec-websocket-protocol", "graphql-ws")], Some(400)),
        (vec![], Some(400)),
    ] {
        assert_eq!(connect(&address, &headers).await.err(), expected, "{headers:?}");
    }
    assert_eq!(world.get("/graphql", &[]).await.status, 404, "a GET that wants no socket finds nothing");
}

#[tokio::test]
async fn a_connection_and_what_it_asks_are_bounded() {
    let world = World::new();
    let address = listening(&world).await;
    let token = world.token(Role::Viewer);
    let mut socket = plain(&address).await;
    socket.init(json!({ "token": token })).await;
    socket.next().await.unwrap();
    for (query, text) in [
        ("{ deliveries { id } }", "by POST"),
        ("mutation { endSession(input: { id: \"x\" }) { count } }", "by POST"),
        ("subscription { a: deliveryChanged { id } b: deliveryChanged { id } }", "one field"),
        (
            "subscription { deliveryChanged { delivery { items { itemNumber } history { id } ... on Delivery { forms { content { delivery { forms { content { delivery { id } } } } } } } } } }",
            "levels",
        ),
        ("subscription { deliveryChanged { nothing } }", "nothing"),
        ("subscription {", "expected"),
        ("subscription { __schema { types { name } } }", "ntrospection"),
    ] {
        socket.subscribe("x", query, json!({})).await;
        let refused = socket.next().await.unwrap();
        let error = &refused["payload"]["errors"][0];
        assert!(error["message"].as_str().unwrap_or_default().contains(text), "{query}: {refused}");
        assert!(error["extensions"]["code"].is_string(), "{refused}");
        assert_eq!(socket.next().await.unwrap()["type"], "complete");
    }
    let ids: Vec<_> = (0..201).map(|n| n.to_string()).collect();
    let query = "subscription S($ids: [String!]) { deliveryChanged(ids: $ids) { id } }";
    socket.subscribe("x", query, json!({ "ids": ids })).await;
    let refused = socket.next().await.unwrap();
    assert!(
        refused["payload"]["errors"][0]["extensions"]["properties"]["messages"]["ids"].is_array(),
        "{refused}"
    );
    assert_eq!(socket.next().await.unwrap()["type"], "complete");

    for n in 0..20 {
        socket.subscribe(&n.to_string(), ALL, json!({})).await;
    }
    socket.subscribe("one more", ALL, json!({})).await;
    let refused = socket.next().await.unwrap();
    assert_eq!((&refused["id"], &refused["type"]), (&json!("one more"), &json!("next")), "{refused}");
    assert_eq!(refused["payload"]["errors"][0]["extensions"]["code"], "RATE_LIMITED");
    socket.next().await.unwrap();
    socket.send(json!({ "type": "complete", "id": "7" })).await;
    socket.next().await.unwrap();
    socket.subscribe("room again", ALL, json!({})).await;
    socket.nothing_for(Duration::from_millis(200)).await;

    let mut noisy = plain(&address).await;
    noisy.init(json!({ "token": token })).await;
    for _ in 0..200 {
        let ping = Message::text(json!({ "type": "ping" }).to_string());
        if noisy.0.send(ping).await.is_err() {
            break;
        }
    }
    let code = loop {
        if let Err(code) = noisy.next().await {
            break code;
        }
    };
    assert_eq!(code, 1008);

    let mut large = plain(&address).await;
    let _ = large.0.send(Message::text("x".repeat(70_000))).await;
    assert!(large.next().await.is_err());
}

#[tokio::test]
async fn one_account_has_so_many_connections() {
    let world = World::new();
    let address = world.serve().await;
    let mut open = Vec::new();
    let one_more = async || {
        let mut socket = plain(&address).await;
        // Each connection has its own session.
        socket.init(json!({ "token": world.token(Role::Viewer) })).await;
        let answer = socket.next().await.map(|_| ());
        (socket, answer)
    };
    for _ in 0..30 {
        let (socket, answer) = one_more().await;
        assert_eq!(answer, Ok(()));
        open.push(socket);
    }
    assert_eq!(one_more().await.1, Err(1013));
    drop(open.pop());
    for _ in 0..50 {
        if one_more().await.1.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("a connection that ended never made room");
}

/// An import that has ended is sent once, and then the subscription is complete. One that nobody has is an
/// error.
#[tokio::test]
async fn an_upload_is_sent_until_nothing_runs_for_it() {
    const PROGRESS: &str = "subscription ($id: String!) { uploadLogChanged(id: $id) { id status } }";
    let world = World::new();
    let address = world.serve().await;
    let mut socket = plain(&address).await;
    socket.init(json!({ "authorization": format!("Bearer {}", world.token(Role::Viewer)) })).await;
    assert_eq!(socket.next().await, Ok(json!({ "type": "connection_ack" })));
    socket.subscribe("1", PROGRESS, json!({ "id": "log-1" })).await;
    let log = json!({ "uploadLogChanged": { "id": "log-1", "status": "imported_with_errors" } });
    assert_eq!(socket.next().await, Ok(json!({ "type": "next", "id": "1", "payload": { "data": log } })));
    assert_eq!(socket.next().await, Ok(json!({ "type": "complete", "id": "1" })));
    socket.subscribe("2", PROGRESS, json!({ "id": "none" })).await;
    let failed = socket.next().await.unwrap();
    assert_eq!(failed["payload"]["errors"][0]["extensions"]["reason"], "UPLOAD_LOG_NOT_FOUND", "{failed}");
}
