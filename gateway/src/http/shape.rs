//! The error format of each URL path, and the reading of bodies up to a limit.

use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{ALLOW, CONTENT_LENGTH, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use kit::error::Fields;
use kit::{Error, Kind};
use serde_json::{Value, json};

/// The base path that the published analytics clients call.
pub const ANALYTICS: &str = "/cubejs-api/v1";

/// Returns whether a URL path belongs to analytics.
pub fn is_analytics(path: &str) -> bool {
    path == "/load" || path.starts_with(ANALYTICS)
}

/// The error format that callers of a URL path expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `{errors: [{message, extensions}]}`
    Graphql,
    /// `{ok: false, error, code}`, and the `reason` of a service's error
    Action,
    /// `{error, code}`, the `reason` of a service's error, and `fields` if some fields are wrong
    Plain,
    /// `{error: {code, reason, message, fields}}`
    Driver,
    /// No body at all, because the browser takes any text of `GET /auth` for a token.
    Empty,
}

impl Shape {
    pub fn of(method: &Method, path: &str) -> Self {
        match path {
            "/graphql" => Self::Graphql,
            "/auth" if method == Method::GET || method == Method::HEAD => Self::Empty,
            "/request-upload-link" | "/request-logo-upload-link" => Self::Action,
            "/upload-deliveries" | "/undo-uploaded-deliveries" | "/geocode" => Self::Action,
            "/export/deliveries" | "/export/driver-positions" => Self::Action,
            path if path.starts_with("/delivery-forms/") => Self::Action,
            path if path.starts_with("/driver/v1/") => Self::Driver,
            _ => Self::Plain,
        }
    }

    /// Returns an error in this format. `code` is one of the GraphQL codes.
    pub fn refuse(self, status: StatusCode, code: &str, text: &str) -> Response {
        self.shaped(status, code, text, later(status))
    }

    fn shaped(self, status: StatusCode, code: &str, text: &str, wait: Option<u64>) -> Response {
        let body = match self {
            Self::Graphql => {
                let mut extensions = json!({ "code": code });
                if let Some(seconds) = wait {
                    extensions["retryAfter"] = seconds.into();
                }
                json!({ "errors": [{ "message": text, "extensions": extensions }] })
            }
            Self::Action => json!({ "ok": false, "error": text, "code": code }),
            Self::Plain => json!({ "error": text, "code": code }),
            Self::Driver => driver_refusal(code, code, text, &Fields::new()),
            Self::Empty => return with_retry(status.into_response(), wait),
        };
        refusal(status, &body, wait)
    }

    /// Returns a service's error in this format, and logs it.
    pub fn fail(self, error: &Error) -> Response {
        error.log();
        self.answer(error, status(error), text(error))
    }

    /// Returns an error in this format, with the given status and text.
    pub fn answer(self, error: &Error, status: StatusCode, text: &str) -> Response {
        let (code, wait) = (code(error.kind), retry_after(error).or_else(|| later(status)));
        match self {
            Self::Action => {
                let body = json!({ "ok": false, "error": text, "code": code, "reason": error.reason });
                refusal(status, &body, wait)
            }
            Self::Plain => {
                let mut body = json!({ "error": text, "code": code, "reason": error.reason });
                if !error.fields.is_empty() {
                    body["fields"] = json!(error.fields);
                }
                refusal(status, &body, wait)
            }
            Self::Driver => refusal(status, &driver_refusal(code, &error.reason, text, &error.fields), wait),
            Self::Graphql | Self::Empty => self.shaped(status, code, text, wait),
        }
    }
}

fn driver_refusal(code: &str, reason: &str, text: &str, fields: &Fields) -> Value {
    json!({ "error": { "code": code, "reason": reason, "message": text, "fields": fields } })
}

fn refusal(status: StatusCode, body: &Value, wait: Option<u64>) -> Response {
    with_retry((status, Json(body)).into_response(), wait)
}

