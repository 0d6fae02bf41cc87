//! Excess, slow and broken requests, and what the log says about them.

use std::time::Duration;

use kit::Role;
use kit::testing::{Log, metric_value};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::stand_ins::RESET_TOKEN;
use crate::world::{World, first_error};

const LOGIN: &str = r#"{"username":"maria","password":"correct-horse","method":"login"}"#;

#[tokio::test]
async fn what_takes_too_long_is_ended_in_the_shape_of_its_address() {
    let world = World::with(|config| config.http.timeout_seconds = 1);
    let token = world.token(Role::Admin);
    let cookie = format!("session={}", world.stage.begin(Role::Admin));
    let bearer = format!("Bearer {token}");
    let (cookie, bearer) = ([("cookie", cookie.as_str())], [("authorization", bearer.as_str())]);
    world.stage.delay(Duration::from_secs(5));
    let (graphql, login, get_token, action) = tokio::join!(
        world.graphql(&token, json!({ "query": "{ deliveriesCount { total } }" })),
        world.post("/auth", &[], LOGIN),
        world.get("/auth?method=getToken", &cookie),
        world.post("/request-upload-link?filename=a", &bearer, ""),
    );
    for answer in [&graphql, &login, &get_token, &action] {
        assert_eq!(answer.status, 504);
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    assert_eq!(first_error(&graphql.json()).0, "UNAVAILABLE");
    assert!(login.json()["error"].is_string());
    assert_eq!(get_token.text(), "", "any text would be the token");
    assert_eq!(action.json()["ok"], false);
}

#[tokio::test]
async fn more_than_fits_is_sent_away_at_once() {
    let world = World::with(|config| config.http.max_anonymous_in_flight = 1);
    let held = world.stage.hold("login");
    let late = async {
        world.stage.called("login", 1).await;
        let answers = tokio::join!(world.post("/auth", &[], LOGIN), world.get("/auth?method=getToken", &[]));
        drop(held);
        answers
    };
    let (first, (second, token)) = tokio::join!(world.post("/auth", &[], LOGIN), late);
    assert_eq!(first.status, 200);
    assert_eq!((second.status.as_u16(), second.header("retry-after")), (503, "5"));
    assert!(second.json()["error"].is_string());
    assert_eq!((token.status.as_u16(), token.text().as_str()), (503, ""));
    assert_eq!(world.post("/auth", &[], LOGIN).await.status, 200, "and there is room again");
}

#[tokio::test]
async fn a_panic_is_an_answer_that_says_nothing() {
    let world = World::new();
    let token = world.token(Role::Admin);
    world.stage.panic_on_keys();
    let answer = world.graphql(&token, json!({ "query": "{ deliveriesCount { total } }" })).await;
    assert_eq!(
        (answer.status.as_u16(), first_error(&answer.json()).1.as_str()),
        (500, "Something went wrong")
    );
    assert!(!answer.text().contains("471108154711"));
    assert!(answer.header("content-security-policy").contains("default-src 'none'"));
    assert_eq!(world.get("/health", &[]).await.status, 200);
}

/// Sends the beginning of a request over a real connection.
async fn begin(address: &str, path: &str, body: &str, length: usize) -> TcpStream {
    let mut client = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    client.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    client
}

/// How long a request takes to arrive is up to its client's network.
#[tokio::test]
async fn the_duration_of_a_request_begins_when_it_has_arrived() {
    let world = World::new();
    let address = world.serve().await;
    let mut client = begin(&address, "/undo-uploaded-deliveries", "{", 2).await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    client.write_all(b"}").await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    let route = ("http_route", "/undo-uploaded-deliveries");
    let all = metric_value("http_server_request_duration_seconds_count", &[route]);
    assert!(all.is_some());
    let fast = metric_value("http_server_request_duration_seconds_bucket", &[route, ("le", "1")]);
    assert!(fast >= all, "one took over a second");
}

#[tokio::test]
async fn a_request_that_its_client_gives_up_is_counted_and_logged() {
    let log = Log::default();
    let _guard = log.watch_with_spans();
    let world = World::new();
    let address = world.serve().await;
    let _held = world.stage.hold("login");
    let client = begin(&address, "/auth", LOGIN, LOGIN.len()).await;
    world.stage.called("login", 1).await;
    drop(client);
    let given_up = [("http_route", "/auth"), ("http_response_status_code", "499")];
    let counted = async {
        while metric_value("http_server_request_duration_seconds_count", &given_up).is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), counted).await.expect("it was not counted");
    assert!(log.text().contains("given up"), "{}", log.text());
}

