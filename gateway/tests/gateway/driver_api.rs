//! The driver API as an app sees it. `document` checks every operation against the OpenAPI document.

mod document;
mod large;
mod schema;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::Method;
use kit::{Error, Role};
use proto::auth::v1::AccountKind;
use proto::deliveries::v1::{AddAttachmentRequest, DeliveryStatus, RecordOutcomeRequest};
use proto::drivers::v1::{RecordDriverLogsRequest, RecordPositionsRequest};
use serde_json::{Value, json};

use crate::stand_ins::PIN;
use crate::world::{Answer, World};

const EVENT: &str = "0198c0de-0000-7000-8000-000000000001";
const LOGIN: &str = "/driver/v1/login";
const LIST: &str = "/driver/v1/deliveries";
const OUTCOME: &str = "/driver/v1/deliveries/D-1/outcome";
const EVENTS: &str = "/driver/v1/events";
const POSITIONS: &str = "/driver/v1/positions";

fn at(second: u32) -> String {
    format!("2027-01-15T08:00:{second:02}Z")
}

fn point() -> Value {
    json!({ "occurredAt": at(1), "lat": 14.5, "lng": 121.0, "speedKmh": 31.5, "attributes": { "a": "b" } })
}

fn log(activity: &str) -> Value {
    json!({ "clientEventId": EVENT, "activity": activity, "occurredAt": at(1), "detail": { "battery": 12 } })
}

fn outcome() -> Value {
    json!({
        "clientEventId": EVENT,
        "status": "Complete_With_Variance",
        "attempt": 1,
        "lines": [{
            "itemNumber": "1", "quantityDelivered": 1.005, "quantityRejected": 0.5, "condition": "wrong_item",
            "varianceReason": "wrong_item", "varianceNote": "Another brand",
        }],
        "note": "At the gate",
        "receivedBy": "Nena",
        "relation": "safe_place",
        "scanmode": "Yes",
        "point": { "lat": 14.5, "lng": 121.0, "accuracy": 8.5 },
        "occurredAt": at(1),
    })
}

fn with(mut value: Value, key: &str, other: impl Into<Value>) -> Value {
    value[key] = other.into();
    value
}

fn told(delivery: &str, outcome: Value) -> Value {
    with(with(outcome, "type", "outcome"), "deliveryId", delivery)
}

fn noted(log: Value) -> Value {
    with(log, "type", "log")
}

fn packed(value: &Value) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(value.to_string().as_bytes()).unwrap();
    encoder.finish().unwrap()
}

impl World {
    async fn ask(&self, method: &str, path: &str, token: &str, body: Option<&Value>) -> Answer {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let bearer = format!("Bearer {token}");
        let mut headers = vec![];
        if body.is_some() {
            headers.push(("content-type", "application/json"));
        }
        if !token.is_empty() {
            headers.push(("authorization", bearer.as_str()));
        }
        self.call(method, path, &headers, body.map(Value::to_string).unwrap_or_default()).await
    }

    /// Calls as a signed-in driver.
    async fn drive(&self, path: &str, body: Value) -> Answer {
        self.ask("POST", path, &self.token(Role::Driver), Some(&body)).await
    }
}

fn error(answer: &Answer) -> (u16, String, String) {
    let error = &answer.json()["error"];
    let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
    (answer.status.as_u16(), text("code"), text("reason"))
}

fn refused(status: u16, code: &str, reason: &str) -> (u16, String, String) {
    (status, code.to_owned(), reason.to_owned())
}

#[tokio::test]
async fn what_is_not_there_is_no_page() {
    let world = World::new();
    for path in
        ["/driver/v1/", "/driver/v1/nothing", "/driver/v1/deliveries/D-1/nothing", "/driver/v1/login/x"]
    {
        let answer = world.get(path, &[("accept", "text/html")]).await;
        assert_eq!(error(&answer), refused(404, "NOT_FOUND", "NOT_FOUND"), "{path}");
    }
    for (method, path) in [(Method::GET, LOGIN), (Method::DELETE, LIST), (Method::PUT, EVENTS)] {
        let answer = world.call(method, path, &[], "").await;
        assert_eq!(error(&answer), refused(405, "METHOD_NOT_ALLOWED", "METHOD_NOT_ALLOWED"), "{path}");
    }
}

