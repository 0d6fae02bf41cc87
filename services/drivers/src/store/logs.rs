//! The driver log. Entries are only added, and are deleted when they are too old.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use proto::common::v1::SortDirection;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter, QuerySelect};
use serde_json::Value;
use uuid::Uuid;

use crate::domain::activity::{Activity, Entry};
use crate::entity::driver;
use crate::entity::driver_log::{ActiveModel, Column, Entity, Model};
use crate::fields;
use ::store::bulk;
use ::store::filter::fold;
use ::store::list::{Bounds, Listing};
use ::store::{Db, Tx, db};

/// Number of entries deleted per transaction.
const STEP: u64 = 5_000;

/// The list of entries, by default newest first.
pub const LIST: Listing<Entity> = Listing {
    fields: fields::LOGS,
    key: &[Column::Id],
    default: ("occurredAt", SortDirection::Desc),
    bounds: Bounds::DEFAULT,
};

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    let missing = || Error::not_found("DRIVER_LOG_NOT_FOUND", format!("There is no driver log {id}"));
    let known = Uuid::try_parse(id).map_err(|_| missing())?;
    Entity::find_by_id(known).one(db_.read()).await.map_err(db)?.ok_or_else(missing)
}

/// Returns the current names of the drivers in these entries, by folded id.
pub async fn names(db_: &Db, rows: &[Model]) -> Result<HashMap<String, String>> {
    let mut keys: Vec<&str> = rows.iter().map(|row| row.driver_id_key.as_str()).collect();
    keys.sort_unstable();
    keys.dedup();
    let names: Vec<(String, String)> = driver::Entity::find()
        .select_only()
        .columns([driver::Column::DriverIdKey, driver::Column::Name])
        .filter(driver::Column::DriverIdKey.is_in(keys))
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    Ok(names.into_iter().collect())
}

/// Creates an entry about something that the server itself recorded.
pub fn fact(driver: &driver::Model, activity: Activity, at: DateTime<Utc>, detail: Value) -> ActiveModel {
    ActiveModel {
        id: Set(new_id()),
        driver_id: Set(driver.driver_id.clone()),
        driver_id_key: Set(driver.driver_id_key.clone()),
        delivery_id: Set(None),
        delivery_id_key: Set(None),
        activity: Set(activity),
        occurred_at: Set(at),
        received_at: Set(at),
        lat: Set(None),
        lng: Set(None),
        device_id: Set(None),
        app_version: Set(None),
        ip: Set(None),
        detail: Set(detail.to_string()),
        client_event_id: Set(None),
    }
}

/// Adds the delivery to an entry.
pub fn about(row: ActiveModel, delivery_id: &str) -> ActiveModel {
    ActiveModel {
        delivery_id: Set(Some(delivery_id.to_owned())),
        delivery_id_key: Set(Some(fold(delivery_id))),
        ..row
    }
}

/// Creates an entry reported by a device.
pub fn told(driver: &driver::Model, entry: Entry, received_at: DateTime<Utc>, ip: &str) -> ActiveModel {
    ActiveModel {
        delivery_id_key: Set(entry.delivery_id.as_deref().map(fold)),
        delivery_id: Set(entry.delivery_id),
        occurred_at: Set(entry.occurred_at),
        lat: Set(entry.place.map(|it| it.0)),
        lng: Set(entry.place.map(|it| it.1)),
        device_id: Set(entry.device_id),
        app_version: Set(entry.app_version),
        ip: Set((!ip.is_empty()).then(|| ip.to_owned())),
        detail: Set(entry.detail),
        client_event_id: Set(Some(entry.client_event_id)),
        ..fact(driver, entry.activity, received_at, Value::Null)
    }
}

/// Adds entries, except those with a client event id that the driver has sent before. Returns how many were
/// added.
pub async fn append(tx: &Tx, rows: Vec<ActiveModel>) -> Result<u64> {
    let keep = OnConflict::columns([Column::DriverIdKey, Column::ClientEventId]).do_nothing().to_owned();
    bulk::upsert(&**tx, rows, &keep).await
}

/// Returns whether there is an entry that both occurred and was received before this time. The time of
/// occurrence alone is not enough, because phones send wrong times.
pub async fn any_before(db_: &Db, at: DateTime<Utc>) -> Result<bool> {
    let old = Entity::find().select_only().column(Column::Id).filter(Column::OccurredAt.lt(at));
    let old = old.filter(Column::ReceivedAt.lt(at)).into_tuple::<Uuid>();
    Ok(old.one(db_.read()).await.map_err(db)?.is_some())
}

/// Deletes entries that both occurred and were received before this time, a limited number per transaction.
pub async fn prune(db_: &Db, before: DateTime<Utc>) -> Result<u64> {
    let mut gone = 0;
    loop {
        let old = Query::select()
            .column(Column::Id)
            .from(Entity)
            .and_where(Column::OccurredAt.lt(before))
            .and_where(Column::ReceivedAt.lt(before))
            .order_by(Column::OccurredAt, Order::Asc)
            .order_by(Column::Id, Order::Asc)
            .limit(STEP)
            .take();
        let tx = db_.begin().await?;
        let step = Entity::delete_many()
            .filter(Expr::col(Column::Id).in_subquery(old))
            .exec(&*tx)
            .await
            .map_err(db)?
            .rows_affected;
        tx.commit().await?;
        gone += step;
        if step < STEP {
            return Ok(gone);
        }
    }
}
