//! Receives failed messages of other systems: `POST /intake/v1/dead-letters`.
//!
//! Responds only after the commit, so the producer may then delete its message. The bearer token is the
//! producer's, and deliveries checks it. docs/intake.md describes the body.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use kit::{Error, Kind};
use proto::deliveries::v1::RaiseDeadLetterRequest;
use proto::deliveries::v1::intake_service_client::IntakeServiceClient;
use proto::deliveries::v1::raise_dead_letter_request::Content;
use serde_json::json;

use super::{Shape, body};
use crate::session::bearer;
use crate::state::App;

pub const PATH: &str = "/intake/v1/dead-letters";
const SHAPE: Shape = Shape::Plain;
/// Slightly more than the deliveries service accepts, so that the service stores and reports oversized
/// messages.
const MOST: usize = 512 << 10;

pub async fn raise(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, stream) = request.into_parts();
    let Some(token) = bearer(&parts.headers).map(str::to_owned) else {
        return refuse(&Error::unauthenticated("PRODUCER_TOKEN_INVALID"));
    };
    let key = idempotency_key(&parts.headers);
    let json = match body(SHAPE, &parts.headers, stream, MOST).await {
        Ok(bytes) => bytes,
        Err(refusal) => return refusal,
    };
    let ask =
        RaiseDeadLetterRequest { token, idempotency_key: key, content: Some(Content::Json(json.into())) };
    match IntakeServiceClient::new(app.deliveries.anonymous()).raise_dead_letter(ask).await {
        Ok(answer) => {
            let answer = answer.into_inner();
            let status = if answer.repeated { StatusCode::OK } else { StatusCode::CREATED };
            (status, Json(json!({ "id": answer.id, "repeated": answer.repeated }))).into_response()
        }
        Err(status) => refuse(&status.into()),
    }
}

fn refuse(error: &Error) -> Response {
    if error.kind == Kind::Unauthenticated {
        let text = "The token doesn't belong to an active producer.";
        return SHAPE.answer(error, StatusCode::UNAUTHORIZED, text);
    }
    // The content was stored, but not as a dead letter. Sending it again would be refused, too.
    if error.kind == Kind::InvalidInput {
        return SHAPE.answer(error, StatusCode::UNPROCESSABLE_ENTITY, &error.message);
    }
    SHAPE.fail(error)
}

/// Returns the idempotency key; an empty string if there is none. The deliveries service refuses an invalid
/// key, but stores the content of the report.
fn idempotency_key(headers: &HeaderMap) -> String {
    let key = headers.get("idempotency-key").map_or(&b""[..], |key| key.as_bytes());
    String::from_utf8_lossy(key).trim().to_owned()
}