#[tokio::test]
async fn an_id_that_is_no_text_is_a_delivery_that_is_not_there() {
    let world = World::new();
    let token = world.token(Role::Driver);
    let file = json!({ "filename": "a.jpg" });
    for (method, path, body) in [
        ("GET", "/driver/v1/deliveries/%FF", None),
        ("POST", "/driver/v1/deliveries/%FF/outcome", Some(&outcome())),
        ("POST", "/driver/v1/deliveries/%FF/attachment-link", Some(&file)),
    ] {
        let answer = world.ask(method, path, &token, body).await;
        assert_eq!(error(&answer), refused(404, "NOT_FOUND", "NOT_FOUND"), "{path}");
    }
    for path in ["/logo/%FF.png", "/objects/%FF?expires=1&signature=x"] {
        let answer = world.get(path, &[]).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (404, &json!("NOT_FOUND")), "{path}");
    }
}

#[tokio::test]
async fn a_driver_signs_in_and_out() {
    let world = World::new();
    let login = async |username: &str, pin: &str| {
        let body = json!({ "username": username, "pin": pin });
        world.ask("POST", LOGIN, "", Some(&body)).await
    };
    let answer = login("ramon", PIN).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let signed_in = answer.json();
    assert_eq!(signed_in["driver"], json!({ "driverId": "DRV/1", "name": "Maria Clara" }));
    assert_eq!(answer.header("cache-control"), "no-store");
    assert!(answer.cookies().is_empty(), "an app keeps no cookies");
    let seconds =
        |at: &Value| chrono::DateTime::parse_from_rfc3339(at.as_str().unwrap()).unwrap().timestamp();
    let left = |at: &Value| seconds(at) - world.clock.now().timestamp();
    assert_eq!((left(&signed_in["expiresAt"]), left(&signed_in["sessionExpiresAt"])), (300, 12 * 3_600));
    let log = world.stage.asked::<RecordDriverLogsRequest>().logs.remove(0);
    assert_eq!((log.activity.as_str(), log.delivery_id), ("login", None));

    let token = signed_in["accessToken"].as_str().unwrap();
    assert_eq!(world.ask("GET", LIST, token, None).await.status, 200);
    let session = json!({ "sessionToken": signed_in["sessionToken"] });
    let again = world.ask("POST", "/driver/v1/token", "", Some(&session)).await.json();
    assert_eq!(world.ask("GET", LIST, again["accessToken"].as_str().unwrap(), None).await.status, 200);

    assert_eq!(world.ask("POST", "/driver/v1/logout", "", Some(&session)).await.status, 204);
    assert_eq!(world.stage.asked::<RecordDriverLogsRequest>().logs[0].activity, "logout");
    assert_eq!(error(&world.ask("GET", LIST, token, None).await).0, 401, "at once");
    assert_eq!(error(&world.ask("POST", "/driver/v1/token", "", Some(&session)).await).0, 401);
    assert_eq!(
        world.ask("POST", "/driver/v1/logout", "", Some(&session)).await.status,
        204,
        "again is no failure"
    );

    // The refusal has the same text whatever is wrong, even for valid credentials of an office user.
    let (one, other) = (login("ramon", "000000").await, login("nobody", "not even digits").await);
    assert_eq!(error(&one), refused(401, "UNAUTHENTICATED", "LOGIN_FAILED"));
    assert_eq!(one.body, other.body);
    assert_eq!(one.json()["error"]["message"], "Incorrect username or PIN");
    assert_eq!(login("maria", "correct-horse").await.status, 401, "of the office");
    assert_eq!(world.stage.logins().last().unwrap().kind(), AccountKind::Driver);
    // The driver API does not accept a session of an office user.
    let office = json!({ "sessionToken": world.stage.begin(Role::Admin) });
    let answer = world.ask("POST", "/driver/v1/token", "", Some(&office)).await;
    assert_eq!(error(&answer), refused(401, "UNAUTHENTICATED", "SESSION_OVER"));
    assert_eq!(world.ask("POST", "/driver/v1/logout", "", Some(&office)).await.status, 204);
    assert!(world.stage.lives(office["sessionToken"].as_str().unwrap()));

    world.stage.fail(|| {
        let wait = std::time::Duration::from_secs(40);
        Error::rate_limited("SIGN_IN_THROTTLED", "Wait 40 seconds.", wait).into()
    });
    let answer = login("ramon", PIN).await;
    assert_eq!(error(&answer), refused(429, "RATE_LIMITED", "SIGN_IN_THROTTLED"));
    assert_eq!(answer.header("retry-after"), "40");
}

