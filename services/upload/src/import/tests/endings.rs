//! How imports end, and when they continue.

use ::store::audit::By;
use ::store::testing::events;
use ::store::{Db, on_both};
use kit::principal::Role;
use kit::{Error, Kind};
use proto::upload::v1::CancelUploadRequest;
use proto::upload::v1::upload_service_server::UploadService;
use sea_orm::{EntityTrait, PaginatorTrait};

use super::undo::by;
use super::world::{World, csv, document};
use crate::Migrator;
use crate::entity::upload_log::Status;
use crate::entity::{upload_edit, upload_part};
use crate::store::{self, IdempotencyKey, NewLog};

fn good() -> String {
    csv(&["A,S-1,C,2026-11-23,S1,1,"])
}

on_both!(what_passes_does_not_end_an_import, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &good()).await;
    // These errors come from a full disk and from clocks that differ. The import waits and continues.
    for (error, attempts) in
        [(Error::internal("disk I/O error"), 1), (Error::unauthenticated("TOKEN_EXPIRED"), 1)]
    {
        world.deliveries.fail_at(0, error);
        world.attempt().await;
        let log = world.log(id).await;
        assert_eq!((log.status, world.job(id).await.attempts), (Status::Importing, attempts), "{log:?}");
        assert!(!world.attempt().await, "it waits");
        world.later(11);
    }
    world.attempt().await;
    assert_eq!(world.log(id).await.status, Status::Imported);
    assert_eq!(events(world.db()).await.len(), 1);
});

on_both!(what_would_happen_again_ends_an_import, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &good()).await;
    world.deliveries.fail_at(0, Error::precondition("SOURCE_DISABLED", "The source is disabled"));
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((log.status, log.failure_code.as_deref()), (Status::Failed, Some("SOURCE_DISABLED")));
});

on_both!(an_import_that_ends_the_process_each_time_is_given_up, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &good()).await;
    for _ in 0..5 {
        assert_eq!(world.claim().await.unwrap().0, id, "and then the process is gone");
        world.later(31);
    }
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!(
        (log.status, log.failure_code.as_deref()),
        (Status::Failed, Some("IMPORT_STOPPED_REPEATEDLY"))
    );
    assert_eq!(world.deliveries.requests().len(), 0);
});

on_both!(progress_starts_the_attempts_again, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let lines: Vec<String> = (0..9).flat_map(|n| document(&format!("D{n}"), 600)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let id = world.upload("a.csv", &csv(&lines)).await;
    for batch in 1..8 {
        world.deliveries.fail_at(batch, Error::internal("a defect with every batch"));
        world.attempt().await;
        assert_eq!(world.job(id).await.attempts, 0);
        world.later(11);
    }
    world.attempt().await;
    assert_eq!(world.log(id).await.status, Status::Imported);
});

on_both!(a_file_without_rows_has_nothing_to_import, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &csv(&[])).await;
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((log.status, log.failure_code.as_deref()), (Status::Failed, Some("FILE_NO_ROWS")));
});

on_both!(dates_that_contradict_each_other_import_nothing, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &csv(&["A,S,C,23/11/2026,S1,1,", "B,S,C,11/24/2026,S1,1,"])).await;
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((log.status, log.failure_code.as_deref()), (Status::Failed, Some("FILE_DATES_CONTRADICT")));
    assert_eq!((log.rows_total, world.deliveries.requests().len()), (0, 0));
});

on_both!(an_import_of_the_release_before_is_not_cut_in_another_way, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &good()).await;
    let begun = r#"UPDATE upload_log SET next_batch = 1, reading = '{"zone":"UTC","day_first":true,"earliest":null}'"#;
    world.execute(begun).await;
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((log.status, log.failure_code.as_deref()), (Status::Failed, Some("IMPORT_OF_OLDER_RELEASE")));
});

on_both!(an_import_that_is_cancelled_keeps_what_it_imported, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let lines = ["A", "B", "C", "D"].map(|name| document(name, 900)).concat();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let id = world.upload("a.csv", &csv(&lines)).await;
    let pause = world.deliveries.pause_at(1);
    let cancelling = async {
        pause.reached().await;
        let tx = db.begin().await.unwrap();
        assert!(::store::jobs::cancel(&tx, id).await.unwrap());
        tx.commit().await.unwrap();
        pause.end();
    };
    tokio::join!(world.attempt(), cancelling);
    let log = world.log(id).await;
    assert_eq!((log.status, log.failure_code.as_deref()), (Status::Failed, Some("IMPORT_CANCELLED")));
    // Deliveries had stored the second batch when it was cancelled. The third one may be on its way before that is
    // noticed. What deliveries stored is counted.
    let stored = i32::try_from(world.deliveries.requests().len()).unwrap();
    assert!((2..=3).contains(&stored), "{stored}");
    assert_eq!((log.rows_created, log.next_batch), (900 * stored, stored));
    assert_eq!(events(&db).await.len(), 1, "whoever waits for its end hears of it");
});

