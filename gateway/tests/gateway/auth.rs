//! The auth endpoint, as the browser's client calls it.

use http::{Method, StatusCode};
use kit::{Error, Kind, Role};
use serde_json::json;

use crate::world::{Answer, World};

const LOGIN: &str = r#"{"username":"maria","password":"correct-horse","method":"login"}"#;
const LOGOUT: &str = r#"{"method":"logout"}"#;
const TEXT: (&str, &str) = ("content-type", "text/plain;charset=UTF-8");

pub fn assert_error(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "application/json");
    assert!(!answer.json()["error"].as_str().unwrap().trim().is_empty());
    assert_eq!(answer.json()["message"], json!(null));
}

fn secret_of(answer: &Answer) -> String {
    let cookie = &answer.cookies()[0];
    cookie.split(';').next().unwrap().split_once('=').unwrap().1.to_owned()
}

#[tokio::test]
async fn login_answers_the_account_and_one_cookie() {
    let world = World::new();
    let answer = world.post("/auth", &[("content-type", "application/json")], LOGIN).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    let expected = json!({
        "id": "u1", "username": "maria", "displayName": "Maria Clara", "email": "maria@example.com",
        "roles": ["admin"],
    });
    assert_eq!(answer.json(), expected);
    let cookies = answer.cookies();
    assert_eq!(cookies.len(), 1);
    let parts: Vec<_> = cookies[0].split("; ").collect();
    assert!(parts[0].starts_with("session=secret-"));
    assert_eq!(parts[1..5], ["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=43200"]);
    assert!(parts[5].starts_with("Expires=") && parts[5].ends_with(" GMT"), "{}", parts[5]);
    assert_eq!(parts.len(), 6, "no Secure over plain http");
    let date = parts[5].trim_start_matches("Expires=");
    let date = chrono::DateTime::parse_from_rfc2822(date).unwrap();
    assert_eq!(date.timestamp(), world.clock.now().timestamp() + 43_200);
}

#[tokio::test]
async fn over_https_the_cookie_is_bound_to_the_host() {
    let public = World::with(|config| config.http.public_url = "https://way.example".into());
    let proxied = World::with(|config| config.http.trusted_proxies = 1);
    for (world, headers) in [(&public, vec![]), (&proxied, vec![("x-forwarded-proto", "https")])] {
        let answer = world.post("/auth", &headers, LOGIN).await;
        let cookie = &answer.cookies()[0];
        assert!(cookie.starts_with("__Host-session=secret-") && cookie.ends_with("; Secure"), "{cookie}");
        assert!(!cookie.contains("Domain"));
        let value = secret_of(&answer);
        let mut with = headers.clone();
        let cookie = format!("theme=dark; __Host-session={value}");
        with.push(("cookie", &cookie));
        assert!(!world.get("/auth?method=getToken", &with).await.text().is_empty());
        // Anybody on the network can set a cookie over a plain connection.
        let cookie = format!("session={value}");
        let mut with = headers.clone();
        with.push(("cookie", &cookie));
        assert!(world.get("/auth?method=getToken", &with).await.text().is_empty());
    }
    let plain = World::new().post("/auth", &[("x-forwarded-proto", "https")], LOGIN).await;
    assert!(plain.cookies()[0].starts_with("session="), "nobody trusted said https");
}

#[tokio::test]
async fn wrong_credentials_look_the_same_and_set_nothing() {
    let world = World::new();
    let mut texts = Vec::new();
    for body in [
        r#"{"username":"maria","password":"no","method":"login"}"#,
        r#"{"username":"nobody","password":"x","method":"login"}"#,
    ] {
        let answer = world.post("/auth", &[], body).await;
        assert_error(&answer, 400);
        assert!(answer.cookies().is_empty());
        texts.push(answer.text());
    }
    assert_eq!(texts[0], texts[1]);
    assert!(texts[0].contains("Wrong username or password"));
    for body in [r#"{"method":"login"}"#, r#"{"username":1,"password":[],"method":"login"}"#] {
        assert_error(&world.post("/auth", &[], body).await, 400);
    }
    assert_eq!(world.stage.logins().len(), 2, "what is no text is not passed on");
}

