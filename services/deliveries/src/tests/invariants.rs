//! Invariants of every delivery and shipment, checked by reading the rows alone.

use std::collections::BTreeMap;

use ::store::Db;
use ::store::filter::fold;
use prost::Message;
use proto::deliveries::v1::{FieldChange, FormContent};
use proto::events::DeliveryFact;
use proto::events::envelope::Payload;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};

use super::office::events;
use crate::domain::delivery::Status;
use crate::domain::line::Condition;
use crate::domain::shipment::Tally;
use crate::entity::{delivery, edit, form, history, item, shipment, variance};

pub async fn holds(db: &Db, id: &str) {
    let key = fold(id);
    let row = delivery::Entity::find_by_id(key.clone()).one(db.read()).await.unwrap().unwrap();
    let steps = history::Entity::find()
        .filter(history::Column::DeliveryKey.eq(key.as_str()))
        .order_by_asc(history::Column::Step)
        .all(db.read())
        .await
        .unwrap();
    let items = item::Entity::find().filter(item::Column::DeliveryKey.eq(key.as_str()));
    let items = items.all(db.read()).await.unwrap();
    let edits = record(db, id).await;
    let case = format!("{row:?}\n{steps:#?}");

    // The history has no gap, is one chain, and matches the delivery.
    let numbers: Vec<i32> = steps.iter().map(|step| step.step).collect();
    assert_eq!(numbers, (1..=steps.len() as i32).collect::<Vec<_>>(), "{case}");
    assert!(steps.is_sorted_by_key(|step| step.received_at), "{case}");
    let mut at = None;
    let mut attempt = 1;
    let made: Vec<&history::Model> = steps.iter().filter(|step| !step.superseded).collect();
    for step in &made {
        assert_eq!(step.from_status, at, "{case}");
        assert!((attempt..=attempt + 1).contains(&step.attempt), "{case}");
        (at, attempt) = (Some(step.to_status), step.attempt);
    }
    assert_eq!((at, attempt), (Some(row.deliverystatus), row.attempt), "{case}");
    for (before, step) in made.iter().zip(&made[1..]) {
        assert!(step.correction_of.is_none_or(|id| id == before.id), "{case}");
    }
    // History and edit records cover each version once.
    assert_eq!(row.version as usize, steps.len() + edits.len(), "{case}\n{edits:?}");
    assert!(edits.keys().all(|version| (2..=row.version).contains(version)), "{case}");

    // Nothing is recorded before an outcome.
    let pending = row.deliverystatus == Status::Pending;
    assert_eq!(row.deliverydatetime.is_none(), pending, "{case}");
    assert_eq!(row.outcome_received_at.is_none(), pending, "{case}");
    assert_eq!(row.linecount as usize, items.len(), "{case}");
    let untouched = |it: &item::Model| it.delivered == 0 && it.rejected == 0 && it.condition == Condition::Ok;
    assert!(!pending || items.iter().all(untouched), "{case}");

    // Each differing line of the current attempt has a variance, and variances of earlier attempts still
    // exist.
    let variances = variance::Entity::find().filter(variance::Column::DeliveryKey.eq(key.as_str()));
    let variances = variances.all(db.read()).await.unwrap();
    let differs =
        |it: &&item::Model| !pending && (it.delivered != it.quantity || it.condition != Condition::Ok);
    let mut differing: Vec<(&str, i64)> =
        items.iter().filter(differs).map(|it| (it.item_key.as_str(), it.delivered - it.quantity)).collect();
    let present = variances.iter().filter(|it| it.attempt == row.attempt);
    let mut kept: Vec<(&str, i64)> =
        present.clone().filter_map(|it| Some((it.item_key.as_deref()?, it.difference))).collect();
    differing.sort_unstable();
    kept.sort_unstable();
    assert_eq!(kept, differing, "{case}");
    if let Some(reason) = &row.outcome_reason {
        assert!(present.clone().any(|it| it.reason_code.as_ref() == Some(reason)), "{case}");
    }
    for failed in 1..row.attempt {
        assert!(variances.iter().any(|it| it.attempt == failed), "attempt {failed} of {case}");
    }

    // One form per form version.
    let versions: Vec<i32> = form_rows(db, id).await.iter().map(|form| form.form_version).collect();
    assert_eq!(versions, (1..=row.form_version).collect::<Vec<_>>(), "{case}");
}

