//! The sender: one for all processes of the service, under the lease of a job that never ends.
//!
//! Two senders would break the order of a delivery's messages and could send one message twice at the same
//! time. The lease lets only one sender work, and only its holder records results. If a sender dies between
//! sending and recording, the next one sends the message again with the same id: receivers recognize it.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::store::audit::By;
use ::store::jobs::{self, Halt, Hold, Job, NewJob, Progress, Work};
use async_trait::async_trait;
use kit::outbound::Reach;
use kit::{Error, Result};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use uuid::Uuid;

use super::webhook::{Message, TIMEOUT, Webhooks};
use crate::Context;
use crate::domain::outbound::{ErrorClass, chance};
use crate::entity::{dead_letter, outbound_endpoint};
use crate::outbound::sends::{self, Attempted};
use crate::tables::endpoints;

pub const KIND: &str = "deliveries.sender";
/// The id of the sender's only job.
const ID: Uuid = Uuid::from_u128(0x0d5e_4de1_0000_4000_8000_5e4d_5e4d_5e4d);
/// How often the sender looks for due messages.
const LOOK: Duration = Duration::from_secs(1);
/// How long a stopping process waits for responses. Messages without one are sent again with the same id.
const GRACE: Duration = Duration::from_secs(5);
/// How long recording a result is retried: after this time without the database, another process may have the
/// lease and send the message anyway.
const RECORDING: Duration = Duration::from_secs(30);
/// The longest time that a message is under way, from its request until its result is recorded.
pub const LONGEST: Duration = TIMEOUT.saturating_add(RECORDING);
/// Maximum concurrent messages to one receiver.
const TO_ONE: usize = 8;
/// Maximum concurrent messages in total.
const AT_ONCE: usize = 64;

/// A message and its endpoint.
type Addressed = (dead_letter::Model, outbound_endpoint::Model);

/// Creates the sender's job if it does not exist yet. Otherwise only reads, because a process must start even while its
/// database cannot be written.
pub async fn ensure(context: &Context) -> Result<()> {
    match jobs::get(&context.db, ID).await {
        Err(error) if error.reason == "JOB_NOT_FOUND" => {}
        found => return found.map(|_| ()),
    }
    let now = context.clock.now();
    let tx = context.db.begin().await?;
    let payload = serde_json::json!({});
    let new = NewJob { id: ID, kind: KIND, payload, created_by: "system:deliveries", created_at: now };
    jobs::enqueue(&tx, new).await?;
    tx.commit().await
}

/// Returns which addresses administrators may enter.
pub fn reach(context: &Context) -> Reach {
    if context.config.private_endpoints { Reach::Private } else { Reach::Public }
}

#[derive(Clone)]
pub struct Sender {
    context: Context,
    webhooks: Webhooks,
    /// Held while a result is recorded: each of these transactions locks the row of the job, so several at once
    /// would only occupy connections.
    recording: Arc<Mutex<()>>,
}

impl Sender {
    pub fn new(context: &Context) -> Result<Self> {
        let webhooks = Webhooks::new(reach(context))?;
        Ok(Self { context: context.clone(), webhooks, recording: Arc::default() })
    }

