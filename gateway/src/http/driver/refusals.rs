//! How a call of the driver API is refused, in the answer and in its document.

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
    /// What kind of refusal it is: `BAD_USER_INPUT`, `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`,
    /// `FAILED_PRECONDITION`, `RATE_LIMITED`, `UNAVAILABLE`, `INTERNAL` and a few of the protocol.
    pub code: String,
    /// The exact case, such as `DELIVERY_NOT_FOUND`.
    pub reason: String,
    /// A sentence for the driver.
    pub message: String,
    /// What is wrong with which field of the request.
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

/// The body of every answer that is not a good one.
#[derive(Debug, Serialize, ToSchema)]
pub struct Refused {
    pub error: Refusal,
}

/// How every call may be refused; the bodies are alike.
pub struct Refusals;

const REFUSALS: [(StatusCode, &str); 11] = [
    (StatusCode::BAD_REQUEST, "Something of the request is wrong; `fields` says what"),
    (StatusCode::UNAUTHORIZED, "Nobody is signed in, or no longer"),
    (StatusCode::FORBIDDEN, "Not for this account: no driver, a blocked one, or another's delivery"),
    (StatusCode::NOT_FOUND, "There is no such thing"),
    (StatusCode::CONFLICT, "It cannot be done as things stand"),
    (StatusCode::PAYLOAD_TOO_LARGE, "The body is too large, packed or unpacked"),
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is not JSON, or packed in another way than gzip"),
    (StatusCode::TOO_MANY_REQUESTS, "Too often; `Retry-After` says when to come back"),
    (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong here"),
    (StatusCode::SERVICE_UNAVAILABLE, "Not right now; send it again later"),
    (StatusCode::GATEWAY_TIMEOUT, "It took too long; send it again later"),
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
