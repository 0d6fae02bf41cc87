//! The stand-in for analytics: echoes requests.

use std::sync::Arc;

use kit::{Error, Kind, Role};
use proto::analytics::v1::analytics_service_server::AnalyticsService;
use proto::analytics::v1::{GetRebuildRequest, QueryRequest, QueryResponse, Rebuild, RequestRebuildRequest};
use serde_json::json;
use tonic::{Request, Response};

use super::{Answer, Stage};

pub struct Analytics(pub Arc<Stage>);

impl Analytics {
    async fn said(&self, method: &str, request: Request<QueryRequest>) -> Answer<QueryResponse> {
        self.0.staff(&request, format!("analytics {method}")).await?;
        let QueryRequest { query, multi, lab } = request.into_inner();
        match query.as_str() {
            // Fails as the test requests.
            text if text.starts_with("{\"fails\":") => {
                let kinds = [Kind::FailedPrecondition, Kind::RateLimited, Kind::Unavailable, Kind::Internal];
                let kind = kinds.into_iter().find(|kind| text.contains(&format!("{kind:?}")));
                Err(Error::new(kind.unwrap_or(Kind::Internal), "SOME_REASON", "some text").into())
            }
            "" => Err(Error::invalid("ANALYTICS_QUERY", "Query param is required").into()),
            r#"{"measures":["Delivery.none"]}"# => {
                let text = "'none' not found for path 'Delivery.none'";
                Err(Error::invalid("ANALYTICS_MEMBER_UNKNOWN", text).into())
            }
            _ => {
                let mut body = json!({ "method": method, "query": query, "multi": multi });
                if lab {
                    body["lab"] = true.into();
                }
                let body = body.to_string();
                Ok(Response::new(QueryResponse { body, data_version: 1 }))
            }
        }
    }
}

#[tonic::async_trait]
impl AnalyticsService for Analytics {
    async fn load(&self, request: Request<QueryRequest>) -> Answer<QueryResponse> {
        self.said("load", request).await
    }

    async fn dry_run(&self, request: Request<QueryRequest>) -> Answer<QueryResponse> {
        self.said("dry-run", request).await
    }

    async fn sql(&self, request: Request<QueryRequest>) -> Answer<QueryResponse> {
        self.said("sql", request).await
    }

    async fn meta(&self, request: Request<QueryRequest>) -> Answer<QueryResponse> {
        self.said("meta", request).await
    }

    async fn request_rebuild(&self, request: Request<RequestRebuildRequest>) -> Answer<Rebuild> {
        self.0.holder(Role::ADMINS, &request, "analytics request rebuild").await?;
        Ok(Response::new(rebuild("waiting")))
    }

    async fn get_rebuild(&self, request: Request<GetRebuildRequest>) -> Answer<Rebuild> {
        self.0.holder(Role::ADMINS, &request, "analytics get rebuild").await?;
        Ok(Response::new(rebuild("running")))
    }
}

fn rebuild(state: &str) -> Rebuild {
    Rebuild {
        id: "0192d3a0-0000-7000-8000-000000000001".to_owned(),
        state: state.to_owned(),
        deliveries: 40,
        total: Some(100),
        created_by: "admin".to_owned(),
        created_at: Some(proto::timestamp(chrono::DateTime::UNIX_EPOCH)),
        ..Rebuild::default()
    }
}
