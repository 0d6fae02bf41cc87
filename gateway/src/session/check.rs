//! Turns a bearer token into a live session, and ends sessions.
//!
//! A valid signature is not enough: auth is asked on every request whether the session still lives, and only
//! a "yes" is cached, for at most a second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use http::{Extensions, HeaderMap};
use kit::{Error, Kind, Principal, Result};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::auth::v1::{CheckSessionRequest, IssueTokenRequest, LogoutRequest};

use super::address::address;
use super::bearer::bearer;
use super::person::{Identity, Session, SignedIn};
use crate::checked::CHECKED_FOR;
use crate::state::App;

/// Maximum wait for the cache. After that, asking auth itself is faster.
const CACHE_PATIENCE: Duration = Duration::from_millis(250);

/// Checks the bearer token. Never fails, because some fields work without a token.
pub async fn identify(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Identity {
    let address = address(app, headers, extensions);
    identify_token(app, bearer(headers), &address).await
}

/// Like [`identify`], for a token that was not in the `Authorization` header.
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

/// Like [`identify`], for a session that was identified earlier.
pub async fn identify_again(app: &App, session: &Session) -> Identity {
    identify_token(app, Some(&*session.token), &session.address).await
}

/// Checks whether a session that was identified earlier is still live.
pub async fn still(app: &App, session: &Session) -> Result<()> {
    again(app, session).await.map(|_| ())
}

/// Like [`still`], for work that may outlast its token. Once the token has expired, the gateway asks about the
/// session in its own name. Changed roles end the work then too, as auth refuses a token with other roles.
pub async fn still_beyond_token(app: &App, session: &Session) -> Result<()> {
    match still(app, session).await {
        Err(error) if error.reason == "TOKEN_EXPIRED" => {}
        other => return other,
    }
    let user = match confirmed(app, &session.id, None, &session.address).await {
        // Auth of the previous release answers people only.
        Err(error) if error.kind == Kind::Forbidden => return Ok(()),
        other => other?,
    };
    let is_same = user.id == session.user.id && user.roles == session.user.roles;
    if is_same { Ok(()) } else { Err(Error::unauthenticated("SESSION_ENDED")) }
}

/// Returns the session with the current state of its account.
pub async fn again(app: &App, session: &Session) -> Result<Session> {
    check(app, &session.token, &session.address).await
}

async fn check(app: &App, token: &str, address: &str) -> Result<Session> {
    let Principal::User { session: id, .. } = app.verifier.verify(token).await? else {
        // A service's token, for background work. The public port accepts only tokens of people.
        return Err(Error::unauthenticated("TOKEN_INVALID"));
    };
    let token: Arc<str> = Arc::from(token);
    let user = confirmed(app, &id, Some(token.clone()), address).await?;
    Ok(Session { user, id: Arc::from(id), token, address: Arc::from(address) })
}

/// Returns the account of a live session. Asks auth with the session's token or, without one, in the
/// gateway's own name.
async fn confirmed(app: &App, id: &str, token: Option<Arc<str>>, address: &str) -> Result<SignedIn> {
    if app.ended.contains_key(id) {
        return Err(Error::unauthenticated("SESSION_ENDED"));
    }
    let cached = tokio::time::timeout(CACHE_PATIENCE, app.checked.get(id)).await;
    if let Ok(Ok(Some(user))) = cached {
        return Ok(user);
    }
    let asked = Instant::now();
    let (token, session_id) = match token {
        Some(token) => (token, String::new()),
        None => (Arc::<str>::from(app.identity.token()?), id.to_owned()),
    };
    let mut auth = AuthServiceClient::new(app.auth.with_token(token).from_address(address));
    let answer = auth.check_session(CheckSessionRequest { session_id }).await?.into_inner();
    let user = answer.user.ok_or_else(|| Error::internal("auth checked a session and named no user"))?;
    let user = SignedIn::from(user);
    // The session may have ended while auth was responding.
    if app.ended.contains_key(id) {
        return Err(Error::unauthenticated("SESSION_ENDED"));
    }
    // Without a cache every request asks auth, which is slower and still right. If reading the cache just
    // failed, do not try to write. The time for writing is subtracted from the time for which the "yes" is
    // valid.
    let left = CHECKED_FOR.saturating_sub(asked.elapsed() + CACHE_PATIENCE);
    if matches!(cached, Ok(Ok(_))) && left.as_millis() > 0 {
        let kept = app.checked.put(id, &user, left);
        let _ = tokio::time::timeout(CACHE_PATIENCE, kept).await;
    }
    Ok(user)
}

/// Ends the session of a secret: immediately in this process, and everywhere within a second.
pub async fn end(app: &App, secret: &str) -> Result<()> {
    // Issue a token, because it contains the session's id, and the secret does not.
    let ask = IssueTokenRequest { session_secret: secret.to_owned(), in_background: false };
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

/// Drops sessions that auth has ended, so that they are invalid here from now on.
pub async fn forget(app: &App, ended: &[String]) {
    for id in ended {
        app.ended.insert(id.clone(), ()).await;
    }
    // If the cache fails there is nothing to do: its entries expire within a second.
    let deleted = join_all(ended.iter().map(|id| app.checked.forget(id)));
    let _ = tokio::time::timeout(CACHE_PATIENCE, deleted).await;
}