#[tokio::test]
async fn failures_of_auth_are_json_with_their_own_status() {
    let world = World::new();
    for (kind, status) in
        [(Kind::RateLimited, 429), (Kind::Unavailable, 503), (Kind::Internal, 500), (Kind::InvalidInput, 400)]
    {
        world.stage.fail_as(kind);
        let answer = world.post("/auth", &[], LOGIN).await;
        assert_error(&answer, status);
        assert_eq!(answer.headers.contains_key("retry-after"), matches!(status, 429 | 503));
        assert_eq!(answer.text().contains("some text"), kind != Kind::Internal);
    }
}

#[tokio::test]
async fn whoever_is_throttled_is_told_until_when() {
    let world = World::new();
    for (wait, seconds) in [(40_000, "40"), (1_001, "2"), (1_199_999, "1200")] {
        world.stage.fail(move || {
            let wait = std::time::Duration::from_millis(wait);
            Error::rate_limited("SIGN_IN_THROTTLED", "Too many attempts.", wait).into()
        });
        let answer = world.post("/auth", &[], LOGIN).await;
        assert_error(&answer, 429);
        assert_eq!(answer.json()["error"], "Too many attempts.");
        assert_eq!(answer.header("retry-after"), seconds);
        assert!(answer.cookies().is_empty());
    }
}

#[tokio::test]
async fn what_is_wrong_with_which_field_is_beside_the_text() {
    let world = World::new();
    world.stage.fail(|| {
        Error::invalid("INVALID_FIELDS", "Both are required")
            .field("username", "Username is required")
            .field("password", "Password is required")
            .into()
    });
    let answer = world.post("/auth", &[], LOGIN).await;
    assert_error(&answer, 400);
    let fields = json!({ "username": ["Username is required"], "password": ["Password is required"] });
    let (error, code, reason) = ("Both are required", "BAD_USER_INPUT", "INVALID_FIELDS");
    assert_eq!(answer.json(), json!({ "error": error, "code": code, "reason": reason, "fields": fields }));
}

#[tokio::test]
async fn login_tells_auth_who_and_from_where() {
    let world = World::with(|config| config.http.trusted_proxies = 1);
    let agent = "x".repeat(1000);
    world.post("/auth", &[("x-forwarded-for", "6.6.6.6, 203.0.113.9"), ("user-agent", &agent)], LOGIN).await;
    let login = &world.stage.logins()[0];
    assert_eq!((login.address.as_str(), login.user_agent.len()), ("203.0.113.9", 300));

    let direct = World::with(|config| config.http.host = "0.0.0.0".into());
    let mut request =
        http::Request::post("/auth").header("x-forwarded-for", "6.6.6.6").body(LOGIN.into()).unwrap();
    let from: std::net::SocketAddr = "[::ffff:192.0.2.7]:4000".parse().unwrap();
    request.extensions_mut().insert(axum::extract::ConnectInfo(from));
    direct.send(request).await;
    assert_eq!(direct.stage.logins()[0].address, "192.0.2.7");
}

#[tokio::test]
async fn the_token_is_bare_text_or_nothing() {
    let world = World::new();
    let none = world.get("/auth?method=getToken", &[]).await;
    assert_eq!((none.status, none.text().as_str()), (StatusCode::OK, ""));
    assert!(none.header("content-type").starts_with("text/plain"));
    let secret = world.stage.begin(Role::Viewer);
    let cookie = format!("a=b; session={secret}");
    let some = world.get("/auth?method=getToken", &[("cookie", &cookie), ("accept-encoding", "gzip")]).await;
    assert_eq!(some.text().split('.').count(), 3);
    assert!(!some.headers.contains_key("content-encoding"), "a secret is not compressed");
    let unused = world.get("/auth?method=getToken&background=1", &[("cookie", &cookie)]).await;
    assert_eq!(unused.text().split('.').count(), 3);
    let issued = world.stage.calls("issue");
    assert_eq!(issued, ["issue, in background: false", "issue, in background: true"]);
    world.stage.end_all();
    let ended = world.get("/auth?method=getToken", &[("cookie", &cookie)]).await;
    assert_eq!((ended.status, ended.text().as_str()), (StatusCode::OK, ""));
    assert!(ended.cookies().is_empty(), "a sign-in in another tab may have replaced the cookie by now");
    for (kind, status) in [(Kind::Unavailable, 503), (Kind::Internal, 503), (Kind::RateLimited, 503)] {
        world.stage.fail_as(kind);
        let down = world.get("/auth?method=getToken", &[("cookie", &cookie)]).await;
        assert_eq!((down.status.as_u16(), down.text().as_str()), (status, ""));
    }
}

