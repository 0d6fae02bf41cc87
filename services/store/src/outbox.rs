//! Events leave by a table that is written with the change, and by nothing else.
//!
//! `add` inserts the event with the transaction's own handle. One relay per process takes due
//! rows in id order under a lease, publishes each and marks it; a crash in between publishes
//! again, which consumers must bear (see `inbox`). On Postgres several replicas share the work
//! by skipping each other's rows; SQLite knows no such lock, which is right only because one
//! process and one relay use the file. In one process this table **is** the durable queue: the
//! bus in memory says yes only after every consumer has committed.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::clock::{Clock, new_id};
use kit::{Error, Result};
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{DeadLetterRaised, Envelope};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter, QuerySelect};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{Db, Tx, db, inbox};

const BATCH: u64 = 100;
const LEASE: chrono::Duration = chrono::Duration::seconds(60);
const POLL: Duration = Duration::from_secs(1);
const PRUNE_EVERY: Duration = Duration::from_secs(600);
/// Published rows stay this long, for a look at what was sent.
const KEEP_PUBLISHED: chrono::Duration = chrono::Duration::hours(24);
/// Longer than any stream keeps an event.
const KEEP_HANDLED: chrono::Duration = chrono::Duration::days(8);

pub mod outbox_event {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "outbox")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub subject: String,
        pub envelope: Vec<u8>,
        pub created_at: DateTimeUtc,
        pub claimed_until: Option<DateTimeUtc>,
        pub published_at: Option<DateTimeUtc>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use outbox_event::{ActiveModel, Column, Entity, Model};

/// What an event is about and who caused it.
#[derive(Debug, Clone)]
pub struct Fact<'a> {
    pub service: &'a str,
    pub actor: &'a str,
    pub aggregate_id: &'a str,
    pub aggregate_version: u64,
    pub occurred_at: DateTime<Utc>,
    pub payload: Payload,
}

/// Adds an event to the transaction; it is published after the commit.
pub async fn add(tx: &Tx, fact: Fact<'_>) -> Result<Uuid> {
    let id = new_id();
    let envelope = Envelope {
        id: id.to_string(),
        subject: fact.payload.subject(fact.service),
        occurred_at: Some(proto::timestamp(fact.occurred_at)),
        actor: fact.actor.to_owned(),
        aggregate_id: fact.aggregate_id.to_owned(),
        aggregate_version: fact.aggregate_version,
        traceparent: kit::trace::parent(),
        payload: Some(fact.payload),
    };
    let row = ActiveModel {
        id: Set(id),
        subject: Set(envelope.subject.clone()),
        envelope: Set(envelope.encode_to_vec()),
        created_at: Set(fact.occurred_at),
        claimed_until: Set(None),
        published_at: Set(None),
    };
    Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    tx.events.store(true, std::sync::atomic::Ordering::Relaxed);
    Ok(id)
}

/// Where the relay publishes to. The bus is one; tests have others.
#[async_trait]
pub trait Publish: Send + Sync {
    async fn publish(&self, envelope: &Envelope) -> Result<()>;
}

#[async_trait]
impl Publish for kit::bus::Bus {
    async fn publish(&self, envelope: &Envelope) -> Result<()> {
        kit::bus::Bus::publish(self, envelope).await
    }
}

/// Publishes what was committed.
pub struct Relay<P> {
    db: Db,
    publisher: P,
    clock: Clock,
}

impl<P: Publish> Relay<P> {
    pub fn new(db: Db, publisher: P, clock: Clock) -> Self {
        Self { db, publisher, clock }
    }

