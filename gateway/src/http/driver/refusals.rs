//! Refusals of the driver API, in responses and in the document.

use std::collections::BTreeMap;

use http::StatusCode;
use kit::Error;
use serde::Serialize;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::http::{code, text};

/// Why a call, or one entry of it, was refused.
#[derive(Debug, Serialize, ToSchema)]
pub struct Refusal {
    /// The kind of refusal: `BAD_USER_INPUT`, `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`,
    /// `FAILED_PRECONDITION`, `RATE_LIMITED`, `STORAGE_FULL`, `UNAVAILABLE`, `INTERNAL` and a few for protocol
    /// errors.
    pub code: String,
    /// The exact case, such as `DELIVERY_NOT_FOUND`.
    pub reason: String,
    /// A sentence for the driver.
    pub message: String,
    /// Problems by field of the request.
    pub fields: BTreeMap<String, Vec<String>>,
}

impl From<&Error> for Refusal {
    fn from(error: &Error) -> Self {
        Self {
            code: code(error.kind).to_owned(),
            reason: error.reason.clone(),
            message: text(error).to_owned(),
            fields: error.fields.clone(),
        }
    }
}

/// The body of every unsuccessful response.
#[derive(Debug, Serialize, ToSchema)]
pub struct Refused {
    pub error: Refusal,
}

/// The possible refusals of every call. Their bodies have the same format.
pub struct Refusals;

const REFUSALS: [(StatusCode, &str); 12] = [
    (StatusCode::BAD_REQUEST, "The request is invalid; `fields` says why"),
    (StatusCode::UNAUTHORIZED, "Not signed in, or the session has ended"),
    (StatusCode::FORBIDDEN, "Not for this account: it is not a driver's, or the driver is blocked"),
    (StatusCode::NOT_FOUND, "Not found, or another driver's delivery"),
    (StatusCode::CONFLICT, "Not possible in the current state"),
    (StatusCode::PAYLOAD_TOO_LARGE, "The body is too large, compressed or decompressed"),
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is not JSON, or not compressed with gzip"),
    (StatusCode::TOO_MANY_REQUESTS, "Too often; `Retry-After` says when to come back"),
    (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong here"),
    (StatusCode::SERVICE_UNAVAILABLE, "Not right now; send it again later"),
    (StatusCode::GATEWAY_TIMEOUT, "It took too long; send it again later"),
    (StatusCode::INSUFFICIENT_STORAGE, "There is no space left here; send it again later"),
];

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let refusal = |(status, description): (StatusCode, &str)| {
            let body = Content::new(Some(Ref::from_schema_name("Refused")));
            let response =
                ResponseBuilder::new().description(description).content("application/json", body).build();
            (status.as_str().to_owned(), RefOr::T(response))
        };
        REFUSALS.into_iter().map(refusal).collect()
    }
}
