//! Requests of devices, through their port, with a stand-in for the drivers service.

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use chrono::Utc;
use http::{Request, StatusCode};
use kit::testing::{Log, metric_value};
use kit::{Error, Kind};
use proto::drivers::v1::RecordReportsRequest;
use serde_json::json;

use crate::world::{Answer, World};

#[path = "../ingest/corpus.rs"]
#[allow(dead_code)] // each test that includes it uses only a part
mod corpus;

const POINT: &str = "/?id=phone&lat=14.5&lon=121&timestamp=1795233540";

async fn send(world: &World, method: &str, target: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    World::send_to(&world.devices, request.body(Body::from(body)).unwrap()).await
}

async fn get(world: &World, target: &str) -> Answer {
    send(world, "GET", target, &[], Vec::new()).await
}

#[tokio::test]
async fn each_request_of_the_corpus_is_answered_as_its_sender_expects() {
    let world = World::new();
    for entry in corpus::entries() {
        let before = world.stage.calls("device positions").len();
        let headers = entry.headers();
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = send(&world, entry.method().as_str(), entry.target(), &headers, entry.body()).await;
        let asked = world.stage.calls("device positions").len() - before;
        assert_eq!(answer.header("cache-control"), "no-store", "{}", entry.name);
        if let Some((status, says)) = entry.refusal() {
            assert_eq!(answer.status.as_u16(), status, "{}: {}", entry.name, answer.text());
            assert_eq!(asked, 0, "{}: what is refused changes nothing", entry.name);
            if entry.method() != http::Method::HEAD {
                let text = answer.json()["error"].as_str().unwrap().to_owned();
                assert!(text.contains(says), "{}: {text}", entry.name);
            }
            continue;
        }
        assert_eq!(
            (answer.status, answer.text()),
            (StatusCode::OK, entry.answer().to_owned()),
            "{}",
            entry.name
        );
        assert_eq!(asked, usize::from(!entry.positions().is_empty()), "{}", entry.name);
        if asked > 0 {
            let asked: RecordReportsRequest = world.stage.asked();
            let kept = &asked.reports[0];
            let told = (kept.device_unique_id.as_str(), kept.provider.as_str(), kept.positions.len());
            assert_eq!(told, (entry.device(), entry.provider(), entry.positions().len()), "{}", entry.name);
        }
    }
}

#[tokio::test]
async fn a_device_is_told_why_its_points_do_not_count() {
    let world = World::new();
    type Failure = fn() -> Error;
    let refusals: [(Failure, u16, &str); 6] = [
        (|| Error::not_found("DEVICE_UNPAIRED", "x"), 404, "Pair it under Drivers"),
        (|| Error::new(Kind::Forbidden, "DRIVER_BLOCKED", "x"), 403, "is blocked"),
        (|| Error::invalid("INVALID_FIELDS", "Latitude is odd."), 422, "Latitude is odd."),
        (|| Error::unavailable("DATABASE_UNAVAILABLE", "x"), 503, "Try again"),
        (|| Error::rate_limited("BUSY", "x", Duration::from_secs(1)), 503, "Try again"),
        (|| Error::internal("the secret cause"), 500, "Something went wrong"),
    ];
    for (failure, status, says) in refusals {
        world.stage.fail(move || failure().into());
        let answer = get(&world, POINT).await;
        assert_eq!(answer.status.as_u16(), status, "{}", answer.text());
        assert!(answer.text().contains(says) && !answer.text().contains("cause"), "{}", answer.text());
        assert_eq!(answer.header("retry-after"), if status == 503 { "5" } else { "" });
    }
    world.stage.heal();
    assert_eq!(get(&world, POINT).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_failure_is_counted_and_logged_under_the_id_of_its_response() {
    let log = Log::default();
    let _guard = log.watch_with_spans();
    let world = World::new();
    world.stage.fail(|| Error::internal("on purpose").into());
    let answer = get(&world, POINT).await;
    assert_eq!(answer.status, 500);
    let failed = [("http_route", "/ingest"), ("http_response_status_code", "500")];
    assert!(metric_value("http_server_request_duration_seconds_count", &failed).is_some());
    let (text, id) = (log.text(), answer.header("x-request-id"));
    assert_eq!(id.len(), 32);
    let lines: Vec<_> = text.lines().filter(|line| line.contains("request failed")).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(id)), "{id} is not in {lines:#?}");
    assert!(!text.contains("id=phone"), "{text}");
}

