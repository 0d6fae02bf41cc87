//! The transport of GraphQL: one JSON request, one JSON response.
//!
//! GraphQL errors have status 200, because the browser's client reads them only then. Only the bearer token
//! authenticates, never the cookie, so no other site can act through a user's browser. Deliberately absent:
//! batches, persisted queries, uploads; subscriptions (`live`).

use std::sync::Arc;

use async_graphql::{Request as Execution, Response as Outcome, Variables};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use super::Shape;
use crate::graphql::measured::Measured;
use crate::graphql::{Address, Graph, Viewer, error};
use crate::observe::RequestId;
use crate::session;
use crate::state::App;

const SHAPE: Shape = Shape::Graphql;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ask {
    query: Option<String>,
    operation_name: Option<String>,
    #[serde(default)]
    variables: Variables,
    extensions: Option<Extensions>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extensions {
    persisted_query: Option<serde::de::IgnoredAny>,
}

pub async fn post(
    State(app): State<Arc<App>>,
    Extension(graph): Extension<Arc<Graph>>,
    Extension(RequestId(id)): Extension<RequestId>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    if !is_json(&parts.headers) {
        return SHAPE.refuse(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "BAD_USER_INPUT",
            "Send the request as application/json.",
        );
    }
    let body = match super::body(SHAPE, &parts.headers, body, app.config.graphql.max_body_bytes).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    // serde would also parse a list, as the values of the fields in order, but a batch is not a request.
    if !body.trim_ascii_start().starts_with(b"{") {
        return bad_request("Send one request, as a JSON object.");
    }
    let Ok(ask) = serde_json::from_slice::<Ask>(&body) else {
        return bad_request("The request is not a GraphQL request in JSON.");
    };
    let Some(query) = ask.query else {
        return match ask.extensions.and_then(|it| it.persisted_query) {
            Some(_) => {
                SHAPE.refuse(StatusCode::OK, "PERSISTED_QUERY_NOT_SUPPORTED", "PersistedQueryNotSupported")
            }
            None => bad_request("The request has no query."),
        };
    };
    let mut measured = None;
    let mut outcome = match graph.documents.read(&query) {
        Ok(document) => {
            measured = Some(Measured::begin(&document));
            let identity = session::identify(&app, &parts.headers, &parts.extensions).await;
            let viewer = Viewer::new(app.clone(), identity);
            let address = Address(session::address(&app, &parts.headers, &parts.extensions));
            let mut execution = Execution::new("").variables(ask.variables).data(viewer).data(address);
            execution.operation_name = ask.operation_name.filter(|name| !name.is_empty());
            execution.set_parsed_query(document);
            graph.schema.execute(execution).await
        }
        Err(refused) => Outcome::from_errors(vec![refused]),
    };
    error::complete(&mut outcome, &id);
    if let Some(measured) = measured {
        measured.end(&outcome);
    }
    Json(outcome).into_response()
}

fn bad_request(text: &str) -> Response {
    SHAPE.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", text)
}

/// Returns whether the body is JSON. Other types are refused, because a form of another site can send them
/// without a preflight request.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
