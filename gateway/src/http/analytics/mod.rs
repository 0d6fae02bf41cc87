//! Analytics for the published Cube clients: by REST here, and over a WebSocket in `socket`.
//!
//! The service checks permissions and interprets queries. This module reads tokens and parameters in the
//! clients' formats and writes errors: `error` is always a string, and only status 200 is success. For a
//! saved query, clients send its id. Its text comes from the settings service and runs as a query of the
//! query lab.

mod polling;
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
use proto::settings::v1::GetSavedQueryRequest;
use proto::settings::v1::saved_views_service_client::SavedViewsServiceClient;
use serde::Deserialize;
use serde_json::json;

use request::Asked;

use crate::http::shape::ANALYTICS as BASE;
use crate::http::{later, retry_after, with_retry};
use crate::session::{self, Identity, Session};
use crate::state::App;

/// Takes precedence over `Authorization`, which a proxy may use for itself.
pub const OWN_HEADER: HeaderName = HeaderName::from_static("x-cube-authorization");
/// A query with this header comes from the query lab and is recorded in the audit log before it runs. The
/// value [`AGAIN`] marks a repetition after the answer "Continue wait". Repetitions are not recorded.
pub const LAB_HEADER: HeaderName = HeaderName::from_static("x-query-lab");
const AGAIN: &str = "again";
/// Maximum size of an answer. The service limits values to 16 MiB, but the member names beside them make an
/// answer larger.
const MAX_ANSWER: usize = 64 * 1024 * 1024;

/// The service's methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Load,
    Sql,
    DryRun,
    Meta,
}

impl Method {
    /// Returns the method for the last segment of a URL path, or for a method name on the socket.
    fn named(name: &str) -> Option<Self> {
        match name {
            // Over HTTP, clients subscribe by polling.
            "load" | "subscribe" => Some(Self::Load),
            "sql" => Some(Self::Sql),
            "dry-run" => Some(Self::DryRun),
            "meta" => Some(Self::Meta),
            _ => None,
        }
    }

    /// Returns the permission that a refused caller lacks, by its name in Cube's API.
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

/// Returns the token of a request, which may follow a scheme such as `Bearer`. Clients without a token send
/// "null" or "undefined".
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
    let in_lab = request.headers().get(LAB_HEADER).filter(|_| method == Method::Load).cloned();
    let mut asked = match request::read(request).await {
        Ok(asked) => asked,
        Err(response) => return response,
    };
    let answer = match method {
        Method::Load => {
            asked.request.lab = in_lab.is_some();
            load(&app, session, asked, in_lab.is_some_and(|it| it == AGAIN)).await
        }
        _ => call(&app, session, method, asked.request).await,
    };
    match answer {
        Ok(body) => ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response(),
        Err(refused) => refused.into_response(),
    }
}

async fn load(app: &App, session: &Session, asked: Asked, is_again: bool) -> Result<String, Refused> {
    call(app, session, Method::Load, prepare(app, session, asked, is_again).await?).await
}

/// Returns the query to run, which is the saved one if the caller names one. A query of the query lab is
/// recorded first unless it only repeats one. A saved query always belongs to the lab.
async fn prepare(
    app: &App,
    session: &Session,
    asked: Asked,
    is_again: bool,
) -> Result<QueryRequest, Refused> {
    let refused = |error: &Error| Refused::of(error, Method::Load);
    let Asked { mut request, saved_query } = asked;
    let (mut id, mut name) = <(String, String)>::default();
    if let Some(wanted) = saved_query {
        let saved = saved(app, session, wanted).await.map_err(|error| refused(&error))?;
        (id, name) = (saved.id, saved.name);
        request = QueryRequest { query: saved.query, lab: true, ..request };
    }
    if request.lab && !is_again {
        let recorded = app.accesses.queried(session, (&id, &name), &request.query).await;
        recorded.map_err(|error| refused(&error))?;
    }
    Ok(request)
}

/// A saved query that the caller may run.
struct Saved {
    id: String,
    name: String,
    query: String,
}

async fn saved(app: &App, session: &Session, id: String) -> kit::Result<Saved> {
    #[derive(Deserialize)]
    struct State {
        query: String,
    }
    let mut client = SavedViewsServiceClient::new(session.client(&app.settings));
    let view = client.get_saved_query(GetSavedQueryRequest { id }).await?.into_inner();
    let content = view.content.unwrap_or_default();
    let State { query } = serde_json::from_str(&content.state).map_err(Error::internal)?;
    Ok(Saved { id: view.id, name: content.name, query })
}

/// Calls the service and returns the body of its answer.
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
    let refused = |text: &str| Refused::new(StatusCode::FORBIDDEN, text);
    match identity {
        Identity::SignedIn(session) => Ok(session),
        Identity::Anonymous(reason) if reason == "TOKEN_MISSING" => {
            Err(refused("Authorization header isn't set"))
        }
        Identity::Anonymous(_) => Err(refused("Invalid token")),
        Identity::Unknown(_) => Err(Refused::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Sign-in is not available right now. Try again in a moment.",
        )),
    }
}

/// A refusal in the format that Cube clients expect.
struct Refused {
    status: StatusCode,
    kind: Option<&'static str>,
    text: String,
    /// Seconds after which to retry.
    retry_after: Option<u64>,
}

impl Refused {
    fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, kind: None, text: text.into(), retry_after: later(status) }
    }

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
        let kind = (error.reason == "ANALYTICS_MEMBER_UNKNOWN").then_some("UserError");
        Self { status, kind, text, retry_after: retry_after(error) }
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
        with_retry((self.status, axum::Json(self.body())).into_response(), self.retry_after)
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
    fn what_is_refused_only_for_now_says_when_to_retry() {
        let retry = |response: Response| {
            let seconds = response.headers().get(http::header::RETRY_AFTER);
            seconds.map(|it| it.to_str().unwrap().to_owned()).unwrap_or_default()
        };
        for (error, seconds) in [
            (Error::rate_limited("SOMETHING", "Not now.", std::time::Duration::from_secs(7)), "7"),
            (Error::unavailable("SOMETHING", "Not now."), "5"),
            (Error::storage_full("SOMETHING", "Not now."), "60"),
            (Error::invalid("SOMETHING", "No."), ""),
        ] {
            assert_eq!(retry(Refused::of(&error, Method::Load).into_response()), seconds, "{error:?}");
        }
        assert_eq!(retry(Refused::new(StatusCode::SERVICE_UNAVAILABLE, "Not now.").into_response()), "5");
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
