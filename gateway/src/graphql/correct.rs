//! Corrects the outcome of a delivery.

use async_graphql::{Context, InputObject, Object};
use proto::deliveries::v1 as contract;

use super::clients;
use super::deliveries::Delivery;
use super::enums::DeliveryStatus;
use super::error::Failure;
use super::record_outcome::{LineCountInput, counts};

#[derive(Default)]
pub struct CorrectMutation;

#[Object]
impl CorrectMutation {
    async fn correct_delivery(
        &self,
        ctx: &Context<'_>,
        input: CorrectDeliveryInput,
    ) -> Result<Delivery, Failure> {
        let CorrectDeliveryInput { delivery_id, version, client_event_id, reason, status, lines, .. } = input;
        let ask = contract::CorrectDeliveryRequest {
            delivery_id,
            version: Some(version),
            client_event_id,
            reason,
            status: status.map(|it| contract::DeliveryStatus::from(it).into()),
            lines: counts(lines)?,
            outcome_reason: input.outcome_reason,
            outcome_note: input.outcome_note,
        };
        Ok(Delivery(clients::deliveries(ctx)?.correct_delivery(ask).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct CorrectDeliveryInput {
    delivery_id: String,
    version: u64,
    /// UUID chosen by the client. A repeated UUID changes nothing and returns the delivery.
    client_event_id: String,
    /// Why the outcome is corrected, as free text.
    reason: String,
    status: Option<DeliveryStatus>,
    lines: Option<Vec<LineCountInput>>,
    outcome_reason: Option<String>,
    outcome_note: Option<String>,
}
