//! The current user with news and organization: queried, and updated while a screen is open.

use std::time::{Duration, Instant};

use kit::Role;
use proto::events::envelope::Payload;
use proto::events::{AnnouncementChanged, Envelope, SettingChanged};
use serde_json::{Value, json};

use crate::live::{Socket, plain};
use crate::stand_ins::said;
use crate::world::World;

const ME: &str = "{ redwood { currentUser } }";
const CHANGED: &str = "subscription CurrentUserChanged { currentUserChanged }";

async fn me(world: &World, role: Role) -> Value {
    let answer = world.query(&world.token(role), ME).await;
    assert!(answer["errors"].is_null(), "{answer}");
    answer["data"]["redwood"]["currentUser"].clone()
}

async fn publish(world: &World, payload: Payload) {
    let envelope = Envelope {
        id: kit::clock::new_id().to_string(),
        subject: payload.entry().subject("settings"),
        payload: Some(payload),
        ..Envelope::default()
    };
    world.bus.publish(&envelope).await.unwrap();
}

async fn announced(world: &World, seen_by: &str) {
    let change = AnnouncementChanged { id: "a".into(), deleted: false, seen_by: seen_by.into() };
    publish(world, Payload::AnnouncementChanged(change)).await;
}

async fn set(world: &World, id: &str, value: &str) {
    let change = SettingChanged { id: id.into(), r#type: "text".into(), value: value.into() };
    publish(world, Payload::SettingChanged(change)).await;
}

/// Waits until the gateway listens to the bus.
async fn listening(world: &World) -> String {
    let address = world.serve().await;
    for _ in 0..200 {
        set(world, "probe", "").await;
        if world.notices.settings_changed() > 0 {
            return address;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("the gateway never listened");
}

async fn told(socket: &mut Socket) -> Value {
    let message = socket.next().await.unwrap();
    let user = message["payload"]["data"]["currentUserChanged"].clone();
    assert!(user.is_object(), "{message}");
    user
}

/// Subscribes and receives the first message.
async fn subscriber(world: &World, address: &str, role: Role) -> (Socket, Value) {
    let mut socket = plain(address).await;
    socket.init(json!({ "token": world.token(role) })).await;
    assert_eq!(socket.next().await.unwrap()["type"], "connection_ack");
    socket.subscribe("1", CHANGED, json!({})).await;
    let user = told(&mut socket).await;
    (socket, user)
}

#[tokio::test]
async fn news_are_the_messages_that_were_not_dismissed() {
    let world = World::new();
    world.stage.office(|it| {
        it.announcements =
            vec![said("c", "Third", false), said("b", "Second", true), said("a", "First, with <b>", false)];
    });
    assert_eq!(me(&world, Role::Viewer).await["news"], json!(["Third", "First, with <b>"]));
    assert_eq!(world.stage.calls("news").len(), 1, "one call");
    assert_eq!(me(&world, Role::Driver).await["news"], json!([]), "nobody tells drivers anything");
}

#[tokio::test]
async fn without_the_settings_service_people_are_still_who_they_are() {
    let world = World::new();
    world.stage.office(|it| {
        it.is_away = true;
        it.announcements = vec![said("a", "First", false)];
    });
    let user = me(&world, Role::Dispatcher).await;
    assert_eq!((&user["username"], &user["news"]), (&json!("maria"), &json!([])));
    for unknown in ["organization", "settings"] {
        assert!(user.get(unknown).is_none(), "the configuration is not what was set: {user}");
    }

    let world = World::new();
    world.stage.office(|it| it.delay = Duration::from_secs(10));
    let begun = Instant::now();
    assert_eq!(me(&world, Role::Dispatcher).await["news"], json!([]));
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn an_open_screen_gets_the_organization_once_the_settings_service_has_answered() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.office(|it| (it.is_away, it.timezone) = (true, "Europe/Amsterdam".to_owned()));
    let back = async {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        world.stage.office(|it| it.is_away = false);
    };
    // The first message waits for the organization: until then, pages keep what they know.
    let ((_socket, user), ()) = tokio::join!(subscriber(&world, &address, Role::Dispatcher), back);
    assert_eq!(user["organization"]["timezone"], "Europe/Amsterdam");
}

#[tokio::test]
async fn the_organization_is_what_was_set_and_what_was_known_holds() {
    let world = World::new();
    listening(&world).await;
    world.stage.office(|it| it.name = "Acme <Haul>".to_owned());
    set(&world, "organization-name", "Acme <Haul>").await;
    for _ in 0..100 {
        if me(&world, Role::Viewer).await["organization"]["name"] == "Acme <Haul>" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let before = world.stage.calls("setting organization-name").len();
    for _ in 0..5 {
        let organization = me(&world, Role::Viewer).await["organization"].clone();
        assert_eq!(organization, json!({ "name": "Acme <Haul>", "timezone": "Asia/Manila" }));
    }
    assert!(world.stage.calls("setting organization-name").len() <= before + 1, "it is kept for a while");

    world.stage.office(|it| it.is_away = true);
    set(&world, "organization-time-zone", "Europe/Paris").await;
    assert_eq!(me(&world, Role::Viewer).await["organization"]["name"], "Acme <Haul>");
}

#[tokio::test]
async fn an_open_screen_hears_of_news_at_once() {
    let world = World::new();
    let address = listening(&world).await;
    let (mut socket, user) = subscriber(&world, &address, Role::Dispatcher).await;
    assert_eq!(user, me(&world, Role::Dispatcher).await, "the same as it is asked for");

    world.stage.office(|it| it.announcements = vec![said("a", "First", false)]);
    announced(&world, "").await;
    assert_eq!(told(&mut socket).await["news"], json!(["First"]));
    // An announcement's change that concerns only another user, and a setting that screens do not get, cause
    // no message.
    announced(&world, "u2").await;
    set(&world, "driver-logs-keep-days", "4").await;
    socket.nothing_for(Duration::from_millis(800)).await;
    world.stage.office(|it| it.announcements[0].dismissed = true);
    announced(&world, "u1").await;
    assert_eq!(told(&mut socket).await["news"], json!([]));
    world.stage.office(|it| it.name = "Acme".to_owned());
    set(&world, "organization-name", "Acme").await;
    assert_eq!(told(&mut socket).await["organization"]["name"], "Acme");

    // What was shown a moment ago stays when the service goes down.
    world.stage.office(|it| it.announcements[0].dismissed = false);
    announced(&world, "").await;
    assert_eq!(told(&mut socket).await["news"], json!(["First"]));
    world.stage.office(|it| it.is_away = true);
    announced(&world, "").await;
    assert_eq!(told(&mut socket).await["news"], json!(["First"]));
}

#[tokio::test]
async fn a_burst_of_changes_is_a_few_messages() {
    let world = World::new();
    let address = listening(&world).await;
    let (mut socket, _) = subscriber(&world, &address, Role::Viewer).await;
    let before = world.stage.calls("news").len();
    for _ in 0..50 {
        announced(&world, "").await;
    }
    told(&mut socket).await;
    socket.nothing_for(Duration::from_millis(1_500)).await;
    assert!(world.stage.calls("news").len() <= before + 2, "{:?}", world.stage.calls("news").len());
}

#[tokio::test]
async fn it_ends_with_the_session() {
    let world = World::new();
    let address = listening(&world).await;
    let (mut socket, _) = subscriber(&world, &address, Role::Viewer).await;
    world.stage.end_all();
    announced(&world, "").await;
    // A message that was in progress when the session ended may still arrive, for a second.
    let code = loop {
        if let Err(code) = socket.next().await {
            break code;
        }
    };
    assert_eq!(code, 4401);
}

#[tokio::test]
async fn what_screens_say_of_rules_is_what_was_set() {
    let world = World::with(|config| config.imports.max_file_bytes = 1_000_000);
    let before = me(&world, Role::Viewer).await["settings"].clone();
    assert_eq!(before["failedAttemptProof"], "photo_or_note");
    assert_eq!(before["maxImportBytes"], 1_000_000);

    let address = listening(&world).await;
    let (mut socket, _) = subscriber(&world, &address, Role::Dispatcher).await;
    world.stage.office(|it| {
        it.values = [
            ("delivery-failed-attempt-proof", "photo"),
            ("delivery-proof", "signature,recipientName"),
            ("delivery-max-attachment-size", "25"),
            ("driver-online-seconds", "30"),
        ]
        .map(|(id, value)| (id, value.to_owned()))
        .into();
    });
    set(&world, "delivery-failed-attempt-proof", "photo").await;
    let rules = told(&mut socket).await["settings"].clone();
    assert_eq!(
        json!([
            rules["failedAttemptProof"],
            rules["proof"],
            rules["maxAttachmentBytes"],
            rules["driverOnlineSeconds"],
        ]),
        json!(["photo", ["signature", "recipientName"], 25 << 20, 30]),
        "an open screen hears of it"
    );
}

#[tokio::test]
async fn a_page_that_sets_up_a_phone_knows_the_address_in_force() {
    let world = World::with(|config| {
        config.ingest.port = 5263;
        config.ingest.public_url = "https://trackers.example.com".to_owned();
    });
    assert_eq!(
        me(&world, Role::Viewer).await["tracking"],
        json!({ "enabled": true, "url": "https://trackers.example.com", "host": "127.0.0.1", "port": 5263,
                "path": "/", "onPublicPort": false })
    );
}
