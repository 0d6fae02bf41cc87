use proto::settings::v1::report_settings_service_server::ReportSettingsService;
use proto::settings::v1::*;

use super::office::*;
use super::*;

fn service(world: &World) -> crate::rpc::report_settings::Service {
    crate::rpc::report_settings::Service { shared: crate::rpc::Shared { context: world.context.clone() } }
}

fn content(name: &str) -> ReportSettingInput {
    let column = |member: &str| ReportColumn { member: member.into(), visible: true, ..Default::default() };
    ReportSettingInput {
        name: name.into(),
        report_key: "drivers".into(),
        columns: vec![
            ReportColumn { label: "Who".into(), width: Some(240), ..column("Driver.driverName") },
            ReportColumn { visible: false, ..column("Driver.driverId") },
            column("Delivery.count"),
        ],
        default_filters: vec![filter("Delivery.trucker", "startsWith", &["Alon"])],
        range_days: 30,
        granularity: Granularity::Week.into(),
        group_by: vec!["Driver.driverName".into()],
        sort: vec![ReportSort { member: "Delivery.count".into(), direction: SortDirection::Desc.into() }],
        format: ReportFormat::Pdf.into(),
        is_active: true,
    }
}

async fn make(world: &World, content: ReportSettingInput) -> Result<ReportSetting, Error> {
    let request = CreateReportSettingRequest { creation_id: new_id().to_string(), content: Some(content) };
    service(world).create_report_setting(admin(request)).await.map(Response::into_inner).map_err(Error::from)
}

async fn save(
    world: &World,
    it: &ReportSetting,
    content: ReportSettingInput,
) -> Result<ReportSetting, Error> {
    let request =
        UpdateReportSettingRequest { id: it.id.clone(), version: it.version, content: Some(content) };
    service(world).update_report_setting(admin(request)).await.map(Response::into_inner).map_err(Error::from)
}

async fn get(world: &World, id: &str) -> ReportSetting {
    good(service(world).get_report_setting(admin(GetReportSettingRequest { id: id.into() })).await)
}

async fn list(world: &World, page: Page) -> Vec<ReportSetting> {
    let request = ListReportSettingsRequest { page: Some(page) };
    good(service(world).list_report_settings(admin(request)).await).report_settings
}

fn names(of: Vec<ReportSetting>) -> Vec<String> {
    of.into_iter().map(|it| it.content.unwrap().name).collect()
}

async fn remove(world: &World, id: &str, version: u64) -> Result<(), Error> {
    let request = DeleteReportSettingRequest { id: id.into(), version };
    service(world).delete_report_setting(admin(request)).await.map(|_| ()).map_err(Error::from)
}

const FIRST: [&str; 4] = ["Deliveries by day", "Drivers", "Outcomes by customer", "Variances by reason"];

store::on_both!(four_are_there_to_begin_with_and_what_is_deleted_stays_away, Migrator, |db: Db| async move {
    let world = start(db.clone()).await;
    let first = list(&world, Page::default()).await;
    assert_eq!(names(first.clone()), FIRST);
    for it in &first {
        assert_eq!((it.created_by.as_str(), it.version), ("system:settings", 1));
        let content = it.content.clone().unwrap();
        assert_eq!((content.is_active, content.range_days), (true, 7));
        // The initial definitions are valid input.
        let saved = save(&world, it, content.clone()).await.unwrap();
        assert_eq!(saved.content.unwrap(), content);
        remove(&world, &it.id, 2).await.unwrap();
    }
    store::migrate::up::<Migrator>(&db).await.unwrap();
    let world = start(db).await;
    assert_eq!(list(&world, Page::default()).await.len(), 0);
});

