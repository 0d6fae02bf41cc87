//! Who may read and change settings: every setting is tried as everybody, in GraphQL and at the service
//! itself.

use std::time::Duration;

use kit::rpc::Transport;
use proto::settings::v1::settings_service_client::SettingsServiceClient;
use proto::settings::v1::{GetSettingRequest, ListSettingsRequest, UpdateSettingRequest};
use serde_json::{Value, json};
use tonic::Code;

use crate::access::callers;
use crate::browser::Browser;
use crate::drivers::signed_in_driver;
use crate::harness::World;
use crate::in_both_shapes;

const LOGO: &str = "customer-logo-information";
const LIST: &str = "query Q($page: PageOptions) { systemSettings(page: $page) { id value type plannerVisible \
                    version updatedBy } systemSettingsCount { total } }";
const READ: &str = "query FindSystemSettingById($id: String!) \
                    { systemSetting: findSystemSettingById(id: $id) { id value history { actor after } } }";
const SAVE: &str = "mutation UpdateSettingValue($input: UpdateSettingValueInput!) \
                    { updateSettingValue(input: $input) { id } }";

/// The settings that planners may change. Only administrators may change the others.
const FLAGGED: [&str; 9] = [
    "delivery-max-attempts",
    "delivery-proof",
    "driver-online-seconds",
    "driver-stale-seconds",
    "import-date-order",
    "import-earliest-date",
    "import-partial-documents",
    "import-paused-until",
    "import-unknown-drivers",
];

async fn list(browser: &Browser) -> Vec<Value> {
    let answer = browser.data(LIST, json!({ "page": { "limit": 100 } })).await;
    let rows = answer["systemSettings"].as_array().unwrap().clone();
    assert_eq!(answer["systemSettingsCount"]["total"], rows.len(), "the count is of the same rows");
    rows
}

