//! The HTTP endpoints that the upload screen calls.

use kit::{Kind, Role};
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn a_link_is_asked_for_by_name() {
    let world = World::new();
    let bearer = format!("Bearer {}", world.token(Role::Dispatcher));
    let auth = ("authorization", bearer.as_str());
    let body = r#"{"filename":"a b.csv"}"#;
    for (path, headers, body) in [
        ("/request-upload-link", vec![auth, ("content-type", "application/json")], body),
        ("/request-upload-link", vec![auth, ("content-type", "text/plain")], body),
        ("/request-upload-link?filename=a%20b.csv", vec![auth], ""),
    ] {
        let answer = world.post(path, &headers, body).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json(), json!({ "ok": true, "url": "/objects/imports/x?expires=1" }));
    }
    assert_eq!(world.stage.calls("link a b.csv").len(), 3);
    for body in ["", "{}", r#"{"filename":7}"#, "["] {
        let answer = world.post("/request-upload-link", &[auth], body).await;
        assert_eq!(answer.status, 400);
        assert_eq!((&answer.json()["ok"], &answer.json()["code"]), (&json!(false), &json!("BAD_USER_INPUT")));
    }
    let answer = world.post("/request-upload-link", &[auth], "x".repeat(20_000)).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["ok"]), (413, &json!(false)));
}

#[tokio::test]
async fn an_import_answers_its_log() {
    let world = World::new();
    let bearer = format!("Bearer {}", world.token(Role::Dispatcher));
    let path = "/upload-deliveries?url=%2Fobjects%2Fimports%2Fx&filename=a%26b.csv&sourceId=src";
    let answer = world.post(path, &[("authorization", &bearer)], "").await;
    assert_eq!(answer.json(), json!({ "ok": true, "uploadLog": "log-1" }));
    assert_eq!(world.stage.calls("import"), ["import /objects/imports/x a&b.csv src"]);
    let check = format!("{path}&mode=create_only&dryRun=true");
    world.post(&check, &[("authorization", &bearer), ("idempotency-key", "k-1")], "").await;
    assert_eq!(world.stage.calls("import")[1], "import /objects/imports/x a&b.csv src check k-1");
    world.post(&format!("{path}&chooseColumns=true"), &[("authorization", &bearer)], "").await;
    assert_eq!(world.stage.calls("import")[2], "import /objects/imports/x a&b.csv src columns");
    let reused = world.post(path, &[("authorization", &bearer), ("idempotency-key", "used")], "").await;
    assert_eq!((reused.status.as_u16(), &reused.json()["ok"]), (422, &json!(false)));
    for (wrong, text) in [
        ("mode=replace", "mode must be upsert, create_only or skip_existing"),
        ("dryRun=1", "dryRun must be true or false"),
        ("chooseColumns=yes", "chooseColumns must be true or false"),
        ("url=twice", "Name each parameter once"),
    ] {
        let refused = world.post(&format!("{path}&{wrong}"), &[("authorization", &bearer)], "").await;
        assert_eq!((refused.status.as_u16(), &refused.json()["error"]), (400, &json!(text)), "{wrong}");
    }
    let page = world.get(path, &[]).await;
    assert!(page.header("content-type").starts_with("text/html"), "a GET is the page");
}

#[tokio::test]
async fn an_undo_answers_counts_or_its_log() {
    let world = World::new();
    let bearer = format!("Bearer {}", world.token(Role::Dispatcher));
    let path = "/undo-uploaded-deliveries?uploadLog=log-1";
    let answer = world.post(&format!("{path}&dryRun=true"), &[("authorization", &bearer)], "").await;
    let counts = json!({ "ok": true, "uploadLog": "log-1", "dryRun": true, "reversed": 5, "kept": 2, "failed": 1, "total": 8 });
    assert_eq!(answer.json(), counts);
    let answer = world.post(path, &[("authorization", &bearer), ("idempotency-key", "k-1")], "").await;
    assert_eq!(answer.json(), json!({ "ok": true, "uploadLog": "log-1" }));
    assert_eq!(world.stage.calls("undo"), ["undo log-1 k-1"]);
    let wrong = world.post(&format!("{path}&dryRun=1"), &[("authorization", &bearer)], "").await;
    assert_eq!(
        (wrong.status.as_u16(), &wrong.json()["error"]),
        (400, &json!("dryRun must be true or false"))
    );
}

#[tokio::test]
async fn refusals_and_failures_have_one_shape() {
    let world = World::new();
    let token = world.token(Role::Dispatcher);
    let bearer = format!("Bearer {token}");
    let driver = format!("Bearer {}", world.token(Role::Driver));
    let paths = ["/request-upload-link?filename=a", "/upload-deliveries?url=/objects/a&filename=b"];
    for path in paths {
        for (headers, status, code) in [
            (vec![], 401, "UNAUTHENTICATED"),
            (vec![("authorization", "Bearer nonsense")], 401, "UNAUTHENTICATED"),
            (vec![("authorization", driver.as_str())], 403, "FORBIDDEN"),
        ] {
            let answer = world.post(path, &headers, "").await;
            assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (status, &json!(code)));
            assert_eq!(answer.json()["ok"], false);
        }
        for (kind, status) in [
            (Kind::InvalidInput, 400),
            (Kind::NotFound, 404),
            (Kind::AlreadyExists, 409),
            (Kind::RateLimited, 429),
            (Kind::Unavailable, 503),
            (Kind::Internal, 500),
        ] {
            world.stage.heal();
            world.query(&token, "{ redwood { currentUser } }").await;
            world.stage.fail_as(kind);
            let answer = world.post(path, &[("authorization", &bearer)], "").await;
            assert_eq!((answer.status.as_u16(), &answer.json()["ok"]), (status, &json!(false)));
            assert!(!answer.text().contains("inner"));
        }
        world.stage.heal();
    }
    assert_eq!(world.get("/request-upload-link", &[]).await.status, 404);
    assert_eq!(world.call(http::Method::PUT, "/upload-deliveries", &[], "").await.json()["ok"], false);
}
