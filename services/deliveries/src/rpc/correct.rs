//! Converts a request to correct an outcome, and runs the command.

use kit::Result;
use kit::input::Check;
use proto::deliveries::v1::*;

use super::client_event::client_event;
use super::record_outcome::{counts, known};
use super::{seen, shown};
use crate::Context;
use crate::commands::correct;
use crate::commands::transition::Submission;
use crate::domain::actor::Actor;
use crate::domain::command::Correct;
use crate::domain::delivery::Status;

pub async fn run(context: &Context, caller: &Actor, request: CorrectDeliveryRequest) -> Result<Delivery> {
    let event = client_event(
        "correct",
        &request.client_event_id,
        &CorrectDeliveryRequest { version: None, client_event_id: String::new(), ..request.clone() },
    )?;
    let mut check = Check::new();
    let lines = counts(request.lines, &mut check);
    let status: Option<Status> =
        request.status.and_then(|number| known::<DeliveryStatus, _>(number, "deliverystatus", &mut check));
    check.done(())?;
    let correction = Correct {
        reason: Some(request.reason),
        status,
        lines: (!lines.is_empty()).then_some(lines),
        outcome_reason: request.outcome_reason,
        outcome_note: request.outcome_note,
        // Filled in later from the stored attachments.
        photo: false,
    };
    let submission = Submission {
        delivery_id: request.delivery_id,
        actor: caller.clone(),
        expected_version: request.version.map(seen),
        event: Some(event),
        occurred_at: None,
    };
    Ok(shown(correct::run(context, &submission, correction).await?, caller))
}
