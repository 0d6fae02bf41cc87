//! Converts events and snapshots to rows, and defines what each measure means.
//!
//! - **On time** applies to deliveries that were handed over (Complete, with or without variance). They are
//!   on time if they were processed no later than the end of their time window or, without one, no more than
//!   [`TOLERANCE`] after their dispatch time. Early is on time. Undelivered and Rejected deliveries are
//!   counted by status instead.
//! - **First attempt** applies once there is an outcome: yes if the goods were handed over at attempt 1.
//!   After a failed first attempt it stays a no, even if a later one succeeds; while a delivery is Pending
//!   again, the measure does not apply.
//! - **Perfect** applies once there is an outcome: yes if the delivery is complete without variance and on
//!   time. Proof of delivery is not checked, because a delivery cannot be completed without it.
//! - **Stop minutes** last from the latest arrival to the latest departure that the device of the delivery's
//!   driver reported. They are unknown if the departure is missing, before the arrival or more than
//!   [`LONGEST_STOP`] after it. They are stored separately, because they may arrive before the delivery.
//! - **Late events** counts deliveries whose current outcome was reported late (by a clock more than ten
//!   minutes ahead, or more than half an hour afterwards). Superseded updates count as conflicts instead.
//! - **Quantity** of a variance is the missing or surplus quantity; if only the condition is wrong, the
//!   quantity handed over in that condition.
//!
//! Uses no clock and no database, so that equal states give equal rows, whichever way they arrived.

use chrono::{DateTime, TimeDelta, Utc};
use kit::text::fold;
use kit::{Error, Result};
use proto::events::{DeliveryFact, DriverChanged, ShipmentFact, SourceChanged, StopChanged, VarianceFact};
use uuid::Uuid;

use crate::entity::{delivery_fact, driver_fact, shipment_fact, source_fact, stop_fact, variance_fact};

/// How long after its dispatch time a delivery without a time window is still on time.
pub const TOLERANCE: TimeDelta = TimeDelta::minutes(30);

/// Maximum duration of a stop. Longer ones are ignored: a departure was probably not reported.
pub const LONGEST_STOP: TimeDelta = TimeDelta::hours(12);

const PENDING: &str = "Pending";
const COMPLETE: &str = "Complete_No_Variance";
const COMPLETE_WITH_VARIANCE: &str = "Complete_With_Variance";

/// A delivery as rows. `run` is set when they are written.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    pub row: delivery_fact::Model,
    pub variances: Vec<variance_fact::Model>,
    /// Whether the undo of its import removed the delivery. If so, `row` has the delivery's last state.
    pub is_removed: bool,
}

/// A shipment. `row` is `None` if it has no delivery left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shipment {
    pub number_key: String,
    pub sequence: i64,
    pub row: Option<shipment_fact::Model>,
}

/// Returns whether the message has all fields that a row needs. Releases without analytics leave some of them
/// empty.
pub fn is_complete(fact: &DeliveryFact) -> bool {
    fact.attempt > 0
}

