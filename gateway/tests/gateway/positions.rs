//! Exporting a driver's positions as a file: its content, and that a file never looks complete when it is
//! not.

use std::time::Duration;

use futures::StreamExt;
use http::Method;
use kit::{Kind, Role};
use proto::drivers::v1::{ListPositionsRequest, Position};
use serde_json::json;

use crate::export::{at_rest, in_http_1_0};
use crate::stand_ins::position;
use crate::world::{Answer, World};

const DAY: &str = "from=2027-01-15T00:00:00%2B08:00&to=2027-01-16T00:00:00%2B08:00";

async fn get(world: &World, role: Role, query: &str) -> Answer {
    let bearer = format!("Bearer {}", world.token(role));
    world.get(&format!("/export/driver-positions?{query}"), &[("authorization", &bearer)]).await
}

#[tokio::test]
async fn a_csv_has_every_point_and_why_some_do_not_count() {
    let world = World::new();
    let odd = Position { valid: false, filtered_reason: Some("=max_speed".into()), ..position(1) };
    world.stage.was_at(vec![position(0), odd, position(2)]);
    let answer = get(&world, Role::Viewer, &format!("driverId=drv%2F1&{DAY}&format=csv")).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"DRV_1-2027-01-15.csv\"");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(
        answer.text(),
        "\u{feff}occurredAt,lat,lng,speedKmh,headingDeg,accuracyM,altitude,batteryPct,provider,valid,filteredReason\r\n\
         2027-01-15T16:00:00+08:00,14.5,-121.25,36.5,,,,80,osmand,Yes,\r\n\
         2027-01-15T16:00:01+08:00,14.5,-121.25,36.5,,,,80,osmand,No,'=max_speed\r\n\
         2027-01-15T16:00:02+08:00,14.5,-121.25,36.5,,,,80,osmand,Yes,\r\n"
    );
    let asked = world.stage.asked::<ListPositionsRequest>();
    assert_eq!(asked.driver_id, "DRV/1", "as the driver is spelled");
    assert_eq!((asked.from.unwrap().seconds, asked.to.unwrap().seconds), (1_799_942_400, 1_800_028_800));
}

#[tokio::test]
async fn a_gpx_is_a_track_of_what_is_plausible() {
    let world = World::new();
    let odd = Position { valid: false, filtered_reason: Some("duplicate".into()), ..position(1) };
    world.stage.was_at(vec![position(0), odd, position(2)]);
    let answer = get(&world, Role::Viewer, &format!("driverId=drv%2F1&{DAY}&format=gpx")).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/gpx+xml"));
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"DRV_1-2027-01-15.gpx\"");
    let text = answer.text();
    assert!(text.contains("<gpx xmlns=\"http://www.topografix.com/GPX/1/1\" version=\"1.1\""), "{text}");
    assert_eq!((text.matches("<trk>").count(), text.matches("<trkseg>").count()), (1, 1), "{text}");
    assert!(text.contains("<name>Ramon &lt;Cruz&gt; (DRV/1)</name>"), "{text}");
    let times: Vec<_> = text.split("<time>").skip(1).map(|it| it.split('<').next().unwrap()).collect();
    assert_eq!(times, ["2027-01-15T08:00:00Z", "2027-01-15T08:00:02Z"]);
}

#[tokio::test]
async fn a_long_file_comes_page_by_page() {
    let world = World::new();
    world.stage.was_at((0..4_500).map(position).collect());
    for (format, row) in [("csv", "\r\n2027-"), ("gpx", "<trkpt")] {
        let before = world.stage.calls("positions").len();
        let answer = get(&world, Role::Viewer, &format!("driverId=a&{DAY}&format={format}")).await;
        assert_eq!(answer.text().matches(row).count(), 4_500);
        assert_eq!(
            world.stage.calls("positions")[before..],
            ["positions for staff", "positions for the gateway", "positions for the gateway"],
            "the first is asked with the rights of who exports"
        );
    }
    world.stage.was_at(Vec::new());
    let answer = get(&world, Role::Viewer, &format!("driverId=a&{DAY}&format=csv")).await;
    assert_eq!((answer.status.as_u16(), answer.text().lines().count()), (200, 1), "nothing is a file too");
}

