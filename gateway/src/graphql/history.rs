//! The status history of deliveries.

use async_graphql::{Context, Object, SimpleObject};
use proto::deliveries::v1 as contract;

use super::clients;
use super::enums::DeliveryStatus;
use super::error::Failure;
use super::page::{self, Count, Filter, PageOptions};
use super::value::{DateTime, GeoPoint, known, set_time};

#[derive(Default)]
pub struct HistoryQuery;

#[Object]
impl HistoryQuery {
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn delivery_status_histories(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<DeliveryStatusHistory>, Failure> {
        let mut client = clients::deliveries(ctx)?;
        let ask = contract::ListStatusHistoriesRequest { page: Some(page::page(page)?) };
        let found = client.list_status_histories(ask).await?.into_inner().histories;
        Ok(found.into_iter().map(DeliveryStatusHistory).collect())
    }

    async fn delivery_status_histories_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::deliveries(ctx)?.count_status_histories(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }
}

pub struct DeliveryStatusHistory(pub contract::DeliveryStatusHistory);

#[Object]
impl DeliveryStatusHistory {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn delivery_id(&self) -> &str {
        &self.0.delivery_id
    }
    async fn shipmentnumber(&self) -> &str {
        &self.0.shipmentnumber
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
    /// One of driver, user, system, import and api.
    async fn actor_type(&self) -> &str {
        &self.0.actor_type
    }
    async fn actor_name(&self) -> &str {
        &self.0.actor_name
    }
    async fn note(&self) -> Option<&str> {
        self.0.note.as_deref()
    }
    async fn reason_code(&self) -> Option<&str> {
        self.0.reason_code.as_deref()
    }
    async fn point(&self) -> Option<GeoPoint> {
        self.0.point.map(GeoPoint::from)
    }
    async fn lat(&self) -> Option<f64> {
        self.0.point.map(|point| point.lat)
    }
    async fn lng(&self) -> Option<f64> {
        self.0.point.map(|point| point.lng)
    }
    async fn late(&self) -> bool {
        self.0.late
    }
    /// Whether the step arrived too late: it is recorded but did not change the delivery.
    async fn superseded(&self) -> bool {
        self.0.superseded
    }
    /// Id of the step that this one corrects.
    async fn correction_of(&self) -> Option<&str> {
        self.0.correction_of.as_deref()
    }
    #[graphql(complexity = "page::times(5, child_complexity)")]
    async fn changes(&self) -> Vec<FieldChange> {
        self.0.changes.iter().cloned().map(FieldChange::from).collect()
    }
    async fn client_event_id(&self) -> Option<&str> {
        self.0.client_event_id.as_deref()
    }
    async fn upload_log_id(&self) -> Option<&str> {
        self.0.upload_log_id.as_deref()
    }
}

#[derive(SimpleObject)]
pub struct FieldChange {
    item_number: Option<String>,
    field: String,
    before: Option<String>,
    after: Option<String>,
}

impl From<contract::FieldChange> for FieldChange {
    fn from(change: contract::FieldChange) -> Self {
        let contract::FieldChange { item_number, field, before, after } = change;
        Self { item_number, field, before, after }
    }
}
