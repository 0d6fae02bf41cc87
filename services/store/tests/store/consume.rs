//! An event takes effect once, completely, and in the order of the events about its aggregate, on both
//! databases.

use kit::clock::{Clock, new_id};
use proto::events::envelope::Payload;
use proto::events::{
    AUTH_DRIVERS, AnnouncementChanged, AuditRecorded, DELIVERIES_DRIVERS, DELIVERY, DriverChanged, Envelope,
    Event, Subscription,
};
use sea_orm::{EntityTrait, PaginatorTrait};
use store::consume::{Meta, consume};
use store::inbox::inbox_event;
use store::outbox::{self, NewEvent};
use store::{Db, Tx, counter, on_both, sequence};

use crate::Migrator;

fn event(status: &str) -> Envelope {
    Envelope {
        id: new_id().to_string(),
        subject: "waybill.drivers.driver.changed.v1".into(),
        aggregate_id: "DRV-1".into(),
        payload: Some(DriverChanged { status: status.into(), ..Default::default() }.into()),
        ..Envelope::default()
    }
}

/// Counts events. Fails for a broken event, but only after it was counted.
async fn count(tx: &Tx, driver: DriverChanged, meta: &Meta) -> kit::Result<()> {
    counter::add(&**tx, &meta.aggregate_id, 1).await?;
    match driver.status.as_str() {
        "broken" => Err(kit::Error::invalid("BROKEN", "broken")),
        _ => Ok(()),
    }
}

async fn handle(db: &Db, by: Subscription<DriverChanged>, event: &Envelope) -> kit::Result<()> {
    consume(db, &Clock::system(), by, event, &count).await
}

async fn effects(db: &Db) -> (u64, u64) {
    let noted = inbox_event::Entity::find().count(db.read()).await.unwrap();
    (counter::get(db.read(), "DRV-1").await.unwrap(), noted)
}

on_both!(an_event_takes_effect_once_per_consumer, Migrator, |db: Db| async move {
    let event = event("active");
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let (db, event) = (db.clone(), event.clone());
        tasks.push(tokio::spawn(async move { handle(&db, AUTH_DRIVERS, &event).await.unwrap() }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(effects(&db).await, (1, 1));
    handle(&db, DELIVERIES_DRIVERS, &event).await.unwrap();
    assert_eq!(effects(&db).await, (2, 2), "another consumer has its own");
});

on_both!(an_effect_and_its_row_in_the_inbox_commit_together, Migrator, |db: Db| async move {
    let broken = event("broken");
    for _ in 0..2 {
        assert_eq!(handle(&db, AUTH_DRIVERS, &broken).await.unwrap_err().reason, "BROKEN");
        assert_eq!(effects(&db).await, (0, 0), "neither");
    }
    let mended = Envelope { id: broken.id, ..event("active") };
    handle(&db, AUTH_DRIVERS, &mended).await.unwrap();
    assert_eq!(effects(&db).await, (1, 1), "both");
});

on_both!(a_consumer_takes_no_other_payload_and_no_event_without_an_id, Migrator, |db: Db| async move {
    let other = Envelope { payload: Some(AuditRecorded::default().into()), ..event("active") };
    let error = handle(&db, AUTH_DRIVERS, &other).await.unwrap_err();
    assert_eq!(
        (error.reason.as_str(), error.is_transient()),
        ("EVENT_MISMATCH", false),
        "it becomes a dead letter"
    );
    let unnamed = Envelope { id: "1".into(), ..event("active") };
    assert!(!handle(&db, AUTH_DRIVERS, &unnamed).await.unwrap_err().is_transient());
    assert_eq!(effects(&db).await, (0, 0));
});

async fn emit(db: &Db, id: &str, payload: impl Into<Payload>) {
    let tx = db.begin().await.unwrap();
    let event = NewEvent {
        service: "settings",
        actor: "maria",
        aggregate_id: id,
        // Many events share a version.
        aggregate_version: 1,
        occurred_at: Clock::system().now(),
        payload: payload.into(),
    };
    outbox::add(&tx, event).await.unwrap();
    tx.commit().await.unwrap();
}

async fn sequences(db: &Db, id: &str) -> Vec<u64> {
    let rows = outbox::outbox_event::Entity::find().all(db.read()).await.unwrap();
    let events =
        rows.iter().map(|row| <Envelope as prost::Message>::decode(row.envelope.as_slice()).unwrap());
    let mut found: Vec<u64> = events.filter(|it| it.aggregate_id == id).map(|it| it.sequence).collect();
    found.sort_unstable();
    found
}

on_both!(every_event_takes_the_next_number_of_its_aggregate, Migrator, |db: Db| async move {
    let mut tasks = Vec::new();
    for at in 0..20 {
        let db = db.clone();
        let id = if at % 2 == 0 { "one" } else { "other" };
        tasks.push(tokio::spawn(async move { emit(&db, id, AnnouncementChanged::default()).await }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    for id in ["one", "other"] {
        assert_eq!(sequences(&db, id).await, (1..=10).collect::<Vec<u64>>());
    }
    // Audit events need no order.
    emit(&db, "act", AuditRecorded::default()).await;
    assert_eq!(sequences(&db, "act").await, [0]);
    assert!(AuditRecorded::ENTRY.aggregate.is_none());
});

on_both!(an_event_about_many_numbers_each_of_them, Migrator, |db: Db| async move {
    let next = |ids: &'static [&'static str], keep: bool| {
        let db = db.clone();
        async move {
            let tx = db.begin().await.unwrap();
            let numbers = sequence::next_each(&tx, ids.iter().map(|id| (DELIVERY, *id))).await.unwrap();
            if keep {
                tx.commit().await.unwrap();
            }
            numbers.into_iter().map(|((_, id), at)| (id, at)).collect::<Vec<_>>()
        }
    };
    let of = |pairs: &[(&str, u64)]| pairs.iter().map(|(id, at)| ((*id).to_owned(), *at)).collect::<Vec<_>>();
    assert_eq!(next(&["DR-2", "DR-1"], true).await, of(&[("dr-1", 1), ("dr-2", 1)]));
    assert_eq!(
        next(&["dr-1", "DR-1"], true).await,
        of(&[("dr-1", 2)]),
        "one aggregate, however it is spelled"
    );
    assert_eq!(next(&["DR-1", "DR-3"], false).await, of(&[("dr-1", 3), ("dr-3", 1)]));
    assert_eq!(
        next(&["DR-1", "DR-3"], true).await,
        of(&[("dr-1", 3), ("dr-3", 1)]),
        "a rolled back number is free"
    );
    assert_eq!(next(&[], true).await, of(&[]));
});

on_both!(skipped_numbers_are_skipped_by_old_and_new_aggregates_of_one_kind, Migrator, |db: Db| async move {
    let next = async |kind: &'static str, id: &str| {
        let tx = db.begin().await.unwrap();
        let numbers = sequence::next_of(&tx, kind, [id]).await.unwrap();
        tx.commit().await.unwrap();
        numbers.into_values().collect::<Vec<u64>>()
    };
    let jump = async || {
        let tx = db.begin().await.unwrap();
        sequence::jump(&tx, "send", 1_000).await.unwrap();
        tx.commit().await.unwrap();
    };
    assert_eq!(next("send", "DR-1").await, [1]);
    jump().await;
    assert_eq!(next("send", "dr-1").await, [1_002]);
    assert_eq!(next("send", "DR-2").await, [1_001], "others may have had numbers that are lost");
    jump().await;
    assert_eq!(next("send", "DR-1").await, [2_003]);
    assert_eq!(next(DELIVERY, "DR-1").await, [1]);
});
