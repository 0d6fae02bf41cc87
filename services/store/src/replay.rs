//! Retries or discards, at an administrator's request, an event that a consumer of this service gave up.
//!
//! The consumer's own inbox makes repetition harmless, so a crash between the effect and the response only
//! repeats the response. An event that fails again becomes a dead letter again, with the new error.

use std::sync::Arc;

use async_trait::async_trait;
use kit::bus::{Consumer, Handler};
use kit::clock::Clock;
use kit::{Error, Result};
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{DeadLetterHandled, DeadLetterRaised, DeadLetterReplayed, Envelope, Subscription};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
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
            true => self.open(&asked.consumer, &asked.event_id).await?,
            false => None,
        };
        let handled = match &letter {
            Some(letter) if !asked.discard => Some(self.again(letter).await),
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
        match (&letter, handled) {
            (Some(letter), Some(handled)) => self.note(&tx, letter, handled).await?,
            (Some(letter), None) => give_up(&tx, letter).await?,
            (None, _) => {}
        }
        tx.commit().await
    }
}

impl Replays {
    async fn open(&self, consumer: &str, event_id: &str) -> Result<Option<Model>> {
        let letter =
            Entity::find().filter(Column::Consumer.eq(consumer)).filter(Column::EventId.eq(event_id));
        letter.filter(Column::State.eq(OPEN)).one(self.db.read()).await.map_err(db)
    }

    /// Passes the event to its consumer, as the bus would.
    async fn again(&self, letter: &Model) -> Result<()> {
        let envelope = Envelope::decode(letter.payload.as_slice()).map_err(|_| {
            Error::invalid("EVENT_MALFORMED", "The message is malformed and can't be handled. Discard it.")
        })?;
        let gone = || Error::invalid("CONSUMER_GONE", "This version doesn't handle this event. Discard it.");
        let consumer = self.consumers.iter().find(|it| it.name == letter.consumer).ok_or_else(gone)?;
        consumer.handler.handle(&envelope).await
    }

    async fn note(&self, tx: &Tx, letter: &Model, handled: Result<()>) -> Result<()> {
        let update = Entity::update_many().filter(Column::Id.eq(letter.id));
        let (update, payload) = match handled {
            Ok(()) => {
                let payload = Payload::DeadLetterHandled(DeadLetterHandled {
                    consumer: letter.consumer.clone(),
                    event_id: letter.event_id.clone(),
                });
                (update.col_expr(Column::State, Expr::value(HANDLED)), payload)
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
                let update = update
                    .col_expr(Column::LastError, Expr::value(last_error))
                    .col_expr(Column::Attempts, Expr::col(Column::Attempts).add(1));
                (update, payload)
            }
        };
        update.exec(&**tx).await.map_err(db)?;
        let service = self.subscription.service();
        let event = NewEvent {
            service,
            actor: &format!("system:{service}"),
            aggregate_id: "",
            aggregate_version: 0,
            occurred_at: self.clock.now(),
            payload,
        };
        outbox::add(tx, event).await?;
        Ok(())
    }
}

/// Discards a letter. The event counts as handled from then on: the bus may deliver it again, for another consumer or
/// after the broker was restored.
async fn give_up(tx: &Tx, letter: &Model) -> Result<()> {
    if let Ok(event) = Uuid::parse_str(&letter.event_id) {
        inbox::once(tx, &letter.consumer, event).await?;
    }
    let update = Entity::update_many().col_expr(Column::State, Expr::value(DISCARDED));
    update.filter(Column::Id.eq(letter.id)).exec(&**tx).await.map_err(db)?;
    Ok(())
}
