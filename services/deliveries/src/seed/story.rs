//! What became of one delivery, up to now.

use chrono::{DateTime, TimeDelta, Utc};

use super::chance::Chance;
use crate::domain::delivery::{ActorType, MAX_ATTEMPTS, ScanMode, Status};

const UNDELIVERED: &[&str] = &[
    "Recipient absent",
    "Site closed",
    "Cannot find address",
    "No access or parking",
    "Out of time window",
    "Vehicle breakdown",
    "Road closed or weather",
    "Customer asked to reschedule",
    "Payment not ready",
];
const REJECTED: &[&str] = &[
    "Refused: all damaged",
    "Refused: not ordered",
    "Refused: late",
    "Refused: wrong goods",
    "Duplicate order",
    "Refused: documents",
];
const OFFICE: &[&str] = &["rowena.office", "paolo.office", "grace.office"];

/// One row of the history.
pub struct Step {
    pub from: Option<Status>,
    pub to: Status,
    pub attempt: i32,
    pub at: DateTime<Utc>,
    pub received: DateTime<Utc>,
    pub actor: ActorType,
    pub actor_name: String,
    pub note: Option<&'static str>,
}

pub struct Story {
    first: Step,
    later: Vec<Step>,
    /// When it is due, after the last attempt that failed.
    pub scheduled: DateTime<Utc>,
    pub scan: ScanMode,
}

impl Story {
    pub fn first(&self) -> &Step {
        &self.first
    }

    pub fn last(&self) -> &Step {
        self.later.last().unwrap_or(&self.first)
    }

    pub fn steps(self) -> impl Iterator<Item = Step> {
        std::iter::once(self.first).chain(self.later)
    }

    pub fn status(&self) -> Status {
        self.last().to
    }

    pub fn attempt(&self) -> i32 {
        self.last().attempt
    }

    /// When the present attempt ended.
    pub fn processed(&self) -> Option<DateTime<Utc>> {
        Some(self.last()).filter(|step| step.to != Status::Pending).map(|step| step.at)
    }

    /// Of the delivery: it rises with each change.
    pub fn version(&self) -> i64 {
        1 + self.later.len() as i64
    }
}

/// Tells the story of a delivery that was first due at `scheduled`, by that driver.
pub fn tell(
    chance: &mut Chance,
    mut scheduled: DateTime<Utc>,
    driver: Option<&str>,
    made_by: &str,
    now: DateTime<Utc>,
) -> Story {
    let made = (scheduled - TimeDelta::minutes(chance.between(10 * 60, 22 * 60)))
        .min(now - TimeDelta::minutes(chance.between(20, 300)));
    let first = Step {
        from: None,
        to: Status::Pending,
        attempt: 1,
        at: made,
        received: made,
        actor: ActorType::Import,
        actor_name: made_by.to_owned(),
        note: None,
    };
    let mut later = Vec::new();
    let fate = match chance.between(0, 99) {
        0..86 => Status::CompleteNoVariance,
        86..93 => Status::CompleteWithVariance,
        93..96 => Status::Undelivered,
        96..98 => Status::Rejected,
        _ => Status::Pending,
    };
    // Streets are jammed and stores are closed: more than one in five is tried again.
    let failures = match chance.between(0, 99) {
        0..22 => 1,
        22..24 => MAX_ATTEMPTS - 1,
        _ => 0,
    };
    let scan = if chance.percent(70) { ScanMode::Yes } else { ScanMode::No };
    if let (Some(driver), true) = (driver, fate != Status::Pending) {
        for attempt in 1..=failures + 1 {
            let failed = attempt <= failures;
            let to = if failed { Status::Undelivered } else { fate };
            let at = scheduled + TimeDelta::seconds(chance.between(-25 * 60, 95 * 60));
            let received = at + TimeDelta::milliseconds(chance.between(400, 90_000));
            let decided = at + TimeDelta::minutes(chance.between(20, 180));
            if received > now {
                break;
            }
            let note = match to {
                Status::Undelivered => Some(*chance.pick(UNDELIVERED)),
                Status::Rejected => Some(*chance.pick(REJECTED)),
                _ => None,
            };
            later.push(Step {
                from: Some(Status::Pending),
                to,
                attempt,
                at,
                received,
                actor: ActorType::Driver,
                actor_name: driver.to_owned(),
                note,
            });
            if !failed || decided > now {
                break;
            }
            later.push(Step {
                from: Some(Status::Undelivered),
                to: Status::Pending,
                attempt: attempt + 1,
                at: decided,
                received: decided,
                actor: ActorType::User,
                actor_name: (*chance.pick(OFFICE)).to_owned(),
                note: Some("Next attempt tomorrow"),
            });
            scheduled += TimeDelta::days(1);
        }
    }
    // Nothing was captured while nothing has happened.
    let open = later.last().is_none_or(|step: &Step| step.to == Status::Pending);
    Story { first, later, scheduled, scan: if open { ScanMode::No } else { scan } }
}
