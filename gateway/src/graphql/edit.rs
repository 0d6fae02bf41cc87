//! Edits a delivery for the office. Its items are edited by `edit_items`.

use async_graphql::{Context, InputObject, Object};
use proto::deliveries::v1 as contract;

use super::clients;
use super::deliveries::Delivery;
use super::enums::Priority;
use super::error::Failure;
use super::value::{DateTime, GeoPointInput, wire};

#[derive(Default)]
pub struct EditMutation;

#[Object]
impl EditMutation {
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
}

impl UpdateDeliveryInput {
    fn read(self) -> contract::UpdateDeliveryRequest {
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
        contract::UpdateDeliveryRequest { id: self.id, version: self.version, head: Some(head) }
    }
}

/// Returns the chosen priority, or the default that screens show.
pub fn priority(chosen: Option<Priority>) -> i32 {
    contract::Priority::from(chosen.unwrap_or(Priority::Normal)).into()
}
