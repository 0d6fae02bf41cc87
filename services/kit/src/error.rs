//! One error type from the database to the browser.
//!
//! `message` is safe to show; `source` is logged and never sent. Over gRPC the reason and the
//! fields travel as standard error details (`ErrorInfo`, `BadRequest`).

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Key in the metadata of `ErrorInfo`. With the value `STORAGE`, RESOURCE_EXHAUSTED means a full disk;
/// without it, too many requests.
const EXHAUSTED: &str = "exhausted";
const STORAGE: &str = "storage";
/// Domain of the `ErrorInfo` detail.
const DOMAIN: &str = "waybill";

/// The kind of an error, a closed set: each has one gRPC code and one GraphQL code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    NotFound,
    AlreadyExists,
    InvalidInput,
    FailedPrecondition,
    Unauthenticated,
    Forbidden,
    RateLimited,
    /// A disk is full; retrying helps once there is room.
    StorageFull,
    Unavailable,
    Internal,
}

impl Kind {
    pub const ALL: [Kind; 10] = [
        Kind::NotFound,
        Kind::AlreadyExists,
        Kind::InvalidInput,
        Kind::FailedPrecondition,
        Kind::Unauthenticated,
        Kind::Forbidden,
        Kind::RateLimited,
        Kind::StorageFull,
        Kind::Unavailable,
        Kind::Internal,
    ];

    fn code(self) -> Code {
        match self {
            Kind::NotFound => Code::NotFound,
            Kind::AlreadyExists => Code::AlreadyExists,
            Kind::InvalidInput => Code::InvalidArgument,
            Kind::FailedPrecondition => Code::FailedPrecondition,
            Kind::Unauthenticated => Code::Unauthenticated,
            Kind::Forbidden => Code::PermissionDenied,
            Kind::RateLimited | Kind::StorageFull => Code::ResourceExhausted,
            Kind::Unavailable => Code::Unavailable,
            Kind::Internal => Code::Internal,
        }
    }

    fn of(code: Code) -> Kind {
        match code {
            Code::NotFound => Kind::NotFound,
            Code::AlreadyExists => Kind::AlreadyExists,
            Code::InvalidArgument => Kind::InvalidInput,
            Code::FailedPrecondition | Code::Aborted => Kind::FailedPrecondition,
            Code::Unauthenticated => Kind::Unauthenticated,
            Code::PermissionDenied => Kind::Forbidden,
            Code::ResourceExhausted => Kind::RateLimited,
            // None of our handlers sends UNIMPLEMENTED. During a roll-out, a replica of the earlier release may not
            // know a new method.
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled | Code::Unimplemented => {
                Kind::Unavailable
            }
            // No service sends OUT_OF_RANGE. With it, tonic refuses messages over its size limit: our fault,
            // not the caller's input.
            _ => Kind::Internal,
        }
    }
}

/// The messages about each field, by field name.
pub type Fields = BTreeMap<String, Vec<String>>;

