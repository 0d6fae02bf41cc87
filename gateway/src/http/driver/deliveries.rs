//! A delivery as drivers get it, and the reasons for outcomes.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use futures::{StreamExt, TryFutureExt, TryStreamExt, stream};
use kit::rpc::Client;
use kit::text::fold;
use kit::{Error, Result};
use proto::common::v1::BatchGetRequest;
use proto::deliveries::v1 as contract;
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use serde::Serialize;
use utoipa::ToSchema;

use super::enums::{Condition, Priority, Relation, Status};
use super::refusals::Refusals;
use super::wire::{Answer, Driver, Id, Point};
use crate::graphql::value::units;
use crate::session::Session;
use crate::state::App;

/// Maximum size of a response, in bytes. Lists with long texts exceed tonic's default of 4 MiB.
const MAX_ANSWER: usize = 16 << 20;
/// Maximum number of lines per request for items, unless one delivery has more. Lines with the longest texts
/// have up to 18 KB, so responses stay below `MAX_ANSWER`.
const LINES: usize = 800;
/// Concurrent requests for items.
const AT_ONCE: usize = 4;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// Delivery Doc.
    id: String,
    status: Status,
    shipmentnumber: String,
    /// Reference Doc.
    #[serde(skip_serializing_if = "Option::is_none")]
    referencedoc: Option<String>,
    customername: String,
    customeraddress: String,
    /// The planned location.
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<Point>,
    scheduledatetime: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_window_start: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_window_end: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    priority: Priority,
    /// Number of the current attempt, counted from 1. Outcomes refer to it.
    attempt: u32,
    max_attempts: u32,
    /// Required proof: `signature`, `photo`, `recipientName`, `scan`, `location`, `note`.
    pod_requirement: Vec<String>,
    /// Actions allowed now: `complete`, `mark_undelivered`, `reject`, `add_evidence`.
    allowed_actions: Vec<String>,
    /// When the outcome occurred. Absent while the delivery is Pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    deliverydatetime: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<Relation>,
    /// Whether the outcome arrived late, or the phone's clock was wrong.
    late: bool,
    /// Whether an outcome arrived too late and was superseded; the office reviews it.
    conflict: bool,
    version: u64,
    items: Vec<Item>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    item_number: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sku: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    /// The expected quantity.
    quantity: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight_kg: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    barcode: Option<String>,
    quantity_delivered: f64,
    quantity_rejected: f64,
    condition: Condition,
    #[serde(skip_serializing_if = "Option::is_none")]
    variance_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variance_note: Option<String>,
}

/// The available reasons.
#[derive(Serialize, ToSchema)]
pub struct Reasons {
    reasons: Vec<Reason>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// `variance` for a line, or `undelivered` or `rejected` for the whole delivery.
    applies_to: String,
    code: String,
    label: String,
    requires_photo: bool,
    requires_note: bool,
}

/// One delivery
#[utoipa::path(
    get,
    path = "/driver/v1/deliveries/{id}",
    tag = "deliveries",
    security(("bearer" = [])),
    params(("id" = String, Path, description = "Delivery Doc")),
    responses((status = 200, body = Delivery), Refusals),
)]
pub async fn one(State(app): State<Arc<App>>, Driver(session): Driver, Id(id): Id) -> Answer<Json<Delivery>> {
    let mut client = client(&app, &session);
    let row =
        client.get_delivery(contract::GetDeliveryRequest { id, ..Default::default() }).await?.into_inner();
    Ok(Json(whole(&mut client, row).await?))
}

/// The available reasons
#[utoipa::path(
    get,
    path = "/driver/v1/reasons",
    tag = "deliveries",
    security(("bearer" = [])),
    responses((status = 200, body = Reasons), Refusals),
)]
pub async fn reasons(State(app): State<Arc<App>>, Driver(session): Driver) -> Answer<Json<Reasons>> {
    let ask = contract::ListReasonsRequest::default();
    let all = client(&app, &session).list_reasons(ask).await?.into_inner().reasons;
    let reasons = all.into_iter().filter(|reason| reason.is_active).map(|reason| Reason {
        applies_to: reason.applies_to,
        code: reason.code,
        label: reason.label,
        requires_photo: reason.requires_photo,
        requires_note: reason.requires_note,
    });
    Ok(Json(Reasons { reasons: reasons.collect() }))
}

pub fn client(app: &App, session: &Session) -> DeliveriesServiceClient<Client> {
    DeliveriesServiceClient::new(session.client(&app.deliveries)).max_decoding_message_size(MAX_ANSWER)
}

/// Returns a delivery with its items and proof requirement.
pub async fn whole(
    client: &mut DeliveriesServiceClient<Client>,
    row: contract::Delivery,
) -> Result<Delivery> {
    let mut parts = parts_of(client, std::slice::from_ref(&row)).await?;
    let parts = parts.remove(&fold(&row.id)).unwrap_or_default();
    delivery(row, parts)
}