#[tokio::test]
async fn the_log_names_the_request_and_no_secret() {
    let log = Log::default();
    let _guard = log.watch_with_spans();
    let world = World::new();
    let secret = world.stage.begin(Role::Admin);
    let token = world.stage.token_of(&secret).unwrap();
    let bearer = format!("Bearer {token}");
    let cookie = format!("session={secret}");
    world.query(&token, r#"{ delivery(id: "private-id-471108154711") { id } }"#).await;
    world
        .post(
            "/upload-deliveries?url=/objects/a&filename=private-name-471108154711",
            &[("authorization", &bearer)],
            "",
        )
        .await;
    world.get("/deliveries?filters=private-filter-471108154711", &[]).await;
    world
        .call(http::Method::PUT, "/objects/a?expires=1&signature=private-signature-471108154711", &[], "")
        .await;
    world.get("/auth?method=getToken", &[("cookie", &cookie)]).await;
    let login = world.post("/auth", &[("cookie", &cookie)], LOGIN).await;
    world.post("/auth", &[], LOGIN.replace("correct-horse", "private-password-471108154711")).await;
    for body in [
        json!({ "method": "signup", "username": "ana", "email": "private-471108154711", "password": "private-471108154711", "roles": ["private-471108154711"] }),
        json!({ "method": "forgotPassword", "username": "private-471108154711" }),
        json!({ "method": "validateResetToken", "resetToken": RESET_TOKEN }),
        json!({ "method": "resetPassword", "resetToken": RESET_TOKEN, "password": "private-471108154711" }),
        json!({ "method": "resetPassword", "resetToken": "private-471108154711", "password": "private-471108154711" }),
        json!({ "method": "login", "username": ["private-471108154711"], "password": 471_108_154_711_i64 }),
    ] {
        world.post("/auth", &[], body.to_string()).await;
    }
    let token = world.token(Role::Admin);
    let query = "mutation M($input: ChangeOwnPasswordInput!) { changeOwnPassword(input: $input) { count } \
                 createResetLink(input: { userId: \"private-471108154711\" }) { path } }";
    for input in [
        json!({ "currentPassword": "correct-horse", "newPassword": "battery-staple" }),
        json!({ "currentPassword": "private-471108154711", "newPassword": "private-471108154711" }),
        json!({ "currentPassword": { "private": "471108154711" }, "newPassword": "private-471108154711" }),
    ] {
        world.graphql(&token, json!({ "query": query, "variables": { "input": input } })).await;
    }
    world.stage.fail_as(kit::Kind::Internal);
    let failed = world.query("", "{ adminNeeded { needed } }").await;
    let id = failed["errors"][0]["extensions"]["requestId"].as_str().unwrap().to_owned();

    let text = log.text();
    let new = login.cookies()[0].split([';', '=']).nth(1).unwrap().to_owned();
    let payload = token.split('.').nth(1).unwrap();
    for secret in [secret.as_str(), &token, payload, &new, "correct-horse", "battery-staple", "471108154711"]
    {
        assert!(!text.contains(secret), "the log holds {secret}");
    }
    for expected in ["http.route=\"/graphql\"", "http.request.method=POST", "status=200", id.as_str()] {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
}
