//! Events stored by a phone while it was offline, and the driver log.
//!
//! Entries of one delivery are processed one after the other, in the order in which they occurred, whatever
//! order they arrive in; different deliveries are processed concurrently. A refused entry does not affect the
//! others.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use futures::{StreamExt, stream};
use kit::text::fold;
use kit::{Error, Kind, Result};
use proto::drivers::v1::drivers_service_client::DriversServiceClient;
use proto::drivers::v1::{DriverLogInput, RecordDriverLogsRequest};
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::deliveries::client;
use super::outcome::{Outcome, refusal};
use super::refusals::{Refusal, Refusals};
use super::wire::{Answer, Driver, Input};
use crate::session::Session;
use crate::state::App;

const MOST: usize = 4 << 20;
const MOST_OF_LOGS: usize = 1 << 20;
const MAX_EVENTS: usize = 200;
const MAX_LOGS: usize = 500;
/// Deliveries, or log entries, processed concurrently.
const AT_ONCE: usize = 4;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Events {
    /// At most 200 events, in any order.
    #[schema(value_type = Vec<Event>, max_items = 200)]
    #[serde(deserialize_with = "unparsed")]
    events: Vec<Box<RawValue>>,
}

/// The unparsed members of an event. Parsed, they can take a hundred times the memory.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// An event. This type exists only for the OpenAPI document. Each event is parsed by itself, so that an
/// unreadable one does not affect the others.
#[allow(dead_code)]
#[derive(ToSchema)]
#[schema(discriminator(property_name = "type", mapping(
    ("outcome" = "#/components/schemas/OutcomeEvent"),
    ("log" = "#/components/schemas/LogEvent"),
)))]
#[serde(untagged)]
pub enum Event {
    Outcome(OutcomeEvent),
    Log(LogEvent),
}

#[allow(dead_code)]
#[derive(ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeType {
    Outcome,
}

#[allow(dead_code)]
#[derive(ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogType {
    Log,
}

/// Activities that a phone may report. This type exists only for the OpenAPI document. The service refuses
/// other values, and names the field.
#[allow(dead_code)]
#[derive(ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    Login,
    Logout,
    OpenedDelivery,
    Arrived,
    Departed,
    Scan,
    SignatureCaptured,
    PhotoCaptured,
    SyncLate,
    LocationOff,
    LocationOn,
    LowBattery,
    AppVersion,
}

#[allow(dead_code)]
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeEvent {
    r#type: OutcomeType,
    delivery_id: String,
    #[serde(flatten)]
    outcome: Outcome,
}

#[allow(dead_code)]
#[derive(ToSchema)]
pub struct LogEvent {
    r#type: LogType,
    #[serde(flatten)]
    log: Log,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Logs {
    #[schema(min_items = 1, max_items = 500)]
    logs: Vec<Log>,
}

/// An activity of the driver, or an incident of the phone.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Log {
    /// A UUID. Sending it again changes nothing.
    #[schema(format = "uuid")]
    client_event_id: String,
    #[schema(value_type = Activity)]
    activity: String,
    delivery_id: Option<String>,
    /// When it happened, by the phone's clock.
    occurred_at: DateTime<Utc>,
    /// Latitude in degrees; send both coordinates or neither.
    lat: Option<f64>,
    lng: Option<f64>,
    device_id: Option<String>,
    app_version: Option<String>,
    /// Further details.
    #[schema(value_type = Option<Object>)]
    #[serde(default, deserialize_with = "unparsed_object")]
    detail: Option<Box<RawValue>>,
}

