//! Saved views, which are personal, and saved queries, which can be shared.

use proto::settings::v1::saved_views_service_server::SavedViewsService;
use proto::settings::v1::*;

use super::office::*;
use super::*;

fn service(world: &World) -> crate::rpc::saved_views::Service {
    crate::rpc::saved_views::Service { shared: crate::rpc::Shared { context: world.context.clone() } }
}

/// Returns the JSON of a view's state, formatted like the server's.
fn state(trucker: &str) -> String {
    let values = format!(r#"[{{"label":"{trucker}","value":"{trucker}"}}]"#);
    let filters = format!(r#"[{{"key":"trucker","operator":"equals","values":{values}}}]"#);
    let columns = r#"{"order":["id"],"hidden":[],"pinned":[],"widths":{}}"#;
    format!(r#"{{"filters":{filters},"sort":[],"columns":{columns}}}"#)
}

fn content(name: &str, trucker: &str) -> SavedViewInput {
    SavedViewInput { name: name.into(), list: "deliveries".into(), state: state(trucker), shared: false }
}

async fn create(
    world: &World,
    who: &Principal,
    id: &str,
    content: SavedViewInput,
) -> Result<SavedView, Error> {
    let request = CreateSavedViewRequest { creation_id: id.into(), content: Some(content) };
    let answer = service(world).create_saved_view(by(who.clone(), request)).await;
    answer.map(Response::into_inner).map_err(Error::from)
}

async fn make(world: &World, who: &Principal, name: &str) -> Result<SavedView, Error> {
    create(world, who, &new_id().to_string(), content(name, "Alon")).await
}

async fn save(
    world: &World,
    who: &Principal,
    it: &SavedView,
    to: SavedViewInput,
) -> Result<SavedView, Error> {
    let request = UpdateSavedViewRequest { id: it.id.clone(), version: it.version, content: Some(to) };
    let answer = service(world).update_saved_view(by(who.clone(), request)).await;
    answer.map(Response::into_inner).map_err(Error::from)
}

async fn remove(world: &World, who: &Principal, id: &str, version: u64) -> Result<(), Error> {
    let request = DeleteSavedViewRequest { id: id.into(), version };
    service(world).delete_saved_view(by(who.clone(), request)).await.map(|_| ()).map_err(Error::from)
}

async fn list(world: &World, who: &Principal) -> Vec<SavedView> {
    let request = ListSavedViewsRequest { list: "deliveries".into() };
    good(service(world).list_saved_views(by(who.clone(), request)).await).saved_views
}

fn names(of: Vec<SavedView>) -> Vec<String> {
    of.into_iter().map(|it| it.content.unwrap().name).collect()
}

store::on_both!(a_view_is_saved_renamed_changed_and_deleted, Migrator, |db: Db| async move {
    let (world, ana) = (start(db).await, person("Ana", &[Role::Viewer]));
    let made = make(&world, &ana, "Morning").await.unwrap();
    assert_eq!((made.version, made.content.clone().unwrap()), (1, content("Morning", "Alon")));
    world.clock.advance(Duration::seconds(5));
    let saved = save(&world, &ana, &made, content("Evening", "Habagat")).await.unwrap();
    assert_eq!((saved.version, saved.content.clone().unwrap()), (2, content("Evening", "Habagat")));
    assert_eq!(list(&world, &ana).await, std::slice::from_ref(&saved));
    let old = save(&world, &ana, &made, content("Old", "Alon")).await.unwrap_err();
    assert_eq!((old.kind, old.reason.as_str()), (Kind::FailedPrecondition, "SAVED_VIEW_CHANGED"));
    assert_eq!(remove(&world, &ana, &made.id, 1).await.unwrap_err().reason, "SAVED_VIEW_CHANGED");
    remove(&world, &ana, &made.id, 2).await.unwrap();
    remove(&world, &ana, &made.id, 2).await.unwrap();
    remove(&world, &ana, "no id", 1).await.unwrap();
    assert_eq!(list(&world, &ana).await, []);
    assert_eq!(
        save(&world, &ana, &saved, content("A", "b")).await.unwrap_err().reason,
        "SAVED_VIEW_NOT_FOUND"
    );
});

store::on_both!(names_are_unique_for_each_person_whatever_their_case, Migrator, |db: Db| async move {
    let (world, ana, ben) =
        (start(db).await, person("Ana", &[Role::Dispatcher]), person("Ben", &[Role::Admin]));
    for name in ["sunday", "Monday"] {
        make(&world, &ana, name).await.unwrap();
    }
    let error = make(&world, &ana, " MONDAY ").await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::AlreadyExists, "SAVED_VIEW_EXISTS"));
    assert_eq!(error.fields["name"], ["You already use the name MONDAY. Choose another name."]);
    make(&world, &ben, "MONDAY").await.unwrap();
    let all = list(&world, &ana).await;
    assert_eq!(names(all.clone()), ["Monday", "sunday"]);
    let error = save(&world, &ana, &all[1], content("monday", "Alon")).await.unwrap_err();
    assert_eq!(error.reason, "SAVED_VIEW_EXISTS");
    assert_eq!(save(&world, &ana, &all[0], content("MONDAY", "Alon")).await.unwrap().version, 2);
});

store::on_both!(nobody_reaches_the_view_of_another, Migrator, |db: Db| async move {
    let (world, ana, ben) =
        (start(db).await, person("Ana", &[Role::Dispatcher]), person("Ben", &[Role::Admin]));
    let made = make(&world, &ana, "Mine").await.unwrap();
    assert_eq!(list(&world, &ben).await, []);
    let error = save(&world, &ben, &made, content("Taken over", "Alon")).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::NotFound, "SAVED_VIEW_NOT_FOUND"));
    remove(&world, &ben, &made.id, 1).await.unwrap();
    assert_eq!(list(&world, &ana).await, [made]);
    for who in [user(Role::Driver), person("nobody", &[]), Principal::Service { name: "gateway".into() }] {
        let request = by(who.clone(), ListSavedViewsRequest::default());
        let error = refused(service(&world).list_saved_views(request).await);
        assert_eq!(error.kind, Kind::Forbidden, "{who:?}");
        assert_eq!(make(&world, &who, "Mine").await.unwrap_err().kind, Kind::Forbidden, "{who:?}");
    }
});

