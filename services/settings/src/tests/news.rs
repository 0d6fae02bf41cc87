//! Which announcements readers see, and what happens when they mark or dismiss them.

use proto::events::{EndpointPaused, EndpointResumed, Envelope};
use proto::settings::v1::announcements_service_server::AnnouncementsService;
use proto::settings::v1::*;
use sea_orm::{ColumnTrait, QueryFilter};

use super::announcements::{content, create, edit, get, service};
use super::office::*;
use super::*;

async fn news(world: &World, who: &Principal) -> Vec<MyAnnouncement> {
    let request = by(who.clone(), ListMyAnnouncementsRequest {});
    good(service(world).list_my_announcements(request).await).announcements
}

async fn titles(world: &World, who: &Principal) -> Vec<String> {
    news(world, who).await.into_iter().map(|it| it.title).collect()
}

async fn mark(world: &World, who: &Principal, ids: &[&str], dismiss: bool) {
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    let request = by(who.clone(), MarkAnnouncementsRequest { ids, dismiss });
    good(service(world).mark_announcements(request).await);
}

async fn seen(world: &World, id: &str) -> u64 {
    get(world, id).await.seen_count
}

store::on_both!(each_is_shown_what_is_meant_for_them, Migrator, |db: Db| async move {
    let world = start(db).await;
    let list = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let for_whom = [
        ("everybody", list(&[]), list(&[])),
        ("admins", list(&["admin"]), list(&[])),
        ("planners", list(&["transport_planner"]), list(&[])),
        ("dispatchers and viewers", list(&["dispatcher", "viewer"]), list(&[])),
        ("Ben", list(&[]), list(&["Ben"])),
        ("viewers and ana", list(&["viewer"]), list(&["ana"])),
        // A username is treated neither as a pattern nor as a role.
        ("odd names", list(&[]), list(&["%", "be_", "role:viewer", "everybody", "|"])),
    ];
    for (title, audience_roles, audience_users) in for_whom {
        create(&world, AnnouncementInput { audience_roles, audience_users, ..content(&world, title) }).await;
        world.clock.advance(Duration::seconds(1));
    }
    let shown = [
        (person("maria", &[Role::Admin]), vec!["admins", "everybody"]),
        (person("pia", &[Role::TransportPlanner]), vec!["planners", "everybody"]),
        (person("BEN", &[Role::Dispatcher]), vec!["Ben", "dispatchers and viewers", "everybody"]),
        (person("Ana", &[Role::Admin]), vec!["viewers and ana", "admins", "everybody"]),
        // Ana's account before an administrator has given it a role.
        (person("Ana", &[]), vec!["viewers and ana", "everybody"]),
        (
            person("vic", &[Role::Viewer, Role::Admin]),
            vec!["viewers and ana", "dispatchers and viewers", "admins", "everybody"],
        ),
    ];
    for (who, expected) in shown {
        assert_eq!(titles(&world, &who).await, expected, "{who:?}");
    }
    for who in [person("ben", &[Role::Driver]), Principal::Service { name: "gateway".into() }] {
        let ask = by(who.clone(), ListMyAnnouncementsRequest {});
        assert_eq!(refused(service(&world).list_my_announcements(ask).await).kind, Kind::Forbidden);
        let mark = by(who, MarkAnnouncementsRequest::default());
        assert_eq!(refused(service(&world).mark_announcements(mark).await).kind, Kind::Forbidden);
    }
});

store::on_both!(a_window_opens_and_closes_to_the_microsecond, Migrator, |db: Db| async move {
    let world = start(db).await;
    let ben = person("ben", &[Role::Dispatcher]);
    let now = world.clock.now();
    let window = AnnouncementInput {
        starts_at: Some(proto::timestamp(now + Duration::seconds(10))),
        ends_at: Some(proto::timestamp(now + Duration::seconds(20))),
        ..content(&world, "Ten seconds")
    };
    let it = create(&world, window).await;
    let almost = Duration::seconds(10) - Duration::microseconds(1);
    world.clock.advance(almost);
    assert_eq!(titles(&world, &ben).await.len(), 0, "a microsecond before");
    mark(&world, &ben, &[&it.id], true).await;
    assert_eq!(seen(&world, &it.id).await, 0, "what is not shown is not seen");
    world.clock.advance(Duration::microseconds(1));
    let shown = news(&world, &ben).await;
    assert_eq!(shown[0].starts_at, Some(proto::timestamp(world.clock.now())), "the start is included");
    world.clock.advance(almost);
    assert_eq!(titles(&world, &ben).await, ["Ten seconds"]);
    world.clock.advance(Duration::microseconds(1));
    assert_eq!(titles(&world, &ben).await.len(), 0, "the end is not");
    // Without an end, the announcement stays. When switched off, it disappears immediately.
    let it = edit(&world, &it, |it| it.ends_at = None).await;
    assert_eq!(titles(&world, &ben).await, ["Ten seconds"]);
    edit(&world, &it, |it| it.is_active = false).await;
    assert_eq!(titles(&world, &ben).await.len(), 0);
});

