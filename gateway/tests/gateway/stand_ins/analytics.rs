//! The stand-in for analytics: says what it was asked.

use std::sync::Arc;

use kit::Error;
use proto::analytics::v1::analytics_service_server::AnalyticsService;
use proto::analytics::v1::{QueryRequest, QueryResponse};
use serde_json::json;
use tonic::{Request, Response};

use super::{Answer, Stage};

pub struct Analytics(pub Arc<Stage>);

impl Analytics {
    async fn said(&self, method: &str, request: Request<QueryRequest>) -> Answer<QueryResponse> {
        self.0.staff(&request, format!("analytics {method}")).await?;
        let QueryRequest { query, multi } = request.into_inner();
        match query.as_str() {
            "" => Err(Error::invalid("ANALYTICS_QUERY", "Query param is required").into()),
            r#"{"measures":["Delivery.none"]}"# => {
                let text = "'none' not found for path 'Delivery.none'";
                Err(Error::invalid("ANALYTICS_MEMBER_UNKNOWN", text).into())
            }
            _ => {
                let body = json!({ "method": method, "query": query, "multi": multi }).to_string();
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
}
