//! The caller's own account, and the management of other accounts, in GraphQL.

use std::time::Duration;

use kit::testing::Log;
use kit::{Error, Role};
use serde_json::{Value, json};

use crate::stand_ins::RESET_TOKEN;
use crate::world::{World, first_error};

const GUARDED: &str = "{ deliveriesCount { total } }";
const USER: &str = "id username displayName email roles status lastLoginAt createdAt createdBy updatedAt \
                    updatedBy version";

async fn ask(world: &World, token: &str, query: &str, variables: Value) -> Value {
    let answer = world.graphql(token, json!({ "query": query, "variables": variables })).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.cookies().is_empty());
    answer.json()
}

fn maria() -> Value {
    json!({
        "id": "u1", "username": "maria", "displayName": "Maria Clara", "email": "maria@example.com",
        "roles": ["admin"], "status": "active", "lastLoginAt": "1970-01-01T00:00:03Z",
        "createdAt": "1970-01-01T00:00:01Z", "createdBy": "system:auth",
        "updatedAt": "1970-01-01T00:00:02Z", "updatedBy": "admin", "version": 7,
    })
}

#[tokio::test]
async fn accounts_come_out_whole() {
    let world = World::new();
    let admin = world.token(Role::Admin);
    let page = json!({ "limit": 5, "sort": [{ "key": "username", "direction": "asc" }] });
    let query = format!(
        "query Q($page: PageOptions) {{ users(page: $page) {{ {USER} }} usersCount {{ total exact }} }}"
    );
    let answer = ask(&world, &admin, &query, json!({ "page": page })).await;
    let users = answer["data"]["users"].as_array().unwrap();
    assert_eq!(users[0], maria());
    let invited = json!({ "username": "ana", "displayName": null, "status": "invited", "lastLoginAt": null, "roles": [] });
    for (name, value) in invited.as_object().unwrap() {
        assert_eq!(&users[1][name], value, "{name}");
    }
    assert_eq!(answer["data"]["usersCount"], json!({ "total": 2, "exact": true }));
    let asked = world.stage.last_page();
    assert_eq!((asked.limit, asked.sort[0].key.as_str()), (5, "username"));

    let query = format!("query Q($id: String!) {{ user(id: $id) {{ {USER} }} }}");
    assert_eq!(ask(&world, &admin, &query, json!({ "id": "u1" })).await["data"]["user"], maria());
    let none = ask(&world, &admin, &query, json!({ "id": "u5" })).await;
    assert_eq!(none, json!({ "data": { "user": null } }));
    let strange = ask(&world, &admin, &query, json!({ "id": "u9" })).await;
    assert_eq!(first_error(&strange).0, "INTERNAL", "a status nobody knows is not guessed at");
}

#[tokio::test]
async fn an_account_brings_its_sessions() {
    let world = World::new();
    let secret = world.stage.begin(Role::Admin);
    let token = world.stage.token_of(&secret).unwrap();
    world.stage.begin(Role::Admin);
    let fields = "id createdAt lastUsedAt expiresAt address userAgent isCurrent";
    let query = format!("{{ user(id: \"u1\") {{ sessions {{ {fields} }} }} mySessions {{ {fields} }} }}");
    let answer = world.query(&token, &query).await;
    for sessions in [&answer["data"]["user"]["sessions"], &answer["data"]["mySessions"]] {
        let sessions = sessions.as_array().unwrap();
        assert_eq!(sessions.len(), 2);
        let own: Vec<_> = sessions.iter().filter(|it| it["isCurrent"] == true).collect();
        let expected = json!({
            "id": world.stage.id_of(&secret), "createdAt": "1970-01-01T00:00:01Z",
            "lastUsedAt": "1970-01-01T00:00:02Z", "expiresAt": "1970-01-01T00:00:03Z",
            "address": "192.0.2.7", "userAgent": "Browser", "isCurrent": true,
        });
        assert_eq!(own, [&expected]);
    }
    assert_eq!(world.stage.calls("sessions of"), ["sessions of u1"]);
    // Each account of a list costs a separate call, so a long list with sessions is too expensive.
    let many = world.query(&token, "{ users(page: { limit: 100 }) { sessions { id } } }").await;
    assert_eq!(first_error(&many).0, "GRAPHQL_VALIDATION_FAILED");
}