store::on_both!(twenty_are_shown_the_newest_first, Migrator, |db: Db| async move {
    let world = start(db).await;
    for number in 0..23 {
        create(&world, content(&world, &format!("Number {number}"))).await;
        world.clock.advance(Duration::seconds(1));
    }
    let expected: Vec<String> = (3..23).rev().map(|number| format!("Number {number}")).collect();
    assert_eq!(titles(&world, &person("ben", &[Role::Viewer])).await, expected);
});

store::on_both!(what_is_dismissed_takes_no_place_of_what_is_not, Migrator, |db: Db| async move {
    let world = start(db).await;
    let ben = person("ben", &[Role::Viewer]);
    let stays = AnnouncementInput { dismissible: false, ..content(&world, "Stays") };
    create(&world, stays).await;
    world.clock.advance(Duration::seconds(1));
    create(&world, content(&world, "Unread")).await;
    let mut newer = Vec::new();
    for number in 0..20 {
        world.clock.advance(Duration::seconds(1));
        newer.push(create(&world, content(&world, &format!("Number {number}"))).await.id);
    }
    mark(&world, &ben, &newer.iter().map(String::as_str).collect::<Vec<_>>(), true).await;
    let shown = news(&world, &ben).await;
    assert_eq!(shown.len(), 20);
    let open: Vec<_> = shown.iter().filter(|it| !it.dismissed).map(|it| it.title.as_str()).collect();
    assert_eq!(open, ["Unread", "Stays"]);
    assert_eq!((shown[0].title.as_str(), shown[17].title.as_str()), ("Number 19", "Number 2"));
    let ana = titles(&world, &person("ana", &[Role::Viewer])).await;
    assert_eq!((ana.len(), ana[19].as_str()), (20, "Number 0"), "each for themselves");
});

store::on_both!(what_is_dismissed_stays_so_until_it_says_something_else, Migrator, |db: Db| async move {
    let world = start(db).await;
    let (ben, ana) = (person("ben", &[Role::Viewer]), person("ana", &[Role::Viewer]));
    let stays = AnnouncementInput { dismissible: false, ..content(&world, "Stays") };
    let stays = create(&world, stays).await;
    let it = create(&world, content(&world, "Gate 3")).await;
    let both = [it.id.as_str(), stays.id.as_str()];
    assert!(news(&world, &ben).await.iter().all(|it| !it.seen));
    mark(&world, &ben, &both, false).await;
    assert!(news(&world, &ben).await.iter().all(|it| it.seen));
    assert!(news(&world, &ana).await.iter().all(|it| !it.seen), "each for themselves");
    let flags = |of: Vec<MyAnnouncement>| -> Vec<(String, bool)> {
        let mut all: Vec<_> = of.into_iter().map(|it| (it.title, it.dismissed)).collect();
        all.sort();
        all
    };
    let expect = |gate: bool| vec![("Gate 3".to_owned(), gate), ("Stays".to_owned(), false)];
    assert_eq!(flags(news(&world, &ben).await), expect(false), "seen is not dismissed");
    let before = events(world.db()).await.len();
    assert_eq!(before, 4, "two were made, two were seen");
    mark(&world, &ben, &both, true).await;
    mark(&world, &ben, &both, true).await;
    assert_eq!(flags(news(&world, &ben).await), expect(true), "what is not dismissible is only seen");
    assert_eq!(flags(news(&world, &ana).await), expect(false), "each for themselves");
    let told = events(world.db()).await;
    assert_eq!(told.len(), before + 1, "told once, and not again of what was seen");
    let Some(Payload::AnnouncementChanged(last)) = &told[before].payload else { panic!("another event") };
    assert_eq!((last.id.as_str(), last.seen_by.as_str()), (it.id.as_str(), "id of ben"));
    assert_eq!((seen(&world, &it.id).await, seen(&world, &stays.id).await), (1, 1));

    let edited = edit(&world, &get(&world, &it.id).await, |it| it.is_active = true).await;
    assert_eq!(flags(news(&world, &ben).await), expect(true), "it says the same");
    assert!(news(&world, &ben).await.iter().all(|it| it.seen));
    let edited = edit(&world, &edited, |it| it.dismissible = false).await;
    assert_eq!(flags(news(&world, &ben).await), expect(false), "it is to stay now");
    let edited = edit(&world, &edited, |it| it.dismissible = true).await;
    assert_eq!(flags(news(&world, &ben).await), expect(true));
    let edited = edit(&world, &edited, |it| it.severity = AnnouncementSeverity::Critical.into()).await;
    assert_eq!(flags(news(&world, &ben).await), expect(false), "graver than before");
    mark(&world, &ben, &both, true).await;
    edit(&world, &edited, |it| it.message = "Gate 4 as well.".into()).await;
    assert_eq!(flags(news(&world, &ben).await), expect(false), "other words");
    let unseen: Vec<_> =
        news(&world, &ben).await.into_iter().filter(|it| !it.seen).map(|it| it.title).collect();
    assert_eq!(unseen, ["Gate 3"], "new to them again");
    mark(&world, &ben, &both, false).await;
    assert!(news(&world, &ben).await.iter().all(|it| it.seen));
    assert_eq!(seen(&world, &it.id).await, 1, "seen once, however often");
});

