//! Converts a request to record an outcome, and runs the command.

use chrono::{DateTime, SubsecRound, Utc};
use kit::Result;
use kit::input::Check;
use proto::deliveries::v1::*;
use uuid::Uuid;

use super::client_event::client_event;
use super::{is_readable, seen, shown};
use crate::Context;
use crate::commands::record_outcome;
use crate::commands::transition::Submission;
use crate::domain::actor::Actor;
use crate::domain::command::{Effect, RecordOutcome};
use crate::domain::delivery::{ScanMode as Scanned, Status};
use crate::domain::driver::not_found;
use crate::domain::line::{self, Condition as Goods, Count};
use crate::domain::state::Relation as Received;
use crate::entity::delivery;
use crate::queries::client_events;

pub async fn run(context: &Context, caller: &Actor, request: RecordOutcomeRequest) -> Result<Delivery> {
    let event = client_event(
        "record",
        &request.client_event_id,
        &RecordOutcomeRequest { version: None, client_event_id: String::new(), ..request.clone() },
    )?;
    let event_id = event.id;
    let mut check = Check::new();
    let lines = counts(request.lines, &mut check);
    let scanmode = match request.scanmode {
        0 => Scanned::No,
        number => known::<ScanMode, _>(number, "scanmode", &mut check).unwrap_or(Scanned::No),
    };
    let relation: Option<Received> = request
        .received_by_relation
        .and_then(|number| known::<Relation, _>(number, "receivedByRelation", &mut check));
    let status: Option<Status> =
        request.status.and_then(|number| known::<DeliveryStatus, _>(number, "deliverystatus", &mut check));
    let occurred_at = request.occurred_at.and_then(|at| instant(at, "occurredAt", &mut check));
    check.done(())?;
    let outcome = RecordOutcome {
        status,
        // A number that is too large for an attempt is clamped, so that validation refuses it.
        attempt: request.attempt.map(|attempt| i32::try_from(attempt).unwrap_or(i32::MAX)),
        lines: (!lines.is_empty()).then_some(lines),
        reason: request.reason,
        note: request.note,
        received_by: request.received_by,
        relation,
        scanmode,
        place: request.point.map(Into::into),
        // Filled in later from the stored attachments, because files are sent before the outcome.
        signature: false,
        photo: false,
    };
    let submission = Submission {
        delivery_id: request.delivery_id,
        actor: caller.clone(),
        expected_version: request.version.map(seen),
        event: Some(event),
        occurred_at,
    };
    let row = record_outcome::run(context, &submission, outcome).await?;
    if is_readable(&row, caller) { Ok(shown(row, caller)) } else { receipt(context, &row, event_id).await }
}

/// Returns what an event recorded, for a driver who repeats it after the delivery went to another one. They may not
/// read the delivery's current state.
async fn receipt(context: &Context, row: &delivery::Model, event: Uuid) -> Result<Delivery> {
    let recorded = client_events::recorded(&context.db, row, event).await?;
    let recorded = recorded.ok_or_else(|| not_found(&row.id))?;
    let status = recorded.step.to_status;
    let occurred_at = proto::timestamp(recorded.step.occurred_at);
    Ok(Delivery {
        id: row.id.clone(),
        deliverystatus: DeliveryStatus::from(status).into(),
        attempt: recorded.step.attempt.unsigned_abs(),
        max_attempts: row.max_attempts.unsigned_abs(),
        version: recorded.version.unsigned_abs(),
        deliverydatetime: (status != Status::Pending).then_some(occurred_at),
        late: recorded.step.late,
        conflict: recorded.effect == Effect::Superseded,
        // Required fields. They carry no data of the delivery.
        scheduledatetime: Some(occurred_at),
        priority: Priority::Normal.into(),
        scanmode: ScanMode::No.into(),
        ..Delivery::default()
    })
}

/// Converts counts. A request with more counts than lines is refused later, where the lines are known.
pub fn counts(lines: Vec<LineCount>, check: &mut Check) -> Vec<Count> {
    let counted = lines.into_iter().enumerate().map(|(index, line)| {
        let LineCount { item_number, delivered_thousandths, rejected_thousandths, condition, reason, note } =
            line;
        let condition = match condition {
            0 => Goods::Ok,
            number => {
                known::<Condition, _>(number, &line::field(index, "condition"), check).unwrap_or(Goods::Ok)
            }
        };
        Count {
            item_number,
            delivered: delivered_thousandths,
            rejected: rejected_thousandths,
            condition,
            reason,
            note,
        }
    });
    counted.collect()
}

/// Converts an enum of the contract to the rules' enum.
pub fn known<W, D>(number: i32, field: &str, check: &mut Check) -> Option<D>
where
    W: TryFrom<i32>,
    D: TryFrom<W>,
{
    let value = W::try_from(number).ok().and_then(|value| D::try_from(value).ok());
    if value.is_none() {
        check.refuse(field, "Choose one of the listed values");
    }
    value
}

fn instant(at: prost_types::Timestamp, field: &str, check: &mut Check) -> Option<DateTime<Utc>> {
    // Truncated to microseconds, as databases store it.
    let at = proto::instant(at).map(|at| at.trunc_subsecs(6));
    if at.is_none() {
        check.refuse(field, "Time is out of range");
    }
    at
}
