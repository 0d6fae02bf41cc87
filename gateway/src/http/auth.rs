//! The auth endpoint: sign-in, sign-out and access tokens. `sign_up` handles sign-up, `reset` reset links.
//!
//! The browser's client library dictates the responses: a POST always gets JSON, and `GET ?method=getToken`
//! gets the token or nothing, because the client would take any other text for the token. The client's pages
//! show the field `message` as news and `error` as a failure, so responses use these names for nothing else.

mod reset;
mod sign_up;

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, HttpBody};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, SET_COOKIE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, request::Parts};
use kit::{Error, Kind, Result};
use proto::auth::v1::{AccountKind, IssueTokenRequest, LoginRequest, LoginResponse};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Shape, from_our_pages, not_found, text};
use crate::session;
use crate::state::App;

const MAX_BODY: usize = 16 * 1024;
const MAX_USER_AGENT: usize = 300;

const METHODS: [&str; 7] =
    ["getToken", "login", "logout", "signup", "forgotPassword", "validateResetToken", "resetPassword"];

/// The body of a POST.
type Fields = Map<String, Value>;

#[derive(Deserialize)]
pub struct Ask {
    #[serde(default)]
    method: String,
    #[serde(default)]
    background: String,
}

/// `GET /auth?method=getToken`. With `background=1`, the token does not count as use of the session.
pub async fn get_token(
    State(app): State<Arc<App>>,
    ask: Result<Query<Ask>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let Some(Query(asked)) = ask.ok().filter(|Query(ask)| ask.method == "getToken") else {
        return not_found(Shape::Plain);
    };
    let plain = [(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"))];
    // Where another site may sign in, browsers send the cookie with requests of every page.
    let is_ours = from_our_pages(&app, &headers);
    let Some(secret) = app.cookies.secret(&headers, app.is_https(&headers)).filter(|_| is_ours) else {
        return (plain, "").into_response();
    };
    let in_background = asked.background == "1";
    let ask = IssueTokenRequest { session_secret: secret.to_owned(), in_background };
    match app.auth_client().issue_token(ask).await.map_err(Error::from) {
        Ok(answer) => (plain, answer.into_inner().token).into_response(),
        // The cookie stays: this answer may arrive after that of a sign-in, and would delete the new cookie.
        Err(error) if error.kind == Kind::Unauthenticated => (plain, "").into_response(),
        Err(error) => {
            error.log();
            (plain, Shape::Empty.answer(&error, StatusCode::SERVICE_UNAVAILABLE, "")).into_response()
        }
    }
}

/// `POST /auth`: the method is in the query string or in the body.
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
    match method_of(&parts.uri, &fields) {
        Some("login") => login(&app, &parts, &fields).await,
        Some("logout") => logout(&app, &parts).await,
        Some("signup") => answer(sign_up::sign_up(&app, &parts, &fields).await),
        Some("forgotPassword") => answer(reset::forgot(&app, &parts, &fields).await),
        Some("validateResetToken") => answer(reset::validate(&app, &fields).await),
        Some("resetPassword") => answer(reset::reset(&app, &parts, &fields).await),
        _ => not_found(Shape::Plain),
    }
}

/// Answers HTTP verbs other than GET and POST with "not found", like a request with an unknown `method`.
pub async fn wrong_verb() -> Response {
    not_found(Shape::Plain)
}

/// Parses the body as JSON, whatever its content type, because logout arrives as text/plain.
async fn fields(headers: &HeaderMap, body: Body) -> Result<Fields, Response> {
    let bytes = super::body(Shape::Plain, headers, body, MAX_BODY).await?;
    if bytes.is_empty() {
        return Ok(Fields::new());
    }
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err(bad_request("The request is not a JSON object.")),
    }
}

/// Returns a string field; an empty string if it is absent or null.
fn text_of(fields: &Fields, name: &str) -> Result<String> {
    match fields.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        None | Some(Value::Null) => Ok(String::new()),
        Some(_) => Err(Error::invalid_field(name, format!("{name} must be text"))),
    }
}

