//! Items of deliveries: expected and counted quantities.

use async_graphql::{Context, Object};
use kit::text::fold;
use proto::deliveries::v1 as contract;

use super::enums::ItemCondition;
use super::error::Failure;
use super::value::{known, units};
use super::viewer::loaders;

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

pub struct DeliveryItem(pub contract::DeliveryItem);

impl DeliveryItem {
    /// Returns counted minus expected. Before an outcome the counted quantities are 0.
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
    /// 0 before an outcome, like `quantityRejected`.
    async fn quantity_delivered(&self) -> f64 {
        units(self.0.delivered_thousandths)
    }
    async fn quantity_rejected(&self) -> f64 {
        units(self.0.rejected_thousandths)
    }
    /// Expected minus counted quantity; before an outcome, all that is expected.
    async fn quantity_missing(&self) -> f64 {
        units(self.surplus().saturating_neg().max(0))
    }
    /// Counted minus expected quantity.
    async fn quantity_extra(&self) -> f64 {
        units(self.surplus().max(0))
    }
    async fn condition(&self) -> Result<ItemCondition, Failure> {
        known::<contract::Condition, _>(self.0.condition)
    }
    /// Code of the reason for the variance.
    async fn variance_reason(&self) -> Option<&str> {
        self.0.variance_reason.as_deref()
    }
    async fn variance_note(&self) -> Option<&str> {
        self.0.variance_note.as_deref()
    }
}
