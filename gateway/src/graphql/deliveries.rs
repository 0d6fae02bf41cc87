//! Deliveries with everything that belongs to them.
//!
//! Deliveries are changed by other modules: `edit` and `create` for what the office enters, `record_outcome`
//! and others for what happens to a delivery.

use async_graphql::{Context, Object};
use kit::Error;
use proto::deliveries::v1 as contract;

use super::attachments::Attachment;
use super::clients;
use super::delivery_fields;
use super::drivers::Driver;
use super::enums::{DeliveryAction, DeliveryStatus, Priority, Relation, ScanMode, ShipmentStatus};
use super::error::{Failure, found};
use super::form_description::{FormDescription, FormPart};
use super::history::DeliveryStatusHistory;
use super::items::DeliveryItem;
use super::page::{self, Count, Filter, PageOptions};
use super::parties::{Customer, Source};
use super::value::{DateTime, GeoPoint, known, known_words, set_time, time};
use super::variances::Variance;
use super::viewer::loaders;

/// A single delivery comes together with up to this many items. More are loaded once the lines of all deliveries of
/// the request are counted.
const ITEMS_AT_ONCE: u32 = 100;

#[derive(Default)]
pub struct DeliveriesQuery;

#[Object]
impl DeliveriesQuery {
    async fn delivery(&self, ctx: &Context<'_>, id: String) -> Result<Option<Delivery>, Failure> {
        let shows = |name: &str| ctx.field().selection_set().any(|field| field.name() == name);
        let items_up_to = if shows("items") { ITEMS_AT_ONCE } else { 0 };
        let ask = contract::GetDeliveryRequest { id, items_up_to, history: shows("history") };
        let answer = clients::deliveries(ctx)?.get_delivery(ask).await;
        let Some(mut delivery) = found(answer)? else { return Ok(None) };
        loaders(ctx)?.keep_what_came_with(&mut delivery).await;
        Ok(Some(Delivery(delivery)))
    }

    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn deliveries(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<Delivery>, Failure> {
        let mut client = clients::deliveries(ctx)?;
        let fields = delivery_fields::shown(ctx.field());
        let ask = contract::ListDeliveriesRequest { page: Some(page::page(page)?), ids_only: false, fields };
        let found = client.list_deliveries(ask).await?.into_inner().deliveries;
        Ok(found.into_iter().map(Delivery).collect())
    }

    /// A version of a delivery form, by default the newest. The description omits the parts in `without` and
    /// says which are missing.
    async fn delivery_form(
        &self,
        ctx: &Context<'_>,
        delivery_id: String,
        form_version: Option<u32>,
        without: Option<Vec<FormPart>>,
    ) -> Result<Option<DeliveryForm>, Failure> {
        // Do not pass on 0: in the contract it means the newest version, but no form has that number.
        if form_version == Some(0) {
            return Ok(None);
        }
        let without =
            without.unwrap_or_default().into_iter().map(|part| contract::FormPart::from(part).into());
        let without = without.collect();
        let ask = contract::GetFormRequest { delivery_id, form_version: form_version.unwrap_or(0), without };
        let answer = clients::proof(ctx)?.get_form(ask).await;
        Ok(found(answer)?.map(DeliveryForm))
    }

    async fn deliveries_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::deliveries(ctx)?.count_deliveries(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    /// Number of drivers who have at least one matching delivery.
    async fn delivery_drivers_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::deliveries(ctx)?.count_delivery_drivers(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    /// Names of truckers that begin with `startsWith`, sorted. `page` must have neither filters nor a sort
    /// order, because the list has one column and one order.
    #[graphql(complexity = "page::cost(&page, 1)")]
    async fn get_trucker_drilldown(
        &self,
        ctx: &Context<'_>,
        starts_with: String,
        page: Option<PageOptions>,
    ) -> Result<Vec<String>, Failure> {
        let mut client = clients::deliveries(ctx)?;
        let asked = page::page(page)?;
        if let Some(filter) = asked.r#where.first() {
            let text = format!("the list cannot be filtered by {}", filter.key);
            return Err(Error::invalid_field("where", text).into());
        }
        if let Some(sort) = asked.sort.first() {
            let text = format!("the list cannot be sorted by {}", sort.key);
            return Err(Error::invalid_field("sort", text).into());
        }
        let (limit, offset) = (asked.limit, asked.offset);
        let ask = contract::ListTruckersRequest { starts_with, limit, offset };
        Ok(client.list_truckers(ask).await?.into_inner().truckers)
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
    async fn address_point(&self) -> Option<GeoPoint> {
        self.0.address_point.map(GeoPoint::from)
    }
    async fn address_lat(&self) -> Option<f64> {
        self.0.address_point.map(|point| point.lat)
    }
    async fn address_lng(&self) -> Option<f64> {
        self.0.address_point.map(|point| point.lng)
    }
    async fn address_accuracy(&self) -> Option<f64> {
        self.0.address_point.and_then(|point| point.accuracy)
    }
    async fn received_by(&self) -> Option<&str> {
        self.0.received_by.as_deref()
    }
    async fn received_by_relation(&self) -> Result<Option<Relation>, Failure> {
        self.0.received_by_relation.map(known::<contract::Relation, _>).transpose()
    }
    /// Code of the reason for the outcome.
    async fn outcome_reason(&self) -> Option<&str> {
        self.0.outcome_reason.as_deref()
    }
    async fn outcome_note(&self) -> Option<&str> {
        self.0.outcome_note.as_deref()
    }
    async fn outcome_point(&self) -> Option<GeoPoint> {
        self.0.outcome_point.map(GeoPoint::from)
    }
    async fn outcome_lat(&self) -> Option<f64> {
        self.0.outcome_point.map(|point| point.lat)
    }
    async fn outcome_lng(&self) -> Option<f64> {
        self.0.outcome_point.map(|point| point.lng)
    }
    async fn outcome_accuracy(&self) -> Option<f64> {
        self.0.outcome_point.and_then(|point| point.accuracy)
    }
    async fn outcome_distance_m(&self) -> Option<f64> {
        self.0.outcome_distance_m
    }
    async fn outcome_occurred_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.outcome_occurred_at)
    }
    async fn outcome_received_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.outcome_received_at)
    }
    async fn late(&self) -> bool {
        self.0.late
    }
    /// Whether a driver's event was superseded and waits for review.
    async fn conflict(&self) -> bool {
        self.0.conflict
    }
    /// Id of the import that contained only a part of the delivery.
    async fn incomplete_upload_log_id(&self) -> Option<&str> {
        self.0.incomplete_upload_log_id.as_deref()
    }
    /// The newest version of the delivery form; 0 if there is none yet.
    async fn form_version(&self) -> u32 {
        self.0.form_version
    }
    /// Actions that the caller may perform now.
    async fn allowed_actions(&self) -> Vec<DeliveryAction> {
        known_words(&self.0.allowed_actions)
    }

    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn items(&self, ctx: &Context<'_>) -> Result<Vec<DeliveryItem>, Failure> {
        let loaders = loaders(ctx)?;
        loaders.take_lines(&self.0.id, self.0.linecount)?;
        let items = loaders.items.all(&self.0.id).await?;
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
    /// The assigned driver. Null while the delivery is unassigned, or if `driverId` belongs to no known
    /// driver.
    async fn driver(&self, ctx: &Context<'_>) -> Result<Option<Driver>, Failure> {
        let Some(id) = &self.0.driver_id else { return Ok(None) };
        Ok(loaders(ctx)?.drivers.one(id).await?.map(Driver))
    }
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn variances(&self, ctx: &Context<'_>) -> Result<Vec<Variance>, Failure> {
        let loaders = loaders(ctx)?;
        loaders.take_lines(&self.0.id, self.0.linecount)?;
        let variances = loaders.variances.all(&self.0.id).await?;
        Ok(variances.into_iter().map(Variance).collect())
    }
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn attachments(&self, ctx: &Context<'_>) -> Result<Vec<Attachment>, Failure> {
        let attachments = loaders(ctx)?.attachments.all(&self.0.id).await?;
        Ok(attachments.into_iter().map(Attachment).collect())
    }
    /// Versions of the delivery form without their content, newest first.
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn forms(&self, ctx: &Context<'_>) -> Result<Vec<DeliveryForm>, Failure> {
        let forms = loaders(ctx)?.forms.all(&self.0.id).await?;
        Ok(forms.into_iter().map(DeliveryForm).collect())
    }
    /// The kinds of proof that the delivery requires: signature, photo, recipientName, scan, location, note.
    async fn pod_requirement(&self, ctx: &Context<'_>) -> Result<Vec<String>, Failure> {
        let requirement = loaders(ctx)?.pod_requirements.one(&self.0.id).await?;
        Ok(requirement.map(|it| it.proofs).unwrap_or_default())
    }
}

