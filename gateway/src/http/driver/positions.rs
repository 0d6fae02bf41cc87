//! Positions of the driver.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use kit::Error;
use kit::input::position::MAX_POSITIONS;
use proto::drivers::v1::tracker_service_client::TrackerServiceClient;
use proto::drivers::v1::{PositionInput, RecordPositionsRequest, RecordPositionsResponse};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::refusals::Refusals;
use super::wire::{Answer, Driver, Input};
use crate::state::App;

const MOST: usize = 2 << 20;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Positions {
    /// Positions in any order.
    #[schema(min_items = 1, max_items = 1000)]
    positions: Vec<Position>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Position {
    /// When the phone was there, by its own clock.
    occurred_at: DateTime<Utc>,
    /// Latitude in degrees.
    lat: f64,
    lng: f64,
    /// Altitude in meters.
    altitude: Option<f64>,
    speed_kmh: Option<f64>,
    /// Direction in degrees, 0 to 360, clockwise from north.
    heading_deg: Option<f64>,
    accuracy_m: Option<f64>,
    battery_pct: Option<f64>,
    charging: Option<bool>,
    motion: Option<bool>,
    odometer_m: Option<f64>,
    #[serde(default)]
    attributes: HashMap<String, String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// Number of newly stored positions, without repeated ones.
    recorded: u32,
    /// Number of positions in `recorded` that are marked as implausible.
    filtered: u32,
    /// Number of positions that were not stored because they are older than the retention.
    too_old: u32,
}

impl From<Position> for PositionInput {
    fn from(position: Position) -> Self {
        let Position {
            occurred_at,
            lat,
            lng,
            altitude,
            speed_kmh,
            heading_deg,
            accuracy_m,
            battery_pct,
            charging,
            motion,
            odometer_m,
            attributes,
        } = position;
        Self {
            occurred_at: Some(proto::timestamp(occurred_at)),
            lat,
            lng,
            altitude,
            speed_kmh,
            heading_deg,
            accuracy_m,
            battery_pct,
            charging,
            motion,
            odometer_m,
            attributes,
        }
    }
}

/// Send current and past positions
///
/// The response is sent after the positions are stored. Sending positions again changes nothing.
#[utoipa::path(
    post,
    path = "/driver/v1/positions",
    operation_id = "recordPositions",
    tag = "tracking",
    security(("bearer" = [])),
    request_body = Positions,
    responses((status = 200, body = Kept), Refusals),
)]
pub async fn record(
    State(app): State<Arc<App>>,
    Driver(session): Driver,
    Input(Positions { positions }): Input<Positions, MOST>,
) -> Answer<Json<Kept>> {
    if positions.len() > MAX_POSITIONS {
        let text = format!("Positions must be no more than {MAX_POSITIONS}");
        return Err(Error::invalid_field("positions", text).into());
    }
    let ask = RecordPositionsRequest { positions: positions.into_iter().map(Into::into).collect() };
    let mut tracker = TrackerServiceClient::new(session.client(&app.drivers));
    let answer = tracker.record_positions(ask).await?.into_inner();
    let RecordPositionsResponse { recorded, filtered, too_old } = answer;
    Ok(Json(Kept { recorded, filtered, too_old }))
}
