//! Answers the contract: who may ask, then the query language of `query`.

use kit::Result;
use kit::principal::{Role, principal};
use proto::analytics::v1::analytics_service_server::AnalyticsService;
use proto::analytics::v1::{QueryRequest, QueryResponse};
use tonic::{Request, Response, Status};

use crate::answers::Answers;
use crate::query::answer;
use crate::query::check::{Asked, check};
use crate::{Context, meta};

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
        principal(&request)?.require(Role::STAFF)?;
        let QueryRequest { query, multi } = request.into_inner();
        let (body, data_version) = self.answers.load(self.check(&query)?, multi).await?;
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
}
