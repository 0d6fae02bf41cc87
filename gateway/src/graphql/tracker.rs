//! Current and past positions of drivers, and the drivers' workload.
//!
//! Deliberately absent: updates of open screens (`tracking`).

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::{Context, Object};
use kit::Error;
use proto::deliveries::v1 as deliveries_contract;
use proto::drivers::v1 as contract;
use serde_json::Value;

use super::clients;
use super::enums::{DriverStatus, OnlineState};
use super::error::Failure;
use super::page;
use super::value::{DateTime, given, known, set_time};
use super::viewer::viewed;
use crate::accesses::View;

/// Maximum drivers that one query may name.
const MAX_IDS: usize = 1_000;
// Expected number of positions per list, for estimating the complexity of a query. Chosen so that a query may
// contain one long list with all fields, but not two.
const POSITIONS: usize = 150;
const LOCATIONS: usize = 100;
const DAYS: usize = 100;

#[derive(Default)]
pub struct TrackerQuery;

#[Object]
impl TrackerQuery {
    /// A driver's positions from `from` (included) to `to` (excluded), oldest first, at most 10,000. With the
    /// cursor of a response as `after`, the positions that follow that response.
    async fn driver_positions(
        &self,
        ctx: &Context<'_>,
        driver_id: String,
        from: DateTime,
        to: DateTime,
        after: Option<String>,
    ) -> Result<DriverPositions, Failure> {
        let (from, to) = (Some(from.into()), Some(to.into()));
        let after = cursor(after);
        let ask = contract::ListPositionsRequest { driver_id: driver_id.clone(), from, to, after, limit: 0 };
        let contract::ListPositionsResponse { positions, cursor, more } =
            clients::tracker(ctx)?.list_positions(ask).await?.into_inner();
        // Use the service's spelling of the id, if there is one.
        let id = positions.first().map_or(driver_id.as_str(), |it| &it.driver_id);
        viewed(ctx, View::Location, (id, id)).await?;
        Ok(DriverPositions { positions, cursor, more })
    }

    /// Last known locations of drivers, at most 2,000. With the cursor of a response as `after`, only the
    /// locations that changed since that response. `driverIds` has 1 to 1,000 ids; null means all drivers.
    async fn driver_locations(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        driver_ids: Option<Vec<String>>,
    ) -> Result<DriverLocations, Failure> {
        let driver_ids = named(driver_ids)?;
        let id = whom(&driver_ids).to_owned();
        let ask = contract::ListLocationsRequest { after: cursor(after), driver_ids };
        let answer = clients::tracker(ctx)?.list_locations(ask).await?.into_inner();
        viewed(ctx, View::Location, (&id, &id)).await?;
        Ok(answer.into())
    }

    /// Each driver's progress with the deliveries dispatched from `from` (included) to `to` (excluded), for
    /// at most 1,000 drivers and 31 days. Drivers without deliveries are left out.
    #[graphql(complexity = "page::times(DAYS, child_complexity)")]
    async fn driver_days(
        &self,
        ctx: &Context<'_>,
        driver_ids: Vec<String>,
        from: DateTime,
        to: DateTime,
    ) -> Result<Vec<DriverDay>, Failure> {
        few(&driver_ids)?;
        let (from, to) = (Some(from.into()), Some(to.into()));
        let ask = deliveries_contract::BatchGetDriverDaysRequest { driver_ids, from, to };
        let days = clients::deliveries(ctx)?.batch_get_driver_days(ask).await?.into_inner().days;
        Ok(days.into_iter().map(DriverDay).collect())
    }
}

/// Returns the ids that a request names. For `None`, returns an empty list, which in the contract means all
/// drivers. Refuses a request with an empty list.
pub fn named(driver_ids: Option<Vec<String>>) -> Result<Vec<String>, Failure> {
    let Some(ids) = driver_ids else { return Ok(Vec::new()) };
    if ids.is_empty() {
        return Err(Error::invalid_field("driverIds", "Name a driver, or leave driver ids out").into());
    }
    few(&ids)?;
    Ok(ids)
}

/// Returns the id of the only requested driver; an empty string unless there is exactly one.
pub fn whom(driver_ids: &[String]) -> &str {
    match driver_ids {
        [one] => one,
        _ => "",
    }
}

fn few(ids: &[String]) -> Result<(), Failure> {
    if ids.len() > MAX_IDS {
        let text = format!("Driver ids must be no more than {MAX_IDS}");
        return Err(Error::invalid_field("driverIds", text).into());
    }
    Ok(())
}

/// Normalizes a cursor: an empty string counts as no cursor.
pub fn cursor(after: Option<String>) -> Option<String> {
    after.filter(|it| !it.is_empty())
}

pub struct DriverPositions {
    positions: Vec<contract::Position>,
    cursor: String,
    more: bool,
}

#[Object]
impl DriverPositions {
    #[graphql(complexity = "page::times(POSITIONS, child_complexity)")]
    async fn positions(&self) -> Vec<DriverPosition<'_>> {
        self.positions.iter().map(DriverPosition::from).collect()
    }
    /// Cursor to pass as `after` with the next request. Null if there were no positions.
    async fn cursor(&self) -> Option<&str> {
        given(&self.cursor)
    }
    async fn more(&self) -> bool {
        self.more
    }
}

