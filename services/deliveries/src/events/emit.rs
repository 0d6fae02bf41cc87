//! Emits events of deliveries: one for each change of a delivery, and a few for each batch of an import.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use kit::Result;
use prost::Message;
use proto::events::{
    DELIVERY, DeliveriesImported, DeliveryChanged, DeliveryFact, ReportedOutcome, SHIPMENT, ShipmentFact,
    SourceChanged, VarianceFact,
};
use uuid::Uuid;

use super::change::{Changed, ImportedDelivery};
use crate::domain::delivery::ShipmentStatus;
use crate::domain::reason::{AppliesTo, Catalogue};
use crate::domain::state::Step;
use crate::entity::{delivery, source, variance};
use crate::outbound::outgoing;
use ::store::filter::fold;
use ::store::outbox::{self, NewEvent};
use ::store::{Tx, sequence};

/// Maximum variances in an event. An imported delivery may have any number of lines, and one outcome can
/// create a variance for each, but an event has a size limit.
const MAX_VARIANCES: usize = 200;
/// Maximum deliveries in one event of an import.
const FACTS_PER_EVENT: usize = 500;
/// Target size of an event in bytes: half the size limit. `FACTS_PER_EVENT` deliveries can be larger, because
/// texts are limited in characters, and a character takes up to four bytes.
const BYTES_PER_EVENT: usize = outbox::MAX_BYTES / 2;

pub async fn delivery_changed(
    tx: &Tx,
    changed: Changed<'_>,
    reasons: &Catalogue,
    now: DateTime<Utc>,
) -> Result<()> {
    emit(tx, changed, None, reasons, now).await
}

/// Emits a driver's update that was too late to count, with what the driver reported.
pub async fn superseded(
    tx: &Tx,
    changed: Changed<'_>,
    step: &Step,
    reasons: &Catalogue,
    now: DateTime<Utc>,
) -> Result<()> {
    let reported = ReportedOutcome {
        deliverystatus: step.to.as_str().to_owned(),
        attempt: step.attempt.unsigned_abs(),
        late: step.late,
    };
    emit(tx, changed, Some(reported), reasons, now).await
}

async fn emit(
    tx: &Tx,
    changed: Changed<'_>,
    reported: Option<ReportedOutcome>,
    reasons: &Catalogue,
    now: DateTime<Utc>,
) -> Result<()> {
    outgoing::enqueue(tx, &changed, now).await?;
    let Changed { delivery, kind, actor, variances, shipments, left, before } = changed;
    let had = before.and_then(|it| it.driver_id_key.as_deref());
    let driver_is_new = delivery.driver_id_key.as_deref() != had;
    let left_driver = before.and_then(|it| it.driver_id.clone()).filter(|_| driver_is_new);
    let status = |number: &str| {
        shipments.get(&fold(number)).map(|status| status.as_str().to_owned()).unwrap_or_default()
    };
    let payload = DeliveryChanged {
        delivery: Some(fact(delivery, status(&delivery.shipmentnumber))),
        kind: kind.into(),
        change: kind.released_name().to_owned(),
        variances: variances
            .iter()
            .take(MAX_VARIANCES)
            .map(|variance| variance_fact(variance, delivery, reasons))
            .collect(),
        variance_count: u32::try_from(variances.len()).unwrap_or(u32::MAX),
        attempt: delivery.attempt.unsigned_abs(),
        late: delivery.late,
        outcome_reason: delivery.outcome_reason.clone().unwrap_or_default(),
        left_shipmentnumber: left.unwrap_or_default().to_owned(),
        left_shipmentstatus: left.map(status).unwrap_or_default(),
        driver_is_new,
        left_driver_id: left_driver.unwrap_or_default(),
        // Filled in by the outbox.
        left_shipmentsequence: 0,
        reported,
    };
    let event = NewEvent {
        service: crate::NAME,
        actor,
        aggregate_id: &delivery.id,
        aggregate_version: delivery.version.unsigned_abs(),
        occurred_at: now,
        payload: payload.into(),
    };
    outbox::add(tx, event).await?;
    Ok(())
}