fn ids(rows: &[Value]) -> Vec<String> {
    let mut ids: Vec<_> = rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

/// Returns one word for the result.
async fn tried(browser: &Browser, query: &str, variables: Value) -> String {
    let answer = browser.graphql(query, variables).await;
    match answer["errors"][0]["extensions"]["code"].as_str() {
        Some(code @ ("UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND")) => code.to_owned(),
        // The value was refused, so access was granted.
        Some("BAD_USER_INPUT") => "ok".to_owned(),
        Some(_) => panic!("{answer}"),
        None if answer["data"]["systemSetting"].is_null() && query == READ => "null".to_owned(),
        None => "ok".to_owned(),
    }
}

async fn read(browser: &Browser, id: &str) -> String {
    tried(browser, READ, json!({ "id": id })).await
}

async fn save(browser: &Browser, row: &Value) -> String {
    tried(browser, SAVE, json!({ "input": { "id": row["id"], "value": row["value"] } })).await
}

in_both_shapes!(every_setting_is_whose_it_is_in_the_graph, |world: World| async move {
    let admin = world.admin().await;
    let all = list(&admin).await;
    assert!(all.len() > FLAGGED.len() + 5, "{all:?}");
    let flagged: Vec<_> = all.iter().filter(|row| row["plannerVisible"] == true).cloned().collect();
    assert_eq!(ids(&flagged), FLAGGED);

    let planner = admin.signed_in_user("petra", &["transport_planner"]).await;
    assert_eq!(ids(&list(&planner).await), FLAGGED);
    let mut nobody = world.browser();
    nobody.token = Some("not-a-token".to_owned());
    let others = [
        ("dispatcher", admin.signed_in_user("dina", &["dispatcher"]).await),
        ("viewer", admin.signed_in_user("vera", &["viewer"]).await),
        ("no role", admin.signed_in_user("nora", &[]).await),
        ("driver", signed_in_driver(&world, &admin).await),
        ("anonymous", world.browser()),
        ("bad token", nobody),
    ];
    for row in &all {
        let id = row["id"].as_str().unwrap();
        let theirs = row["plannerVisible"] == true;
        let sees = if theirs || id == LOGO { "ok" } else { "null" };
        assert_eq!(read(&planner, id).await, sees, "{id}");
        // Everybody sees the logo, so its existence is not a secret. For planners, all other settings that
        // they cannot see do not exist.
        let changes = match (theirs, id == LOGO) {
            (true, _) => "ok",
            (false, true) => "FORBIDDEN",
            (false, false) => "NOT_FOUND",
        };
        assert_eq!(save(&planner, row).await, changes, "{id}");
        for (who, browser) in &others {
            let (sees, changes) = match *who {
                "dispatcher" | "viewer" | "no role" if id == LOGO => ("ok", "FORBIDDEN"),
                "dispatcher" | "viewer" | "no role" => ("null", "FORBIDDEN"),
                "anonymous" | "bad token" => ("UNAUTHENTICATED", "UNAUTHENTICATED"),
                _ => ("FORBIDDEN", "FORBIDDEN"),
            };
            assert_eq!(read(browser, id).await, sees, "{who} reads {id}");
            assert_eq!(save(browser, row).await, changes, "{who} changes {id}");
        }
    }
    assert_eq!(list(&admin).await, all, "and nothing has changed");
    for (who, browser) in &others {
        let expected = if ["anonymous", "bad token"].contains(who) { "UNAUTHENTICATED" } else { "FORBIDDEN" };
        assert_eq!(tried(browser, LIST, json!({})).await, expected, "{who}");
    }
    for row in &all {
        let id = row["id"].as_str().unwrap();
        assert_eq!((read(&admin, id).await, save(&admin, row).await), ("ok".into(), "ok".into()), "{id}");
    }

    // A planner's change takes effect, and is recorded as that planner's.
    let saved = json!({ "input": { "id": "delivery-max-attempts", "value": "7" } });
    planner.data(SAVE, saved).await;
    let changed = list(&admin).await.into_iter().find(|row| row["id"] == "delivery-max-attempts").unwrap();
    assert_eq!((&changed["value"], &changed["updatedBy"]), (&json!("7"), &json!("petra")));
    let read = planner.data(READ, json!({ "id": "delivery-max-attempts" })).await["systemSetting"].clone();
    assert_eq!(read["history"][0], json!({ "actor": "petra", "after": "7" }));
    // Everybody sees the logo, but not its history.
    let saved = json!({ "id": "customer-logo-information" });
    let (_, vera) = &others[1];
    assert_eq!(vera.data(READ, saved).await["systemSetting"]["history"], json!([]));
    world
});

/// Returns the response codes of the service itself, without the gateway.
async fn asked(transport: &Transport, token: Option<&str>, row: &Value) -> (Code, Code) {
    let client = || match token {
        Some(token) => SettingsServiceClient::new(transport.with_token(token.into())),
        None => SettingsServiceClient::new(transport.anonymous()),
    };
    let (id, value) = (row["id"].as_str().unwrap(), row["value"].as_str().unwrap());
    let code = |status: tonic::Status| match status.code() {
        Code::InvalidArgument => Code::Ok,
        code => code,
    };
    let read = client().get_setting(GetSettingRequest { id: id.into() }).await;
    let ask = UpdateSettingRequest { id: id.into(), value: value.into(), version: None };
    let saved = client().update_setting(ask).await;
    (read.map_or_else(code, |_| Code::Ok), saved.map_or_else(code, |_| Code::Ok))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_setting_is_whose_it_is_at_the_service() {
    let world = World::split().await;
    let admin = world.admin().await;
    let all = list(&admin).await;
    let address = world.address(settings::NAME);
    let address = format!("http://{address}");
    let transport = Transport::connect(settings::NAME, &address, Duration::from_secs(10), None).unwrap();
    for (who, token) in callers(&world).await {
        for row in &all {
            let theirs = FLAGGED.contains(&row["id"].as_str().unwrap());
            let is_logo = row["id"] == LOGO;
            let expected = match who {
                "admin" => (Code::Ok, Code::Ok),
                "planner" if theirs => (Code::Ok, Code::Ok),
                "planner" if !is_logo => (Code::NotFound, Code::NotFound),
                "planner" | "viewer" | "dispatcher" | "no_role" if is_logo => {
                    (Code::Ok, Code::PermissionDenied)
                }
                "viewer" | "dispatcher" | "no_role" => (Code::NotFound, Code::PermissionDenied),
                "upload_service" | "analytics_service" | "gateway_service" | "other_service" => {
                    (Code::Ok, Code::PermissionDenied)
                }
                "driver" => (Code::PermissionDenied, Code::PermissionDenied),
                _ => (Code::Unauthenticated, Code::Unauthenticated),
            };
            assert_eq!(asked(&transport, token.as_deref(), row).await, expected, "{who}: {row}");
        }
        let mut client = match &token {
            Some(token) => SettingsServiceClient::new(transport.with_token(token.as_str().into())),
            None => SettingsServiceClient::new(transport.anonymous()),
        };
        let listed = client.list_settings(ListSettingsRequest { page: None }).await;
        let listed = listed.map(|it| it.into_inner().settings.iter().all(|it| it.planner_visible));
        match who {
            "admin" => assert_eq!(listed.ok(), Some(false), "all of them"),
            "planner" => assert_eq!(listed.ok(), Some(true), "only those that are flagged"),
            _ => assert!(listed.is_err(), "{who}"),
        }
    }
    assert_eq!(list(&admin).await, all, "and nothing has changed");
    world.stop().await;
}
