//! Drivers and their devices.
//!
//! Deliberately absent: their accounts and PINs (`users`), their log (`driver_logs`), their positions
//! (`tracker`).

use async_graphql::{Context, InputObject, Object, QueryPathSegment};
use proto::auth::v1::CheckDriverUsernameRequest;
use proto::drivers::v1 as contract;

use super::clients;
use super::enums::{DriverStatus, OnlineState};
use super::error::{Failure, found};
use super::page::{self, Count, Filter, PageOptions};
use super::tracker::DriverPosition;
use super::value::{DateTime, known, set_time, time, wire};
use super::viewer::viewed;
use crate::accesses::View;

/// Expected number of unpaired devices, for estimating the complexity of a query.
const DEVICES: usize = 100;

#[derive(Default)]
pub struct DriversQuery;

#[Object]
impl DriversQuery {
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn drivers(&self, ctx: &Context<'_>, page: Option<PageOptions>) -> Result<Vec<Driver>, Failure> {
        let mut client = clients::drivers(ctx)?;
        let ask = contract::ListDriversRequest { page: Some(page::page(page)?) };
        let found = client.list_drivers(ask).await?.into_inner().drivers;
        Ok(found.into_iter().map(Driver).collect())
    }

    async fn drivers_count(&self, ctx: &Context<'_>, r#where: Option<Vec<Filter>>) -> Result<Count, Failure> {
        let count = clients::drivers(ctx)?.count_drivers(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    async fn driver(&self, ctx: &Context<'_>, driver_id: String) -> Result<Option<Driver>, Failure> {
        let answer = clients::drivers(ctx)?.get_driver(contract::GetDriverRequest { driver_id }).await;
        Ok(found(answer)?.map(Driver))
    }

    /// Unpaired devices that sent positions, most recently seen first, at most 200.
    #[graphql(complexity = "page::times(DEVICES, child_complexity)")]
    async fn unpaired_devices(&self, ctx: &Context<'_>) -> Result<Vec<UnpairedDevice>, Failure> {
        let answer =
            clients::drivers(ctx)?.list_unpaired_devices(contract::ListUnpairedDevicesRequest {}).await?;
        Ok(answer.into_inner().devices.into_iter().map(UnpairedDevice).collect())
    }
}

#[derive(Default)]
pub struct DriversMutation;

#[Object]
impl DriversMutation {
    async fn create_driver(&self, ctx: &Context<'_>, input: CreateDriverInput) -> Result<Driver, Failure> {
        let CreateDriverInput { driver_id, driver } = input;
        check_username(ctx, &driver.username).await?;
        let ask = contract::CreateDriverRequest { driver_id, driver: Some(driver.into()) };
        Ok(Driver(clients::drivers(ctx)?.create_driver(ask).await?.into_inner()))
    }

    /// Replaces all fields of a driver except the id.
    async fn update_driver(&self, ctx: &Context<'_>, input: UpdateDriverInput) -> Result<Driver, Failure> {
        let UpdateDriverInput { driver_id, version, driver } = input;
        check_username(ctx, &driver.username).await?;
        let ask = contract::UpdateDriverRequest { driver_id, version, driver: Some(driver.into()) };
        Ok(Driver(clients::drivers(ctx)?.update_driver(ask).await?.into_inner()))
    }

    /// Blocks or unblocks a driver. Blocking ends the driver's sessions, and the driver's positions are
    /// refused.
    async fn update_driver_status(
        &self,
        ctx: &Context<'_>,
        input: UpdateDriverStatusInput,
    ) -> Result<Driver, Failure> {
        let UpdateDriverStatusInput { driver_id, version, status } = input;
        let status = contract::DriverStatus::from(status).into();
        let ask = contract::UpdateDriverStatusRequest { driver_id, version, status };
        Ok(Driver(clients::drivers(ctx)?.update_driver_status(ask).await?.into_inner()))
    }

    async fn pair_device(&self, ctx: &Context<'_>, input: PairDeviceInput) -> Result<Driver, Failure> {
        let PairDeviceInput { unique_id, driver_id } = input;
        let ask = contract::PairDeviceRequest { unique_id, driver_id };
        Ok(Driver(clients::drivers(ctx)?.pair_device(ask).await?.into_inner()))
    }

    async fn unpair_device(&self, ctx: &Context<'_>, input: UnpairDeviceInput) -> Result<Driver, Failure> {
        let UnpairDeviceInput { unique_id, driver_id } = input;
        let ask = contract::UnpairDeviceRequest { unique_id, driver_id };
        Ok(Driver(clients::drivers(ctx)?.unpair_device(ask).await?.into_inner()))
    }
}

/// Checks that no account has the username. The driver's account is created later, by an event, but the
/// person who types a taken username should learn of it now.
async fn check_username(ctx: &Context<'_>, username: &str) -> Result<(), Failure> {
    let ask = CheckDriverUsernameRequest { username: username.to_owned() };
    clients::auth(ctx)?.check_driver_username(ask).await?;
    Ok(())
}

/// Fields that reveal where somebody is.
const PLACE: [&str; 3] = ["lat", "lng", "attributes"];

/// Records that the caller sees where somebody is, if the query selects fields of this position that reveal it.
async fn place_viewed(ctx: &Context<'_>, whom: (&str, &str)) -> Result<(), Failure> {
    // The time alone does not reveal a position.
    if PLACE.iter().any(|field| ctx.look_ahead().field(field).exists()) {
        viewed(ctx, View::Location, whom).await?;
    }
    Ok(())
}

/// Returns whether the field being resolved is in a row of a list.
fn is_one_of_many(ctx: &Context<'_>) -> bool {
    let mut path = std::iter::successors(ctx.path_node.as_ref(), |node| node.parent);
    path.any(|node| matches!(node.segment, QueryPathSegment::Index(_)))
}

pub struct Driver(pub contract::Driver);

#[Object]
impl Driver {
    async fn driver_id(&self) -> &str {
        &self.0.driver_id
    }
    async fn name(&self) -> &str {
        &self.0.name
    }
    async fn status(&self) -> Result<DriverStatus, Failure> {
        known::<contract::DriverStatus, _>(self.0.status)
    }
    /// The username with which the driver signs in.
    async fn username(&self) -> &str {
        &self.0.username
    }
    async fn phone(&self) -> Option<&str> {
        self.0.phone.as_deref()
    }
    async fn email(&self) -> Option<&str> {
        self.0.email.as_deref()
    }
    async fn trucker(&self) -> Option<&str> {
        self.0.trucker.as_deref()
    }
    async fn licence_number(&self) -> Option<&str> {
        self.0.licence_number.as_deref()
    }
    /// Day on which the licence expires: YYYY-MM-DD.
    async fn licence_expiry(&self) -> Option<&str> {
        self.0.licence_expiry.as_deref()
    }
    async fn vehicle_plate(&self) -> Option<&str> {
        self.0.vehicle_plate.as_deref()
    }
    async fn device_unique_ids(&self) -> &[String] {
        &self.0.device_unique_ids
    }
    /// When a device of the driver last sent something. Null if none ever did.
    async fn last_seen_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.last_seen_at)
    }
    /// The driver's last plausible position.
    async fn last_position(&self, ctx: &Context<'_>) -> Result<Option<DriverPosition<'_>>, Failure> {
        let Some(position) = &self.0.last_position else { return Ok(None) };
        let whom = if is_one_of_many(ctx) { ("", "") } else { (&*self.0.driver_id, &*self.0.name) };
        place_viewed(ctx, whom).await?;
        Ok(Some(position.into()))
    }
    /// Whether the driver is online, by the age of the last position at the time of the response.
    async fn online_state(&self) -> Result<OnlineState, Failure> {
        known::<contract::OnlineState, _>(self.0.online_state)
    }
    async fn tracking_consent_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.tracking_consent_at)
    }
    async fn language(&self) -> Option<&str> {
        self.0.language.as_deref()
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
}

