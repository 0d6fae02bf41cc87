//! The sender: one for all processes of the service, under the lease of a job that never ends.
//!
//! Two senders would break the order of a delivery's messages and could send one message twice at the same
//! time. The lease lets only one sender work, and only its holder records results. If a sender dies between
//! sending and recording, the next one sends the message again with the same id: receivers recognize it.

use std::collections::HashMap;
use std::pin::pin;
use std::time::Duration;

use ::store::audit::By;
use ::store::jobs::{self, Halt, Hold, Job, NewJob, Progress, Work};
use async_trait::async_trait;
use futures::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};
use kit::outbound::Reach;
use kit::{Error, Result};
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
/// Maximum concurrent messages to one receiver.
const TO_ONE: usize = 8;
/// Maximum concurrent messages in total.
const AT_ONCE: usize = 64;

/// Creates the sender's job if it does not exist yet.
pub async fn ensure(context: &Context) -> Result<()> {
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

pub struct Sender {
    context: Context,
    webhooks: Webhooks,
}

impl Sender {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { context: context.clone(), webhooks: Webhooks::new(reach(context))? })
    }

    /// Sends all due messages in order, until none is left; returns the number of attempts.
    pub async fn send_due(&self, hold: &Hold) -> Result<usize, Halt> {
        let mut under_way = UnderWay::default();
        let mut sends = FuturesUnordered::new();
        let mut attempts = 0;
        let mut given_up = pin!(async {
            hold.interrupted().cancelled().await;
            tokio::time::sleep(GRACE).await;
        });
        loop {
            if !hold.interrupted().is_cancelled() {
                for (letter, endpoint) in self.next(&under_way).await? {
                    under_way.add(&letter);
                    sends.push(self.send(letter, endpoint).boxed());
                }
            }
            if sends.is_empty() {
                return Ok(attempts);
            }
            tokio::select! {
                Some((letter, attempted)) = sends.next() => {
                    self.note(hold, &letter, attempted).await?;
                    under_way.remove(&letter);
                    attempts += 1;
                }
                // Look for more due messages, because a slow receiver must not block the others.
                () = tokio::time::sleep(LOOK) => {}
                () = &mut given_up => return Err(hold.interruption()),
            }
        }
    }

    /// Returns the messages that can be started now.
    async fn next(
        &self,
        under_way: &UnderWay,
    ) -> Result<Vec<(dead_letter::Model, outbound_endpoint::Model)>> {
        let now = self.context.clock.now();
        let mut next = Vec::new();
        for endpoint in sends::receivers(&self.context.db).await? {
            let busy = under_way.to(endpoint.id);
            let room =
                TO_ONE.saturating_sub(busy.len()).min(AT_ONCE.saturating_sub(under_way.len() + next.len()));
            if room == 0 {
                continue;
            }
            let due = sends::due(&self.context.db, endpoint.id, busy, now, room as u64).await?;
            next.extend(due.into_iter().map(|letter| (letter, endpoint.clone())));
        }
        Ok(next)
    }

    async fn send(
        &self,
        letter: dead_letter::Model,
        endpoint: outbound_endpoint::Model,
    ) -> (dead_letter::Model, Attempted) {
        let at = self.context.clock.now();
        let attempted = match endpoints::secrets(&endpoint, &self.context.sealer, at) {
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
        };
        (letter, attempted)
    }

    /// Records a result. Retries for ten seconds while the database is down, because an accepted message must
    /// not be sent again.
    async fn note(&self, hold: &Hold, letter: &dead_letter::Model, attempted: Attempted) -> Result<(), Halt> {
        const PAUSE: Duration = Duration::from_millis(500);
        const TRIES: u32 = 20;
        let mut tried = 0;
        loop {
            tried += 1;
            match self.note_once(hold, letter, attempted.clone()).await {
                Err(Halt::Failed(error)) if error.is_transient() && tried < TRIES => {
                    tracing::warn!("the result of a send waits to be noted: {error:#}");
                    tokio::time::sleep(PAUSE).await;
                }
                noted => return noted,
            }
        }
    }

    async fn note_once(
        &self,
        hold: &Hold,
        letter: &dead_letter::Model,
        attempted: Attempted,
    ) -> Result<(), Halt> {
        let tx = hold.begin().await?;
        sends::record(&tx, letter.id, attempted, self.context.clock.now(), chance()?).await?;
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

/// Messages in progress, by endpoint.
#[derive(Default)]
struct UnderWay(HashMap<Uuid, Vec<Uuid>>);

impl UnderWay {
    fn to(&self, endpoint: Uuid) -> &[Uuid] {
        self.0.get(&endpoint).map_or(&[], Vec::as_slice)
    }

    fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    fn add(&mut self, letter: &dead_letter::Model) {
        if let Some(endpoint) = letter.endpoint_id {
            self.0.entry(endpoint).or_default().push(letter.id);
        }
    }

    fn remove(&mut self, letter: &dead_letter::Model) {
        if let Some(sent) = letter.endpoint_id.and_then(|it| self.0.get_mut(&it)) {
            sent.retain(|id| *id != letter.id);
        }
    }
}