store::on_both!(a_definition_is_kept_whole, Migrator, |db: Db| async move {
    let world = start(db).await;
    let made = make(&world, content("Weekly drivers")).await.unwrap();
    assert_eq!(made.content.as_ref().unwrap(), &content("Weekly drivers"));
    assert_eq!((made.version, made.created_by.as_str()), (1, "admin-1"));
    assert_eq!(get(&world, &made.id).await, made);
    world.clock.advance(Duration::seconds(5));
    let other =
        ReportSettingInput { granularity: 0, default_filters: vec![], sort: vec![], ..content("Plain") };
    let saved = save(&world, &made, other.clone()).await.unwrap();
    assert_eq!((saved.version, saved.content.as_ref().unwrap()), (2, &other));
    let error = save(&world, &made, content("Old")).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "REPORT_SETTING_CHANGED"));
    assert_eq!(remove(&world, &made.id, 1).await.unwrap_err().reason, "REPORT_SETTING_CHANGED");
    remove(&world, &made.id, 2).await.unwrap();
    remove(&world, &made.id, 2).await.unwrap();
    remove(&world, "no id", 1).await.unwrap();
    assert_eq!(save(&world, &saved, other).await.unwrap_err().reason, "REPORT_SETTING_NOT_FOUND");
});

store::on_both!(every_report_is_saved_with_a_filter_on_each_dimension, Migrator, |db: Db| async move {
    let world = start(db).await;
    let dimensions =
        || proto::members::MEMBERS.iter().filter(|it| it.kind == proto::members::Kind::Dimension);
    for key in ["customers", "deliveries", "drivers", "shipments", "variances"] {
        let list = ListReportMembersRequest { report_key: key.into() };
        let members = good(service(&world).list_report_members(admin(list)).await).members;
        let grouped =
            members.iter().find(|it| it.kind() == ReportMemberKind::Dimension).unwrap().member.clone();
        let counted =
            members.iter().find(|it| it.kind() == ReportMemberKind::Measure).unwrap().member.clone();
        let column =
            |member: &String| ReportColumn { member: member.clone(), visible: true, ..Default::default() };
        let filters: Vec<_> = dimensions()
            .map(|it| filter(it.name, "equals", &[it.values.first().copied().unwrap_or("a")]))
            .collect();
        let made = ReportSettingInput {
            report_key: key.into(),
            columns: vec![column(&grouped), column(&counted)],
            default_filters: filters.clone(),
            group_by: vec![grouped],
            sort: vec![],
            ..content(&format!("All filters of {key}"))
        };
        let made = make(&world, made).await.unwrap_or_else(|error| panic!("{key}: {:?}", error.fields));
        assert_eq!(get(&world, &made.id).await.content.unwrap().default_filters, filters, "{key}");
    }
});

store::on_both!(names_are_unique_whatever_their_case, Migrator, |db: Db| async move {
    let world = start(db).await;
    let error = make(&world, content("  DRIVERS ")).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::AlreadyExists, "REPORT_SETTING_EXISTS"));
    assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["name"]);
    let made = make(&world, content("Mine")).await.unwrap();
    let error = save(&world, &made, content("deliveries BY day")).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::AlreadyExists, "REPORT_SETTING_EXISTS"));
    assert_eq!(
        save(&world, &made, content("MINE")).await.unwrap().version,
        2,
        "its own name in other letters"
    );
});

store::on_both!(the_same_creation_again_gives_the_same_definition, Migrator, |db: Db| async move {
    let world = start(db).await;
    let id = new_id().to_string();
    let create = |name: &str| {
        let request = CreateReportSettingRequest { creation_id: id.clone(), content: Some(content(name)) };
        let world = world.clone();
        async move { service(&world).create_report_setting(admin(request)).await }
    };
    let (one, two, three) = tokio::join!(create("Mine"), create("Mine"), create("Mine"));
    let (one, two, three) = (good(one), good(two), good(three));
    assert!(one.id == two.id && two.id == three.id);
    assert_eq!(refused(create("Another").await).reason, "CREATION_ID_REUSED");
    assert_eq!(list(&world, Page::default()).await.len(), 5);
});

