//! Creates a delivery for the office.

use async_graphql::{Context, InputObject, Object};
use kit::input::Check;
use proto::deliveries::v1 as contract;

use super::clients;
use super::deliveries::Delivery;
use super::edit::priority;
use super::edit_items::DeliveryItemInput;
use super::enums::Priority;
use super::error::Failure;
use super::value::{DateTime, GeoPointInput, wire};

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
    shipmentnumber: String,
    customername: String,
    customeraddress: Option<String>,
    address_point: Option<GeoPointInput>,
    trucker: Option<String>,
    driver_id: Option<String>,
    scheduledatetime: DateTime,
    time_window_start: Option<DateTime>,
    time_window_end: Option<DateTime>,
    referencedoc: Option<String>,
    contact_name: Option<String>,
    contact_phone: Option<String>,
    contact_email: Option<String>,
    instructions: Option<String>,
    internal_note: Option<String>,
    priority: Option<Priority>,
    source_id: Option<String>,
    items: Option<Vec<DeliveryItemInput>>,
}

impl CreateDeliveryInput {
    fn read(self) -> Result<contract::CreateDeliveryRequest, Failure> {
        let mut check = Check::new();
        let items = self.items.unwrap_or_default().into_iter().enumerate();
        let items = items.map(|(at, item)| item.read(&mut check, &format!("items.{at}."))).collect();
        check.done(())?;
        let head = contract::DeliveryHead {
            shipmentnumber: self.shipmentnumber,
            customername: self.customername,
            customeraddress: self.customeraddress.unwrap_or_default(),
            address_point: self.address_point.map(Into::into),
            trucker: self.trucker.unwrap_or_default(),
            driver_id: self.driver_id,
            scheduledatetime: Some(self.scheduledatetime.into()),
            time_window_start: wire(self.time_window_start),
            time_window_end: wire(self.time_window_end),
            referencedoc: self.referencedoc,
            contact_name: self.contact_name,
            contact_phone: self.contact_phone,
            contact_email: self.contact_email,
            instructions: self.instructions,
            internal_note: self.internal_note,
            priority: priority(self.priority),
        };
        Ok(contract::CreateDeliveryRequest {
            id: self.id,
            head: Some(head),
            source_id: self.source_id,
            items,
        })
    }
}