    /// Publishes until told to stop; wakes on commit and once a second.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        if !self.db.is_postgres() {
            // Leases of the process before this one: nobody else can hold them.
            Entity::update_many()
                .col_expr(Column::ClaimedUntil, Expr::value(None::<DateTime<Utc>>))
                .filter(Column::PublishedAt.is_null())
                .exec(&self.db.writer)
                .await
                .map_err(db)?;
        }
        let mut prune = tokio::time::interval(PRUNE_EVERY);
        loop {
            match self.relay().await {
                Ok(0) => {}
                Ok(_) if !stop.is_cancelled() => continue,
                Ok(_) => {}
                Err(error) => tracing::warn!("events wait to be published: {error}"),
            }
            // Replicas that poll in step would fight over the same rows.
            let jitter = Duration::from_millis(rand::random_range(0..250));
            tokio::select! {
                () = stop.cancelled() => {
                    // What was committed up to here still leaves.
                    while self.relay().await.unwrap_or(0) > 0 {}
                    return Ok(());
                }
                () = self.db.outbox_added.notified() => {}
                () = tokio::time::sleep(POLL + jitter) => {}
                _ = prune.tick() => self.prune().await,
            }
        }
    }

    /// Publishes one batch; returns how many events left.
    pub async fn relay(&self) -> Result<usize> {
        let rows = self.claim().await?;
        let mut sent = 0;
        for row in &rows {
            if let Err(error) = self.publish(row).await {
                self.release(&rows[sent..]).await?;
                return Err(error);
            }
            sent += 1;
        }
        Ok(sent)
    }

    async fn publish(&self, row: &Model) -> Result<()> {
        let envelope = Envelope::decode(row.envelope.as_slice()).map_err(Error::internal)?;
        self.publisher.publish(&envelope).await?;
        Entity::update_many()
            .col_expr(Column::PublishedAt, Expr::value(self.clock.now()))
            .filter(Column::Id.eq(row.id))
            .exec(&self.db.writer)
            .await
            .map_err(db)?;
        Ok(())
    }

    async fn claim(&self) -> Result<Vec<Model>> {
        let now = self.clock.now();
        let mut due = Query::select();
        due.column(Column::Id)
            .from(Entity)
            .cond_where(
                Condition::all().add(Expr::col(Column::PublishedAt).is_null()).add(
                    Condition::any()
                        .add(Expr::col(Column::ClaimedUntil).is_null())
                        .add(Expr::col(Column::ClaimedUntil).lt(now)),
                ),
            )
            .order_by(Column::Id, Order::Asc)
            .limit(BATCH);
        if self.db.is_postgres() {
            due.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
        }
        // An idle relay must not take SQLite's one writer every second.
        let waiting = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::PublishedAt.is_null())
            .limit(1)
            .into_tuple::<Uuid>()
            .one(self.db.read())
            .await
            .map_err(db)?;
        if waiting.is_none() {
            return Ok(Vec::new());
        }
        let mut rows = Entity::update_many()
            .col_expr(Column::ClaimedUntil, Expr::value(now + LEASE))
            .filter(Expr::col(Column::Id).in_subquery(due))
            .exec_with_returning(&self.db.writer)
            .await
            .map_err(db)?;
        rows.sort_by_key(|row| row.id);
        Ok(rows)
    }

    async fn release(&self, rows: &[Model]) -> Result<()> {
        Entity::update_many()
            .col_expr(Column::ClaimedUntil, Expr::value(None::<DateTime<Utc>>))
            .filter(Column::Id.is_in(rows.iter().map(|row| row.id)))
            .exec(&self.db.writer)
            .await
            .map_err(db)?;
        Ok(())
    }

    async fn prune(&self) {
        let now = self.clock.now();
        let published = Entity::delete_many()
            .filter(Column::PublishedAt.lt(now - KEEP_PUBLISHED))
            .exec(&self.db.writer)
            .await
            .map_err(db);
        let handled = inbox::prune(&self.db.writer, now - KEEP_HANDLED).await;
        for error in [published.map(|_| ()).err(), handled.map(|_| ()).err()].into_iter().flatten() {
            tracing::warn!("old events could not be cleared: {error}");
        }
    }
}

/// How many events wait to be published.
pub async fn waiting(db_: &Db) -> Result<u64> {
    use sea_orm::PaginatorTrait;
    Entity::find().filter(Column::PublishedAt.is_null()).count(db_.read()).await.map_err(db)
}

/// Turns an event that a consumer gave up on into a dead letter, by the consumer's own outbox.
pub struct DeadLetters {
    pub db: Db,
    pub service: &'static str,
    pub clock: Clock,
}

#[async_trait]
impl kit::bus::DeadLetters for DeadLetters {
    async fn raise(
        &self,
        envelope: &Envelope,
        consumer: &str,
        attempts: u32,
        last_error: &str,
    ) -> Result<()> {
        let tx = self.db.begin().await?;
        let payload = Payload::DeadLetterRaised(DeadLetterRaised {
            envelope: envelope.encode_to_vec(),
            consumer: consumer.to_owned(),
            attempts,
            last_error: last_error.to_owned(),
        });
        let fact = Fact {
            service: self.service,
            actor: &format!("system:{}", self.service),
            aggregate_id: &envelope.aggregate_id,
            aggregate_version: envelope.aggregate_version,
            occurred_at: self.clock.now(),
            payload,
        };
        add(&tx, fact).await?;
        tx.commit().await
    }
}
