//! Dead letters, for administrators. Most are messages to other systems that could not be sent.
//!
//! Endpoints are in `endpoints`. The service decides when and in which order messages are resent.

use async_graphql::{Context, Enum, InputObject, Object};
use proto::deliveries::v1 as contract;

use super::clients;
use super::dead_letter_jobs::DeadLetterJob;
use super::error::{Failure, found};
use super::page::{self, Count, Filter, PageOptions};
use super::value::{DateTime, given, set_time, time};

/// Maximum groups in one response.
const GROUPS: usize = 100;
/// Maximum jobs in one response.
const JOBS: usize = 20;
/// Number of attempts kept per letter.
const ATTEMPTS: usize = 20;

#[derive(Default)]
pub struct DeadLettersQuery;

#[Object]
impl DeadLettersQuery {
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn delivery_dead_letters(
        &self,
        ctx: &Context<'_>,
        #[graphql(default_with = "Some(DeadLetterMode::Failed)")] mode: Option<DeadLetterMode>,
        page: Option<PageOptions>,
    ) -> Result<Vec<DeadLetter>, Failure> {
        let ask = contract::ListDeadLettersRequest { page: Some(page::page(page)?), mode: wire(mode) };
        let found = clients::dead_letters(ctx)?.list_dead_letters(ask).await?.into_inner().dead_letters;
        Ok(found.into_iter().map(DeadLetter).collect())
    }

    async fn delivery_dead_letters_count(
        &self,
        ctx: &Context<'_>,
        #[graphql(default_with = "Some(DeadLetterMode::Failed)")] mode: Option<DeadLetterMode>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let ask = contract::CountDeadLettersRequest { r#where: filters(r#where), mode: wire(mode) };
        Ok(clients::dead_letters(ctx)?.count_dead_letters(ask).await?.into_inner().into())
    }

    async fn delivery_dead_letter(
        &self,
        ctx: &Context<'_>,
        id: String,
    ) -> Result<Option<DeadLetter>, Failure> {
        let answer = clients::dead_letters(ctx)?.get_dead_letter(contract::GetDeadLetterRequest { id }).await;
        Ok(found(answer)?.map(DeadLetter))
    }