#[tokio::test]
async fn a_day_is_asked_for_in_the_zone_of_the_organization() {
    let world = World::with(|config| config.organization.timezone = "Asia/Manila".to_owned());
    let token = world.token(Role::Driver);
    let answer = world.ask("GET", "/driver/v1/deliveries?date=2026-11-30", &token, None).await;
    let day = answer.json();
    assert_eq!((&day["date"], &day["timezone"]), (&json!("2026-11-30"), &json!("Asia/Manila")));
    let page = world.stage.last_page();
    assert_eq!(page.r#where[0].values, ["2026-11-29T16:00:00Z", "2026-11-30T16:00:00Z"]);
    assert_eq!((page.sort[0].key.as_str(), page.limit), ("scheduledatetime", 100));
    let delivery = &day["deliveries"][1];
    assert_eq!(delivery["id"], "D-2");
    assert_eq!(delivery["status"], "Complete_No_Variance");
    assert_eq!(delivery["items"][1]["quantity"], 2.5);
    assert_eq!(delivery["items"][1]["condition"], "wrong_item");
    assert_eq!(delivery["podRequirement"], json!(["signature", "photo"]));
    assert_eq!(delivery["point"], json!({ "lat": 14.5, "lng": 121.0, "accuracy": 12.0 }));
    let window = [&delivery["timeWindowStart"], &delivery["timeWindowEnd"]];
    assert_eq!(window, ["2027-01-15T09:00:00Z", "2027-01-15T10:00:00Z"]);
    assert!(!answer.text().contains("internalNote"));
    // Items and requirements of deliveries with few lines are fetched with one call each.
    assert_eq!((world.stage.calls("items").len(), world.stage.calls("requirements").len()), (1, 1));

    let today = world.ask("GET", LIST, &token, None).await.json();
    let zone = chrono::FixedOffset::east_opt(8 * 3_600).unwrap();
    assert_eq!(today["date"], world.clock.now().with_timezone(&zone).date_naive().to_string());
    for wrong in ["2026-02-30", "yesterday", ""] {
        let answer = world.ask("GET", &format!("{LIST}?date={wrong}"), &token, None).await;
        assert_eq!(answer.status, 400, "{wrong}");
        assert!(answer.json()["error"]["fields"]["date"].is_array(), "{wrong}");
    }
    let unknown = world.ask("GET", "/driver/v1/deliveries/A%2FB", &token, None).await;
    assert_eq!(error(&unknown), refused(404, "NOT_FOUND", "DELIVERY_NOT_FOUND"));
    let known = world.ask("GET", "/driver/v1/deliveries/d-1", &token, None).await.json();
    assert_eq!(known["id"], "D-1");
    world.stage.turn_strange();
    assert_eq!(world.ask("GET", LIST, &token, None).await.status, 500);
}

/// The service's response exceeds 4 MiB, up to which gRPC clients read by default.
#[tokio::test]
async fn a_delivery_with_many_long_lines_is_answered() {
    const LINES: usize = 2_200;
    let world = World::new();
    world.stage.long_lines(LINES as u32);
    let token = world.token(Role::Driver);
    let day = world.ask("GET", LIST, &token, None).await;
    let one = world.ask("GET", "/driver/v1/deliveries/D-1", &token, None).await;
    let recorded = world.ask("POST", OUTCOME, &token, Some(&outcome())).await;
    for answer in [&day, &one, &recorded] {
        assert_eq!(answer.status, 200, "{:.300}", answer.text());
        assert!(answer.body.len() > 4 << 20, "{} bytes", answer.body.len());
    }
    let (day, one, recorded) = (day.json(), one.json(), recorded.json());
    for delivery in [&day["deliveries"][0], &one, &recorded] {
        assert_eq!(delivery["items"].as_array().unwrap().len(), LINES);
    }
}

#[tokio::test]
async fn items_of_a_day_are_fetched_in_portions() {
    let world = World::new();
    let token = world.token(Role::Driver);
    // Five deliveries of 160 lines fit into a request. A larger delivery is fetched alone, and a day ends after
    // 20,000 lines.
    for (lines, calls, count) in [(160, 20, 100), (5_000, 4, 4)] {
        world.stage.lines_each(lines);
        let before = world.stage.calls("items").len();
        let day = world.ask("GET", LIST, &token, None).await.json();
        assert_eq!(world.stage.calls("items").len() - before, calls, "{lines} lines each");
        let deliveries = day["deliveries"].as_array().unwrap();
        assert_eq!((deliveries.len(), &day["more"]), (count, &json!(count < 100)), "{lines} lines each");
        assert!(deliveries.iter().all(|it| it["items"].as_array().unwrap().len() == 2), "{lines} lines each");
    }
}

#[tokio::test]
async fn an_outcome_arrives_as_it_was_told() {
    let world = World::new();
    let answer = world.drive(OUTCOME, outcome()).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let asked = world.stage.asked::<RecordOutcomeRequest>();
    assert_eq!((asked.delivery_id.as_str(), asked.client_event_id.as_str()), ("D-1", EVENT));
    assert_eq!(
        (asked.status(), asked.attempt, asked.version),
        (DeliveryStatus::CompleteWithVariance, Some(1), None)
    );
    let line = &asked.lines[0];
    assert_eq!((line.delivered_thousandths, line.rejected_thousandths), (1_005, 500));
    assert_eq!(line.condition(), proto::deliveries::v1::Condition::WrongItem);
    assert_eq!(asked.received_by_relation(), proto::deliveries::v1::Relation::SafePlace);
    assert_eq!(asked.occurred_at.unwrap().seconds, 1_800_000_001);
    assert_eq!(asked.point.unwrap().accuracy, Some(8.5));
    // The UTC offset that a phone sends does not change the instant.
    let elsewhere = with(outcome(), "occurredAt", "2027-01-15T16:00:01+08:00");
    world.drive(OUTCOME, elsewhere).await;
    assert_eq!(world.stage.asked::<RecordOutcomeRequest>().occurred_at, asked.occurred_at);

    let lines = json!([{ "itemNumber": "1", "quantityDelivered": 0.0001 }, { "itemNumber": "2", "quantityDelivered": -1 }]);
    let fields =
        world.drive(OUTCOME, with(outcome(), "lines", lines)).await.json()["error"]["fields"].clone();
    assert_eq!(
        fields["lines.0.quantityDelivered"][0],
        "Delivered quantity must have no more than 3 decimals"
    );
    assert_eq!(fields["lines.1.quantityDelivered"][0], "Delivered quantity must not be negative");
    let fields =
        world.drive(OUTCOME, with(outcome(), "receivedBy", "")).await.json()["error"]["fields"].clone();
    assert!(fields["receivedBy"].is_array() && fields["lines.0.varianceReason"].is_array());
    for (key, wrong) in [("status", "Done"), ("relation", "dog"), ("scanmode", "yes"), ("occurredAt", "noon")]
    {
        let answer = world.drive(OUTCOME, with(outcome(), key, wrong)).await;
        assert_eq!(answer.status, 400, "{key}");
    }
    // Caches the session before the services begin to fail.
    let token = world.token(Role::Driver);
    world.ask("GET", "/driver/v1/reasons", &token, None).await;
    world.stage.fail(|| {
        Error::invalid_field("outcomeReason", "Reason is required").field("deliverystatus", "x").into()
    });
    let answer = world.ask("POST", OUTCOME, &token, Some(&outcome())).await;
    assert_eq!(
        answer.json()["error"]["fields"],
        json!({ "reason": ["Reason is required"], "status": ["x"] }),
        "named as they were sent"
    );
}

#[tokio::test]
async fn a_file_needs_both_halves_of_its_place() {
    let world = World::new();
    let path = "/driver/v1/deliveries/D-1/attachments";
    let file = || json!({ "url": "/objects/proof/x", "kind": "photo", "lat": 14.5, "lng": 121.0 });
    assert_eq!(world.drive(path, file()).await.status, 200);
    let asked = world.stage.asked::<AddAttachmentRequest>();
    assert_eq!((asked.delivery_id.as_str(), asked.point.unwrap().lat), ("D-1", 14.5));
    assert_eq!(asked.attempt, None);
    assert_eq!(world.drive(path, with(file(), "attempt", 1)).await.status, 200);
    assert_eq!(world.stage.asked::<AddAttachmentRequest>().attempt, Some(1));
    let answer = world.drive(path, with(file(), "lng", Value::Null)).await;
    assert!(answer.json()["error"]["fields"]["lng"].is_array(), "{}", answer.text());
}

#[tokio::test]
async fn a_batch_is_told_entry_by_entry() {
    let world = World::new();
    let id = |n: u32| format!("0198c0de-0000-7000-8000-{n:012}");
    let entry = |n: u32, value: Value| with(value, "clientEventId", id(n));
    let events = json!([
        entry(1, told("D-1", with(outcome(), "occurredAt", at(30)))),
        entry(2, noted(log("dancing"))),
        entry(3, told("d-1", with(with(outcome(), "occurredAt", at(10)), "receivedBy", ""))),
        entry(4, noted(log("arrived"))),
        "nonsense",
        entry(5, json!({ "type": "song" })),
        entry(6, json!({ "type": "outcome", "status": "Undelivered" })),
        entry(7, told("D-2", with(outcome(), "colour", "red"))),
        entry(8, noted(json!({ "activity": "arrived" }))),
        entry(9, told("D-2", json!({ "status": "Undelivered", "reason": "site_closed" }))),
    ]);
    let answer = world.drive(EVENTS, json!({ "events": events })).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let results = answer.json()["results"].as_array().unwrap().clone();
    let ok: Vec<_> = results.iter().map(|result| result["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [true, false, false, true, false, false, false, false, false, true], "{results:#?}");
    for (at, n) in [(0, 1), (1, 2), (2, 3), (3, 4), (5, 5), (8, 8), (9, 9)] {
        assert_eq!(results[at]["clientEventId"], id(n));
    }
    assert!(results[4].get("clientEventId").is_none());
    let reason = |at: usize| results[at]["error"]["reason"].as_str().unwrap();
    assert_eq!(
        [reason(1), reason(2), reason(4), reason(5)],
        ["INVALID_FIELDS", "INVALID_FIELDS", "ENTRY_INVALID", "INVALID_FIELDS"]
    );
    assert_eq!([reason(6), reason(7), reason(8)], ["INVALID_FIELDS", "ENTRY_INVALID", "ENTRY_INVALID"]);
    assert!(results[1]["error"]["fields"]["activity"].is_array());
    assert!(results[2]["error"]["fields"]["receivedBy"].is_array());
    assert!(results[6]["error"]["fields"]["deliveryId"].is_array());

    // Events of one delivery are processed in the order in which they occurred, although they were sent in
    // reverse.
    let world = World::new();
    let (late, early) = (told("D-1", with(outcome(), "occurredAt", at(30))), told("D-1", outcome()));
    world.drive(EVENTS, json!({ "events": [late, early] })).await;
    assert_eq!(world.stage.asked::<RecordOutcomeRequest>().occurred_at.unwrap().seconds, 1_800_000_030);

    // Send a compressed batch, an empty batch, and then a batch with too many events.
    let bearer = format!("Bearer {}", world.token(Role::Driver));
    let headers = [
        ("content-type", "application/json"),
        ("content-encoding", "gzip"),
        ("authorization", bearer.as_str()),
    ];
    let many = |n: usize| json!({ "events": vec![noted(log("arrived")); n] });
    let answer = world.post(EVENTS, &headers, packed(&many(200))).await;
    assert_eq!(answer.json()["results"].as_array().unwrap().len(), 200, "{}", answer.text());
    assert_eq!(world.stage.calls("logs").len(), 1, "all at once when nothing is wrong");
    assert_eq!(world.drive(EVENTS, many(0)).await.json(), json!({ "results": [] }));
    let answer = world.drive(EVENTS, many(201)).await;
    assert!(answer.status == 400 && answer.json()["error"]["fields"]["events"].is_array());
}

/// Phones drop an event that was refused by itself, and these need only a new token.
#[tokio::test]
async fn a_token_that_expires_during_a_batch_refuses_the_whole_request() {
    let world = World::new();
    let token = world.token(Role::Driver);
    let second = with(outcome(), "clientEventId", "0198c0de-0000-7000-8000-000000000002");
    let events = [told("D-1", outcome()), told("D-1", with(second, "occurredAt", at(30)))];
    let events = json!({ "events": events });
    let held = world.stage.hold("outcome");
    let batch = world.ask("POST", EVENTS, &token, Some(&events));
    let expiry = async {
        world.stage.called("outcome", 1).await;
        world.clock.advance(chrono::Duration::seconds(301));
        drop(held);
    };
    let (answer, ()) = tokio::join!(batch, expiry);
    assert_eq!(error(&answer), refused(401, "UNAUTHENTICATED", "TOKEN_EXPIRED"), "{}", answer.text());
    let again = world.drive(EVENTS, events).await;
    assert!(again.status == 200 && !again.text().contains("error"), "{}", again.text());
}

#[tokio::test]
async fn positions_and_logs_are_passed_on() {
    let world = World::new();
    let bearer = format!("Bearer {}", world.token(Role::Driver));
    let headers = [
        ("content-type", "application/json"),
        ("content-encoding", "gzip"),
        ("authorization", bearer.as_str()),
    ];
    let many = |n: usize| json!({ "positions": vec![point(); n] });
    let answer = world.post(POSITIONS, &headers, packed(&many(1_000))).await;
    assert_eq!(answer.json(), json!({ "recorded": 1_000, "filtered": 1, "tooOld": 2 }));
    let position = world.stage.asked::<RecordPositionsRequest>().positions.remove(0);
    assert_eq!((position.lat, position.speed_kmh, position.altitude), (14.5, Some(31.5), None));
    assert_eq!(position.attributes["a"], "b");
    let answer = world.drive(POSITIONS, many(1_001)).await;
    assert!(answer.json()["error"]["fields"]["positions"].is_array());

    let logs = |n: usize| json!({ "logs": vec![log("arrived"); n] });
    assert_eq!(world.drive("/driver/v1/logs", logs(500)).await.json(), json!({ "recorded": 500 }));
    assert_eq!(world.stage.asked::<RecordDriverLogsRequest>().logs[0].detail, r#"{"battery":12}"#);
    assert_eq!(world.drive("/driver/v1/logs", logs(501)).await.status, 400);
    let answer = world.drive("/driver/v1/logs", json!({ "logs": [log("dancing")] })).await;
    assert_eq!(error(&answer), refused(400, "BAD_USER_INPUT", "INVALID_FIELDS"));
}
