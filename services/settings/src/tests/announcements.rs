use proto::settings::v1::announcements_service_server::AnnouncementsService;
use proto::settings::v1::*;

use super::office::*;
use super::*;

pub(super) fn service(world: &World) -> crate::rpc::announcements::Service {
    crate::rpc::announcements::Service { shared: crate::rpc::Shared { context: world.context.clone() } }
}

/// Returns an announcement for everybody that began an hour ago and has no end.
pub(super) fn content(world: &World, title: &str) -> AnnouncementInput {
    AnnouncementInput {
        title: title.into(),
        message: format!("What {title} is about."),
        severity: AnnouncementSeverity::Info.into(),
        starts_at: Some(proto::timestamp(world.clock.now() - Duration::hours(1))),
        is_active: true,
        dismissible: true,
        ..Default::default()
    }
}

pub(super) async fn create(world: &World, content: AnnouncementInput) -> Announcement {
    let request = CreateAnnouncementRequest { creation_id: new_id().to_string(), content: Some(content) };
    good(service(world).create_announcement(admin(request)).await)
}

pub(super) async fn edit(
    world: &World,
    it: &Announcement,
    change: impl FnOnce(&mut AnnouncementInput),
) -> Announcement {
    let mut content = it.content.clone().unwrap();
    change(&mut content);
    let request =
        UpdateAnnouncementRequest { id: it.id.clone(), version: it.version, content: Some(content) };
    good(service(world).update_announcement(admin(request)).await)
}

pub(super) async fn get(world: &World, id: &str) -> Announcement {
    good(service(world).get_announcement(admin(GetAnnouncementRequest { id: id.into() })).await)
}

async fn delete(world: &World, id: &str, version: u64) -> Result<(), Error> {
    let request = DeleteAnnouncementRequest { id: id.into(), version };
    service(world).delete_announcement(admin(request)).await.map(|_| ()).map_err(Error::from)
}

async fn titles(world: &World, page: Page) -> Vec<String> {
    let request = ListAnnouncementsRequest { page: Some(page) };
    let listed = good(service(world).list_announcements(admin(request)).await).announcements;
    listed.into_iter().map(|it| it.content.unwrap().title).collect()
}

store::on_both!(an_announcement_is_made_edited_and_deleted_and_each_is_told, Migrator, |db: Db| async move {
    let world = start(db).await;
    let input = AnnouncementInput {
        title: " Gate 3 ".into(),
        severity: AnnouncementSeverity::Critical.into(),
        audience_roles: vec!["viewer".into(), "admin".into()],
        audience_users: vec!["Ben".into()],
        ends_at: Some(proto::timestamp(at("2026-11-22T00:00:00Z"))),
        ..content(&world, "Gate 3")
    };
    let made = create(&world, input.clone()).await;
    let there = made.content.clone().unwrap();
    let kept = AnnouncementInput {
        title: "Gate 3".into(),
        audience_roles: vec!["admin".into(), "viewer".into()],
        ..input
    };
    assert_eq!(there, kept);
    assert_eq!((made.version, made.seen_count, made.created_by.as_str()), (1, 0, "admin-1"));
    assert_eq!(get(&world, &made.id).await, made);

    world.clock.advance(Duration::seconds(5));
    let edited = edit(&world, &made, |it| it.message = "Open again.".into()).await;
    assert_eq!((edited.version, edited.created_at), (2, made.created_at));
    assert_eq!(edited.updated_at, Some(proto::timestamp(world.clock.now())));
    assert_eq!(edited.content.as_ref().unwrap().message, "Open again.");

    let error = delete(&world, &made.id, 1).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "ANNOUNCEMENT_CHANGED"));
    delete(&world, &made.id, 2).await.unwrap();
    delete(&world, &made.id, 2).await.unwrap();
    delete(&world, "no id at all", 1).await.unwrap();
    let gone = GetAnnouncementRequest { id: made.id.clone() };
    let error = refused(service(&world).get_announcement(admin(gone)).await);
    assert_eq!((error.kind, error.reason.as_str()), (Kind::NotFound, "ANNOUNCEMENT_NOT_FOUND"));

    let told: Vec<_> = events(world.db()).await.into_iter().map(|it| (it.aggregate_version, it)).collect();
    let told: Vec<_> = told
        .iter()
        .map(|(version, it)| {
            assert_eq!(it.subject, "waybill.settings.announcement.changed.v1");
            assert_eq!(it.aggregate_id, made.id);
            let Some(Payload::AnnouncementChanged(told)) = &it.payload else { panic!("another event") };
            assert_eq!((told.id.as_str(), told.seen_by.as_str()), (made.id.as_str(), ""));
            (*version, it.sequence, told.deleted)
        })
        .collect();
    assert_eq!(told, [(1, 1, false), (2, 2, false), (3, 3, true)]);
});