/// A device that has sent positions and is not paired with a driver.
pub struct UnpairedDevice(contract::UnpairedDevice);

#[Object]
impl UnpairedDevice {
    async fn unique_id(&self) -> &str {
        &self.0.unique_id
    }
    /// How the device sends positions: osmand, traccar_json, owntracks or api.
    async fn provider(&self) -> &str {
        &self.0.provider
    }
    async fn first_seen_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.first_seen_at)
    }
    async fn last_seen_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.last_seen_at)
    }
    /// Number of positions that were received from the device but not stored.
    async fn positions(&self) -> u64 {
        self.0.positions
    }
    /// The device's last position. Null if it was paired with a driver before.
    async fn last_position(&self, ctx: &Context<'_>) -> Result<Option<DriverPosition<'_>>, Failure> {
        let Some(position) = &self.0.last_position else { return Ok(None) };
        place_viewed(ctx, ("", "")).await?;
        Ok(Some(position.into()))
    }
    /// Network address of the device's last request.
    async fn address(&self) -> &str {
        &self.0.address
    }
}

#[derive(InputObject)]
pub struct CreateDriverInput {
    driver_id: String,
    #[graphql(flatten)]
    driver: DriverInput,
}

#[derive(InputObject)]
pub struct UpdateDriverInput {
    driver_id: String,
    version: u64,
    #[graphql(flatten)]
    driver: DriverInput,
}

#[derive(InputObject)]
pub struct DriverInput {
    name: String,
    username: String,
    phone: Option<String>,
    email: Option<String>,
    trucker: Option<String>,
    licence_number: Option<String>,
    /// Day on which the licence expires: YYYY-MM-DD.
    licence_expiry: Option<String>,
    vehicle_plate: Option<String>,
    language: Option<String>,
    tracking_consent_at: Option<DateTime>,
}

impl From<DriverInput> for contract::DriverInput {
    fn from(input: DriverInput) -> Self {
        let DriverInput {
            name,
            username,
            phone,
            email,
            trucker,
            licence_number,
            licence_expiry,
            vehicle_plate,
            language,
            tracking_consent_at,
        } = input;
        Self {
            name,
            username,
            phone,
            email,
            trucker,
            licence_number,
            licence_expiry,
            vehicle_plate,
            language,
            tracking_consent_at: wire(tracking_consent_at),
        }
    }
}

#[derive(InputObject)]
pub struct UpdateDriverStatusInput {
    driver_id: String,
    /// Version of the driver that the caller read; null accepts any version.
    version: Option<u64>,
    status: DriverStatus,
}

#[derive(InputObject)]
pub struct PairDeviceInput {
    unique_id: String,
    driver_id: String,
}

#[derive(InputObject)]
pub struct UnpairDeviceInput {
    unique_id: String,
    driver_id: String,
}
