//! Signing in and out, and access tokens.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use chrono::{DateTime, Utc};
use http::{Extensions, HeaderMap, StatusCode};
use kit::{Error, Kind, Result};
use proto::auth::v1::{AccountKind, IssueTokenRequest, IssueTokenResponse, LoginRequest, LoginResponse};
use proto::drivers::v1::drivers_service_client::DriversServiceClient;
use proto::drivers::v1::{DriverLogInput, RecordDriverLogsRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::SHAPE;
use super::refusals::Refusals;
use super::wire::{Answer, Failure, Input};
use crate::http::auth::user_agent;
use crate::session;
use crate::state::App;

const MOST: usize = 4 << 10;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    username: String,
    /// 6 to 12 digits.
    pin: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionToken {
    session_token: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// The secret with which the app gets access tokens until the session ends.
    session_token: String,
    /// The bearer token for every other call.
    access_token: String,
    /// When the access token expires.
    expires_at: DateTime<Utc>,
    /// When the session ends at the latest; it ends earlier if it is not used.
    session_expires_at: DateTime<Utc>,
    driver: Who,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Who {
    driver_id: String,
    name: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessToken {
    access_token: String,
    expires_at: DateTime<Utc>,
}

/// Sign in
///
/// A refusal does not say what was wrong. Failed attempts are counted, and delay the next attempt.
#[utoipa::path(
    post,
    path = "/driver/v1/login",
    tag = "session",
    request_body = Credentials,
    responses((status = 200, body = SignedIn), Refusals),
)]
pub async fn login(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    extensions: Extensions,
    Input(Credentials { username, pin }): Input<Credentials, MOST>,
) -> Answer<Json<SignedIn>> {
    let address = session::address(&app, &headers, &extensions);
    let ask = LoginRequest {
        username,
        password: pin,
        address: address.clone(),
        user_agent: user_agent(&headers),
        kind: AccountKind::Driver.into(),
    };
    let answer = app.auth_client().login(ask).await.map_err(|status| refused(status.into()))?.into_inner();
    let LoginResponse { session_secret, user, expires_at } = answer;
    let user = user.ok_or_else(|| Error::internal("auth signed somebody in and did not say whom"))?;
    let issued = issue(&app, &session_secret).await?;
    note(&app, &issued.access_token, &address, "login").await;
    Ok(Json(SignedIn {
        session_token: session_secret,
        access_token: issued.access_token,
        expires_at: issued.expires_at,
        session_expires_at: instant(expires_at)?,
        driver: Who {
            driver_id: user.driver_id,
            name: if user.display_name.is_empty() { user.username } else { user.display_name },
        },
    }))
}

/// Get another access token
///
/// `UNAUTHENTICATED` means that the session has ended: the driver has to sign in again.
#[utoipa::path(
    post,
    path = "/driver/v1/token",
    tag = "session",
    request_body = SessionToken,
    responses((status = 200, body = AccessToken), Refusals),
)]
pub async fn token(
    State(app): State<Arc<App>>,
    Input(SessionToken { session_token }): Input<SessionToken, MOST>,
) -> Answer<Json<AccessToken>> {
    Ok(Json(issue(&app, &session_token).await?))
}

/// Sign out
///
/// Succeeds even if the session has ended.
#[utoipa::path(
    post,
    path = "/driver/v1/logout",
    tag = "session",
    request_body = SessionToken,
    responses((status = 204), Refusals),
)]
pub async fn logout(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    extensions: Extensions,
    Input(SessionToken { session_token }): Input<SessionToken, MOST>,
) -> Answer<impl IntoResponse> {
    match issue(&app, &session_token).await {
        Ok(issued) => {
            let address = session::address(&app, &headers, &extensions);
            note(&app, &issued.access_token, &address, "logout").await;
            session::end(&app, &session_token).await?;
        }
        Err(error) if error.kind == Kind::Unauthenticated => {}
        Err(error) => return Err(error.into()),
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Issues an access token for a driver's session. Refuses sessions of other accounts.
async fn issue(app: &App, session_token: &str) -> Result<AccessToken> {
    let ask = IssueTokenRequest { session_secret: session_token.to_owned(), in_background: false };
    let IssueTokenResponse { token, expires_at } = app.auth_client().issue_token(ask).await?.into_inner();
    if app.verifier.verify(&token).await?.driver().is_err() {
        return Err(Error::unauthenticated("SESSION_OVER"));
    }
    Ok(AccessToken { access_token: token, expires_at: instant(expires_at)? })
}

/// Records a sign-in or sign-out in the driver log. A failure is only logged.
async fn note(app: &App, token: &str, address: &str, activity: &str) {
    let log = DriverLogInput {
        client_event_id: kit::clock::new_id().to_string(),
        activity: activity.to_owned(),
        occurred_at: Some(proto::timestamp(app.clock.now())),
        ..DriverLogInput::default()
    };
    let mut drivers = DriversServiceClient::new(app.drivers.with_token(token.into()).from_address(address));
    if let Err(status) = drivers.record_driver_logs(RecordDriverLogsRequest { logs: vec![log] }).await {
        tracing::warn!("a driver's {activity} is not in the log: {}", Error::from(status));
    }
}

fn instant(at: Option<prost_types::Timestamp>) -> Result<DateTime<Utc>> {
    at.and_then(proto::instant).ok_or_else(|| Error::internal("auth did not say how long"))
}

/// Returns the same text whatever was wrong; the usual text for a missing session would mislead.
fn refused(error: Error) -> Failure {
    if error.kind != Kind::Unauthenticated {
        return error.into();
    }
    error.log();
    SHAPE.answer(&error, StatusCode::UNAUTHORIZED, "Incorrect username or PIN").into()
}
