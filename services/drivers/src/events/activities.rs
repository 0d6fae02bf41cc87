//! Entries that changes of deliveries leave in drivers' logs.

use std::collections::{BTreeSet, HashMap};

use ::store::Tx;
use ::store::consume::Meta;
use ::store::filter::fold;
use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::DeliveryFact;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;

use crate::domain::activity::Activity;
use crate::entity::{driver, driver_log};
use crate::store::logs;

/// An entry for one driver's log, added if the driver exists.
pub(super) struct DriverActivity<'a> {
    pub driver_id: &'a str,
    pub delivery_id: &'a str,
    pub activity: Activity,
    pub at: DateTime<Utc>,
    pub detail: serde_json::Value,
    /// Username of the person who acted. If set, the entry is added only if it is the driver's own
    /// username.
    pub by: Option<&'a str>,
}

/// Returns the entries of a delivery that left a driver, was given to one, or both. `left_driver_id` is empty if
/// it left none.
pub(super) fn reassigned<'a>(
    delivery: &'a DeliveryFact,
    left_driver_id: &'a str,
    driver_is_new: bool,
    meta: &'a Meta,
) -> impl Iterator<Item = DriverActivity<'a>> {
    let new_driver_id = if driver_is_new { delivery.driver_id.as_str() } else { "" };
    let both = [(left_driver_id, Activity::Unassigned), (new_driver_id, Activity::Assigned)];
    let known = both.into_iter().filter(|(driver_id, _)| !driver_id.is_empty());
    known.map(move |(driver_id, activity)| DriverActivity {
        driver_id,
        delivery_id: &delivery.id,
        activity,
        at: meta.occurred_at,
        detail: json!({ "by": meta.actor }),
        by: None,
    })
}

/// Adds entries to the logs of known drivers. Leaves out outcomes that the office recorded, which are not the
/// driver's own activity.
pub(super) async fn append(
    tx: &Tx,
    activities: Vec<DriverActivity<'_>>,
    received_at: DateTime<Utc>,
) -> Result<()> {
    if activities.is_empty() {
        return Ok(());
    }
    let keys: BTreeSet<String> = activities.iter().map(|it| fold(it.driver_id)).collect();
    let drivers = driver::Entity::find().filter(driver::Column::DriverIdKey.is_in(keys)).all(&**tx).await;
    let drivers = drivers.map_err(::store::db)?.into_iter().map(|row| (row.driver_id_key.clone(), row));
    let drivers: HashMap<String, driver::Model> = drivers.collect();
    let entries = activities.into_iter().filter_map(|it| {
        let driver = drivers.get(&fold(it.driver_id))?;
        if it.by.is_some_and(|by| fold(by) != driver.username_key) {
            return None;
        }
        let entry = logs::about(logs::fact(driver, it.activity, it.at, it.detail), it.delivery_id);
        Some(driver_log::ActiveModel { received_at: Set(received_at), ..entry })
    });
    logs::append(tx, entries.collect()).await?;
    kit::fail_point("drivers.log.followed");
    Ok(())
}