#[tokio::test]
async fn devices_that_send_at_once_share_calls_and_get_their_own_answers() {
    let world = World::new();
    // A paused clock moves only while everything waits, so the speed of the machine does not matter.
    tokio::time::pause();
    let send = async |device: &str, points: usize| {
        let point = r#"{"occurredAt":"2026-11-21T03:59:00Z","lat":1,"lng":2}"#;
        let body = format!(r#"{{"deviceId":"{device}","positions":[{}]}}"#, vec![point; points].join(","));
        send(&world, "POST", "/", &[("content-type", "application/json")], body.into()).await
    };
    let devices: Vec<String> = (1..=60).map(|it| format!("d{it}")).chain(["lost".to_owned()]).collect();
    let answers = devices.iter().enumerate().map(|(place, device)| send(device, place + 1));
    let answers = futures::future::join_all(answers).await;
    for (place, answer) in answers[..60].iter().enumerate() {
        assert_eq!(answer.text(), format!(r#"{{"recorded":{},"filtered":0,"tooOld":0}}"#, place + 1));
    }
    assert_eq!((answers[60].status.as_u16(), world.stage.addresses().len()), (404, 61));
    let calls = world.stage.calls("device positions").len();
    assert!(calls <= 6, "{calls} calls for 61 requests, of which few positions wait for others");

    // A sender that is alone never waits: ten reports, one after the other, with pauses.
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_millis(150)).await;
        let begun = tokio::time::Instant::now();
        assert_eq!(send("alone", 1).await.status, 200);
        let waited = begun.elapsed();
        assert!(waited < Duration::from_millis(50), "{waited:?}");
    }

    world.stage.fail(|| Error::unavailable("DATABASE_UNAVAILABLE", "x").into());
    let answers = futures::future::join_all(devices.iter().map(|device| send(device, 1))).await;
    assert!(answers.iter().all(|it| it.status == 503));
}

#[tokio::test]
async fn requests_are_bounded_in_number_size_and_time() {
    let world = World::with(|config| config.ingest.max_body_bytes = 2_048);
    let batch = |size: usize| {
        let filler = " ".repeat(size);
        format!(
            r#"{{"deviceId":"d",{filler}"positions":[{{"occurredAt":"2026-11-21T03:59:00Z","lat":1,"lng":2}}]}}"#
        )
    };
    let json = [("content-type", "application/json")];
    assert_eq!(send(&world, "POST", "/", &json, batch(10).into()).await.status, 200);
    assert_eq!(send(&world, "POST", "/", &json, batch(3_000).into()).await.status, 413);
    // Small when compressed, too large when decompressed.
    let packed = |text: String| {
        use std::io::Write;
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(text.as_bytes()).unwrap();
        packer.finish().unwrap()
    };
    let gzip = [("content-type", "application/json"), ("content-encoding", "gzip")];
    assert_eq!(send(&world, "POST", "/", &gzip, packed(batch(1_000))).await.status, 200);
    let bomb = packed(batch(5_000_000));
    assert!(bomb.len() > 2_048, "said before a byte is unpacked");
    assert_eq!(send(&world, "POST", "/", &gzip, bomb).await.status, 413);
    let small = packed(batch(100_000));
    assert!(small.len() < 2_048);
    assert_eq!(send(&world, "POST", "/", &gzip, small).await.status, 413);

    let world = World::with(|config| config.ingest.requests_per_minute = 2);
    let from = |address: &'static str| {
        let mut request = Request::builder().uri(POINT).body(Body::empty()).unwrap();
        request.extensions_mut().insert(ConnectInfo(address.parse::<SocketAddr>().unwrap()));
        World::send_to(&world.devices, request)
    };
    for expected in [200, 200, 503] {
        let answer = from("203.0.113.7:4000").await;
        assert_eq!(answer.status, expected);
        if expected == 503 {
            let wait: u64 = answer.header("retry-after").parse().unwrap();
            assert!((30..=60).contains(&wait), "{wait} seconds: the rest of the minute");
        }
    }
    assert_eq!(from("203.0.113.8:4000").await.status, 200);
    assert_eq!(world.stage.addresses(), ["203.0.113.7", "203.0.113.7", "203.0.113.8"]);

    let world = World::with(|config| {
        config.ingest.max_in_flight = 1;
        config.http.timeout_seconds = 1;
    });
    world.stage.delay(Duration::from_secs(60));
    let (slow, refused) = tokio::join!(get(&world, POINT), async {
        a_call(&world).await;
        get(&world, POINT).await
    });
    assert_eq!((slow.status.as_u16(), refused.status.as_u16()), (503, 503));
    assert_eq!(refused.header("retry-after"), "5");
    assert_eq!(world.stage.calls("device positions").len(), 1);
}

/// Waits until a call is in progress.
async fn a_call(world: &World) {
    while world.stage.calls("device positions").is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_public_port_takes_positions_only_when_told_to() {
    let target = POINT.replacen('/', "/ingest", 1);
    let with_slash = POINT.replacen('/', "/ingest/", 1);
    let world = World::new();
    for target in [&target, &with_slash] {
        // An app takes any success for stored positions, and deletes its own.
        assert_eq!(world.get(target, &[]).await.status, 404, "{target}");
    }
    assert!(world.stage.calls("device positions").is_empty());
    assert_eq!(get(&world, &target).await.status, 404, "the port of its own has another path");

    let world = World::with(|config| config.ingest.on_public_port = true);
    for target in [&target, &with_slash] {
        assert_eq!(world.get(target, &[]).await.status, 200, "{target}");
    }
    assert_eq!(world.stage.calls("device positions").len(), 2);

    for path in ["/gps/in", "/gps/in/"] {
        let world = World::with(|config| config.ingest.path = path.into());
        for target in ["/gps/in", "/gps/in/"] {
            assert_eq!(get(&world, &POINT.replacen('/', target, 1)).await.status, 200, "{path}: {target}");
        }
        assert_eq!(get(&world, POINT).await.status, 404);
    }
}

#[tokio::test]
async fn a_proxy_says_where_a_device_is_only_when_it_is_trusted() {
    for (proxies, seen) in [(0, "0.0.0.0"), (1, "198.51.100.9")] {
        let world = World::with(|config| config.ingest.trusted_proxies = proxies);
        let headers = [("x-forwarded-for", "10.1.1.1, 198.51.100.9")];
        assert_eq!(send(&world, "GET", POINT, &headers, Vec::new()).await.status, 200);
        assert_eq!(world.stage.addresses(), [seen]);
    }
}

#[tokio::test]
async fn a_point_without_a_time_is_of_now() {
    let world = World::new();
    assert_eq!(get(&world, "/?id=phone&lat=14.5&lon=121").await.status, 200);
    let asked: RecordReportsRequest = world.stage.asked();
    let kept = &asked.reports[0];
    let at = proto::instant(kept.positions[0].occurred_at.unwrap()).unwrap();
    assert_eq!(at.with_timezone(&Utc), world.clock.now());
    assert_eq!(json!(kept.provider), "osmand");
}