/// Returns deliveries with their items and proof requirements. Leaves out those that went to another driver after
/// their rows were read: they would have no items.
pub async fn with_items(
    client: &mut DeliveriesServiceClient<Client>,
    rows: Vec<contract::Delivery>,
) -> Result<Vec<Delivery>> {
    let mut parts = parts_of(client, &rows).await?;
    let deliveries = rows.into_iter().filter_map(|row| {
        let parts = parts.remove(&fold(&row.id))?;
        parts.is_complete(&row).then(|| delivery(row, parts))
    });
    deliveries.collect()
}

/// The parts of a delivery that are read separately from its row.
#[derive(Default)]
struct Parts {
    items: Vec<contract::DeliveryItem>,
    /// `None` if the driver may not read the delivery.
    pod_requirement: Option<Vec<String>>,
}

impl Parts {
    fn is_complete(&self, row: &contract::Delivery) -> bool {
        self.pod_requirement.is_some() && (row.linecount == 0 || !self.items.is_empty())
    }
}

/// Returns the parts of deliveries by folded id.
async fn parts_of(
    client: &mut DeliveriesServiceClient<Client>,
    rows: &[contract::Delivery],
) -> Result<HashMap<String, Parts>> {
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let asked = portions(rows).into_iter().map(|ids| {
        let mut client = client.clone();
        async move { client.batch_get_items(BatchGetRequest { ids }).await.map(|it| it.into_inner().items) }
    });
    let asked: Vec<_> = asked.collect();
    let all = BatchGetRequest { ids: rows.iter().map(|row| row.id.clone()).collect() };
    let (items, wanted) = tokio::try_join!(
        stream::iter(asked).buffered(AT_ONCE).try_concat(),
        client.batch_get_pod_requirements(all).map_ok(|it| it.into_inner().requirements),
    )?;
    let mut parts: HashMap<String, Parts> = HashMap::new();
    for item in items {
        parts.entry(fold(&item.delivery_id)).or_default().items.push(item);
    }
    for it in wanted {
        parts.entry(fold(&it.delivery_id)).or_default().pod_requirement = Some(it.proofs);
    }
    Ok(parts)
}

/// Groups the ids of deliveries into requests of at most [`LINES`] lines. A delivery with more gets a request
/// of its own.
fn portions(rows: &[contract::Delivery]) -> Vec<Vec<String>> {
    let mut portions: Vec<Vec<String>> = Vec::new();
    let mut lines = 0;
    for row in rows {
        let count = row.linecount as usize;
        match portions.last_mut().filter(|_| lines + count <= LINES) {
            Some(portion) => {
                portion.push(row.id.clone());
                lines += count;
            }
            None => {
                portions.push(vec![row.id.clone()]);
                lines = count;
            }
        }
    }
    portions
}

fn delivery(row: contract::Delivery, parts: Parts) -> Result<Delivery> {
    let Parts { items, pod_requirement } = parts;
    let (status, priority) = (known(row.deliverystatus())?, known(row.priority())?);
    let relation = row.received_by_relation.map(|_| known(row.received_by_relation())).transpose()?;
    let scheduledatetime =
        time(row.scheduledatetime)?.ok_or_else(|| Error::internal("a delivery without time"))?;
    Ok(Delivery {
        id: row.id,
        status,
        shipmentnumber: row.shipmentnumber,
        referencedoc: row.referencedoc,
        customername: row.customername,
        customeraddress: row.customeraddress,
        point: row.address_point.map(Into::into),
        scheduledatetime,
        time_window_start: time(row.time_window_start)?,
        time_window_end: time(row.time_window_end)?,
        contact_name: row.contact_name,
        contact_phone: row.contact_phone,
        contact_email: row.contact_email,
        instructions: row.instructions,
        priority,
        attempt: row.attempt,
        max_attempts: row.max_attempts,
        pod_requirement: pod_requirement.unwrap_or_default(),
        allowed_actions: row.allowed_actions,
        deliverydatetime: time(row.deliverydatetime)?,
        reason: row.outcome_reason,
        note: row.outcome_note,
        received_by: row.received_by,
        relation,
        late: row.late,
        conflict: row.conflict,
        version: row.version,
        items: items.into_iter().map(item).collect::<Result<_>>()?,
    })
}

fn item(row: contract::DeliveryItem) -> Result<Item> {
    let condition = known(row.condition())?;
    let contract::DeliveryItem {
        delivery_id: _,
        item_number,
        sku,
        description,
        unit,
        quantity_thousandths,
        weight_grams,
        barcode,
        delivered_thousandths,
        rejected_thousandths,
        condition: _,
        variance_reason,
        variance_note,
    } = row;
    Ok(Item {
        item_number,
        sku,
        description,
        unit,
        quantity: units(quantity_thousandths),
        weight_kg: weight_grams.map(units),
        barcode,
        quantity_delivered: units(delivered_thousandths),
        quantity_rejected: units(rejected_thousandths),
        condition,
        variance_reason,
        variance_note,
    })
}

/// Converts a value of the contract to this API's spelling.
fn known<W, D: TryFrom<W>>(value: W) -> Result<D> {
    D::try_from(value).map_err(|_| Error::internal("a service sent an unknown value"))
}

pub fn time(at: Option<prost_types::Timestamp>) -> Result<Option<DateTime<Utc>>> {
    let read = |at| proto::instant(at).ok_or_else(|| Error::internal("a service sent a time out of range"));
    at.map(read).transpose()
}