/// A position as received. If `valid` is false, it was implausible and did not move the driver.
pub struct DriverPosition<'a>(&'a contract::Position);

impl<'a> From<&'a contract::Position> for DriverPosition<'a> {
    fn from(position: &'a contract::Position) -> Self {
        Self(position)
    }
}

#[Object]
impl DriverPosition<'_> {
    async fn driver_id(&self) -> &str {
        &self.0.driver_id
    }
    /// When the device was there, by its own clock.
    async fn occurred_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.occurred_at)
    }
    async fn received_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.received_at)
    }
    async fn lat(&self) -> f64 {
        self.0.lat
    }
    async fn lng(&self) -> f64 {
        self.0.lng
    }
    /// Altitude in meters.
    async fn altitude(&self) -> Option<f64> {
        self.0.altitude
    }
    async fn speed_kmh(&self) -> Option<f64> {
        self.0.speed_kmh
    }
    /// Direction in degrees, 0 to 360, clockwise from north.
    async fn heading_deg(&self) -> Option<f64> {
        self.0.heading_deg
    }
    async fn accuracy_m(&self) -> Option<f64> {
        self.0.accuracy_m
    }
    async fn battery_pct(&self) -> Option<f64> {
        self.0.battery_pct
    }
    async fn charging(&self) -> Option<bool> {
        self.0.charging
    }
    async fn motion(&self) -> Option<bool> {
        self.0.motion
    }
    async fn odometer_m(&self) -> Option<f64> {
        self.0.odometer_m
    }
    /// How the position was sent: osmand, traccar_json, owntracks or api.
    async fn provider(&self) -> &str {
        &self.0.provider
    }
    async fn valid(&self) -> bool {
        self.0.valid
    }
    /// Why the position is not valid: accuracy, max_speed, duplicate, future_time or zero_island.
    async fn filtered_reason(&self) -> Option<&str> {
        self.0.filtered_reason.as_deref()
    }
    /// Further values from the device, by name, as strings.
    async fn attributes(&self) -> Value {
        let sorted: BTreeMap<_, _> = self.0.attributes.iter().collect();
        sorted.into_iter().map(|(name, text)| (name.clone(), Value::from(text.as_str()))).collect()
    }
}

pub struct DriverLocations {
    pub locations: Vec<Arc<contract::Location>>,
    pub cursor: String,
    pub more: bool,
}

impl From<contract::ListLocationsResponse> for DriverLocations {
    fn from(answer: contract::ListLocationsResponse) -> Self {
        let contract::ListLocationsResponse { locations, cursor, more } = answer;
        Self { locations: locations.into_iter().map(Arc::new).collect(), cursor, more }
    }
}

#[Object]
impl DriverLocations {
    #[graphql(complexity = "page::times(LOCATIONS, child_complexity)")]
    async fn locations(&self) -> Vec<DriverLocation<'_>> {
        self.locations.iter().map(|it| DriverLocation(it)).collect()
    }
    /// Cursor to pass as `after` with the next request about the same drivers.
    async fn cursor(&self) -> &str {
        &self.cursor
    }
    async fn more(&self) -> bool {
        self.more
    }
}

pub struct DriverLocation<'a>(&'a contract::Location);

#[Object]
impl DriverLocation<'_> {
    async fn driver_id(&self) -> &str {
        &self.0.driver_id
    }
    async fn name(&self) -> &str {
        &self.0.name
    }
    async fn status(&self) -> Result<DriverStatus, Failure> {
        known::<contract::DriverStatus, _>(self.0.status)
    }
    /// Whether the driver is online, by the age of the last position at the time of the response.
    async fn online_state(&self) -> Result<OnlineState, Failure> {
        known::<contract::OnlineState, _>(self.0.online_state)
    }
    /// The last position that was plausible.
    async fn position(&self) -> Result<DriverPosition<'_>, Failure> {
        let position = self.0.position.as_ref();
        position
            .map(DriverPosition::from)
            .ok_or_else(|| Error::internal("drivers sent a location without its position").into())
    }
}

/// A driver's progress with the deliveries of a period.
pub struct DriverDay(deliveries_contract::DriverDay);

#[Object]
impl DriverDay {
    async fn driver_id(&self) -> &str {
        &self.0.driver_id
    }
    async fn total(&self) -> u32 {
        self.0.total
    }
    /// Number of deliveries that have an outcome.
    async fn done(&self) -> u32 {
        self.0.done
    }
    /// Number of deliveries in `done` whose outcome is Undelivered.
    async fn undelivered(&self) -> u32 {
        self.0.undelivered
    }
    async fn current_delivery_id(&self) -> Option<&str> {
        self.0.current_delivery_id.as_deref()
    }
    async fn next_delivery_id(&self) -> Option<&str> {
        self.0.next_delivery_id.as_deref()
    }
}
