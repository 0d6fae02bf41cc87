//! Discards the unsent messages to a deleted endpoint, as a job.
//!
//! A change that commits after the job has ended can leave another one, which `outbound::sends::discard_orphaned` finds.

use ::store::Tx;
use ::store::audit::By;
use ::store::jobs::{self, Halt, Hold, Job, NewJob, Work};
use async_trait::async_trait;
use kit::{Error, Result};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::steps::{self, STEP, Steps};
use crate::Context;
use crate::tables::dead_letters;

const KIND: &str = "deliveries.endpoint_letters";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payload {
    endpoint: Uuid,
}

/// Adds the job, in the transaction that deletes the endpoint.
pub async fn discard(tx: &Tx, endpoint: Uuid, by: By<'_>) -> Result<()> {
    let payload = serde_json::to_value(Payload { endpoint }).map_err(Error::internal)?;
    let (id, created_by, created_at) = (kit::clock::new_id(), by.actor, by.now);
    jobs::enqueue(tx, NewJob { id, kind: KIND, payload, created_by, created_at }).await?;
    Ok(())
}

/// Runs the jobs that discard the messages to a deleted endpoint.
pub struct Discard {
    pub context: Context,
}

#[async_trait]
impl Work for Discard {
    fn kind(&self) -> &'static str {
        KIND
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        steps::run(self, job, hold).await
    }
}

#[async_trait]
impl Steps for Discard {
    type Payload = Payload;

    async fn step(&self, tx: &Tx, job: &Job, payload: &Payload) -> Result<u64> {
        let by = By { actor: &job.created_by, address: "", now: self.context.clock.now() };
        dead_letters::discard_some(tx, payload.endpoint, STEP, by).await
    }
}
