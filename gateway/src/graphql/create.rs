//! Creates a delivery for the office.

use async_graphql::{Context, InputObject, Object};
use kit::input::Check;
use proto::deliveries::v1 as contract;

use super::clients;
use super::deliveries::Delivery;
use super::edit_items::DeliveryItemInput;
use super::error::Failure;
use super::head::DeliveryHeadInput;

#[derive(Default)]
pub struct CreateMutation;

#[Object]
impl CreateMutation {
    async fn create_delivery(
        &self,
        ctx: &Context<'_>,
        input: CreateDeliveryInput,
    ) -> Result<Delivery, Failure> {
        let ask = input.read()?;
        Ok(Delivery(clients::deliveries(ctx)?.create_delivery(ask).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct CreateDeliveryInput {
    id: String,
    #[graphql(flatten)]
    head: DeliveryHeadInput,
    source_id: Option<String>,
    /// At most 5,000 items.
    items: Option<Vec<DeliveryItemInput>>,
}

impl CreateDeliveryInput {
    fn read(self) -> Result<contract::CreateDeliveryRequest, Failure> {
        let mut check = Check::new();
        let items = self.items.unwrap_or_default().into_iter().enumerate();
        let items = items.map(|(at, item)| item.read(&mut check, &format!("items.{at}."))).collect();
        check.done(())?;
        Ok(contract::CreateDeliveryRequest {
            id: self.id,
            head: Some(self.head.read()),
            source_id: self.source_id,
            items,
        })
    }
}
