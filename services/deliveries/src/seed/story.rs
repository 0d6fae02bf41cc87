//! The story of one delivery up to now, in order of events.

use chrono::{DateTime, TimeDelta, Utc};

use super::chance::Chance;
use crate::domain::delivery::{MAX_ATTEMPTS, ScanMode, Status};

/// Reason codes that require no photo, because older outcomes have no files.
const UNDELIVERED: &[&str] = &[
    "recipient_absent",
    "site_closed",
    "cannot_find_address",
    "no_access_or_parking",
    "out_of_time_window",
    "vehicle_breakdown",
    "road_closed_or_weather",
    "customer_asked_reschedule",
    "payment_not_ready",
];
const REJECTED: &[&str] = &[
    "refused_payment",
    "refused_not_ordered",
    "refused_late",
    "refused_wrong_goods",
    "duplicate_order",
    "refused_documents",
];
/// The reason for failures on the worst day.
const FLOOD: &str = "road_closed_or_weather";
/// Conflicts older than this have been answered.
const UNANSWERED: TimeDelta = TimeDelta::days(3);
const OFFICE: &[&str] = &["rowena.office", "paolo.office", "grace.office"];

/// An event of the story.
pub struct LaterEvent {
    pub at: DateTime<Utc>,
    pub received: DateTime<Utc>,
    pub by: String,
    pub what: What,
}

#[derive(Clone, Copy)]
pub enum What {
    /// The driver's outcome in that attempt.
    Outcome { status: Status, attempt: i32, reason: Option<&'static str> },
    /// The office plans another attempt.
    NextAttempt { scheduled: DateTime<Utc> },
}

pub struct Story {
    /// When the delivery was created.
    pub made: DateTime<Utc>,
    /// When it was first due.
    pub first_due: DateTime<Utc>,
    pub later: Vec<LaterEvent>,
    pub scan: ScanMode,
}

/// What a delivery's story depends on, besides chance.
#[derive(Clone, Copy)]
pub struct Circumstances<'a> {
    pub driver: Option<&'a str>,
    /// How late the delivery's trip is.
    pub behind: TimeDelta,
    /// Streets are flooded on the day it is first due.
    pub flooded: bool,
    /// The customer sends goods back more often than others.
    pub refuses: bool,
    pub now: DateTime<Utc>,
}

/// Draws the story of a delivery that was first due at `scheduled`.
pub fn tell(chance: &mut Chance, mut scheduled: DateTime<Utc>, around: Circumstances) -> Story {
    let Circumstances { driver, behind, flooded, refuses, now } = around;
    let first_due = scheduled;
    let made = (scheduled - TimeDelta::minutes(chance.between(10 * 60, 22 * 60)))
        .min(now - TimeDelta::minutes(chance.between(20, 300)));
    let mut later: Vec<LaterEvent> = Vec::new();
    let fate = match chance.between(0, 99) {
        0..60 => Status::CompleteNoVariance,
        60..86 if refuses => Status::Rejected,
        60..86 => Status::CompleteNoVariance,
        86..93 => Status::CompleteWithVariance,
        93..96 => Status::Undelivered,
        96..98 => Status::Rejected,
        _ => Status::Pending,
    };
    // Streets are jammed and stores closed: more than one delivery in five needs another attempt.
    let failures = match chance.between(0, 99) {
        0..22 => 1,
        22..24 => MAX_ATTEMPTS - 1,
        24..58 if flooded => 1,
        _ => 0,
    };
    let scan = if chance.percent(70) { ScanMode::Yes } else { ScanMode::No };
    if let (Some(driver), true) = (driver, fate != Status::Pending) {
        for attempt in 1..=failures + 1 {
            let failed = attempt <= failures;
            let to = if failed { Status::Undelivered } else { fate };
            // Stops keep their order, so a late trip is late at each of them.
            let at = scheduled + behind + TimeDelta::seconds(chance.between(-3 * 60, 7 * 60));
            let received = at + TimeDelta::milliseconds(chance.between(400, 90_000));
            let decided = at + TimeDelta::minutes(chance.between(20, 180));
            if received > now {
                break;
            }
            let reason = match to {
                Status::Undelivered if flooded && attempt == 1 && chance.percent(70) => Some(FLOOD),
                Status::Undelivered => Some(*chance.pick(UNDELIVERED)),
                Status::Rejected => Some(*chance.pick(REJECTED)),
                _ => None,
            };
            let what = What::Outcome { status: to, attempt, reason };
            later.push(LaterEvent { at, received, by: driver.to_owned(), what });
            if !failed || decided > now {
                break;
            }
            scheduled += TimeDelta::days(1);
            let by = (*chance.pick(OFFICE)).to_owned();
            later.push(LaterEvent {
                at: decided,
                received: decided,
                by,
                what: What::NextAttempt { scheduled },
            });
            // The device had no network: the store did open, but the office had replanned the delivery before
            // the report arrived.
            let (overtaken, found) =
                (chance.percent(12), decided + TimeDelta::minutes(chance.between(5, 90)));
            if overtaken && found <= now && at > now - UNANSWERED {
                let what = What::Outcome { status: Status::CompleteNoVariance, attempt, reason: None };
                later.push(LaterEvent {
                    at: at + TimeDelta::minutes(8),
                    received: found,
                    by: driver.to_owned(),
                    what,
                });
                break;
            }
        }
    }
    // Some devices were offline and reported hours later.
    let delay = TimeDelta::minutes(chance.between(45, 240));
    if chance.percent(2)
        && let Some(LaterEvent { received, what: What::Outcome { status, .. }, .. }) = later.last_mut()
        && *status != Status::Undelivered
        && *received + delay <= now
    {
        *received += delay;
    }
    Story { made, first_due, later, scan }
}
