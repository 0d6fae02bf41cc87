//! Signing up, as the browser's client calls it.

use kit::testing::Log;
use kit::{Error, Role};
use serde_json::{Value, json};

use crate::auth::assert_error;
use crate::world::World;

const TEXT: (&str, &str) = ("content-type", "text/plain;charset=UTF-8");

fn body() -> Value {
    json!({ "method": "signup", "username": "ana", "email": "ana@example.com", "password": "correct-horse" })
}

#[tokio::test]
async fn the_answer_is_one_text_and_nobody_is_signed_in() {
    let world = World::with(|config| config.http.trusted_proxies = 1);
    for headers in [vec![("content-type", "application/json")], vec![TEXT], vec![]] {
        let mut headers = headers.clone();
        headers.push(("x-forwarded-for", "203.0.113.9"));
        let answer = world.post("/auth", &headers, body().to_string()).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        assert_eq!(answer.header("content-type"), "application/json");
        let text = "If this username was available, your account was created. An administrator has to give \
                    it a role before it can be used.";
        assert_eq!(answer.json(), json!({ "message": text }));
        assert!(answer.cookies().is_empty());
    }
    let call = "sign up ana ana@example.com correct-horse 203.0.113.9";
    assert_eq!(world.stage.calls("sign up"), [call, call, call]);
}

#[tokio::test]
async fn whoever_is_signed_in_stays_so() {
    let world = World::new();
    let secret = world.stage.begin(Role::Viewer);
    let cookie = format!("session={secret}");
    let answer = world.post("/auth", &[("cookie", &cookie)], body().to_string()).await;
    assert_eq!(answer.status, 201);
    assert!(answer.cookies().is_empty() && world.stage.lives(&secret));
}

#[tokio::test]
async fn where_it_is_off_the_answer_says_so() {
    let world = World::new();
    world.stage.fail(|| Error::precondition("SIGN_UP_OFF", "Signup flow is not enabled").into());
    let answer = world.post("/auth", &[], body().to_string()).await;
    assert_error(&answer, 400);
    assert_eq!(answer.json()["error"], "Signup flow is not enabled");
}

#[tokio::test]
async fn what_is_wrong_is_told_by_field() {
    let world = World::new();
    world.stage.fail(|| {
        Error::invalid("INVALID_FIELDS", "Password must have 8 to 128 characters")
            .field("password", "Password must have 8 to 128 characters")
            .into()
    });
    let answer = world.post("/auth", &[], body().to_string()).await;
    assert_error(&answer, 400);
    assert_eq!(answer.json()["fields"], json!({ "password": ["Password must have 8 to 128 characters"] }));
}

#[tokio::test]
async fn fields_that_are_no_text_reach_nobody() {
    let world = World::new();
    for (name, value) in [
        ("username", json!(7)),
        ("username", json!(["ana"])),
        ("email", json!({ "at": "home" })),
        ("email", json!(false)),
        ("password", json!([1, 2])),
    ] {
        let mut body = body();
        body[name] = value;
        let answer = world.post("/auth", &[], body.to_string()).await;
        assert_error(&answer, 400);
        assert_eq!(answer.json()["fields"][name], json!([format!("{name} must be text")]));
    }
    assert!(world.stage.calls("sign up").is_empty());
    // A field that is absent or null counts as empty, and auth decides which fields may be empty.
    let answer = world.post("/auth", &[], r#"{"method":"signup","username":"ana","email":null}"#).await;
    assert_eq!(answer.status, 201);
    assert_eq!(world.stage.calls("sign up"), ["sign up ana   "]);
}

#[tokio::test]
async fn roles_are_ignored_and_the_log_names_them_without_a_value() {
    let log = Log::default();
    let _guard = log.watch_with_spans();
    let world = World::new();
    let mut body = body();
    body["roles"] = json!(["admin", "private-quince"]);
    body["isAdmin"] = json!("private-medlar");
    body["private value\nloquat"] = json!(true);
    let answer = world.post("/auth", &[], body.to_string()).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let text = log.text();
    let line = text.lines().find(|line| line.contains("fields of a sign-up were ignored")).unwrap();
    assert!(line.contains("WARN") && line.contains("count=3"), "{line}");
    assert!(line.contains("roles") && line.contains("isAdmin"), "{line}");
    for secret in ["quince", "medlar", "loquat", "correct-horse"] {
        assert!(!text.contains(secret), "the log holds {secret}");
    }
    drop(_guard);
    // If no field was ignored, the log says nothing.
    let log = Log::default();
    let _guard = log.watch_with_spans();
    world.post("/auth", &[], self::body().to_string()).await;
    assert!(!log.text().contains("were ignored"));
}