store::on_both!(the_same_creation_again_gives_the_same_announcement, Migrator, |db: Db| async move {
    let world = start(db).await;
    let id = new_id().to_string();
    let input = content(&world, "Gate 3");
    let request = |content: AnnouncementInput| CreateAnnouncementRequest {
        creation_id: id.clone(),
        content: Some(content),
    };
    let at_once = (0..8).map(|_| {
        let (world, request) = (world.clone(), request(input.clone()));
        tokio::spawn(async move { good(service(&world).create_announcement(admin(request)).await).id })
    });
    let mut ids = Vec::new();
    for made in at_once.collect::<Vec<_>>() {
        ids.push(made.await.unwrap());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(events(world.db()).await.len(), 1);
    // The retry returns the current form, and does not undo the edit.
    let edited = edit(&world, &get(&world, &ids[0]).await, |it| it.title = "Gate 4".into()).await;
    let again = good(service(&world).create_announcement(admin(request(input.clone()))).await);
    assert_eq!(again, edited);
    let other = request(content(&world, "Another one"));
    let error = refused(service(&world).create_announcement(admin(other)).await);
    assert_eq!((error.kind, error.reason.as_str()), (Kind::InvalidInput, "CREATION_ID_REUSED"));
    for bad in ["", "7", "not-a-uuid"] {
        let request = CreateAnnouncementRequest { creation_id: bad.into(), content: Some(input.clone()) };
        let error = refused(service(&world).create_announcement(admin(request)).await);
        assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["creationId"], "{bad}");
    }
});

store::on_both!(only_administrators_write_and_list_announcements, Migrator, |db: Db| async move {
    let world = start(db).await;
    let made = create(&world, content(&world, "Gate 3")).await;
    let service = service(&world);
    for who in others() {
        let list = by(who.clone(), ListAnnouncementsRequest::default());
        let count = by(who.clone(), CountRequest::default());
        let get = by(who.clone(), GetAnnouncementRequest { id: made.id.clone() });
        let create = by(who.clone(), CreateAnnouncementRequest::default());
        let update =
            by(who.clone(), UpdateAnnouncementRequest { id: made.id.clone(), version: 1, content: None });
        let delete = by(who.clone(), DeleteAnnouncementRequest { id: made.id.clone(), version: 1 });
        let kinds = [
            refused(service.list_announcements(list).await).kind,
            refused(service.count_announcements(count).await).kind,
            refused(service.get_announcement(get).await).kind,
            refused(service.create_announcement(create).await).kind,
            refused(service.update_announcement(update).await).kind,
            refused(service.delete_announcement(delete).await).kind,
        ];
        assert_eq!(kinds, [Kind::Forbidden; 6], "{who:?}");
    }
    let nobody = Request::new(ListAnnouncementsRequest::default());
    assert_eq!(refused(service.list_announcements(nobody).await).kind, Kind::Unauthenticated);
    assert_eq!(get(&world, &made.id).await, made);
});

