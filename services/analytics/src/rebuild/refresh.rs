//! Reads deliveries whose event was incomplete: a previous release sent it, or it did not have room for all
//! variances.

use ::store::Tx;
use ::store::jobs::{self, Halt, Hold, Job, NewJob, Progress, Work};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use proto::deliveries::v1::SnapshotDeliveriesRequest;
use serde::{Deserialize, Serialize};

use super::SYSTEM;
use super::source::{Source, next};
use crate::facts;
use crate::store::{Origin, Write, deliveries};

const KIND: &str = "refresh";

#[derive(Serialize, Deserialize)]
struct Payload {
    ids: Vec<String>,
}

/// Requests a job that reads these deliveries, at most 500, from their owner. The request is part of this
/// transaction.
pub async fn refresh(tx: &Tx, ids: Vec<String>, now: DateTime<Utc>) -> Result<()> {
    let payload = serde_json::to_value(Payload { ids }).map_err(Error::internal)?;
    let job = NewJob { id: new_id(), kind: KIND, payload, created_by: SYSTEM, created_at: now };
    jobs::enqueue(tx, job).await?;
    Ok(())
}

pub(super) struct Refresh {
    pub source: Source,
}

#[async_trait]
impl Work for Refresh {
    fn kind(&self) -> &'static str {
        KIND
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        let Payload { ids } = serde_json::from_value(job.payload.clone()).map_err(Error::internal)?;
        let request = SnapshotDeliveriesRequest { after: String::new(), ids };
        let answer = self.source.deliveries()?.snapshot_deliveries(request).await;
        let mut stream = answer.map_err(Error::from)?.into_inner();
        let mut done = 0;
        while let Some(page) = next(&mut stream).await? {
            let rows = page
                .deliveries
                .iter()
                .filter_map(|it| Some(facts::delivery(it.delivery.as_ref()?, &it.variances)))
                .collect::<Result<Vec<_>>>()?;
            done += rows.len() as u64;
            let held = hold.begin().await?;
            let mut write = Write::begin_many(&held, Origin::Refresh).await?;
            deliveries::write(&mut write, rows).await?;
            write.finish().await?;
            held.advance(Progress { done, total: None, checkpoint: None }).await?;
            held.commit().await?;
        }
        Ok(())
    }
}
