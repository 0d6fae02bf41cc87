//! Reports of other systems by HTTP: who may send them, under which key, and what each response means.

use http::{Method, Request};

use crate::world::{Answer, World};

async fn report(world: &World, token: &str, key: Option<&str>, body: &str) -> Answer {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("authorization", bearer.as_str())];
    headers.extend(key.map(|key| ("idempotency-key", key)));
    world.call(Method::POST, "/intake/v1/dead-letters", &headers, body.to_owned()).await
}

#[tokio::test]
async fn a_report_is_answered_by_what_became_of_it() {
    let world = World::new();
    let new = report(&world, "wbp_good", Some("k-1"), "{\"a\":1}").await;
    assert_eq!((new.status.as_u16(), &new.json()["repeated"]), (201, &false.into()));
    let again = report(&world, "wbp_good", Some("again"), "{\"a\":1}").await;
    assert_eq!((again.status.as_u16(), &again.json()["id"]), (200, &"L-1".into()));
    let malformed = report(&world, "wbp_good", None, "{}").await;
    assert_eq!(malformed.status, 422);
    assert_eq!(malformed.json()["fields"]["deliveryId"][0], "Delivery Doc is required");
    for token in ["wbp_other", ""] {
        let refused = report(&world, token, Some("k-1"), "{}").await;
        assert_eq!(refused.status, 401);
        assert_eq!(refused.json()["error"], "The token doesn't belong to an active producer.");
    }
    // The deliveries service refuses an invalid key, and stores the content.
    for key in [&[b'x'; 201][..], b"k\xff"] {
        let ask = Request::post("/intake/v1/dead-letters").header("idempotency-key", key);
        let ask = ask.header("authorization", "Bearer wbp_good").body("{\"a\":1}".into()).unwrap();
        let refused = world.send(ask).await;
        assert_eq!((refused.status.as_u16(), refused.json()["fields"]["id"].is_array()), (422, true));
    }
    assert_eq!(report(&world, "wbp_good", Some(""), "{\"a\":1}").await.status, 201, "as without a key");
    let large = report(&world, "wbp_good", Some("k-2"), &"x".repeat((512 << 10) + 1)).await;
    assert_eq!(large.status, 413);
    let read = world.get("/intake/v1/dead-letters", &[]).await;
    assert_eq!(read.status, 404, "nothing is read here");
}