/// Returns a string field that must not be blank. `missing` is the error message if it is.
fn some_text_of(fields: &Fields, name: &str, missing: &str) -> Result<String> {
    let text = text_of(fields, name)?;
    if text.trim().is_empty() { Err(Error::invalid_field(name, missing)) } else { Ok(text) }
}

async fn login(app: &App, parts: &Parts, fields: &Fields) -> Response {
    let field = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let (Some(username), Some(password)) = (field("username"), field("password")) else {
        return bad_request("Both username and password are required");
    };
    let ask = LoginRequest {
        username,
        password,
        address: session::address(app, &parts.headers, &parts.extensions),
        user_agent: user_agent(&parts.headers),
        kind: AccountKind::Office.into(),
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
    let cookie = app
        .cookies
        .live(&session_secret, https, seconds, &date)
        .ok_or_else(|| Error::internal("auth made a session secret that fits in no cookie"))?;
    // Signing in again ends this browser's previous session. If that fails, the new session is valid
    // nevertheless.
    if let Some(old) = app.cookies.secret(headers, https).filter(|old| *old != session_secret)
        && let Err(error) = session::end(app, old).await
    {
        error.log();
    }
    let user = session::SignedIn::from(user);
    Ok(with_cookies(Json(user).into_response(), [cookie]))
}

/// Ends the session. The cookies of [`sign_out`] delete the browser's.
async fn logout(app: &App, parts: &Parts) -> Response {
    let ended = match app.cookies.secret(&parts.headers, app.is_https(&parts.headers)) {
        Some(secret) => session::end(app, secret).await,
        None => Ok(()),
    };
    match ended {
        Ok(()) => Json(json!({})).into_response(),
        Err(error) => failed(&error),
    }
}

/// Returns the request and, if it is a sign-out, the cookies that delete the session's. `edge` adds them to every
/// response, also to a refusal: a browser is signed out even if the gateway is busy or auth cannot be reached. Call this
/// once a small body has arrived.
pub async fn sign_out(app: &App, request: Request) -> (Request, Vec<HeaderValue>) {
    let is_small = request.body().size_hint().upper().is_some_and(|bytes| bytes <= MAX_BODY as u64);
    let is_for_us = request.method() == Method::POST && request.uri().path() == "/auth";
    if !(is_for_us && is_small && from_our_pages(app, request.headers())) {
        return (request, Vec::new());
    }
    let (parts, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, MAX_BODY).await.unwrap_or_default();
    let fields: Fields = serde_json::from_slice(&bytes).unwrap_or_default();
    let cookies = match method_of(&parts.uri, &fields) {
        Some("logout") => app.cookies.dead(&parts.headers, app.is_https(&parts.headers)).collect(),
        _ => Vec::new(),
    };
    (Request::from_parts(parts, Body::from(bytes)), cookies)
}

/// Returns the method that a POST names: in the query string or, if the query string names none, in the body.
fn method_of(uri: &Uri, fields: &Fields) -> Option<&'static str> {
    let known = |name: &str| METHODS.into_iter().find(|method| *method == name);
    let asked = Query::<Ask>::try_from_uri(uri).map_or_else(|_| String::new(), |Query(ask)| ask.method);
    known(&asked).or_else(|| fields.get("method").and_then(Value::as_str).and_then(known))
}

pub fn user_agent(headers: &HeaderMap) -> String {
    let text = headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.chars().take(MAX_USER_AGENT).collect()
}

fn bad_request(text: &str) -> Response {
    Shape::Plain.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", text)
}

fn answer(outcome: Result<Response>) -> Response {
    outcome.unwrap_or_else(|error| failed(&error))
}

/// Returns 400 for every refusal, even for a wrong password, because the client's own pages rely on that.
fn failed(error: &Error) -> Response {
    error.log();
    let status = match error.kind {
        Kind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Kind::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
        Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    };
    // The fixed text for a missing session would hide why signing in was refused.
    let shown = if error.kind == Kind::Unauthenticated { &error.message } else { text(error) };
    Shape::Plain.answer(error, status, shown)
}

pub fn with_cookies(mut response: Response, cookies: impl IntoIterator<Item = HeaderValue>) -> Response {
    for cookie in cookies {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
