//! The browser application, and addresses outside of it.

use http::Method;

use crate::world::World;

#[tokio::test]
async fn every_address_without_a_meaning_is_the_application() {
    let world = World::new();
    for path in [
        "/",
        "/deliveries",
        "/delivery/D-1.2",
        "/auth/create-admin",
        "/upload-deliveries",
        "/login?redirectTo=/x",
        "/?filters=%5B%5D&id=x&lat=1",
    ] {
        let page = world.get(path, &[]).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.header("content-type").starts_with("text/html"), "{path}");
        assert_eq!(page.header("cache-control"), "no-store");
        let head = world.call(Method::HEAD, path, &[], "").await;
        assert_eq!((head.status.as_u16(), head.header("content-type")), (200, page.header("content-type")));
    }
}

#[tokio::test]
async fn calls_and_files_that_are_not_there_are_404() {
    let world = World::new();
    for path in [
        "/assets/none-123.js",
        "/assets/",
        "/graphql",
        "/graphql/x",
        "/auth",
        "/auth/",
        "/objects",
        "/request-upload-link",
    ] {
        let answer = world.get(path, &[]).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.json().is_object());
    }
    for (method, path) in [
        (Method::POST, "/"),
        (Method::POST, "/nothing"),
        (Method::DELETE, "/deliveries"),
        (Method::PUT, "/loads"),
    ] {
        let answer = world.call(method, path, &[], "").await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.json()["error"].is_string());
    }
}

/// An app takes any page for success, and deletes the position.
#[tokio::test]
async fn a_position_at_an_address_that_takes_none_is_404() {
    let world = World::new();
    for path in [
        "/?id=x&lat=1&lon=2&timestamp=3",
        "/?deviceid=x&location=1,2",
        "/positions?timestamp=3&lat=1&lon=2&id=x",
    ] {
        let answer = world.get(path, &[]).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.json()["error"].is_string());
    }
}

#[tokio::test]
async fn health_is_a_word_for_machines_and_a_page_for_people() {
    let world = World::new();
    for accept in [vec![], vec![("accept", "*/*")], vec![("accept", "text/plain, text/html")]] {
        let answer = world.get("/health", &accept).await;
        assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, "ok"));
    }
    let accept = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    assert!(world.get("/health", &[accept]).await.header("content-type").starts_with("text/html"));
    assert_eq!(world.call(Method::HEAD, "/health", &[], "").await.status, 200);
    assert_eq!(world.call(Method::POST, "/health", &[], "").await.status, 405);
    let services: usize = ["check", "setup", "list"].iter().map(|name| world.stage.calls(name).len()).sum();
    assert_eq!(services, 0, "no service is asked");
}

#[tokio::test]
async fn what_operators_ask_is_not_on_this_port() {
    let world = World::new();
    for path in ["/livez", "/readyz", "/metrics", "/graphiql"] {
        let answer = world.get(path, &[]).await;
        assert!(answer.header("content-type").starts_with("text/html"), "{path} is a page like any other");
    }
}
