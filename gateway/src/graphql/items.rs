//! Items of deliveries: what was expected of each, and what was counted.

use async_graphql::{Context, Enum, InputObject, Object};
use kit::input::Check;
use kit::text::fold;
use proto::deliveries::v1 as contract;

use super::deliveries::Delivery;
use super::error::Failure;
use super::value::{exact, known, units};
use super::{deliveries, loaders};

#[derive(Default)]
pub struct ItemsQuery;

#[Object]
impl ItemsQuery {
    async fn delivery_item(
        &self,
        ctx: &Context<'_>,
        delivery_id: String,
        item_number: String,
    ) -> Result<Option<DeliveryItem>, Failure> {
        let items = loaders(ctx)?.items.all(&delivery_id).await?;
        let wanted = fold(&item_number);
        Ok(items.into_iter().find(|item| fold(&item.item_number) == wanted).map(DeliveryItem))
    }
}

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
        Ok(Delivery(deliveries(ctx)?.create_delivery_item(ask).await?.into_inner()))
    }

    async fn update_delivery_item(
        &self,
        ctx: &Context<'_>,
        input: UpdateDeliveryItemInput,
    ) -> Result<Delivery, Failure> {
        let UpdateDeliveryItemInput { delivery_id, version, item } = input;
        let item = Some(item.alone()?);
        let ask = contract::UpdateDeliveryItemRequest { delivery_id, version, item };
        Ok(Delivery(deliveries(ctx)?.update_delivery_item(ask).await?.into_inner()))
    }

    async fn delete_delivery_item(
        &self,
        ctx: &Context<'_>,
        input: DeleteDeliveryItemInput,
    ) -> Result<Delivery, Failure> {
        let DeleteDeliveryItemInput { delivery_id, version, item_number } = input;
        let ask = contract::DeleteDeliveryItemRequest { delivery_id, version, item_number };
        Ok(Delivery(deliveries(ctx)?.delete_delivery_item(ask).await?.into_inner()))
    }
}

pub struct DeliveryItem(pub contract::DeliveryItem);

impl DeliveryItem {
    /// Counted and not expected, or the other way round; nothing is missing before an outcome.
    fn surplus(&self) -> i64 {
        let it = &self.0;
        it.delivered_thousandths
            .saturating_add(it.rejected_thousandths)
            .saturating_sub(it.quantity_thousandths)
    }
}

#[Object]
impl DeliveryItem {
    async fn item_number(&self) -> &str {
        &self.0.item_number
    }
    async fn sku(&self) -> Option<&str> {
        self.0.sku.as_deref()
    }
    async fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }
    async fn unit(&self) -> Option<&str> {
        self.0.unit.as_deref()
    }
    async fn quantity(&self) -> f64 {
        units(self.0.quantity_thousandths)
    }
    async fn weight_kg(&self) -> Option<f64> {
        self.0.weight_grams.map(units)
    }
    async fn barcode(&self) -> Option<&str> {
        self.0.barcode.as_deref()
    }
    async fn quantity_delivered(&self) -> f64 {
        units(self.0.delivered_thousandths)
    }
    async fn quantity_rejected(&self) -> f64 {
        units(self.0.rejected_thousandths)
    }
    async fn quantity_missing(&self) -> f64 {
        units(self.surplus().saturating_neg().max(0))
    }
    async fn quantity_extra(&self) -> f64 {
        units(self.surplus().max(0))
    }
    async fn condition(&self) -> Result<ItemCondition, Failure> {
        known::<contract::Condition, _>(self.0.condition)
    }
    /// Code.
    async fn variance_reason(&self) -> Option<&str> {
        self.0.variance_reason.as_deref()
    }
    async fn variance_note(&self) -> Option<&str> {
        self.0.variance_note.as_deref()
    }
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum ItemCondition {
    Ok,
    Damaged,
    WrongItem,
    Expired,
}

proto::same_enum!(contract::Condition => ItemCondition {
    Ok => Ok,
    Damaged => Damaged,
    WrongItem => WrongItem,
    Expired => Expired,
});

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
    /// Reads one item of a form; its fields are named after `place`, as in `items.0.`.
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

    /// The item of a form that has no other.
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
