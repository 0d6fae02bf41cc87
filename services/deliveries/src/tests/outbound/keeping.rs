//! Retention of sent and discarded letters.

use chrono::TimeDelta;
use sea_orm::ActiveValue::Set;

use super::*;
use crate::entity::dead_letter::ActiveModel;
use crate::outbound::sends;

const KEPT: TimeDelta = TimeDelta::days(90);

impl Office {
    async fn prune(&self) -> u64 {
        sends::prune(&self.context.db, self.context.clock.now() - KEPT).await.unwrap()
    }

    fn later_days(&self, days: i64) {
        self.context.clock.advance(TimeDelta::days(days));
    }
}

async fn add(db: &Db, rows: impl IntoIterator<Item = ActiveModel>) {
    let tx = db.begin().await.unwrap();
    ::store::bulk::insert(&*tx, rows.into_iter().collect()).await.unwrap();
    tx.commit().await.unwrap();
}

on_both!(after_a_restore_every_delivery_sends_higher_numbers_than_before, Migrator, |db: Db| async move {
    let office = open(&db);
    office.endpoint("ERP", "http://127.0.0.1:9/").await;
    office.create("DR-1", "S-1", two_items()).await;
    crate::after_restore(&db).await.unwrap();
    office.record(Role::Dispatcher, outcome("DR-1", None, as_expected())).await.unwrap();
    office.create("DR-2", "S-1", two_items()).await;
    let sends = office.sends().await;
    let numbers = |id: &str| -> Vec<u64> {
        let payloads = sends.iter().filter(|it| it.delivery_id == id).map(|it| it.payload.as_str());
        let payloads = payloads.map(|it| serde_json::from_str::<serde_json::Value>(it).unwrap());
        payloads.map(|it| it["data"]["sequence"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers("DR-1")[..2], [1, 1_000_000_002]);
    assert_eq!(numbers("DR-2"), [1_000_000_001], "it may have had messages since the backup");
});

on_both!(a_letter_is_known_for_ninety_days_after_it_was_sent_or_discarded, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(204)).await;
    let office = open(&db);
    let endpoint = office.endpoint("ERP", &receiver.url()).await;
    let erp = office.producer("erp", &endpoint).await;
    // Both messages failed long before they were reported. The reports then wait for 91 days until they are
    // resent or discarded.
    let report = async |key: &str, delivery: &str| {
        let letter = ReportedLetter {
            delivery_id: delivery.into(),
            method: "status".into(),
            failed_at: Some(proto::timestamp(at(0) - TimeDelta::days(200))),
            payload: "{}".into(),
            ..Default::default()
        };
        let content = raise_dead_letter_request::Content::Letter(letter);
        office.raise(&erp.token, key, content).await.unwrap()
    };
    let sent = report("k-1", "DR-1").await.id;
    report("k-2", "DR-2").await;
    office.later_days(91);
    office.resend(&sent, None).await.unwrap();
    assert_eq!(office.send().await, 1);
    office.run_job("discard", vec![]).await;
    let states: Vec<State> = office.sends().await.iter().map(|it| it.state).collect();
    assert_eq!(states, [State::Success, State::Discarded]);

    office.later_days(89);
    assert_eq!(office.prune().await, 0);
    assert!(report("k-1", "DR-1").await.repeated && report("k-2", "DR-2").await.repeated);
    office.later_days(2);
    assert_eq!(office.prune().await, 2);
});

on_both!(what_is_to_fix_is_kept_however_old, Migrator, |db: Db| async move {
    let office = open(&db);
    let row = ActiveModel {
        state: Set(State::Failed),
        ..sends::new_row(Method::Status, "{}".into(), at(0) - TimeDelta::days(400))
    };
    add(&db, [row]).await;
    assert_eq!((office.prune().await, office.sends().await.len()), (0, 1));
});

on_both!(what_a_release_before_closed_gets_a_time, Migrator, |db: Db| async move {
    let office = open(&db);
    let row = |state, processed_at| ActiveModel {
        state: Set(state),
        processed_at: Set(processed_at),
        ..sends::new_row(Method::Status, "{}".into(), at(0) - TimeDelta::days(400))
    };
    let sent = (0..2_100).map(|_| row(State::Success, Some(at(-10))));
    add(&db, sent.chain([row(State::Discarded, None), row(State::Failed, None)])).await;
    assert_eq!(office.prune().await, 0, "nobody knows for how long they have been closed");
    let now = office.context.clock.now();
    assert_eq!(sends::note_closed(&db, now).await.unwrap(), 2_101);
    assert_eq!(sends::note_closed(&db, now).await.unwrap(), 0);
    for row in office.sends().await {
        let expected = match row.state {
            State::Success => Some(at(-10)),
            State::Discarded => Some(now),
            _ => None,
        };
        assert_eq!(row.closed_at, expected);
    }
});