/// What a batch of an import, or of its undo, did in this transaction.
pub struct Imported<'a> {
    pub upload: Uuid,
    /// Number of the batch in its file, from 0. Always 0 for an undo, and for a delivery that is restored
    /// after an undo.
    pub number: i32,
    pub source_id: &'a str,
    pub actor: &'a str,
    pub deliveries: Vec<ImportedDelivery>,
    /// Numbers of the shipments that deliveries left.
    pub left: Vec<String>,
    /// Status of the affected shipments, by folded shipment number.
    pub shipments: &'a BTreeMap<String, ShipmentStatus>,
}

pub async fn deliveries_imported(tx: &Tx, imported: Imported<'_>, now: DateTime<Utc>) -> Result<()> {
    let Imported { upload, number, source_id, actor, mut deliveries, left, shipments } = imported;
    let abouts = deliveries
        .iter()
        .map(|it| &it.fact)
        .flat_map(|fact| [(DELIVERY, fact.id.as_str()), (SHIPMENT, fact.shipmentnumber.as_str())])
        .chain(left.iter().map(|number| (SHIPMENT, number.as_str())));
    let sequences = sequence::next_each(tx, abouts).await?;
    let sequence = |aggregate, key: String| sequences.get(&(aggregate, key)).copied().unwrap_or_default();
    let status = |key: &str| shipments.get(key).map(|status| status.as_str().to_owned()).unwrap_or_default();
    for ImportedDelivery { fact, .. } in &mut deliveries {
        let shipment = fold(&fact.shipmentnumber);
        fact.sequence = sequence(DELIVERY, fold(&fact.id));
        fact.shipmentstatus = status(&shipment);
        fact.shipmentsequence = sequence(SHIPMENT, shipment);
    }
    outgoing::enqueue_imported(tx, &deliveries, now).await?;
    let left: Vec<ShipmentFact> = left
        .into_iter()
        .map(|number| {
            let key = fold(&number);
            ShipmentFact {
                shipmentstatus: status(&key),
                sequence: sequence(SHIPMENT, key),
                shipmentnumber: number,
            }
        })
        .collect();
    let upload = upload.to_string();
    let mut facts: Vec<DeliveryFact> = deliveries.into_iter().map(|it| it.fact).collect();
    let chunks = chunks(&facts).into_iter();
    let deliveries = chunks.map(|length| (facts.drain(..length).collect(), Vec::new()));
    let left = left.chunks(FACTS_PER_EVENT).map(|some| (Vec::new(), some.to_vec()));
    for (deliveries, left_shipments) in deliveries.chain(left) {
        let payload = DeliveriesImported {
            upload_log_id: upload.clone(),
            source_id: source_id.to_owned(),
            deliveries,
            left_shipments,
        };
        let event = NewEvent {
            service: crate::NAME,
            actor,
            aggregate_id: &upload,
            aggregate_version: number.unsigned_abs().into(),
            occurred_at: now,
            payload: payload.into(),
        };
        outbox::add(tx, event).await?;
    }
    Ok(())
}