    /// Sends all due messages in order, until none is left; returns the number of attempts.
    ///
    /// # Errors
    ///
    /// After a failure, or when the process stops, returns only once the results of all messages with a response were
    /// recorded, because a message that was accepted must not be sent again.
    pub async fn send_due(&self, hold: &Hold) -> Result<usize, Halt> {
        let mut under_way = UnderWay::default();
        // Tasks, because a response must not wait, and count as late, while this function waits for the database.
        // Dropping the set aborts them.
        let mut sends = JoinSet::new();
        let (mut attempts, mut halted) = (0, None);
        // Ends the messages that have no response yet.
        let stopped = CancellationToken::new();
        let mut given_up = pin!(async {
            hold.interrupted().cancelled().await;
            tokio::time::sleep(GRACE).await;
        });
        loop {
            if halted.is_none() && !hold.interrupted().is_cancelled() {
                match self.next(hold, &under_way).await {
                    Ok(next) => {
                        for (letter, endpoint) in next {
                            under_way.add(&letter);
                            let (sender, hold, stopped) = (self.clone(), hold.clone(), stopped.clone());
                            let send = async move { sender.deliver(&hold, letter, endpoint, &stopped).await };
                            sends.spawn(send.in_current_span());
                        }
                    }
                    Err(Halt::Failed(error)) if !sends.is_empty() => {
                        tracing::warn!("cannot look for due messages: {error:#}")
                    }
                    Err(halt) => return Err(halt),
                }
            }
            if sends.is_empty() {
                return halted.map_or(Ok(attempts), Err);
            }
            tokio::select! {
                Some(done) = sends.join_next() => match done {
                    Ok((letter, recorded)) => {
                        under_way.remove(&letter);
                        match recorded {
                            Ok(()) => attempts += 1,
                            // Another process sends from now on.
                            Err(Halt::Lost) => return Err(Halt::Lost),
                            Err(halt) => halted = Some(halt),
                        }
                    }
                    Err(panicked) => halted = Some(Error::internal(panicked).into()),
                },
                // Look for more due messages, because a slow receiver must not block the others.
                () = tokio::time::sleep(LOOK) => {}
                () = &mut given_up, if !stopped.is_cancelled() => stopped.cancel(),
            }
        }
    }

    /// Returns the messages that can be started now. The fewer messages are under way to an endpoint, the sooner
    /// its next one starts, so that slow receivers with many messages do not take the room of the others.
    ///
    /// # Errors
    ///
    /// `Lost` if another process has taken over, for example while this one was paused.
    async fn next(&self, hold: &Hold, under_way: &UnderWay) -> Result<Vec<Addressed>, Halt> {
        let now = self.context.clock.now();
        let room = AT_ONCE.saturating_sub(under_way.len());
        let mut endpoints = sends::receivers(&self.context.db).await?;
        endpoints.sort_by_key(|it| under_way.to(it.id).len());
        // Each message with the number of those to its endpoint that start before it.
        let mut next: Vec<(usize, Addressed)> = Vec::new();
        for endpoint in endpoints {
            let busy = under_way.to(endpoint.id);
            let free = TO_ONE.saturating_sub(busy.len()).min(room);
            let sooner = next.iter().filter(|(before, _)| *before <= busy.len()).count();
            if free == 0 || sooner >= room {
                break;
            }
            let due = sends::due(&self.context.db, endpoint.id, busy, now, free as u64).await?;
            let numbered = (busy.len()..).zip(due);
            next.extend(numbered.map(|(before, letter)| (before, (letter, endpoint.clone()))));
        }
        next.sort_by_key(|(before, _)| *before);
        hold.confirm().await?;
        Ok(next.into_iter().take(room).map(|(_, it)| it).collect())
    }

    /// Sends a message and records the result, unless the process stops before the response.
    async fn deliver(
        &self,
        hold: &Hold,
        letter: dead_letter::Model,
        endpoint: outbound_endpoint::Model,
        stopped: &CancellationToken,
    ) -> (dead_letter::Model, Result<(), Halt>) {
        let attempted = tokio::select! {
            biased;
            attempted = self.send(&letter, &endpoint) => attempted,
            () = stopped.cancelled() => return (letter, Err(hold.interruption())),
        };
        let recorded = self.note(hold, letter.id, &attempted).await;
        (letter, recorded)
    }

    async fn send(&self, letter: &dead_letter::Model, endpoint: &outbound_endpoint::Model) -> Attempted {
        let at = self.context.clock.now();
        match endpoints::secrets(endpoint, &self.context.sealer, at) {
            Ok(secrets) => {
                let message = Message {
                    id: letter.message_id(),
                    url: &endpoint.url,
                    body: letter.body(),
                    secrets: &secrets,
                    at,
                    timeout: TIMEOUT,
                };
                self.webhooks.send(&message).await
            }
            Err(error) => {
                error.log();
                let text = "The secret of the endpoint cannot be read. Rotate it, then resend.";
                Attempted {
                    at,
                    ms: 0,
                    status: None,
                    headers: String::new(),
                    sent: letter.body().to_owned(),
                    response_body: String::new(),
                    failure: Some((ErrorClass::Validation, text.to_owned())),
                }
            }
        }
    }

