//! Adds entries to drivers' logs when their deliveries change.

use ::store::Tx;
use ::store::consume::Meta;
use ::store::filter::fold;
use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::{DeliveryChangeKind, DeliveryChanged, DeliveryFact};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;

use crate::domain::activity::Activity;
use crate::entity::{driver, driver_log};
use crate::store::logs;

pub async fn apply(tx: &Tx, changed: DeliveryChanged, meta: &Meta) -> Result<()> {
    let Some(delivery) = &changed.delivery else { return Ok(()) };
    let activities = activities(&changed, delivery, meta);
    if !activities.is_empty() {
        let entries = entries(tx, activities, delivery, meta.now).await?;
        logs::append(tx, entries).await?;
        kit::fail_point("drivers.log.followed");
    }
    Ok(())
}

/// An entry for one driver's log, added if the driver exists.
struct DriverActivity<'a> {
    driver_id: &'a str,
    activity: Activity,
    at: DateTime<Utc>,
    detail: serde_json::Value,
    /// Username of the person who acted. If set, the entry is added only if it is the driver's own
    /// username.
    by: Option<&'a str>,
}

fn activities<'a>(
    changed: &'a DeliveryChanged,
    delivery: &'a DeliveryFact,
    meta: &'a Meta,
) -> Vec<DriverActivity<'a>> {
    let office = |driver_id, activity| DriverActivity {
        driver_id,
        activity,
        at: meta.occurred_at,
        detail: json!({ "by": meta.actor }),
        by: None,
    };
    let left = changed.left_driver_id.as_str();
    let mut activities = Vec::new();
    if !left.is_empty() {
        activities.push(office(left, Activity::Unassigned));
    }
    if changed.driver_is_new && !delivery.driver_id.is_empty() {
        activities.push(office(&delivery.driver_id, Activity::Assigned));
    }
    let superseded = match changed.known_kind() {
        Some(DeliveryChangeKind::OutcomeRecorded) => false,
        Some(DeliveryChangeKind::Superseded) => true,
        _ => return activities,
    };
    if !delivery.driver_id.is_empty() {
        let processed_at = delivery.deliverydatetime.and_then(proto::instant);
        activities.push(DriverActivity {
            driver_id: &delivery.driver_id,
            activity: Activity::OutcomeSubmitted,
            // A superseded update does not set the delivery's time, so take the event's.
            at: processed_at.filter(|_| !superseded).unwrap_or(meta.occurred_at),
            detail: json!({
                "status": delivery.deliverystatus,
                "attempt": changed.attempt,
                "late": changed.late,
                "superseded": superseded,
            }),
            by: Some(&meta.actor),
        });
    }
    activities
}

/// Returns entries for known drivers. Leaves out outcomes that the office recorded, which are not the
/// driver's own activity.
async fn entries(
    tx: &Tx,
    activities: Vec<DriverActivity<'_>>,
    delivery: &DeliveryFact,
    now: DateTime<Utc>,
) -> Result<Vec<driver_log::ActiveModel>> {
    let keys = activities.iter().map(|it| fold(it.driver_id));
    let drivers = driver::Entity::find().filter(driver::Column::DriverIdKey.is_in(keys)).all(&**tx).await;
    let drivers = drivers.map_err(::store::db)?;
    let entries = activities.into_iter().filter_map(|it| {
        let driver = drivers.iter().find(|row| row.driver_id_key == fold(it.driver_id))?;
        if it.by.is_some_and(|by| fold(by) != driver.username_key) {
            return None;
        }
        let entry = logs::about(logs::fact(driver, it.activity, it.at, it.detail), &delivery.id);
        Some(driver_log::ActiveModel { received_at: Set(now), ..entry })
    });
    Ok(entries.collect())
}
