//! Undos, dry runs and repeated requests.

use ::store::audit::By;
use ::store::clearing::Doubts;
use ::store::jobs::MAX_ATTEMPTS;
use ::store::testing::acts;
use ::store::{Db, on_both};
use kit::clock::new_id;
use kit::principal::{Caller, Principal, Role};
use kit::{Error, Kind};
use proto::upload::v1::upload_service_server::UploadService;
use proto::upload::v1::*;
use sea_orm::{EntityTrait, PaginatorTrait};
use tonic::Request;
use uuid::Uuid;

use super::world::{World, csv};
use crate::Migrator;
use crate::entity::upload_log::{Mode, Status};
use crate::entity::{idempotency_key, upload_log};
use crate::rpc::Service;
use crate::store::{self, IdempotencyKey, NewLog, StartUndo};

pub fn by<T>(user: &str, role: Role, message: T) -> Request<T> {
    let principal = Principal::User {
        id: format!("id-of-{user}"),
        username: user.to_owned(),
        roles: vec![role],
        session: "s".to_owned(),
        driver_id: None,
    };
    let mut request = Request::new(message);
    request.extensions_mut().insert(Caller { principal, token: "t".into(), address: String::new() });
    request
}

impl World {
    pub fn service(&self) -> Service {
        Service { context: self.context.clone() }
    }

    async fn imported(&self) -> Uuid {
        let id = self.upload("a.csv", &csv(&["A,S-1,C,23/11/2026,S1,1,", "B,S-1,C,23/11/2026,S1,1,"])).await;
        assert!(self.attempt().await);
        id
    }

    async fn start(&self, id: Uuid, user: &str, role: Role, key: &str) -> Result<UploadLog, Error> {
        let request = StartUndoRequest { id: id.to_string(), idempotency_key: key.to_owned() };
        let answer = self.service().start_undo(by(user, role, request)).await;
        answer.map(tonic::Response::into_inner).map_err(Error::from)
    }

    async fn seen(&self, id: Uuid, user: &str, role: Role) -> UploadLog {
        let request = GetUploadLogRequest { id: id.to_string() };
        self.service().get_upload_log(by(user, role, request)).await.unwrap().into_inner()
    }

    /// Returns who did what, in order, as recorded for the audit log.
    async fn acts(&self) -> Vec<(String, String)> {
        acts(self.db()).await.into_iter().map(|(by, act)| (by.actor, act.action)).collect()
    }

    /// Cancels the job of an upload that waits, and ends it.
    async fn cancel_waiting(&self, id: Uuid) {
        let request = CancelUploadRequest { id: id.to_string() };
        self.service().cancel_upload(by("maria", Role::Dispatcher, request)).await.unwrap();
        assert!(self.attempt().await);
    }

    /// Ends the job of an upload after deliveries accepted its next batch without the answer arriving: the job
    /// is canceled or given up.
    pub async fn lose_next_batch(&self, id: Uuid, gives_up: bool) {
        let batch = self.log(id).await.next_batch.unsigned_abs();
        self.deliveries.lose_answer_to(batch);
        assert!(self.attempt().await);
        if !gives_up {
            return self.cancel_waiting(id).await;
        }
        for _attempt in 1..MAX_ATTEMPTS {
            self.later(3_600);
            self.deliveries.fail_at(batch, Error::internal("gone"));
            assert!(self.attempt().await);
        }
    }

    /// Undoes an import of which nothing was counted.
    async fn undo_uncounted(&self, id: Uuid, deliveries: u32) {
        let log = self.seen(id, "maria", Role::Dispatcher).await;
        assert_eq!((log.rows_created, log.undo_allowed, self.deliveries.stored(id)), (0, true, deliveries));
        let log = self.start(id, "maria", Role::Dispatcher, "").await.unwrap();
        assert_eq!(log.undo.unwrap().total, deliveries);
        assert!(self.attempt().await);
        let log = self.seen(id, "maria", Role::Dispatcher).await;
        assert_eq!((log.status(), log.undo_allowed), (UploadStatus::Undone, false));
        assert_eq!((log.undo.unwrap().reversed, self.deliveries.stored(id)), (deliveries, 0));
    }
}

