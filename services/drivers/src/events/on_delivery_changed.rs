//! Adds entries to drivers' logs when their deliveries change.

use ::store::Tx;
use ::store::consume::Meta;
use kit::Result;
use proto::events::{DeliveryChangeKind, DeliveryChanged, DeliveryFact};
use serde_json::json;

use super::activities::{DriverActivity, append, reassigned};
use crate::domain::activity::Activity;

pub async fn apply(tx: &Tx, changed: DeliveryChanged, meta: &Meta) -> Result<()> {
    let Some(delivery) = &changed.delivery else { return Ok(()) };
    append(tx, activities(&changed, delivery, meta), meta.now).await
}

fn activities<'a>(
    changed: &'a DeliveryChanged,
    delivery: &'a DeliveryFact,
    meta: &'a Meta,
) -> Vec<DriverActivity<'a>> {
    let reassigned = reassigned(delivery, &changed.left_driver_id, changed.driver_is_new, meta);
    let mut activities: Vec<_> = reassigned.collect();
    let superseded = match changed.known_kind() {
        Some(DeliveryChangeKind::OutcomeRecorded) => false,
        Some(DeliveryChangeKind::Superseded) => true,
        _ => return activities,
    };
    if !delivery.driver_id.is_empty() {
        let (status, attempt, late) = match &changed.reported {
            Some(reported) => (&reported.deliverystatus, reported.attempt, reported.late),
            None => (&delivery.deliverystatus, changed.attempt, changed.late),
        };
        let processed_at = delivery.deliverydatetime.and_then(proto::instant);
        activities.push(DriverActivity {
            driver_id: &delivery.driver_id,
            delivery_id: &delivery.id,
            activity: Activity::OutcomeSubmitted,
            // A superseded update does not set the delivery's time, so take the event's.
            at: processed_at.filter(|_| !superseded).unwrap_or(meta.occurred_at),
            detail: json!({
                "status": status,
                "attempt": attempt,
                "late": late,
                "superseded": superseded,
            }),
            by: Some(&meta.actor),
        });
    }
    activities
}
