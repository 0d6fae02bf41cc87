//! Headers of every response, whatever its content.

use std::collections::BTreeSet;

use http::Method;
use kit::Role;

use crate::world::{Answer, World};

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    font-src 'self'; connect-src 'self' blob:; worker-src 'self' blob:; manifest-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'";

/// The headers that the application sends with its requests.
const SENT: [&str; 7] = [
    "content-type",
    "auth-provider",
    "authorization",
    "x-request-id",
    "traceparent",
    "x-query-lab",
    "idempotency-key",
];

/// Returns the paths in the sources of the router and of the drivers' API, with `a` for each parameter.
fn routed() -> impl Iterator<Item = String> {
    let router = include_str!("../../src/lib.rs").split(".route(").skip(1);
    let router = router.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
    let drivers = include_str!("../../src/http/driver/mod.rs").split('"');
    let all = router.chain(drivers.filter(|text| text.starts_with("/driver/v1/")));
    all.map(|path| {
        let segments = path.split('/').map(|it| if it.starts_with('{') { "a" } else { it });
        segments.collect::<Vec<_>>().join("/")
    })
}

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
    let world = World::with(|config| config.ingest.on_public_port = true);
    let others = [
        "/",
        "/assets/none.js",
        "/auth?method=getToken",
        "/auth/create-admin",
        "/geocode?address=a",
        "/intake/v1/dead-letters",
        "/delivery-forms/D-1.pdf",
        "/export/deliveries?format=csv",
        "/load",
        "/cubejs-api/v1",
        "/cubejs-api/v1/load",
        "/cubejs-api/v1/none",
        "/ingest",
        "/nothing",
    ];
    let mut routes: BTreeSet<String> = routed().collect();
    for known in ["/auth", "/logo", "/objects/a", "/undo-uploaded-deliveries", "/driver/v1/deliveries/a"] {
        assert!(routes.contains(known), "{known} in {routes:?}");
    }
    routes.extend(others.map(str::to_owned));
    let bodies = ["", "{", "{}"];
    let methods = [
        (Method::GET, &bodies[..1]),
        (Method::HEAD, &bodies[..1]),
        (Method::POST, &bodies[..]),
        (Method::PUT, &bodies[..]),
        (Method::DELETE, &bodies[..1]),
        (Method::OPTIONS, &bodies[..1]),
        (Method::PATCH, &bodies[..]),
    ];
    for path in &routes {
        for (method, bodies) in &methods {
            for body in *bodies {
                let answer =
                    world.call(method.clone(), path, &[("content-type", "application/json")], *body).await;
                let what = format!("{method} {path} {body}");
                assert_secure(&answer, &what);
                assert!(!answer.headers.contains_key("strict-transport-security"), "{what}");
                let is_page = answer.header("content-type").starts_with("text/html");
                // Everybody gets the same logo, so it may be kept.
                let may_be_kept = path.starts_with("/assets") || (path == "/logo" && answer.status == 200);
                if !is_page && !may_be_kept {
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
            ("access-control-request-headers", "x-query-lab,idempotency-key"),
        ]
    };
    let preflight = world.call(Method::OPTIONS, "/graphql", &ask(friend), "").await;
    assert_eq!((preflight.status.as_u16(), preflight.text().as_str()), (200, ""));
    assert_eq!(preflight.header("access-control-allow-origin"), friend);
    assert_eq!(preflight.header("access-control-allow-credentials"), "true");
    assert_eq!(preflight.header("access-control-allow-methods"), "GET,POST,PUT,OPTIONS");
    let headers = preflight.header("access-control-allow-headers").to_owned();
    for name in SENT {
        assert!(headers.contains(name), "{name} in {headers}");
    }
    for path in ["/auth?method=getToken", "/graphql", "/objects/a", "/request-upload-link"] {
        let answer = world.get(path, &[("origin", friend)]).await;
        assert_eq!(answer.header("access-control-allow-origin"), friend, "{path}");
        let readable = answer.header("access-control-expose-headers");
        assert_eq!(readable, "x-request-id,content-disposition,retry-after", "{path}");
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
