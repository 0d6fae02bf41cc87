//! Reset links, as the browser's client requests, checks and uses them.

use std::time::Duration;

use kit::{Error, Kind, Role};
use serde_json::{Value, json};

use crate::auth::assert_error;
use crate::stand_ins::RESET_TOKEN;
use crate::world::{World, first_error};

const GUARDED: &str = "{ deliveriesCount { total } }";

fn forgot(username: Value) -> String {
    json!({ "method": "forgotPassword", "username": username }).to_string()
}

fn validate(token: Value) -> String {
    json!({ "method": "validateResetToken", "resetToken": token }).to_string()
}

fn reset(token: Value, password: Value) -> String {
    json!({ "method": "resetPassword", "resetToken": token, "password": password }).to_string()
}

#[tokio::test]
async fn whoever_forgot_gets_one_answer_for_every_name() {
    let world = World::with(|config| config.http.trusted_proxies = 1);
    let cookie = format!("session={}", world.stage.begin(Role::Viewer));
    for name in ["maria", "nobody", "nul\u{0}", &"x".repeat(9_000)] {
        let headers =
            [("cookie", cookie.as_str()), ("content-type", "text/plain"), ("x-forwarded-for", "203.0.113.9")];
        let answer = world.post("/auth", &headers, forgot(json!(name))).await;
        assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, "{}"));
        assert_eq!(answer.header("content-type"), "application/json");
        assert!(answer.cookies().is_empty(), "cookies are left alone");
    }
    assert_eq!(world.stage.calls("forgot")[0], "forgot maria 203.0.113.9");
    assert_eq!(world.stage.calls("forgot").len(), 4);
}

#[tokio::test]
async fn a_blank_name_is_refused_and_asks_nobody() {
    let world = World::new();
    for name in [json!(""), json!("  \t"), Value::Null] {
        let answer = world.post("/auth", &[], forgot(name)).await;
        assert_error(&answer, 400);
        assert_eq!(answer.json()["error"], "Username is required");
    }
    assert_error(&world.post("/auth", &[], r#"{"method":"forgotPassword"}"#).await, 400);
    for name in [json!(7), json!(["maria"]), json!({})] {
        assert_error(&world.post("/auth", &[], forgot(name)).await, 400);
    }
    assert!(world.stage.calls("forgot").is_empty());
}

#[tokio::test]
async fn a_good_link_tells_what_it_asks_for_and_nothing_else() {
    let world = World::new();
    let cookie = format!("session={}", world.stage.begin(Role::Viewer));
    for (token, kind) in [(RESET_TOKEN.to_owned(), "password"), (format!("{RESET_TOKEN}-pin"), "pin")] {
        let answer = world.post("/auth", &[("cookie", &cookie)], validate(json!(token))).await;
        assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({ "kind": kind })));
        assert!(answer.cookies().is_empty());
    }
    let bad = world.post("/auth", &[("cookie", &cookie)], validate(json!("nope"))).await;
    assert_error(&bad, 400);
    assert!(bad.cookies().is_empty() && !bad.text().contains("nope"));
    for none in [json!(""), json!(" "), Value::Null] {
        let answer = world.post("/auth", &[], validate(none)).await;
        assert_error(&answer, 400);
        assert_eq!(answer.json()["error"], "resetToken is required");
    }
    assert_error(&world.post("/auth", &[], validate(json!(7))).await, 400);
    assert_eq!(world.stage.calls("validate").len(), 3, "what is no token is not passed on");
    let strange = world.post("/auth", &[], validate(json!(format!("{RESET_TOKEN}-strange")))).await;
    assert_error(&strange, 500);
}

