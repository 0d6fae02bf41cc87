//! What admins do to accounts: how it affects sessions, and how it is recorded.

use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{PASSWORD, Settings, World};
use crate::in_both_shapes;

const LIST: &str = "query { deliveries { id } }";
const ME: &str = "query { redwood { currentUser } }";
const ROLES: &str =
    "mutation M($input: UpdateUserRolesInput!) { updateUserRoles(input: $input) { id roles version } }";
const STATUS: &str =
    "mutation M($input: UpdateUserStatusInput!) { updateUserStatus(input: $input) { id status version } }";
const USER: &str = "query Q($id: String!) { user(id: $id) { id username displayName email roles status version \
                    createdBy updatedBy lastLoginAt sessions { id address isCurrent } } }";

async fn user(admin: &Browser, id: &str) -> Value {
    admin.data(USER, json!({ "id": id })).await["user"].clone()
}

async fn own_id(browser: &Browser) -> String {
    browser.data(ME, json!({})).await["redwood"]["currentUser"]["id"].as_str().unwrap().to_owned()
}

async fn with_roles(admin: &Browser, id: &str, roles: &[&str]) -> Value {
    let version = user(admin, id).await["version"].clone();
    json!({ "input": { "id": id, "version": version, "roles": roles } })
}

async fn with_status(admin: &Browser, id: &str, status: &str) -> Value {
    let version = user(admin, id).await["version"].clone();
    json!({ "input": { "id": id, "version": version, "status": status } })
}

/// Asserts that the first request after a change is refused, even with a copy of the token and of the cookie.
async fn assert_out(browser: &Browser, after: &str) {
    assert_eq!(browser.refused(LIST, json!({})).await.0, "UNAUTHENTICATED", "a token after {after}");
    assert_eq!(browser.fetch_token().await, "", "a cookie after {after}");
}

in_both_shapes!(sessions_end_before_the_answer_to_what_ends_them, |world: World| async move {
    let admin = world.admin().await;
    let maria = admin.signed_in_user("maria", &["viewer"]).await;
    let id = own_id(&maria).await;
    let fresh = || async {
        let mut browser = world.browser();
        browser.sign_in("maria", PASSWORD).await;
        // The gateway has just checked this session, and caches it.
        browser.data(LIST, json!({})).await;
        browser
    };

    let (one, two) = (fresh().await, fresh().await);
    let vars = with_roles(&admin, &id, &["dispatcher"]).await;
    assert_eq!(admin.data(ROLES, vars).await["updateUserRoles"]["roles"], json!(["dispatcher"]));
    assert_out(&one, "a change of roles").await;
    assert_out(&two, "a change of roles").await;

    let three = fresh().await;
    let end = "mutation M($id: String!) { endUserSessions(input: { userId: $id }) { count } }";
    assert_eq!(admin.data(end, json!({ "id": id })).await["endUserSessions"]["count"], 1);
    assert_out(&three, "ending all of them").await;

    let (four, five) = (fresh().await, fresh().await);
    let sessions = user(&admin, &id).await["sessions"].as_array().unwrap().clone();
    assert_eq!(sessions.len(), 2);
    assert!(sessions.iter().all(|it| it["isCurrent"] == false));
    let end = "mutation M($id: String!) { endSession(input: { id: $id }) { count } }";
    for session in &sessions {
        assert_eq!(admin.data(end, json!({ "id": session["id"] })).await["endSession"]["count"], 1);
    }
    assert_out(&four, "ending one").await;
    assert_out(&five, "ending one").await;

    let six = fresh().await;
    let vars = with_status(&admin, &id, "disabled").await;
    assert_eq!(admin.data(STATUS, vars).await["updateUserStatus"]["status"], "disabled");
    assert_out(&six, "disabling").await;
    let login = json!({ "method": "login", "username": "maria", "password": PASSWORD });
    let refused = world.browser().auth(login.clone()).await;
    let unknown = json!({ "method": "login", "username": "nobody", "password": PASSWORD });
    assert_eq!(refused, world.browser().auth(unknown).await, "a disabled account looks like none");
    let vars = with_status(&admin, &id, "active").await;
    admin.data(STATUS, vars).await;
    let back = fresh().await;
    assert_eq!(back.data(ME, json!({})).await["redwood"]["currentUser"]["roles"], json!(["dispatcher"]));
    admin.data(LIST, json!({})).await;
    world
});

