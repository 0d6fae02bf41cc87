//! Moves the unsent messages that a producer reported to the producer's endpoint, as a job.
//!
//! Messages that may be under way stay, because another endpoint would get them as well. They move with the producer's
//! next change.

use ::store::audit::By;
use ::store::jobs::{self, Halt, Hold, Job, NewJob, Work};
use ::store::list::COUNT_BOUND;
use ::store::{Tx, db};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::{Error, Result};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::steps::{self, STEP, Steps};
use crate::Context;
use crate::commands::dead_letters::is_idle;
use crate::domain::outbound::State;
use crate::entity::dead_letter::{Column, Entity};
use crate::entity::{outbound_endpoint, producer};
use crate::queries;
use crate::tables::dead_letters::lock_some;
use crate::tables::endpoints::lock;

const KIND: &str = "deliveries.reported_letters";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payload {
    producer: Uuid,
}

/// Adds the job if there are messages to move, in the transaction that changes the producer. Returns how many there
/// are, at most `COUNT_BOUND` + 1.
pub async fn follow(tx: &Tx, producer: &producer::Model, by: By<'_>) -> Result<u64> {
    let others = others(tx, producer).await?;
    let idle = others.iter().filter(|it| is_idle(it, by.now)).map(|it| it.id);
    let free = Condition::any().add(not_due(by.now)).add(Column::EndpointId.is_in(idle));
    let these = elsewhere(producer, &others).add(free);
    let some = Entity::find().select_only().column(Column::Id).filter(these).limit(COUNT_BOUND + 1);
    let count = some.count(&**tx).await.map_err(db)?;
    if count > 0 {
        let payload = Payload { producer: producer.id };
        let payload = serde_json::to_value(payload).map_err(Error::internal)?;
        let (id, created_by, created_at) = (kit::clock::new_id(), by.actor, by.now);
        jobs::enqueue(tx, NewJob { id, kind: KIND, payload, created_by, created_at }).await?;
    }
    Ok(count)
}

/// Runs the jobs that move messages to the endpoint of their producer.
pub struct Follow {
    pub context: Context,
}

#[async_trait]
impl Work for Follow {
    fn kind(&self) -> &'static str {
        KIND
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        steps::run(self, job, hold).await
    }
}

#[async_trait]
impl Steps for Follow {
    type Payload = Payload;

    async fn step(&self, tx: &Tx, _: &Job, payload: &Payload) -> Result<u64> {
        move_some(tx, payload.producer, self.context.clock.now()).await
    }
}

/// Moves at most `STEP` messages; returns how many.
async fn move_some(tx: &Tx, producer: Uuid, now: DateTime<Utc>) -> Result<u64> {
    // The lock keeps the producer's endpoint from changing meanwhile.
    let producer = producer::Entity::find_by_id(producer).lock_shared().one(&**tx).await.map_err(db)?;
    let Some(producer) = producer else { return Ok(0) };
    let others = others(tx, &producer).await?;
    let waiting = elsewhere(&producer, &others).add(not_due(now));
    let moved = set_endpoint(tx, &producer, waiting, STEP).await?;
    if moved == STEP {
        return Ok(moved);
    }
    // The lock keeps the sender from starting. It follows the locks on messages, as in `sends::record`.
    let mut idle = Vec::new();
    for it in others.iter().filter(|it| is_idle(it, now)) {
        let locked = lock(tx, &it.id.to_string()).await?;
        idle.extend(locked.filter(|it| is_idle(it, now)));
    }
    let due = elsewhere(&producer, &idle).add(Column::NextAttemptAt.lte(now));
    Ok(moved + set_endpoint(tx, &producer, due, STEP - moved).await?)
}

async fn set_endpoint(tx: &Tx, producer: &producer::Model, these: Condition, limit: u64) -> Result<u64> {
    let some = lock_some(tx, these, limit).await?;
    let moved = Entity::update_many()
        .col_expr(Column::EndpointId, Expr::value(producer.endpoint_id))
        .filter(Column::Id.is_in(some))
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(moved.rows_affected)
}

/// Returns the endpoints that are not the producer's.
async fn others(tx: &Tx, producer: &producer::Model) -> Result<Vec<outbound_endpoint::Model>> {
    let all = queries::endpoints::list(&**tx).await?;
    Ok(all.into_iter().filter(|it| it.id != producer.endpoint_id).collect())
}

/// Returns the condition for the producer's messages to fix that are bound to these endpoints.
fn elsewhere(producer: &producer::Model, endpoints: &[outbound_endpoint::Model]) -> Condition {
    Condition::all()
        .add(Column::EndpointId.is_in(endpoints.iter().map(|it| it.id)))
        .add(Column::State.is_in(State::TO_FIX))
        .add(Column::ProducerId.eq(producer.id))
}

fn not_due(now: DateTime<Utc>) -> Expr {
    Column::NextAttemptAt.is_null().or(Column::NextAttemptAt.gt(now))
}
