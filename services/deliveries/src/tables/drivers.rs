//! The copy of drivers: those that the drivers service has sent to this service.

use ::store::copies::table::Columns;
use ::store::filter::fold;
use ::store::{Tx, bulk, db};
use kit::{Error, Kind, Result};
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect};

use crate::domain::actor::Actor;
use crate::domain::driver::DriverStatus;
use crate::entity::driver::{ActiveModel, Column, Entity, Model};

/// Stores the newest state of each driver.
pub async fn keep(tx: &Tx, news: Vec<Model>) -> Result<()> {
    COLUMNS
        .keep(tx, news.into_iter().map(Model::into_active_model).map(ActiveModel::reset_all).collect())
        .await
}

pub const COLUMNS: Columns<Entity> = Columns {
    key: Column::DriverIdKey,
    version: Column::Version,
    sequence: Column::Sequence,
    content: &[Column::DriverId, Column::Name, Column::Status],
};

async fn find(connection: &impl ConnectionTrait, driver_id: &str) -> Result<Option<Model>> {
    Entity::find_by_id(fold(driver_id)).one(connection).await.map_err(db)
}

/// Returns the name of a known driver.
pub async fn name(connection: &impl ConnectionTrait, driver_id: Option<&str>) -> Result<Option<String>> {
    match driver_id {
        Some(driver_id) => Ok(find(connection, driver_id).await?.map(|driver| driver.name)),
        None => Ok(None),
    }
}

/// Refuses a blocked driver, even with a valid token; everybody else passes.
pub async fn require_permitted(connection: &impl ConnectionTrait, actor: &Actor) -> Result<()> {
    let Actor::Driver { driver_id, .. } = actor else { return Ok(()) };
    match find(connection, driver_id).await? {
        Some(driver) if driver.status == DriverStatus::Blocked => {
            let text = "You are blocked, so nothing you send is accepted. Ask your office.";
            Err(Error::new(Kind::Forbidden, "DRIVER_BLOCKED", text))
        }
        _ => Ok(()),
    }
}

/// Refuses to assign deliveries to a blocked or unknown driver. While no driver is known at all, every id is
/// accepted, because the office then does not maintain drivers in Waybill.
pub async fn require_assignable(connection: &impl ConnectionTrait, driver_id: Option<&str>) -> Result<()> {
    let Some(driver_id) = driver_id.map(str::trim).filter(|id| !id.is_empty()) else { return Ok(()) };
    match find(connection, driver_id).await? {
        Some(driver) => unblocked(&driver),
        None if any(connection).await? => {
            let text = format!("There is no driver {driver_id}. Choose one from the list.");
            Err(Error::invalid("DRIVER_UNKNOWN", text.clone()).field("driverId", text))
        }
        None => Ok(()),
    }
}

/// Refuses to assign deliveries to a blocked driver. Unknown drivers pass, because an undo restores a driver that an
/// import named.
pub async fn require_unblocked(connection: &impl ConnectionTrait, driver_id: Option<&str>) -> Result<()> {
    let Some(driver_id) = driver_id else { return Ok(()) };
    match find(connection, driver_id).await? {
        Some(driver) => unblocked(&driver),
        None => Ok(()),
    }
}

fn unblocked(driver: &Model) -> Result<()> {
    if driver.status != DriverStatus::Blocked {
        return Ok(());
    }
    let text = format!("{} ({}) is blocked. Choose another driver.", driver.name, driver.driver_id);
    Err(Error::precondition("DRIVER_BLOCKED", text.clone()).field("driverId", text))
}

/// Returns the known drivers among these folded ids.
pub async fn by_keys(
    connection: &impl ConnectionTrait,
    keys: impl IntoIterator<Item = String>,
) -> Result<Vec<Model>> {
    let among = bulk::among(connection, Column::DriverIdKey, keys);
    Entity::find().filter(among).all(connection).await.map_err(db)
}

/// Returns whether at least one driver is known. If not, the office does not maintain drivers in Waybill.
pub async fn any(connection: &impl ConnectionTrait) -> Result<bool> {
    let first: Option<String> = Entity::find()
        .select_only()
        .column(Column::DriverIdKey)
        .into_tuple()
        .one(connection)
        .await
        .map_err(db)?;
    Ok(first.is_some())
}
