//! What the office enters of a delivery.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use kit::input::Check;
use proto::deliveries::v1 as contract;

use super::clients;
use super::deliveries::Delivery;
use super::enums::Priority;
use super::error::Failure;
use super::item_editing::DeliveryItemInput;
use super::value::{DateTime, GeoPointInput, given, wire};

#[derive(Default)]
pub struct EditingMutation;

#[Object]
impl EditingMutation {
    async fn create_delivery(
        &self,
        ctx: &Context<'_>,
        input: CreateDeliveryInput,
    ) -> Result<Delivery, Failure> {
        let ask = input.read()?;
        Ok(Delivery(clients::deliveries(ctx)?.create_delivery(ask).await?.into_inner()))
    }

    async fn update_delivery(
        &self,
        ctx: &Context<'_>,
        input: UpdateDeliveryInput,
    ) -> Result<Delivery, Failure> {
        Ok(Delivery(clients::deliveries(ctx)?.update_delivery(input.read()).await?.into_inner()))
    }

    async fn assign_driver(
        &self,
        ctx: &Context<'_>,
        input: AssignDriverInput,
    ) -> Result<Vec<BulkResult>, Failure> {
        let AssignDriverInput { delivery_ids, driver_id, undo_id } = input;
        let undo_id = undo_id.unwrap_or_default();
        let ask = contract::AssignDriverRequest { delivery_ids, driver_id, undo_id };
        let answer = clients::deliveries(ctx)?.assign_driver(ask).await?.into_inner();
        Ok(answer.results.into_iter().map(BulkResult::from).collect())
    }

    /// Plans Pending deliveries for other times; their time windows move along.
    async fn change_dispatch_times(
        &self,
        ctx: &Context<'_>,
        input: ChangeDispatchTimesInput,
    ) -> Result<Vec<BulkResult>, Failure> {
        let changes = input.changes.into_iter().map(DispatchTimeChangeInput::read).collect();
        let undo_id = input.undo_id.unwrap_or_default();
        let ask = contract::ChangeDispatchTimesRequest { changes, undo_id };
        let answer = clients::deliveries(ctx)?.change_dispatch_times(ask).await?.into_inner();
        Ok(answer.results.into_iter().map(BulkResult::from).collect())
    }
}

// How it went with one of several deliveries.
#[derive(SimpleObject)]
pub struct BulkResult {
    delivery_id: String,
    ok: bool,
    /// Reason code and text when it did not work.
    code: Option<String>,
    text: Option<String>,
}

impl From<contract::BulkResult> for BulkResult {
    fn from(result: contract::BulkResult) -> Self {
        let contract::BulkResult { delivery_id, ok, code, text } = result;
        let told = |text: String| given(&text).map(str::to_owned);
        Self { delivery_id, ok, code: told(code), text: told(text) }
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

/// As the screens have it when nobody chose.
fn priority(chosen: Option<Priority>) -> i32 {
    contract::Priority::from(chosen.unwrap_or(Priority::Normal)).into()
}

#[derive(InputObject)]
pub struct AssignDriverInput {
    delivery_ids: Vec<String>,
    driver_id: Option<String>,
    /// A UUID that `undoBulkChange` is to know these changes by.
    undo_id: Option<String>,
}

#[derive(InputObject)]
pub struct ChangeDispatchTimesInput {
    /// At most 1,000.
    changes: Vec<DispatchTimeChangeInput>,
    /// A UUID that `undoBulkChange` is to know these changes by.
    undo_id: Option<String>,
}

#[derive(InputObject)]
pub struct DispatchTimeChangeInput {
    delivery_id: String,
    /// Absent: whatever it is by now.
    version: Option<u64>,
    scheduledatetime: DateTime,
}

impl DispatchTimeChangeInput {
    fn read(self) -> contract::DispatchTimeChange {
        let Self { delivery_id, version, scheduledatetime } = self;
        contract::DispatchTimeChange { delivery_id, version, scheduledatetime: Some(scheduledatetime.into()) }
    }
}