on_both!(who_imported_may_undo_for_a_day_and_administrators_always, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.deliveries.expect_undo(2, 0, 0);
    let id = world.imported().await;
    let allowed = async |user: &str, role| {
        let shown = world.seen(id, user, role).await.undo_allowed;
        let request = PreviewUndoRequest { id: id.to_string() };
        let answer = world.service().preview_undo(by(user, role, request)).await.map_err(Error::from);
        assert_eq!(answer.is_ok(), shown, "{user} {role}");
        if let Err(error) = answer {
            assert_eq!(error.kind, Kind::Forbidden, "{error}");
        }
        shown
    };
    assert!(allowed("maria", Role::Dispatcher).await && allowed("maria", Role::TransportPlanner).await);
    assert!(!allowed("ben", Role::Dispatcher).await && !allowed("ben", Role::TransportPlanner).await);
    assert!(!allowed("maria", Role::Viewer).await && allowed("ben", Role::Admin).await);
    // The caller is somebody else, who now has the same name.
    let taken = by("maria", Role::Dispatcher, PreviewUndoRequest { id: id.to_string() });
    let (metadata, mut extensions, message) = taken.into_parts();
    let principal = Principal::User {
        id: "another".into(),
        username: "maria".into(),
        roles: vec![Role::Dispatcher],
        session: "s".into(),
        driver_id: None,
    };
    extensions.insert(Caller { principal, token: "t".into(), address: String::new() });
    let refused = world.service().preview_undo(Request::from_parts(metadata, extensions, message)).await;
    assert_eq!(Error::from(refused.unwrap_err()).reason, "UNDO_NOT_ALLOWED");

    world.later(24 * 3_600 - 1);
    assert!(allowed("maria", Role::Dispatcher).await);
    world.later(1);
    assert!(!allowed("maria", Role::Dispatcher).await && allowed("ben", Role::Admin).await);
    let refused = world.start(id, "maria", Role::Dispatcher, "").await.unwrap_err();
    assert_eq!(refused.reason, "UNDO_NOT_ALLOWED");
});

// A check imports nothing; the import belongs to the person who imports the checked file.
on_both!(a_checked_file_is_imported_by_the_person_who_commits_it, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload_as("a.csv", csv(&["A,S-1,C,23/11/2026,S1,1,"]).into_bytes(), true, false).await;
    assert!(world.attempt().await);
    assert!(acts(&db).await.is_empty(), "a check imports nothing");
    for user in ["ben", "maria"] {
        let commit = by(user, Role::Dispatcher, CommitImportRequest { id: id.to_string() });
        world.service().commit_import(commit).await.unwrap();
    }
    assert_eq!(
        world.acts().await,
        [("ben".to_owned(), "import.started".to_owned())],
        "only the first counts"
    );
    assert_eq!(world.job(id).await.created_by, "ben");
    assert!(world.attempt().await);
    assert_eq!(world.deliveries.requests().pop().unwrap().uploaded_by, "ben");
    assert_eq!(::store::testing::events(&db).await.pop().unwrap().actor, "ben");
    let log = world.seen(id, "ben", Role::Dispatcher).await;
    assert_eq!((log.uploaded_by.as_str(), log.undo_allowed), ("maria", true));
    assert!(!world.seen(id, "maria", Role::Dispatcher).await.undo_allowed);
});

on_both!(a_file_that_waited_is_imported_by_whoever_chose_its_columns, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    for (user, starts) in [("maria", &["maria"][..]), ("ben", &["maria", "ben"])] {
        let id = world.upload_as("a.csv", csv(&["A,S-1,C,23/11/2026,S1,1,"]).into_bytes(), false, true).await;
        assert!(world.attempt().await);
        let fields = ["delivery_id", "shipmentnumber", "customername", "scheduledate", "sku", "quantity", ""];
        let request = SaveMappingRequest {
            id: id.to_string(),
            header_line: 1,
            fields: fields.map(str::to_owned).to_vec(),
            ..SaveMappingRequest::default()
        };
        world.service().save_mapping(by(user, Role::Dispatcher, request)).await.unwrap();
        assert!(world.attempt().await);
        assert_eq!(world.log(id).await.status, Status::Imported, "{user}");
        let of_file = acts(&db).await.into_iter().filter(|(_, act)| act.entity_id == id.to_string());
        let actors: Vec<String> = of_file.map(|(envelope, _)| envelope.actor).collect();
        assert_eq!(actors, starts);
        assert_eq!(world.deliveries.requests().pop().unwrap().uploaded_by, user);
        assert!(world.seen(id, user, Role::Dispatcher).await.undo_allowed, "{user}");
    }
});

