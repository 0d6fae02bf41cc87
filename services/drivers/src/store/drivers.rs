//! Drivers: their records, and whether they may work.
//!
//! A change begins with a lock on the row. The change, its log entries and its event are committed
//! together.

use std::collections::HashMap;

use chrono::{DateTime, SecondsFormat, Utc};
use kit::config;
use kit::error::Fields;
use kit::{Error, Result};
use proto::common::v1::SortDirection;
use proto::drivers::v1 as wire;
use proto::events::DriverChanged;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::{locations, logs};
use crate::domain::activity::Activity;
use crate::domain::driver::{Status, online_state};
use crate::domain::form::{self, Name};
use crate::entity::driver::{ActiveModel, Column, Entity, Model};
use crate::entity::{device, driver_shown, location};
use crate::fields;
use ::store::audit::{self, Act, By, Changes};
use ::store::error::is_unique_violation;
use ::store::filter::fold;
use ::store::list::{Bounds, Listing};
use ::store::outbox::{self, NewEvent};
use ::store::{Db, Tx, db};

pub const LIST: Listing<driver_shown::Entity> = Listing {
    fields: fields::DRIVERS,
    key: &[driver_shown::Column::DriverIdKey],
    default: ("driverId", SortDirection::Asc),
    bounds: Bounds::DEFAULT,
};

/// A driver, with data from other tables.
pub struct Whole {
    pub driver: Model,
    pub devices: Vec<String>,
    pub location: Option<location::Model>,
}

impl Whole {
    pub fn told(self, now: DateTime<Utc>, config: &config::Drivers) -> Result<wire::Driver> {
        let Self { driver, devices, location } = self;
        let last_seen_at = location.as_ref().map(|it| proto::timestamp(it.seen_at));
        let last = location.as_ref().map(location::Model::last).transpose()?.flatten();
        let at = last.as_ref().map(|last| last.point.occurred_at);
        let Model {
            number: _,
            driver_id,
            driver_id_key: _,
            name,
            name_key: _,
            status,
            username,
            username_key: _,
            phone,
            email,
            trucker,
            trucker_key: _,
            licence_number,
            licence_expiry,
            vehicle_plate,
            language,
            tracking_consent_at,
            created_at,
            created_by,
            updated_at,
            updated_by,
            version,
        } = driver;
        Ok(wire::Driver {
            last_position: last.map(|last| last.told(&driver_id)),
            driver_id,
            name,
            status: wire::DriverStatus::from(status).into(),
            username,
            phone,
            email,
            trucker,
            licence_number,
            licence_expiry: licence_expiry.map(|it| it.to_string()),
            vehicle_plate,
            device_unique_ids: devices,
            last_seen_at,
            online_state: online_state(at, now, config).into(),
            tracking_consent_at: tracking_consent_at.map(proto::timestamp),
            language,
            created_at: Some(proto::timestamp(created_at)),
            created_by,
            updated_at: Some(proto::timestamp(updated_at)),
            updated_by,
            version: version.unsigned_abs(),
        })
    }
}

/// Returns all data of drivers, in the given order.
pub async fn whole(db_: &Db, drivers: Vec<Model>) -> Result<Vec<Whole>> {
    let numbers: Vec<i32> = drivers.iter().map(|it| it.number).collect();
    let mut devices = devices_of(db_, &numbers).await?;
    let mut locations = locations::of(db_, &numbers).await?;
    let whole = drivers.into_iter().map(|driver| Whole {
        devices: devices.remove(&driver.number).unwrap_or_default(),
        location: locations.remove(&driver.number),
        driver,
    });
    Ok(whole.collect())
}

/// Returns the sorted device ids of several drivers, by the driver's number.
async fn devices_of(db_: &Db, drivers: &[i32]) -> Result<HashMap<i32, Vec<String>>> {
    let rows = device::Entity::find()
        .filter(device::Column::Driver.is_in(drivers.iter().copied()))
        .order_by_asc(device::Column::UniqueIdKey)
        .all(db_.read())
        .await
        .map_err(db)?;
    let mut devices: HashMap<i32, Vec<String>> = HashMap::new();
    for row in rows {
        devices.entry(row.driver).or_default().push(row.unique_id);
    }
    Ok(devices)
}

/// Returns the drivers of a page of the list, in the order of the page.
pub async fn of_page(db_: &Db, shown: &[driver_shown::Model]) -> Result<Vec<Model>> {
    let numbers = shown.iter().map(|it| it.number);
    let rows = Entity::find().filter(Column::Number.is_in(numbers)).all(db_.read()).await.map_err(db)?;
    let mut rows: HashMap<i32, Model> = rows.into_iter().map(|row| (row.number, row)).collect();
    Ok(shown.iter().filter_map(|it| rows.remove(&it.number)).collect())
}

