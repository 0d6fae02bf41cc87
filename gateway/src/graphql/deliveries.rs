//! Deliveries with their items, history and shipments.

use async_graphql::{Context, Enum, Object};
use kit::Kind;
use proto::deliveries::v1 as contract;

use super::error::Failure;
use super::page::{self, Count, Filter, PageOptions};
use super::parties::{Customer, Source};
use super::value::{DateTime, known, set_time, time, units};
use super::{deliveries, loaders};

#[derive(Default)]
pub struct DeliveriesQuery;

#[Object]
impl DeliveriesQuery {
    async fn delivery(&self, ctx: &Context<'_>, id: String) -> Result<Option<Delivery>, Failure> {
        let answer = deliveries(ctx)?.get_delivery(contract::GetDeliveryRequest { id }).await;
        match answer.map_err(Failure::from) {
            Ok(delivery) => Ok(Some(Delivery(delivery.into_inner()))),
            Err(failure) if failure.kind() == Kind::NotFound => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn deliveries(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<Delivery>, Failure> {
        let mut client = deliveries(ctx)?;
        let ask = contract::ListDeliveriesRequest { page: Some(page::page(page)?) };
        let found = client.list_deliveries(ask).await?.into_inner().deliveries;
        Ok(found.into_iter().map(Delivery).collect())
    }

    async fn deliveries_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = deliveries(ctx)?.count_deliveries(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    /// Hauliers by prefix. Only `limit` of the page counts: the list has one column and one order.
    #[graphql(complexity = "page::cost(&page, 1)")]
    async fn get_trucker_drilldown(
        &self,
        ctx: &Context<'_>,
        starts_with: String,
        page: Option<PageOptions>,
    ) -> Result<Vec<String>, Failure> {
        let mut client = deliveries(ctx)?;
        let limit = page::page(page)?.limit;
        let found = client.list_truckers(contract::ListTruckersRequest { starts_with, limit }).await?;
        Ok(found.into_inner().truckers)
    }
}

pub struct Delivery(pub contract::Delivery);

#[Object]
impl Delivery {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn deliverystatus(&self) -> Result<DeliveryStatus, Failure> {
        known::<contract::DeliveryStatus, _>(self.0.deliverystatus)
    }
    async fn shipmentnumber(&self) -> &str {
        &self.0.shipmentnumber
    }
    async fn customername(&self) -> &str {
        &self.0.customername
    }
    async fn trucker(&self) -> &str {
        &self.0.trucker
    }
    async fn driver_id(&self) -> Option<&str> {
        self.0.driver_id.as_deref()
    }
    async fn scheduledatetime(&self) -> Result<DateTime, Failure> {
        set_time(self.0.scheduledatetime)
    }
    async fn deliverydatetime(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.deliverydatetime)
    }
    async fn scanmode(&self) -> Result<ScanMode, Failure> {
        known::<contract::ScanMode, _>(self.0.scanmode)
    }
    async fn referencedoc(&self) -> Option<&str> {
        self.0.referencedoc.as_deref()
    }
    async fn source_id(&self) -> Option<&str> {
        self.0.source_id.as_deref()
    }
    async fn upload_log_id(&self) -> Option<&str> {
        self.0.upload_log_id.as_deref()
    }
    async fn linecount(&self) -> u32 {
        self.0.linecount
    }
    async fn customeraddress(&self) -> &str {
        &self.0.customeraddress
    }
    async fn time_window_start(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.time_window_start)
    }
    async fn time_window_end(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.time_window_end)
    }
    async fn contact_name(&self) -> Option<&str> {
        self.0.contact_name.as_deref()
    }
    async fn contact_phone(&self) -> Option<&str> {
        self.0.contact_phone.as_deref()
    }
    async fn contact_email(&self) -> Option<&str> {
        self.0.contact_email.as_deref()
    }
    async fn instructions(&self) -> Option<&str> {
        self.0.instructions.as_deref()
    }
    async fn internal_note(&self) -> Option<&str> {
        self.0.internal_note.as_deref()
    }
    async fn priority(&self) -> Result<Priority, Failure> {
        known::<contract::Priority, _>(self.0.priority)
    }
    async fn attempt(&self) -> u32 {
        self.0.attempt
    }
    async fn max_attempts(&self) -> u32 {
        self.0.max_attempts
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
    }
    async fn created_by(&self) -> &str {
        &self.0.created_by
    }
    async fn updated_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.updated_at)
    }
    async fn updated_by(&self) -> &str {
        &self.0.updated_by
    }
    async fn version(&self) -> u64 {
        self.0.version
    }

    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn items(&self, ctx: &Context<'_>) -> Result<Vec<DeliveryItem>, Failure> {
        let items = loaders(ctx)?.items.all(&self.0.id).await?;
        Ok(items.into_iter().map(DeliveryItem).collect())
    }
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn history(&self, ctx: &Context<'_>) -> Result<Vec<DeliveryStatusHistory>, Failure> {
        let history = loaders(ctx)?.history.all(&self.0.id).await?;
        Ok(history.into_iter().map(DeliveryStatusHistory).collect())
    }
    async fn shipment(&self, ctx: &Context<'_>) -> Result<Option<Shipment>, Failure> {
        Ok(loaders(ctx)?.shipments.one(&self.0.shipmentnumber).await?.map(Shipment))
    }
    async fn customer(&self, ctx: &Context<'_>) -> Result<Option<Customer>, Failure> {
        Ok(loaders(ctx)?.customers.one(&self.0.customername).await?.map(Customer))
    }
    async fn source(&self, ctx: &Context<'_>) -> Result<Option<Source>, Failure> {
        let Some(id) = &self.0.source_id else { return Ok(None) };
        Ok(loaders(ctx)?.sources.one(id).await?.map(Source))
    }
}