/// Converts a delivery and its variances to rows.
///
/// # Errors
///
/// Fails on a message that no release of the owner writes.
pub fn delivery(fact: &DeliveryFact, variances: &[VarianceFact]) -> Result<Delivery> {
    let scheduled = fact.scheduledatetime.and_then(proto::instant);
    let scheduled = scheduled.ok_or_else(|| malformed(&fact.id, "no dispatch time"))?;
    let processed = fact.deliverydatetime.and_then(proto::instant);
    let window_end = fact.time_window_end.and_then(proto::instant);
    let status = fact.deliverystatus.as_str();
    let is_handed_over = matches!(status, COMPLETE | COMPLETE_WITH_VARIANCE);
    let has_outcome = status != PENDING;
    let on_time = processed.filter(|_| is_handed_over).map(|at| is_on_time(at, scheduled, window_end));
    let (driver_id, driver_id_key) = optional(&fact.driver_id);
    let (outcome_reason, outcome_reason_key) = optional(&fact.outcome_reason);
    let key = fold(&fact.id);
    let row = delivery_fact::Model {
        delivery_id: fact.id.clone(),
        sequence: number(fact.sequence)?,
        run: 0,
        shipment_number_key: fold(&fact.shipmentnumber),
        shipment_number: fact.shipmentnumber.clone(),
        delivery_status_key: fold(status),
        delivery_status: status.to_owned(),
        trucker_key: fold(&fact.trucker),
        trucker: fact.trucker.clone(),
        scan_mode_key: fold(&fact.scanmode),
        scan_mode: fact.scanmode.clone(),
        source_id: optional_id(&fact.id, &fact.source_id)?,
        customer_name_key: fold(&fact.customername),
        customer_name: fact.customername.clone(),
        driver_id,
        driver_id_key,
        outcome_reason,
        outcome_reason_key,
        schedule_date_time: scheduled,
        delivery_date_time: processed.filter(|_| has_outcome),
        on_time,
        first_attempt: has_outcome.then_some(is_handed_over && fact.attempt == 1),
        perfect: has_outcome.then_some(status == COMPLETE && on_time == Some(true)),
        stop_seconds: None,
        late_events: i32::from(fact.late),
        conflict: fact.conflict,
        delivery_id_key: key.clone(),
    };
    let mut variances: Vec<_> = variances.iter().map(|it| variance(&key, it)).collect();
    variances.sort_by(|one, other| one.variance_id.cmp(&other.variance_id));
    Ok(Delivery { row, variances, is_removed: fact.removed })
}

fn is_on_time(at: DateTime<Utc>, scheduled: DateTime<Utc>, window_end: Option<DateTime<Utc>>) -> bool {
    at <= window_end.unwrap_or(scheduled + TOLERANCE)
}

/// Converts a variance. A delivery has at most one variance per item, and one for the whole delivery.
fn variance(delivery_key: &str, fact: &VarianceFact) -> variance_fact::Model {
    let (reason, reason_key) = optional(&fact.reason);
    let (responsible, responsible_key) = optional(&fact.responsible);
    let quantity = match fact.difference_thousandths {
        0 => fact.actual_thousandths,
        difference => difference.saturating_abs(),
    };
    variance_fact::Model {
        // Ids do not contain this control character.
        variance_id: format!("{delivery_key}\u{1f}{}", fold(&fact.item_number)),
        delivery_id_key: delivery_key.to_owned(),
        reason,
        reason_key,
        kind_key: fold(&fact.kind),
        kind: fact.kind.clone(),
        responsible,
        responsible_key,
        quantity_thousandths: quantity,
    }
}

/// Returns the delivery's shipment, if the message has the shipment's status.
pub fn shipment_of(fact: &DeliveryFact) -> Result<Option<Shipment>> {
    if fact.shipmentstatus.is_empty() || fact.shipmentsequence == 0 {
        return Ok(None);
    }
    shipment(&ShipmentFact {
        shipmentnumber: fact.shipmentnumber.clone(),
        shipmentstatus: fact.shipmentstatus.clone(),
        sequence: fact.shipmentsequence,
    })
    .map(Some)
}

pub fn shipment(fact: &ShipmentFact) -> Result<Shipment> {
    let (number_key, sequence) = (fold(&fact.shipmentnumber), number(fact.sequence)?);
    let row = (!fact.shipmentstatus.is_empty()).then(|| shipment_fact::Model {
        shipment_number_key: number_key.clone(),
        shipment_number: fact.shipmentnumber.clone(),
        shipment_status_key: fold(&fact.shipmentstatus),
        shipment_status: fact.shipmentstatus.clone(),
        sequence,
        run: 0,
    });
    Ok(Shipment { number_key, sequence, row })
}