/// One result per event, in the order they were sent.
#[derive(Serialize, ToSchema)]
pub struct Results {
    results: Vec<EventResult>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventResult {
    /// The `clientEventId` of the event; absent if the event has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_event_id: Option<String>,
    ok: bool,
    /// Set if `ok` is false. After `UNAVAILABLE`, `RATE_LIMITED`, `STORAGE_FULL` and `INTERNAL`, send the event
    /// again later. After any other error, change it before sending it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Refusal>,
}

#[derive(Serialize, ToSchema)]
pub struct Recorded {
    /// Number of stored entries, without repeated ones.
    recorded: u32,
}

impl From<Log> for DriverLogInput {
    fn from(log: Log) -> Self {
        let Log {
            client_event_id,
            activity,
            delivery_id,
            occurred_at,
            lat,
            lng,
            device_id,
            app_version,
            detail,
        } = log;
        Self {
            client_event_id,
            activity,
            delivery_id,
            occurred_at: Some(proto::timestamp(occurred_at)),
            lat,
            lng,
            device_id,
            app_version,
            detail: detail.map(|detail| detail.get().to_owned()).unwrap_or_default(),
        }
    }
}

/// A parsed outcome, and its index in the request.
struct ParsedOutcome {
    at: usize,
    delivery_id: String,
    outcome: Outcome,
}

/// A parsed event.
enum Read {
    Outcome { delivery_id: String, outcome: Box<Outcome> },
    Log(DriverLogInput),
}

/// Send events from an offline period
///
/// If the access token expires meanwhile, the response is 401, even if some events were recorded. Get a new
/// token and send all of them again: those that were recorded are recognized by their `clientEventId`.
#[utoipa::path(
    post,
    path = "/driver/v1/events",
    operation_id = "recordEvents",
    tag = "deliveries",
    security(("bearer" = [])),
    request_body = Events,
    responses((status = 200, body = Results), Refusals),
)]
pub async fn record(
    State(app): State<Arc<App>>,
    Driver(session): Driver,
    Input(Events { events }): Input<Events, MOST>,
) -> Answer<Json<Results>> {
    if events.len() > MAX_EVENTS {
        let text = format!("Events must be no more than {MAX_EVENTS}");
        return Err(Error::invalid_field("events", text).into());
    }
    let mut ids = Vec::with_capacity(events.len());
    let mut recorded: Vec<Result<()>> = events.iter().map(|_| Ok(())).collect();
    let mut outcomes: HashMap<String, Vec<ParsedOutcome>> = HashMap::new();
    let mut logs = Vec::new();
    for (at, event) in events.into_iter().enumerate() {
        let members = members(&event);
        ids.push(members.as_ref().ok().and_then(|event| text(event.get("clientEventId").copied())));
        match members.and_then(read) {
            Ok(Read::Outcome { delivery_id, outcome }) => {
                let of_delivery = outcomes.entry(fold(&delivery_id)).or_default();
                of_delivery.push(ParsedOutcome { at, delivery_id, outcome: *outcome });
            }
            Ok(Read::Log(log)) => logs.push((at, log)),
            Err(error) => recorded[at] = Err(error),
        }
    }
    let (of_outcomes, of_logs) =
        tokio::join!(send_outcomes(&app, &session, outcomes), send_logs(&app, &session, logs));
    for (at, outcome) in of_outcomes.into_iter().chain(of_logs) {
        match outcome {
            // The event needs only a new token, and phones would not send it again after a refusal of its own.
            Err(error) if error.kind == Kind::Unauthenticated => return Err(error.into()),
            outcome => recorded[at] = outcome,
        }
    }
    let results = ids.into_iter().zip(recorded).map(|(client_event_id, recorded)| {
        let error = recorded.err().map(|error| {
            // The text of a parser error may quote anything, so do not log it.
            if error.reason != "ENTRY_INVALID" {
                error.log();
            }
            Refusal::from(&error)
        });
        EventResult { client_event_id, ok: error.is_none(), error }
    });
    Ok(Json(Results { results: results.collect() }))
}

/// Add entries to the driver log
#[utoipa::path(
    post,
    path = "/driver/v1/logs",
    tag = "tracking",
    security(("bearer" = [])),
    request_body = Logs,
    responses((status = 200, body = Recorded), Refusals),
)]
pub async fn logs(
    State(app): State<Arc<App>>,
    Driver(session): Driver,
    Input(Logs { logs }): Input<Logs, MOST_OF_LOGS>,
) -> Answer<Json<Recorded>> {
    if logs.len() > MAX_LOGS {
        return Err(Error::invalid_field("logs", format!("Logs must be no more than {MAX_LOGS}")).into());
    }
    let logs = logs.into_iter().map(Into::into).collect();
    let mut drivers = DriversServiceClient::new(session.client(&app.drivers));
    let answer = drivers.record_driver_logs(RecordDriverLogsRequest { logs }).await?.into_inner();
    Ok(Json(Recorded { recorded: answer.recorded }))
}

/// Reads the events as text, and at most one more than allowed, which is enough to refuse the request.
fn unparsed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Box<RawValue>>, D::Error> {
    struct List;

    impl<'de> Visitor<'de> for List {
        type Value = Vec<Box<RawValue>>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a list of events")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut events = Vec::new();
            while events.len() <= MAX_EVENTS {
                let Some(event) = list.next_element()? else { return Ok(events) };
                events.push(event);
            }
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(events)
        }
    }

    deserializer.deserialize_seq(List)
}

fn unparsed_object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    let value = Option::<Box<RawValue>>::deserialize(deserializer)?;
    if value.as_ref().is_some_and(|value| !value.get().starts_with('{')) {
        return Err(D::Error::custom("detail must be an object"));
    }
    Ok(value)
}

