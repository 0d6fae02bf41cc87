//! Announcements in GraphQL: for administrators, who write them, and for the caller who sees them.

use kit::Role;
use proto::settings::v1 as contract;
use serde_json::{Value, json};

use crate::stand_ins::said;
use crate::world::{World, first_error};

const ALL: &str = "id title message severity audienceRoles audienceUsers startsAt endsAt isActive dismissible \
                   seenCount createdAt createdBy updatedAt updatedBy version";

async fn ask(world: &World, role: Role, query: &str, variables: Value) -> Value {
    let ask = json!({ "query": query, "variables": variables });
    world.graphql(&world.token(role), ask).await.json()
}

fn typhoon() -> Value {
    json!({ "id": "a-1", "title": "Typhoon", "message": "No deliveries on Friday", "severity": "critical",
        "audienceRoles": ["dispatcher"], "audienceUsers": ["ana"], "startsAt": "2027-01-15T08:00:00Z",
        "endsAt": "2027-01-15T09:00:00Z", "isActive": true, "dismissible": false, "seenCount": 3,
        "createdAt": "1970-01-01T00:00:01Z", "createdBy": "maria", "updatedAt": "1970-01-01T00:00:02Z",
        "updatedBy": "ana", "version": 7 })
}

#[tokio::test]
async fn an_announcement_comes_out_whole_or_null() {
    let world = World::new();
    let query = format!(
        "query Q($id: String!, $page: PageOptions) {{ announcement(id: $id) {{ {ALL} }}
            announcements(page: $page) {{ {ALL} }} announcementsCount {{ total exact }} }}"
    );
    let page = json!({ "limit": 7, "sort": [{ "key": "startsAt", "direction": "desc" }] });
    let answer = ask(&world, Role::Admin, &query, json!({ "id": "a-1", "page": page })).await;
    assert_eq!(
        answer["data"],
        json!({ "announcement": typhoon(), "announcements": [typhoon()],
            "announcementsCount": { "total": 1, "exact": true } })
    );
    let asked = world.stage.last_page();
    assert_eq!((asked.limit, asked.sort[0].key.as_str()), (7, "startsAt"));
    let none = ask(&world, Role::Admin, "{ announcement(id: \"a-2\") { id } }", json!({})).await;
    assert_eq!(none, json!({ "data": { "announcement": null } }));
    let refused = ask(&world, Role::TransportPlanner, &query, json!({ "id": "a-1" })).await;
    assert_eq!(first_error(&refused).0, "FORBIDDEN");
}

#[tokio::test]
async fn what_is_written_reaches_the_service() {
    let world = World::new();
    let form = json!({ "title": "Typhoon", "message": "No deliveries on Friday", "severity": "warning",
        "audienceRoles": ["viewer"], "audienceUsers": ["ana"], "startsAt": "2027-01-15T16:00:00+08:00",
        "endsAt": null, "isActive": false, "dismissible": true });
    let content = contract::AnnouncementInput {
        title: "Typhoon".into(),
        message: "No deliveries on Friday".into(),
        severity: contract::AnnouncementSeverity::Warning.into(),
        audience_roles: vec!["viewer".into()],
        audience_users: vec!["ana".into()],
        starts_at: Some(prost_types::Timestamp { seconds: 1_800_000_000, nanos: 0 }),
        ends_at: None,
        is_active: false,
        dismissible: true,
    };
    let create = "mutation M($input: CreateAnnouncementInput!) { createAnnouncement(input: $input) { id severity endsAt } }";
    let input = json!({ "creationId": "c-1", "announcement": form });
    let answer = ask(&world, Role::Admin, create, json!({ "input": input })).await;
    let expected = json!({ "id": "c-1", "severity": "warning", "endsAt": null });
    assert_eq!(answer["data"]["createAnnouncement"], expected, "{answer}");
    let asked = world.stage.asked::<contract::CreateAnnouncementRequest>();
    assert_eq!((asked.creation_id.as_str(), asked.content.as_ref()), ("c-1", Some(&content)));

    let update = "mutation M($input: UpdateAnnouncementInput!) { updateAnnouncement(input: $input) { id } }";
    let input = json!({ "id": "a-1", "version": 7, "announcement": form });
    ask(&world, Role::Admin, update, json!({ "input": input })).await;
    let asked = world.stage.asked::<contract::UpdateAnnouncementRequest>();
    assert_eq!((asked.id.as_str(), asked.version, asked.content), ("a-1", 7, Some(content)));
    let input = json!({ "id": "a-1", "version": 6, "announcement": form });
    let late = ask(&world, Role::Admin, update, json!({ "input": input })).await;
    assert_eq!(late["errors"][0]["extensions"]["reason"], "ANNOUNCEMENT_CHANGED", "{late}");

    let delete = "mutation { deleteAnnouncement(input: { id: \"a-1\", version: 7 }) }";
    let answer = ask(&world, Role::Admin, delete, json!({})).await;
    assert_eq!(answer, json!({ "data": { "deleteAnnouncement": "a-1" } }));
    assert_eq!(world.stage.asked::<contract::DeleteAnnouncementRequest>().version, 7);
}

#[tokio::test]
async fn the_callers_own_are_marked_and_told_anew() {
    let world = World::new();
    world.stage.office(|it| it.announcements = vec![said("a", "First", false), said("b", "Second", false)]);
    let fields = "id title message severity dismissible dismissed seen startsAt endsAt";
    let answer = ask(&world, Role::Viewer, &format!("{{ myAnnouncements {{ {fields} }} }}"), json!({})).await;
    assert_eq!(
        answer["data"]["myAnnouncements"][0],
        json!({ "id": "a", "title": "Title a", "message": "First", "severity": "warning", "dismissible": true,
            "dismissed": false, "seen": false, "startsAt": "2027-01-15T08:00:00Z", "endsAt": null })
    );
    let mark = "mutation M($input: MarkAnnouncementsInput!) { markAnnouncements(input: $input) { id dismissed seen } }";
    let seen = json!({ "input": { "ids": ["a", "b"], "dismiss": false } });
    let answer = ask(&world, Role::Viewer, mark, seen).await;
    let expected = json!([{ "id": "a", "dismissed": false, "seen": true }, { "id": "b", "dismissed": false, "seen": true }]);
    assert_eq!(answer["data"]["markAnnouncements"], expected);
    let away = json!({ "input": { "ids": ["b"], "dismiss": true } });
    let answer = ask(&world, Role::Viewer, mark, away).await;
    assert_eq!(answer["data"]["markAnnouncements"][1]["dismissed"], true, "{answer}");
    let driver = ask(&world, Role::Driver, "{ myAnnouncements { id } }", json!({})).await;
    assert_eq!(first_error(&driver).0, "FORBIDDEN");
}