/// Checks the status, counts and times of every shipment against its deliveries.
pub async fn shipments_hold(db: &Db) {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut times = BTreeMap::new();
    for row in delivery::Entity::find().all(db.read()).await.unwrap() {
        let (first, last) = times
            .entry(row.shipmentnumber_key.clone())
            .or_insert((row.scheduledatetime, row.deliverydatetime));
        *first = row.scheduledatetime.min(*first);
        *last = row.deliverydatetime.max(*last);
        let tally = tallies.entry(row.shipmentnumber_key).or_default();
        tally.all += 1;
        tally.pending += i64::from(row.deliverystatus == Status::Pending);
        tally.done += i64::from(row.deliverystatus.is_final(row.attempt, row.max_attempts));
    }
    let rows = shipment::Entity::find().all(db.read()).await.unwrap();
    assert_eq!(rows.len(), tallies.len());
    for row in rows {
        let tally = tallies[&row.shipmentnumber_key];
        assert_eq!(Some(row.shipmentstatus), tally.status(), "{row:?}");
        let counts =
            (i64::from(row.delivery_count), i64::from(row.open_count), i64::from(row.completed_count));
        assert_eq!(counts, (tally.all, tally.all - tally.done, tally.done), "{row:?}");
        let (first, last) = times[&row.shipmentnumber_key];
        assert_eq!((row.first_dispatch_at, row.last_processed_at), (Some(first), last), "{row:?}");
    }
}

/// Returns the edit records of a delivery, by version.
pub async fn record(db: &Db, id: &str) -> BTreeMap<i64, Vec<FieldChange>> {
    let rows = edit::Entity::find().filter(edit::Column::DeliveryKey.eq(fold(id)));
    let rows = rows.all(db.read()).await.unwrap();
    rows.into_iter().map(|row| (row.version, edit::read(&row.changes))).collect()
}

async fn form_rows(db: &Db, id: &str) -> Vec<form::Model> {
    form::Entity::find()
        .filter(form::Column::DeliveryKey.eq(fold(id)))
        .order_by_asc(form::Column::FormVersion)
        .all(db.read())
        .await
        .unwrap()
}

/// Returns the contents of a delivery's form versions.
pub async fn forms(db: &Db, id: &str) -> Vec<FormContent> {
    let rows = form_rows(db, id).await;
    rows.iter().map(|row| FormContent::decode(row.content.as_slice()).unwrap()).collect()
}

/// Checks that the events about each delivery, including those of imports, are numbered without a gap.
pub async fn sequences_hold(db: &Db) {
    let mut sequences: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for event in events(db).await {
        let facts = match event.payload {
            Some(Payload::DeliveryChanged(changed)) => {
                let fact = changed.delivery.unwrap();
                assert_eq!(fact.sequence, event.sequence, "{}", event.aggregate_id);
                vec![fact]
            }
            Some(Payload::DeliveriesImported(imported)) => imported.deliveries,
            _ => Vec::new(),
        };
        for fact in facts {
            sequences.entry(fact.id).or_default().push(fact.sequence);
        }
    }
    assert!(!sequences.is_empty());
    for (id, found) in sequences {
        assert_eq!(found, (1..=found.len() as u64).collect::<Vec<_>>(), "{id}");
    }
}

/// Returns the versions that events carried, by delivery, in order.
pub async fn events_by_delivery(db: &Db) -> BTreeMap<String, Vec<u64>> {
    let mut versions: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for event in events(db).await {
        versions.entry(event.aggregate_id).or_default().push(event.aggregate_version);
    }
    versions
}

/// Returns the driver that a delivery left and the one that it was given to, for each event of an import or an undo
/// about it.
pub async fn handovers(db: &Db, id: &str) -> Vec<(String, String)> {
    let events = events(db).await.into_iter().filter_map(|it| match it.payload {
        Some(Payload::DeliveriesImported(imported)) => Some(imported.deliveries),
        _ => None,
    });
    let facts = events.flatten().filter(|fact| fact.id == id);
    let of = |fact: DeliveryFact| {
        let given_to = if fact.driver_is_new { fact.driver_id.as_str() } else { "" };
        handover((fact.left_driver_id.as_str(), given_to))
    };
    facts.map(of).collect()
}

pub fn handover((left, given_to): (&str, &str)) -> (String, String) {
    (left.to_lowercase(), given_to.to_lowercase())
}
