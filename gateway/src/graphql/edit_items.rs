//! Editing items of a delivery by the office.

use async_graphql::{Context, InputObject, Object};
use kit::input::Check;
use proto::deliveries::v1 as contract;

use super::clients;
use super::deliveries::Delivery;
use super::error::Failure;
use super::value::exact;

#[derive(Default)]
pub struct ItemsMutation;

#[Object]
impl ItemsMutation {
    async fn create_delivery_item(
        &self,
        ctx: &Context<'_>,
        input: CreateDeliveryItemInput,
    ) -> Result<Delivery, Failure> {
        let CreateDeliveryItemInput { delivery_id, version, item } = input;
        let item = Some(item.alone()?);
        let ask = contract::CreateDeliveryItemRequest { delivery_id, version, item };
        Ok(Delivery(clients::deliveries(ctx)?.create_delivery_item(ask).await?.into_inner()))
    }

    /// Replaces all fields of an item except its number; those that are left out become empty.
    async fn update_delivery_item(
        &self,
        ctx: &Context<'_>,
        input: UpdateDeliveryItemInput,
    ) -> Result<Delivery, Failure> {
        let UpdateDeliveryItemInput { delivery_id, version, item } = input;
        let item = Some(item.alone()?);
        let ask = contract::UpdateDeliveryItemRequest { delivery_id, version, item };
        Ok(Delivery(clients::deliveries(ctx)?.update_delivery_item(ask).await?.into_inner()))
    }

    async fn delete_delivery_item(
        &self,
        ctx: &Context<'_>,
        input: DeleteDeliveryItemInput,
    ) -> Result<Delivery, Failure> {
        let DeleteDeliveryItemInput { delivery_id, version, item_number } = input;
        let ask = contract::DeleteDeliveryItemRequest { delivery_id, version, item_number };
        Ok(Delivery(clients::deliveries(ctx)?.delete_delivery_item(ask).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct DeliveryItemInput {
    item_number: String,
    sku: Option<String>,
    description: Option<String>,
    unit: Option<String>,
    quantity: f64,
    weight_kg: Option<f64>,
    barcode: Option<String>,
}

impl DeliveryItemInput {
    /// Validates one item of a form. Errors name its fields with the prefix `place`, such as `items.0.`.
    pub fn read(self, check: &mut Check, place: &str) -> contract::DeliveryItemInput {
        let Self { item_number, sku, description, unit, quantity, weight_kg, barcode } = self;
        let quantity_thousandths = exact(check, &format!("{place}quantity"), "Quantity", quantity);
        let weight_grams =
            weight_kg.map(|weight| exact(check, &format!("{place}weightKg"), "Weight", weight));
        contract::DeliveryItemInput {
            item_number,
            sku,
            description,
            unit,
            quantity_thousandths,
            weight_grams,
            barcode,
        }
    }

    /// Validates the item of a form that has only this item.
    fn alone(self) -> Result<contract::DeliveryItemInput, Failure> {
        let mut check = Check::new();
        let item = self.read(&mut check, "");
        check.done(())?;
        Ok(item)
    }
}

#[derive(InputObject)]
pub struct CreateDeliveryItemInput {
    delivery_id: String,
    version: u64,
    item: DeliveryItemInput,
}

#[derive(InputObject)]
pub struct UpdateDeliveryItemInput {
    delivery_id: String,
    version: u64,
    item: DeliveryItemInput,
}

#[derive(InputObject)]
pub struct DeleteDeliveryItemInput {
    delivery_id: String,
    version: u64,
    item_number: String,
}
