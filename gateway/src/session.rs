//! Who is behind a request: bearer token → session, and the cookie that carries a session's
//! secret.
//!
//! The two never mix: the cookie counts at `/auth` alone, everything else takes the bearer alone.
//! A good signature is not enough: auth is asked on every request whether the session still
//! lives, and only a yes is remembered, for a second at most.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ConnectInfo;
use futures::future::join_all;
use http::header::{AUTHORIZATION, COOKIE};
use http::{Extensions, HeaderMap, HeaderValue};
use kit::rpc::{Client, Transport};
use kit::{Error, Kind, Principal, Result, Role};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::auth::v1::{CheckSessionRequest, IssueTokenRequest, LogoutRequest, User};
use serde::{Deserialize, Serialize};

use crate::checked::CHECKED_FOR;
use crate::state::{App, forwarded};

/// A cache that takes longer is no help; auth itself answers sooner.
const CACHE_PATIENCE: Duration = Duration::from_millis(250);

const SECURE_COOKIE: &str = "__Host-session";
const PLAIN_COOKIE: &str = "session";

/// A live session: whose it is, and what services are called with for them.
#[derive(Clone)]
pub struct Session {
    pub user: SignedIn,
    token: Arc<str>,
    /// Where the browser is, for the records of what was done.
    address: Arc<str>,
}

impl Session {
    /// Passes somebody with one of the roles. Only for what no service is asked; otherwise the
    /// service decides.
    pub fn require(&self, any: &[Role]) -> Result<()> {
        let holds = |role: &Role| self.user.roles.iter().any(|held| held == role.as_str());
        if any.iter().any(holds) { Ok(()) } else { Err(Error::forbidden("ROLE_MISSING")) }
    }

    /// A service, called for this person.
    pub fn client(&self, service: &Transport) -> Client {
        service.with_token(self.token.clone()).from_address(&self.address)
    }
}

/// The account as auth described it at most a second ago.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    pub id: String,
    pub username: String,
    pub display_name: Option<String>,
    pub email: String,
    pub roles: Vec<String>,
}

impl From<User> for SignedIn {
    fn from(user: User) -> Self {
        // The rest is for those who manage accounts.
        let User { id, username, display_name, email, roles, .. } = user;
        let display_name = Some(display_name).filter(|name| !name.is_empty());
        Self { id, username, display_name, email, roles }
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
pub async fn identify(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Identity {
    let address = address(app, headers, extensions);
    identify_token(app, bearer(headers), &address).await
}

/// The same for a token that came another way.
pub async fn identify_token(app: &App, token: Option<&str>, address: &str) -> Identity {
    let Some(token) = token else {
        return Identity::Anonymous("TOKEN_MISSING".to_owned());
    };
    match check(app, token, address).await {
        Ok(session) => Identity::SignedIn(session),
        Err(error) if error.kind == Kind::Unauthenticated => Identity::Anonymous(error.reason),
        Err(error) => {
            error.log();
            Identity::Unknown(error.reason)
        }
    }
}

/// Whether a session that was good before still is.
pub async fn still(app: &App, session: &Session) -> Result<()> {
    again(app, session).await.map(|_| ())
}

/// The same session, with the account as it is by now.
pub async fn again(app: &App, session: &Session) -> Result<Session> {
    check(app, &session.token, &session.address).await
}

pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

async fn check(app: &App, token: &str, address: &str) -> Result<Session> {
    let Principal::User { session: id, .. } = app.verifier.verify(token).await? else {
        // Background work has no business at the public port.
        return Err(Error::unauthenticated("TOKEN_INVALID"));
    };
    let (token, address): (Arc<str>, Arc<str>) = (Arc::from(token), Arc::from(address));
    let session = |user| Session { user, token: token.clone(), address: address.clone() };
    if app.ended.contains_key(&id) {
        return Err(Error::unauthenticated("SESSION_ENDED"));
    }
    let cached = tokio::time::timeout(CACHE_PATIENCE, app.checked.get(&id)).await;
    if let Ok(Ok(Some(user))) = cached {
        return Ok(session(user));
    }
    let asked = Instant::now();
    let mut auth = AuthServiceClient::new(app.auth.with_token(token.clone()).from_address(&address));
    let answer = auth.check_session(CheckSessionRequest {}).await?.into_inner();
    let user = answer.user.ok_or_else(|| Error::internal("auth checked a session and named no user"))?;
    let user = SignedIn::from(user);
    // It may have ended while auth was answering.
    if app.ended.contains_key(&id) {
        return Err(Error::unauthenticated("SESSION_ENDED"));
    }
    // Without a cache every request asks auth: slower, and right. A cache that just failed is not
    // waited for again. What writing may take is part of the time that the yes counts.
    let left = CHECKED_FOR.saturating_sub(asked.elapsed() + CACHE_PATIENCE);
    if matches!(cached, Ok(Ok(_))) && left.as_millis() > 0 {
        let kept = app.checked.put(&id, &user, left);
        let _ = tokio::time::timeout(CACHE_PATIENCE, kept).await;
    }
    Ok(session(user))
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
    forget(app, id.as_slice()).await;
    Ok(())
}

/// Forgets sessions that auth has ended, so that from now on none of them counts here.
pub async fn forget(app: &App, ended: &[String]) {
    for id in ended {
        app.ended.insert(id.clone(), ()).await;
    }
    // Without a cache there is nothing to forget, and what is in it ends within a second.
    let deleted = join_all(ended.iter().map(|id| app.checked.forget(id)));
    let _ = tokio::time::timeout(CACHE_PATIENCE, deleted).await;
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
    // One browser, one spelling: an IPv4 address mapped into IPv6 is the IPv4 address.
    ip(app, headers, extensions).map(|ip| ip.to_canonical().to_string()).unwrap_or_default()
}

/// Whom that address belongs to, for shares.
pub fn network(app: &App, headers: &HeaderMap, extensions: &Extensions) -> String {
    ip(app, headers, extensions).map(|ip| kit::shares::network(ip).to_string()).unwrap_or_default()
}

fn ip(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Option<IpAddr> {
    let said = forwarded(headers, "x-forwarded-for", app.config.http.trusted_proxies).and_then(parse);
    said.or_else(|| extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip()))
}

fn parse(entry: &str) -> Option<IpAddr> {
    entry.parse::<IpAddr>().ok().or_else(|| entry.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}