    /// Dead letters to fix, grouped by error: at most 100 groups, the largest first.
    #[graphql(complexity = "page::times(GROUPS, child_complexity)")]
    async fn dead_letter_groups(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Vec<DeadLetterGroup>, Failure> {
        let answer =
            clients::dead_letters(ctx)?.list_dead_letter_groups(page::count(r#where)).await?.into_inner();
        Ok(answer.groups.into_iter().map(DeadLetterGroup).collect())
    }

    /// Number of groups of dead letters with the same error; not exact above 100.
    async fn dead_letter_groups_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let answer =
            clients::dead_letters(ctx)?.list_dead_letter_groups(page::count(r#where)).await?.into_inner();
        let total = answer.groups.len() as u64;
        Ok(proto::common::v1::Count { total, exact: !answer.more }.into())
    }

    /// A job on dead letters. Null if there is no job with this id, or if it ended long ago.
    async fn dead_letter_job(&self, ctx: &Context<'_>, id: String) -> Result<Option<DeadLetterJob>, Failure> {
        let answer =
            clients::dead_letters(ctx)?.get_dead_letter_job(contract::GetDeadLetterJobRequest { id }).await;
        Ok(found(answer)?.map(DeadLetterJob))
    }

    /// The newest 20 jobs on dead letters, newest first.
    #[graphql(complexity = "page::times(JOBS, child_complexity)")]
    async fn dead_letter_jobs(&self, ctx: &Context<'_>) -> Result<Vec<DeadLetterJob>, Failure> {
        let answer =
            clients::dead_letters(ctx)?.list_dead_letter_jobs(contract::ListDeadLetterJobsRequest {}).await?;
        Ok(answer.into_inner().jobs.into_iter().map(DeadLetterJob).collect())
    }
}

#[derive(Default)]
pub struct DeadLettersMutation;

#[Object]
impl DeadLettersMutation {
    /// Resends a dead letter when its turn comes. `payload` replaces the original payload; masks in it stand
    /// for the original secrets. With `again`, a letter that was already sent is sent once more, as a new
    /// dead letter.
    async fn resend_dead_letter(
        &self,
        ctx: &Context<'_>,
        id: String,
        payload: Option<String>,
        #[graphql(default)] again: bool,
    ) -> Result<DeadLetter, Failure> {
        let ask = contract::ResendDeadLetterRequest { id, payload, again };
        Ok(DeadLetter(clients::dead_letters(ctx)?.resend_dead_letter(ask).await?.into_inner()))
    }

    async fn resend_dead_letters(
        &self,
        ctx: &Context<'_>,
        input: DeadLettersInput,
    ) -> Result<DeadLetterJob, Failure> {
        start(ctx, "resend", input, String::new()).await
    }

    async fn discard_dead_letters(
        &self,
        ctx: &Context<'_>,
        input: DeadLettersInput,
        reason: String,
    ) -> Result<DeadLetterJob, Failure> {
        start(ctx, "discard", input, reason).await
    }

    /// Cancels a job on dead letters. Changes that it has already made are kept.
    async fn cancel_dead_letter_job(&self, ctx: &Context<'_>, id: String) -> Result<DeadLetterJob, Failure> {
        let ask = contract::CancelDeadLetterJobRequest { id };
        Ok(DeadLetterJob(clients::dead_letters(ctx)?.cancel_dead_letter_job(ask).await?.into_inner()))
    }
}

async fn start(
    ctx: &Context<'_>,
    action: &str,
    input: DeadLettersInput,
    reason: String,
) -> Result<DeadLetterJob, Failure> {
    let DeadLettersInput { job_id, ids, r#where, dry_run } = input;
    let ask = contract::StartDeadLetterJobRequest {
        job_id,
        action: action.to_owned(),
        ids: ids.unwrap_or_default(),
        r#where: filters(r#where),
        reason,
        dry_run,
    };
    Ok(DeadLetterJob(clients::dead_letters(ctx)?.start_dead_letter_job(ask).await?.into_inner()))
}

fn filters(filters: Option<Vec<Filter>>) -> Vec<proto::common::v1::Filter> {
    filters.unwrap_or_default().into_iter().map(Into::into).collect()
}

fn wire(mode: Option<DeadLetterMode>) -> i32 {
    contract::DeadLetterMode::from(mode.unwrap_or(DeadLetterMode::Failed)).into()
}

/// Selects dead letters: `failed` those to fix, `success` those that were sent.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum DeadLetterMode {
    Success,
    Failed,
}

proto::same_enum!(contract::DeadLetterMode => DeadLetterMode { Success => Success, Failed => Failed });

pub struct DeadLetter(contract::DeadLetter);

#[Object]
impl DeadLetter {
    async fn id(&self) -> &str {
        &self.0.id
    }
    /// Id of the delivery. Empty only if `method` is event and the event is not about a delivery.
    async fn delivery_id(&self) -> &str {
        &self.0.delivery_id
    }
    /// One of create, update, status, variance, form, cancel, correction and event.
    async fn method(&self) -> &str {
        &self.0.method
    }
    /// When the message first failed; with `neverFailed`, when it was queued. A filter on this field selects only
    /// messages that failed.
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
    }
    async fn never_failed(&self) -> bool {
        self.0.never_failed
    }
    /// When the message was sent.
    async fn processed_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.processed_at)
    }
    async fn queued_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.queued_at)
    }
    /// One of queued, scheduled_retry, failed, success and discarded.
    async fn state(&self) -> &str {
        &self.0.state
    }
    async fn endpoint_id(&self) -> Option<&str> {
        given(&self.0.endpoint_id)
    }
    /// Name of the endpoint. Null if `method` is event, or if the endpoint was deleted.
    async fn endpoint_name(&self) -> Option<&str> {
        given(&self.0.endpoint_name)
    }
    async fn endpoint_url(&self) -> Option<&str> {
        given(&self.0.endpoint_url)
    }
    /// Whether the endpoint is not active, so that nothing is sent to it.
    async fn endpoint_off(&self) -> bool {
        self.0.endpoint_off
    }
    async fn endpoint_paused(&self) -> bool {
        self.0.endpoint_paused
    }
    /// Name of the other system that reported the dead letter; null for Waybill's own messages.
    async fn producer_name(&self) -> Option<&str> {
        given(&self.0.producer_name)
    }
    /// Id of the sent dead letter that this one repeats; null for an original.
    async fn replay_of(&self) -> Option<&str> {
        given(&self.0.replay_of)
    }
    /// The message about the same delivery that must be sent before this one. Null if there is none, and in
    /// lists.
    async fn waits_behind(&self) -> Option<DeadLetterTurn<'_>> {
        self.0.waits_behind.as_ref().map(DeadLetterTurn)
    }
    /// Messages about the same delivery that wait for this one, the first 20; empty in lists.
    #[graphql(complexity = "page::times(ATTEMPTS, child_complexity)")]
    async fn behind(&self) -> Vec<DeadLetterTurn<'_>> {
        self.0.behind.iter().map(DeadLetterTurn).collect()
    }
    /// Number of messages about the same delivery that wait for this one; 0 in lists.
    async fn behind_count(&self) -> u64 {
        self.0.behind_count
    }
    /// The payload as JSON with secrets masked; empty in lists.
    async fn payload(&self) -> &str {
        &self.0.payload
    }
    async fn edited_payload(&self) -> Option<&str> {
        self.0.edited_payload.as_deref()
    }
    /// Headers of the last request as JSON with secrets masked; null before the first attempt.
    async fn request_headers(&self) -> Option<&str> {
        given(&self.0.request_headers)
    }
    async fn response_status(&self) -> Option<u32> {
        self.0.response_status
    }
    /// The first 16 KiB of the receiver's last response.
    async fn response_body(&self) -> Option<&str> {
        given(&self.0.response_body)
    }
    /// One of dns, tls, connection, timeout, redirect, http_4xx, http_5xx, validation, handling and reported.
    async fn error_class(&self) -> Option<&str> {
        given(&self.0.error_class)
    }
    async fn error_text(&self) -> Option<&str> {
        given(&self.0.error_text)
    }
    async fn error_fingerprint(&self) -> Option<&str> {
        given(&self.0.error_fingerprint)
    }
    async fn attempts(&self) -> u32 {
        self.0.attempts
    }
    /// The newest 20 attempts, oldest first; empty in lists.
    #[graphql(complexity = "page::times(ATTEMPTS, child_complexity)")]
    async fn attempt_log(&self) -> Vec<DeadLetterAttempt<'_>> {
        self.0.attempt_log.iter().map(DeadLetterAttempt).collect()
    }
    async fn next_attempt_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.next_attempt_at)
    }
    /// Key that is the same in every attempt, so that receivers recognize repetitions.
    async fn idempotency_key(&self) -> &str {
        &self.0.idempotency_key
    }
    async fn discarded_by(&self) -> Option<&str> {
        given(&self.0.discarded_by)
    }
    async fn discard_reason(&self) -> Option<&str> {
        given(&self.0.discard_reason)
    }
    /// How often the message was resent by hand.
    async fn resends(&self) -> u32 {
        self.0.resends
    }
}

