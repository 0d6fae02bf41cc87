//! Where other systems report what they could not send: `POST /intake/v1/dead-letters`.
//!
//! The answer comes after the commit, so a producer that has it need not keep the letter. The bearer is the producer's
//! own token, which deliveries knows; docs/intake.md describes the body.

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
/// A little more than deliveries reads, so that what is too long for it is kept and named there.
const MOST: usize = 512 << 10;

pub async fn raise(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, stream) = request.into_parts();
    let Some(token) = bearer(&parts.headers).map(str::to_owned) else {
        return refuse(&Error::unauthenticated("PRODUCER_TOKEN_INVALID"));
    };
    let key = match idempotency_key(&parts.headers) {
        Ok(key) => key,
        Err(error) => return refuse(&error),
    };
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
        let text = "The token is not that of an active producer.";
        return SHAPE.answer(error, StatusCode::UNAUTHORIZED, text);
    }
    // Kept, but not as a letter: the same would be refused again.
    if error.kind == Kind::InvalidInput {
        return SHAPE.answer(error, StatusCode::UNPROCESSABLE_ENTITY, &error.message);
    }
    SHAPE.fail(error)
}

fn idempotency_key(headers: &HeaderMap) -> Result<String, Error> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(String::new()) };
    let text = "The idempotency key must be 1 to 200 printable ASCII characters";
    let wrong = || Error::invalid_field("id", text);
    let key = key.to_str().map_err(|_| wrong())?.trim();
    if key.is_empty() || key.len() > 200 { Err(wrong()) } else { Ok(key.to_owned()) }
}
