//! Edits a delivery for the office. Its items are edited by `edit_items`.

use async_graphql::{Context, InputObject, Object};
use proto::deliveries::v1 as contract;

use super::clients;
use super::deliveries::Delivery;
use super::error::Failure;
use super::head::DeliveryHeadInput;

#[derive(Default)]
pub struct EditMutation;

#[Object]
impl EditMutation {
    /// Replaces the fields of a delivery that are not its items; those that are left out become empty, `priority`
    /// normal, and `customeraddress` the customer's address.
    async fn update_delivery(
        &self,
        ctx: &Context<'_>,
        input: UpdateDeliveryInput,
    ) -> Result<Delivery, Failure> {
        Ok(Delivery(clients::deliveries(ctx)?.update_delivery(input.read()).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct UpdateDeliveryInput {
    id: String,
    version: u64,
    #[graphql(flatten)]
    head: DeliveryHeadInput,
}

impl UpdateDeliveryInput {
    fn read(self) -> contract::UpdateDeliveryRequest {
        contract::UpdateDeliveryRequest { id: self.id, version: self.version, head: Some(self.head.read()) }
    }
}
