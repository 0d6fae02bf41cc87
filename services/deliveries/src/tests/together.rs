//! Concurrent, repeated and interrupted changes: nothing is lost and nothing counts twice.

use std::collections::BTreeMap;

use ::store::clearing::Doubts;
use ::store::{Db, on_both};
use chrono::TimeDelta;
use kit::clock::{Clock, new_id};
use kit::{Kind, Result, Role};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;
use sea_orm::{EntityTrait, PaginatorTrait};

use super::invariants::*;
use super::office::*;
use crate::Migrator;
use crate::commands::record_outcome;
use crate::commands::transition::{self, Submission};
use crate::domain::actor::Actor;
use crate::domain::command::{Command, RecordOutcome};
use crate::domain::delivery::{ScanMode as Scanned, Status};
use crate::entity::{client_event, edit, history};
use crate::tables::client_events::{self, Event};

const EDITORS: usize = 64;
const ROWS: usize = 10;
const EDITS_EACH: usize = 5;

/// An edit that was accepted.
struct Accepted {
    id: String,
    version: u64,
    /// The value that only this edit wrote; `None` for an outcome.
    wrote: Option<String>,
}

/// Makes one change to a delivery, and tries again if somebody else was faster. Returns `None` if no change
/// is possible.
async fn edit(office: &Office, editor: usize, number: usize) -> Option<Accepted> {
    let id = format!("DR-{}", (editor * 7 + number * 3) % ROWS);
    for _ in 0..200 {
        let seen = office.get(&id).await;
        let can = |action: &str| seen.allowed_actions.iter().any(|it| it == action);
        let value = format!("SI-{editor}-{number}");
        let (answer, wrote) = match (editor + number) % 4 {
            0 | 1 if can("edit") => {
                let head = DeliveryHead { referencedoc: Some(value.clone()), ..head(&seen.shipmentnumber) };
                let head = DeliveryHead { scheduledatetime: seen.scheduledatetime, ..head };
                let request =
                    UpdateDeliveryRequest { id: id.clone(), version: seen.version, head: Some(head) };
                (told(office.service().update_delivery(by(Role::Admin, request)).await), Some(value))
            }
            2 if can("mark_undelivered") => {
                let mut request = outcome(&id, Some(DeliveryStatus::Undelivered), vec![]);
                request.version = Some(seen.version);
                (office.record(Role::Admin, request).await, None)
            }
            3 if can("complete") && number > 2 => {
                let mut request = outcome(&id, None, as_expected());
                request.version = Some(seen.version);
                (office.record(Role::Admin, request).await, None)
            }
            _ if can("reschedule") => {
                let to = office.context.clock.now() + TimeDelta::minutes((20 * editor + number) as i64);
                let request = RescheduleDeliveryRequest {
                    delivery_id: id.clone(),
                    version: Some(seen.version),
                    client_event_id: new_id().to_string(),
                    scheduledatetime: Some(proto::timestamp(to)),
                    note: None,
                };
                (told(office.service().reschedule_delivery(by(Role::Admin, request)).await), None)
            }
            _ if can("correct_status") => {
                let mut request = correction(&id, Some(DeliveryStatus::Pending), vec![]);
                request.version = Some(seen.version);
                (office.correct(Role::Admin, request).await, None)
            }
            _ => return None,
        };
        match answer {
            Ok(after) => {
                assert_eq!(after.version, seen.version + 1, "nobody came between");
                return Some(Accepted { id, version: after.version, wrote });
            }
            Err(error) if error.reason == "DELIVERY_CHANGED" || error.kind == Kind::Unavailable => {}
            Err(error) => panic!("{error}"),
        }
    }
    panic!("{id} was never to be had");
}

