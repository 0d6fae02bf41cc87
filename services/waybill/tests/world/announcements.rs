//! Announcements, from the administrator's form to the screens of the people they are for.

use chrono::{SecondsFormat, TimeDelta};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::deliveries::{connected, hear, say};
use crate::drivers::signed_in_driver;
use crate::harness::{Settings, World, until};
use crate::in_both_shapes;

const ME: &str = "query { redwood { currentUser } }";
const MARK: &str =
    "mutation M($input: MarkAnnouncementsInput!) { markAnnouncements(input: $input) { id seen dismissed } }";

async fn news(browser: &Browser) -> Value {
    let user = browser.data(ME, json!({})).await["redwood"]["currentUser"].clone();
    assert!(user["username"].is_string(), "{user}");
    user["news"].clone()
}

/// Returns the time this many minutes from now.
fn minutes(world: &World, minutes: i64) -> String {
    (world.clock.now() + TimeDelta::minutes(minutes)).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Returns the form of an announcement for everybody, from now on.
fn form(world: &World, message: &str) -> Value {
    json!({
        "title": "Typhoon", "message": message, "severity": "warning", "audienceRoles": [],
        "audienceUsers": [], "startsAt": minutes(world, 0), "endsAt": null, "isActive": true,
        "dismissible": true,
    })
}

async fn announce(admin: &Browser, form: Value) -> Value {
    let create =
        "mutation M($input: CreateAnnouncementInput!) { createAnnouncement(input: $input) { id version } }";
    let input = json!({ "creationId": kit::clock::new_id().to_string(), "announcement": form });
    admin.data(create, json!({ "input": input })).await["createAnnouncement"].clone()
}

async fn edit(admin: &Browser, row: &Value, form: Value) -> Value {
    let update =
        "mutation M($input: UpdateAnnouncementInput!) { updateAnnouncement(input: $input) { id version } }";
    let input = json!({ "id": row["id"], "version": row["version"], "announcement": form });
    admin.data(update, json!({ "input": input })).await["updateAnnouncement"].clone()
}

async fn seen_count(admin: &Browser, row: &Value) -> Value {
    let query = "query Q($id: String!) { announcement(id: $id) { seenCount version } }";
    admin.data(query, json!({ "id": row["id"] })).await["announcement"]["seenCount"].clone()
}

in_both_shapes!(an_announcement_reaches_whom_it_is_for, |world: World| async move {
    let admin = world.admin().await;
    let dina = admin.signed_in_user("dina", &["dispatcher"]).await;
    let vera = admin.signed_in_user("vera", &["viewer"]).await;
    let phone = signed_in_driver(&world, &admin).await;
    assert_eq!(news(&dina).await, json!([]));

    let mut for_dispatchers = form(&world, "No deliveries on Friday");
    for_dispatchers["audienceRoles"] = json!(["dispatcher"]);
    let row = announce(&admin, for_dispatchers.clone()).await;
    assert_eq!(news(&dina).await, json!(["No deliveries on Friday"]));
    for browser in [&vera, &phone, &admin] {
        assert_eq!(news(browser).await, json!([]));
    }
    let mut for_vera = form(&world, "See me, please");
    for_vera["audienceUsers"] = json!(["VERA"]);
    announce(&admin, for_vera).await;
    announce(&admin, form(&world, "Welcome")).await;
    assert_eq!(news(&phone).await, json!([]), "drivers are told nothing");
    let told = news(&vera).await;
    assert!(
        told.as_array().is_some_and(|it| it.len() == 2 && it.contains(&json!("See me, please"))),
        "{told}"
    );
    assert_eq!(news(&dina).await.as_array().map(Vec::len), Some(2));

    // One user sees the announcement and dismisses it, for that user only.
    assert_eq!(seen_count(&admin, &row).await, 0);
    let seen = json!({ "input": { "ids": [row["id"]], "dismiss": false } });
    for _ in 0..2 {
        dina.data(MARK, seen.clone()).await;
        vera.data(MARK, seen.clone()).await;
    }
    assert_eq!(seen_count(&admin, &row).await, 1);
    assert_eq!(news(&dina).await.as_array().map(Vec::len), Some(2), "what was only seen stays");
    let away = json!({ "input": { "ids": [row["id"]], "dismiss": true } });
    let marked = dina.data(MARK, away).await["markAnnouncements"].clone();
    let it = marked.as_array().unwrap().iter().find(|it| it["id"] == row["id"]).unwrap();
    assert_eq!((&it["seen"], &it["dismissed"]), (&json!(true), &json!(true)));
    assert_eq!(news(&dina).await, json!(["Welcome"]));

    // An announcement with a changed text is shown again.
    for_dispatchers["message"] = json!("No deliveries on Saturday");
    let row = edit(&admin, &row, for_dispatchers.clone()).await;
    let told = news(&dina).await;
    assert!(told.as_array().unwrap().contains(&json!("No deliveries on Saturday")), "{told}");
    for_dispatchers["isActive"] = json!(false);
    let row = edit(&admin, &row, for_dispatchers).await;
    assert_eq!(news(&dina).await, json!(["Welcome"]));
    let delete = "mutation M($input: DeleteAnnouncementInput!) { deleteAnnouncement(input: $input) }";
    let input = json!({ "input": { "id": row["id"], "version": row["version"] } });
    assert_eq!(admin.data(delete, input.clone()).await["deleteAnnouncement"], row["id"]);
    assert_eq!(admin.data(delete, input.clone()).await["deleteAnnouncement"], row["id"], "gone already");
    assert_eq!(dina.refused(delete, input).await.0, "FORBIDDEN");
    world
});

in_both_shapes!(
    an_announcement_counts_from_its_beginning_to_its_end,
    |settings: &mut Settings| settings.hold_time(),
    |world: World| async move {
        let admin = world.admin().await;
        let dina = admin.signed_in_user("dina", &["dispatcher"]).await;
        let mut later = form(&world, "Gate B is closed");
        later["startsAt"] = json!(minutes(&world, 1));
        later["endsAt"] = json!(minutes(&world, 2));
        announce(&admin, later).await;
        for (pass, told) in [
            (0, json!([])),
            (60, json!(["Gate B is closed"])),
            (59, json!(["Gate B is closed"])),
            (1, json!([])),
        ] {
            world.clock.advance(TimeDelta::seconds(pass));
            assert_eq!(news(&dina).await, told, "{pass} seconds later");
        }
        world
    }
);

in_both_shapes!(an_open_screen_is_told_without_asking, |world: World| async move {
    let admin = world.admin().await;
    let dina = admin.signed_in_user("dina", &["dispatcher"]).await;
    let mut screen = connected(&dina).await;
    let payload = json!({ "query": "subscription { currentUserChanged }" });
    say(&mut screen, json!({ "type": "subscribe", "id": "1", "payload": payload })).await;
    let told = async |screen: &mut _| {
        let message = hear(screen).await;
        message["payload"]["data"]["currentUserChanged"].clone()
    };
    assert_eq!(told(&mut screen).await["news"], json!([]), "at once");
    announce(&admin, form(&world, "Welcome")).await;
    while told(&mut screen).await["news"] != json!(["Welcome"]) {}

    let save = "mutation M($input: UpdateSettingValueInput!) { updateSettingValue(input: $input) { value } }";
    for (id, value) in [("organization-name", "Acme <Haul>"), ("organization-time-zone", "Europe/Paris")] {
        admin.data(save, json!({ "input": { "id": id, "value": value } })).await;
    }
    let organization = json!({ "name": "Acme <Haul>", "timezone": "Europe/Paris" });
    while told(&mut screen).await["organization"] != organization {}
    until("everybody else has it too", || async {
        let user = admin.data(ME, json!({})).await["redwood"]["currentUser"].clone();
        user["organization"] == organization
    })
    .await;
    world
});
