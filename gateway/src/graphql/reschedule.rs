//! Plans another attempt for one or several deliveries.

use async_graphql::{Context, InputObject, Object};
use proto::deliveries::v1 as contract;

use super::clients;
use super::deliveries::Delivery;
use super::error::Failure;
use super::selected::BulkResult;
use super::value::DateTime;

#[derive(Default)]
pub struct RescheduleMutation;

#[Object]
impl RescheduleMutation {
    async fn reschedule_delivery(
        &self,
        ctx: &Context<'_>,
        input: RescheduleDeliveryInput,
    ) -> Result<Delivery, Failure> {
        let RescheduleDeliveryInput { delivery_id, version, client_event_id, scheduledatetime, note } = input;
        let ask = contract::RescheduleDeliveryRequest {
            delivery_id,
            version: Some(version),
            client_event_id,
            scheduledatetime: Some(scheduledatetime.into()),
            note,
        };
        Ok(Delivery(clients::deliveries(ctx)?.reschedule_delivery(ask).await?.into_inner()))
    }

    async fn reschedule_deliveries(
        &self,
        ctx: &Context<'_>,
        input: RescheduleDeliveriesInput,
    ) -> Result<Vec<BulkResult>, Failure> {
        let RescheduleDeliveriesInput { delivery_ids, client_event_id, scheduledatetime, note } = input;
        let scheduledatetime = Some(scheduledatetime.into());
        let ask =
            contract::RescheduleDeliveriesRequest { delivery_ids, client_event_id, scheduledatetime, note };
        let answer = clients::deliveries(ctx)?.reschedule_deliveries(ask).await?.into_inner();
        Ok(answer.results.into_iter().map(BulkResult::from).collect())
    }
}

#[derive(InputObject)]
pub struct RescheduleDeliveryInput {
    delivery_id: String,
    version: u64,
    /// UUID chosen by the client. A repeated UUID changes nothing and returns the delivery.
    client_event_id: String,
    scheduledatetime: DateTime,
    note: Option<String>,
}

#[derive(InputObject)]
pub struct RescheduleDeliveriesInput {
    /// 1 to 1,000 ids.
    delivery_ids: Vec<String>,
    /// UUID chosen by the client, for all of the deliveries. A repeated UUID changes nothing.
    client_event_id: String,
    scheduledatetime: DateTime,
    note: Option<String>,
}
