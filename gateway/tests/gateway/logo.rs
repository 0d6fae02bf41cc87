//! The customer's logo: the upload link, publishing, and the logo's address.

use http::Method;
use kit::Role;
use kit::blob::{Key, LINK_TTL, MAX_LOGO_BYTES};
use serde_json::json;

use crate::world::World;

const PNG: &[u8] = b"\x89PNG";
const SVG: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg'/>";

/// Returns the digest that is the name of a logo's file.
fn digest(bytes: &[u8]) -> String {
    hex::encode(ring::digest::digest(&ring::digest::SHA256, bytes))
}

async fn put(world: &World, key: &str, bytes: &'static [u8]) {
    world.blob.put(&Key::parse(key).unwrap(), bytes.into()).await.unwrap();
}

#[tokio::test]
async fn a_link_for_a_logo_is_asked_for_by_name() {
    let world = World::new();
    let bearer = format!("Bearer {}", world.token(Role::Admin));
    let auth = ("authorization", bearer.as_str());
    let body = r#"{"filename":"our logo.svg"}"#;
    let answer = world.post("/request-logo-upload-link", &[auth], body).await;
    assert_eq!(answer.json(), json!({ "ok": true, "url": "/objects/logos/incoming/x?expires=1" }));
    assert_eq!(world.stage.calls("logo link our logo.svg").len(), 1);
    let refused = world.post("/request-logo-upload-link", &[auth], r#"{"filename":"a.gif"}"#).await;
    assert_eq!(refused.status, 400);
    let (code, reason) = ("BAD_USER_INPUT", "FILE_TYPE_INVALID");
    assert_eq!(
        refused.json(),
        json!({ "ok": false, "error": "Invalid file", "code": code, "reason": reason })
    );
    assert_eq!(world.post("/request-logo-upload-link", &[auth], "{}").await.status, 400);
    let planner = format!("Bearer {}", world.token(Role::TransportPlanner));
    for (headers, status) in [(vec![], 401), (vec![("authorization", planner.as_str())], 403)] {
        let answer = world.post("/request-logo-upload-link", &headers, body).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["ok"]), (status, &json!(false)));
    }
    let other_verb = world.call(Method::PUT, "/request-logo-upload-link", &[], "").await;
    assert_eq!((other_verb.status.as_u16(), other_verb.header("allow")), (405, "POST"));
}

#[tokio::test]
async fn the_place_of_a_logo_is_presigned_by_its_own_service() {
    let world = World::new();
    let token = world.token(Role::Admin);
    let presign =
        |url: &str| format!(r#"mutation {{ mutatePresignedUrl(url: "{url}") {{ presignedUrl }} }}"#);
    let answer = world.query(&token, &presign("/objects/logos/incoming/x.png")).await;
    assert_eq!(answer["data"]["mutatePresignedUrl"]["presignedUrl"], "/logo/abc.png");
    assert_eq!(world.stage.calls("publish"), ["publish /objects/logos/incoming/x.png"]);
    for other in
        ["/objects/logo/x", "/objects/LOGOS/x", "/logos/x", "/objects//logos/x", "/objects/logos/../proof/x"]
    {
        let answer = world.query(&token, &presign(other)).await;
        assert_eq!(answer["errors"][0]["extensions"]["code"], "NOT_FOUND", "{other}");
    }
    assert_eq!(world.stage.calls("publish").len(), 1);
    assert!(world.stage.calls("presign").is_empty(), "nothing went to deliveries");
}

#[tokio::test]
async fn a_logo_is_shown_to_everybody_and_can_do_nothing() {
    let world = World::new();
    for (name, bytes, content_type) in [("svg", SVG, "image/svg+xml"), ("png", PNG, "image/png")] {
        let file = format!("{}.{name}", digest(bytes));
        put(&world, &format!("logos/{file}"), bytes).await;
        let path = format!("/logo/{file}");
        let answer = world.get(&path, &[]).await;
        assert_eq!(answer.status, 200);
        for (header, value) in [
            ("content-type", content_type),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
            (
                "content-security-policy",
                "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'",
            ),
        ] {
            assert_eq!(answer.header(header), value, "{header} of {name}");
        }
        assert_eq!(answer.header("content-length"), answer.body.len().to_string());
        let tag = answer.header("etag").to_owned();
        for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
            let again = world.get(&path, &[("if-none-match", &known)]).await;
            assert_eq!((again.status.as_u16(), again.body.len()), (304, 0), "{known}");
            assert_eq!(again.header("etag"), tag);
        }
        assert_eq!(world.get(&path, &[("if-none-match", "\"other\"")]).await.status, 200);
        assert_eq!(world.call(Method::HEAD, &path, &[], "").await.status, 200);
        assert_eq!(world.call(Method::PUT, &path, &[], "x").await.status, 405);
    }
}

