//! Crowds of clients at the public port: which crowds keep others out, and which do not.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::ConnectInfo;
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{Method, Request};
use kit::Role;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;

use crate::export::endless;
use crate::live::{plain, plain_from};
use crate::world::{Answer, World, limits};

const LOGIN: &str = r#"{"username":"maria","password":"correct-horse","method":"login"}"#;
const LOGOUT: &str = r#"{"method":"logout"}"#;
const ME: &str = "203.0.113.7:4000";
const ANOTHER: &str = "203.0.113.8:4000";

async fn from(world: &World, address: &str, request: http::request::Builder, body: Body) -> Answer {
    let mut request = request.body(body).unwrap();
    request.extensions_mut().insert(ConnectInfo(address.parse::<SocketAddr>().unwrap()));
    world.send(request).await
}

async fn sign_in(world: &World, address: &str, body: impl Into<Body>) -> u16 {
    from(world, address, Request::post("/auth"), body.into()).await.status.as_u16()
}

/// Returns a body that sends `begin`, and then nothing more. When the gateway waits for more, `awaited` gets
/// a permit.
fn unfinished(begin: &'static str, awaited: &Arc<Semaphore>) -> Body {
    let awaited = awaited.clone();
    let begin = stream::iter([Ok::<_, std::io::Error>(Bytes::from(begin))]);
    let rest = stream::once(async move {
        awaited.add_permits(1);
        std::future::pending().await
    });
    Body::from_stream(begin.chain(rest))
}

/// A request whose body has not arrived may take a buffer, but no place among the requests in progress.
/// Otherwise, some fifty requests per second from one laptop would turn every other response into 503.
#[tokio::test]
async fn a_body_that_does_not_come_keeps_nobody_out() {
    let world = World::with(|config| {
        config.http.max_anonymous_in_flight = 4;
        config.http.body_timeout_seconds = 2;
    });
    let token = world.token(Role::Viewer);
    let bearer = format!("Bearer {token}");
    // Somebody has signed in before, so the keys that verify tokens are cached.
    world.query(&token, "{ deliveriesCount { total } }").await;
    let awaited = Arc::new(Semaphore::new(0));
    let slow = |n: u16| {
        let (world, body) = (&world, unfinished("{", &awaited));
        async move { sign_in(world, &format!("203.0.113.{}:4000", 10 + n), body).await }
    };
    // As many bodies as there are places for signed-out clients, each from its own address.
    let mut slow = pin!(futures::future::join_all((0..4).map(slow)));
    let others = async {
        awaited.acquire_many(4).await.unwrap().forget();
        assert_eq!(world.get("/health", &[]).await.status, 200);
        // These bodies use up only the room for signed-out clients.
        let signed_in = Request::post("/graphql")
            .header("content-type", "application/json")
            .header("authorization", &bearer);
        let ask = json!({ "query": "{ deliveriesCount { total } }" }).to_string();
        assert_eq!(from(&world, ME, signed_in, ask.into()).await.status, 200);
        assert_eq!(world.get("/auth?method=getToken", &[]).await.status, 200, "without a body");
    };
    tokio::select! {
        ended = &mut slow => panic!("{ended:?} before the others were answered"),
        () = others => {}
    }
    let slow = slow.await;
    assert_eq!(slow, [504; 4], "their time is short");
    assert_eq!(sign_in(&world, ME, LOGIN).await, 200);
}

#[tokio::test]
async fn one_address_takes_no_more_than_its_share() {
    let world = World::with(|config| config.http.max_anonymous_in_flight = 8);
    let held = world.stage.hold("login");
    let mine = futures::future::join_all((0..6).map(|_| sign_in(&world, ME, LOGIN)));
    let late = async {
        world.stage.called("login", 2).await;
        let other = sign_in(&world, ANOTHER, LOGIN);
        let release = async {
            world.stage.called("login", 3).await;
            drop(held);
        };
        tokio::join!(other, release).0
    };
    let (mut mine, other) = tokio::join!(mine, late);
    mine.sort_unstable();
    assert_eq!(mine, [200, 200, 503, 503, 503, 503]);
    assert_eq!(other, 200);
}

