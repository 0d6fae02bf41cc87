//! Password guessing, and what account owners notice of it.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{PASSWORD, Settings, World};
use crate::in_both_shapes;

/// Limits the attempts from one address, and stops the clock, so that a wait ends only when the scenario
/// moves the clock.
fn watched(it: &mut Settings) {
    it.hold_time();
    it.config.http.trusted_proxies = 1;
    it.config.auth.address_attempts = 8;
}

/// Tries to sign in. Returns the status, the body and `Retry-After`.
async fn attempt(browser: &Browser, username: &str, password: &str) -> (StatusCode, Value, String) {
    let body = json!({ "method": "login", "username": username, "password": password });
    let sent =
        browser.http.post(format!("{}/auth", browser.base)).body(body.to_string()).send().await.unwrap();
    let wait = sent.headers().get("retry-after").map_or("", |it| it.to_str().unwrap()).to_owned();
    (sent.status(), sent.json().await.unwrap(), wait)
}

in_both_shapes!(guessing_is_slowed_down_and_locks_nobody_out, watched, |world: World| async move {
    let at = |address: &str| world.browser().at(address);
    let home = at("203.0.113.5");
    home.create_admin("admin", PASSWORD).await;
    home.clone().sign_in("admin", PASSWORD).await;

    // An existing name and an unknown name get the same response to every attempt.
    let (thief, other) = (at("198.51.100.1"), at("198.51.100.2"));
    for count in 1..=7 {
        let known = attempt(&thief, "Admin", "not-the-password").await;
        assert_eq!(known, attempt(&other, "nobody", "not-the-password").await);
        let (status, body, wait) = known;
        if count <= 5 {
            assert_eq!((status, wait.as_str()), (StatusCode::BAD_REQUEST, ""), "{count}: {body}");
        } else {
            assert_eq!((status, wait.as_str()), (StatusCode::TOO_MANY_REQUESTS, "1"), "{count}: {body}");
            assert_eq!(body["error"], "Too many attempts. Try again in 1 second.");
            assert_eq!(body["code"], "RATE_LIMITED");
        }
    }
    // Even with the right password, an address from which the account was not used recently has to wait.
    let elsewhere = at("198.51.100.3");
    assert_eq!(attempt(&elsewhere, "admin", PASSWORD).await.0, StatusCode::TOO_MANY_REQUESTS);
    // From a recently used address the owner signs in immediately, which does not help the thief.
    home.clone().sign_in("admin", PASSWORD).await;
    assert_eq!(attempt(&thief, "admin", PASSWORD).await.0, StatusCode::TOO_MANY_REQUESTS);

    // Each wrong password after the wait doubles the next wait.
    for next in ["2", "4", "8"] {
        let (status, _, wait) = attempt(&elsewhere, "admin", "not-the-password").await;
        assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
        world.clock.advance(chrono::Duration::seconds(wait.parse().unwrap()));
        assert_eq!(attempt(&elsewhere, "admin", "not-the-password").await.0, StatusCode::BAD_REQUEST);
        assert_eq!(attempt(&elsewhere, "admin", "not-the-password").await.2, next);
    }
    world.clock.advance(chrono::Duration::seconds(8));
    assert_eq!(attempt(&elsewhere, "admin", PASSWORD).await.0, StatusCode::OK);
    assert_eq!(
        attempt(&thief, "admin", "not-the-password").await.0,
        StatusCode::BAD_REQUEST,
        "all is forgotten"
    );
    world
});

in_both_shapes!(an_address_that_tries_many_names_is_refused, watched, |world: World| async move {
    let at = |address: &str| world.browser().at(address);
    let office = at("203.0.113.5");
    office.create_admin("admin", PASSWORD).await;
    office.clone().sign_in("admin", PASSWORD).await;
    for count in 0..8 {
        let (status, body, _) = attempt(&office, &format!("name-{count}"), "not-the-password").await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{count}: {body}");
    }
    let (status, _, wait) = attempt(&office, "name-8", "not-the-password").await;
    assert_eq!((status, wait.as_str()), (StatusCode::TOO_MANY_REQUESTS, "600"));
    // The limit applies neither to the account that recently signed in from the limited address, nor to other
    // addresses.
    office.clone().sign_in("admin", PASSWORD).await;
    assert_eq!(attempt(&at("203.0.113.6"), "name-8", "x").await.0, StatusCode::BAD_REQUEST);
    world.clock.advance(chrono::Duration::seconds(600));
    assert_eq!(attempt(&office, "name-8", "x").await.0, StatusCode::BAD_REQUEST);
    world
});
