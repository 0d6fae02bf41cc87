//! Publishes what was committed to the outbox.
//!
//! One relay per process claims due rows in id order under a lease, publishes each and marks it. After a
//! crash between publishing and marking, an event is published again, which consumers must tolerate (see
//! `inbox`). On Postgres several replicas share the work by skipping each other's rows; SQLite has no such
//! lock and needs none, because only one process and one relay use the file. During an update, a replica may
//! be of the release before. So an event is published as the stored bytes.
//!
//! No event blocks those behind it. An event that its consumers cannot handle yet is published again later;
//! an event that can never be published is refused: marked, logged and kept.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::FutureExt;
use kit::bus::EncodedEvent;
use kit::{Error, Result};
use sea_orm::sea_query::{CommonTableExpression, Expr, ExprTrait, LockBehavior, LockType, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Iterable, Order,
    QueryFilter, QuerySelect,
};
use tokio::time::{Interval, interval};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::clearing::Doubts;
use crate::error::commit;
use crate::outbox::outbox_event::{Column, Entity, Model};
use crate::startup::until_written;
use crate::{Db, db, dead_letters, now, outbox, retention};

const BATCH: u64 = 100;
/// How long events wait after the process that claimed them was killed.
const LEASE: Duration = Duration::from_secs(30);
/// Twice the longest time for which an event is ever claimed or put off.
const LONGEST_CLAIM: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_secs(1);
/// Names the events to claim in the statement that claims them.
const DUE: &str = "due";
const CLEAR_EVERY: Duration = Duration::from_secs(60);
const REMIND_EVERY: Duration = Duration::from_secs(600);

/// The relay's target: the bus, or a stand-in in tests.
#[async_trait]
pub trait Publish: Send + Sync {
    /// Publishes for the `time`th time. An error with a retry time concerns this event alone; another
    /// transient error concerns all events; any other error is final.
    async fn publish(&self, event: &EncodedEvent, time: u32) -> Result<()>;

    /// Returns whether the target keeps events itself and may lose them, so that the outbox has to keep them
    /// longer.
    fn keeps_events(&self) -> bool;
}

#[async_trait]
impl Publish for kit::bus::Bus {
    async fn publish(&self, event: &EncodedEvent, time: u32) -> Result<()> {
        self.publish_again(event, time).await
    }

    fn keeps_events(&self) -> bool {
        kit::bus::Bus::keeps_events(self)
    }
}

/// What a relay does from time to time.
enum Chore {
    Clear,
    Remind,
}

struct Chores {
    clear: Interval,
    remind: Interval,
}

impl Chores {
    fn new() -> Self {
        Self { clear: interval(CLEAR_EVERY), remind: interval(REMIND_EVERY) }
    }

    /// Waits for the next due chore. May be dropped while waiting without losing one.
    async fn due(&mut self) -> Chore {
        tokio::select! {
            _ = self.clear.tick() => Chore::Clear,
            _ = self.remind.tick() => Chore::Remind,
        }
    }
}

/// Releases all leases. Call it only when no other process publishes from this database.
pub(crate) async fn release_all(db_: &Db) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::ClaimedUntil, Expr::value(None::<DateTime<Utc>>))
        .filter(Column::PublishedAt.is_null())
        .exec(&db_.writer)
        .await
        // Without a transaction, the statement is its own commit.
        .map_err(commit)?;
    Ok(())
}

pub struct Relay<P> {
    db: Db,
    publisher: P,
}

impl<P: Publish> Relay<P> {
    pub fn new(db: Db, publisher: P) -> Self {
        Self { db, publisher }
    }

