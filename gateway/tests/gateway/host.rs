//! An installation that only listens on its own machine responds only to that machine's names.

use http::Method;
use kit::config::Config;
use serde_json::json;

use crate::world::{Answer, World};

async fn create_admin(world: &World, headers: &[(&str, &str)]) -> Answer {
    let mut all = vec![("content-type", "application/json")];
    all.extend(headers);
    let input = json!({ "username": "eve", "email": "eve@example.com", "password": "correct horse battery" });
    let query = "mutation ($input: CreateAdminInput!) { createAdmin(input: $input) { id } }";
    world.post("/graphql", &all, json!({ "query": query, "variables": { "input": input } }).to_string()).await
}

/// A stranger's page whose name resolves to 127.0.0.1 must not become the first administrator.
#[tokio::test]
async fn a_foreign_name_that_leads_here_makes_no_account() {
    let world = World::new();
    for headers in [
        vec![("host", "evil.example:8080"), ("origin", "http://evil.example:8080")],
        vec![("host", "evil.example")],
        vec![("host", "127.0.0.1.evil.example:8080")],
        vec![("host", "localhost.evil.example")],
        vec![("host", "10.0.0.1:8080")],
        vec![("host", "")],
        vec![("host", "a b")],
        vec![("host", "localhost:8080"), ("origin", "http://evil.example")],
        vec![("host", "localhost:8080"), ("origin", "null")],
        // A proxy that is not configured as trusted may send the gateway's own host name as `host`.
        vec![("host", "127.0.0.1:8080"), ("x-forwarded-for", "203.0.113.9")],
        vec![("host", "127.0.0.1:8080"), ("forwarded", "for=203.0.113.9;proto=https")],
        vec![("host", "127.0.0.1:8080"), ("x-real-ip", "203.0.113.9")],
        vec![("x-forwarded-for", "")],
    ] {
        let answer = create_admin(&world, &headers).await;
        let status = if headers[0].1.starts_with("localhost:") { 403 } else { 421 };
        assert_eq!(answer.status.as_u16(), status, "{headers:?}");
        assert_eq!(answer.json()["errors"][0]["extensions"]["code"], "FORBIDDEN");
        assert!(!answer.header("content-security-policy").is_empty(), "as secured as any answer");
    }
    let page = world.get("/", &[("host", "evil.example")]).await;
    assert_eq!(page.status, 421, "nor is there a page to call from");
    let proxied = world.get("/", &[("host", "127.0.0.1:8080"), ("x-forwarded-for", "203.0.113.9")]).await;
    assert_eq!(proxied.status, 421);
    assert!(proxied.text().contains("http.trusted_proxies"), "it names what to set: {}", proxied.text());
    let token = world.call(Method::GET, "http://evil.example/auth?method=getToken", &[], "").await;
    assert_eq!((token.status.as_u16(), token.text().as_str()), (421, ""), "HTTP/2 names it in the address");
    assert!(world.stage.calls("create").is_empty());
    assert_eq!(world.get("/health", &[("host", "probe.example")]).await.status, 200);
}

#[tokio::test]
async fn the_machine_itself_is_answered() {
    let world = World::new();
    for headers in [
        vec![],
        vec![("host", "localhost:8080"), ("origin", "http://localhost:8080")],
        vec![("host", "LOCALHOST.")],
        vec![("host", "waybill.localhost:8080")],
        vec![("host", "127.0.0.1:8080"), ("origin", "http://127.0.0.1:5173")],
        vec![("host", "[::1]:8080"), ("origin", "http://[::1]:8080")],
    ] {
        let answer = create_admin(&world, &headers).await;
        assert_eq!(answer.status, 200, "{headers:?}: {}", answer.text());
    }
}

/// With public access, any name may refer to the installation.
#[tokio::test]
async fn an_installation_for_others_answers_to_any_name() {
    let open: [fn(&mut Config); 3] = [
        |config| config.http.host = "0.0.0.0".into(),
        |config| config.http.public_url = "https://way.example".into(),
        |config| config.http.trusted_proxies = 1,
    ];
    for change in open {
        let world = World::with(change);
        let answer = world.get("/auth?method=getToken", &[("host", "way.example")]).await;
        assert_eq!(answer.status, 200);
    }
    let local = World::with(|config| config.http.public_url = "http://localhost:9000".into());
    assert_eq!(local.get("/auth?method=getToken", &[("host", "way.example")]).await.status, 421);
}