store::on_both!(the_same_creation_again_gives_the_same_view, Migrator, |db: Db| async move {
    let (world, ana) = (start(db).await, person("Ana", &[Role::Viewer]));
    let id = new_id().to_string();
    let again = || create(&world, &ana, &id, content("Mine", "Alon"));
    let (one, two, three) = tokio::join!(again(), again(), again());
    let (one, two, three) = (one.unwrap(), two.unwrap(), three.unwrap());
    assert!(one.id == two.id && two.id == three.id);
    let error = create(&world, &ana, &id, content("Another", "Alon")).await.unwrap_err();
    assert_eq!(error.reason, "CREATION_ID_REUSED");
    assert_eq!(list(&world, &ana).await.len(), 1);
});

store::on_both!(a_person_has_50_views_at_most, Migrator, |db: Db| async move {
    let (world, ana) = (start(db).await, person("Ana", &[Role::Viewer]));
    for number in 0..49 {
        make(&world, &ana, &format!("View {number}")).await.unwrap();
    }
    // One place is left, so only one of the concurrent requests succeeds.
    let (one, two) = tokio::join!(make(&world, &ana, "One"), make(&world, &ana, "Two"));
    let refused: Vec<Error> = [one, two].into_iter().filter_map(Result::err).collect();
    let reasons: Vec<_> = refused.iter().map(|it| it.reason.as_str()).collect();
    assert_eq!(reasons, ["TOO_MANY_SAVED_VIEWS"]);
    assert!(refused[0].message.contains("50 saved views and queries"), "{}", refused[0].message);
    let all = list(&world, &ana).await;
    assert_eq!(all.len(), 50);
    make(&world, &person("Ben", &[Role::Viewer]), "One").await.unwrap();
    remove(&world, &ana, &all[0].id, 1).await.unwrap();
    make(&world, &ana, "Three").await.unwrap();
});

fn query(name: &str, shared: bool) -> SavedViewInput {
    let state = r#"{"query":"{ \"measures\": [\"Delivery.count\"] }"}"#.into();
    SavedViewInput { name: name.into(), list: "queryLab".into(), state, shared }
}

async fn make_query(world: &World, who: &Principal, name: &str, shared: bool) -> Result<SavedView, Error> {
    create(world, who, &new_id().to_string(), query(name, shared)).await
}

async fn queries(world: &World, who: &Principal) -> Vec<SavedView> {
    let request = ListSavedViewsRequest { list: "queryLab".into() };
    good(service(world).list_saved_views(by(who.clone(), request)).await).saved_views
}

async fn get(world: &World, who: &Principal, id: &str) -> Result<SavedView, Error> {
    let request = GetSavedQueryRequest { id: id.into() };
    let answer = service(world).get_saved_query(by(who.clone(), request)).await;
    answer.map(Response::into_inner).map_err(Error::from)
}