store::on_both!(only_what_concerns_the_caller_is_marked, Migrator, |db: Db| async move {
    let world = start(db).await;
    let ben = person("ben", &[Role::Viewer]);
    let admins = AnnouncementInput { audience_roles: vec!["admin".into()], ..content(&world, "Admins") };
    let admins = create(&world, admins).await;
    let own = create(&world, content(&world, "Everybody")).await;
    let nobodys = new_id().to_string();
    mark(&world, &ben, &[&admins.id, &own.id, &own.id, &nobodys, "no id", ""], true).await;
    assert_eq!((seen(&world, &admins.id).await, seen(&world, &own.id).await), (0, 1));
    assert_eq!(get(&world, &own.id).await.version, 1, "who has seen it is no edit");
    let many = MarkAnnouncementsRequest { ids: vec![own.id.clone(); 101], dismiss: false };
    let error = refused(service(&world).mark_announcements(by(ben.clone(), many)).await);
    assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["ids"]);
    mark(&world, &ben, &[own.id.as_str(); 100], false).await;
    mark(&world, &ben, &[], true).await;
    // Readers' states are deleted with the announcement.
    let request = DeleteAnnouncementRequest { id: own.id.clone(), version: 1 };
    good(service(&world).delete_announcement(admin(request)).await);
    let views = crate::entity::announcement_view::Entity::find().count(world.db().read()).await.unwrap();
    let audiences = crate::entity::announcement_audience::Entity::find().count(world.db().read()).await;
    assert_eq!((views, audiences.unwrap()), (0, 1));
});

store::on_both!(
    who_has_seen_it_is_counted_once_whoever_marks_at_the_same_time,
    Migrator,
    |db: Db| async move {
        const USERS: usize = 24;
        let world = start(db).await;
        let mut ids = Vec::new();
        for number in 0..3 {
            ids.push(create(&world, content(&world, &format!("Number {number}"))).await.id);
        }
        // Each reader marks in two windows at the same time and in different orders, while an administrator
        // edits.
        let readers = (0..2 * USERS).map(|number| {
            let (world, mut ids) = (world.clone(), ids.clone());
            tokio::spawn(async move {
                let who = person(&format!("user-{}", number / 2), &[Role::Viewer]);
                ids.rotate_left(number % 3);
                let request = MarkAnnouncementsRequest { ids, dismiss: number % 2 == 0 };
                loop {
                    match service(&world).mark_announcements(by(who.clone(), request.clone())).await {
                        Ok(_) => return,
                        Err(status) if Error::from(status.clone()).kind == Kind::Unavailable => {}
                        Err(status) => panic!("{status}"),
                    }
                }
            })
        });
        let readers: Vec<_> = readers.collect();
        edit(&world, &get(&world, &ids[0]).await, |it| it.title = "Meanwhile".into()).await;
        for reader in readers {
            reader.await.unwrap();
        }
        for id in &ids {
            assert_eq!(seen(&world, id).await, USERS as u64);
        }
        let views = crate::entity::announcement_view::Entity::find().count(world.db().read()).await.unwrap();
        assert_eq!(views, 3 * USERS as u64);
        let told = events(world.db()).await.into_iter().filter_map(|it| match it.payload {
            Some(Payload::AnnouncementChanged(told)) if !told.seen_by.is_empty() => {
                Some((told.seen_by, told.id))
            }
            _ => None,
        });
        let told: Vec<_> = told.collect();
        // Seeing an announcement does not change its version, but each event gets a new sequence.
        let mut sequences: std::collections::BTreeMap<_, Vec<u64>> = Default::default();
        for event in events(world.db()).await {
            sequences.entry(event.aggregate_id).or_default().push(event.sequence);
        }
        for mut found in sequences.into_values() {
            found.sort_unstable();
            assert_eq!(found, (1..=found.len() as u64).collect::<Vec<_>>());
        }
        // A user who first saw an announcement and then dismissed it causes two events.
        let each: std::collections::BTreeSet<_> = told.iter().cloned().collect();
        assert_eq!(each.len(), 3 * USERS);
        assert!((3 * USERS..=6 * USERS).contains(&told.len()), "{}", told.len());
        let dismissed = crate::entity::announcement_view::Column::DismissedAt.is_not_null();
        let dismissed =
            crate::entity::announcement_view::Entity::find().filter(dismissed).count(world.db().read());
        assert_eq!(dismissed.await.unwrap(), 3 * USERS as u64);
    }
);

