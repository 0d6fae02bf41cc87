//! The auth endpoint: sign in, sign out, and the token for everything else.
//!
//! What an answer must look like is fixed by the browser's client: a POST is answered with JSON
//! whatever happens, and `GET ?method=getToken` with the token or nothing, as any other text would
//! become the token. Deliberately absent: sign-up and password reset, which are not enabled.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, HOST, ORIGIN, SET_COOKIE, USER_AGENT};
use http::{HeaderMap, HeaderValue, StatusCode, request::Parts};
use kit::{Error, Kind, Result};
use proto::auth::v1::{IssueTokenRequest, LoginRequest, LoginResponse};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Shape, code, not_found, text};
use crate::session;
use crate::state::App;

const MAX_BODY: usize = 16 * 1024;
const MAX_USER_AGENT: usize = 300;

#[derive(Deserialize)]
pub struct Ask {
    #[serde(default)]
    method: String,
}

/// `GET /auth?method=getToken`.
pub async fn get_token(
    State(app): State<Arc<App>>,
    ask: Result<Query<Ask>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    if !ask.is_ok_and(|Query(ask)| ask.method == "getToken") {
        return not_found(Shape::Plain);
    }
    let plain = [(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"))];
    let Some(secret) = session::secret(&headers, app.is_https(&headers)) else {
        return (plain, "").into_response();
    };
    let ask = IssueTokenRequest { session_secret: secret.to_owned() };
    match app.auth_client().issue_token(ask).await.map_err(Error::from) {
        Ok(answer) => (plain, answer.into_inner().token).into_response(),
        Err(error) if error.kind == Kind::Unauthenticated => {
            with_cookies((plain, "").into_response(), session::dead_cookies())
        }
        Err(error) => {
            error.log();
            (StatusCode::SERVICE_UNAVAILABLE, plain, "").into_response()
        }
    }
}

/// `POST /auth`; the method is in the body.
pub async fn post(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if !from_our_pages(&app, &parts.headers) {
        return Shape::Plain.refuse(
            StatusCode::FORBIDDEN,
            "FORBIDDEN",
            "This request came from another site.",
        );
    }
    let fields = match fields(&parts.headers, body).await {
        Ok(fields) => fields,
        Err(refusal) => return refusal,
    };
    match fields.get("method").and_then(Value::as_str) {
        Some("login") => login(&app, &parts, &fields).await,
        Some("logout") => logout(&app, &parts).await,
        Some("signup") => not_enabled("Signup"),
        Some("forgotPassword") => not_enabled("Forgot password"),
        Some("resetPassword" | "validateResetToken") => not_enabled("Reset password"),
        _ => not_found(Shape::Plain),
    }
}

/// Any other verb: like an unknown method, nothing is here.
pub async fn wrong_verb() -> Response {
    not_found(Shape::Plain)
}

/// The body as JSON whatever its content type says: logout arrives as text/plain.
async fn fields(headers: &HeaderMap, body: Body) -> Result<Map<String, Value>, Response> {
    let bytes = super::body(Shape::Plain, headers, body, MAX_BODY).await?;
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err(bad_request("The request is not a JSON object.")),
    }
}

async fn login(app: &App, parts: &Parts, fields: &Map<String, Value>) -> Response {
    let field = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let (Some(username), Some(password)) = (field("username"), field("password")) else {
        return bad_request("Both username and password are required");
    };
    let ask = LoginRequest {
        username,
        password,
        address: session::address(app, &parts.headers, &parts.extensions),
        user_agent: user_agent(&parts.headers),
    };
    let answer = match app.auth_client().login(ask).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failed(&Error::from(status)),
    };
    match signed_in(app, &parts.headers, answer).await {
        Ok(response) => response,
        Err(error) => failed(&error),
    }
}

async fn signed_in(app: &App, headers: &HeaderMap, answer: LoginResponse) -> Result<Response> {
    let LoginResponse { session_secret, user, expires_at } = answer;
    let (Some(user), Some(expires)) = (user, expires_at.and_then(proto::instant)) else {
        return Err(Error::internal("auth signed somebody in and did not say whom or how long"));
    };
    let https = app.is_https(headers);
    let seconds = (expires - app.clock.now()).num_seconds().max(0);
    let date = expires.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    let cookie = session::cookie(&session_secret, https, seconds, &date)
        .ok_or_else(|| Error::internal("auth made a session secret that fits in no cookie"))?;
    // Signing in again ends the session this browser had; the new one counts either way.
    if let Some(old) = session::secret(headers, https).filter(|old| *old != session_secret)
        && let Err(error) = session::end(app, old).await
    {
        error.log();
    }
    let user = session::SignedIn::from(user);
    Ok(with_cookies(Json(user).into_response(), [cookie]))
}

async fn logout(app: &App, parts: &Parts) -> Response {
    let secret = session::secret(&parts.headers, app.is_https(&parts.headers));
    let ended = match secret {
        Some(secret) => session::end(app, secret).await,
        None => Ok(()),
    };
    // This browser is signed out even when auth cannot be told.
    let response = match ended {
        Ok(()) => Json(json!({})).into_response(),
        Err(error) => failed(&error),
    };
    with_cookies(response, session::dead_cookies())
}

/// Whether a POST that the cookie vouches for may count. Browsers say where it comes from, pages
/// cannot change what they say; what says nothing is no browser and has no cookie by accident.
fn from_our_pages(app: &App, headers: &HeaderMap) -> bool {
    let read = |name: http::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("null"));
    let origin = read(ORIGIN);
    let allowed = origin.is_some_and(|it| app.config.http.allowed_origins.iter().any(|ours| ours == it));
    match (read(http::HeaderName::from_static("sec-fetch-site")), origin) {
        (Some("same-origin" | "none"), _) => true,
        (Some("same-site"), _) => allowed,
        (Some(_), _) => false,
        (None, Some(origin)) => allowed || is_own(app, headers, origin),
        (None, None) => true,
    }
}

fn is_own(app: &App, headers: &HeaderMap, origin: &str) -> bool {
    let scheme = if app.is_https(headers) { "https" } else { "http" };
    let host = headers.get(HOST).and_then(|value| value.to_str().ok());
    app.public_origin.as_deref() == Some(origin)
        || host.is_some_and(|host| origin == format!("{scheme}://{host}"))
}

fn user_agent(headers: &HeaderMap) -> String {
    let text = headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.chars().take(MAX_USER_AGENT).collect()
}

fn not_enabled(flow: &str) -> Response {
    bad_request(&format!("{flow} flow is not enabled"))
}

fn bad_request(text: &str) -> Response {
    Shape::Plain.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", text)
}

/// A refused sign-in is 400 and not 401, which the client's own pages rely on.
fn failed(error: &Error) -> Response {
    error.log();
    let status = match error.kind {
        Kind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    };
    // The fixed text for a missing session would hide why a sign-in was refused.
    let shown = if error.kind == Kind::Unauthenticated { &error.message } else { text(error) };
    Shape::Plain.refuse(status, code(error.kind), shown)
}

fn with_cookies<const N: usize>(mut response: Response, cookies: [HeaderValue; N]) -> Response {
    for cookie in cookies {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