fn members(event: &RawValue) -> Result<Members<'_>> {
    serde_json::from_str(event.get())
        .map_err(|_| Error::invalid("ENTRY_INVALID", "The entry is not a JSON object."))
}

fn text(member: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(member?.get()).ok()
}

fn read(mut event: Members<'_>) -> Result<Read> {
    match text(event.remove("type")).as_deref() {
        Some("outcome") => {
            let Some(delivery_id) = text(event.remove("deliveryId")) else {
                return Err(Error::invalid_field("deliveryId", "Delivery Doc is required"));
            };
            let outcome = Box::new(entry(event)?);
            Ok(Read::Outcome { delivery_id, outcome })
        }
        Some("log") => Ok(Read::Log(entry::<Log>(event)?.into())),
        _ => Err(Error::invalid_field("type", "Type must be outcome or log")),
    }
}

fn entry<T: DeserializeOwned>(event: Members<'_>) -> Result<T> {
    T::deserialize(MapDeserializer::new(event.into_iter())).map_err(|error: serde_json::Error| {
        let text = error.to_string();
        // Leave out the position: it counts within the member, not within the request.
        let text = text.split_once(" at line ").map_or(text.as_str(), |(text, _)| text);
        Error::invalid("ENTRY_INVALID", format!("The entry doesn't match its documentation: {text}."))
    })
}

async fn send_outcomes(
    app: &App,
    session: &Session,
    outcomes: HashMap<String, Vec<ParsedOutcome>>,
) -> Vec<(usize, Result<()>)> {
    let now = app.clock.now();
    let deliveries = outcomes.into_values().map(|mut outcomes| async move {
        outcomes.sort_by_key(|it| it.outcome.occurred_at().unwrap_or(now));
        let mut recorded = Vec::new();
        for ParsedOutcome { at, delivery_id, outcome } in outcomes {
            recorded.push((at, send_outcome(app, session, delivery_id, outcome).await));
        }
        recorded
    });
    stream::iter(deliveries).buffer_unordered(AT_ONCE).concat().await
}

async fn send_outcome(app: &App, session: &Session, delivery_id: String, outcome: Outcome) -> Result<()> {
    let ask = outcome.of(delivery_id)?;
    match client(app, session).record_outcome(ask).await {
        Ok(_) => Ok(()),
        Err(status) => Err(refusal(status.into())),
    }
}

/// Sends all entries together; if one of them is wrong, sends each by itself, so that the others are stored.
async fn send_logs(
    app: &App,
    session: &Session,
    logs: Vec<(usize, DriverLogInput)>,
) -> Vec<(usize, Result<()>)> {
    if logs.is_empty() {
        return Vec::new();
    }
    let send = |logs: Vec<DriverLogInput>| async move {
        let mut drivers = DriversServiceClient::new(session.client(&app.drivers));
        match drivers.record_driver_logs(RecordDriverLogsRequest { logs }).await {
            Ok(_) => Ok(()),
            Err(status) => Err(Error::from(status)),
        }
    };
    match send(logs.iter().map(|(_, log)| log.clone()).collect()).await {
        Ok(()) => logs.into_iter().map(|(at, _)| (at, Ok(()))).collect(),
        Err(error) if error.kind == Kind::InvalidInput && logs.len() > 1 => {
            let each =
                logs.into_iter().map(|(at, log)| async move { (at, send(vec![log]).await.map_err(alone)) });
            stream::iter(each).buffer_unordered(AT_ONCE).collect().await
        }
        Err(error) => {
            let error = alone(error);
            let (kind, reason, message) = (error.kind, error.reason.clone(), error.message.clone());
            let mut first = Some(error);
            let same = |(at, _)| {
                (at, Err(first.take().unwrap_or_else(|| Error::new(kind, &reason, message.clone()))))
            };
            logs.into_iter().map(same).collect()
        }
    }
}

/// Removes the list prefix `logs[0].` from the fields of an error, because the entry was sent alone.
fn alone(mut error: Error) -> Error {
    let fields = std::mem::take(&mut error.fields).into_iter();
    error.fields = fields
        .map(|(field, texts)| {
            (field.strip_prefix("logs[0].").map_or_else(|| field.clone(), str::to_owned), texts)
        })
        .collect();
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_events_are_kept_than_it_takes_to_refuse_them() {
        let body = format!(r#"{{"events":[{}]}}"#, ["{}"; 1_000].join(","));
        assert_eq!(serde_json::from_str::<Events>(&body).unwrap().events.len(), MAX_EVENTS + 1);
    }
}