/// Sets the header that says after how many seconds to retry.
pub fn with_retry(mut response: Response, seconds: Option<u64>) -> Response {
    if let Some(seconds) = seconds {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Returns the code of an error's kind, by which forms and pages tell errors apart.
pub fn code(kind: Kind) -> &'static str {
    match kind {
        Kind::InvalidInput | Kind::AlreadyExists => "BAD_USER_INPUT",
        Kind::NotFound => "NOT_FOUND",
        Kind::FailedPrecondition => "FAILED_PRECONDITION",
        Kind::Unauthenticated => "UNAUTHENTICATED",
        Kind::Forbidden => "FORBIDDEN",
        Kind::RateLimited => "RATE_LIMITED",
        Kind::StorageFull => "STORAGE_FULL",
        Kind::Unavailable => "UNAVAILABLE",
        Kind::Internal => "INTERNAL",
    }
}

/// Returns the text to show. For missing permissions the text is fixed, whoever refused.
pub fn text(error: &Error) -> &str {
    match error.kind {
        Kind::Internal => "Something went wrong",
        Kind::Unauthenticated => "You don't have permission to do that.",
        Kind::Forbidden if error.reason == "INTERNAL" => "You don't have access to do that.",
        _ => &error.message,
    }
}

/// Returns the number of seconds after which to retry what is refused only for now: the error's own, or a
/// default for its kind.
pub fn retry_after(error: &Error) -> Option<u64> {
    error.retry_after.map(whole_seconds).or_else(|| later(status(error)))
}

/// Rounds up, because a caller that comes too early is refused again.
pub fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

/// Returns the default number of seconds after which to retry; `None` if the refusal is final.
pub fn later(status: StatusCode) -> Option<u64> {
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            Some(5)
        }
        // Somebody has to make room first.
        StatusCode::INSUFFICIENT_STORAGE => Some(60),
        _ => None,
    }
}

fn status(error: &Error) -> StatusCode {
    match error.kind {
        Kind::InvalidInput if error.reason == "OBJECT_TOO_LARGE" => StatusCode::PAYLOAD_TOO_LARGE,
        Kind::InvalidInput if error.reason == "IDEMPOTENCY_KEY_REUSED" => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::InvalidInput => StatusCode::BAD_REQUEST,
        Kind::AlreadyExists | Kind::FailedPrecondition => StatusCode::CONFLICT,
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::Unauthenticated => StatusCode::UNAUTHORIZED,
        Kind::Forbidden => StatusCode::FORBIDDEN,
        Kind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Kind::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
        Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

pub fn not_found(shape: Shape) -> Response {
    shape.refuse(StatusCode::NOT_FOUND, "NOT_FOUND", "There is nothing at this address.")
}

/// Responds to an API call with a verb that its URL does not support. A GET gets "not found", as for any
/// other URL without a page.
pub async fn wrong_verb(request: Request) -> Response {
    let shape = Shape::of(request.method(), request.uri().path());
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return not_found(shape);
    }
    let mut response = shape.refuse(
        StatusCode::METHOD_NOT_ALLOWED,
        "METHOD_NOT_ALLOWED",
        "This address does not support that method.",
    );
    let allowed = match request.uri().path() {
        "/graphql" | "/upload-deliveries" => "GET, POST",
        path if is_analytics(path) => "GET, POST",
        "/request-upload-link" | "/request-logo-upload-link" | "/undo-uploaded-deliveries" => "POST",
        "/intake/v1/dead-letters" => "POST",
        path if path.starts_with("/objects/") => "GET, PUT",
        _ => "GET",
    };
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// Reads the whole body, or returns the refusal.
pub async fn body(shape: Shape, headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Response> {
    let too_large = || {
        kit::metrics::refused("body_bytes");
        shape.refuse(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", "The request is too large.")
    };
    // The request announces a body that is too large: refuse it unread.
    if content_length(headers).is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(_) => Err(shape.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", "The request was cut off.")),
    }
}

pub fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 5] = [Shape::Graphql, Shape::Action, Shape::Plain, Shape::Driver, Shape::Empty];

    fn retry(response: &Response) -> &str {
        response.headers().get(RETRY_AFTER).map_or("", |seconds| seconds.to_str().unwrap())
    }

    #[test]
    fn what_is_refused_only_for_now_says_when_to_retry() {
        for shape in SHAPES {
            for (kind, seconds) in [
                (Kind::RateLimited, "5"),
                (Kind::Unavailable, "5"),
                (Kind::StorageFull, "60"),
                (Kind::FailedPrecondition, ""),
                (Kind::Internal, ""),
            ] {
                let error = Error::new(kind, "SOMETHING", "Not now.");
                assert_eq!(retry(&shape.fail(&error)), seconds, "{shape:?} {kind:?}");
            }
            let own = Error::rate_limited("SOMETHING", "Not now.", Duration::from_millis(7_001));
            assert_eq!(retry(&shape.fail(&own)), "8", "{shape:?}");
            let slow = shape.refuse(StatusCode::GATEWAY_TIMEOUT, "UNAVAILABLE", "Not now.");
            assert_eq!(retry(&slow), "5", "{shape:?}");
        }
    }
}