/// Returns several drivers by id, ignoring case; omits unknown ids.
pub async fn by_ids(db_: &Db, ids: &[String]) -> Result<Vec<Model>> {
    let keys = ids.iter().map(|id| fold(id));
    let rows = Entity::find().filter(Column::DriverIdKey.is_in(keys)).order_by_asc(Column::DriverIdKey);
    rows.all(db_.read()).await.map_err(db)
}

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    let found = Entity::find().filter(Column::DriverIdKey.eq(fold(id))).one(db_.read()).await;
    found.map_err(db)?.ok_or_else(|| not_found(id))
}

pub fn not_found(id: &str) -> Error {
    Error::not_found("DRIVER_NOT_FOUND", format!("There is no driver {id}"))
}

/// Locks a driver's row until the transaction ends. Every change of a driver begins here.
pub async fn lock(tx: &Tx, id: &str) -> Result<Model> {
    let found = Entity::find().filter(Column::DriverIdKey.eq(fold(id))).lock_exclusive();
    found.one(&**tx).await.map_err(db)?.ok_or_else(|| not_found(id))
}

pub async fn create(db_: &Db, id: Name, form: form::Driver, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    require_free(&tx, Some(&id), &form.username, None).await?;
    let row = ActiveModel {
        driver_id: Set(id.shown),
        driver_id_key: Set(id.key),
        status: Set(Status::Active),
        created_at: Set(by.now),
        created_by: Set(by.actor.to_owned()),
        version: Set(1),
        ..columns_of(form, by)
    };
    let row = row.insert(&*tx).await.map_err(taken_meanwhile)?;
    emit(&tx, &row, by).await?;
    record(&tx, "driver.created", &row, Changes::created(fields_of(&row)), by).await?;
    kit::fail_point("drivers.driver.created");
    tx.commit().await?;
    Ok(row)
}

/// Replaces all fields that can be edited. Refuses an edit of an old version.
pub async fn update(db_: &Db, id: &str, version: u64, mut form: form::Driver, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?;
    require_version(&row, version)?;
    if form.username.key != row.username_key {
        form.username = form::new_username(&form.username)?;
    }
    require_free(&tx, None, &form.username, Some(row.number)).await?;
    let (next, before) = (row.version + 1, fields_of(&row));
    let row =
        ActiveModel { number: sea_orm::Unchanged(row.number), version: Set(next), ..columns_of(form, by) };
    let row = row.update(&*tx).await.map_err(taken_meanwhile)?;
    locations::touch(&tx, row.number, by.now).await?;
    emit(&tx, &row, by).await?;
    let changes = Changes::between(before, fields_of(&row));
    record(&tx, "driver.updated", &row, changes, by).await?;
    kit::fail_point("drivers.driver.updated");
    tx.commit().await?;
    Ok(row)
}

/// Blocks or unblocks a driver, and adds an entry to their log.
pub async fn set_status(
    db_: &Db,
    id: &str,
    version: Option<u64>,
    status: Status,
    by: By<'_>,
) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock(&tx, id).await?;
    if row.status == status {
        return Ok(row);
    }
    if let Some(version) = version {
        require_version(&row, version)?;
    }
    let (next, before) = (row.version + 1, row.status);
    let row = ActiveModel { status: Set(status), ..touched(row, by, next) };
    let row = row.update(&*tx).await.map_err(db)?;
    locations::touch(&tx, row.number, by.now).await?;
    let (activity, action) = match status {
        Status::Active => (Activity::Unblocked, "driver.unblocked"),
        Status::Blocked => (Activity::Blocked, "driver.blocked"),
    };
    let entry = logs::fact(&row, activity, by.now, serde_json::json!({ "by": by.actor }));
    logs::append(&tx, vec![entry]).await?;
    emit(&tx, &row, by).await?;
    let changes = Changes::default().field("status", before.as_str(), status.as_str());
    record(&tx, action, &row, changes, by).await?;
    kit::fail_point("drivers.driver.status_changed");
    tx.commit().await?;
    Ok(row)
}

/// The number of drivers, and the sum of their versions. Drivers are never deleted, and each change of a
/// driver or of their devices increments the version, so this differs after every change.
pub type State = (i64, Option<i64>);

pub async fn state(db_: &Db) -> Result<State> {
    let state = Entity::find()
        .select_only()
        .column_as(Column::Number.count(), "drivers")
        .column_as(Column::Version.sum().cast_as("bigint"), "versions")
        .into_tuple()
        .one(db_.read())
        .await
        .map_err(db)?;
    Ok(state.unwrap_or_default())
}

/// Sets a row's version, and who changed it when.
pub fn touched(row: Model, by: By<'_>, version: i64) -> ActiveModel {
    ActiveModel {
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        version: Set(version),
        ..row.into_active_model()
    }
}

