//! Saved views of lists in GraphQL.

use kit::Role;
use proto::settings::v1 as contract;
use serde_json::{Value, json};

use crate::world::World;

async fn ask(world: &World, query: &str, variables: Value) -> Value {
    let ask = json!({ "query": query, "variables": variables });
    world.graphql(&world.token(Role::Viewer), ask).await.json()
}

#[tokio::test]
async fn views_are_read_and_written_as_they_are() {
    let world = World::new();
    let query =
        "{ savedViews(list: \"deliveries\") { id name list state shared owner isOwn updatedAt version } }";
    let expected = json!([{ "id": "v-1", "name": "Morning", "list": "deliveries", "state": "{\"filters\":[]}",
        "shared": true, "owner": "mara", "isOwn": false, "updatedAt": "1970-01-01T00:00:02Z", "version": 7 }]);
    assert_eq!(ask(&world, query, json!({})).await["data"]["savedViews"], expected);

    let view = json!({ "name": "Late", "list": "deliveries", "state": "{}" });
    let content = contract::SavedViewInput {
        name: "Late".into(),
        list: "deliveries".into(),
        state: "{}".into(),
        shared: false,
    };
    let create = "mutation M($input: CreateSavedViewInput!) { createSavedView(input: $input) { id name } }";
    let answer = ask(&world, create, json!({ "input": { "creationId": "c-1", "savedView": view } })).await;
    assert_eq!(answer["data"]["createSavedView"], json!({ "id": "c-1", "name": "Late" }), "{answer}");
    let asked = world.stage.asked::<contract::CreateSavedViewRequest>();
    assert_eq!((asked.creation_id.as_str(), asked.content.as_ref()), ("c-1", Some(&content)));

    let update =
        "mutation M($input: UpdateSavedViewInput!) { updateSavedView(input: $input) { id version } }";
    let view = json!({ "name": "Late", "list": "deliveries", "state": "{}", "shared": true });
    let content = contract::SavedViewInput { shared: true, ..content };
    let input = json!({ "id": "v-1", "version": 3, "savedView": view });
    let answer = ask(&world, update, json!({ "input": input })).await;
    assert_eq!(answer["data"]["updateSavedView"], json!({ "id": "v-1", "version": 7 }), "{answer}");
    let asked = world.stage.asked::<contract::UpdateSavedViewRequest>();
    assert_eq!((asked.id.as_str(), asked.version, asked.content), ("v-1", 3, Some(content)));

    let delete = "mutation { deleteSavedView(input: { id: \"v-1\", version: 3 }) }";
    assert_eq!(ask(&world, delete, json!({})).await, json!({ "data": { "deleteSavedView": "v-1" } }));
    assert_eq!(world.stage.asked::<contract::DeleteSavedViewRequest>().version, 3);
}