store::on_both!(what_is_wrong_is_refused_and_changes_nothing, Migrator, |db: Db| async move {
    let world = start(db).await;
    let made = create(&world, content(&world, "Gate 3")).await;
    let bad = AnnouncementInput { message: "one\ntwo".into(), severity: 0, ..content(&world, " ") };
    let request = UpdateAnnouncementRequest { id: made.id.clone(), version: 1, content: Some(bad.clone()) };
    let error = refused(service(&world).update_announcement(admin(request)).await);
    assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["message", "severity", "title"]);
    let request = CreateAnnouncementRequest { creation_id: new_id().to_string(), content: Some(bad) };
    assert_eq!(refused(service(&world).create_announcement(admin(request)).await).reason, "INVALID_FIELDS");
    assert_eq!(get(&world, &made.id).await, made);
    assert_eq!(events(world.db()).await.len(), 1);
    let unknown = UpdateAnnouncementRequest {
        id: new_id().to_string(),
        version: 1,
        content: Some(content(&world, "Gate 3")),
    };
    let error = refused(service(&world).update_announcement(admin(unknown)).await);
    assert_eq!(error.reason, "ANNOUNCEMENT_NOT_FOUND");
});

store::on_both!(the_list_is_filtered_by_state_and_sorted, Migrator, |db: Db| async move {
    let world = start(db).await;
    let now = world.clock.now();
    let at = |minutes: i64| Some(proto::timestamp(now + Duration::minutes(minutes)));
    let plain = |title: &str| content(&world, title);
    create(&world, AnnouncementInput { starts_at: at(0), ..plain("begins now") }).await;
    create(&world, AnnouncementInput { starts_at: at(-30), ends_at: at(1), ..plain("ends soon") }).await;
    create(&world, AnnouncementInput { starts_at: at(-40), ends_at: at(0), ..plain("ends now") }).await;
    create(&world, AnnouncementInput { starts_at: at(5), ..plain("begins soon") }).await;
    let off = AnnouncementInput {
        starts_at: at(-50),
        is_active: false,
        severity: AnnouncementSeverity::Warning.into(),
        audience_roles: vec!["viewer".into()],
        ..plain("off")
    };
    create(&world, off).await;
    let of = |filters: Vec<Filter>| titles(&world, Page { r#where: filters, ..Default::default() });
    let all = ["begins soon", "begins now", "ends soon", "ends now", "off"];
    assert_eq!(of(vec![]).await, all, "the newest first");
    let state = |operator: &str, values: &[&str]| of(vec![filter("state", operator, values)]);
    assert_eq!(state("equals", &["active"]).await, ["begins now", "ends soon"]);
    assert_eq!(state("equals", &["Scheduled"]).await, ["begins soon"]);
    assert_eq!(state("equals", &["ended"]).await, ["ends now"]);
    assert_eq!(state("equals", &["off", "ended"]).await, ["ends now", "off"]);
    assert_eq!(state("!equals", &["active", "off"]).await, ["begins soon", "ends now"]);
    let both = vec![filter("state", "equals", &["active"]), filter("title", "contains", &["SOON"])];
    assert_eq!(of(both.clone()).await, ["ends soon"]);
    assert_eq!(of(vec![filter("severity", "equals", &["warning"])]).await, ["off"]);
    assert_eq!(of(vec![filter("audienceRoles", "equals", &["viewer"])]).await, ["off"]);
    assert_eq!(of(vec![filter("message", "contains", &["ends NOW is"])]).await, ["ends now"]);
    assert_eq!(of(vec![filter("createdBy", "equals", &["Admin-1"])]).await, all);
    assert_eq!(of(vec![filter("isActive", "equals", &["false"])]).await, ["off"]);
    let by_title = Page { sort: vec![sort("title", SortDirection::Asc)], limit: 2, ..Default::default() };
    assert_eq!(titles(&world, by_title).await, ["begins now", "begins soon"]);
    let count = CountRequest { r#where: both };
    let count = good(service(&world).count_announcements(admin(count)).await);
    assert_eq!((count.total, count.exact), (1, true));
    for (filter, reason) in [
        (filter("state", "contains", &["active"]), "FILTER_OPERATOR_UNSUITED"),
        (filter("state", "equals", &["gone"]), "FILTER_VALUE_UNKNOWN"),
        (filter("state", "equals", &[]), "FILTER_VALUES"),
        (filter("state", "!equals", &[]), "FILTER_VALUES"),
        (filter("state", "equals", &["off"; 51]), "FILTER_VALUES"),
        (filter("dismissible", "equals", &["true"]), "FIELD_UNKNOWN"),
    ] {
        let page = Some(Page { r#where: vec![filter], ..Default::default() });
        let error =
            refused(service(&world).list_announcements(admin(ListAnnouncementsRequest { page })).await);
        assert_eq!(error.reason, reason);
    }
});

store::on_both!(no_edit_of_64_editors_of_10_announcements_is_lost, Migrator, |db: Db| async move {
    const EDITORS: usize = 64;
    const ROWS: usize = 10;
    let world = start(db).await;
    let mut ids = Vec::new();
    for row in 0..ROWS {
        ids.push(create(&world, content(&world, &format!("Row {row}"))).await.id);
    }
    let editors = (0..EDITORS).map(|editor| {
        let (world, id) = (world.clone(), ids[editor % ROWS].clone());
        tokio::spawn(async move {
            loop {
                let seen = get(&world, &id).await;
                let content = AnnouncementInput { title: format!("By {editor}"), ..seen.content.unwrap() };
                let request = UpdateAnnouncementRequest {
                    id: id.clone(),
                    version: seen.version,
                    content: Some(content),
                };
                match service(&world).update_announcement(admin(request)).await.map_err(Error::from) {
                    Ok(done) => return (id, done.into_inner().version),
                    Err(error) if error.reason == "ANNOUNCEMENT_CHANGED" => {}
                    Err(error) if error.kind == Kind::Unavailable => {}
                    Err(error) => panic!("{error}"),
                }
            }
        })
    });
    let mut made = Vec::new();
    for editor in editors.collect::<Vec<_>>() {
        made.push(editor.await.unwrap());
    }
    for (id, last) in chains(made) {
        assert_eq!(get(&world, &id).await.version, last);
    }
    assert_eq!(events(world.db()).await.len(), EDITORS + ROWS);
});

store::on_both!(a_thousand_announcements_are_kept_and_no_more, Migrator, |db: Db| async move {
    let world = start(db).await;
    let tx = world.db().begin().await.unwrap();
    store::counter::add(&*tx, "announcement", 998).await.unwrap();
    tx.commit().await.unwrap();
    create(&world, content(&world, "Number 999")).await;
    let at_once = (0..4).map(|number| {
        let world = world.clone();
        tokio::spawn(async move {
            let content = Some(content(&world, &format!("Number {}", 1_000 + number)));
            let request = CreateAnnouncementRequest { creation_id: new_id().to_string(), content };
            service(&world).create_announcement(admin(request)).await.map_err(Error::from)
        })
    });
    let (mut made, mut refusals) = (Vec::new(), Vec::new());
    for answer in at_once.collect::<Vec<_>>() {
        match answer.await.unwrap() {
            Ok(answer) => made.push(answer.into_inner()),
            Err(error) => refusals.push(error.reason),
        }
    }
    assert_eq!((made.len(), refusals), (1, vec!["TOO_MANY_ANNOUNCEMENTS".to_owned(); 3]));
    assert_eq!(crate::entity::announcement::Entity::find().count(world.db().read()).await.unwrap(), 2);
    delete(&world, &made[0].id, 1).await.unwrap();
    create(&world, content(&world, "In its place")).await;
});
