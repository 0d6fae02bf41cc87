//! A session counts while auth says so, and a moment longer at most.

use std::time::Duration;

use kit::{Kind, Role};
use serde_json::json;

use crate::world::{World, first_error};

const WHO: &str = "{ redwood { currentUser } }";
const GUARDED: &str = "{ deliveriesCount { total } }";

#[tokio::test]
async fn auth_is_asked_at_most_once_a_second_and_at_least() {
    let world = World::new();
    let token = world.token(Role::Admin);
    for _ in 0..5 {
        assert_eq!(world.query(&token, WHO).await["data"]["redwood"]["currentUser"]["id"], "u1");
    }
    assert_eq!(world.stage.calls("check").len(), 1);
    world.stage.end_all();
    tokio::time::sleep(Duration::from_millis(1050)).await;
    assert_eq!(first_error(&world.query(&token, GUARDED).await).0, "UNAUTHENTICATED");
    assert_eq!(world.stage.calls("check").len(), 2);
}

#[tokio::test]
async fn a_refusal_is_never_remembered() {
    let world = World::new();
    let token = world.token(Role::Admin);
    world.stage.fail_as(Kind::Unavailable);
    assert_eq!(first_error(&world.query(&token, GUARDED).await).0, "UNAVAILABLE");
    world.stage.fail_as(Kind::Unauthenticated);
    assert_eq!(first_error(&world.query(&token, GUARDED).await).0, "UNAUTHENTICATED");
    world.stage.heal();
    assert_eq!(world.query(&token, GUARDED).await["data"]["deliveriesCount"]["total"], 10_000);
    assert_eq!(world.stage.calls("check").len(), 3);
}

#[tokio::test]
async fn logout_acts_at_once() {
    let world = World::new();
    let secret = world.stage.begin(Role::Admin);
    let token = world.stage.token_of(&secret).unwrap();
    assert!(world.query(&token, GUARDED).await["errors"].is_null());
    let cookie = format!("session={secret}");
    world.post("/auth", &[("cookie", &cookie)], r#"{"method":"logout"}"#).await;
    assert_eq!(first_error(&world.query(&token, GUARDED).await).0, "UNAUTHENTICATED");
    assert_eq!(world.query(&token, WHO).await["data"]["redwood"]["currentUser"], json!(null));
}

#[tokio::test]
async fn a_check_under_way_during_logout_does_not_revive_the_session() {
    let world = World::new();
    let secret = world.stage.begin(Role::Admin);
    let token = world.stage.token_of(&secret).unwrap();
    let cookie = format!("session={secret}");
    world.stage.delay(Duration::from_millis(100));
    let checking = world.query(&token, WHO);
    let leaving = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        world.stage.delay(Duration::ZERO);
        world.post("/auth", &[("cookie", &cookie)], r#"{"method":"logout"}"#).await
    };
    let (_, left) = tokio::join!(checking, leaving);
    assert_eq!(left.status, 200);
    assert_eq!(first_error(&world.query(&token, GUARDED).await).0, "UNAUTHENTICATED");
}

#[tokio::test]
async fn tokens_that_are_not_wholly_right_do_not_count() {
    let world = World::new();
    let token = world.token(Role::Admin);
    world.query(&token, WHO).await;
    let mut tampered = token.clone().into_bytes();
    let at = tampered.len() - 10;
    tampered[at] = if tampered[at] == b'A' { b'B' } else { b'A' };
    for bad in [String::from_utf8(tampered).unwrap(), "null".into(), "undefined".into(), "a.b.c".into()] {
        let answer = world.query(&bad, "{ redwood { currentUser } deliveriesCount { total } }").await;
        assert_eq!(
            first_error(&answer),
            ("UNAUTHENTICATED".into(), "You don't have permission to do that.".into())
        );
        let answer = world.query(&bad, WHO).await;
        assert_eq!(answer, json!({ "data": { "redwood": { "currentUser": null } } }));
    }
    world.clock.advance(chrono::Duration::seconds(301));
    assert_eq!(
        first_error(&world.query(&token, GUARDED).await).0,
        "UNAUTHENTICATED",
        "expired, though remembered"
    );
}

#[tokio::test]
async fn the_cookie_alone_opens_nothing_but_auth() {
    let world = World::new();
    let cookie = format!("session={}", world.stage.begin(Role::Admin));
    let headers = [("content-type", "application/json"), ("cookie", cookie.as_str())];
    let answer = world.post("/graphql", &headers, json!({ "query": GUARDED }).to_string()).await;
    assert_eq!(first_error(&answer.json()).0, "UNAUTHENTICATED");
    assert_eq!(world.post("/request-upload-link", &headers, r#"{"filename":"a.csv"}"#).await.status, 401);
    // Together with the bearer it does no harm.
    let bearer = format!("bearer {}", world.token(Role::Admin));
    let headers = [headers[0], headers[1], ("authorization", bearer.as_str())];
    let answer = world.post("/graphql", &headers, json!({ "query": GUARDED }).to_string()).await;
    assert!(answer.json()["errors"].is_null());
}

#[tokio::test]
async fn a_token_of_a_service_is_no_business_of_the_public_port() {
    let world = World::new();
    let identity = kit::principal::ServiceIdentity::new("upload", "x".repeat(32).into(), world.clock.clone());
    let answer = world.query(&identity.token().unwrap(), GUARDED).await;
    assert_eq!(first_error(&answer).0, "UNAUTHENTICATED");
}
