//! What happens to a driver's deliveries goes to their log, by events.

use std::sync::Arc;

use ::store::filter::fold;
use ::store::outbox::DeadLetters;
use ::store::{Db, Tx, inbox};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::bus::{Consumer, Handler};
use kit::clock::Clock;
use kit::{Error, Result};
use proto::events::envelope::Payload;
use proto::events::{DeliveryChanged, DeliveryFact, Envelope};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use uuid::Uuid;

use crate::domain::activity::Activity;
use crate::entity::{driver, driver_log};
use crate::store::logs;

/// Durable name of the consumer.
const CONSUMER: &str = "drivers-deliveries";
const SUBJECT: &str = "waybill.deliveries.delivery.changed.v1";

pub fn consumer(db: &Db, clock: &Clock) -> Consumer {
    Consumer {
        name: CONSUMER,
        subject: SUBJECT.to_owned(),
        handler: Arc::new(Follower { db: db.clone(), clock: clock.clone() }),
        dead_letters: Arc::new(DeadLetters { db: db.clone(), service: crate::NAME, clock: clock.clone() }),
    }
}

struct Follower {
    db: Db,
    clock: Clock,
}

#[async_trait]
impl Handler for Follower {
    async fn handle(&self, envelope: &Envelope) -> Result<()> {
        let Some(Payload::DeliveryChanged(changed)) = &envelope.payload else { return Ok(()) };
        let Some(delivery) = &changed.delivery else { return Ok(()) };
        let told = told(changed, delivery, envelope);
        if told.is_empty() {
            return Ok(());
        }
        let id = Uuid::parse_str(&envelope.id).map_err(Error::internal)?;
        let now = self.clock.now();
        let tx = self.db.begin().await?;
        if !inbox::once(&tx, CONSUMER, id, now).await? {
            return Ok(());
        }
        let entries = entries(&tx, told, delivery, now).await?;
        logs::append(&tx, entries).await?;
        tx.commit().await
    }
}

/// Something that an event says of a driver.
struct Told<'a> {
    driver_id: &'a str,
    activity: Activity,
    at: Option<DateTime<Utc>>,
    detail: serde_json::Value,
    /// Who has to have done it for it to be the driver's own doing.
    by: Option<&'a str>,
}

fn told<'a>(
    changed: &'a DeliveryChanged,
    delivery: &'a DeliveryFact,
    envelope: &'a Envelope,
) -> Vec<Told<'a>> {
    let at = envelope.occurred_at.and_then(proto::instant);
    let office = |driver_id, activity| Told {
        driver_id,
        activity,
        at,
        detail: json!({ "by": envelope.actor }),
        by: None,
    };
    let left = changed.left_driver_id.as_str();
    let mut told = Vec::new();
    if !left.is_empty() {
        told.push(office(left, Activity::Unassigned));
    }
    if changed.driver_is_new && !delivery.driver_id.is_empty() {
        told.push(office(&delivery.driver_id, Activity::Assigned));
    }
    if matches!(changed.change.as_str(), "outcome_recorded" | "superseded") && !delivery.driver_id.is_empty()
    {
        let superseded = changed.change == "superseded";
        told.push(Told {
            driver_id: &delivery.driver_id,
            activity: Activity::OutcomeSubmitted,
            // One that came too late to count left no time in the delivery.
            at: match superseded {
                true => at,
                false => delivery.deliverydatetime.and_then(proto::instant).or(at),
            },
            detail: json!({
                "status": delivery.deliverystatus,
                "attempt": changed.attempt,
                "late": changed.late,
                "superseded": superseded,
            }),
            by: Some(&envelope.actor),
        });
    }
    told
}

/// Of the drivers there are; what the office did in a driver's place is no doing of theirs.
async fn entries(
    tx: &Tx,
    told: Vec<Told<'_>>,
    delivery: &DeliveryFact,
    now: DateTime<Utc>,
) -> Result<Vec<driver_log::ActiveModel>> {
    let keys = told.iter().map(|it| fold(it.driver_id));
    let drivers = driver::Entity::find().filter(driver::Column::DriverIdKey.is_in(keys)).all(&**tx).await;
    let drivers = drivers.map_err(::store::db)?;
    let entries = told.into_iter().filter_map(|it| {
        let driver = drivers.iter().find(|row| row.driver_id_key == fold(it.driver_id))?;
        if it.by.is_some_and(|by| fold(by) != driver.username_key) {
            return None;
        }
        let entry =
            logs::about(logs::fact(driver, it.activity, it.at.unwrap_or(now), it.detail), &delivery.id);
        Some(driver_log::ActiveModel { received_at: Set(now), ..entry })
    });
    Ok(entries.collect())
}
