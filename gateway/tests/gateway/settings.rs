//! System settings in GraphQL: what screens read and send.

use kit::Role;
use proto::settings::v1 as contract;
use serde_json::{Value, json};

use crate::world::{World, first_error};

const SAVE: &str = "mutation UpdateSettingValue($id: String!, $value: String!, $version: Int) {
    updateSettingValue(input: { id: $id, value: $value, version: $version }) { id value version } }";

async fn save(world: &World, variables: Value) -> Value {
    let ask = json!({ "query": SAVE, "variables": variables });
    world.graphql(&world.token(Role::TransportPlanner), ask).await.json()
}

#[tokio::test]
async fn a_setting_comes_out_whole_or_null() {
    let world = World::new();
    let query = r#"query FindSystemSettingById($id: String!) { systemSetting: findSystemSettingById(id: $id) {
        id name value type group description min max pattern options plannerVisible isSecret isDefault
        updatedAt updatedBy version history { at actor before after } } }"#;
    let token = world.token(Role::Admin);
    let ask = |id: &str| json!({ "query": query, "variables": { "id": id } });
    let answer = world.graphql(&token, ask("delivery-max-attempts")).await.json();
    assert_eq!(
        answer["data"]["systemSetting"],
        json!({ "id": "delivery-max-attempts", "name": "Attempts", "value": "3", "type": "number",
            "group": "Deliveries", "description": "How often a delivery is tried.", "min": "1", "max": "20",
            "pattern": null, "options": ["3", "4"], "plannerVisible": true, "isSecret": false,
            "isDefault": false, "updatedAt": "2027-01-15T08:00:00Z", "updatedBy": "maria", "version": 7,
            "history": [{ "at": "2027-01-15T08:00:00Z", "actor": "maria", "before": "2", "after": "3" }] })
    );
    let none = world.graphql(&token, ask("nothing")).await.json();
    assert_eq!(none, json!({ "data": { "systemSetting": null } }));
}

#[tokio::test]
async fn settings_are_a_list_like_any_other() {
    let world = World::new();
    let query = "query Q($page: PageOptions) { systemSettings(page: $page) { id history { at } }
        systemSettingsCount { total exact } }";
    let page = json!({ "where": [{ "key": "group", "operator": "equals", "values": ["Deliveries"] }],
        "sort": [{ "key": "name", "direction": "desc" }], "limit": 50 });
    let ask = json!({ "query": query, "variables": { "page": page } });
    let answer = world.graphql(&world.token(Role::Admin), ask).await.json();
    assert_eq!(
        answer["data"],
        json!({ "systemSettings": [{ "id": "delivery-max-attempts", "history": [] }],
            "systemSettingsCount": { "total": 1, "exact": true } })
    );
    let asked = world.stage.last_page();
    assert_eq!(
        (asked.limit, asked.r#where[0].key.as_str(), asked.sort[0].key.as_str()),
        (50, "group", "name")
    );
}

#[tokio::test]
async fn the_version_may_be_left_out_and_a_wrong_one_is_refused() {
    let world = World::new();
    let saved = save(&world, json!({ "id": "delivery-max-attempts", "value": "4" })).await;
    let expected = json!({ "id": "delivery-max-attempts", "value": "4", "version": 8 });
    assert_eq!(saved["data"]["updateSettingValue"], expected);
    let asked = world.stage.asked::<contract::UpdateSettingRequest>();
    assert_eq!((asked.value.as_str(), asked.version), ("4", None));

    let late = save(&world, json!({ "id": "delivery-max-attempts", "value": "4", "version": 6 })).await;
    assert_eq!(late["errors"][0]["extensions"]["reason"], "SETTING_CHANGED", "{late}");
    assert_eq!(world.stage.asked::<contract::UpdateSettingRequest>().version, Some(6));
    let blank = save(&world, json!({ "id": "delivery-max-attempts", "value": " ", "version": 7 })).await;
    assert_eq!(
        blank["errors"][0]["extensions"]["properties"]["messages"],
        json!({ "value": ["Value is required"] })
    );
}

#[tokio::test]
async fn the_logo_is_the_only_setting_that_is_there_for_everybody() {
    let world = World::new();
    let query = "query GetLogoInformation($id: String!) { getLogoInformation(id: $id) { id value history { after } } }";
    let ask = |id: &str| json!({ "query": query, "variables": { "id": id } });
    let logo = "customer-logo-information";
    for role in [Role::Viewer, Role::Dispatcher, Role::TransportPlanner, Role::Admin] {
        let token = world.token(role);
        let answer = world.graphql(&token, ask(logo)).await.json();
        assert_eq!(
            answer["data"]["getLogoInformation"],
            json!({ "id": logo, "value": r#"{"url":"/logo/a.png"}"#, "history": [] }),
            "{role}"
        );
        for other in ["delivery-max-attempts", "organization-name", "", "CUSTOMER-LOGO-INFORMATION"] {
            let answer = world.graphql(&token, ask(other)).await.json();
            assert_eq!(answer, json!({ "data": { "getLogoInformation": null } }), "{role} {other}");
        }
    }
    for id in [logo, "delivery-max-attempts"] {
        let driver = world.graphql(&world.token(Role::Driver), ask(id)).await.json();
        assert_eq!(first_error(&driver).0, "FORBIDDEN");
        let nobody = world.graphql("", ask(id)).await.json();
        assert_eq!(first_error(&nobody).0, "UNAUTHENTICATED");
    }
    assert!(world.stage.calls("setting ").iter().all(|call| call == &format!("setting {logo}")));
}