#[tokio::test]
async fn logout_arrives_as_text_and_ends_the_session() {
    let world = World::new();
    let secret = world.stage.begin(Role::Admin);
    let cookie = format!("session={secret}");
    let answer = world.post("/auth", &[TEXT, ("cookie", &cookie)], LOGOUT).await;
    assert_eq!((answer.status, answer.json()), (StatusCode::OK, json!({})));
    let names: Vec<_> = answer.cookies().iter().map(|it| it.split('=').next().unwrap().to_owned()).collect();
    assert_eq!(names, ["__Host-session", "session"]);
    assert!(
        answer
            .cookies()
            .iter()
            .all(|it| it.contains("=;") && it.contains("Max-Age=0") && it.contains("1970"))
    );
    assert!(!world.stage.lives(&secret));
    let nobody = world.post("/auth", &[TEXT], LOGOUT).await;
    assert_eq!(nobody.status, 200);
    world.stage.fail_as(Kind::Unavailable);
    let down = world.post("/auth", &[TEXT, ("cookie", &cookie)], LOGOUT).await;
    assert_error(&down, 503);
    assert_eq!(down.cookies().len(), 2, "this browser is signed out all the same");
}

#[tokio::test]
async fn signing_in_again_ends_the_old_session() {
    let world = World::new();
    let old = world.stage.begin(Role::Admin);
    let cookie = format!("session={old}");
    let answer = world.post("/auth", &[("cookie", &cookie)], LOGIN).await;
    assert_eq!(answer.status, 200);
    assert!(!world.stage.lives(&old));
    assert!(world.stage.lives(&secret_of(&answer)));
    let wrong = LOGIN.replace("correct", "wrong");
    let current = secret_of(&answer);
    let cookie = format!("session={current}");
    world.post("/auth", &[("cookie", &cookie)], wrong).await;
    assert!(world.stage.lives(&current), "a failed sign-in ends nothing");
}

#[tokio::test]
async fn what_is_not_there_is_404_and_json() {
    let world = World::new();
    for body in [
        r#"{"method":"nope"}"#,
        r#"{"method":"getToken"}"#,
        r#"{"method":7}"#,
        "{}",
        r#"{"method":"Login"}"#,
        r#"{"method":"webAuthnRegister"}"#,
    ] {
        assert_error(&world.post("/auth", &[], body).await, 404);
    }
    for path in ["/auth?method=login", "/auth", "/auth?method=getToken&method=x", "/auth?method=gettoken"] {
        assert_error(&world.get(path, &[]).await, 404);
    }
    for method in [Method::PUT, Method::DELETE, Method::PATCH] {
        assert_error(&world.call(method, "/auth", &[], LOGIN).await, 404);
    }
    for body in ["", LOGIN] {
        assert_error(&world.post("/auth?method=getToken", &[], body).await, 404);
        assert_error(&world.post("/auth?method=nope", &[], "").await, 404);
    }
}

/// The client library puts the method into the address, with or without a body.
#[tokio::test]
async fn the_method_may_stand_in_the_query_string() {
    let world = World::new();
    let answer =
        world.post("/auth?method=login", &[], r#"{"username":"maria","password":"correct-horse"}"#).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let cookie = format!("session={}", secret_of(&answer));
    let answer = world.post("/auth?method=logout", &[("cookie", &cookie)], "").await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({})));
    assert_eq!(world.get("/auth?method=getToken", &[("cookie", &cookie)]).await.text(), "");
    // If the method in the address is unknown, the method in the body counts. Requests from other sites are
    // refused in either case.
    assert_eq!(world.post("/auth?method=nope", &[], LOGIN).await.status, 200);
    let cookie = format!("session={}", world.stage.begin(Role::Admin));
    let headers = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
    assert_error(&world.post("/auth?method=logout", &headers, "").await, 403);
}