#[derive(Debug)]
pub struct Error {
    pub kind: Kind,
    /// A stable code in upper snake case; `docs/errors.md` lists all codes.
    pub reason: String,
    /// The text for people, without anything confidential.
    pub message: String,
    pub fields: Fields,
    /// For temporary refusals: how long to wait before trying again.
    pub retry_after: Option<Duration>,
    /// The cause, for the log only.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub fn new(kind: Kind, reason: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            reason: reason.to_owned(),
            message: message.into(),
            fields: Fields::new(),
            retry_after: None,
            source: None,
        }
    }

    pub fn not_found(reason: &str, message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, reason, message)
    }

    pub fn already_exists(reason: &str, message: impl Into<String>) -> Self {
        Self::new(Kind::AlreadyExists, reason, message)
    }

    pub fn invalid(reason: &str, message: impl Into<String>) -> Self {
        Self::new(Kind::InvalidInput, reason, message)
    }

    /// Returns the error for invalid input in one field; more can be added with [`Error::field`].
    pub fn invalid_field(field: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::invalid("INVALID_FIELDS", message.clone()).field(field, message)
    }

    pub fn precondition(reason: &str, message: impl Into<String>) -> Self {
        Self::new(Kind::FailedPrecondition, reason, message)
    }

    /// Returns the error for an edit of a version that somebody else changed first. `what` names the record
    /// and starts the sentence.
    pub fn changed_meanwhile(reason: &str, what: &str) -> Self {
        Self::precondition(reason, format!("{what} was changed in the meantime. Reload it and try again."))
    }

    pub fn unauthenticated(reason: &str) -> Self {
        Self::new(Kind::Unauthenticated, reason, "You don't have permission to do that.")
    }

    pub fn forbidden(reason: &str) -> Self {
        Self::new(Kind::Forbidden, reason, "You don't have access to do that.")
    }

    pub fn unavailable(reason: &str, message: impl Into<String>) -> Self {
        Self::new(Kind::Unavailable, reason, message)
    }

    /// Returns the error for a call whose response did not arrive: the service may have made the change.
    pub fn answer_lost() -> Self {
        Self::unavailable(
            "ANSWER_LOST",
            "No answer arrived in time. Check whether the change was saved before you try again.",
        )
    }

    /// Returns the error for too many requests; `message` says in words when to try again.
    pub fn rate_limited(reason: &str, message: impl Into<String>, retry_after: Duration) -> Self {
        crate::metrics::refused(&reason.to_ascii_lowercase());
        Self { retry_after: Some(retry_after), ..Self::new(Kind::RateLimited, reason, message) }
    }

    pub fn storage_full(reason: &str, message: impl Into<String>) -> Self {
        Self::new(Kind::StorageFull, reason, message)
    }

    /// Returns an internal error: its text goes to the log only, as the source.
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(Kind::Internal, "INTERNAL", "Something went wrong").with_source(source)
    }

    pub fn field(mut self, field: &str, message: impl Into<String>) -> Self {
        self.fields.entry(field.to_owned()).or_default().push(message.into());
        self
    }

    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns whether the same request may succeed later: something is down, full or busy.
    pub fn is_transient(&self) -> bool {
        matches!(self.kind, Kind::Unavailable | Kind::RateLimited | Kind::StorageFull)
    }

    /// Returns whether the fault is ours, not the caller's.
    pub fn is_ours(&self) -> bool {
        matches!(self.kind, Kind::Internal | Kind::Unavailable | Kind::StorageFull)
    }

    /// Logs the cause. Called once, where the error becomes a response.
    pub fn log(&self) {
        let source = self.source.as_ref().map(|source| chain(source.as_ref()));
        let source = source.as_deref();
        match self.kind {
            Kind::Internal => {
                tracing::error!(error.reason = %self.reason, error.source = source, "request failed: {}", self.message);
            }
            Kind::Unavailable | Kind::StorageFull => {
                tracing::warn!(error.reason = %self.reason, error.source = source, "request failed: {}", self.message);
            }
            _ => {
                tracing::debug!(error.reason = %self.reason, error.source = source, "request refused: {}", self.message);
            }
        }
    }
}

fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