fn columns_of(form: form::Driver, by: By<'_>) -> ActiveModel {
    let form::Driver {
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
    } = form;
    ActiveModel {
        name_key: Set(fold(&name)),
        name: Set(name),
        username: Set(username.shown),
        username_key: Set(username.key),
        phone: Set(phone),
        email: Set(email),
        trucker_key: Set(trucker.as_deref().map(fold)),
        trucker: Set(trucker),
        licence_number: Set(licence_number),
        licence_expiry: Set(licence_expiry),
        vehicle_plate: Set(vehicle_plate),
        language: Set(language),
        tracking_consent_at: Set(tracking_consent_at),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        ..Default::default()
    }
}

fn require_version(row: &Model, version: u64) -> Result<()> {
    ::store::require_version(row.version, version, "DRIVER_CHANGED", &row.driver_id)
}

/// Requires that id and username are free. Reports both conflicts together, because the form shows both
/// fields.
async fn require_free(tx: &Tx, id: Option<&Name>, username: &Name, except: Option<i32>) -> Result<()> {
    let mut either = Condition::any().add(Column::UsernameKey.eq(username.key.as_str()));
    if let Some(id) = id {
        either = either.add(Column::DriverIdKey.eq(id.key.as_str()));
    }
    let others = Entity::find().filter(either).all(&**tx).await.map_err(db)?;
    let mut others = others.into_iter().filter(|row| Some(row.number) != except).peekable();
    if others.peek().is_none() {
        return Ok(());
    }
    let (mut reason, mut fields) = ("USERNAME_TAKEN", Fields::new());
    for row in others {
        if let Some(id) = id.filter(|id| id.key == row.driver_id_key) {
            reason = "DRIVER_EXISTS";
            let text = format!("There is already a driver {}. Choose another driver ID.", id.shown);
            fields.entry("driverId".to_owned()).or_default().push(text);
        }
        if row.username_key == username.key {
            let text =
                format!("The username {} belongs to another driver. Choose another one.", username.shown);
            fields.entry("username".to_owned()).or_default().push(text);
        }
    }
    let text = fields.values().flatten().cloned().collect::<Vec<_>>().join(" ");
    Err(Error { fields, ..Error::already_exists(reason, text) })
}

/// Converts the error of an insert whose id or username was taken after the check.
fn taken_meanwhile(error: sea_orm::DbErr) -> Error {
    if !is_unique_violation(&error) {
        return db(error);
    }
    let text = "The driver ID or the username was taken a moment ago. Choose another one.";
    Error::already_exists("DRIVER_EXISTS", text).with_source(error)
}

async fn record(tx: &Tx, action: &str, row: &Model, changes: Changes, by: By<'_>) -> Result<()> {
    let (entity, entity_id) = ("driver", &row.driver_id);
    let act = Act { service: crate::NAME, action, entity, entity_id, entity_name: &row.name, changes };
    audit::record(tx, by, act).await
}

/// Returns the fields for the audit log. The status is left out: changing it has its own kind of audit entry.
fn fields_of(row: &Model) -> audit::Fields {
    let consent = row.tracking_consent_at.map(|at| at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
    vec![
        ("driverId", row.driver_id.as_str().into()),
        ("name", row.name.as_str().into()),
        ("username", row.username.as_str().into()),
        ("phone", row.phone.as_deref().into()),
        ("email", row.email.as_deref().into()),
        ("trucker", row.trucker.as_deref().into()),
        ("licenceNumber", row.licence_number.as_deref().into()),
        ("licenceExpiry", row.licence_expiry.map(|it| it.to_string()).into()),
        ("vehiclePlate", row.vehicle_plate.as_deref().into()),
        ("language", row.language.as_deref().into()),
        ("trackingConsentAt", consent.into()),
    ]
}

/// Returns a driver as events carry it. Auth updates the driver's account from the event.
pub fn changed(row: &Model) -> DriverChanged {
    DriverChanged {
        driver_id: row.driver_id.clone(),
        name: row.name.clone(),
        username: row.username.clone(),
        status: row.status.as_str().to_owned(),
    }
}

/// Returns a driver's latest change as an event.
pub fn last_change(row: &Model) -> NewEvent<'_> {
    NewEvent {
        service: crate::NAME,
        actor: &row.updated_by,
        aggregate_id: &row.driver_id,
        aggregate_version: row.version.unsigned_abs(),
        occurred_at: row.updated_at,
        payload: changed(row).into(),
    }
}

async fn emit(tx: &Tx, row: &Model, by: By<'_>) -> Result<()> {
    outbox::add(tx, NewEvent { actor: by.actor, occurred_at: by.now, ..last_change(row) }).await?;
    Ok(())
}
