//! Retries or discards, at an administrator's request, an event that a consumer of this service gave up.
//!
//! The consumer's own inbox makes repetition harmless, so a crash between the effect and the response only
//! repeats the response. If the event fails again, its dead letter stays open, with the new error.

use std::sync::Arc;

use async_trait::async_trait;
use kit::bus::{Consumer, Handler};
use kit::clock::Clock;
use kit::{Error, Result};
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{DeadLetterHandled, DeadLetterRaised, DeadLetterReplayed, Envelope, Subscription};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, UpdateMany};
use uuid::Uuid;

use crate::dead_letters::dead_letter::{Column, Entity, Model};
use crate::dead_letters::{DISCARDED, HANDLED, OPEN, plain};
use crate::outbox::{self, NewEvent};
use crate::{Db, Tx, consume, db, inbox};

/// Adds a consumer of replay requests to a service's `consumers`. This consumer can retry the events that the
/// others gave up.
pub fn with_replays(
    subscription: Subscription<DeadLetterReplayed>,
    db: &Db,
    clock: &Clock,
    mut consumers: Vec<Consumer>,
) -> Vec<Consumer> {
    let handler: Arc<dyn Handler> = Arc::new(Replays {
        db: db.clone(),
        clock: clock.clone(),
        subscription,
        consumers: consumers.clone(),
    });
    let subjects = <DeadLetterReplayed as proto::events::Event>::ENTRY.subjects();
    consumers.extend(subjects.map(|it| consume::consumer(subscription, it, db, clock, handler.clone())));
    consumers
}

struct Replays {
    db: Db,
    clock: Clock,
    subscription: Subscription<DeadLetterReplayed>,
    consumers: Vec<Consumer>,
}

#[async_trait]
impl Handler for Replays {
    async fn handle(&self, envelope: &Envelope) -> Result<()> {
        let id = Uuid::parse_str(&envelope.id).map_err(Error::internal)?;
        let Some(Payload::DeadLetterReplayed(asked)) = &envelope.payload else {
            return Err(Error::internal("a replay with another payload"));
        };
        let letter = match asked.service == self.subscription.service() {
            true => self.letter(&asked.consumer, &asked.event_id).await?,
            false => None,
        };
        let handled = match &letter {
            Some(letter) if letter.state == OPEN && !asked.discard => Some(self.again(letter).await),
            _ => None,
        };
        if let Some(Err(error)) = &handled
            && error.is_transient()
        {
            return Err(Error::unavailable("REPLAY_WAITS", "A service that the event needs isn't available")
                .with_source(error.to_string()));
        }
        let tx = self.db.begin().await?;
        if !inbox::once(&tx, self.subscription.name(), id).await? {
            return Ok(());
        }
        if let Some(letter) = &letter {
            match (letter.state.as_str(), handled) {
                (_, Some(handled)) => self.note(&tx, letter, handled).await?,
                (OPEN, None) => give_up(&tx, letter).await?,
                // Repeat the response: the console may have received a failure after it, or discarded the letter.
                (HANDLED, None) => self.emit(&tx, dead_letter_handled(letter)).await?,
                _ => {}
            }
        }
        tx.commit().await
    }
}

impl Replays {
    async fn letter(&self, consumer: &str, event_id: &str) -> Result<Option<Model>> {
        let letter =
            Entity::find().filter(Column::Consumer.eq(consumer)).filter(Column::EventId.eq(event_id));
        letter.one(self.db.read()).await.map_err(db)
    }

    /// Passes the event to its consumer, as the bus would.
    async fn again(&self, letter: &Model) -> Result<()> {
        let envelope = Envelope::decode(letter.payload.as_slice()).map_err(|_| {
            Error::invalid("EVENT_MALFORMED", "The message is malformed and can't be handled. Discard it.")
        })?;
        let gone = || Error::invalid("CONSUMER_GONE", "This version doesn't handle this event. Discard it.");
        let consumer = self.consumers.iter().find(|it| it.name == letter.consumer).ok_or_else(gone)?;
        consumer.handle(&envelope).await
    }

    /// Records and emits how the replay ended, unless another request has closed the letter in the meantime.
    async fn note(&self, tx: &Tx, letter: &Model, handled: Result<()>) -> Result<()> {
        let (update, payload) = match handled {
            Ok(()) => {
                let update = update_open(letter).col_expr(Column::State, Expr::value(HANDLED));
                (update, dead_letter_handled(letter))
            }
            Err(error) => {
                // Without the source, which may quote data: a dead letter is stored and shown.
                let last_error = plain(&error.to_string());
                let payload = Payload::DeadLetterRaised(DeadLetterRaised {
                    consumer: letter.consumer.clone(),
                    event_id: letter.event_id.clone(),
                    attempts: letter.attempts.unsigned_abs().saturating_add(1),
                    last_error: last_error.clone(),
                    ..DeadLetterRaised::default()
                });
                let update = update_open(letter)
                    .col_expr(Column::LastError, Expr::value(last_error))
                    .col_expr(Column::Attempts, Expr::col(Column::Attempts).add(1));
                (update, payload)
            }
        };
        if update.exec(&**tx).await.map_err(db)?.rows_affected == 0 {
            return Ok(());
        }
        self.emit(tx, payload).await
    }

    async fn emit(&self, tx: &Tx, payload: Payload) -> Result<()> {
        let service = self.subscription.service();
        let event = NewEvent {
            service,
            actor: &format!("system:{service}"),
            aggregate_id: "",
            aggregate_version: 0,
            occurred_at: self.clock.now(),
            payload,
        };
        outbox::add(tx, event).await.map(|_| ())
    }
}

fn dead_letter_handled(letter: &Model) -> Payload {
    Payload::DeadLetterHandled(DeadLetterHandled {
        consumer: letter.consumer.clone(),
        event_id: letter.event_id.clone(),
    })
}

/// Updates a letter if it is still open.
fn update_open(letter: &Model) -> UpdateMany<Entity> {
    Entity::update_many().filter(Column::Id.eq(letter.id)).filter(Column::State.eq(OPEN))
}

/// Discards a letter. The event counts as handled from then on: the bus may deliver it again, for another consumer or
/// after the broker was restored.
async fn give_up(tx: &Tx, letter: &Model) -> Result<()> {
    if let Ok(event) = Uuid::parse_str(&letter.event_id) {
        inbox::once(tx, &letter.consumer, event).await?;
    }
    let update = update_open(letter).col_expr(Column::State, Expr::value(DISCARDED));
    update.exec(&**tx).await.map_err(db)?;
    Ok(())
}