on_both!(no_edit_of_64_editors_is_lost, Migrator, |db: Db| async move {
    let mut office = Office::open(&db);
    office.context.clock = Clock::system();
    office.context.config.max_attempts = 50;
    for row in 0..ROWS {
        office.create(&format!("DR-{row}"), &format!("S-{}", row % 3), two_items()).await;
    }
    let editors = (0..EDITORS).map(|editor| {
        let office = office.clone();
        tokio::spawn(async move {
            let mut done = Vec::new();
            for number in 0..EDITS_EACH {
                done.extend(edit(&office, editor, number).await);
            }
            done
        })
    });
    let mut accepted: BTreeMap<String, Vec<Accepted>> = BTreeMap::new();
    for editor in editors.collect::<Vec<_>>() {
        for it in editor.await.unwrap() {
            accepted.entry(it.id.clone()).or_default().push(it);
        }
    }
    assert!(accepted.values().map(Vec::len).sum::<usize>() > EDITORS * EDITS_EACH / 2);

    let mut events = events_by_delivery(&db).await;
    for row in 0..ROWS {
        let id = format!("DR-{row}");
        let delivery = office.get(&id).await;
        let mut accepted = accepted.remove(&id).unwrap_or_default();
        accepted.sort_by_key(|it| it.version);
        // Each accepted edit has one version, and there are no other versions.
        let versions: Vec<u64> = accepted.iter().map(|it| it.version).collect();
        assert_eq!(versions, (2..=delivery.version).collect::<Vec<_>>(), "{id}");
        assert_eq!(events.remove(&id).unwrap(), (1..=delivery.version).collect::<Vec<_>>(), "{id}");
        holds(&db, &id).await;
        // Each edit of the head has a record, and starts from the value that the previous edit wrote.
        let record = record(&db, &id).await;
        let mut reference = None;
        for it in accepted.iter().filter(|it| it.wrote.is_some()) {
            let changes = &record[&(it.version as i64)];
            let change = changes.iter().find(|it| it.field == "referencedoc").unwrap();
            assert_eq!((&change.before, &change.after), (&reference, &it.wrote), "{id} {}", it.version);
            reference.clone_from(&it.wrote);
        }
        assert_eq!(delivery.referencedoc, reference);
    }
    shipments_hold(&db).await;
    sequences_hold(&db).await;
});

on_both!(a_shipment_counts_what_happens_at_the_same_moment, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    for round in 0..5 {
        let ids: Vec<String> = (0..12).map(|number| format!("DR-{round}-{number}")).collect();
        for id in &ids {
            office.create(id, &format!("S-{round}"), vec![]).await;
        }
        let done = ids.into_iter().map(|id| {
            let office = office.clone();
            tokio::spawn(async move {
                let request = outcome(&id, Some(DeliveryStatus::CompleteNoVariance), vec![]);
                office.record(Role::Dispatcher, request).await.unwrap();
            })
        });
        for done in done.collect::<Vec<_>>() {
            done.await.unwrap();
        }
        let shipment = office.shipment(&format!("S-{round}")).await.unwrap();
        assert_eq!((shipment.shipmentstatus(), shipment.completed_count), (ShipmentStatus::Completed, 12));
    }
    shipments_hold(&db).await;
});

on_both!(the_same_event_from_many_counts_once, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let request = outcome("DR-1", None, one_short());
    let tellers = (0..16).map(|teller| {
        let (office, request) = (office.clone(), request.clone());
        // Some requests carry the version, like those of a browser that retries.
        let version = (teller % 2 == 0).then_some(1);
        tokio::spawn(async move {
            office.record(Role::Dispatcher, RecordOutcomeRequest { version, ..request }).await
        })
    });
    for teller in tellers.collect::<Vec<_>>() {
        let answer = teller.await.unwrap().unwrap();
        assert_eq!((answer.version, answer.form_version), (2, 1));
    }
    assert_eq!(office.history("DR-1").await.len(), 2);
    assert_eq!(emitted(&db).await.len(), 2);
    assert_eq!(client_event::Entity::find().count(db.read()).await.unwrap(), 1);
});

fn reported(
    id: &str,
    actor: Actor,
    at: chrono::DateTime<chrono::Utc>,
    status: Status,
) -> (Submission, RecordOutcome) {
    let reason = (status == Status::Undelivered).then(|| "site_closed".to_owned());
    let submission = Submission {
        delivery_id: id.into(),
        actor,
        expected_version: None,
        event: Some(Event { id: new_id(), fingerprint: vec![1] }),
        occurred_at: Some(at),
    };
    let outcome = RecordOutcome {
        status: Some(status),
        attempt: None,
        lines: None,
        reason,
        note: Some("At the gate".into()),
        received_by: Some("Nena".into()),
        relation: None,
        scanmode: Scanned::No,
        place: None,
        signature: false,
        photo: false,
    };
    (submission, outcome)
}

on_both!(what_was_not_committed_did_not_happen, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let (submission, outcome) = reported(
        "DR-1",
        Actor::Driver { name: "Ramon".into(), driver_id: "D-1".into() },
        at(0),
        Status::CompleteNoVariance,
    );
    let command = Command::RecordOutcome(outcome);
    for _ in 0..3 {
        // The process ends after everything is written, before the commit.
        let tx = db.begin().await.unwrap();
        let row = transition::apply(&tx, &office.context, &submission, &command).await.unwrap();
        assert_eq!(row.version, 2);
        drop(tx);
        assert_eq!(office.get("DR-1").await.version, 1);
    }
    for _ in 0..3 {
        assert_eq!(transition::run(&office.context, &submission, &command).await.unwrap().version, 2);
    }
    assert_eq!(office.history("DR-1").await.len(), 2);
    assert_eq!(office.get("DR-1").await.form_version, 1);
    assert_eq!(emitted(&db).await.len(), 2);
    holds(&db, "DR-1").await;
});