/// Another gateway may accept an ended session for at most a second.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_gateway_knows_within_a_second_which_sessions_ended() {
    let mut world = World::split().await;
    let elsewhere = world.second_gateway().await;
    let admin = world.admin().await;
    let mut maria = admin.signed_in_user("maria", &["viewer"]).await;
    let id = own_id(&maria).await;
    maria.base = elsewhere;
    maria.data(LIST, json!({})).await;
    let asking = tokio::spawn(async move {
        let mut good = Instant::now();
        loop {
            let begun = Instant::now();
            if maria.graphql(LIST, json!({})).await.get("errors").is_some() {
                return (good, maria);
            }
            good = begun;
        }
    });
    let end = "mutation M($id: String!) { endUserSessions(input: { userId: $id }) { count } }";
    assert_eq!(admin.data(end, json!({ "id": id })).await["endUserSessions"]["count"], 1);
    let answered = Instant::now();
    let (good, maria) = asking.await.unwrap();
    let late = good.saturating_duration_since(answered);
    assert!(late <= Duration::from_secs(1), "a request was let in {late:?} after the answer");
    assert_out(&maria, "ending all of them").await;
    world.stop().await;
}

in_both_shapes!(there_is_always_an_admin, |world: World| async move {
    let admin = world.admin().await;
    let own = own_id(&admin).await;
    let refused = |vars: Value, mutation: &'static str| {
        let admin = admin.clone();
        async move { admin.refused(mutation, vars).await.0 }
    };
    assert_eq!(refused(with_roles(&admin, &own, &["viewer"]).await, ROLES).await, "FAILED_PRECONDITION");
    assert_eq!(refused(with_status(&admin, &own, "disabled").await, STATUS).await, "FAILED_PRECONDITION");
    // Even with a second admin, the first cannot take away their own role or disable their own account.
    let second = admin.signed_in_user("berta", &["admin"]).await;
    let other = own_id(&second).await;
    assert_eq!(refused(with_roles(&admin, &own, &[]).await, ROLES).await, "FAILED_PRECONDITION");
    assert_eq!(refused(with_status(&admin, &own, "disabled").await, STATUS).await, "FAILED_PRECONDITION");
    // Adding roles is allowed.
    let vars = with_roles(&second, &own, &["admin", "dispatcher"]).await;
    second.data(ROLES, vars).await;
    let mut admin = world.browser();
    admin.sign_in("admin", PASSWORD).await;

    // Two admins act at the same moment: one takes away the other's roles, and the other disables the first
    // one's account. Only one of the changes is accepted.
    let (first, last) = (with_roles(&admin, &other, &[]).await, with_status(&second, &own, "disabled").await);
    let answers = join_all([admin.graphql(ROLES, first), second.graphql(STATUS, last)]).await;
    let done = answers.iter().filter(|it| it.get("errors").is_none()).count();
    assert_eq!(done, 1, "{answers:?}");
    let mut left = Vec::new();
    for name in ["admin", "berta"] {
        let mut browser = world.browser();
        let login = json!({ "method": "login", "username": name, "password": PASSWORD });
        if browser.auth(login).await.0 == 200 {
            browser.token = Some(browser.fetch_token().await);
            let me = browser.data(ME, json!({})).await["redwood"]["currentUser"].clone();
            left.extend(me["roles"].as_array().unwrap().contains(&json!("admin")).then_some(name));
        }
    }
    assert_eq!(left.len(), 1, "{left:?}");
    world
});

