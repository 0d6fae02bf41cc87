//! Implements the contract: access rules, then the query language of `query`.

use ::store::audit::{self, Actor};
use ::store::jobs::Job;
use kit::principal::{Role, caller, principal};
use kit::{Error, Result};
use proto::analytics::v1::analytics_service_server::AnalyticsService;
use proto::analytics::v1::{GetRebuildRequest, QueryRequest, QueryResponse, Rebuild, RequestRebuildRequest};
use tonic::{Request, Response, Status};

use crate::answers::{Answers, Asker};
use crate::query::answer;
use crate::query::check::{Asked, check};
use crate::{Context, NAME, meta, rebuild};

pub struct Service {
    context: Context,
    answers: Answers,
}

impl Service {
    pub fn new(context: Context) -> Self {
        let answers = Answers::new(context.db.clone(), context.clock.clone());
        Self { context, answers }
    }

    fn check(&self, query: &str) -> Result<Asked> {
        check(query, self.context.clock.now())
    }

    async fn reply(&self, body: String) -> Result<Response<QueryResponse>, Status> {
        let data_version = self.answers.version().await?;
        Ok(Response::new(QueryResponse { body, data_version }))
    }
}

#[tonic::async_trait]
impl AnalyticsService for Service {
    async fn load(&self, request: Request<QueryRequest>) -> Result<Response<QueryResponse>, Status> {
        let account = principal(&request)?.require(Role::STAFF)?.id();
        let QueryRequest { query, multi, lab: is_lab } = request.into_inner();
        let by = Asker { account, is_lab };
        let (body, data_version) = self.answers.load(self.check(&query)?, multi, by).await?;
        Ok(Response::new(QueryResponse { body: body.to_string(), data_version }))
    }

    async fn dry_run(&self, request: Request<QueryRequest>) -> Result<Response<QueryResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let asked = self.check(&request.into_inner().query)?;
        self.reply(answer::dry_run(&asked)).await
    }

    async fn sql(&self, request: Request<QueryRequest>) -> Result<Response<QueryResponse>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let asked = self.check(&request.into_inner().query)?;
        self.reply(answer::sql(&asked, self.context.db.backend())).await
    }

    async fn meta(&self, request: Request<QueryRequest>) -> Result<Response<QueryResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        self.reply(meta::body()).await
    }

    async fn request_rebuild(
        &self,
        request: Request<RequestRebuildRequest>,
    ) -> Result<Response<Rebuild>, Status> {
        let caller = caller(&request)?;
        caller.principal.require(Role::ADMINS)?;
        let job = request_rebuild(&self.context, &caller.into()).await?;
        Ok(Response::new(to_wire(job)))
    }

    async fn get_rebuild(&self, request: Request<GetRebuildRequest>) -> Result<Response<Rebuild>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        Ok(Response::new(to_wire(last_rebuild(&self.context).await?)))
    }
}

/// Adds a rebuild job and its audit entry, unless a rebuild is waiting or running.
async fn request_rebuild(context: &Context, actor: &Actor) -> Result<Job> {
    if let Some(open) = rebuild::open(&context.db).await? {
        return Ok(open);
    }
    let by = actor.at(context.clock.now());
    let tx = context.db.begin().await?;
    let id = rebuild::request(&tx, by.actor, by.now).await?.to_string();
    let act = audit::Act {
        service: NAME,
        action: "analytics.rebuild_requested",
        entity: "analytics",
        entity_id: &id,
        entity_name: "",
        changes: audit::Changes::default().made("state", "waiting"),
    };
    audit::record(&tx, by, act).await?;
    tx.commit().await?;
    last_rebuild(context).await
}

async fn last_rebuild(context: &Context) -> Result<Job> {
    let last = rebuild::last(&context.db, None).await?;
    last.ok_or_else(|| Error::not_found("REBUILD_NOT_FOUND", "No rebuild was requested recently"))
}

fn to_wire(job: Job) -> Rebuild {
    Rebuild {
        id: job.id.to_string(),
        state: job.state.as_str().to_owned(),
        deliveries: job.progress_done.unsigned_abs(),
        total: job.progress_total.map(i64::unsigned_abs),
        failure_text: job.failure_text.unwrap_or_default(),
        created_by: job.created_by,
        created_at: Some(proto::timestamp(job.created_at)),
        finished_at: job.finished_at.map(proto::timestamp),
    }
}
