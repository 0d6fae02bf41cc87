//! Reset links: requesting, checking and using a link.
//!
//! Responses reveal nothing about an account except the kind of secret that the link is for. No response
//! changes a cookie: a person who is signed in here stays signed in until auth ends the session.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use kit::{Error, Result};
use proto::auth::v1::{
    RequestPasswordResetRequest, ResetPasswordRequest, SecretKind, ValidateResetTokenRequest,
};
use serde_json::json;

use super::{Fields, some_text_of, text_of};
use crate::session;
use crate::state::App;

const NO_TOKEN: &str = "resetToken is required";

/// Requests a link. The response is the same whether or not the username exists; a link, if any, is made
/// afterwards.
pub async fn forgot(app: &App, parts: &Parts, fields: &Fields) -> Result<Response> {
    let ask = RequestPasswordResetRequest {
        username: some_text_of(fields, "username", "Username is required")?,
        address: session::address(app, &parts.headers, &parts.extensions),
    };
    app.auth_client().request_password_reset(ask).await?;
    Ok(Json(json!({})).into_response())
}

/// Returns whether a link asks for a password or a PIN; fails if the link is not valid.
pub async fn validate(app: &App, fields: &Fields) -> Result<Response> {
    let ask = ValidateResetTokenRequest { reset_token: some_text_of(fields, "resetToken", NO_TOKEN)? };
    let answer = app.auth_client().validate_reset_token(ask).await?.into_inner();
    let kind = match answer.kind() {
        SecretKind::Password => "password",
        SecretKind::Pin => "pin",
        SecretKind::Unspecified => return Err(Error::internal("auth did not say what a link is for")),
    };
    Ok(Json(json!({ "kind": kind })).into_response())
}

/// Sets the new password or PIN. Does not sign in. When the response arrives, the account's sessions have
/// ended.
pub async fn reset(app: &App, parts: &Parts, fields: &Fields) -> Result<Response> {
    let ask = ResetPasswordRequest {
        reset_token: some_text_of(fields, "resetToken", NO_TOKEN)?,
        password: text_of(fields, "password")?,
        address: session::address(app, &parts.headers, &parts.extensions),
    };
    let ended = app.auth_client().reset_password(ask).await?.into_inner();
    session::forget(app, &ended.session_ids).await;
    Ok(Json(json!({})).into_response())
}