on_both!(a_file_can_be_sent_twice_by_two_people_but_not_by_one, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = csv(&["A,S-1,C,23/11/2026,S1,1,"]).into_bytes();
    let mut ids = Vec::new();
    for filename in ["a.csv", "b.csv", "c.csv"] {
        ids.push(world.upload_as(filename, file.clone(), true, false).await);
        assert!(world.attempt().await);
    }
    let commit = async |id: Uuid, user: &str| {
        let request = by(user, Role::Dispatcher, CommitImportRequest { id: id.to_string() });
        world.service().commit_import(request).await.map_err(Error::from)
    };
    commit(ids[0], "ben").await.unwrap();
    commit(ids[1], "maria").await.unwrap();
    assert_eq!(commit(ids[2], "ben").await.unwrap_err().reason, "FILE_BEING_IMPORTED");
    assert_eq!(world.acts().await.len(), 2, "a refused request starts nothing");
});

on_both!(who_cancels_is_recorded_once, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = csv(&["A,S-1,C,23/11/2026,S1,1,"]);
    let running = world.upload("a.csv", &file).await;
    let cancel = async |id: Uuid| {
        let request = CancelUploadRequest { id: id.to_string() };
        world.service().cancel_upload(by("ben", Role::Dispatcher, request)).await.unwrap();
    };
    let pause = world.deliveries.pause_at(0);
    let canceling = async {
        pause.reached().await;
        cancel(running).await;
        cancel(running).await;
        pause.end();
    };
    tokio::join!(world.attempt(), canceling);
    cancel(running).await;
    let waiting = world.upload_as("b.csv", file.into_bytes(), true, false).await;
    assert!(world.attempt().await);
    cancel(waiting).await;
    cancel(waiting).await;
    let canceled = acts(&db).await.into_iter().filter(|(_, act)| act.action == "import.canceled");
    let canceled: Vec<_> = canceled.map(|(by, act)| (by.actor, act.entity_name, act.before_json)).collect();
    let of =
        |name: &str, status: &str| ("ben".to_owned(), name.to_owned(), format!(r#"{{"status":"{status}"}}"#));
    assert_eq!(canceled, [of("a.csv", "importing"), of("b.csv", "validated")]);
});

on_both!(an_undo_goes_on_where_it_stopped, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.deliveries.expect_undo(3, 1, 1);
    let id = world.imported().await;
    let log = world.start(id, "maria", Role::Dispatcher, "k-1").await.unwrap();
    assert_eq!((log.status(), log.undo.unwrap().total), (UploadStatus::Undoing, 5));
    assert!(!log.undo_allowed);
    // Repeating the request, with the key or without, starts no second undo.
    world.start(id, "maria", Role::Dispatcher, "k-1").await.unwrap();
    world.start(id, "ben", Role::Admin, "").await.unwrap();

    world.deliveries.answer_undo((2, 0, 0), "b");
    world.deliveries.fail_undo(Error::internal("gone"));
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.status, log.undo_reversed), (Status::Undoing, 2));
    world.deliveries.answer_undo((1, 1, 1), "");
    world.later(60);
    assert!(world.attempt().await);
    assert_eq!(world.deliveries.undos(), ["", "b", "b"]);
    let log = world.seen(id, "maria", Role::Dispatcher).await;
    assert_eq!(log.status(), UploadStatus::PartlyUndone);
    assert_eq!(log.undo, Some(UploadUndo { reversed: 3, kept: 1, failed: 1, total: 5 }));
    assert_eq!((log.undone_by.as_deref(), log.undo_allowed), (Some("maria"), false));
    assert!(!world.attempt().await);
    // An import can be undone only once.
    let again = world.start(id, "ben", Role::Admin, "").await.unwrap_err();
    assert_eq!(again.reason, "NOTHING_TO_UNDO");
    // The same request still gets the same response.
    let same = world.start(id, "maria", Role::Dispatcher, "k-1").await.unwrap();
    assert_eq!(same.id, id.to_string());
});

on_both!(an_undo_that_was_cancelled_can_be_continued, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.deliveries.expect_undo(4, 0, 0);
    let id = world.imported().await;
    world.start(id, "maria", Role::Dispatcher, "").await.unwrap();
    world.deliveries.answer_undo((2, 0, 0), "b");
    world.deliveries.fail_undo(Error::internal("gone"));
    assert!(world.attempt().await);
    let request = CancelUploadRequest { id: id.to_string() };
    world.service().cancel_upload(by("maria", Role::Dispatcher, request)).await.unwrap();
    assert!(world.attempt().await);
    let log = world.seen(id, "maria", Role::Dispatcher).await;
    assert_eq!(log.status(), UploadStatus::PartlyUndone);
    assert!(log.undo_allowed && log.undo_failure_text.is_some());

    world.deliveries.expect_undo(2, 0, 0);
    let log = world.start(id, "maria", Role::Dispatcher, "").await.unwrap();
    assert_eq!(log.undo.unwrap().total, 4);
    world.deliveries.answer_undo((4, 0, 0), "");
    assert!(world.attempt().await);
    let log = world.seen(id, "maria", Role::Dispatcher).await;
    assert_eq!((log.status(), log.undo_failure_text), (UploadStatus::Undone, None));
});