store::on_both!(
    a_shared_query_is_run_by_others_and_changed_by_its_owner_alone,
    Migrator,
    |db: Db| async move {
        let (world, ana, ben) =
            (start(db).await, person("Ana", &[Role::Admin]), person("Ben", &[Role::Admin]));
        let own = make_query(&world, &ana, "By trucker", false).await.unwrap();
        assert_eq!(
            (own.owner.as_str(), own.own, own.content.clone()),
            ("Ana", true, Some(query("By trucker", false)))
        );
        // A view of the deliveries list cannot be run as a query.
        let view = make(&world, &ana, "By trucker").await.unwrap();
        assert_eq!(queries(&world, &ana).await, std::slice::from_ref(&own));
        assert_eq!(queries(&world, &ben).await, []);
        for id in [own.id.as_str(), &view.id, "no id"] {
            let error = get(&world, &ben, id).await.unwrap_err();
            assert_eq!(
                (error.kind, error.reason.as_str()),
                (Kind::NotFound, "SAVED_QUERY_NOT_FOUND"),
                "{id}"
            );
        }
        assert_eq!(get(&world, &ana, &view.id).await.unwrap_err().reason, "SAVED_QUERY_NOT_FOUND");

        let shared = save(&world, &ana, &own, query("By trucker", true)).await.unwrap();
        make_query(&world, &ben, "Own", false).await.unwrap();
        let seen = queries(&world, &ben).await;
        assert_eq!(names(seen.clone()), ["Own", "By trucker"]);
        // Others get the name and owner of a shared query but not its text, and can run it.
        let hidden = SavedViewInput { state: String::new(), ..query("By trucker", true) };
        assert_eq!(seen[1], SavedView { content: Some(hidden), own: false, ..shared.clone() });
        let to_run = get(&world, &ben, &own.id).await.unwrap();
        assert_eq!((to_run.content, to_run.own), (Some(query("By trucker", true)), false));
        let error = save(&world, &ben, &shared, query("Taken over", true)).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::NotFound, "SAVED_VIEW_NOT_FOUND"));
        remove(&world, &ben, &shared.id, shared.version).await.unwrap();
        assert_eq!(queries(&world, &ana).await, std::slice::from_ref(&shared));

        save(&world, &ana, &shared, query("By trucker", false)).await.unwrap();
        assert_eq!(get(&world, &ben, &own.id).await.unwrap_err().reason, "SAVED_QUERY_NOT_FOUND");
        // Only administrators may use queries: a former administrator cannot even use her own.
        let demoted = person("Ana", &[Role::TransportPlanner]);
        let request = by(demoted.clone(), ListSavedViewsRequest { list: "queryLab".into() });
        assert_eq!(refused(service(&world).list_saved_views(request).await).kind, Kind::Forbidden);
        for who in others().into_iter().chain([demoted]) {
            assert_eq!(
                make_query(&world, &who, "Mine", false).await.unwrap_err().kind,
                Kind::Forbidden,
                "{who:?}"
            );
            assert_eq!(
                save(&world, &who, &own, query("A", true)).await.unwrap_err().kind,
                Kind::Forbidden,
                "{who:?}"
            );
            assert_eq!(get(&world, &who, &own.id).await.unwrap_err().kind, Kind::Forbidden, "{who:?}");
        }
    }
);

store::on_both!(at_most_200_queries_are_shared, Migrator, |db: Db| async move {
    let (world, ana) = (start(db).await, person("Ana", &[Role::Admin]));
    for owner in 0..4 {
        let owner = person(&format!("Admin {owner}"), &[Role::Admin]);
        for number in 0..50 {
            make_query(&world, &owner, &format!("{number}"), true).await.unwrap();
        }
    }
    let own = make_query(&world, &ana, "One", false).await.unwrap();
    assert_eq!(queries(&world, &ana).await.len(), 201);
    for failed in [
        make_query(&world, &ana, "Two", true).await.unwrap_err(),
        save(&world, &ana, &own, query("One", true)).await.unwrap_err(),
    ] {
        assert_eq!(
            (failed.kind, failed.reason.as_str()),
            (Kind::FailedPrecondition, "TOO_MANY_SHARED_QUERIES")
        );
    }
    // Both unsharing a query and deleting a shared one make room for another.
    let first = person("Admin 0", &[Role::Admin]);
    let theirs = queries(&world, &first).await;
    save(&world, &first, &theirs[0], query("0", false)).await.unwrap();
    let own = save(&world, &ana, &own, query("One", true)).await.unwrap();
    assert_eq!(make_query(&world, &ana, "Two", true).await.unwrap_err().reason, "TOO_MANY_SHARED_QUERIES");
    remove(&world, &ana, &own.id, own.version).await.unwrap();
    make_query(&world, &ana, "Two", true).await.unwrap();
});
