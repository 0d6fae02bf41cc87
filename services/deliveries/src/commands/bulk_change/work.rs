//! The job that changes deliveries, up to `PAGE` per transaction. The transaction also saves its progress.

use ::store::jobs::{Halt, Hold, Job, Work};
use async_trait::async_trait;
use kit::Result;

use super::progress::{Tally, again, payload};
use super::{CHANGES, One, PAGE, Payload, Task, WORKERS, apply};
use crate::Context;
use crate::commands::bulk_change::records;
use crate::domain::actor::Actor;
use crate::domain::bulk::{LeftOut, Verb, verdict};
use crate::tables::drivers;

pub struct Bulk {
    pub context: Context,
}

#[async_trait]
impl Work for Bulk {
    fn kind(&self) -> &'static str {
        CHANGES
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        let Payload { task, roles, total } = payload(job)?;
        let Task::Change(verb) = task else { return Ok(()) };
        let actor = Actor::User { name: job.created_by.clone(), roles };
        let mut at = Tally::of(job)?;
        let mut tried = 0;
        loop {
            hold.check()?;
            tried += 1;
            match self.page(job, hold, (&verb, &actor), at.clone(), total).await {
                Ok(Some(next)) => (at, tried) = (next, 0),
                Ok(None) => return Ok(()),
                Err(halt) if again(&halt, tried).await => {}
                Err(halt) => return Err(halt),
            }
        }
    }
}

impl Bulk {
    /// Changes the next deliveries; returns `None` when none are left.
    async fn page(
        &self,
        job: &Job,
        hold: &Hold,
        (verb, actor): (&Verb, &Actor),
        mut at: Tally,
        total: u64,
    ) -> Result<Option<Tally>, Halt> {
        let context = &self.context;
        let tx = hold.begin().await?;
        let rows = records::after(&tx, job.id, actor.name(), &at.last, PAGE).await?;
        let Some(last) = rows.last() else { return Ok(None) };
        at.last.clone_from(&last.delivery_key);
        if let Verb::Assign { driver_id } = verb {
            // The driver may have been blocked since the job was started.
            drivers::require_assignable(&**tx, driver_id.as_deref()).await?;
        }
        let held = records::lock(&tx, &rows).await?;
        let now = context.clock.now();
        let mut changed = Vec::new();
        for row in rows {
            at.done += 1;
            let Some(before) = held.get(&row.delivery_key) else {
                at.leave_out(LeftOut::Gone);
                continue;
            };
            let decided = match before.version == row.version_seen {
                true => verdict(verb, before.into(), actor, now),
                false => Err(LeftOut::Changed),
            };
            if let Err(reason) = decided {
                at.leave_out(reason);
                continue;
            }
            let one = One { actor, delivery_id: before.id.clone(), version: Some(before.version) };
            match apply(&tx, context, &one, verb).await {
                Ok(after) => {
                    at.changed += 1;
                    changed.push(records::changed((job.id, actor.name()), verb, before, &after, now));
                }
                Err(error) => at.refuse(error)?,
            }
        }
        records::note(&tx, changed).await?;
        at.save(&tx, total).await?;
        kit::fail_point("deliveries.bulk.page_written");
        tx.commit().await?;
        Ok(Some(at))
    }
}