store::on_both!(administrators_write_and_the_office_reads_those_in_use, Migrator, |db: Db| async move {
    let world = start(db).await;
    let hidden = ReportSettingInput { is_active: false, ..content("Hidden") };
    let hidden = make(&world, hidden).await.unwrap();
    let service = service(&world);
    for who in others() {
        let id = hidden.id.clone();
        let create = by(who.clone(), CreateReportSettingRequest::default());
        let update =
            by(who.clone(), UpdateReportSettingRequest { id: id.clone(), version: 1, content: None });
        let delete = by(who.clone(), DeleteReportSettingRequest { id: id.clone(), version: 1 });
        let kinds = [
            refused(service.create_report_setting(create).await).kind,
            refused(service.update_report_setting(update).await).kind,
            refused(service.delete_report_setting(delete).await).kind,
        ];
        assert_eq!(kinds, [Kind::Forbidden; 3], "{who:?}");
        let list = service.list_report_settings(by(who.clone(), ListReportSettingsRequest::default())).await;
        let get = service.get_report_setting(by(who.clone(), GetReportSettingRequest { id })).await;
        let members = ListReportMembersRequest { report_key: "drivers".into() };
        let members = service.list_report_members(by(who.clone(), members)).await;
        let count = service.count_report_settings(by(who.clone(), CountRequest::default())).await;
        if who.require(Role::STAFF).is_ok() {
            assert_eq!(names(good(list).report_settings), FIRST);
            assert_eq!(refused(get).reason, "REPORT_SETTING_NOT_FOUND");
            assert_eq!((good(count).total, good(members).members.len() > 10), (4, true));
        } else {
            let kinds = [refused(list).kind, refused(get).kind, refused(count).kind, refused(members).kind];
            assert_eq!(kinds, [Kind::Forbidden; 4], "{who:?}");
        }
    }
    // No filter makes inactive definitions visible.
    let off = vec![filter("isActive", "equals", &["false", "true"])];
    let page = Some(Page { r#where: off.clone(), ..Default::default() });
    let seen = good(service.list_report_settings(viewer(ListReportSettingsRequest { page })).await);
    assert_eq!(names(seen.report_settings), FIRST);
    let count = good(service.count_report_settings(viewer(CountRequest { r#where: off })).await);
    assert_eq!(count.total, 4);
});

store::on_both!(definitions_are_listed_by_name_report_format_and_use, Migrator, |db: Db| async move {
    let world = start(db).await;
    make(&world, ReportSettingInput { is_active: false, ..content("A hidden one") }).await.unwrap();
    let of = |key: &str, operator: &str, values: &[&str]| {
        let page = Page { r#where: vec![filter(key, operator, values)], ..Default::default() };
        let world = world.clone();
        async move { names(list(&world, page).await) }
    };
    assert_eq!(of("isActive", "equals", &["Disabled"]).await, ["A hidden one"]);
    assert_eq!(of("reportKey", "equals", &["drivers"]).await, ["A hidden one", "Drivers"]);
    assert_eq!(of("format", "equals", &["pdf"]).await, ["A hidden one"]);
    assert_eq!(of("name", "contains", &["BY"]).await.len(), 3);
    let newest = Page { sort: vec![sort("name", SortDirection::Desc)], limit: 1, ..Default::default() };
    assert_eq!(names(list(&world, newest).await), ["Variances by reason"]);
    let wrong = ListReportMembersRequest { report_key: "orders".into() };
    let error = refused(service(&world).list_report_members(admin(wrong)).await);
    assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["reportKey"]);
});

store::on_both!(no_edit_of_64_editors_of_10_definitions_is_lost, Migrator, |db: Db| async move {
    const EDITORS: usize = 64;
    const ROWS: usize = 10;
    let world = start(db).await;
    let mut ids = Vec::new();
    for row in 0..ROWS {
        ids.push(make(&world, content(&format!("Row {row}"))).await.unwrap().id);
    }
    let editors = (0..EDITORS).map(|editor| {
        let (world, id) = (world.clone(), ids[editor % ROWS].clone());
        tokio::spawn(async move {
            loop {
                let seen = get(&world, &id).await;
                let range_days = 1 + u32::try_from(editor).unwrap();
                let content = ReportSettingInput { range_days, ..seen.content.clone().unwrap() };
                match save(&world, &seen, content).await {
                    Ok(done) => return (id, done.version),
                    Err(error) if error.reason == "REPORT_SETTING_CHANGED" => {}
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
});

store::on_both!(two_hundred_definitions_are_kept_and_no_more, Migrator, |db: Db| async move {
    let world = start(db).await;
    let tx = world.db().begin().await.unwrap();
    store::counter::add(&*tx, crate::store::report_settings::COUNTER, 195).await.unwrap();
    tx.commit().await.unwrap();
    let last = make(&world, content("The last")).await.unwrap();
    let error = make(&world, content("One more")).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "TOO_MANY_REPORT_SETTINGS"));
    remove(&world, &last.id, 1).await.unwrap();
    make(&world, content("One more")).await.unwrap();
});