on_both!(a_request_that_saw_the_undo_run_starts_no_other, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.deliveries.expect_undo(2, 0, 0);
    let id = world.imported().await;
    world.start(id, "maria", Role::Dispatcher, "").await.unwrap();
    // While it runs, anybody who may import can repeat the request.
    let repeated = world.start(id, "ben", Role::Dispatcher, "").await.unwrap();
    assert_eq!((repeated.status(), repeated.undo.unwrap().total), (UploadStatus::Undoing, 2));

    // This request was not checked, and the undo ends before it has the lock.
    world.cancel_waiting(id).await;
    let by = By { actor: "ben", address: "", now: world.now() };
    let unchecked = StartUndo { log: id, expected: None, key: None, by };
    let log = store::start_undo(world.db(), unchecked).await.unwrap();
    assert_eq!((log.status, log.undone_by.as_deref()), (Status::PartlyUndone, Some("maria")));
    assert!(log.has_more_to_undo() && !world.attempt().await, "no undo was queued");
});

on_both!(an_import_whose_answer_was_lost_can_be_undone, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = csv(&["A,S-1,C,23/11/2026,S1,1,", "A,S-1,C,23/11/2026,S2,1,", "B,S-1,C,23/11/2026,S1,1,"]);
    for gives_up in [false, true] {
        let id = world.upload("a.csv", &file).await;
        world.lose_next_batch(id, gives_up).await;
        let code = if gives_up { "IMPORT_STOPPED_REPEATEDLY" } else { "IMPORT_CANCELLED" };
        let log = world.log(id).await;
        assert_eq!((log.status, log.failure_code.as_deref()), (Status::Failed, Some(code)));
        world.undo_uncounted(id, 2).await;
    }
});

on_both!(corrected_rows_whose_answer_was_lost_can_be_undone, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &csv(&["A,S-1,C,23/11/2026,S1,many,"])).await;
    assert!(world.attempt().await);
    assert!(!world.seen(id, "maria", Role::Dispatcher).await.undo_allowed, "its only row was refused");
    world.correct(id, &[(2, 5, "1")]).await.unwrap();
    world.import_corrected(id).await.unwrap();
    world.lose_next_batch(id, false).await;
    assert_eq!(world.log(id).await.status, Status::ImportedWithErrors);
    world.undo_uncounted(id, 1).await;
});

on_both!(a_failed_import_offers_an_undo_only_if_it_may_have_sent_rows, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let good = csv(&["A,S-1,C,23/11/2026,S1,1,"]);
    let unread = world.upload("a.csv", &csv(&["A,S,C,23/11/2026,S1,1,", "B,S,C,11/24/2026,S1,1,"])).await;
    assert!(world.attempt().await);
    let waiting = world.upload("b.csv", &good).await;
    world.cancel_waiting(waiting).await;
    let checked = world.upload_as("c.csv", good.clone().into_bytes(), true, false).await;
    world.lose_next_batch(checked, false).await;
    let committed = world.upload_as("d.csv", good.clone().into_bytes(), true, false).await;
    assert!(world.attempt().await);
    let commit = by("maria", Role::Dispatcher, CommitImportRequest { id: committed.to_string() });
    world.service().commit_import(commit).await.unwrap();
    world.cancel_waiting(committed).await;
    for id in [unread, waiting, checked, committed] {
        let log = world.seen(id, "ben", Role::Admin).await;
        assert_eq!((log.status(), log.undo_allowed), (UploadStatus::Failed, false), "{}", log.filename);
        let refused = world.start(id, "ben", Role::Admin, "").await.unwrap_err();
        assert_eq!(refused.reason, "NOTHING_TO_UNDO");
    }

    // Deliveries refused the batch, which only deliveries knows.
    let sent = world.upload("e.csv", &good).await;
    world.deliveries.fail_at(0, Error::precondition("SOURCE_DISABLED", "The source is disabled"));
    assert!(world.attempt().await);
    assert!(world.seen(sent, "maria", Role::Dispatcher).await.undo_allowed);
    let refused = world.start(sent, "maria", Role::Dispatcher, "").await.unwrap_err();
    assert_eq!(refused.reason, "NOTHING_TO_UNDO");
    assert_eq!(world.log(sent).await.status, Status::Failed);
});