#[tokio::test]
async fn a_reset_signs_nobody_in_and_ends_what_was_open_at_once() {
    let world = World::with(|config| config.http.trusted_proxies = 1);
    let secret = world.stage.begin(Role::Viewer);
    let token = world.stage.token_of(&secret).unwrap();
    assert!(world.query(&token, GUARDED).await["errors"].is_null());
    let cookie = format!("session={secret}");
    let headers = [("cookie", cookie.as_str()), ("x-forwarded-for", "203.0.113.9")];
    let answer = world.post("/auth", &headers, reset(json!(RESET_TOKEN), json!("battery-staple"))).await;
    assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, "{}"));
    assert!(answer.cookies().is_empty(), "cookies are left alone");
    assert_eq!(world.stage.calls("reset"), ["reset battery-staple 203.0.113.9"]);
    assert_eq!(first_error(&world.query(&token, GUARDED).await).0, "UNAUTHENTICATED");
    assert!(world.get("/auth?method=getToken", &headers).await.text().is_empty());
}

#[tokio::test]
async fn a_reset_that_is_refused_says_why_and_ends_nothing() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let short = world.post("/auth", &[], reset(json!(RESET_TOKEN), json!("short"))).await;
    assert_error(&short, 400);
    assert_eq!(short.json()["fields"], json!({ "password": ["Password must have 8 to 128 characters"] }));
    for (token, password) in [
        (json!("nope"), json!("battery-staple")),
        (json!(""), json!("")),
        (Value::Null, json!("battery-staple")),
        (json!(RESET_TOKEN), json!(["battery-staple"])),
        (json!({}), json!("battery-staple")),
    ] {
        let answer = world.post("/auth", &[], reset(token, password)).await;
        assert_error(&answer, 400);
        assert!(!answer.text().contains("battery-staple"));
    }
    assert_eq!(world.stage.calls("reset").len(), 2, "what is no text is not passed on");
    assert!(world.query(&token, GUARDED).await["errors"].is_null());
}

#[tokio::test]
async fn failures_are_json_whatever_was_asked() {
    let world = World::new();
    let asks = [
        json!({ "method": "signup", "username": "ana", "email": "a@b.c", "password": "correct-horse" })
            .to_string(),
        forgot(json!("maria")),
        validate(json!(RESET_TOKEN)),
        reset(json!(RESET_TOKEN), json!("battery-staple")),
    ];
    for ask in asks {
        for (kind, status) in [
            (Kind::Unavailable, 503),
            (Kind::Internal, 500),
            (Kind::Unauthenticated, 400),
            (Kind::Forbidden, 400),
            (Kind::NotFound, 400),
            (Kind::FailedPrecondition, 400),
        ] {
            world.stage.fail_as(kind);
            let answer = world.post("/auth", &[], ask.clone()).await;
            assert_error(&answer, status);
            assert_eq!(answer.text().contains("some text"), kind != Kind::Internal, "{ask}");
            assert!(!answer.text().contains("inner"));
        }
        world.stage.fail(|| Error::rate_limited("TOO_MANY", "Wait.", Duration::from_secs(7)).into());
        let answer = world.post("/auth", &[], ask).await;
        assert_error(&answer, 429);
        assert_eq!(answer.header("retry-after"), "7");
    }
}

#[tokio::test]
async fn other_sites_can_ask_for_none_of_it() {
    let world = World::with(|config| config.http.host = "0.0.0.0".into());
    let asks = [
        json!({ "method": "signup", "username": "ana", "email": "a@b.c", "password": "correct-horse" })
            .to_string(),
        forgot(json!("maria")),
        validate(json!(RESET_TOKEN)),
        reset(json!(RESET_TOKEN), json!("battery-staple")),
    ];
    for ask in asks {
        for headers in [
            vec![("origin", "https://evil.example")],
            vec![("origin", "null")],
            vec![("sec-fetch-site", "cross-site")],
            vec![("sec-fetch-site", "same-site"), ("origin", "https://evil.example")],
        ] {
            let mut headers = headers;
            headers.extend([("host", "way.local"), ("content-type", "text/plain")]);
            assert_error(&world.post("/auth", &headers, ask.clone()).await, 403);
        }
        let own = [("host", "way.local"), ("origin", "http://way.local")];
        assert!(world.post("/auth", &own, ask).await.status.is_success());
    }
    assert_eq!(world.stage.calls("").len(), 4, "only the page's own requests got through");
}
