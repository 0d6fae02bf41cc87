//! Messages to other systems, for administrators; failed ones above all.
//!
//! Endpoints are in `endpoints`. Deliberately absent: when and in which order messages are resent. The
//! service decides that.

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

    /// Letters to fix, grouped by error, the largest group first, at most 100.
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

    /// Number of groups; not exact above 100.
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

    /// Null when there is none, or when it ended long ago.
    async fn dead_letter_job(&self, ctx: &Context<'_>, id: String) -> Result<Option<DeadLetterJob>, Failure> {
        let answer =
            clients::dead_letters(ctx)?.get_dead_letter_job(contract::GetDeadLetterJobRequest { id }).await;
        Ok(found(answer)?.map(DeadLetterJob))
    }

    /// Newest first, at most 20.
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
    /// Resends a letter when its turn comes, with another payload if given. `again` sends a letter that was
    /// sent already as a new one. Masks in the payload keep the previous secrets.
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

    /// Changes made so far stay.
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

/// Letters to fix, or sent ones.
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
    /// Empty only for an event that is not about a delivery.
    async fn delivery_id(&self) -> &str {
        &self.0.delivery_id
    }
    async fn method(&self) -> &str {
        &self.0.method
    }
    /// When the message first failed.
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
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
    /// Null if the endpoint was deleted, and for an event.
    async fn endpoint_name(&self) -> Option<&str> {
        given(&self.0.endpoint_name)
    }
    async fn endpoint_url(&self) -> Option<&str> {
        given(&self.0.endpoint_url)
    }
    async fn endpoint_paused(&self) -> bool {
        self.0.endpoint_paused
    }
    /// The other system that reported it; null for our own messages.
    async fn producer_name(&self) -> Option<&str> {
        given(&self.0.producer_name)
    }
    /// The sent dead letter that this one repeats; null for an original.
    async fn replay_of(&self) -> Option<&str> {
        given(&self.0.replay_of)
    }
    /// The message about the same delivery that is sent before this one. Null if there is none, and in lists.
    async fn waits_behind(&self) -> Option<DeadLetterTurn<'_>> {
        self.0.waits_behind.as_ref().map(DeadLetterTurn)
    }
    /// Messages about the same delivery that wait for this one, the first 20; empty in lists.
    #[graphql(complexity = "page::times(ATTEMPTS, child_complexity)")]
    async fn behind(&self) -> Vec<DeadLetterTurn<'_>> {
        self.0.behind.iter().map(DeadLetterTurn).collect()
    }
    /// Number of messages that wait for this one; 0 in lists.
    async fn behind_count(&self) -> u64 {
        self.0.behind_count
    }
    /// JSON with secrets masked; empty in lists.
    async fn payload(&self) -> &str {
        &self.0.payload
    }
    async fn edited_payload(&self) -> Option<&str> {
        self.0.edited_payload.as_deref()
    }
    /// JSON with secrets masked; null before the first attempt.
    async fn request_headers(&self) -> Option<&str> {
        given(&self.0.request_headers)
    }
    async fn response_status(&self) -> Option<u32> {
        self.0.response_status
    }
    /// The first 16 KiB of the response.
    async fn response_body(&self) -> Option<&str> {
        given(&self.0.response_body)
    }
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
    /// The same in every attempt, so that receivers recognize repetitions.
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
    /// HTTP status; null without a response.
    async fn status(&self) -> Option<u32> {
        self.0.status
    }
    async fn ms(&self) -> u32 {
        self.0.ms
    }
    /// Null if the receiver accepted the message.
    async fn error(&self) -> Option<&str> {
        given(&self.0.error)
    }
    /// Null if the body was the payload.
    async fn request_body(&self) -> Option<&str> {
        given(&self.0.request_body)
    }
    async fn response_body(&self) -> Option<&str> {
        given(&self.0.response_body)
    }
}

/// A message in the order of its delivery.
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
    /// Either scheduled_retry or failed.
    async fn state(&self) -> &str {
        &self.0.state
    }
    async fn error_text(&self) -> &str {
        &self.0.error_text
    }
    async fn error_class(&self) -> &str {
        &self.0.error_class
    }
    async fn endpoint_name(&self) -> Option<&str> {
        given(&self.0.endpoint_name)
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
    /// The earliest time at which one of the group's letters is retried.
    async fn next_attempt_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.next_attempt_at)
    }
}

#[derive(InputObject)]
pub struct DeadLettersInput {
    /// UUID, chosen by the client. Sending it again means the same job.
    job_id: String,
    /// At most 1,000. Without ids, all letters to fix that match the filters.
    ids: Option<Vec<String>>,
    r#where: Option<Vec<Filter>>,
    /// Whether to count only.
    #[graphql(default)]
    dry_run: bool,
}