pub struct DeliveryItem(contract::DeliveryItem);

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
}

pub struct DeliveryStatusHistory(contract::DeliveryStatusHistory);

#[Object]
impl DeliveryStatusHistory {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn delivery_id(&self) -> &str {
        &self.0.delivery_id
    }
    #[graphql(name = "fromStatus")]
    async fn status_before(&self) -> Result<Option<DeliveryStatus>, Failure> {
        self.0.from_status.map(known::<contract::DeliveryStatus, _>).transpose()
    }
    #[graphql(name = "toStatus")]
    async fn status_after(&self) -> Result<DeliveryStatus, Failure> {
        known::<contract::DeliveryStatus, _>(self.0.to_status)
    }
    async fn attempt(&self) -> u32 {
        self.0.attempt
    }
    async fn occurred_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.occurred_at)
    }
    async fn received_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.received_at)
    }
    async fn actor_type(&self) -> &str {
        &self.0.actor_type
    }
    async fn actor_name(&self) -> &str {
        &self.0.actor_name
    }
    async fn note(&self) -> Option<&str> {
        self.0.note.as_deref()
    }
}

pub struct Shipment(contract::Shipment);

#[Object]
impl Shipment {
    async fn shipmentnumber(&self) -> &str {
        &self.0.shipmentnumber
    }
    async fn shipmentstatus(&self) -> Result<ShipmentStatus, Failure> {
        known::<contract::ShipmentStatus, _>(self.0.shipmentstatus)
    }
    async fn delivery_count(&self) -> u32 {
        self.0.delivery_count
    }
    async fn open_count(&self) -> u32 {
        self.0.open_count
    }
    async fn completed_count(&self) -> u32 {
        self.0.completed_count
    }
    async fn first_dispatch_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.first_dispatch_at)
    }
    async fn last_processed_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.last_processed_at)
    }
}

// The spellings of the graph's enums are the product's own, letter for letter.

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryStatus {
    #[graphql(name = "Pending")]
    Pending,
    #[graphql(name = "Complete_No_Variance")]
    CompleteNoVariance,
    #[graphql(name = "Complete_With_Variance")]
    CompleteWithVariance,
    #[graphql(name = "Undelivered")]
    Undelivered,
    #[graphql(name = "Rejected")]
    Rejected,
}

proto::same_enum!(contract::DeliveryStatus => DeliveryStatus {
    Pending => Pending,
    CompleteNoVariance => CompleteNoVariance,
    CompleteWithVariance => CompleteWithVariance,
    Undelivered => Undelivered,
    Rejected => Rejected,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "PascalCase")]
pub enum ShipmentStatus {
    Pending,
    Partial,
    Completed,
}

proto::same_enum!(contract::ShipmentStatus => ShipmentStatus {
    Pending => Pending,
    Partial => Partial,
    Completed => Completed,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "PascalCase")]
pub enum ScanMode {
    Yes,
    No,
}

proto::same_enum!(contract::ScanMode => ScanMode { Yes => Yes, No => No });

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum Priority {
    Low,
    Normal,
    High,
}

proto::same_enum!(contract::Priority => Priority { Low => Low, Normal => Normal, High => High });