    /// Records a result. Retries while the database is down, because an accepted message must not be sent again.
    async fn note(&self, hold: &Hold, id: Uuid, attempted: &Attempted) -> Result<(), Halt> {
        const PAUSE: Duration = Duration::from_millis(500);
        let begun = Instant::now();
        loop {
            match self.note_once(hold, id, attempted.clone()).await {
                Err(Halt::Failed(error)) if error.is_transient() && begun.elapsed() < RECORDING => {
                    tracing::warn!("the result of a send waits to be noted: {error:#}");
                    tokio::time::sleep(PAUSE).await;
                }
                noted => return noted,
            }
        }
    }

    async fn note_once(&self, hold: &Hold, id: Uuid, attempted: Attempted) -> Result<(), Halt> {
        let _turn = self.recording.lock().await;
        let tx = hold.begin().await?;
        sends::record(&tx, id, attempted, self.context.clock.now(), chance()?).await?;
        Ok(tx.commit().await?)
    }
}

#[async_trait]
impl Work for Sender {
    fn kind(&self) -> &'static str {
        KIND
    }

    async fn run(&self, _: &Job, hold: &Hold) -> Result<(), Halt> {
        // Recording progress resets the job's count of attempts. The job never ends, so the count would
        // otherwise grow with every process that dies, up to the maximum.
        let tx = hold.begin().await?;
        tx.advance(Progress::default()).await?;
        tx.commit().await?;
        loop {
            hold.check()?;
            self.send_due(hold).await.map_err(patient)?;
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = hold.interrupted().cancelled() => {}
            }
        }
    }
}

/// Turns a final failure into a transient one, because no failure may end the sender for good.
fn patient(halt: Halt) -> Halt {
    match halt {
        Halt::Failed(error) if !error.is_transient() => {
            error.log();
            Halt::Failed(
                Error::unavailable("SENDER_STOPPED", "Sending was interrupted and will resume")
                    .with_source(error.to_string()),
            )
        }
        other => other,
    }
}

/// Sends one test message and waits for the response. Stores nothing.
pub async fn test(context: &Context, endpoint: &outbound_endpoint::Model, by: By<'_>) -> Result<Attempted> {
    /// Shorter than the time limit of the administrator's request, which waits for the response.
    const PATIENCE: Duration = Duration::from_secs(10);
    let secrets = endpoints::secrets(endpoint, &context.sealer, by.now)?;
    let body = serde_json::json!({
        "type": "test",
        "timestamp": by.now,
        "data": { "endpoint": endpoint.name, "sentBy": by.actor },
    });
    let id = format!("msg_{}", kit::random::id()?.simple());
    let message = Message {
        id: &id,
        url: &endpoint.url,
        body: &body.to_string(),
        secrets: &secrets,
        at: by.now,
        timeout: PATIENCE,
    };
    Ok(Webhooks::new(reach(context))?.send(&message).await)
}

/// The deliveries with a message under way, by endpoint.
#[derive(Default)]
struct UnderWay(HashMap<Uuid, Vec<String>>);

impl UnderWay {
    /// Returns the keys of the deliveries, one for each message.
    fn to(&self, endpoint: Uuid) -> &[String] {
        self.0.get(&endpoint).map_or(&[], Vec::as_slice)
    }

    fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    fn add(&mut self, letter: &dead_letter::Model) {
        if let Some(endpoint) = letter.endpoint_id {
            self.0.entry(endpoint).or_default().push(letter.delivery_key.clone());
        }
    }

    fn remove(&mut self, letter: &dead_letter::Model) {
        if let Some(sent) = letter.endpoint_id.and_then(|it| self.0.get_mut(&it)) {
            sent.retain(|key| *key != letter.delivery_key);
        }
    }
}
