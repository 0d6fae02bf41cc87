//! The head of a delivery, as the office enters it.

use async_graphql::InputObject;
use proto::deliveries::v1 as contract;

use super::enums::Priority;
use super::value::{DateTime, GeoPointInput, wire};

#[derive(InputObject)]
pub struct DeliveryHeadInput {
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

impl DeliveryHeadInput {
    pub fn read(self) -> contract::DeliveryHead {
        // The default is the one that screens show.
        let priority = self.priority.unwrap_or(Priority::Normal);
        contract::DeliveryHead {
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
            priority: contract::Priority::from(priority).into(),
        }
    }
}
