//! Message contents for other systems.
//!
//! Every message has the whole delivery in its current state, so that a receiver that missed one is up to
//! date after the next. docs/webhooks.md describes the fields.

use std::iter;

use ::store::Tx;
use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::DeliveryChangeKind as Kind;
use serde_json::{Map, Value, json};

use crate::domain::delivery::Status;
use crate::domain::outbound::Method;
use crate::entity::{delivery, variance};
use crate::events::change::{Changed, ImportedDelivery};
use crate::outbound::sends::{self, Outgoing};

/// Maximum number of variances in a message, to limit its size. The message also has their total number.
const MAX_VARIANCES: usize = 200;
const CANCELLED: &str = "cancelled_by_shipper";

/// Adds the messages about a change, in its transaction.
pub async fn enqueue(tx: &Tx, changed: &Changed<'_>, now: DateTime<Utc>) -> Result<()> {
    let methods = methods(changed);
    if methods.is_empty() {
        return Ok(());
    }
    let outgoing = iter::once_with(|| Outgoing {
        delivery_id: changed.delivery.id.clone(),
        source_id: changed.delivery.source_id,
        methods,
        data: data(changed.delivery, changed.variances),
    });
    sends::enqueue(tx, outgoing, now).await
}

/// Adds the messages about a batch of an import, in its transaction.
pub async fn enqueue_imported(tx: &Tx, deliveries: &[ImportedDelivery], now: DateTime<Utc>) -> Result<()> {
    let outgoing = deliveries.iter().map(|it| Outgoing {
        delivery_id: it.fact.id.clone(),
        source_id: it.fact.source_id.parse().ok(),
        methods: vec![it.method],
        data: imported(it),
    });
    sends::enqueue(tx, outgoing, now).await
}

fn methods(changed: &Changed<'_>) -> Vec<Method> {
    let delivery = changed.delivery;
    let cancelled = || {
        delivery.deliverystatus == Status::Rejected && delivery.outcome_reason.as_deref() == Some(CANCELLED)
    };
    let mut methods = match changed.kind {
        Kind::Created => vec![Method::Create],
        Kind::Edited | Kind::ItemsEdited | Kind::Assigned | Kind::Rescheduled | Kind::Superseded => {
            vec![Method::Update]
        }
        Kind::OutcomeRecorded if cancelled() => vec![Method::Cancel],
        Kind::OutcomeRecorded => vec![Method::Status],
        Kind::Corrected => vec![Method::Correction],
        // Nothing is sent for these, because they leave the delivery unchanged.
        Kind::AttachmentAdded | Kind::Unspecified => Vec::new(),
    };
    if matches!(changed.kind, Kind::OutcomeRecorded | Kind::Corrected) && !changed.variances.is_empty() {
        methods.push(Method::Variance);
    }
    if delivery.form_version > changed.before.map_or(0, |before| before.form_version) {
        methods.push(Method::Form);
    }
    methods
}

fn data(row: &delivery::Model, variances: &[variance::Model]) -> Map<String, Value> {
    let shown: Vec<Value> = variances.iter().take(MAX_VARIANCES).map(variance).collect();
    object(json!({
        "deliveryId": row.id,
        "version": row.version,
        "deliverystatus": row.deliverystatus.as_str(),
        "shipmentnumber": row.shipmentnumber,
        "customername": row.customername,
        "trucker": row.trucker,
        "driverId": row.driver_id,
        "referencedoc": row.referencedoc,
        "scheduledatetime": row.scheduledatetime,
        "deliverydatetime": row.deliverydatetime,
        "scanmode": row.scanmode.as_str(),
        "sourceId": row.source_id,
        "linecount": row.linecount,
        "attempt": row.attempt,
        "outcomeReason": row.outcome_reason,
        "outcomeNote": row.outcome_note,
        "receivedBy": row.received_by,
        "outcomeOccurredAt": row.outcome_occurred_at,
        "late": row.late,
        "conflict": row.conflict,
        "formVersion": row.form_version,
        "varianceCount": variances.len(),
        "variances": shown,
    }))
}

fn variance(it: &variance::Model) -> Value {
    json!({
        "itemNumber": it.item_number,
        "kind": it.kind.as_str(),
        "reason": it.reason_code,
        "reasonLabel": it.reason,
        "responsible": it.responsible.map(|it| it.as_str()),
        "difference": it.difference as f64 / 1000.0,
    })
}

/// Returns the content for an imported delivery. It has the fields of [`data`]; those of the outcome are empty,
/// because the delivery is Pending.
fn imported(it: &ImportedDelivery) -> Map<String, Value> {
    let fact = &it.fact;
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    object(json!({
        "deliveryId": fact.id,
        "version": fact.version,
        "deliverystatus": fact.deliverystatus,
        "shipmentnumber": fact.shipmentnumber,
        "customername": fact.customername,
        "trucker": fact.trucker,
        "driverId": given(&fact.driver_id),
        "referencedoc": it.referencedoc,
        "scheduledatetime": fact.scheduledatetime.and_then(proto::instant),
        "deliverydatetime": null,
        "scanmode": fact.scanmode,
        "sourceId": given(&fact.source_id),
        "linecount": fact.linecount,
        "attempt": fact.attempt,
        "outcomeReason": null,
        "outcomeNote": null,
        "receivedBy": null,
        "outcomeOccurredAt": null,
        "late": false,
        "conflict": fact.conflict,
        "formVersion": it.form_version,
        "varianceCount": 0,
        "variances": [],
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
