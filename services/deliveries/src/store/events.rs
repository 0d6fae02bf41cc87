//! What leaves when a delivery has changed: one event for each change.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::envelope::Payload;
use proto::events::{DeliveryChanged, DeliveryFact, VarianceFact};

use crate::domain::delivery::ShipmentStatus;
use crate::domain::line::Variance;
use crate::domain::reason::Catalogue;
use crate::entity::delivery;
use ::store::Tx;
use ::store::filter::fold;
use ::store::outbox::{self, Fact};

/// A change that was written in this transaction.
pub struct Changed<'a> {
    /// The delivery as it is now.
    pub delivery: &'a delivery::Model,
    pub what: &'static str,
    pub actor: &'a str,
    /// All of the present attempt.
    pub variances: &'a [Variance],
    /// Of the shipments that were rolled up, by folded number.
    pub shipments: &'a BTreeMap<String, ShipmentStatus>,
    /// The shipment it was in before, when that is another one.
    pub left: Option<&'a str>,
    /// The delivery as it was; nothing when it is new.
    pub before: Option<&'a delivery::Model>,
}

pub async fn emit(tx: &Tx, changed: Changed<'_>, reasons: &Catalogue, now: DateTime<Utc>) -> Result<()> {
    let Changed { delivery, what, actor, variances, shipments, left, before } = changed;
    let had = before.and_then(|it| it.driver_id_key.as_deref());
    let driver_is_new = delivery.driver_id_key.as_deref() != had;
    let left_driver = before.and_then(|it| it.driver_id.clone()).filter(|_| driver_is_new);
    let status = |number: &str| {
        shipments.get(&fold(number)).map(|status| status.as_str().to_owned()).unwrap_or_default()
    };
    let payload = Payload::DeliveryChanged(DeliveryChanged {
        delivery: Some(fact(delivery, status(&delivery.shipmentnumber))),
        change: what.to_owned(),
        variances: variances.iter().map(|variance| variance_fact(variance, reasons)).collect(),
        attempt: delivery.attempt.unsigned_abs(),
        late: delivery.late,
        outcome_reason: delivery.outcome_reason.clone().unwrap_or_default(),
        left_shipmentnumber: left.unwrap_or_default().to_owned(),
        left_shipmentstatus: left.map(status).unwrap_or_default(),
        driver_is_new,
        left_driver_id: left_driver.unwrap_or_default(),
    });
    let fact = Fact {
        service: crate::NAME,
        actor,
        aggregate_id: &delivery.id,
        aggregate_version: delivery.version.unsigned_abs(),
        occurred_at: now,
        payload,
    };
    outbox::add(tx, fact).await?;
    Ok(())
}

fn fact(row: &delivery::Model, shipmentstatus: String) -> DeliveryFact {
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
    }
}

fn variance_fact(variance: &Variance, reasons: &Catalogue) -> VarianceFact {
    let reason = variance.reason.as_ref();
    let known = reason.and_then(|it| reasons.find(it.applies_to, &it.code));
    VarianceFact {
        item_number: variance.item_number.clone().unwrap_or_default(),
        reason: reason.map(|it| it.label.clone()).unwrap_or_default(),
        kind: variance.kind.as_str().to_owned(),
        responsible: known.map(|it| it.responsible.as_str().to_owned()).unwrap_or_default(),
        difference_thousandths: variance.difference,
    }
}