/// Handles an event of deliveries about an endpoint, as the consumer of this name does.
async fn handle(world: &World, consumer: &str, at: DateTime<Utc>, payload: Payload) {
    let envelope = Envelope {
        id: new_id().to_string(),
        occurred_at: Some(proto::timestamp(at)),
        actor: "system:deliveries".into(),
        payload: Some(payload),
        ..Default::default()
    };
    let consumers = crate::events::consumers(&world.context);
    let consumer = consumers.iter().find(|it| it.name == consumer).unwrap();
    consumer.handler.handle(&envelope).await.unwrap();
}

async fn paused(world: &World, id: &str, at: DateTime<Utc>) {
    let paused = EndpointPaused { id: id.into(), name: "ERP".into(), failures: 50 };
    handle(world, "settings-endpoints", at, Payload::EndpointPaused(paused)).await;
}

async fn resumed(world: &World, id: &str, paused_at: DateTime<Utc>) {
    let resumed = EndpointResumed { id: id.into(), paused_at: Some(proto::timestamp(paused_at)) };
    handle(world, "settings-resumed", world.clock.now(), Payload::EndpointResumed(resumed)).await;
}

store::on_both!(the_announcement_of_a_pause_ends_with_the_pause, Migrator, |db: Db| async move {
    let world = start(db).await;
    let maria = person("maria", &[Role::Admin]);
    let (erp, other) = (new_id().to_string(), new_id().to_string());
    let first = world.clock.now();
    paused(&world, &erp, first).await;
    paused(&world, &other, first).await;
    assert_eq!(titles(&world, &maria).await, ["Sending is paused", "Sending is paused"]);
    world.clock.advance(Duration::seconds(60));
    resumed(&world, &erp, first).await;
    assert_eq!(titles(&world, &maria).await.len(), 1, "the other endpoint is still paused");
    resumed(&world, &other, first).await;
    assert_eq!(titles(&world, &maria).await.len(), 0);
    // Paused again. The end of the first pause comes once more, and ends nothing.
    let second = world.clock.now();
    paused(&world, &erp, second).await;
    resumed(&world, &erp, first).await;
    assert_eq!(titles(&world, &maria).await, ["Sending is paused"]);
    // A later pause replaces the announcement of the one before.
    world.clock.advance(Duration::seconds(60));
    let third = world.clock.now();
    paused(&world, &erp, third).await;
    assert_eq!(titles(&world, &maria).await.len(), 1);
    resumed(&world, &erp, third).await;
    assert_eq!(titles(&world, &maria).await.len(), 0);
});

store::on_both!(a_pause_that_ended_before_it_was_heard_of_is_not_announced, Migrator, |db: Db| async move {
    let world = start(db).await;
    let maria = person("maria", &[Role::Admin]);
    let (erp, at) = (new_id().to_string(), world.clock.now());
    world.clock.advance(Duration::seconds(60));
    resumed(&world, &erp, at).await;
    paused(&world, &erp, at).await;
    assert_eq!(titles(&world, &maria).await.len(), 0);
    paused(&world, &erp, world.clock.now()).await;
    assert_eq!(titles(&world, &maria).await.len(), 1, "the next pause is");
});
