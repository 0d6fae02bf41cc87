//! Dead letters and other messages to other systems, and endpoints. For administrators only.

use ::store::audit::Actor;
use kit::principal::{Role, caller, principal};
use kit::{Error, Result};
use proto::common::v1::{Count, CountRequest};
use proto::deliveries::v1::dead_letters_service_server::DeadLettersService;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use crate::Context;
use crate::commands::dead_letter_jobs;
use crate::domain::masking::mask;
use crate::domain::outbound;
use crate::entity::outbound_endpoint;
use crate::outbound::sender;
use crate::queries::dead_letter_groups;
use crate::{commands, queries};

/// Number of characters of a response body that are shown after a test.
const SHOWN_CHARS: usize = 2_048;

/// Maximum number of concurrent test messages.
const TESTS: usize = 4;
const PAUSE: std::time::Duration = std::time::Duration::from_secs(2);

pub struct Service {
    context: Context,
    tests: tokio::sync::Semaphore,
}

impl Service {
    pub fn new(context: Context) -> Self {
        Self { context, tests: tokio::sync::Semaphore::new(TESTS) }
    }
}

#[tonic::async_trait]
impl DeadLettersService for Service {
    async fn list_dead_letters(
        &self,
        request: Request<ListDeadLettersRequest>,
    ) -> Result<Response<ListDeadLettersResponse>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let request = request.into_inner();
        let (mode, mut page) = (request.mode(), request.page.unwrap_or_default());
        page.r#where = queries::dead_letters::filters(page.r#where, mode)?;
        let (dead_letters, more) = queries::dead_letters::page(&self.context.db, &page).await?;
        Ok(Response::new(ListDeadLettersResponse { dead_letters, more }))
    }

    async fn count_dead_letters(
        &self,
        request: Request<CountDeadLettersRequest>,
    ) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let request = request.into_inner();
        let filters = queries::dead_letters::filters(request.r#where.clone(), request.mode())?;
        Ok(Response::new(queries::dead_letters::count(&self.context.db, &filters).await?))
    }

    async fn get_dead_letter(
        &self,
        request: Request<GetDeadLetterRequest>,
    ) -> Result<Response<DeadLetter>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        Ok(Response::new(queries::dead_letters::get(&self.context.db, &request.into_inner().id).await?))
    }

    async fn list_dead_letter_groups(
        &self,
        request: Request<CountRequest>,
    ) -> Result<Response<ListDeadLetterGroupsResponse>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let (groups, more) =
            dead_letter_groups::groups(&self.context.db, &request.into_inner().r#where).await?;
        Ok(Response::new(ListDeadLetterGroupsResponse { groups, more }))
    }

    async fn resend_dead_letter(
        &self,
        request: Request<ResendDeadLetterRequest>,
    ) -> Result<Response<DeadLetter>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let ResendDeadLetterRequest { id, payload, again } = request.into_inner();
        let payload = payload.as_deref().map(outbound::edited).transpose()?;
        let Context { db, clock, .. } = &self.context;
        if again {
            let by = actor.at(clock.now());
            return Ok(Response::new(commands::dead_letters::replay(db, &id, payload, by).await?));
        }
        Ok(Response::new(commands::dead_letters::resend(db, &id, payload, actor.at(clock.now())).await?))
    }

    async fn start_dead_letter_job(
        &self,
        request: Request<StartDeadLetterJobRequest>,
    ) -> Result<Response<DeadLetterJob>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let by = actor.at(self.context.clock.now());
        Ok(Response::new(dead_letter_jobs::start(&self.context, request.into_inner(), by).await?))
    }

    async fn get_dead_letter_job(
        &self,
        request: Request<GetDeadLetterJobRequest>,
    ) -> Result<Response<DeadLetterJob>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        Ok(Response::new(dead_letter_jobs::get(&self.context, &request.into_inner().id).await?))
    }

    async fn list_dead_letter_jobs(
        &self,
        request: Request<ListDeadLetterJobsRequest>,
    ) -> Result<Response<ListDeadLetterJobsResponse>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        Ok(Response::new(ListDeadLetterJobsResponse { jobs: dead_letter_jobs::list(&self.context).await? }))
    }

    async fn cancel_dead_letter_job(
        &self,
        request: Request<CancelDeadLetterJobRequest>,
    ) -> Result<Response<DeadLetterJob>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        Ok(Response::new(dead_letter_jobs::cancel(&self.context, &request.into_inner().id).await?))
    }

    async fn list_outbound_endpoints(
        &self,
        request: Request<ListOutboundEndpointsRequest>,
    ) -> Result<Response<ListOutboundEndpointsResponse>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let rows = queries::endpoints::list(self.context.db.read()).await?;
        let endpoints = rows.into_iter().map(Into::into).collect();
        Ok(Response::new(ListOutboundEndpointsResponse { endpoints }))
    }

    async fn save_outbound_endpoint(
        &self,
        request: Request<SaveOutboundEndpointRequest>,
    ) -> Result<Response<OutboundEndpoint>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let Context { db, clock, sealer, .. } = &self.context;
        let request = request.into_inner();
        let (id, version) = (request.id.clone(), request.version);
        let form = outbound::endpoint(request, sender::reach(&self.context))?;
        let by = actor.at(clock.now());
        Ok(Response::new(match id.as_str() {
            "" => with_secret(commands::endpoints::create(db, sealer, form, by).await?),
            id => commands::endpoints::update(db, id, version, form, by).await?.into(),
        }))
    }

    async fn delete_outbound_endpoint(
        &self,
        request: Request<DeleteOutboundEndpointRequest>,
    ) -> Result<Response<DeleteOutboundEndpointResponse>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let DeleteOutboundEndpointRequest { id, version } = request.into_inner();
        let Context { db, clock, .. } = &self.context;
        commands::endpoints::delete(db, &id, version, actor.at(clock.now())).await?;
        Ok(Response::new(DeleteOutboundEndpointResponse {}))
    }

    async fn rotate_outbound_secret(
        &self,
        request: Request<RotateOutboundSecretRequest>,
    ) -> Result<Response<OutboundEndpoint>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let RotateOutboundSecretRequest { id, version } = request.into_inner();
        let Context { db, clock, sealer, .. } = &self.context;
        let by = actor.at(clock.now());
        Ok(Response::new(with_secret(commands::endpoints::rotate(db, sealer, &id, version, by).await?)))
    }

    async fn resume_outbound_endpoint(
        &self,
        request: Request<ResumeOutboundEndpointRequest>,
    ) -> Result<Response<OutboundEndpoint>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let Context { db, clock, .. } = &self.context;
        let by = actor.at(clock.now());
        Ok(Response::new(commands::endpoints::resume(db, &request.into_inner().id, by).await?.into()))
    }

    async fn test_outbound_endpoint(
        &self,
        request: Request<TestOutboundEndpointRequest>,
    ) -> Result<Response<TestOutboundEndpointResponse>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let endpoint = queries::endpoints::get(&self.context.db, &request.into_inner().id).await?;
        let busy = || {
            Error::rate_limited("TOO_MANY_TESTS", "Other tests are running. Try again in a moment.", PAUSE)
        };
        let _place = self.tests.try_acquire().map_err(|_| busy())?;
        let by = actor.at(self.context.clock.now());
        let attempted = sender::test(&self.context, &endpoint, by).await?;
        Ok(Response::new(TestOutboundEndpointResponse {
            status: attempted.status.map(u32::from),
            ms: attempted.ms,
            error: attempted.failure.map(|(_, text)| text).unwrap_or_default(),
            response_body: mask(&attempted.response_body).chars().take(SHOWN_CHARS).collect(),
        }))
    }
}

fn with_secret((row, secret): (outbound_endpoint::Model, String)) -> OutboundEndpoint {
    OutboundEndpoint { secret, ..row.into() }
}
