//! The credentials that a browser sends: the bearer token, and the cookie with a session's secret.

use http::header::{AUTHORIZATION, COOKIE};
use http::{HeaderMap, HeaderValue};

const SECURE_COOKIE: &str = "__Host-session";
const PLAIN_COOKIE: &str = "session";

pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Returns the session's secret from the cookie; plain and secure connections have different cookies.
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

/// Returns the cookie of a new session; `None` if the secret is not valid in a cookie.
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

/// Returns cookies that delete both session cookies.
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
