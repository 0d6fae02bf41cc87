//! What becomes of deliveries: outcomes, further attempts, corrections.
//!
//! Each comes with a client event, so that it can be sent again until there is an answer.

use chrono::{DateTime, SubsecRound, Utc};
use kit::input::Check;
use kit::{Error, Result};
use prost::Message;
use proto::deliveries::v1::*;
use ring::digest::{SHA256, digest};

use super::changes::seen;
use super::{each, shown};
use crate::Context;
use crate::domain::actor::Actor;
use crate::domain::command::{Command, Correct, RecordOutcome};
use crate::domain::delivery::{ScanMode as Scanned, Status};
use crate::domain::entry;
use crate::domain::line::{self, Condition as Goods, Count};
use crate::domain::state::Relation as Taker;
use crate::store::changes::{self, Ask};
use crate::store::client_events::Event;

pub async fn record(context: &Context, caller: &Actor, request: RecordOutcomeRequest) -> Result<Delivery> {
    let event = event(
        "record",
        &request.client_event_id,
        &RecordOutcomeRequest { version: None, client_event_id: String::new(), ..request.clone() },
    )?;
    let mut check = Check::new();
    let lines = counts(request.lines, &mut check);
    let scanmode = match request.scanmode {
        0 => Scanned::No,
        number => known::<ScanMode, _>(number, "scanmode", &mut check).unwrap_or(Scanned::No),
    };
    let relation: Option<Taker> = request
        .received_by_relation
        .and_then(|number| known::<Relation, _>(number, "receivedByRelation", &mut check));
    let status: Option<Status> =
        request.status.and_then(|number| known::<DeliveryStatus, _>(number, "deliverystatus", &mut check));
    let occurred_at = request.occurred_at.and_then(|at| instant(at, "occurredAt", &mut check));
    check.done(())?;
    let command = Command::RecordOutcome(RecordOutcome {
        status,
        // Beyond any attempt is none that there was.
        attempt: request.attempt.map(|attempt| i32::try_from(attempt).unwrap_or(i32::MAX)),
        lines: (!lines.is_empty()).then_some(lines),
        reason: request.reason,
        note: request.note,
        received_by: request.received_by,
        relation,
        scanmode,
        place: request.point.map(Into::into),
        // What was sent before is looked up.
        signature: false,
        photo: false,
    });
    let ask = Ask {
        delivery_id: request.delivery_id,
        actor: caller.clone(),
        expected_version: request.version.map(seen),
        event: Some(event),
        occurred_at,
        command,
    };
    Ok(shown(changes::run(context, &ask).await?, caller))
}

pub async fn reschedule(
    context: &Context,
    caller: &Actor,
    request: RescheduleDeliveryRequest,
) -> Result<Delivery> {
    let RescheduleDeliveryRequest { delivery_id, version, client_event_id, scheduledatetime, note } = request;
    let again = NextAttempt::new(&client_event_id, scheduledatetime, note)?;
    let ask = again.ask(caller, delivery_id, version.map(seen));
    Ok(shown(changes::run(context, &ask).await?, caller))
}

pub async fn reschedule_all(
    context: &Context,
    caller: &Actor,
    request: RescheduleDeliveriesRequest,
) -> Result<BulkResults> {
    let RescheduleDeliveriesRequest { delivery_ids, client_event_id, scheduledatetime, note } = request;
    let again = NextAttempt::new(&client_event_id, scheduledatetime, note)?;
    each(delivery_ids, |delivery_id| {
        let ask = again.ask(caller, delivery_id, None);
        async move { changes::run(context, &ask).await }
    })
    .await
}

/// What is asked of one or of many deliveries alike.
struct NextAttempt {
    event: Event,
    scheduledatetime: DateTime<Utc>,
    note: Option<String>,
}

impl NextAttempt {
    fn new(client_event_id: &str, at: Option<prost_types::Timestamp>, note: Option<String>) -> Result<Self> {
        let content =
            RescheduleDeliveryRequest { scheduledatetime: at, note: note.clone(), ..Default::default() };
        let event = event("reschedule", client_event_id, &content)?;
        Ok(Self { event, scheduledatetime: entry::dispatch_time(at)?, note })
    }

    fn ask(&self, caller: &Actor, delivery_id: String, expected_version: Option<i64>) -> Ask {
        Ask {
            delivery_id,
            actor: caller.clone(),
            expected_version,
            event: Some(self.event.clone()),
            occurred_at: None,
            command: Command::Reschedule { scheduledatetime: self.scheduledatetime, note: self.note.clone() },
        }
    }
}

pub async fn correct(context: &Context, caller: &Actor, request: CorrectDeliveryRequest) -> Result<Delivery> {
    let event = event(
        "correct",
        &request.client_event_id,
        &CorrectDeliveryRequest { version: None, client_event_id: String::new(), ..request.clone() },
    )?;
    let mut check = Check::new();
    let lines = counts(request.lines, &mut check);
    let status: Option<Status> =
        request.status.and_then(|number| known::<DeliveryStatus, _>(number, "deliverystatus", &mut check));
    check.done(())?;
    let command = Command::Correct(Correct {
        reason: Some(request.reason),
        status,
        lines: (!lines.is_empty()).then_some(lines),
        outcome_reason: request.outcome_reason,
        outcome_note: request.outcome_note,
    });
    let ask = Ask {
        delivery_id: request.delivery_id,
        actor: caller.clone(),
        expected_version: request.version.map(seen),
        event: Some(event),
        occurred_at: None,
        command,
    };
    Ok(shown(changes::run(context, &ask).await?, caller))
}

/// The event with a fingerprint of what it says. The version that was seen does not count: who
/// sends it again may have seen a newer one.
fn event(what: &str, id: &str, content: &impl Message) -> Result<Event> {
    let id = id
        .trim()
        .parse()
        .map_err(|_| Error::invalid_field("clientEventId", "Client event id must be a UUID"))?;
    let mut bytes = what.as_bytes().to_vec();
    bytes.push(0);
    bytes.extend(content.encode_to_vec());
    Ok(Event { id, fingerprint: digest(&SHA256, &bytes).as_ref().to_vec() })
}

/// More of them than the delivery has are refused where its lines are known.
fn counts(lines: Vec<LineCount>, check: &mut Check) -> Vec<Count> {
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

/// One of an enum of the contract, as the rules call it.
fn known<W, D>(number: i32, field: &str, check: &mut Check) -> Option<D>
where
    W: TryFrom<i32>,
    D: TryFrom<W>,
{
    let value = W::try_from(number).ok().and_then(|value| D::try_from(value).ok());
    if value.is_none() {
        check.refuse(field, "Choose one of the values there are");
    }
    value
}

fn instant(at: prost_types::Timestamp, field: &str, check: &mut Check) -> Option<DateTime<Utc>> {
    // To the microsecond, as databases keep it.
    let at = proto::instant(at).map(|at| at.trunc_subsecs(6));
    if at.is_none() {
        check.refuse(field, "Time is out of range");
    }
    at
}
