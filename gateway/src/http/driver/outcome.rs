//! Recording an outcome.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use kit::input::Check;
use kit::{Error, Kind, Result};
use proto::deliveries::v1 as contract;
use serde::Deserialize;
use utoipa::ToSchema;

use super::deliveries::{Delivery, client, whole};
use super::enums::{Condition, Relation, ScanMode, Status};
use super::refusals::Refusals;
use super::wire::{Answer, Driver, Id, Input, Point, whole_number};
use crate::graphql::value::exact;
use crate::state::App;

/// Maximum size of a body: room for a thousand lines with notes.
const MOST: usize = 1 << 20;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outcome {
    /// A UUID. Sending it again changes nothing.
    #[schema(format = "uuid")]
    client_event_id: String,
    /// Default: the status that the lines imply.
    status: Option<Status>,
    /// The attempt that the outcome belongs to; default: the current one.
    #[serde(default, deserialize_with = "whole_number")]
    #[schema(minimum = 0)]
    attempt: Option<u32>,
    /// Counts for all lines of the delivery, or none. Without lines, the status implies the counts.
    #[serde(default)]
    lines: Vec<Line>,
    /// Reason code; required for Undelivered and Rejected.
    reason: Option<String>,
    note: Option<String>,
    received_by: Option<String>,
    relation: Option<Relation>,
    scanmode: Option<ScanMode>,
    /// Where the outcome occurred.
    point: Option<Point>,
    /// When the outcome occurred, by the phone's clock; default: now.
    occurred_at: Option<DateTime<Utc>>,
}

/// The counted quantity of one line.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Line {
    item_number: String,
    /// Delivered quantity in the item's unit, with at most three decimals.
    quantity_delivered: f64,
    #[serde(default)]
    quantity_rejected: f64,
    condition: Option<Condition>,
    /// Reason code; required when the line is not as expected.
    variance_reason: Option<String>,
    variance_note: Option<String>,
}

impl Outcome {
    pub fn occurred_at(&self) -> Option<DateTime<Utc>> {
        self.occurred_at
    }

    /// Converts the outcome to the service's request.
    pub fn of(self, delivery_id: String) -> Result<contract::RecordOutcomeRequest> {
        Ok(contract::RecordOutcomeRequest {
            delivery_id,
            // Send no version, because a phone that was offline does not know the current one.
            version: None,
            client_event_id: self.client_event_id,
            status: self.status.map(|status| contract::DeliveryStatus::from(status).into()),
            attempt: self.attempt,
            lines: counts(self.lines)?,
            reason: self.reason,
            note: self.note,
            received_by: self.received_by,
            received_by_relation: self.relation.map(|relation| contract::Relation::from(relation).into()),
            scanmode: self.scanmode.map_or_else(Default::default, contract::ScanMode::from).into(),
            point: self.point.map(Into::into),
            occurred_at: self.occurred_at.map(proto::timestamp),
        })
    }
}

fn counts(lines: Vec<Line>) -> Result<Vec<contract::LineCount>> {
    let mut check = Check::new();
    let mut counts = Vec::with_capacity(lines.len());
    for (index, line) in lines.into_iter().enumerate() {
        let mut quantity = |name: &str, label: &str, value: f64| {
            exact(&mut check, &format!("lines.{index}.{name}"), label, value)
        };
        counts.push(contract::LineCount {
            item_number: line.item_number,
            delivered_thousandths: quantity(
                "quantityDelivered",
                "Delivered quantity",
                line.quantity_delivered,
            ),
            rejected_thousandths: quantity("quantityRejected", "Rejected quantity", line.quantity_rejected),
            condition: line.condition.map_or_else(Default::default, contract::Condition::from).into(),
            reason: line.variance_reason,
            note: line.variance_note,
        });
    }
    check.done(counts)
}

/// Returns a refusal for drivers: with the field names of this API, and with what to do next.
pub fn refusal(mut error: Error) -> Error {
    let names = [
        ("deliverystatus", "status"),
        ("outcomeReason", "reason"),
        ("outcomeNote", "note"),
        ("receivedByRelation", "relation"),
        ("location", "point"),
    ];
    for (theirs, ours) in names {
        if let Some(texts) = error.fields.remove(theirs) {
            error.fields.entry(ours.to_owned()).or_default().extend(texts);
        }
    }
    // Another outcome is recorded already, and this one is not stored anywhere.
    if error.kind == Kind::FailedPrecondition && error.reason == "DELIVERY_TRANSITION_NOT_ALLOWED" {
        error.message.push_str(". Tell your office.");
    }
    error
}

/// Record an outcome
///
/// Sending the same `clientEventId` again returns the current delivery. If it went to another driver since, the
/// answer has what the outcome recorded, empty texts, and neither items nor allowed actions.
///
/// If the outcome belongs to an earlier attempt, or occurred before the office's last decision, that decision stays.
/// If they contradict each other, `conflict` is set, and the office reviews the outcome. An outcome that occurred
/// later is refused with 409 and not stored if another one is recorded already: the driver has to tell the office.
#[utoipa::path(
    post,
    path = "/driver/v1/deliveries/{id}/outcome",
    operation_id = "recordOutcome",
    tag = "deliveries",
    security(("bearer" = [])),
    params(("id" = String, Path, description = "Delivery Doc")),
    request_body = Outcome,
    responses((status = 200, body = Delivery), Refusals),
)]
pub async fn record(
    State(app): State<Arc<App>>,
    Driver(session): Driver,
    Id(id): Id,
    Input(outcome): Input<Outcome, MOST>,
) -> Answer<Json<Delivery>> {
    let mut client = client(&app, &session);
    let done = client.record_outcome(outcome.of(id)?).await.map_err(|status| refusal(status.into()))?;
    Ok(Json(whole(&mut client, done.into_inner()).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_whose_outcome_comes_after_another_is_told_what_to_do() {
        let reason = "DELIVERY_TRANSITION_NOT_ALLOWED";
        let after = refusal(Error::precondition(reason, "It can only be recorded while it is Pending"));
        assert_eq!(after.message, "It can only be recorded while it is Pending. Tell your office.");
        assert_eq!(refusal(Error::invalid(reason, "Note is required")).message, "Note is required");
    }
}