pub fn stop(fact: &StopChanged, sequence: u64) -> Result<stop_fact::Model> {
    if fact.driver_id.is_empty() || fact.delivery_id.is_empty() {
        return Err(malformed("a stop", "no driver or no delivery"));
    }
    let at = |time: Option<_>| time.and_then(proto::instant);
    let took = at(fact.departed_at).zip(at(fact.arrived_at)).map(|(departed, arrived)| departed - arrived);
    let (driver_id_key, delivery_id_key) = (fold(&fact.driver_id), fold(&fact.delivery_id));
    Ok(stop_fact::Model {
        stop_key: format!("{driver_id_key}\u{1f}{delivery_id_key}"),
        driver_id_key,
        delivery_id_key,
        seconds: took
            .filter(|took| (TimeDelta::zero()..=LONGEST_STOP).contains(took))
            .map(|took| took.num_seconds()),
        sequence: number(sequence)?,
        run: 0,
    })
}

pub fn driver(fact: &DriverChanged, sequence: u64) -> Result<driver_fact::Model> {
    let driver_id = fact.driver_id.trim();
    if driver_id.is_empty() {
        return Err(malformed("a driver", "no id"));
    }
    Ok(driver_fact::Model {
        driver_id_key: fold(driver_id),
        driver_id: driver_id.to_owned(),
        driver_name_key: fold(&fact.name),
        driver_name: fact.name.clone(),
        sequence: number(sequence)?,
        run: 0,
    })
}

pub fn source(fact: &SourceChanged, sequence: u64) -> Result<source_fact::Model> {
    Ok(source_fact::Model {
        source_id: fact.id.parse().map_err(|_| malformed("a source", "no id"))?,
        source_key: fold(&fact.name),
        source: fact.name.clone(),
        sequence: number(sequence)?,
        run: 0,
    })
}

/// Returns a text and its folded key; `None` for both if the text is empty.
fn optional(text: &str) -> (Option<String>, Option<String>) {
    (!text.is_empty()).then(|| (text.to_owned(), fold(text))).unzip()
}

fn optional_id(delivery: &str, text: &str) -> Result<Option<Uuid>> {
    let id = (!text.is_empty()).then(|| text.parse());
    id.transpose().map_err(|_| malformed(delivery, "a source that is no id"))
}

fn number(sequence: u64) -> Result<i64> {
    i64::try_from(sequence).map_err(Error::internal)
}

