//! The delivery form as PDF.

use kit::{Kind, Role};
use proto::deliveries::v1::{FormPart, Paper, RenderFormRequest};
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn a_form_is_shown_and_kept_nowhere() {
    let world = World::new();
    let bearer = format!("Bearer {}", world.token(Role::Viewer));
    let auth = [("authorization", bearer.as_str())];
    let answer = world.get("/delivery-forms/D-1.pdf?formVersion=2&paper=letter", &auth).await;
    assert_eq!(answer.status, 200);
    assert!(
        answer.body.starts_with(b"%PDF-") && answer.body.len() > 6 << 20,
        "more than four mebibytes come"
    );
    assert_eq!(answer.header("content-type"), "application/pdf");
    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert_eq!(answer.header("content-disposition"), "inline; filename=\"form-D-1.pdf\"");
    let asked = world.stage.asked::<RenderFormRequest>();
    assert_eq!((asked.delivery_id.as_str(), asked.form_version, asked.paper()), ("D-1", 2, Paper::Letter));
    assert!(asked.without.is_empty());
    world.get("/delivery-forms/D-1.pdf?without=photos,notes", &auth).await;
    let asked = world.stage.asked::<RenderFormRequest>();
    assert_eq!(asked.without().collect::<Vec<_>>(), [FormPart::Photos, FormPart::Notes]);
    world.get("/delivery-forms/D-1.pdf", &auth).await;
    let asked = world.stage.asked::<RenderFormRequest>();
    assert_eq!((asked.form_version, asked.paper()), (0, Paper::A4));
}

#[tokio::test]
async fn names_with_slashes_spaces_and_percent_signs_arrive() {
    let world = World::new();
    let bearer = format!("Bearer {}", world.token(Role::Viewer));
    let auth = [("authorization", bearer.as_str())];
    for (path, id) in [
        ("A%2FB%20100%25.pdf", "A/B 100%"),
        ("A%252FB.pdf", "A%2FB"),
        ("a.pdf.pdf", "a.pdf"),
        ("%C3%B1%2B.pdf", "ñ+"),
        ("a+b.pdf", "a+b"),
        ("..%2F..%2Fx.pdf", "../../x"),
    ] {
        let answer = world.get(&format!("/delivery-forms/{path}"), &auth).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.header("content-type"));
        assert_eq!(world.stage.asked::<RenderFormRequest>().delivery_id, id);
        let name = answer.header("content-disposition");
        let (plain, whole) = name.split_once("; filename*=").unwrap_or((name, ""));
        assert!(plain.is_ascii() && !plain.contains(['/', '\\', '%', '\n']), "{name}");
        assert_eq!(whole.is_empty(), !id.contains(['ñ', '+', ' ', '%']), "{name}");
    }
    for path in ["D-1", "D-1.html", "%FF.pdf", "a/b.pdf", ".pdf", ""] {
        let answer = world.get(&format!("/delivery-forms/{path}"), &auth).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (404, &json!("NOT_FOUND")), "{path}");
    }
}

#[tokio::test]
async fn the_bearer_alone_opens_a_form() {
    let world = World::new();
    let cookie = format!("session={}", world.stage.begin(Role::Admin));
    let driver = format!("Bearer {}", world.token(Role::Driver));
    for (headers, status) in [
        (vec![], 401),
        (vec![("cookie", cookie.as_str())], 401),
        (vec![("authorization", "Bearer nonsense")], 401),
        (vec![("authorization", driver.as_str())], 403),
    ] {
        let answer = world.get("/delivery-forms/D-1.pdf", &headers).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["ok"]), (status, &json!(false)));
    }
    let bearer = format!("Bearer {}", world.token(Role::Viewer));
    let auth = [("authorization", bearer.as_str())];
    for (path, status) in [
        ("none.pdf", 404),
        ("D-1.pdf?formVersion=0", 404),
        ("D-1.pdf?formVersion=-1", 400),
        ("D-1.pdf?paper=a5", 400),
        ("D-1.pdf?without=prices", 400),
    ] {
        assert_eq!(world.get(&format!("/delivery-forms/{path}"), &auth).await.status, status, "{path}");
    }
    let head = world.call(http::Method::HEAD, "/delivery-forms/D-1.pdf", &auth, "").await;
    assert_eq!(head.status, 404, "nobody gets the form");
    let post = world.post("/delivery-forms/D-1.pdf", &auth, "").await;
    assert_eq!((post.status.as_u16(), post.header("allow")), (405, "GET"));
    world.stage.fail_as(Kind::Unavailable);
    assert_eq!(world.get("/delivery-forms/D-1.pdf", &auth).await.status, 503);
}