/// Returns how many deliveries go into each event, so that it stays within `FACTS_PER_EVENT` and `BYTES_PER_EVENT`.
fn chunks(facts: &[DeliveryFact]) -> Vec<usize> {
    let (mut chunks, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (at, fact) in facts.iter().enumerate() {
        let length = fact.encoded_len();
        bytes += length;
        if at > start && (at - start == FACTS_PER_EVENT || bytes > BYTES_PER_EVENT) {
            chunks.push(at - start);
            (start, bytes) = (at, length);
        }
    }
    if start < facts.len() {
        chunks.push(facts.len() - start);
    }
    chunks
}

/// Emits the current state of a source.
pub async fn source_changed(tx: &Tx, source: &source::Model, actor: &str, now: DateTime<Utc>) -> Result<()> {
    let event = NewEvent {
        service: crate::NAME,
        actor,
        aggregate_id: &source.id.to_string(),
        aggregate_version: source.version.unsigned_abs(),
        occurred_at: now,
        payload: source_fact(source).into(),
    };
    outbox::add(tx, event).await?;
    Ok(())
}

pub fn source_fact(source: &source::Model) -> SourceChanged {
    SourceChanged { id: source.id.to_string(), name: source.name.clone() }
}

/// Returns a delivery as events carry it, without its sequences.
pub fn fact(row: &delivery::Model, shipmentstatus: String) -> DeliveryFact {
    DeliveryFact {
        id: row.id.clone(),
        version: row.version.unsigned_abs(),
        deliverystatus: row.deliverystatus.as_str().to_owned(),
        shipmentnumber: row.shipmentnumber.clone(),
        shipmentstatus,
        customername: row.customername.clone(),
        trucker: row.trucker.clone(),
        driver_id: row.driver_id.clone().unwrap_or_default(),
        scheduledatetime: Some(proto::timestamp(row.scheduledatetime)),
        deliverydatetime: row.deliverydatetime.map(proto::timestamp),
        scanmode: row.scanmode.as_str().to_owned(),
        source_id: row.source_id.map(|id| id.to_string()).unwrap_or_default(),
        linecount: row.linecount.unsigned_abs(),
        // Filled in by the outbox.
        sequence: 0,
        conflict: row.conflict,
        removed: false,
        attempt: row.attempt.unsigned_abs(),
        time_window_end: row.time_window_end.map(proto::timestamp),
        outcome_reason: row.outcome_reason.clone().unwrap_or_default(),
        late: row.late,
        shipmentsequence: 0,
        driver_is_new: false,
        left_driver_id: String::new(),
    }
}

/// Adds to the fact of an imported delivery whether its driver has changed. `before` is the previous driver's id.
pub fn with_driver_before(fact: DeliveryFact, before: Option<&str>) -> DeliveryFact {
    let before = before.unwrap_or_default();
    let driver_is_new = fold(before) != fold(&fact.driver_id);
    let left_driver_id = if driver_is_new { before.to_owned() } else { String::new() };
    DeliveryFact { driver_is_new, left_driver_id, ..fact }
}

/// Returns a variance as events carry it. Who is responsible comes from the reason at the time of recording;
/// for variances of older releases, from the current reason.
pub fn variance_fact(row: &variance::Model, delivery: &delivery::Model, reasons: &Catalogue) -> VarianceFact {
    let now = || {
        let code = row.reason_code.as_deref()?;
        let of_delivery = AppliesTo::of(delivery.deliverystatus);
        let lists = [Some(AppliesTo::Variance), of_delivery].into_iter().flatten();
        let known = lists.filter_map(|list| reasons.find(list, code)).next()?;
        Some(known.responsible)
    };
    let responsible = row.responsible.or_else(now);
    VarianceFact {
        item_number: row.item_number.clone().unwrap_or_default(),
        reason: row.reason.clone().unwrap_or_default(),
        kind: row.kind.as_str().to_owned(),
        responsible: responsible.map(|it| it.as_str().to_owned()).unwrap_or_default(),
        difference_thousandths: row.difference,
        expected_thousandths: row.expected,
        actual_thousandths: row.actual,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_split_by_number_and_by_size() {
        let facts = |count: usize, bytes: usize| {
            vec![DeliveryFact { id: "a".repeat(bytes), ..DeliveryFact::default() }; count]
        };
        assert_eq!(chunks(&facts(500, 5)), [500]);
        assert_eq!(chunks(&facts(1_201, 5)), [500, 500, 201]);
        assert_eq!(chunks(&facts(5, BYTES_PER_EVENT / 3)), [2, 2, 1]);
        assert_eq!(chunks(&facts(3, BYTES_PER_EVENT)), [1, 1, 1]);
        assert!(chunks(&[]).is_empty());
    }
}