/// Otherwise the next person at this browser would still be signed in as the one who left.
#[tokio::test]
async fn a_sign_out_deletes_the_cookie_even_if_it_is_refused_or_takes_too_long() {
    let world = World::with(|config| {
        // One request of each address at a time.
        config.http.max_anonymous_in_flight = 4;
        config.http.timeout_seconds = 1;
    });
    let cookie = format!("session={}", world.stage.begin(Role::Viewer));
    let post = |site: &'static str, body: &'static str| {
        let request = Request::post("/auth").header("cookie", &cookie).header("sec-fetch-site", site);
        from(&world, ME, request, body.into())
    };
    let _held = world.stage.hold("logout");
    let crowd = async {
        world.stage.called("logout", 1).await;
        let refused = ["same-origin", "cross-site"].map(|site| post(site, LOGOUT));
        (futures::future::join_all(refused).await, post("same-origin", LOGIN).await)
    };
    let (late, (refused, sign_in)) = tokio::join!(post("same-origin", LOGOUT), crowd);
    assert_eq!((late.status.as_u16(), late.cookies().len()), (504, 2));
    let refused: Vec<_> = refused.iter().map(|it| (it.status.as_u16(), it.cookies().len())).collect();
    assert_eq!(refused, [(503, 2), (503, 0)], "another site signs nobody out");
    assert_eq!((sign_in.status.as_u16(), sign_in.cookies().len()), (503, 0));
}

/// A response that a slow client has not read yet occupies memory of this process, so its request keeps its
/// place.
#[tokio::test]
async fn a_place_is_kept_until_the_answer_was_read() {
    let world = World::with(|config| config.http.max_in_flight = 1);
    let token = world.token(Role::Viewer);
    world.query(&token, "{ deliveriesCount { total } }").await;
    let bearer = format!("Bearer {token}");
    let ask = || {
        let body = json!({ "query": "{ deliveriesCount { total } }" }).to_string();
        Request::post("/graphql")
            .header("content-type", "application/json")
            .header("authorization", &bearer)
            .body(Body::from(body))
            .unwrap()
    };
    let unread = tower::ServiceExt::oneshot(world.router.clone(), ask()).await.unwrap();
    assert_eq!(unread.status(), 200);
    assert_eq!(world.send(ask()).await.status, 503);
    assert_eq!(sign_in(&world, ME, LOGIN).await, 200, "strangers have places of their own");
    drop(unread);
    assert_eq!(world.send(ask()).await.status, 200);
}

/// A client with an upload link, valid or not, must not be able to block the transfers of others.
#[tokio::test]
async fn transfers_do_not_take_what_requests_need() {
    let world = World::with(|config| config.http.max_transfers = 4);
    let awaited = Arc::new(Semaphore::new(0));
    let put = || Request::builder().method(Method::PUT).uri("/objects/a?expires=1&signature=x");
    let mut slow = Vec::new();
    for address in [ME, ME, ME, ANOTHER] {
        let mut request = put().body(unfinished("x", &awaited)).unwrap();
        request.extensions_mut().insert(ConnectInfo(address.parse::<SocketAddr>().unwrap()));
        // The request is refused for its link, but the response is not read, so the place stays taken.
        slow.push(tower::ServiceExt::oneshot(world.router.clone(), request).await.unwrap());
    }
    let statuses: Vec<u16> = slow.iter().map(|it| it.status().as_u16()).collect();
    let refused: Vec<bool> = statuses.iter().map(|it| *it == 503).collect();
    assert_eq!(refused, [false, false, true, false], "half of the places for one address: {statuses:?}");
    assert_eq!(sign_in(&world, ME, LOGIN).await, 200);
}