on_both!(a_dry_run_counts_and_then_imports_without_another_upload, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let key = kit::blob::Key::parse("imports/checked.csv").unwrap();
    store::add_link(world.db(), key.as_str(), "id-of-maria", 10).await.unwrap();
    let text =
        csv(&["A,S-1,C,23/11/2026,S1,1,", "B,S-1,C,23/11/2026,S1,many,", "C,S-1,C,23/11/2026,REFUSE,1,"]);
    world.context.blob.put(&key, text.clone().into_bytes().into()).await.unwrap();
    let new = NewLog {
        object_key: key.as_str().to_owned(),
        filename: "checked.csv".to_owned(),
        source_id: new_id(),
        size_bytes: text.len() as u64,
        uploaded_by: "maria".to_owned(),
        uploaded_by_id: "id-of-maria".to_owned(),
        mode: Mode::SkipExisting,
        dry_run: true,
        choose_columns: false,
        key: None,
    };
    let id = store::create(world.db(), new, By { actor: "maria", address: "", now: world.now() })
        .await
        .unwrap()
        .id;
    // `adopt` queues imports that have no job. It must not mistake this dry run for one of them.
    assert_eq!(store::adopt(world.db()).await.unwrap(), 0);
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_total, log.rows_created, log.rows_failed), (Status::Validated, 3, 1, 2));
    assert!(!world.seen(id, "maria", Role::Admin).await.undo_allowed);
    let dry = world.deliveries.requests().remove(0);
    assert!(dry.dry_run);
    assert_eq!(dry.mode(), proto::deliveries::v1::ImportMode::SkipExisting);

    let request = || by("maria", Role::Dispatcher, CommitImportRequest { id: id.to_string() });
    let viewer = by("vera", Role::Viewer, CommitImportRequest { id: id.to_string() });
    assert!(world.service().commit_import(viewer).await.is_err());
    let log = world.service().commit_import(request()).await.unwrap().into_inner();
    assert_eq!((log.status(), log.rows_total), (UploadStatus::Uploaded, 0));
    world.service().commit_import(request()).await.unwrap();
    assert!(world.attempt().await);
    assert!(!world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_total, log.rows_created), (Status::ImportedWithErrors, 3, 1));
    assert_eq!(world.rows(id).await.len(), 2);
    let sent = world.deliveries.requests();
    assert_eq!(sent.iter().map(|it| it.dry_run).collect::<Vec<_>>(), [true, false]);
});

on_both!(a_key_stands_for_one_request, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let key = |filename: &str| IdempotencyKey::of("id-of-maria", "import", "k-1", &["/x", filename]).unwrap();
    let start = async |filename: &str, object: &str| {
        store::add_link(world.db(), object, "id-of-maria", 10).await.unwrap();
        let new = NewLog {
            object_key: object.to_owned(),
            filename: filename.to_owned(),
            source_id: Uuid::nil(),
            size_bytes: 1,
            uploaded_by: "maria".to_owned(),
            uploaded_by_id: "id-of-maria".to_owned(),
            mode: Mode::Upsert,
            dry_run: false,
            choose_columns: false,
            key: key(filename),
        };
        store::create(world.db(), new, By { actor: "maria", address: "", now: world.now() }).await
    };
    assert!(key("a.csv").unwrap().answered(world.db()).await.unwrap().is_none());
    let first = start("a.csv", "imports/1").await.unwrap();
    let again = key("a.csv").unwrap().answered(world.db()).await.unwrap().unwrap();
    assert_eq!(again.id, first.id);
    let other = key("b.csv").unwrap().answered(world.db()).await.unwrap_err();
    assert_eq!(other.reason, "IDEMPOTENCY_KEY_REUSED");
    // The second of two concurrent requests is refused as a whole.
    assert_eq!(start("b.csv", "imports/2").await.unwrap_err().reason, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(upload_log::Entity::find().count(world.db().read()).await.unwrap(), 1);
    for bad in ["with space", "ü", &"k".repeat(201)] {
        let refused = IdempotencyKey::of("id-of-maria", "import", bad, &[]).unwrap_err();
        assert_eq!(refused.reason, "IDEMPOTENCY_KEY_INVALID");
    }
    let now = world.now();
    let doubts = Doubts::holding(std::time::Duration::ZERO);
    store::prune_keys(world.db(), now + chrono::Duration::days(6), &doubts).await.unwrap();
    assert_eq!(idempotency_key::Entity::find().count(world.db().read()).await.unwrap(), 1);
    store::prune_keys(world.db(), now + chrono::Duration::days(8), &doubts).await.unwrap();
    assert_eq!(idempotency_key::Entity::find().count(world.db().read()).await.unwrap(), 0);
});