pub struct DeadLetterAttempt<'a>(&'a contract::DeadLetterAttempt);

#[Object]
impl DeadLetterAttempt<'_> {
    async fn at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.at)
    }
    /// HTTP status of the response; null if there was no response.
    async fn status(&self) -> Option<u32> {
        self.0.status
    }
    async fn ms(&self) -> u32 {
        self.0.ms
    }
    /// Why the attempt failed; null if the receiver accepted the message.
    async fn error(&self) -> Option<&str> {
        given(&self.0.error)
    }
    /// The body that was sent; null if it was the payload of the dead letter.
    async fn request_body(&self) -> Option<&str> {
        given(&self.0.request_body)
    }
    async fn response_body(&self) -> Option<&str> {
        given(&self.0.response_body)
    }
}

/// A message in the sequence of messages about the same delivery.
pub struct DeadLetterTurn<'a>(&'a contract::DeadLetterTurn);

#[Object]
impl DeadLetterTurn<'_> {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn method(&self) -> &str {
        &self.0.method
    }
    async fn state(&self) -> &str {
        &self.0.state
    }
    async fn queued_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.queued_at)
    }
    async fn next_attempt_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.next_attempt_at)
    }
}

pub struct DeadLetterGroup(contract::DeadLetterGroup);

#[Object]
impl DeadLetterGroup {
    async fn fingerprint(&self) -> &str {
        &self.0.fingerprint
    }
    /// State of all dead letters in the group: scheduled_retry or failed.
    async fn state(&self) -> &str {
        &self.0.state
    }
    async fn error_text(&self) -> &str {
        &self.0.error_text
    }
    async fn error_class(&self) -> &str {
        &self.0.error_class
    }
    /// Messages with the same error and state are in several groups if they go to several endpoints. Null for events.
    async fn endpoint_id(&self) -> Option<&str> {
        given(&self.0.endpoint_id)
    }
    async fn endpoint_name(&self) -> Option<&str> {
        given(&self.0.endpoint_name)
    }
    /// Whether the endpoint is not active, so that nothing is sent to it.
    async fn endpoint_off(&self) -> bool {
        self.0.endpoint_off
    }
    async fn endpoint_paused(&self) -> bool {
        self.0.endpoint_paused
    }
    async fn count(&self) -> u64 {
        self.0.count
    }
    async fn first_seen_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.first_seen_at)
    }
    async fn last_seen_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.last_seen_at)
    }
    /// The earliest time at which a dead letter of the group will be retried.
    async fn next_attempt_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.next_attempt_at)
    }
}

#[derive(InputObject)]
pub struct DeadLettersInput {
    /// UUID chosen by the client. A repeated UUID starts nothing and returns the existing job.
    job_id: String,
    /// Ids of at most 1,000 dead letters. Without ids, the job takes all dead letters to fix that match
    /// `where`.
    ids: Option<Vec<String>>,
    r#where: Option<Vec<Filter>>,
    /// Whether to count the dead letters without changing them.
    #[graphql(default)]
    dry_run: bool,
}
