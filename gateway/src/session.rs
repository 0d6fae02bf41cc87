//! Who is behind a request: bearer token → session, and the cookie that carries a session's
//! secret.
//!
//! The two never mix: the cookie counts at `/auth` alone, everything else takes the bearer alone.
//! A good signature is not enough: auth is asked on every request whether the session still
//! lives, and only a yes is remembered, for a second at most.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use http::header::{AUTHORIZATION, COOKIE};
use http::{Extensions, HeaderMap, HeaderValue};
use kit::cache::CacheKey;
use kit::{Error, Kind, Principal, Result};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::auth::v1::{CheckSessionRequest, IssueTokenRequest, LogoutRequest, User};
use serde::{Deserialize, Serialize};

use crate::state::{App, forwarded};

/// How long a yes of auth is remembered.
const CHECKED_TTL: Duration = Duration::from_secs(1);
/// A cache that takes longer is no help; auth itself answers sooner.
const CACHE_PATIENCE: Duration = Duration::from_millis(250);

const SECURE_COOKIE: &str = "__Host-session";
const PLAIN_COOKIE: &str = "session";

/// A live session: whose it is, and the token to call services with.
#[derive(Clone)]
pub struct Session {
    pub user: SignedIn,
    pub token: Arc<str>,
}

/// The account as auth described it at most a second ago.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedIn {
    pub id: String,
    pub username: String,
    pub email: String,
    pub roles: Vec<String>,
}

impl From<User> for SignedIn {
    fn from(user: User) -> Self {
        let User { id, username, email, roles, created_at: _ } = user;
        Self { id, username, email, roles }
    }
}

/// What a request's bearer header says.
pub enum Identity {
    SignedIn(Session),
    /// No token, or one that no longer counts; the reason says which.
    Anonymous(String),
    /// There is a token, but nobody who can say what it is worth.
    Unknown(String),
}

impl Identity {
    pub fn session(&self) -> Result<&Session> {
        match self {
            Self::SignedIn(session) => Ok(session),
            Self::Anonymous(reason) => Err(Error::unauthenticated(reason)),
            Self::Unknown(reason) => {
                Err(Error::unavailable(reason, "Sign-in is not available right now. Try again in a moment."))
            }
        }
    }
}

/// Reads the bearer header. Never fails: what needs no sign-in works without one.
pub async fn identify(app: &App, headers: &HeaderMap) -> Identity {
    let Some(token) = bearer(headers) else {
        return Identity::Anonymous("TOKEN_MISSING".to_owned());
    };
    match check(app, token).await {
        Ok(session) => Identity::SignedIn(session),
        Err(error) if error.kind == Kind::Unauthenticated => Identity::Anonymous(error.reason),
        Err(error) => {
            error.log();
            Identity::Unknown(error.reason)
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

async fn check(app: &App, token: &str) -> Result<Session> {
    let Principal::User { session: id, .. } = app.verifier.verify(token).await? else {
        // Background work has no business at the public port.
        return Err(Error::unauthenticated("TOKEN_INVALID"));
    };
    let token: Arc<str> = Arc::from(token);
    if app.ended.contains_key(&id) {
        return Err(Error::unauthenticated("SESSION_ENDED"));
    }
    let key = CacheKey::new("session", &id);
    let cached = tokio::time::timeout(CACHE_PATIENCE, app.cache.get::<SignedIn>(&key)).await;
    if let Ok(Ok(Some(user))) = cached {
        return Ok(Session { user, token });
    }
    let mut auth = AuthServiceClient::new(app.auth.with_token(token.clone()));
    let answer = auth.check_session(CheckSessionRequest {}).await?.into_inner();
    let user = answer.user.ok_or_else(|| Error::internal("auth checked a session and named no user"))?;
    let user = SignedIn::from(user);
    // It may have ended while auth was answering.
    if app.ended.contains_key(&id) {
        return Err(Error::unauthenticated("SESSION_ENDED"));
    }
    // Without a cache every request asks auth: slower, and right. A cache that just failed is not
    // waited for again.
    if matches!(cached, Ok(Ok(_))) {
        let kept = app.cache.set(&key, &user, CHECKED_TTL);
        let _ = tokio::time::timeout(CACHE_PATIENCE, kept).await;
    }
    Ok(Session { user, token })
}

/// Ends the session of a secret, here at once and everywhere within a second.
pub async fn end(app: &App, secret: &str) -> Result<()> {
    // The secret does not tell the session's id; a token does.
    let ask = IssueTokenRequest { session_secret: secret.to_owned() };
    let id = match app.auth_client().issue_token(ask).await {
        Ok(answer) => match app.verifier.verify(&answer.into_inner().token).await? {
            Principal::User { session, .. } => Some(session),
            Principal::Service { .. } => None,
        },
        Err(status) if status.code() == tonic::Code::Unauthenticated => None,
        Err(status) => return Err(status.into()),
    };
    let ask = LogoutRequest { session_secret: secret.to_owned() };
    app.auth_client().logout(ask).await?;
    if let Some(id) = id {
        app.ended.insert(id.clone(), ()).await;
        let key = CacheKey::new("session", &id);
        // Without a cache there is nothing to forget, and what is in it ends within a second.
        let _ = tokio::time::timeout(CACHE_PATIENCE, app.cache.delete(&key)).await;
    }
    Ok(())
}

/// The session secret of the cookie that belongs to this kind of connection.
pub fn secret(headers: &HeaderMap, https: bool) -> Option<&str> {
    let name = if https { SECURE_COOKIE } else { PLAIN_COOKIE };
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, value)| *key == name && !value.is_empty())
        .map(|(_, value)| value)
}

/// The cookie of a new session, or nothing when the secret is no cookie text.
pub fn cookie(secret: &str, https: bool, seconds: i64, expires: &str) -> Option<HeaderValue> {
    let plain = |b: u8| b.is_ascii_graphic() && !matches!(b, b';' | b',' | b'"' | b'\\');
    if secret.is_empty() || !secret.bytes().all(plain) {
        return None;
    }
    let (name, secure) = if https { (SECURE_COOKIE, "; Secure") } else { (PLAIN_COOKIE, "") };
    let text = format!(
        "{name}={secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}; Expires={expires}{secure}"
    );
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Cookies that remove ours, of either kind.
pub fn dead_cookies() -> [HeaderValue; 2] {
    [
        HeaderValue::from_static(
            "__Host-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure",
        ),
        HeaderValue::from_static(
            "session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        ),
    ]
}

/// The browser's address: what a trusted proxy says, else the connection's. Empty when unknown.
pub fn address(app: &App, headers: &HeaderMap, extensions: &Extensions) -> String {
    let said = forwarded(headers, "x-forwarded-for", app.config.http.trusted_proxies).and_then(parse);
    let connection = || extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    // One browser, one spelling: an IPv4 address mapped into IPv6 is the IPv4 address.
    said.or_else(connection).map(|ip| ip.to_canonical().to_string()).unwrap_or_default()
}

fn parse(entry: &str) -> Option<IpAddr> {
    entry.parse::<IpAddr>().ok().or_else(|| entry.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}