#[tokio::test]
async fn driver_accounts_are_a_list_of_their_own() {
    let world = World::new();
    let query = "{ driverAccounts { id username displayName driverId status lastLoginAt } driverAccountsCount { total } }";
    let answer = world.query(&world.token(Role::Dispatcher), query).await;
    let driver = json!({
        "id": "a1", "username": "driver-7", "displayName": null, "driverId": "7", "status": "disabled",
        "lastLoginAt": null,
    });
    assert_eq!(answer["data"], json!({ "driverAccounts": [driver], "driverAccountsCount": { "total": 1 } }));
}

#[tokio::test]
async fn what_an_admin_asks_for_reaches_auth_as_it_was_said() {
    let world = World::new();
    let admin = world.token(Role::Admin);
    for (name, input, expected) in [
        (
            "createUser",
            json!({ "username": "ana", "displayName": "Ana", "email": "ana@b.c", "roles": ["viewer"] }),
            r#"create user CreateUserRequest { username: "ana", display_name: "Ana", email: "ana@b.c", roles: ["viewer"] }"#,
        ),
        (
            "createUser",
            json!({ "username": "ben", "email": "", "roles": [] }),
            r#"create user CreateUserRequest { username: "ben", display_name: "", email: "", roles: [] }"#,
        ),
        (
            "updateUser",
            json!({ "id": "u1", "version": 7, "displayName": "M", "email": "m@b.c" }),
            r#"update user UpdateUserRequest { id: "u1", version: 7, display_name: "M", email: "m@b.c" }"#,
        ),
        (
            "updateUserRoles",
            json!({ "id": "u1", "version": 7, "roles": ["admin", "viewer"] }),
            r#"update roles UpdateUserRolesRequest { id: "u1", version: 7, roles: ["admin", "viewer"] }"#,
        ),
        (
            "updateUserStatus",
            json!({ "id": "u1", "version": 7, "status": "disabled" }),
            r#"update status UpdateUserStatusRequest { id: "u1", version: 7, status: Disabled }"#,
        ),
    ] {
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let query = format!("mutation M($input: {kind}!) {{ {name}(input: $input) {{ {USER} }} }}");
        let answer = ask(&world, &admin, &query, json!({ "input": input })).await;
        assert!(answer["errors"].is_null(), "{name}: {answer}");
        assert!(answer["data"][name]["version"].is_u64());
        let verb = expected.split(' ').take(2).collect::<Vec<_>>().join(" ");
        assert_eq!(world.stage.calls(&verb).last().unwrap(), expected);
    }
    let changed =
        "mutation { updateUserStatus(input: { id: \"u1\", version: 7, status: disabled }) { status } }";
    assert_eq!(world.query(&admin, changed).await["data"]["updateUserStatus"]["status"], "disabled");
    for version in ["-1", "1.5", "\"7\""] {
        let query = format!(
            "mutation {{ updateUser(input: {{ id: \"u1\", version: {version}, email: \"m@b.c\" }}) {{ id }} }}"
        );
        let code = first_error(&world.query(&admin, &query).await).0;
        assert!(
            ["BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED"].contains(&code.as_str()),
            "{version}: {code}"
        );
    }
    assert_eq!(world.stage.calls("update user").len(), 1, "no version is guessed");
}

