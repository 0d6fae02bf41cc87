//! Accounts that people create themselves, where the policy allows it.
//!
//! Only the fields named here count: everything else in a body is ignored, roles above all. The response is
//! the same whether or not the name was free.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use kit::Result;
use proto::auth::v1::SignUpRequest;
use serde_json::json;

use super::{Fields, text_of};
use crate::session;
use crate::state::App;

const DONE: &str = "If this username was available, your account was created. An administrator has to give \
                    it a role before it can be used.";
const KNOWN: [&str; 4] = ["method", "username", "email", "password"];
/// Number of ignored field names that the log may show: enough to see what somebody tried.
const SHOWN: usize = 5;
const SHOWN_CHARS: usize = 32;

pub async fn sign_up(app: &App, parts: &Parts, fields: &Fields) -> Result<Response> {
    let ask = SignUpRequest {
        username: text_of(fields, "username")?,
        email: text_of(fields, "email")?,
        password: text_of(fields, "password")?,
        address: session::address(app, &parts.headers, &parts.extensions),
    };
    warn_of_others(fields);
    app.auth_client().sign_up(ask).await?;
    Ok((StatusCode::CREATED, Json(json!({ "message": DONE }))).into_response())
}

/// Logs which fields were ignored, without their values.
fn warn_of_others(fields: &Fields) {
    let others = fields.keys().filter(|name| !KNOWN.contains(&name.as_str()));
    // Log only names that look like field names, because a caller can send any text as a name.
    let plain = |name: &&String| {
        name.len() <= SHOWN_CHARS && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let count = others.clone().count();
    if count > 0 {
        let names: Vec<_> = others.filter(plain).take(SHOWN).map(String::as_str).collect();
        tracing::warn!(count, names = %names.join(","), "fields of a sign-up were ignored");
    }
}