#[tokio::test]
async fn bodies_that_are_no_object_or_too_large_are_json_errors() {
    let world = World::new();
    assert_error(&world.post("/auth", &[], "").await, 404);
    for body in ["nope", "[]", "null", "\"login\"", "{"] {
        assert_error(&world.post("/auth", &[], body).await, 400);
    }
    let large = format!(r#"{{"method":"login","username":"{}"}}"#, "x".repeat(17_000));
    assert_error(&world.post("/auth", &[], large.clone()).await, 413);
    let chunked = axum::body::Body::from_stream(futures::stream::iter(
        large
            .into_bytes()
            .chunks(1000)
            .map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec()))
            .collect::<Vec<_>>(),
    ));
    assert_error(&world.post("/auth", &[], chunked).await, 413);
}

#[tokio::test]
async fn other_sites_cannot_sign_anybody_in_or_out() {
    const OWN: &str = "http://way.local:8080";
    const FRIEND: &str = "https://app.example.com";
    const EVIL: &str = "https://evil.example";
    let world = World::with(|config| {
        config.http.host = "0.0.0.0".into();
        config.http.allowed_origins = vec![FRIEND.into()];
    });
    let public = World::with(|config| config.http.public_url = "https://way.example/".into());
    for (site, origin, passes) in [
        (None, None, true),
        (Some("same-origin"), None, true),
        (Some("same-origin"), Some(OWN), true),
        (Some("none"), None, true),
        (Some("same-site"), None, false),
        (Some("same-site"), Some(EVIL), false),
        (Some("same-site"), Some(FRIEND), true),
        (Some("cross-site"), None, false),
        (Some("cross-site"), Some(FRIEND), true),
        (Some("cross-site"), Some(EVIL), false),
        (Some("cross-site"), Some(OWN), false),
        (Some("nonsense"), Some(OWN), false),
        (None, Some(OWN), true),
        (None, Some(FRIEND), true),
        (None, Some(EVIL), false),
        (None, Some("null"), false),
        (None, Some("https://way.local:8080"), false),
        (None, Some("http://way.local"), false),
        (None, Some("http://way.local:8080.evil.example"), false),
    ] {
        for body in [LOGIN, LOGOUT] {
            let secret = world.stage.begin(Role::Admin);
            let cookie = format!("session={secret}");
            let mut headers = vec![TEXT, ("host", "way.local:8080"), ("cookie", &cookie)];
            headers.extend(site.map(|site| ("sec-fetch-site", site)));
            headers.extend(origin.map(|origin| ("origin", origin)));
            let answer = world.post("/auth", &headers, body).await;
            assert_eq!(answer.status.as_u16(), if passes { 200 } else { 403 }, "{site:?} {origin:?}");
            assert_eq!(world.stage.lives(&secret), !passes, "{site:?} {origin:?}");
            if !passes {
                assert_error(&answer, 403);
                assert!(answer.cookies().is_empty());
            }
        }
    }
    for (origin, status) in [("https://way.example", 200), ("http://way.example", 403)] {
        let headers = [("host", "10.0.0.3:8080"), ("origin", origin)];
        assert_eq!(public.post("/auth", &headers, LOGIN).await.status.as_u16(), status, "{origin}");
    }
}

