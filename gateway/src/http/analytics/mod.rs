//! Analytics for the published Cube clients: REST here, the same over a WebSocket in `socket`.
//!
//! Who may ask what, and what a query means, is decided by the service. Here are only the forms in which clients send
//! tokens and parameters, and the form of errors: `error` is always a text, and only 200 is success.

mod request;
mod socket;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use kit::{Error, Kind};
use proto::analytics::v1::QueryRequest;
use proto::analytics::v1::analytics_service_client::AnalyticsServiceClient;
use serde_json::json;

use crate::http::shape::ANALYTICS as BASE;
use crate::session::{self, Identity, Session};
use crate::state::App;

/// Goes before the other, where a proxy takes that one for itself.
pub const OWN_HEADER: HeaderName = HeaderName::from_static("x-cube-authorization");
/// A query with this header comes from the query lab, and is recorded in the audit log before it is run.
pub const LAB_HEADER: HeaderName = HeaderName::from_static("x-query-lab");
/// An answer of the service is 16 MiB of values at most; with the names of their members before each it is more.
const MAX_ANSWER: usize = 64 * 1024 * 1024;

/// What is asked of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Load,
    Sql,
    DryRun,
    Meta,
}

impl Method {
    /// By the last part of the address, or the name on the socket.
    fn named(name: &str) -> Option<Self> {
        match name {
            // Over HTTP a client that subscribes asks again and again.
            "load" | "subscribe" => Some(Self::Load),
            "sql" => Some(Self::Sql),
            "dry-run" => Some(Self::DryRun),
            "meta" => Some(Self::Meta),
            _ => None,
        }
    }

    /// The right that is missing when the caller may not, in the words of the contract.
    fn scope(self) -> &'static str {
        match self {
            Self::Load | Self::DryRun => "data",
            Self::Sql => "sql",
            Self::Meta => "meta",
        }
    }
}

pub fn router() -> Router<Arc<App>> {
    let mut router = Router::new().route("/load", any(answer)).route(BASE, get(socket::upgrade));
    for name in ["load", "subscribe", "sql", "dry-run", "meta"] {
        router = router.route(&format!("{BASE}/{name}"), any(answer));
    }
    router
}

/// The token of a request, with a scheme before it or without. Clients that have none send the word.
pub fn token(headers: &HeaderMap) -> Option<&str> {
    let header = headers.get(OWN_HEADER).or_else(|| headers.get(AUTHORIZATION))?;
    bare(header.to_str().ok()?)
}

fn bare(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let token = words.next().unwrap_or(first);
    Some(token).filter(|token| !matches!(*token, "null" | "undefined"))
}

async fn answer(State(app): State<Arc<App>>, request: Request) -> Response {
    let path = request.uri().path();
    let Some(method) = path.rsplit('/').next().and_then(Method::named) else {
        return super::not_found(super::Shape::Plain);
    };
    if !matches!(*request.method(), http::Method::GET | http::Method::POST) {
        return super::wrong_verb(request).await;
    }
    let address = session::address(&app, request.headers(), request.extensions());
    let identity = session::identify_token(&app, token(request.headers()), &address).await;
    let session = match signed_in(&identity) {
        Ok(session) => session,
        Err(refused) => return refused.into_response(),
    };
    let is_of_lab = method == Method::Load && request.headers().contains_key(LAB_HEADER);
    let asked = match request::read(request).await {
        Ok(asked) => asked,
        Err(response) => return response,
    };
    if is_of_lab && let Err(error) = app.accesses.queried(session, &asked.query).await {
        return Refused::of(&error, method).into_response();
    }
    match call(&app, session, method, asked).await {
        Ok(body) => ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response(),
        Err(refused) => refused.into_response(),
    }
}

/// Asks the service for its body.
async fn call(app: &App, session: &Session, method: Method, asked: QueryRequest) -> Result<String, Refused> {
    let client = AnalyticsServiceClient::new(session.client(&app.analytics));
    let mut client = client.max_decoding_message_size(MAX_ANSWER);
    let answer = match method {
        Method::Load => client.load(asked).await,
        Method::Sql => client.sql(asked).await,
        Method::DryRun => client.dry_run(asked).await,
        Method::Meta => client.meta(asked).await,
    };
    match answer {
        Ok(answer) => Ok(answer.into_inner().body),
        Err(status) => Err(Refused::of(&Error::from(status), method)),
    }
}

fn signed_in(identity: &Identity) -> Result<&Session, Refused> {
    let refused = |text: &str| Refused { status: StatusCode::FORBIDDEN, kind: None, text: text.to_owned() };
    match identity {
        Identity::SignedIn(session) => Ok(session),
        Identity::Anonymous(reason) if reason == "TOKEN_MISSING" => {
            Err(refused("Authorization header isn't set"))
        }
        Identity::Anonymous(_) => Err(refused("Invalid token")),
        Identity::Unknown(_) => Err(Refused {
            status: StatusCode::SERVICE_UNAVAILABLE,
            kind: None,
            text: "Sign-in is not available right now. Try again in a moment.".to_owned(),
        }),
    }
}

/// A refusal in the shape of the contract.
struct Refused {
    status: StatusCode,
    kind: Option<&'static str>,
    text: String,
}

impl Refused {
    fn of(error: &Error, method: Method) -> Self {
        error.log();
        let text = error.message.clone();
        let (status, text) = match error.kind {
            Kind::InvalidInput | Kind::FailedPrecondition | Kind::NotFound | Kind::AlreadyExists => {
                (StatusCode::BAD_REQUEST, text)
            }
            Kind::Unauthenticated => (StatusCode::FORBIDDEN, "Invalid token".to_owned()),
            Kind::Forbidden => (StatusCode::FORBIDDEN, format!("API scope is missing: {}", method.scope())),
            Kind::RateLimited => (StatusCode::TOO_MANY_REQUESTS, text),
            Kind::Unavailable | Kind::StorageFull => (StatusCode::SERVICE_UNAVAILABLE, text),
            Kind::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "Error: Something went wrong".to_owned()),
        };
        Self { status, kind: (error.reason == "ANALYTICS_MEMBER_UNKNOWN").then_some("UserError"), text }
    }

    fn body(&self) -> serde_json::Value {
        match self.kind {
            Some(kind) => json!({ "type": kind, "error": self.text }),
            None => json!({ "error": self.text }),
        }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, axum::Json(self.body())).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_bare_or_behind_a_scheme_and_words_for_nothing_are_none() {
        for (text, expected) in [
            ("abc.def", Some("abc.def")),
            ("Bearer abc", Some("abc")),
            ("anything abc", Some("abc")),
            ("  abc  ", Some("abc")),
            ("null", None),
            ("undefined", None),
            ("Bearer undefined", None),
            ("", None),
        ] {
            assert_eq!(bare(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_own_header_goes_before_the_common_one() {
        let mut headers = HeaderMap::new();
        assert_eq!(token(&headers), None);
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer common"));
        assert_eq!(token(&headers), Some("common"));
        headers.insert(OWN_HEADER, HeaderValue::from_static("own"));
        assert_eq!(token(&headers), Some("own"));
    }
}