on_both!(what_a_driver_told_too_late_waits_for_somebody_to_look, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let driver = || Actor::Driver { name: "Ramon".into(), driver_id: "D-1".into() };
    let run = async |(submission, outcome): &(Submission, RecordOutcome)| -> Result<_> {
        record_outcome::run(&office.context, submission, outcome.clone()).await
    };
    run(&reported("DR-1", driver(), at(0), Status::Undelivered)).await.unwrap();
    office.later(60);
    office.reschedule(Role::Dispatcher, "DR-1", at(24 * 60)).await.unwrap();
    let before = office.get("DR-1").await;
    // The device was offline and only now reports an outcome of minute 20.
    let (submission, outcome) = reported("DR-1", driver(), at(20), Status::CompleteNoVariance);
    let late = (submission, RecordOutcome { attempt: Some(1), ..outcome });
    let row = run(&late).await.unwrap();
    assert!(row.conflict && row.version as u64 == before.version + 1);
    assert_eq!(run(&late).await.unwrap().version, row.version, "once");
    let after = office.get("DR-1").await;
    let marked = Delivery { conflict: true, version: before.version + 1, ..before.clone() };
    assert_eq!(after, Delivery { updated_by: "Ramon".into(), ..marked });
    let history = office.history("DR-1").await;
    let step = history.last().unwrap();
    assert!(step.superseded && step.to_status() == DeliveryStatus::CompleteNoVariance);
    assert_eq!(history.len(), 4);
    let event = emitted(&db).await.pop().unwrap();
    assert_eq!((event.change.as_str(), event.attempt, event.late), ("superseded", 2, false));
    let expected = proto::events::ReportedOutcome {
        deliverystatus: "Complete_No_Variance".into(),
        attempt: 1,
        late: true,
    };
    assert_eq!(event.reported, Some(expected));

    let resolve = |version| {
        let request = ResolveConflictRequest { delivery_id: "DR-1".into(), version };
        let service = office.service();
        async move { told(service.resolve_conflict(by(Role::Dispatcher, request)).await) }
    };
    let unseen = resolve(before.version).await.unwrap_err();
    assert_eq!(unseen.reason, "DELIVERY_CHANGED", "nobody clears a mark that they have not seen");
    let resolved = resolve(after.version).await.unwrap();
    assert!(!resolved.conflict && resolved.version == after.version + 1);
    assert_eq!(resolve(resolved.version).await.unwrap().version, resolved.version, "there is none");
    holds(&db, "DR-1").await;
});

on_both!(client_events_are_forgotten_when_they_are_old, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", vec![]).await;
    office.create("DR-2", "S-1", vec![]).await;
    let done = |id| outcome(id, Some(DeliveryStatus::CompleteNoVariance), vec![]);
    office.record(Role::Dispatcher, done("DR-1")).await.unwrap();
    office.context.clock.advance(TimeDelta::days(60));
    office.record(Role::Dispatcher, done("DR-2")).await.unwrap();
    office.context.clock.advance(TimeDelta::days(31));
    assert_eq!(client_events::prune(&db, office.context.clock.now(), &Doubts::default()).await.unwrap(), 1);
    let [left] = &client_event::Entity::find().all(db.read()).await.unwrap()[..] else { panic!("one") };
    assert_eq!(left.delivery_key, "dr-2");
    assert_eq!(history::Entity::find().count(db.read()).await.unwrap(), 4, "what happened stays");
    assert_eq!(edit::Entity::find().count(db.read()).await.unwrap(), 0);
});

// The last delivery leaves a shipment while others join it, so its row is removed and created again. A
// transaction that waited for the removed row must not count at the same time as the one that creates the
// new row.
on_both!(a_shipment_that_empties_while_it_fills_is_counted_right, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    for round in 0..12 {
        let shipment = format!("S-{round}");
        let last = office.create(&format!("DR-{round}"), &shipment, vec![]).await;
        let leaves = {
            let office = office.clone();
            tokio::spawn(async move {
                let request = UpdateDeliveryRequest {
                    id: last.id,
                    version: last.version,
                    head: Some(head("S-elsewhere")),
                };
                office.service().update_delivery(by(Role::Admin, request)).await.unwrap();
            })
        };
        let come = (1..=4).map(|n| {
            let (office, shipment) = (office.clone(), shipment.clone());
            tokio::spawn(async move {
                office.create(&format!("DR-{round}-{n}"), &shipment, vec![]).await;
            })
        });
        for one in come.chain([leaves]).collect::<Vec<_>>() {
            one.await.unwrap();
        }
        shipments_hold(&db).await;
    }
});