#[tokio::test]
async fn a_link_is_shown_or_mailed() {
    let world = World::new();
    let planner = world.token(Role::TransportPlanner);
    let query = "mutation M($id: String!) { createResetLink(input: { userId: $id }) { path mailedTo mailFailed expiresAt kind } }";
    let shown = ask(&world, &planner, query, json!({ "id": "a1" })).await;
    assert_eq!(
        shown["data"]["createResetLink"],
        json!({
            "path": format!("/reset-password?resetToken={RESET_TOKEN}"), "mailedTo": null, "mailFailed": true,
            "expiresAt": "1970-01-01T00:00:04Z", "kind": "pin",
        })
    );
    let mailed = ask(&world, &planner, query, json!({ "id": "mailed" })).await;
    assert_eq!(
        mailed["data"]["createResetLink"],
        json!({
            "path": null, "mailedTo": "maria@example.com", "mailFailed": false,
            "expiresAt": "1970-01-01T00:00:04Z", "kind": "password",
        })
    );
}

#[tokio::test]
async fn the_audit_log_shows_what_changed() {
    let world = World::new();
    let admin = world.token(Role::Admin);
    let query = "{ auditEntries { id at actor address action entity entityId entityName before after requestId } auditEntriesCount { total } }";
    let answer = world.query(&admin, query).await;
    let mut entry = json!({
        "id": "e1", "at": "1970-01-01T00:00:01Z", "actor": "admin", "address": "203.0.113.9",
        "action": "user.roles_changed", "entity": "user", "entityId": "u1", "entityName": "maria",
        "before": { "roles": ["viewer"] }, "after": { "roles": ["admin"] }, "requestId": "r1",
    });
    assert_eq!(answer["data"]["auditEntries"][0], entry);
    for name in ["address", "before", "after", "requestId"] {
        entry[name] = Value::Null;
    }
    entry["id"] = json!("e2");
    assert_eq!(answer["data"]["auditEntries"][1], entry);
    assert_eq!(answer["data"]["auditEntriesCount"]["total"], 2);

    let log = Log::default();
    let _guard = log.watch_with_spans();
    world.stage.turn_strange();
    let strange = world.query(&admin, query).await;
    assert_eq!(first_error(&strange), ("INTERNAL".into(), "Something went wrong".into()));
    assert!(log.text().contains("whose changes are no JSON") && !log.text().contains("471108154711"));
}

#[tokio::test]
async fn what_ends_sessions_ends_them_before_it_answers() {
    let mutations = [
        r#"mutation { updateUserRoles(input: { id: "u1", version: 7, roles: [] }) { id } }"#,
        r#"mutation { updateUserStatus(input: { id: "u1", version: 7, status: disabled }) { id } }"#,
        r#"mutation { endUserSessions(input: { userId: "u1" }) { count } }"#,
        r#"mutation { changeOwnPassword(input: { currentPassword: "correct-horse", newPassword: "battery-staple" }) { count } }"#,
    ];
    for mutation in mutations {
        let world = World::new();
        let admin = world.token(Role::Admin);
        let others = [world.token(Role::Viewer), world.token(Role::Admin)];
        for token in others.iter().chain([&admin]) {
            assert!(world.query(token, GUARDED).await["errors"].is_null());
        }
        let answer = world.query(&admin, mutation).await;
        assert!(answer["errors"].is_null(), "{answer}");
        for count in [&answer["data"]["endUserSessions"], &answer["data"]["changeOwnPassword"]] {
            assert!(count.is_null() || count["count"] == 2, "{answer}");
        }
        for token in &others {
            assert_eq!(first_error(&world.query(token, GUARDED).await).0, "UNAUTHENTICATED", "{mutation}");
        }
        assert!(world.query(&admin, GUARDED).await["errors"].is_null(), "{mutation}: one's own goes on");
    }
}

