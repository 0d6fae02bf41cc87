//! An account that somebody makes for themselves, where the policy allows it.
//!
//! Only the fields named here count: whatever else a body brings is ignored, roles above all. The
//! answer is the same whether the name was free or not.

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

const DONE: &str = "If this name was free, your account was made. \
                    An administrator has to give it a role before it can be used.";
const KNOWN: [&str; 4] = ["method", "username", "email", "password"];
/// Names of ignored fields that the log may show: enough to see what was tried.
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

/// Says which fields were ignored, and nothing of what was in them.
fn warn_of_others(fields: &Fields) {
    let others = fields.keys().filter(|name| !KNOWN.contains(&name.as_str()));
    // A name is text of a stranger as well: only what looks like the name of a field is shown.
    let plain = |name: &&String| {
        name.len() <= SHOWN_CHARS && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let count = others.clone().count();
    if count > 0 {
        let names: Vec<_> = others.filter(plain).take(SHOWN).map(String::as_str).collect();
        tracing::warn!(count, names = %names.join(","), "fields of a sign-up were ignored");
    }
}
