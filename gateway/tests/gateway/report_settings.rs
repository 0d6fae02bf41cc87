//! Saved report definitions in GraphQL.

use kit::Role;
use proto::common::v1 as common;
use proto::settings::v1 as contract;
use serde_json::{Value, json};

use crate::world::{World, first_error};

const ALL: &str = "id name reportKey columns { member label visible width } defaultFilters { key operator values } \
                   rangeDays granularity groupBy sort { member direction } format isActive createdAt createdBy \
                   updatedAt updatedBy version";

async fn ask(world: &World, role: Role, query: &str, variables: Value) -> Value {
    let ask = json!({ "query": query, "variables": variables });
    world.graphql(&world.token(role), ask).await.json()
}

#[tokio::test]
async fn a_definition_comes_out_whole_or_null() {
    let world = World::new();
    let query = format!(
        "{{ a: reportSetting(id: \"r-1\") {{ {ALL} }} b: reportSetting(id: \"r-2\") {{ granularity sort {{ member }} }}
            c: reportSetting(id: \"r-3\") {{ id }} reportSettingsCount {{ total exact }} }}"
    );
    let answer = ask(&world, Role::Viewer, &query, json!({})).await;
    assert_eq!(
        answer["data"],
        json!({
            "a": { "id": "r-1", "name": "By day", "reportKey": "deliveries",
                "columns": [
                    { "member": "Delivery.deliverystatus", "label": "", "visible": true, "width": null },
                    { "member": "Delivery.count", "label": "", "visible": true, "width": 120 },
                ],
                "defaultFilters": [{ "key": "Delivery.deliverystatus", "operator": "equals", "values": ["Delivered"] }],
                "rangeDays": 30, "granularity": "day", "groupBy": ["Delivery.deliverystatus"],
                "sort": [{ "member": "Delivery.count", "direction": "desc" }], "format": "xlsx",
                "isActive": true, "createdAt": "1970-01-01T00:00:01Z", "createdBy": "maria",
                "updatedAt": "1970-01-01T00:00:02Z", "updatedBy": "ana", "version": 7 },
            "b": { "granularity": null, "sort": [] },
            "c": null,
            "reportSettingsCount": { "total": 1, "exact": true },
        })
    );
    // A page of complete definitions, as a screen asks for it, stays within the limits of a GraphQL document.
    let query = format!("query Q($page: PageOptions) {{ reportSettings(page: $page) {{ {ALL} }} }}");
    let page = json!({ "page": { "limit": 20, "sort": [{ "key": "name", "direction": "asc" }] } });
    let answer = ask(&world, Role::Viewer, &query, page).await;
    assert_eq!(answer["data"]["reportSettings"][0]["id"], "r-1", "{answer}");
}

#[tokio::test]
async fn what_is_entered_reaches_the_service() {
    let world = World::new();
    let form = json!({ "name": "By day", "reportKey": "customers",
        "columns": [{ "member": "Delivery.count", "label": "How many", "visible": false, "width": 80 }],
        "defaultFilters": [{ "key": "Delivery.trucker", "operator": "contains", "values": ["Haul"] }],
        "rangeDays": 366, "granularity": "quarter", "groupBy": ["Delivery.trucker"],
        "sort": [{ "member": "Delivery.count", "direction": "asc" }], "format": "pdf", "isActive": true });
    let content = contract::ReportSettingInput {
        name: "By day".into(),
        report_key: "customers".into(),
        columns: vec![contract::ReportColumn {
            member: "Delivery.count".into(),
            label: "How many".into(),
            visible: false,
            width: Some(80),
        }],
        default_filters: vec![common::Filter {
            key: "Delivery.trucker".into(),
            operator: "contains".into(),
            values: vec!["Haul".into()],
        }],
        range_days: 366,
        granularity: contract::Granularity::Quarter.into(),
        group_by: vec!["Delivery.trucker".into()],
        sort: vec![contract::ReportSort {
            member: "Delivery.count".into(),
            direction: common::SortDirection::Asc.into(),
        }],
        format: contract::ReportFormat::Pdf.into(),
        is_active: true,
    };
    let create =
        "mutation M($input: CreateReportSettingInput!) { createReportSetting(input: $input) { id format } }";
    let input = json!({ "creationId": "c-1", "reportSetting": form });
    let answer = ask(&world, Role::Admin, create, json!({ "input": input })).await;
    assert_eq!(answer["data"]["createReportSetting"], json!({ "id": "c-1", "format": "pdf" }), "{answer}");
    let asked = world.stage.asked::<contract::CreateReportSettingRequest>();
    assert_eq!((asked.creation_id.as_str(), asked.content.as_ref()), ("c-1", Some(&content)));

    let update = "mutation M($input: UpdateReportSettingInput!) { updateReportSetting(input: $input) { id granularity } }";
    let mut bare = form.clone();
    bare["granularity"] = json!(null);
    let input = json!({ "id": "r-1", "version": 7, "reportSetting": bare });
    let answer = ask(&world, Role::Admin, update, json!({ "input": input })).await;
    assert_eq!(
        answer["data"]["updateReportSetting"],
        json!({ "id": "r-1", "granularity": null }),
        "{answer}"
    );
    let asked = world.stage.asked::<contract::UpdateReportSettingRequest>();
    let expected = contract::ReportSettingInput { granularity: 0, ..content };
    assert_eq!((asked.id.as_str(), asked.version, asked.content), ("r-1", 7, Some(expected)));

    let delete = "mutation { deleteReportSetting(input: { id: \"r-1\", version: 7 }) }";
    let answer = ask(&world, Role::Admin, delete, json!({})).await;
    assert_eq!(answer, json!({ "data": { "deleteReportSetting": "r-1" } }));
    assert_eq!(world.stage.asked::<contract::DeleteReportSettingRequest>().version, 7);
    let refused = ask(&world, Role::TransportPlanner, delete, json!({})).await;
    assert_eq!(first_error(&refused).0, "FORBIDDEN");
}

#[tokio::test]
async fn members_are_those_of_one_kind_of_report() {
    let world = World::new();
    let query = "{ reportMembers(reportKey: shipments) { member title kind } }";
    let answer = ask(&world, Role::Viewer, query, json!({})).await;
    assert_eq!(
        answer["data"]["reportMembers"],
        json!([
            { "member": "shipments.id", "title": "Delivery Doc", "kind": "dimension" },
            { "member": "shipments.count", "title": "Count", "kind": "measure" },
            { "member": "shipments.at", "title": "Dispatch Date and Time", "kind": "time" },
        ])
    );
}
