//! Acts of other services: they come as events, and each becomes the entry with the id of its event.

use std::sync::Arc;

use ::store::outbox::DeadLetters;
use ::store::{Db, inbox};
use async_trait::async_trait;
use kit::bus::{Consumer, Handler};
use kit::clock::Clock;
use kit::{Error, Result};
use proto::events::envelope::Payload;
use proto::events::{AuditRecorded, Envelope};
use uuid::Uuid;

use super::Actor;
use super::chain::{self, Entry};
use crate::domain::note;

/// Durable name of the consumer, the same on the stream of each service.
const CONSUMER: &str = "auth-audit";
/// Where acts are told of. A filter over all services would be one over the streams that this process
/// makes.
const SUBJECTS: [&str; 2] = ["waybill.drivers.audit.recorded.v1", "waybill.settings.audit.recorded.v1"];
/// A username, or `system:<service>`.
const ACTOR_CHARS: usize = 100;
const WORD_CHARS: usize = 64;
const NAME_CHARS: usize = 200;

/// What takes them into the log.
pub fn consumers(db: &Db, clock: &Clock) -> Vec<Consumer> {
    let consumer = |subject: &str| Consumer {
        name: CONSUMER,
        subject: subject.to_owned(),
        handler: Arc::new(Follower { db: db.clone(), clock: clock.clone() }),
        dead_letters: Arc::new(DeadLetters { db: db.clone(), service: crate::NAME, clock: clock.clone() }),
    };
    SUBJECTS.into_iter().map(consumer).collect()
}

pub struct Follower {
    pub db: Db,
    pub clock: Clock,
}

#[async_trait]
impl Handler for Follower {
    async fn handle(&self, envelope: &Envelope) -> Result<()> {
        let Some(Payload::AuditRecorded(act)) = envelope.payload.clone() else { return Ok(()) };
        let id = Uuid::parse_str(&envelope.id).map_err(Error::internal)?;
        let now = self.clock.now();
        let tx = self.db.begin().await?;
        if !inbox::once(&tx, CONSUMER, id, now).await? {
            return Ok(());
        }
        let AuditRecorded {
            action,
            entity,
            entity_id,
            entity_name,
            before_json,
            after_json,
            address,
            request_id,
        } = act;
        let actor = Actor::new(note(&envelope.actor, ACTOR_CHARS), &address);
        let entry = Entry {
            id,
            at: envelope.occurred_at.and_then(proto::instant).unwrap_or(now),
            actor: actor.name,
            address: actor.address,
            // One that we do not know yet is kept all the same.
            action: note(&action, WORD_CHARS),
            entity: note(&entity, WORD_CHARS),
            entity_id: note(&entity_id, NAME_CHARS),
            entity_name: note(&entity_name, NAME_CHARS),
            before_json,
            after_json,
            request_id: note(&request_id, WORD_CHARS),
        };
        // The inbox forgets after days; the log does not.
        chain::append_once(&tx, entry).await?;
        tx.commit().await
    }
}
