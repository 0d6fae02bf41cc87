//! Accounts that people create themselves, where that is allowed.

use kit::config::SignUp;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, Settings, World};
use crate::in_both_shapes;

const POLICY: &str = "query { signUpPolicy }";
const USERS: &str =
    "query { users { id username email roles status createdBy version } usersCount { total } }";
const LIST: &str = "query { deliveries { id } }";
const ME: &str = "query { redwood { currentUser } }";

fn ask(username: &str, password: &str) -> Value {
    json!({
        "method": "signup", "username": username, "email": "ana@example.ph", "password": password,
        "roles": ["admin"], "role": "admin", "status": "active", "version": 9,
    })
}

in_both_shapes!(by_default_nobody_can, |world: World| async move {
    let admin = world.admin().await;
    let mut stranger = world.browser();
    assert_eq!(stranger.data(POLICY, json!({})).await["signUpPolicy"], "off");
    let (status, body) = stranger.auth(ask("ana", PASSWORD)).await;
    assert_eq!((status, &body["error"]), (StatusCode::BAD_REQUEST, &json!("Signup flow is not enabled")));
    assert_eq!(admin.data(USERS, json!({})).await["usersCount"]["total"], 1);
    world
});

in_both_shapes!(
    an_account_of_ones_own_making_has_no_role_until_an_admin_gives_one,
    |it: &mut Settings| it.config.auth.sign_up = SignUp::Pending,
    |world: World| async move {
        let admin = world.admin().await;
        let mut ana = world.browser();
        assert_eq!(ana.data(POLICY, json!({})).await["signUpPolicy"], "pending");
        let made = ana.auth(ask("Ana", PASSWORD)).await;
        assert_eq!(made.0, StatusCode::CREATED, "{}", made.1);
        assert_eq!(made.1.as_object().unwrap().keys().collect::<Vec<_>>(), ["message"]);
        assert_eq!(ana.cookie, None, "it signs nobody in");
        // A name that is taken, in any spelling, gets the same response.
        for taken in ["ana", "ADMIN"] {
            assert_eq!(ana.auth(ask(taken, "another-long-password")).await, made, "{taken}");
        }
        let weak = ana.auth(ask("ben", "short")).await;
        assert_eq!(weak.0, StatusCode::BAD_REQUEST);
        assert!(weak.1["fields"]["password"].is_array(), "{}", weak.1);
        let taken = ana.auth(ask("admin", "short")).await;
        assert_eq!(taken, weak, "what is wrong is told before anything about the name");

        let users = admin.data(USERS, json!({})).await;
        assert_eq!(users["usersCount"]["total"], 2);
        let list = users["users"].as_array().unwrap();
        let account = list.iter().find(|it| it["username"] == "Ana").unwrap().clone();
        assert_eq!((&account["roles"], &account["status"]), (&json!([]), &json!("active")));
        assert_eq!((&account["version"], &account["email"]), (&json!(1), &json!("ana@example.ph")));

        // The first password is the one that counts, and it gives no access yet.
        ana.sign_in("ana", PASSWORD).await;
        assert_eq!(ana.data(ME, json!({})).await["redwood"]["currentUser"]["roles"], json!([]));
        assert_eq!(ana.refused(LIST, json!({})).await.0, "FORBIDDEN");
        let grant = "mutation M($input: UpdateUserRolesInput!) { updateUserRoles(input: $input) { roles } }";
        let version = admin.data(USERS, json!({})).await["users"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["id"] == account["id"])
            .unwrap()["version"]
            .clone();
        let input = json!({ "id": account["id"], "version": version, "roles": ["viewer"] });
        admin.data(grant, json!({ "input": input })).await;
        assert_eq!(ana.refused(LIST, json!({})).await.0, "UNAUTHENTICATED", "new roles, new session");
        ana.sign_in("ana", PASSWORD).await;
        ana.data(LIST, json!({})).await;
        world
    }
);