pub struct DeliveryForm(pub contract::DeliveryForm);

#[Object]
impl DeliveryForm {
    async fn delivery_id(&self) -> &str {
        &self.0.delivery_id
    }
    async fn form_version(&self) -> u32 {
        self.0.form_version
    }
    async fn attempt(&self) -> u32 {
        self.0.attempt
    }
    async fn status(&self) -> Result<DeliveryStatus, Failure> {
        known::<contract::DeliveryStatus, _>(self.0.status)
    }
    async fn issued_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.issued_at)
    }
    async fn issued_by(&self) -> &str {
        &self.0.issued_by
    }
    async fn content_hash(&self) -> &str {
        &self.0.content_hash
    }
    async fn verification_code(&self) -> &str {
        &self.0.verification_code
    }
    async fn superseded_by(&self) -> Option<u32> {
        self.0.superseded_by
    }
    /// The delivery and its proof as recorded in the form. Null in lists of versions.
    async fn content(&self) -> Option<FormContent> {
        self.0.content.clone().map(FormContent)
    }
    /// The texts of the form. Null in lists of versions.
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn description(&self) -> Result<Option<FormDescription>, Failure> {
        self.0.description.clone().map(FormDescription::of).transpose()
    }
}

pub struct FormContent(contract::FormContent);

#[Object]
impl FormContent {
    /// The delivery as it was when the form was issued. Related objects, such as its driver, are as they are
    /// now.
    async fn delivery(&self) -> Result<Delivery, Failure> {
        let delivery = self.0.delivery.clone();
        delivery.map(Delivery).ok_or_else(|| Error::internal("a form came without its delivery").into())
    }
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn items(&self) -> Vec<DeliveryItem> {
        self.0.items.iter().cloned().map(DeliveryItem).collect()
    }
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn variances(&self) -> Vec<Variance> {
        self.0.variances.iter().cloned().map(Variance).collect()
    }
    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn attachments(&self) -> Vec<Attachment> {
        self.0.attachments.iter().cloned().map(Attachment).collect()
    }
    /// Label of the outcome's reason.
    async fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }
    /// Why this version of the form replaces the previous one.
    async fn correction_reason(&self) -> Option<&str> {
        self.0.correction_reason.as_deref()
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
