//! Views of lists, each person's own.

use proto::settings::v1::saved_views_service_server::SavedViewsService;
use proto::settings::v1::*;

use super::office::*;
use super::*;

fn service(world: &World) -> crate::rpc::saved_views::Service {
    crate::rpc::saved_views::Service { shared: crate::rpc::Shared { context: world.context.clone() } }
}

/// As the server writes it.
fn state(trucker: &str) -> String {
    let values = format!(r#"[{{"label":"{trucker}","value":"{trucker}"}}]"#);
    let filters = format!(r#"[{{"key":"trucker","operator":"equals","values":{values}}}]"#);
    let columns = r#"{"order":["id"],"hidden":[],"pinned":[],"widths":{}}"#;
    format!(r#"{{"filters":{filters},"sort":[],"columns":{columns}}}"#)
}

fn content(name: &str, trucker: &str) -> SavedViewInput {
    SavedViewInput { name: name.into(), list: "deliveries".into(), state: state(trucker) }
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
    assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["name"]);
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
    // The last place is one, however many ask for it at once.
    let (one, two) = tokio::join!(make(&world, &ana, "One"), make(&world, &ana, "Two"));
    let refused: Vec<Error> = [one, two].into_iter().filter_map(Result::err).collect();
    let reasons: Vec<_> = refused.iter().map(|it| it.reason.as_str()).collect();
    assert_eq!(reasons, ["TOO_MANY_SAVED_VIEWS"]);
    let all = list(&world, &ana).await;
    assert_eq!(all.len(), 50);
    make(&world, &person("Ben", &[Role::Viewer]), "One").await.unwrap();
    remove(&world, &ana, &all[0].id, 1).await.unwrap();
    make(&world, &ana, "Three").await.unwrap();
});
