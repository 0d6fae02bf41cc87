//! The first account, signing in and out.

use reqwest::StatusCode;
use serde_json::json;

use crate::harness::{PASSWORD, World};
use crate::in_both_shapes;

const ME: &str = "query { redwood { currentUser } }";
const LIST: &str = "query { deliveries { id } }";

in_both_shapes!(the_first_admin_signs_in_and_out, |world: World| async move {
    let mut browser = world.browser();
    let needed = browser.data("query { adminNeeded { needed setupTokenNeeded } }", json!({})).await;
    assert_eq!(needed["adminNeeded"], json!({ "needed": true, "setupTokenNeeded": false }));
    assert_eq!(browser.fetch_token().await, "");
    assert_eq!(browser.data(ME, json!({})).await["redwood"]["currentUser"], json!(null));

    browser.create_admin("Maria", PASSWORD).await;
    let again = json!({ "input": { "username": "eve", "email": "e@example.ph", "password": PASSWORD } });
    let create = "mutation M($input: CreateAdminInput!) { createAdmin(input: $input) { id } }";
    assert_eq!(browser.refused(create, again).await, ("FAILED_PRECONDITION".into(), "ADMIN_EXISTS".into()));

    browser.sign_in("maria", PASSWORD).await;
    let me = browser.data(ME, json!({})).await["redwood"]["currentUser"].clone();
    assert_eq!(me["username"], "Maria");
    assert_eq!(me["roles"], json!(["admin"]));
    assert_eq!(me["organization"]["timezone"], "Asia/Manila");
    browser.data(LIST, json!({})).await;

    // Copies of everything that a thief could have stolen.
    let copied = browser.clone();
    let (status, _) = browser.auth(json!({ "method": "logout" })).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(browser.cookie, None);
    assert_eq!(copied.fetch_token().await, "", "a copied cookie is dead");
    assert_eq!(copied.refused(LIST, json!({})).await.0, "UNAUTHENTICATED", "a copied token is dead at once");
    assert_eq!(copied.data(ME, json!({})).await["redwood"]["currentUser"], json!(null));
    world
});

in_both_shapes!(a_wrong_password_and_an_unknown_name_are_one_answer, |world: World| async move {
    let mut browser = world.browser();
    browser.create_admin("maria", PASSWORD).await;
    let known =
        browser.auth(json!({ "method": "login", "username": "maria", "password": "not-the-password" })).await;
    let unknown = browser
        .auth(json!({ "method": "login", "username": "nobody", "password": "not-the-password" }))
        .await;
    assert_eq!(known, unknown);
    assert_eq!(known.0, StatusCode::BAD_REQUEST);
    assert!(known.1["error"].is_string());
    assert_eq!(browser.cookie, None);
    world
});

in_both_shapes!(two_first_admins_at_once_are_one, |world: World| async move {
    let create = "mutation M($input: CreateAdminInput!) { createAdmin(input: $input) { id } }";
    let tries = (0..8).map(|at| {
        let browser = world.browser();
        async move {
            let input =
                json!({ "username": format!("admin{at}"), "email": "a@example.ph", "password": PASSWORD });
            browser.graphql(create, json!({ "input": input })).await.get("errors").is_none()
        }
    });
    let made = futures::future::join_all(tries).await.into_iter().filter(|it| *it).count();
    assert_eq!(made, 1);
    world
});
