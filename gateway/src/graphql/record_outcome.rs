//! Records the outcome of a delivery.
//!
//! Only the deliveries service decides whether an outcome may be recorded. The field `allowedActions`
//! returns its decision.

use async_graphql::{Context, InputObject, Object};
use kit::input::Check;
use proto::deliveries::v1 as contract;

use super::clients;
use super::deliveries::Delivery;
use super::enums::{DeliveryStatus, ItemCondition, Relation, ScanMode};
use super::error::Failure;
use super::value::{DateTime, GeoPointInput, exact, wire};

#[derive(Default)]
pub struct RecordOutcomeMutation;

#[Object]
impl RecordOutcomeMutation {
    async fn record_outcome(
        &self,
        ctx: &Context<'_>,
        input: RecordOutcomeInput,
    ) -> Result<Delivery, Failure> {
        let RecordOutcomeInput { delivery_id, version, client_event_id, status, attempt, lines, .. } = input;
        let ask = contract::RecordOutcomeRequest {
            delivery_id,
            version,
            client_event_id,
            status: status.map(|it| contract::DeliveryStatus::from(it).into()),
            attempt,
            lines: counts(lines)?,
            reason: input.outcome_reason,
            note: input.outcome_note,
            received_by: input.received_by,
            received_by_relation: input
                .received_by_relation
                .map(|relation| contract::Relation::from(relation).into()),
            scanmode: input.scanmode.map_or_else(Default::default, contract::ScanMode::from).into(),
            point: input.point.map(Into::into),
            occurred_at: wire(input.occurred_at),
        };
        Ok(Delivery(clients::deliveries(ctx)?.record_outcome(ask).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct LineCountInput {
    item_number: String,
    quantity_delivered: f64,
    quantity_rejected: f64,
    condition: Option<ItemCondition>,
    variance_reason: Option<String>,
    variance_note: Option<String>,
}

pub fn counts(lines: Option<Vec<LineCountInput>>) -> Result<Vec<contract::LineCount>, Failure> {
    let mut check = Check::new();
    let mut counts = Vec::new();
    for (at, line) in lines.unwrap_or_default().into_iter().enumerate() {
        let LineCountInput { item_number, quantity_delivered, quantity_rejected, condition, .. } = line;
        let mut quantity = |name: &str, label: &str, value: f64| {
            exact(&mut check, &format!("lines.{at}.{name}"), label, value)
        };
        counts.push(contract::LineCount {
            item_number,
            delivered_thousandths: quantity("quantityDelivered", "Delivered quantity", quantity_delivered),
            rejected_thousandths: quantity("quantityRejected", "Rejected quantity", quantity_rejected),
            condition: contract::Condition::from(condition.unwrap_or(ItemCondition::Ok)).into(),
            reason: line.variance_reason,
            note: line.variance_note,
        });
    }
    check.done(())?;
    Ok(counts)
}

#[derive(InputObject)]
pub struct RecordOutcomeInput {
    delivery_id: String,
    /// Version of the delivery that the caller read; null accepts any version.
    version: Option<u64>,
    /// UUID chosen by the client. A repeated UUID changes nothing and returns the delivery.
    client_event_id: String,
    /// The recorded status. Null means the status that the lines imply.
    status: Option<DeliveryStatus>,
    /// The attempt that the outcome belongs to. Null means the current one.
    attempt: Option<u32>,
    /// Counts of all items, or null. Without lines, the status implies the counts.
    lines: Option<Vec<LineCountInput>>,
    outcome_reason: Option<String>,
    outcome_note: Option<String>,
    received_by: Option<String>,
    received_by_relation: Option<Relation>,
    scanmode: Option<ScanMode>,
    point: Option<GeoPointInput>,
    /// Null means now.
    occurred_at: Option<DateTime>,
}
