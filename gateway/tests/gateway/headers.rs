//! Headers of every response, whatever its content.

use http::Method;
use kit::Role;

use crate::world::{Answer, World};

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    font-src 'self'; connect-src 'self' blob:; worker-src 'self' blob:; manifest-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'";

fn assert_secure(answer: &Answer, what: &str) {
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(answer.header(name), value, "{what}");
    }
    let policy = answer.header("content-security-policy");
    assert!(
        policy == CSP || policy == "default-src 'none'; sandbox; frame-ancestors 'none'",
        "{what}: {policy}"
    );
    assert!(answer.header("permissions-policy").contains("geolocation=()"), "{what}");
    assert!(!answer.header("cache-control").is_empty(), "{what}");
    assert_eq!(answer.header("x-request-id").len(), 32, "{what}");
    assert!(!answer.headers.contains_key("server"), "{what}");
}

#[tokio::test]
async fn every_answer_of_every_route_is_secured() {
    let world = World::new();
    let routes = [
        "/",
        "/assets/none.js",
        "/auth",
        "/auth?method=getToken",
        "/auth/create-admin",
        "/graphql",
        "/request-upload-link",
        "/upload-deliveries",
        "/objects/a",
        "/request-logo-upload-link",
        "/logo/a",
        "/geocode?address=a",
        "/intake/v1/dead-letters",
        "/delivery-forms/D-1.pdf",
        "/export/deliveries?format=csv",
        "/third-party-notices.txt",
        "/health",
        "/nothing",
    ];
    let methods = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::OPTIONS,
        Method::PATCH,
    ];
    for path in routes {
        for method in &methods {
            for body in ["", "{", "{}"] {
                let answer =
                    world.call(method.clone(), path, &[("content-type", "application/json")], body).await;
                let what = format!("{method} {path} {body}");
                assert_secure(&answer, &what);
                assert!(!answer.headers.contains_key("strict-transport-security"), "{what}");
                if !path.starts_with("/assets") && !answer.header("content-type").starts_with("text/html") {
                    assert_eq!(answer.header("cache-control"), "no-store", "{what}");
                }
            }
        }
    }
}

#[tokio::test]
async fn https_is_made_to_stay() {
    let world = World::with(|config| config.http.public_url = "https://way.example".into());
    for path in ["/", "/graphql", "/auth?method=getToken"] {
        assert_eq!(world.get(path, &[]).await.header("strict-transport-security"), "max-age=63072000");
    }
    let proxied = World::with(|config| config.http.trusted_proxies = 1);
    assert!(
        proxied
            .get("/", &[("x-forwarded-proto", "http")])
            .await
            .header("strict-transport-security")
            .is_empty()
    );
    assert!(
        !proxied
            .get("/", &[("x-forwarded-proto", "https")])
            .await
            .header("strict-transport-security")
            .is_empty()
    );
}

#[tokio::test]
async fn files_in_a_bucket_may_be_reached() {
    for (public, expected) in
        [("", "http://minio:9000"), ("https://files.example.com/x", "https://files.example.com")]
    {
        let world = World::with(|config| {
            config.blob.kind = kit::config::BlobKind::S3;
            config.blob.endpoint = "http://minio:9000".into();
            config.blob.public_endpoint = public.into();
        });
        let policy = world.get("/", &[]).await.header("content-security-policy").to_owned();
        assert!(policy.contains(&format!("connect-src 'self' blob: {expected};")), "{policy}");
    }
}

#[tokio::test]
async fn what_lies_under_the_map_may_be_reached() {
    let world = World::with(|config| {
        config.map.tile_url = "https://tiles.example.com/{z}/{x}/{y}.png".into();
        config.map.hosts = vec!["https://fonts.example.com".into()];
    });
    let policy = world.get("/", &[]).await.header("content-security-policy").to_owned();
    let both = "https://fonts.example.com https://tiles.example.com;";
    assert!(policy.contains(&format!("connect-src 'self' blob: {both}")), "{policy}");
    assert!(policy.contains(&format!("img-src 'self' data: blob: {both}")), "{policy}");
}

#[tokio::test]
async fn only_allowed_origins_may_read() {
    let friend = "https://app.example.com";
    let world = World::with(|config| config.http.allowed_origins = vec![friend.into()]);
    let ask = |origin| {
        [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "content-type,auth-provider,authorization,x-request-id"),
        ]
    };
    let preflight = world.call(Method::OPTIONS, "/graphql", &ask(friend), "").await;
    assert_eq!((preflight.status.as_u16(), preflight.text().as_str()), (200, ""));
    assert_eq!(preflight.header("access-control-allow-origin"), friend);
    assert_eq!(preflight.header("access-control-allow-credentials"), "true");
    assert_eq!(preflight.header("access-control-allow-methods"), "GET,POST,PUT,OPTIONS");
    let headers = preflight.header("access-control-allow-headers").to_owned();
    for name in ["content-type", "auth-provider", "authorization", "x-request-id"] {
        assert!(headers.contains(name), "{headers}");
    }
    for path in ["/auth?method=getToken", "/graphql", "/objects/a", "/request-upload-link"] {
        let answer = world.get(path, &[("origin", friend)]).await;
        assert_eq!(answer.header("access-control-allow-origin"), friend, "{path}");
        let vary: Vec<_> =
            answer.headers.get_all("vary").iter().map(|it| it.to_str().unwrap().to_lowercase()).collect();
        assert!(vary.join(",").contains("origin"), "{vary:?}");
        for other in
            ["https://evil.example", "null", "https://app.example.com.evil.example", "http://app.example.com"]
        {
            let answer = world.get(path, &[("origin", other)]).await;
            assert!(!answer.headers.contains_key("access-control-allow-origin"), "{other}");
            let preflight = world.call(Method::OPTIONS, path, &ask(other), "").await;
            assert!(!preflight.headers.contains_key("access-control-allow-origin"), "{other}");
        }
    }
}

#[tokio::test]
async fn long_answers_are_compressed() {
    let world = World::new();
    let token = world.token(Role::Viewer);
    let bearer = format!("Bearer {token}");
    let headers = [
        ("content-type", "application/json"),
        ("accept-encoding", "gzip"),
        ("authorization", bearer.as_str()),
    ];
    let long = world
        .post("/graphql", &headers, r#"{"query":"{ deliveries { id customername shipmentnumber } }"}"#)
        .await;
    assert_eq!(long.header("content-encoding"), "gzip");
    let short = world.post("/graphql", &headers, r#"{"query":"{ __typename }"}"#).await;
    assert!(short.header("content-encoding").is_empty());
}

#[tokio::test]
async fn each_request_has_its_own_id() {
    let world = World::new();
    let (a, b) = (world.get("/health", &[]).await, world.get("/health", &[("x-request-id", "mine")]).await);
    assert_ne!(a.header("x-request-id"), b.header("x-request-id"));
    assert_ne!(b.header("x-request-id"), "mine", "nobody outside chooses what the log says");
}
