//! A session is valid while auth says so, and at most a moment longer.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kit::cache::CacheKey;
use kit::{Kind, Role};
use serde_json::{Value, json};

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
    world.clock.advance(chrono::Duration::seconds(1));
    assert_eq!(first_error(&world.query(&token, GUARDED).await).0, "UNAUTHENTICATED");
    assert_eq!(world.stage.calls("check").len(), 2);
}

/// Returns the session id of a token.
fn session_of(token: &str) -> String {
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
    let payload: Value = serde_json::from_slice(&payload).unwrap();
    payload["sid"].as_str().unwrap().to_owned()
}

/// Write access to the cache gives no access to the product: not by a forged answer, not by an answer about
/// another session, not by an old answer.
#[tokio::test]
async fn what_others_wrote_into_the_cache_is_not_believed() {
    let world = World::new();
    let (viewer, admin) = (world.token(Role::Viewer), world.token(Role::Admin));
    let who = async |token: &str| {
        let answer = world.query(token, WHO).await;
        let user = answer["data"]["redwood"]["currentUser"].clone();
        (user["username"].as_str().unwrap().to_owned(), user["roles"][0].as_str().unwrap().to_owned())
    };
    let (key, other) =
        (CacheKey::new("session", session_of(&viewer)), CacheKey::new("session", session_of(&admin)));
    let checks = || world.stage.calls("check").len();
    let second = Duration::from_secs(1);
    let mine = who(&viewer).await;
    assert_eq!((mine.1.as_str(), checks()), ("viewer", 1));
    let good: Value = world.cache.get(&key).await.unwrap().unwrap();
    assert_eq!((who(&viewer).await, checks()), (mine.clone(), 1), "ours is believed");
    assert_eq!((who(&admin).await.1.as_str(), checks()), ("admin", 2));
    let of_admin: Value = world.cache.get(&other).await.unwrap().unwrap();

    let mut raised = good.clone();
    raised["user"]["roles"] = json!(["admin"]);
    let mut longer = good.clone();
    longer["until"] = json!(good["until"].as_i64().unwrap() + 1);
    let mut unsigned = raised.clone();
    unsigned["seal"] = json!("");
    for (at, forged) in
        [raised.clone(), longer, unsigned, of_admin, raised["user"].clone()].iter().enumerate()
    {
        world.cache.set(&key, forged, second).await.unwrap();
        assert_eq!((who(&viewer).await, checks()), (mine.clone(), 3 + at), "{forged}");
    }
    // A valid answer, used after its expiry.
    world.clock.advance(chrono::Duration::seconds(1));
    world.cache.set(&key, &good, second).await.unwrap();
    assert_eq!((who(&viewer).await, checks()), (mine, 8));
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
    let held = world.stage.hold("check");
    let checking = world.query(&token, WHO);
    let leaving = async {
        world.stage.called("check", 1).await;
        let left = world.post("/auth", &[("cookie", &cookie)], r#"{"method":"logout"}"#).await;
        drop(held);
        left
    };
    let (checked, left) = tokio::join!(checking, leaving);
    assert_eq!(left.status, 200);
    // Auth confirmed the session, but the answer arrived after the logout.
    assert_eq!(checked, json!({ "data": { "redwood": { "currentUser": null } } }));
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
    // Together with the bearer token the cookie does no harm.
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