/// Clients without a token get few connections, for a short time.
#[tokio::test]
async fn sockets_of_strangers_are_few_and_short() {
    let world = World::with(|config| config.http.trusted_proxies = 1);
    let address = world.serve().await;
    let mut mine = Vec::new();
    for _ in 0..128 {
        mine.push(plain_from(&address, "203.0.113.7").await.unwrap());
    }
    assert_eq!(plain_from(&address, "203.0.113.7").await.err(), Some(503));
    let mut other = plain_from(&address, "203.0.113.8").await.unwrap();
    other.init(json!({ "token": world.token(Role::Viewer) })).await;
    assert_eq!(other.next().await, Ok(json!({ "type": "connection_ack" })));
    for socket in &mut mine {
        assert_eq!(socket.next().await.err(), Some(4408), "it had its time to sign in");
    }
    let begun = Instant::now();
    let mut again = loop {
        match plain_from(&address, "203.0.113.7").await {
            Ok(socket) => break socket,
            Err(_) => assert!(begun.elapsed() < Duration::from_secs(10), "strangers stay"),
        }
    };
    again.init(json!({ "token": world.token(Role::Viewer) })).await;
    assert_eq!(again.next().await, Ok(json!({ "type": "connection_ack" })));
}

/// Signing in makes room for the next signed-out client: from then on only the account's own limit counts.
#[tokio::test]
async fn a_socket_that_signed_in_is_no_stranger() {
    let world = World::new();
    let address = world.serve().await;
    let mut mine = Vec::new();
    for _ in 0..20 {
        let mut socket = plain(&address).await;
        socket.init(json!({ "token": world.token(Role::Viewer) })).await;
        assert_eq!(socket.next().await, Ok(json!({ "type": "connection_ack" })));
        mine.push(socket);
    }
    let mut strangers = Vec::new();
    for _ in 0..128 {
        strangers.push(plain(&address).await);
    }
}

/// Two people who have stopped reading must not block everybody's exports for ten minutes.
#[tokio::test]
async fn whoever_stops_reading_an_export_gives_the_place_back() {
    let world = World::new();
    let moment = Duration::from_millis(500);
    let address =
        world.serve_with(kit::connections::Limits { header: moment, write: moment, ..limits() }).await;
    let taken = Arc::default();
    world.stage.exports(endless(&taken));
    let token = world.token(Role::Viewer);
    let request = format!(
        "GET /export/deliveries?format=csv HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n"
    );
    // A small receive buffer, because the export would first fill a larger one.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut client = socket.connect(address.parse().unwrap()).await.unwrap();
    client.write_all(request.as_bytes()).await.unwrap();
    let mut head = [0; 12];
    client.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    let begun = Instant::now();
    while world.stage.calls("export dropped").is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(40), "nobody reads, and the export goes on");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let mut next = TcpStream::connect(&address).await.unwrap();
    next.write_all(request.as_bytes()).await.unwrap();
    next.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    drop(client);
}

/// An incomplete report of a device must not take a place for processing, either.
#[tokio::test]
async fn half_a_report_keeps_no_device_out() {
    let world = World::with(|config| {
        config.ingest.max_in_flight = 2;
        config.http.body_timeout_seconds = 2;
    });
    let awaited = Arc::new(Semaphore::new(0));
    let mut slow = pin!(futures::future::join_all((0..4).map(|_| {
        let mut request = Request::post("/").body(unfinished("id=d", &awaited)).unwrap();
        request.extensions_mut().insert(ConnectInfo(ME.parse::<SocketAddr>().unwrap()));
        World::send_to(&world.devices, request)
    })));
    let other = async {
        awaited.acquire_many(4).await.unwrap().forget();
        let point = "/?id=d&timestamp=1795233540&lat=14.5&lon=121";
        let mut request = Request::get(point).body(Body::empty()).unwrap();
        request.extensions_mut().insert(ConnectInfo(ANOTHER.parse::<SocketAddr>().unwrap()));
        World::send_to(&world.devices, request).await.status.as_u16()
    };
    let other = tokio::select! {
        _ = &mut slow => panic!("half of the reports ended before the other one was answered"),
        other = other => other,
    };
    let slow = slow.await;
    assert_eq!(other, 200);
    assert!(slow.iter().all(|it| it.status == 503 && it.header("retry-after") == "5"));
}