#[tokio::test]
async fn browsers_send_the_cookie_from_allowed_origins_of_another_site() {
    for (public_url, origin, same_site) in [
        ("https://way.example", "https://app.example.com", "SameSite=None"),
        ("https://way.example", "https://app.example", "SameSite=None"),
        ("https://way.example", "https://xway.example", "SameSite=None"),
        ("https://way.example", "http://app.way.example", "SameSite=None"),
        ("https://way.example", "https://app.way.example", "SameSite=Lax"),
        ("https://api.way.example", "https://way.example", "SameSite=Lax"),
        ("https://way.example", "https://way.example:8443", "SameSite=Lax"),
        // Browsers refuse SameSite=None over http.
        ("http://way.example", "http://app.example.com", "SameSite=Lax"),
    ] {
        let world = World::with(|config| {
            config.http.public_url = public_url.into();
            config.http.allowed_origins = vec![origin.into()];
        });
        let there = [("origin", origin), ("sec-fetch-site", "cross-site")];
        let answer = world.post("/auth", &there, LOGIN).await;
        let cookie = &answer.cookies()[0];
        assert!(cookie.contains(same_site), "{public_url} {origin}: {cookie}");
        assert_eq!(cookie.ends_with("; Secure"), public_url.starts_with("https:"), "{cookie}");
        let pair = ("cookie", cookie.split(';').next().unwrap());
        let token =
            async |headers: Vec<(&str, &str)>| world.get("/auth?method=getToken", &headers).await.text();
        assert!(!token(vec![pair, there[0], there[1]]).await.is_empty());
        let evil = ("origin", "https://evil.example");
        assert_eq!(token(vec![pair, evil, there[1]]).await, "");
        assert_eq!(token(vec![pair, there[1]]).await, "", "an image, for example");
        let left = world.post("/auth", &[TEXT, pair, there[0], there[1]], LOGOUT).await.cookies();
        let name = pair.1.split('=').next().unwrap();
        let dead = left.iter().find(|it| it.starts_with(&format!("{name}=;"))).unwrap();
        assert!(dead.contains(same_site), "browsers ignore it otherwise: {dead}");
    }
}

#[tokio::test]
async fn installations_at_two_ports_of_a_host_leave_each_others_cookies_alone() {
    const TOKEN: &str = "/auth?method=getToken";
    let at = |port: u16| World::with(|config| config.http.port = port);
    let (one, other) = (at(8080), at(8081));
    let signed_in = one.post("/auth", &[], LOGIN).await;
    let cookie = signed_in.cookies()[0].split(';').next().unwrap().to_owned();
    assert!(cookie.starts_with("session_8080="), "{cookie}");
    let visit = other.get(TOKEN, &[("cookie", &cookie)]).await;
    assert_eq!((visit.text().as_str(), visit.cookies().len()), ("", 0));
    let signed_in = other.post("/auth", &[("cookie", &cookie)], LOGIN).await;
    assert!(signed_in.cookies()[0].starts_with("session_8081="), "{:?}", signed_in.cookies());
    assert!(!one.get(TOKEN, &[("cookie", &cookie)]).await.text().is_empty());

    // Earlier releases had one name for all ports.
    let cookie = format!("session={}", one.stage.begin(Role::Viewer));
    assert!(!one.get(TOKEN, &[("cookie", &cookie)]).await.text().is_empty(), "its session goes on");
    let visit = other.get(TOKEN, &[("cookie", &cookie)]).await;
    assert_eq!((visit.text().as_str(), visit.cookies().len()), ("", 0));
    let both = format!("{cookie}; session_8081=x");
    let left = other.post("/auth", &[TEXT, ("cookie", &both)], LOGOUT).await.cookies();
    assert_eq!(left.len(), 2);
    assert!(left.iter().all(|it| it.contains("session_8081=;")), "{left:?}");
    let left = one.post("/auth", &[TEXT, ("cookie", &cookie)], LOGOUT).await.cookies();
    assert!(left.iter().any(|it| it.starts_with("session=;")), "no cookie is left: {left:?}");

    for (public_url, proxies, name) in [
        ("https://way.example", 0, "__Host-session="),
        ("https://way.example:8443/", 1, "__Host-session_8443="),
        ("http://way.example:9000", 0, "session_9000="),
        ("", 1, "session="),
    ] {
        let world = World::with(|config| {
            config.http.port = 8080;
            config.http.public_url = public_url.into();
            config.http.trusted_proxies = proxies;
        });
        let cookies = world.post("/auth", &[], LOGIN).await.cookies();
        assert!(cookies[0].starts_with(name), "{public_url}: {cookies:?}");
    }
}

#[tokio::test]
async fn what_went_wrong_inside_auth_stays_inside() {
    let world = World::new();
    world.stage.fail(|| Error::internal("password=hunter2").into());
    let answer = world.post("/auth", &[], LOGIN).await;
    assert_error(&answer, 500);
    assert_eq!(answer.json()["error"], "Something went wrong");
    world.stage.heal();
}
