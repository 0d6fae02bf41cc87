//! Queries that the socket runs again and again: waiting for an answer, and telling whether it changed.

use http::StatusCode;
use ring::digest::{Context, Digest, SHA256};

use super::request::Asked;
use super::{Method, Refused, call, prepare};
use crate::session::Session;
use crate::state::App;

/// Maximum number of calls for one query while the service answers "Continue wait". Then the client gets an
/// error.
const MAX_WAITS: u32 = 6;

/// Repeats a call while the service answers "Continue wait", at most [`MAX_WAITS`] times. `is_again` marks a
/// query that was recorded before.
pub(super) async fn waited(
    app: &App,
    session: &Session,
    method: Method,
    asked: Asked,
    is_again: bool,
) -> Result<String, Refused> {
    let request = match method {
        Method::Load => prepare(app, session, asked, is_again).await?,
        _ => asked.request,
    };
    for _ in 0..MAX_WAITS {
        let body = call(app, session, method, request.clone()).await?;
        if !body.starts_with("{\"error\":\"Continue wait\"") {
            return Ok(body);
        }
    }
    let text = "The query takes too long. Choose a shorter date range or add a filter.";
    Err(Refused::new(StatusCode::BAD_REQUEST, text))
}

/// Returns the digest of an answer without its refresh times, which change even if the data does not. Kept
/// instead of the answer, which may have megabytes.
pub(super) fn fingerprint(body: &str) -> Digest {
    const KEY: &str = "\"lastRefreshTime\":\"";
    let mut parts = body.split(KEY);
    let mut context = Context::new(&SHA256);
    context.update(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        context.update(part.split_once('"').map_or(part, |(_, after)| after).as_bytes());
    }
    context.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_an_answer_is_no_part_of_it() {
        let at = |time: &str| {
            format!(r#"{{"a":1,"lastRefreshTime":"{time}","b":[{{"lastRefreshTime":"{time}"}}]}}"#)
        };
        let of = |body: &str| fingerprint(body).as_ref().to_vec();
        assert_eq!(of(&at("2026")), of(&at("2027")));
        assert_ne!(of(&at("2026")), of(&at("2026").replace("\"a\":1", "\"a\":2")));
    }
}