fn malformed(about: &str, what: &str) -> Error {
    Error::internal(format!("{about} was described with {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000, 0).unwrap() + TimeDelta::minutes(minute)
    }

    /// Returns a delivery whose dispatch time is minute 0.
    fn fact(status: &str, processed: Option<i64>) -> DeliveryFact {
        DeliveryFact {
            id: "DR-1".into(),
            deliverystatus: status.into(),
            scheduledatetime: Some(proto::timestamp(at(0))),
            deliverydatetime: processed.map(|minute| proto::timestamp(at(minute))),
            attempt: 1,
            sequence: 7,
            ..DeliveryFact::default()
        }
    }

    fn row(fact: &DeliveryFact) -> delivery_fact::Model {
        delivery(fact, &[]).unwrap().row
    }

    #[test]
    fn on_time_is_by_the_window_or_half_an_hour() {
        let on_time = |processed, window: Option<i64>| {
            let time_window_end = window.map(|minute| proto::timestamp(at(minute)));
            row(&DeliveryFact { time_window_end, ..fact(COMPLETE, Some(processed)) }).on_time
        };
        assert_eq!(on_time(-600, None), Some(true), "early is on time");
        assert_eq!(on_time(30, None), Some(true));
        assert_eq!(on_time(31, None), Some(false));
        assert_eq!(on_time(120, Some(120)), Some(true));
        assert_eq!(on_time(121, Some(120)), Some(false));
        assert_eq!(on_time(10, Some(5)), Some(false), "the window counts, not the tolerance");
    }

    #[test]
    fn each_status_has_its_answers() {
        let answers = |status: &str, processed, attempt| {
            let row = row(&DeliveryFact { attempt, ..fact(status, processed) });
            (row.on_time, row.first_attempt, row.perfect)
        };
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(answers(PENDING, None, 1), (None, None, None));
        assert_eq!(answers(PENDING, None, 2), (None, None, None));
        assert_eq!(answers(COMPLETE, Some(5), 1), (yes, yes, yes));
        assert_eq!(answers(COMPLETE, Some(5), 2), (yes, no, yes));
        assert_eq!(answers(COMPLETE, Some(90), 1), (no, yes, no));
        assert_eq!(answers(COMPLETE_WITH_VARIANCE, Some(5), 1), (yes, yes, no));
        assert_eq!(answers("Undelivered", Some(5), 1), (None, no, no));
        assert_eq!(answers("Rejected", Some(5), 1), (None, no, no));
    }

    #[test]
    fn what_is_empty_is_nothing() {
        let empty = row(&fact(PENDING, None));
        assert_eq!((empty.driver_id, empty.driver_id_key, empty.source_id), (None, None, None));
        assert_eq!((empty.outcome_reason, empty.late_events, empty.conflict), (None, 0, false));
        let full = row(&DeliveryFact {
            driver_id: "D-1".into(),
            outcome_reason: "site_closed".into(),
            late: true,
            conflict: true,
            ..fact("Undelivered", Some(5))
        });
        assert_eq!((full.driver_id.as_deref(), full.driver_id_key.as_deref()), (Some("D-1"), Some("d-1")));
        assert_eq!((full.outcome_reason.as_deref(), full.late_events), (Some("site_closed"), 1));
        assert!(full.conflict);
    }

    #[test]
    fn a_variance_has_the_units_that_it_affects() {
        let quantity = |expected, actual| {
            let fact = VarianceFact {
                expected_thousandths: expected,
                actual_thousandths: actual,
                difference_thousandths: actual - expected,
                ..VarianceFact::default()
            };
            variance("dr-1", &fact).quantity_thousandths
        };
        assert_eq!(quantity(5_000, 3_000), 2_000, "short");
        assert_eq!(quantity(5_000, 6_500), 1_500, "over");
        assert_eq!(quantity(5_000, 5_000), 5_000, "damaged");
        assert_eq!(quantity(0, 0), 0, "of the delivery as a whole");
    }

    #[test]
    fn a_stop_lasts_at_most_twelve_hours_and_ends_after_it_began() {
        let seconds = |departed: DateTime<Utc>| {
            let fact = StopChanged {
                driver_id: "D-1".into(),
                delivery_id: "DR-1".into(),
                arrived_at: Some(proto::timestamp(at(0))),
                departed_at: Some(proto::timestamp(departed)),
            };
            stop(&fact, 1).unwrap().seconds
        };
        let second = TimeDelta::seconds(1);
        assert_eq!(seconds(at(0)), Some(0));
        assert_eq!(seconds(at(0) - second), None);
        assert_eq!(seconds(at(12 * 60)), Some(12 * 3_600));
        assert_eq!(seconds(at(12 * 60) + second), None);
    }

    #[test]
    fn a_shipment_without_status_is_gone_and_an_unknown_one_says_nothing() {
        let gone =
            shipment(&ShipmentFact { shipmentnumber: "S-1".into(), sequence: 4, ..Default::default() });
        assert_eq!(gone.unwrap(), Shipment { number_key: "s-1".into(), sequence: 4, row: None });
        assert_eq!(shipment_of(&fact(PENDING, None)).unwrap(), None);
    }

    #[test]
    fn a_message_without_its_time_is_refused() {
        let broken = DeliveryFact { scheduledatetime: None, ..fact(PENDING, None) };
        assert_eq!(delivery(&broken, &[]).unwrap_err().kind, kit::Kind::Internal);
        assert!(!is_complete(&DeliveryFact { attempt: 0, ..fact(PENDING, None) }));
    }
}