on_both!(an_object_is_imported_under_one_name_and_for_one_source, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let new = |filename: &str, source_id| NewLog {
        object_key: "imports/one.csv".to_owned(),
        filename: filename.to_owned(),
        source_id,
        size_bytes: 1,
        uploaded_by: "maria".to_owned(),
        uploaded_by_id: "id-of-maria".to_owned(),
        mode: crate::entity::upload_log::Mode::Upsert,
        dry_run: false,
        choose_columns: false,
        key: None,
    };
    let (source, other) = (kit::clock::new_id(), kit::clock::new_id());
    store::add_link(world.db(), "imports/one.csv", "maria", usize::MAX).await.unwrap();
    let create = async |new| {
        let by = ::store::audit::By { actor: "maria", address: "", now: world.now() };
        store::create(world.db(), new, by).await
    };
    let first = create(new("a.csv", source)).await.unwrap();
    assert_eq!(create(new("a.csv", source)).await.unwrap().id, first.id, "asked again, answered again");
    let key = || IdempotencyKey::of("id-of-maria", "import", "k-1", &["imports/one.csv"]).unwrap();
    // A refused request leaves no key behind, so it is refused again when it is repeated.
    for _again in 0..2 {
        let check = NewLog { dry_run: true, ..new("a.csv", source) };
        for wrong in [new("b.csv", source), new("a.csv", other), check] {
            let error = create(NewLog { key: key(), ..wrong }).await.unwrap_err();
            assert_eq!((error.kind, error.reason.as_str()), (Kind::InvalidInput, "UPLOAD_REUSED"));
            assert!(key().unwrap().answered(world.db()).await.unwrap().is_none());
        }
    }
    let right = create(NewLog { key: key(), ..new("a.csv", source) }).await.unwrap();
    assert_eq!(right.id, first.id);
    assert_eq!(key().unwrap().answered(world.db()).await.unwrap().unwrap().id, first.id);
});

on_both!(a_checked_file_is_not_reported_as_imported, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload_as("a.csv", good().into_bytes(), true, false).await;
    let log = world.log(id).await;
    let ask = async |dry_run: bool| {
        let new = NewLog {
            object_key: log.object_key.clone(),
            filename: log.filename.clone(),
            source_id: log.source_id,
            size_bytes: 1,
            uploaded_by: "maria".to_owned(),
            uploaded_by_id: "id-of-maria".to_owned(),
            mode: log.mode,
            dry_run,
            choose_columns: false,
            key: None,
        };
        let by = ::store::audit::By { actor: "maria", address: "", now: world.now() };
        store::create(world.db(), new, by).await
    };
    for status in [Status::Checking, Status::Validated, Status::Imported] {
        match status {
            Status::Validated => assert!(world.attempt().await),
            Status::Imported => world.commit(id).await,
            _ => {}
        }
        assert_eq!(ask(true).await.unwrap().status, status);
        let error = ask(false).await.unwrap_err();
        assert_eq!(error.reason, "UPLOAD_REUSED");
        assert!(error.message.contains("commitUpload"), "{error}");
    }
});

on_both!(an_answer_about_other_rows_counts_nothing, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    for (document, lines) in [("A", &[2][..]), ("B", &[2, 4]), ("C", &[2, 3, 4])] {
        let rows = [format!("{document},S-1,C,2026-11-23,S1,1,"), "D,S-1,C,2026-11-23,S1,1,".to_owned()];
        let id = world.upload("a.csv", &csv(&[&rows[0], &rows[1]])).await;
        world.deliveries.keep_answer(id, 0, lines);
        assert!(world.attempt().await);
        let log = world.log(id).await;
        assert_eq!((log.status, log.next_batch, log.rows_total), (Status::Importing, 0, 0), "{lines:?}");
    }
});

on_both!(a_check_that_ends_while_it_is_canceled_is_canceled, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload_as("a.csv", good().into_bytes(), true, false).await;
    let before = world.log(id).await;
    assert_eq!(before.status, Status::Checking);
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Validated);
    let ben = By { actor: "ben", address: "", now: world.now() };
    store::cancel(world.db(), &before, ben).await.unwrap();
    let log = world.log(id).await;
    assert_eq!((log.status, log.failure_code.as_deref()), (Status::Failed, Some("IMPORT_CANCELLED")));
});

on_both!(an_import_that_waits_for_a_person_can_be_canceled, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let waiting = [
        (false, true, Status::NeedsMapping),
        (true, true, Status::NeedsMapping),
        (true, false, Status::Validated),
    ];
    for (dry_run, choose_columns, status) in waiting {
        let id = world.upload_as("a.csv", good().into_bytes(), dry_run, choose_columns).await;
        assert!(world.attempt().await);
        assert_eq!(world.log(id).await.status, status);
        if status == Status::Validated {
            world.correct(id, &[(2, 4, "S9")]).await.unwrap();
        }
        for _again in 0..2 {
            let request = CancelUploadRequest { id: id.to_string() };
            world.service().cancel_upload(by("ben", Role::Dispatcher, request)).await.unwrap();
        }
        let log = world.log(id).await;
        assert_eq!((log.status, log.failure_code.as_deref()), (Status::Failed, Some("IMPORT_CANCELLED")));
        assert!(log.failure_text.unwrap().contains("Nothing was imported"));
        assert_eq!((log.preview, log.rows_created, log.rows_total), (None, 0, 0));
        assert!(!world.attempt().await, "nothing goes on");
    }
    let parts = upload_part::Entity::find().count(db.read()).await.unwrap();
    let edits = upload_edit::Entity::find().count(db.read()).await.unwrap();
    assert_eq!(
        (parts, edits, world.deliveries.requests().iter().filter(|it| !it.dry_run).count()),
        (0, 0, 0)
    );
    assert_eq!(events(&db).await.len(), 1, "a check is no import");
});
