//! Attachments that prove an outcome: requesting an upload link, and adding the uploaded file.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use kit::rpc::Client;
use kit::{Error, Result};
use proto::deliveries::v1 as contract;
use proto::deliveries::v1::proof_service_client::ProofServiceClient;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::deliveries::time;
use super::refusals::Refusals;
use super::wire::{Answer, Driver, Id, Input, whole_number};
use crate::session::Session;
use crate::state::App;

const MOST: usize = 16 << 10;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The file's name on the phone; its ending indicates the type.
    filename: String,
}

#[derive(Serialize, ToSchema)]
pub struct Link {
    /// PUT the file to this URL within minutes, without a bearer token. A URL that begins with a slash is on
    /// this server. Without its query, the URL is the `url` of the attachment to add.
    url: String,
}

/// The kind of file. This type exists only for the OpenAPI document. The service refuses other values, and
/// names the field.
#[allow(dead_code)]
#[derive(ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentKind {
    Signature,
    Photo,
    Document,
    BarcodeImage,
    IdCheck,
    Other,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewAttachment {
    /// The upload link without its query.
    url: String,
    #[schema(value_type = AttachmentKind)]
    kind: String,
    /// The attempt that the file proves; default: the current one. Send the attempt of the outcome that
    /// follows: the office may have started the next one while the phone was offline. A file of an earlier
    /// attempt is marked as added later.
    #[serde(default, deserialize_with = "whole_number")]
    #[schema(minimum = 0)]
    attempt: Option<u32>,
    /// The item that the file shows.
    item_number: Option<String>,
    /// When the file was made, by the phone's clock; default: now.
    captured_at: Option<DateTime<Utc>>,
    /// Latitude in degrees; send both coordinates or neither.
    lat: Option<f64>,
    lng: Option<f64>,
    /// Accuracy in meters.
    accuracy: Option<f64>,
    note: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    id: String,
    delivery_id: String,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_number: Option<String>,
    #[schema(value_type = AttachmentKind)]
    kind: String,
    url: String,
    filename: String,
    content_type: String,
    size_bytes: u64,
    captured_at: DateTime<Utc>,
    received_at: DateTime<Utc>,
}

/// Request a link to upload a file
#[utoipa::path(
    post,
    path = "/driver/v1/deliveries/{id}/attachment-link",
    tag = "deliveries",
    security(("bearer" = [])),
    params(("id" = String, Path, description = "Delivery Doc")),
    request_body = File,
    responses((status = 200, body = Link), Refusals),
)]
pub async fn link(
    State(app): State<Arc<App>>,
    Driver(session): Driver,
    Id(delivery_id): Id,
    Input(File { filename }): Input<File, MOST>,
) -> Answer<Json<Link>> {
    let ask = contract::RequestAttachmentLinkRequest { delivery_id, filename };
    let answer = client(&app, &session).request_attachment_link(ask).await?.into_inner();
    Ok(Json(Link { url: answer.url }))
}

/// Add an uploaded file
///
/// Sending the same url again returns the same attachment. Add files before the outcome that they prove.
#[utoipa::path(
    post,
    path = "/driver/v1/deliveries/{id}/attachments",
    tag = "deliveries",
    security(("bearer" = [])),
    params(("id" = String, Path, description = "Delivery Doc")),
    request_body = NewAttachment,
    responses((status = 200, body = Attachment), Refusals),
)]
pub async fn add(
    State(app): State<Arc<App>>,
    Driver(session): Driver,
    Id(delivery_id): Id,
    Input(new): Input<NewAttachment, MOST>,
) -> Answer<Json<Attachment>> {
    let NewAttachment { url, kind, attempt, item_number, captured_at, lat, lng, accuracy, note } = new;
    let ask = contract::AddAttachmentRequest {
        delivery_id,
        url,
        kind,
        item_number,
        captured_at: captured_at.map(proto::timestamp),
        point: point(lat, lng, accuracy)?,
        note,
        attempt,
    };
    let row = client(&app, &session).add_attachment(ask).await?.into_inner();
    Ok(Json(Attachment {
        id: row.id,
        delivery_id: row.delivery_id,
        attempt: row.attempt,
        item_number: row.item_number,
        kind: row.kind,
        url: row.url,
        filename: row.filename,
        content_type: row.content_type,
        size_bytes: row.size_bytes,
        captured_at: always(row.captured_at)?,
        received_at: always(row.received_at)?,
    }))
}

fn client(app: &App, session: &Session) -> ProofServiceClient<Client> {
    ProofServiceClient::new(session.client(&app.deliveries))
}

fn point(lat: Option<f64>, lng: Option<f64>, accuracy: Option<f64>) -> Result<Option<contract::GeoPoint>> {
    match (lat, lng) {
        (Some(lat), Some(lng)) => Ok(Some(contract::GeoPoint { lat, lng, accuracy })),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(Error::invalid_field("lat", "Latitude is required beside a longitude")),
        (Some(_), None) => Err(Error::invalid_field("lng", "Longitude is required beside a latitude")),
    }
}

fn always(at: Option<prost_types::Timestamp>) -> Result<DateTime<Utc>> {
    time(at)?.ok_or_else(|| Error::internal("an attachment without its time"))
}
