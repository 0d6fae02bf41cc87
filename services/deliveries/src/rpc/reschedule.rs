//! Converts requests for another attempt, of one delivery or of several.

use kit::Result;
use proto::deliveries::v1::*;

use super::client_event::client_event;
use super::{each, seen, shown};
use crate::Context;
use crate::commands::reschedule::{self, NextAttempt};
use crate::commands::transition::Submission;
use crate::domain::actor::Actor;
use crate::domain::entry;
use crate::tables::client_events::Event;

pub async fn run(context: &Context, caller: &Actor, request: RescheduleDeliveryRequest) -> Result<Delivery> {
    let RescheduleDeliveryRequest { delivery_id, version, client_event_id, scheduledatetime, note } = request;
    let (event, next) = read(&client_event_id, scheduledatetime, note)?;
    let submission = submission(caller, delivery_id, version.map(seen), event);
    Ok(shown(reschedule::run(context, &submission, next).await?, caller))
}

pub async fn all(
    context: &Context,
    caller: &Actor,
    request: RescheduleDeliveriesRequest,
) -> Result<BulkResults> {
    let RescheduleDeliveriesRequest { delivery_ids, client_event_id, scheduledatetime, note } = request;
    let (event, next) = read(&client_event_id, scheduledatetime, note)?;
    each(delivery_ids, |delivery_id| {
        let submission = submission(caller, delivery_id, None, event.clone());
        let next = next.clone();
        async move { reschedule::run(context, &submission, next).await }
    })
    .await
}

fn read(
    client_event_id: &str,
    at: Option<prost_types::Timestamp>,
    note: Option<String>,
) -> Result<(Event, NextAttempt)> {
    let content =
        RescheduleDeliveryRequest { scheduledatetime: at, note: note.clone(), ..Default::default() };
    let event = client_event("reschedule", client_event_id, &content)?;
    Ok((event, NextAttempt { scheduledatetime: entry::dispatch_time(at)?, note }))
}

fn submission(
    caller: &Actor,
    delivery_id: String,
    expected_version: Option<i64>,
    event: Event,
) -> Submission {
    Submission { delivery_id, actor: caller.clone(), expected_version, event: Some(event), occurred_at: None }
}