#[tokio::test]
async fn nothing_else_is_shown_as_a_logo() {
    let world = World::new();
    let digest = digest(PNG);
    put(&world, &format!("logos/{digest}.png"), PNG).await;
    put(&world, "logos/incoming/x.png", b"secret").await;
    put(&world, "proof/x.png", b"secret").await;
    let upper = digest.to_uppercase();
    for path in [
        format!("/logo/{digest}.svg"),
        format!("/logo/{digest}"),
        format!("/logo/{digest}.jpg"),
        format!("/logo/{digest}.png.svg"),
        format!("/logo/{upper}.png"),
        format!("/logo/{}.png", &digest[1..]),
        format!("/logo/x{digest}.png"),
        format!("/logo/{digest}.png%00"),
        format!("/logo/{digest}.png/x"),
        format!("/logo/%2e%2e%2flogos%2f{digest}.png"),
        "/logo/incoming%2fx.png".to_owned(),
        "/logo/..%2fproof%2fx.png".to_owned(),
        "/logo/".to_owned(),
    ] {
        for headers in [vec![], vec![("if-none-match", "*")]] {
            let answer = world.get(&path, &headers).await;
            assert_eq!(answer.status, 404, "{path}");
            assert!(!answer.text().contains("secret"), "{path}");
        }
    }
}

#[tokio::test]
async fn an_uploaded_logo_has_two_megabytes_at_most() {
    let world = World::new();
    let most = usize::try_from(MAX_LOGO_BYTES).unwrap();
    for (name, size, status) in [("a", most + 1, 413), ("a", most, 200)] {
        let key = Key::parse(&format!("logos/incoming/{name}.png")).unwrap();
        let link = world.blob.presign_put(&key, LINK_TTL, MAX_LOGO_BYTES).await.unwrap();
        assert_eq!(world.call(Method::PUT, &link, &[], "x".repeat(size)).await.status, status, "{size}");
    }
}

/// A picture that is damaged in storage is neither shown nor cached for a year.
#[tokio::test]
async fn a_damaged_logo_is_not_shown() {
    let world = World::new();
    let file = format!("{}.svg", digest(SVG));
    put(&world, &format!("logos/{file}"), b"<svg xmlns='http://www.w3.org/2001/svg'/>").await;
    let answer = world.get(&format!("/logo/{file}"), &[]).await;
    assert_eq!(answer.status, 409, "{}", answer.text());
    assert!(!answer.text().contains("svg"), "{}", answer.text());
    assert!(!answer.header("cache-control").contains("immutable"), "{}", answer.header("cache-control"));
    put(&world, &format!("logos/{file}"), SVG).await;
    assert_eq!(world.get(&format!("/logo/{file}"), &[]).await.status, 200);
}

#[tokio::test]
async fn pages_before_sign_in_find_the_logo_and_nothing_else() {
    let world = World::new();
    let none = world.get("/logo", &[]).await;
    assert_eq!((none.status.as_u16(), none.json()), (200, json!({ "logo": null })), "no address of ours");
    assert_eq!(none.header("cache-control"), "public, max-age=60");

    let file = format!("{}.png", "0a".repeat(32));
    let world = World::new();
    world.stage.office(|it| {
        let value =
            json!({ "url": format!("https://waybill.example/logo/{file}"), "size": 90, "urlObject": "secret" });
        it.values = [("customer-logo-information", value.to_string())].into();
    });
    let found = world.get("/logo", &[]).await.json();
    assert_eq!(
        found,
        json!({ "logo": { "url": format!("/logo/{file}"), "size": 90, "gap": 8, "vertical": 0 } })
    );
}