#[tokio::test]
async fn one_session_can_be_ended_from_another() {
    let world = World::new();
    let (mine, other) = (world.stage.begin(Role::Viewer), world.stage.begin(Role::Viewer));
    let token = |secret| world.stage.token_of(secret).unwrap();
    let (mine_token, other_token) = (token(&mine), token(&other));
    world.query(&other_token, GUARDED).await;
    let end = "mutation M($id: String!) { endSession(input: { id: $id }) { count } }";
    let answer = ask(&world, &mine_token, end, json!({ "id": world.stage.id_of(&other) })).await;
    assert_eq!(answer["data"]["endSession"]["count"], 1);
    assert_eq!(first_error(&world.query(&other_token, GUARDED).await).0, "UNAUTHENTICATED");
    // Callers can also end their own session, which then is invalid like any other.
    ask(&world, &mine_token, end, json!({ "id": world.stage.id_of(&mine) })).await;
    assert_eq!(first_error(&world.query(&mine_token, GUARDED).await).0, "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_refused_change_of_password_is_at_its_field_and_ends_nothing() {
    let world = World::new();
    let (own, other) = (world.token(Role::Viewer), world.token(Role::Viewer));
    let query = "mutation M($input: ChangeOwnPasswordInput!) { changeOwnPassword(input: $input) { count } }";
    let input = json!({ "currentPassword": "wrong-471108154711", "newPassword": "battery-staple" });
    let answer = ask(&world, &own, query, json!({ "input": input })).await;
    assert_eq!(first_error(&answer).0, "BAD_USER_INPUT");
    let messages = &answer["errors"][0]["extensions"]["properties"]["messages"];
    assert_eq!(messages, &json!({ "currentPassword": ["This is not your password"] }));
    assert!(!answer.to_string().contains("471108154711"));
    assert!(world.query(&other, GUARDED).await["errors"].is_null());
}

#[tokio::test]
async fn every_call_for_a_person_says_where_they_are() {
    let world = World::with(|config| config.http.trusted_proxies = 1);
    let bearer = format!("Bearer {}", world.token(Role::Admin));
    let query = r#"{ mySessions { id } users { id } deliveries(page: { limit: 1 }) { items { sku } customer { customerName } }
        sources { id } uploadLogs { id } }"#;
    let headers = [
        ("content-type", "application/json"),
        ("authorization", bearer.as_str()),
        ("x-forwarded-for", "6.6.6.6, 203.0.113.9"),
    ];
    let answer = world.post("/graphql", &headers, json!({ "query": query }).to_string()).await;
    assert!(answer.json()["errors"].is_null(), "{}", answer.text());
    world.post("/request-upload-link?filename=a", &headers, "").await;
    world.post("/upload-deliveries?url=/objects/a&filename=a", &headers, "").await;
    let addresses = world.stage.addresses();
    assert_eq!(addresses.len(), 9, "{addresses:?}");
    assert!(addresses.iter().all(|it| it == "203.0.113.9"), "{addresses:?}");
}

#[tokio::test]
async fn whoever_is_throttled_is_told_until_when() {
    let world = World::new();
    let token = world.token(Role::Admin);
    let bearer = format!("Bearer {token}");
    world.query(&token, "{ redwood { version } }").await;
    world.stage.fail(|| {
        let wait = Duration::from_millis(86_399_500);
        Error::rate_limited("DRIVER_RESETS_USED_UP", "No more links today.", wait).into()
    });
    let answer =
        world.query(&token, "mutation { createResetLink(input: { userId: \"a1\" }) { path } }").await;
    let error = &answer["errors"][0];
    assert_eq!(
        (&error["message"], &error["extensions"]["code"]),
        (&json!("No more links today."), &json!("RATE_LIMITED"))
    );
    assert_eq!(error["extensions"]["retryAfter"], 86_400);
    let action = world.post("/request-upload-link?filename=a", &[("authorization", &bearer)], "").await;
    assert_eq!((action.status.as_u16(), action.header("retry-after")), (429, "86400"));
}

#[tokio::test]
async fn strangers_may_ask_whether_they_may_sign_up() {
    let world = World::new();
    assert_eq!(world.query("", "{ signUpPolicy }").await, json!({ "data": { "signUpPolicy": "pending" } }));
    // Check only whether mail is sent; other tests cover who may request a mail.
    assert_eq!(world.query("", "{ sendsMail }").await, json!({ "data": { "sendsMail": false } }));
}
