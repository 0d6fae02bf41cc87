//! The format of errors in GraphQL: one mapping, for every resolver.
//!
//! `extensions.code` is the kind, `reason` the exact case, `properties.messages` lists problems by field,
//! `retryAfter` is in seconds. The cause goes to the log only.

use std::sync::Arc;

use async_graphql::{Error as Shown, ErrorExtensionValues, Response, ServerError, Value};
use kit::{Error, Kind};
use tonic::{Response as Answer, Status};

use crate::http::{code, retry_after, text};

/// An error to be returned. Cheap to clone, because a failed batch returns its error to every caller that
/// waits for it.
#[derive(Clone, Debug)]
pub struct Failure(Arc<Error>);

impl Failure {
    pub fn kind(&self) -> Kind {
        self.0.kind
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        error.log();
        Self(Arc::new(error))
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Error::from(status).into()
    }
}

impl From<Failure> for Shown {
    fn from(Failure(error): Failure) -> Self {
        let mut extensions = ErrorExtensionValues::default();
        extensions.set("code", code(error.kind));
        extensions.set("reason", error.reason.as_str());
        if let Some(seconds) = retry_after(&error) {
            extensions.set("retryAfter", seconds);
        }
        if !error.fields.is_empty() {
            let fields = error.fields.iter().map(|(field, texts)| {
                let texts = texts.iter().map(|text| Value::from(text.as_str())).collect();
                (async_graphql::Name::new(field), Value::List(texts))
            });
            let messages = Value::Object(fields.collect());
            let messages = [(async_graphql::Name::new("messages"), messages)];
            extensions.set("properties", Value::Object(messages.into_iter().collect()));
        }
        Self { message: text(&error).to_owned(), source: None, extensions: Some(extensions) }
    }
}

/// Returns the requested entity, or `None` if there is none.
pub fn found<T>(answer: Result<Answer<T>, Status>) -> Result<Option<T>, Failure> {
    match answer.map_err(Failure::from) {
        Ok(answer) => Ok(Some(answer.into_inner())),
        Err(failure) if failure.kind() == Kind::NotFound => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Adds a code to each error that has none, and the request id to internal errors.
pub fn complete(outcome: &mut Response, request_id: &str) {
    for error in &mut outcome.errors {
        let extensions = error.extensions.get_or_insert_default();
        match extensions.get("code") {
            // An error without a code comes from the library: it validates the document and, inside a field,
            // the field's arguments.
            None if error.path.is_empty() => extensions.set("code", "GRAPHQL_VALIDATION_FAILED"),
            None => extensions.set("code", "BAD_USER_INPUT"),
            Some(Value::String(code)) if code == "INTERNAL" => extensions.set("requestId", request_id),
            Some(_) => {}
        }
    }
}

/// Returns an error about the GraphQL document itself.
pub fn refused(code: &str, text: impl Into<String>) -> ServerError {
    let mut error = ServerError::new(text, None);
    error.extensions.get_or_insert_default().set("code", code);
    error
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn extensions(error: Error) -> serde_json::Value {
        serde_json::to_value(Shown::from(Failure::from(error)).extensions).unwrap()
    }

    #[test]
    fn what_is_refused_only_for_now_says_when_to_retry() {
        for (error, seconds) in [
            (Error::unavailable("SOMETHING", "Not now."), Some(5)),
            (Error::storage_full("SOMETHING", "Not now."), Some(60)),
            (Error::rate_limited("SOMETHING", "Not now.", Duration::from_secs(7)), Some(7)),
            (Error::precondition("SOMETHING", "No."), None),
        ] {
            let shown = extensions(error);
            assert_eq!(shown["retryAfter"].as_u64(), seconds, "{shown}");
        }
    }
}