    /// Publishes until stopped; wakes on commit and once a second.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        // No other process can hold leases on SQLite.
        if !self.db.is_postgres()
            && !until_written("events to be published", &stop, || release_all(&self.db)).await?
        {
            return Ok(());
        }
        let doubts = Doubts::default();
        let mut chores = Chores::new();
        loop {
            match self.relay().await {
                Ok(0) => {}
                Ok(_) if !stop.is_cancelled() => {
                    // Chores have their turn even if there are always events to publish.
                    if let Some(chore) = chores.due().now_or_never() {
                        self.tend(chore, &doubts).await;
                    }
                    continue;
                }
                Ok(_) => {}
                Err(error) => tracing::warn!("events wait to be published: {error:#}"),
            }
            // Jitter, because replicas that poll in step would compete for the same rows.
            let jitter = Duration::from_millis(rand::random_range(0..250));
            tokio::select! {
                () = stop.cancelled() => {
                    // Publish everything that was committed before the stop.
                    while self.relay().await.unwrap_or(0) > 0 {}
                    return Ok(());
                }
                () = self.db.outbox_added.notified() => {}
                () = tokio::time::sleep(POLL + jitter) => {}
                chore = chores.due() => self.tend(chore, &doubts).await,
            }
        }
    }

    async fn tend(&self, chore: Chore, doubts: &Doubts) {
        match chore {
            Chore::Clear => {
                let losable = self.publisher.keeps_events();
                if let Err(error) = retention::clear(&self.db, losable, doubts).await {
                    tracing::warn!("old events could not be cleared: {error:#}");
                }
            }
            Chore::Remind => self.remind().await,
        }
    }

    /// Publishes one batch; returns how many events were dealt with.
    pub async fn relay(&self) -> Result<usize> {
        let rows = self.claim().await?;
        kit::fail_point("store.outbox.claimed");
        let begun = Instant::now();
        for (at, row) in rows.iter().enumerate() {
            // Stop early: when the lease ends, another relay may publish the remaining events.
            let late = begun.elapsed() > LEASE / 2;
            let passed = if late { Ok(()) } else { self.pass_on(row).await };
            if late || passed.is_err() {
                self.release(&rows[at..]).await?;
                passed?;
                return Ok(at);
            }
        }
        Ok(rows.len())
    }

    /// Publishes one event. Fails if the remaining events of the batch must wait, too.
    async fn pass_on(&self, row: &Model) -> Result<()> {
        let time = row.claims.unsigned_abs();
        let published = match EncodedEvent::decode(row.envelope.clone()) {
            Ok(event) => self.publisher.publish(&event, time).await,
            Err(error) => Err(Error::internal(error)),
        };
        match published {
            Ok(()) => {
                kit::fail_point("store.outbox.published");
                self.set(row, Column::PublishedAt, now::expr(self.db.backend())).await?;
                kit::fail_point("store.outbox.marked");
                Ok(())
            }
            Err(Error { retry_after: Some(pause), .. }) => {
                let pause = chrono::Duration::from_std(pause).map_err(Error::internal)?;
                let due = self.db.now().await? + pause;
                self.set(row, Column::ClaimedUntil, Expr::value(due)).await
            }
            Err(error) if error.is_transient() => Err(error),
            Err(error) => {
                tracing::error!(event.id = %row.id, event.subject = %row.subject, error = %format_args!("{error:#}"), "an event cannot be published and is kept aside");
                self.set(row, Column::Refusal, Expr::value(error.to_string())).await?;
                self.set(row, Column::RefusedAt, now::expr(self.db.backend())).await
            }
        }
    }

    async fn set(&self, row: &Model, column: Column, value: Expr) -> Result<()> {
        let set = Entity::update_many().col_expr(column, value).filter(Column::Id.eq(row.id));
        set.exec(&self.db.writer).await.map_err(db)?;
        Ok(())
    }

    async fn claim(&self) -> Result<Vec<Model>> {
        let due = || Condition::all().add(Column::PublishedAt.is_null()).add(Column::RefusedAt.is_null());
        // Check by a read first: an idle relay must not take SQLite's only write connection every second.
        let waiting = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(due())
            .limit(1)
            .into_tuple::<Uuid>()
            .one(self.db.read())
            .await
            .map_err(db)?;
        if waiting.is_none() {
            return Ok(Vec::new());
        }
        let now = self.db.now().await?;
        // A time beyond what a lease can have was written by a clock that has been set back since.
        let longest = now + chrono::Duration::from_std(LONGEST_CLAIM).map_err(Error::internal)?;
        let free = Condition::any()
            .add(Column::ClaimedUntil.is_null())
            .add(Column::ClaimedUntil.lt(now))
            .add(Column::ClaimedUntil.gt(longest));
        let mut ids = Query::select();
        ids.column(Column::Id)
            .from(Entity)
            .cond_where(due().add(free))
            .order_by(Column::Id, Order::Asc)
            .limit(BATCH);
        if self.db.is_postgres() {
            ids.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
        }
        let until = now + chrono::Duration::from_std(LEASE).map_err(Error::internal)?;
        // WITH selects them once. Postgres may run a subquery again for each row that it compares, lock other rows
        // each time, and so claim all events instead of a batch.
        let batch = CommonTableExpression::new().query(ids).column(Column::Id).table_name(DUE).to_owned();
        let mut claim = Query::update();
        claim
            .table(Entity)
            .value(Column::ClaimedUntil, Expr::value(until))
            .value(Column::Claims, Expr::col(Column::Claims).add(1))
            .and_where(Expr::col(Column::Id).in_subquery(Query::select().column(Column::Id).from(DUE).take()))
            .returning(Query::returning().columns(Column::iter()))
            .with_cte(batch);
        let rows = self.db.writer.query_all(&claim).await.map_err(db)?;
        let rows: Result<Vec<Model>, DbErr> =
            rows.iter().map(|row| Model::from_query_result(row, "")).collect();
        let mut rows = rows.map_err(db)?;
        rows.sort_by_key(|row| row.id);
        Ok(rows)
    }

    /// Releases claimed rows, as if they had not been claimed.
    async fn release(&self, rows: &[Model]) -> Result<()> {
        Entity::update_many()
            .col_expr(Column::ClaimedUntil, Expr::value(None::<DateTime<Utc>>))
            .col_expr(Column::Claims, Expr::col(Column::Claims).sub(1))
            .filter(Column::Id.is_in(rows.iter().map(|row| row.id)))
            .exec(&self.db.writer)
            .await
            .map_err(db)?;
        Ok(())
    }

    /// Logs refused events again and again, because only an administrator can decide about them.
    async fn remind(&self) {
        let counted = async {
            Ok::<_, Error>((outbox::refused(&self.db).await?, dead_letters::count(&self.db).await?))
        };
        match counted.await {
            Ok((0, 0)) => {}
            Ok((refused, dead_letters)) => {
                tracing::error!(
                    events.refused = refused,
                    events.dead_letters = dead_letters,
                    "events wait for an administrator: some cannot be published or were given up by a consumer"
                );
            }
            Err(error) => {
                tracing::warn!("events that wait for an administrator cannot be counted: {error:#}")
            }
        }
    }
}
