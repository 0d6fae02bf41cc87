//! Jobs that resend or discard many dead letters: their progress, and their result.

use async_graphql::{Context, Object, Subscription};
use futures::{Stream, StreamExt};
use kit::Role;
use proto::deliveries::v1 as contract;

use super::clients;
use super::error::Failure;
use super::progress::follow;
use super::value::{DateTime, given, set_time, time};
use super::viewer::viewer;

#[derive(Default)]
pub struct DeadLettersSubscription;

#[Subscription]
impl DeadLettersSubscription {
    /// Sends a job immediately, and again whenever it has made progress, until it has ended.
    async fn dead_letter_job_changed(
        &self,
        ctx: &Context<'_>,
        id: String,
    ) -> Result<impl Stream<Item = Result<DeadLetterJob, Failure>>, Failure> {
        viewer(ctx)?.session()?.require(Role::ADMINS)?;
        let client = clients::dead_letters(ctx)?;
        let ask = move || {
            let (mut client, id) = (client.clone(), id.clone());
            async move { client.get_dead_letter_job(contract::GetDeadLetterJobRequest { id }).await }
        };
        Ok(follow(ask, |job: &contract::DeadLetterJob| job.finished_at.is_some())
            .map(|job| job.map(DeadLetterJob)))
    }
}

/// A bulk action on dead letters, and its result.
pub struct DeadLetterJob(pub contract::DeadLetterJob);

#[Object]
impl DeadLetterJob {
    async fn id(&self) -> &str {
        &self.0.id
    }
    /// Either resend or discard.
    async fn action(&self) -> &str {
        &self.0.action
    }
    /// One of waiting, running, done, failed and cancelled.
    async fn state(&self) -> &str {
        &self.0.state
    }
    async fn dry_run(&self) -> bool {
        self.0.dry_run
    }
    /// Number of dead letters to process, counted when the job began.
    async fn total(&self) -> u64 {
        self.0.total
    }
    async fn done(&self) -> u64 {
        self.0.done
    }
    /// Number of dead letters changed so far. The other letters that `done` counts had been sent or discarded
    /// in the meantime, or were being sent.
    async fn changed(&self) -> u64 {
        self.0.changed
    }
    async fn reason(&self) -> Option<&str> {
        given(&self.0.reason)
    }
    async fn failure_text(&self) -> Option<&str> {
        given(&self.0.failure_text)
    }
    async fn created_by(&self) -> &str {
        &self.0.created_by
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
    }
    async fn finished_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.finished_at)
    }
    async fn cancel_requested(&self) -> bool {
        self.0.cancel_requested
    }
}
