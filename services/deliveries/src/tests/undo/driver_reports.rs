//! Undoing imports whose deliveries get outcomes or photos, before or after the undo.

use super::*;

/// Returns a row of a delivery of driver D-1.
fn own(line: u32, id: &str, item_number: &str, quantity: i64) -> Row {
    let texts = Texts { driver_id: Some("D-1".into()), ..Texts::default() };
    Row { texts, ..row(line, id, "S-1", item_number, quantity) }
}

on_both!(a_new_delivery_with_proof_or_a_late_report_is_kept, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.bring(new_id(), 0, vec![own(2, "DR-0", "1", 1_000)]).await;
    let upload = new_id();
    let rows = (0..4).map(|at| own(at + 2, &format!("DR-{at}"), "1", 2_000));
    office.bring(upload, 0, rows.collect()).await;
    // The import itself changes the items of DR-2 after its driver was there.
    office.later(5);
    office.bring(upload, 1, vec![own(6, "DR-2", "2", 1_000)]).await;
    office.later(5);
    for id in ["DR-0", "DR-1"] {
        let url = office.upload_photo("D-1", id).await;
        office.add_photo("D-1", id, &url).await.unwrap();
    }
    let failed = outcome("DR-2", Some(DeliveryStatus::Undelivered), vec![]);
    let failed = RecordOutcomeRequest { occurred_at: Some(proto::timestamp(at(2))), ..failed };
    assert!(office.told_by("D-1", failed).await.unwrap().conflict);
    office.later(5);

    // DR-0 keeps its photo, because only its previous values are restored.
    let expected = counts(2, 2, 0);
    assert_eq!(office.preview(upload).await, expected);
    assert_eq!(office.undo(upload).await, expected);
    let kept = |id: &str| UndoException {
        delivery_id: id.into(),
        failed: false,
        code: "DELIVERY_TOUCHED".into(),
        touched_by: Some("phone of D-1".into()),
        touched_at: Some(proto::timestamp(at(10))),
    };
    assert_eq!(office.exceptions(upload).await, ["DR-1", "DR-2"].map(kept));
    assert!(!office.is_there("DR-3").await);
    for id in ["DR-0", "DR-1", "DR-2"] {
        holds(&db, id).await;
    }
});

on_both!(an_outcome_from_before_an_undo_waits_for_review, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.bring(new_id(), 0, vec![own(2, "DR-1", "1", 1_000)]).await;
    office.later(10);
    let upload = new_id();
    office.bring(upload, 0, vec![own(2, "DR-1", "1", 2_000)]).await;
    office.later(20);
    assert_eq!(office.undo(upload).await, counts(1, 0, 0));
    office.later(30);
    let absent = outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]);
    let absent = RecordOutcomeRequest { occurred_at: Some(proto::timestamp(at(20))), ..absent };
    let answer = office.told_by("D-1", absent).await.unwrap();
    assert_eq!((answer.conflict, answer.deliverystatus()), (true, DeliveryStatus::Pending));
    holds(&db, "DR-1").await;
});

on_both!(an_outcome_for_a_removed_delivery_brings_it_back, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let upload = new_id();
    office.bring(upload, 0, vec![own(2, "DR-1", "1", 1_000), row(3, "DR-2", "S-1", "1", 1_000)]).await;
    assert_eq!(office.undo(upload).await, counts(2, 0, 0));
    let refused = office.record(Role::Viewer, outcome("DR-1", None, vec![])).await.unwrap_err();
    assert_eq!(refused.kind, Kind::Forbidden);
    // A refused request leaves the delivery removed.
    let unknown = RecordOutcomeRequest {
        reason: Some("no such".into()),
        ..outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![])
    };
    office.record(Role::Dispatcher, unknown).await.unwrap_err();
    assert!(!office.is_there("DR-1").await);
    let done = outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]);
    let after = office.record(Role::Dispatcher, done).await.unwrap();
    assert_eq!((after.deliverystatus(), after.version, after.linecount), (DeliveryStatus::Undelivered, 4, 1));
    assert_eq!(handovers(&db, "DR-1").await, [("", "d-1"), ("d-1", ""), ("", "d-1")].map(handover));
    holds(&db, "DR-1").await;
    shipments_hold(&db).await;
    sequences_hold(&db).await;
    assert_eq!(counter::get(db.read(), tables::deliveries::COUNTER).await.unwrap(), 1);
    // Nobody recorded an outcome of DR-2, so it stays removed.
    assert!(!office.is_there("DR-2").await);
});