/// Shows message and reason, which are safe for everybody. The alternate form, `{error:#}`, adds the chain
/// of causes, for logs and for the person who starts the program, never for a response.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.reason)?;
        match &self.source {
            Some(source) if f.alternate() => write!(f, ": {}", chain(source.as_ref())),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        error.log();
        let mut details = ErrorDetails::new();
        let mut more = HashMap::new();
        // gRPC has a single code for a full disk and for too many requests; the metadata distinguishes them.
        if error.kind == Kind::StorageFull {
            more.insert(EXHAUSTED.to_owned(), STORAGE.to_owned());
        }
        details.set_error_info(error.reason.clone(), DOMAIN, more);
        for (field, texts) in &error.fields {
            for text in texts {
                details.add_bad_request_violation(field.clone(), text.clone());
            }
        }
        if error.retry_after.is_some() {
            details.set_retry_info(error.retry_after);
        }
        Status::with_error_details(error.kind.code(), error.message, details)
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        let details = status.get_error_details();
        let kind = Kind::of(status.code());
        let mut error = match details.error_info() {
            Some(info) if info.domain == DOMAIN => {
                let storage = info.metadata.get(EXHAUSTED).is_some_and(|what| what == STORAGE);
                let kind = if storage { Kind::StorageFull } else { kind };
                Error::new(kind, &info.reason, status.message())
            }
            // None of our handlers made this error, so replace its text, which may reveal too much.
            _ if kind == Kind::Unavailable => Error::unavailable(
                "SERVICE_UNAVAILABLE",
                "The service is not available right now. Try again in a moment.",
            ),
            // Only a transport error has a source: the other side never responded.
            _ if kind == Kind::Internal && std::error::Error::source(&status).is_some() => {
                Error::answer_lost()
            }
            _ => Error::new(kind, "INTERNAL", "Something went wrong"),
        };
        if let Some(request) = details.bad_request() {
            for violation in &request.field_violations {
                error = error.field(&violation.field, violation.description.clone());
            }
        }
        error.retry_after = details.retry_info().and_then(|info| info.retry_delay);
        error.with_source(status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_connection_is_no_internal_error() {
        let broken = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        let error = Error::from(Status::from_error(Box::new(broken)));
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Unavailable, "ANSWER_LOST"));
        assert_eq!(Error::from(Status::internal("what a stranger says")).kind, Kind::Internal);
    }

    #[test]
    fn a_message_over_the_size_limit_is_no_wrong_input() {
        let text = "Error, decoded message length too large: found 5 bytes, the limit is: 4 bytes";
        let error = Error::from(Status::out_of_range(text));
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Internal, "INTERNAL"));
        assert_eq!(error.message, "Something went wrong");
    }

    #[test]
    fn a_method_that_a_replica_does_not_know_is_unavailable() {
        let error = Error::from(Status::unimplemented("what a stranger says"));
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Unavailable, "SERVICE_UNAVAILABLE"));
    }

    #[test]
    fn every_kind_survives_the_wire() {
        for kind in Kind::ALL {
            let sent = Error::new(kind, "SOME_REASON", "some text")
                .field("id", "is required")
                .field("id", "is too short")
                .with_source("secret detail");
            let got = Error::from(Status::from(sent));
            assert_eq!(got.kind, kind);
            assert_eq!(got.reason, "SOME_REASON");
            assert_eq!(got.message, "some text");
            assert_eq!(got.fields["id"], ["is required", "is too short"]);
        }
    }

    #[test]
    fn when_to_try_again_survives_the_wire() {
        let wait = Duration::from_secs(40);
        let got = Error::from(Status::from(Error::rate_limited("TOO_MANY", "Wait 40 seconds.", wait)));
        assert_eq!((got.kind, got.retry_after), (Kind::RateLimited, Some(wait)));
        assert_eq!(Error::from(Status::from(Error::forbidden("X"))).retry_after, None);
    }

    #[test]
    fn the_source_is_never_sent() {
        let status = Status::from(Error::internal("password=hunter2"));
        assert!(!format!("{status:?}").contains("hunter2"));
        assert_eq!(status.message(), "Something went wrong");
    }

    #[test]
    fn the_cause_is_shown_only_when_it_is_asked_for() {
        let disk = Error::unavailable("DATABASE_BUSY", "Try again").with_source("disk 7 is slow");
        let error = Error::internal(disk);
        assert_eq!(error.to_string(), "Something went wrong (INTERNAL)");
        let all = "Something went wrong (INTERNAL): Try again (DATABASE_BUSY): disk 7 is slow";
        assert_eq!(format!("{error:#}"), all);
    }

    #[test]
    fn a_foreign_status_keeps_its_text_to_the_log() {
        let got = Error::from(Status::unknown("thread panicked at secret.rs"));
        assert_eq!(got.kind, Kind::Internal);
        assert_eq!(got.message, "Something went wrong");
    }
}