#[tokio::test]
async fn what_is_refused_is_refused_before_the_file_begins() {
    let world = World::new();
    let good = format!("driverId=a&{DAY}&format=csv");
    let cookie = format!("session={}", world.stage.begin(Role::Admin));
    for headers in [vec![], vec![("cookie", cookie.as_str())]] {
        let answer = world.get(&format!("/export/driver-positions?{good}"), &headers).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["ok"]), (401, &json!(false)));
    }
    assert_eq!(get(&world, Role::Driver, &good).await.status, 403);
    for query in [
        String::new(),
        format!("{DAY}&format=csv"),
        format!("driverId=a&{DAY}"),
        format!("driverId=a&{DAY}&format=kml"),
        format!("driverId=a&driverId=b&{DAY}&format=csv"),
        "driverId=a&from=2027-01-15&to=2027-01-16&format=csv".into(),
        "driverId=a&from=2027-01-15T00:00:00Z&to=2027-02-15T01:00:01Z&format=csv".into(),
        "driverId=a&from=2027-01-16T00:00:00Z&to=2027-01-15T00:00:00Z&format=csv".into(),
    ] {
        let answer = get(&world, Role::Viewer, &query).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json()["code"]),
            (400, &json!("BAD_USER_INPUT")),
            "{query}"
        );
    }
    let answer = get(&world, Role::Viewer, &format!("driverId=nobody&{DAY}&format=csv")).await;
    let text = "There is no such driver.";
    let refusal = json!({ "ok": false, "error": text, "code": "NOT_FOUND", "reason": "DRIVER_NOT_FOUND" });
    assert_eq!((answer.status.as_u16(), answer.json()), (404, refusal));
    assert!(world.stage.calls("positions").is_empty());
    let bearer = format!("Bearer {}", world.token(Role::Viewer));
    let path = format!("/export/driver-positions?{good}");
    assert_eq!(world.call(Method::HEAD, &path, &[("authorization", &bearer)], "").await.status, 404);
    let post = world.post(&path, &[], "").await;
    assert_eq!((post.status.as_u16(), &post.json()["ok"]), (405, &json!(false)));
    assert_eq!(get(&world, Role::Viewer, &good).await.status, 200, "and there is room");
}

/// Starts a download over a real connection.
async fn download(address: &str, token: &str) -> reqwest::Response {
    kit::install_crypto();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("http://{address}/export/driver-positions?driverId=a&{DAY}&format=gpx");
    client.get(url).bearer_auth(token).send().await.unwrap()
}

/// Returns whether the rest of the file arrived completely.
async fn is_whole(answer: reqwest::Response) -> bool {
    let mut body = answer.bytes_stream();
    while let Some(piece) = body.next().await {
        if piece.is_err() {
            return false;
        }
    }
    true
}

#[tokio::test]
async fn a_file_that_breaks_off_breaks_the_connection() {
    let world = World::new();
    let address = world.serve().await;
    let broken = Position { occurred_at: None, ..position(0) };
    world.stage.was_at((0..2_500).map(position).chain([broken]).collect());
    let token = world.token(Role::Viewer);
    let answer = download(&address, &token).await;
    assert_eq!(answer.status(), 200, "it had begun well");
    assert!(!is_whole(answer).await);
    world.stage.was_at((0..2_500).map(position).collect());
    assert!(is_whole(download(&address, &token).await).await, "and there is room again");
}

#[tokio::test]
async fn a_file_that_breaks_off_is_no_success_in_http_1_0() {
    let world = World::new();
    let address = world.serve().await;
    let token = world.token(Role::Viewer);
    for (format, row) in [("csv", "\r\n2027-"), ("gpx", "<trkpt")] {
        let path = format!("/export/driver-positions?driverId=a&{DAY}&format={format}");
        let broken = Position { occurred_at: None, ..position(0) };
        world.stage.was_at((0..2_500).map(position).chain([broken]).collect());
        let answer = in_http_1_0(&address, &path, &token).await;
        assert!(answer.starts_with("HTTP/1.0 500"), "{format}: {answer:.300}");
        world.stage.was_at((0..2_500).map(position).collect());
        let answer = in_http_1_0(&address, &path, &token).await;
        assert!(answer.starts_with("HTTP/1.0 200"), "{format}: {answer:.300}");
        assert_eq!(answer.matches(row).count(), 2_500, "{format}");
    }
}

#[tokio::test]
async fn a_slow_reader_holds_the_work_up_and_a_session_that_ended_ends_it() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.was_at((0..400_000).map(position).collect());
    let token = world.token(Role::Viewer);
    let mut answer = download(&address, &token).await;
    answer.chunk().await.unwrap().unwrap();
    // First the buffers of the sockets fill up.
    let before = at_rest(|| world.stage.calls("positions").len()).await;
    assert!(before < 150, "{before} pages were read ahead of somebody who does not read");
    assert_eq!(download(&address, &token).await.status(), 429, "one at a time");
    world.stage.end_all();
    assert!(!is_whole(answer).await);
    let other = world.token(Role::Viewer);
    for _ in 0..100 {
        if download(&address, &other).await.status() == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("nobody may export again");
}

#[tokio::test]
async fn a_session_that_ended_ends_a_file_whose_token_has_expired() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.was_at((0..400_000).map(position).collect());
    let mut answer = download(&address, &world.token(Role::Viewer)).await;
    answer.chunk().await.unwrap().unwrap();
    at_rest(|| world.stage.calls("positions").len()).await;
    world.clock.advance(chrono::Duration::seconds(301));
    world.stage.end_all();
    assert!(!is_whole(answer).await);
}

#[tokio::test]
async fn a_service_that_is_away_is_an_error_and_no_file() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    world.query(&token, "{ redwood { currentUser } }").await;
    world.stage.fail_as(Kind::Unavailable);
    let bearer = format!("Bearer {token}");
    let path = format!("/export/driver-positions?driverId=a&{DAY}&format=csv");
    let answer = world.get(&path, &[("authorization", &bearer)]).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (503, &json!("UNAVAILABLE")));
}
