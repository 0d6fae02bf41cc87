//! One machine opens thousands of connections and finishes no request. Everybody else must still be served. A
//! short run opens fewer connections than the long run.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use kit::testing::long;
use reqwest::{Body, Client, StatusCode};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::browser::Browser;
use crate::harness::{PASSWORD, World};

/// Returns the time within which everybody else gets a response: a second in the long run, on an otherwise
/// idle machine.
fn patience() -> Duration {
    Duration::from_secs(if long() { 1 } else { 3 })
}

/// Number of requests by other people during the load, and the slowest response of each kind.
struct Seen {
    asked: usize,
    slowest_health: Duration,
    slowest_sign_in: Duration,
}

/// Checks liveness and signs in as somebody at another address of this machine, over a new connection each
/// time.
async fn look(base: &str, time: Duration) -> Seen {
    let begun = Instant::now();
    let mut seen = Seen { asked: 0, slowest_health: Duration::ZERO, slowest_sign_in: Duration::ZERO };
    while begun.elapsed() < time {
        let elsewhere = IpAddr::from([127, 0, 0, 2]);
        let http = Client::builder().local_address(elsewhere).timeout(20 * patience()).build().unwrap();
        let mut browser = Browser { http, ..Browser::new(base) };
        let asked = Instant::now();
        let health = browser.http.get(format!("{base}/health")).send().await.unwrap();
        assert_eq!(health.status(), StatusCode::OK);
        seen.slowest_health = seen.slowest_health.max(asked.elapsed());
        let asked = Instant::now();
        let login = json!({ "method": "login", "username": "admin", "password": PASSWORD });
        let (status, answer) = browser.auth(login).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        seen.slowest_sign_in = seen.slowest_sign_in.max(asked.elapsed());
        seen.asked += 1;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    seen
}

/// Sends the beginning of a request and then a byte per second. Reconnects when the connection is closed.
async fn hang(address: String, begin: String) {
    let mut buffer = [0; 1024];
    loop {
        let Ok(mut socket) = TcpStream::connect(&address).await else {
            tokio::time::sleep(Duration::from_secs(1)).await;
            continue;
        };
        if socket.write_all(begin.as_bytes()).await.is_ok() {
            loop {
                let silence = tokio::time::timeout(Duration::from_secs(1), socket.read(&mut buffer)).await;
                let dripped = begin.is_empty() || socket.write_all(b" ").await.is_ok();
                if matches!(silence, Ok(Ok(0) | Err(_))) || !dripped {
                    break;
                }
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Sends requests whose bodies never end, all over one HTTP/2 connection.
async fn multiplex(base: String, requests: usize) {
    let http = Client::builder().http2_prior_knowledge().build().unwrap();
    loop {
        let asking = (0..requests).map(|_| {
            let begin = stream::iter([Ok::<_, std::io::Error>("{")]).chain(stream::pending());
            http.post(format!("{base}/auth")).body(Body::wrap_stream(begin)).send()
        });
        futures::future::join_all(asking).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_from_one_address_keeps_nobody_else_out() {
    let world = World::all().await;
    let admin = world.admin().await;
    let address = world.base.trim_start_matches("http://").to_owned();
    let (many, files, time) = match long() {
        true => (2_000, 1_024, Duration::from_secs(45)),
        false => (300, 150, Duration::from_secs(3)),
    };
    let link = admin.post("/request-upload-link", json!({ "filename": "a.csv" })).await;
    let link: serde_json::Value = link.json().await.unwrap();
    let link = link["url"].as_str().unwrap().trim_start_matches(&world.base).to_owned();
    let head = |line: &str, length: usize| {
        format!("{line} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\n\r\n")
    };
    let crowds = [
        ("silent connections", many, String::new()),
        ("half heads", many, "GET / HTTP/1.1\r\nx: ".to_owned()),
        ("half sign-ins", many, head("POST /auth", 1_000)),
        ("half files at one link", files, head(&format!("PUT {link}"), 1_000_000)),
    ];
    for (name, count, begin) in crowds {
        let mut crowd = JoinSet::new();
        for _ in 0..count {
            crowd.spawn(hang(address.clone(), begin.clone()));
        }
        report(&format!("{count} {name}"), look(&world.base, time).await);
    }
    let mut crowd = JoinSet::new();
    for _ in 0..6 {
        crowd.spawn(multiplex(world.base.clone(), 190));
    }
    report("6 connections with 190 half sign-ins each", look(&world.base, time).await);
    drop(crowd);
    world.stop().await;
}

fn report(crowd: &str, seen: Seen) {
    eprintln!(
        "{crowd}: asked {} times, health within {:?}, sign-in within {:?}",
        seen.asked, seen.slowest_health, seen.slowest_sign_in
    );
    assert!(seen.asked > 0);
    assert!(seen.slowest_health < patience(), "{crowd}: health took {:?}", seen.slowest_health);
    assert!(seen.slowest_sign_in < patience(), "{crowd}: signing in took {:?}", seen.slowest_sign_in);
}