in_both_shapes!(accounts_are_made_changed_and_found, |world: World| async move {
    let admin = world.admin().await;
    let create = "mutation M($input: CreateUserInput!) { createUser(input: $input) { id username displayName email \
                  roles status version createdBy lastLoginAt } }";
    let input = json!({
        "username": " Maria ", "displayName": "Maria Clara", "email": "maria@example.ph",
        "roles": ["viewer", "dispatcher", "viewer"],
    });
    let made = admin.data(create, json!({ "input": input })).await["createUser"].clone();
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!((&made["username"], &made["displayName"]), (&json!("Maria"), &json!("Maria Clara")));
    assert_eq!((&made["status"], &made["createdBy"]), (&json!("invited"), &json!("admin")));
    assert_eq!((&made["roles"], &made["lastLoginAt"]), (&json!(["dispatcher", "viewer"]), &Value::Null));
    for (input, field) in [
        (json!({ "username": "MARIA", "email": "m@example.ph", "roles": [] }), "username"),
        (json!({ "username": "", "email": "m@example.ph", "roles": [] }), "username"),
        (json!({ "username": "ben", "email": "nowhere", "roles": [] }), "email"),
        (json!({ "username": "ben", "email": "b@example.ph", "roles": ["driver"] }), "roles"),
        (json!({ "username": "ben", "email": "b@example.ph", "roles": ["root"] }), "roles"),
    ] {
        let answer = admin.graphql(create, json!({ "input": input })).await;
        let extensions = &answer["errors"][0]["extensions"];
        assert_eq!(extensions["code"], "BAD_USER_INPUT", "{answer}");
        assert!(extensions["properties"]["messages"][field].is_array(), "{answer}");
    }
    // Nobody can sign in to an account without a password, whatever password they try.
    for password in ["", PASSWORD] {
        let login = json!({ "method": "login", "username": "maria", "password": password });
        assert_eq!(world.browser().auth(login).await.0, 400);
    }

    let update =
        "mutation M($input: UpdateUserInput!) { updateUser(input: $input) { displayName email version } }";
    let input = json!({ "id": id, "version": made["version"], "displayName": "", "email": "mc@example.ph" });
    let changed = admin.data(update, json!({ "input": input.clone() })).await["updateUser"].clone();
    assert_eq!((&changed["displayName"], &changed["email"]), (&Value::Null, &json!("mc@example.ph")));
    assert_eq!(changed["version"].as_u64(), made["version"].as_u64().map(|it| it + 1));
    for (mutation, input) in [
        (update, input),
        (ROLES, json!({ "id": id, "version": made["version"], "roles": [] })),
        (STATUS, json!({ "id": id, "version": made["version"], "status": "disabled" })),
    ] {
        let (code, reason) = admin.refused(mutation, json!({ "input": input })).await;
        assert_eq!(code, "FAILED_PRECONDITION", "{reason}: read before the last change");
    }

    let find = "query Q($page: PageOptions, $where: [Filter!]) { users(page: $page) { username } \
                usersCount(where: $where) { total exact } }";
    for (key, operator, value, expected) in [
        ("username", "contains", "AR", json!(["Maria"])),
        ("email", "contains", "mc@", json!(["Maria"])),
        ("role", "equals", "admin", json!(["admin"])),
        ("status", "equals", "invited", json!(["Maria"])),
    ] {
        let filter = json!([{ "key": key, "operator": operator, "values": [value] }]);
        let page = json!({ "where": filter, "sort": [{ "key": "username", "direction": "asc" }] });
        let found = admin.data(find, json!({ "page": page, "where": filter })).await;
        let names: Vec<_> =
            found["users"].as_array().unwrap().iter().map(|it| it["username"].clone()).collect();
        assert_eq!((json!(names), &found["usersCount"]["total"]), (expected, &json!(1)), "{key}");
    }
    world
});

in_both_shapes!(
    each_privileged_act_leaves_one_entry,
    |it: &mut Settings| it.config.http.trusted_proxies = 1,
    |world: World| async move {
        let admin = world.admin().await.at("203.0.113.9");
        let maria = admin.signed_in_user("maria", &["viewer"]).await;
        let id = own_id(&maria).await;
        let vars = with_roles(&admin, &id, &["dispatcher"]).await;
        admin.data(ROLES, vars.clone()).await;
        // The refused change has no effect, and leaves no entry.
        assert_eq!(admin.refused(ROLES, vars).await.0, "FAILED_PRECONDITION");
        let vars = with_status(&admin, &id, "disabled").await;
        admin.data(STATUS, vars).await;

        let query = "query Q($page: PageOptions) { auditEntries(page: $page) { at actor address action entity entityId \
                     entityName before after requestId } auditEntriesCount { total } }";
        let entries = admin.data(query, json!({})).await;
        let list = entries["auditEntries"].as_array().unwrap();
        let acts: Vec<_> = list.iter().rev().map(|it| it["action"].as_str().unwrap()).collect();
        assert_eq!(
            acts,
            [
                "admin.created",
                "user.created",
                "user.reset_link_created",
                "user.password_reset",
                "user.roles_changed",
                "user.status_changed"
            ]
        );
        assert_eq!(entries["auditEntriesCount"]["total"], 6);
        let changed = &list[1];
        assert_eq!((&changed["actor"], &changed["address"]), (&json!("admin"), &json!("203.0.113.9")));
        assert_eq!((&changed["entity"], &changed["entityName"]), (&json!("user"), &json!("maria")));
        assert_eq!(changed["entityId"], id.as_str());
        assert_eq!(changed["before"], json!({ "roles": ["viewer"] }));
        assert_eq!(changed["after"], json!({ "roles": ["dispatcher"] }));
        let reset = &list[2];
        assert_eq!((&reset["actor"], &reset["address"]), (&json!("maria"), &json!("203.0.113.9")));
        for secret in [PASSWORD, "argon2", "resetToken"] {
            assert!(!entries.to_string().contains(secret), "{secret}");
        }
        // The screen's filters find the entries.
        let filter = json!([{ "key": "action", "operator": "equals", "values": ["user.roles_changed"] }]);
        let found = admin.data(query, json!({ "page": { "where": filter } })).await;
        assert_eq!(found["auditEntries"].as_array().unwrap().len(), 1);

        // Nobody else can read the entries.
        let dina = admin.signed_in_user("dina", &["transport_planner", "dispatcher", "viewer"]).await;
        assert_eq!(dina.refused(query, json!({})).await.0, "FORBIDDEN");
        world
    }
);
