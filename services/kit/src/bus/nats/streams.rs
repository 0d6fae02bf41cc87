//! The streams of the JetStream bus: their configuration and creation.

use std::sync::PoisonError;
use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};

use super::{NatsBus, unavailable};
use crate::bus::intake;
use crate::{Error, Result};

/// How long the server recognizes the id of an event and drops its repetitions.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(120);
/// The same for messages of producers: the shortest time that servers allow. Producers choose their ids, and the
/// server compares those of all producers, so it would drop a letter because another producer used its id.
/// Repetitions are recognized by the `Take` of the intake.
const INTAKE_DUPLICATE_WINDOW: Duration = Duration::from_millis(100);

/// How much a stream keeps.
#[derive(Debug, Clone)]
pub struct StreamLimits {
    pub max_age: Duration,
    /// `None`: the stream has no limit of its own; the account's limits still apply.
    pub max_bytes: Option<u64>,
    /// The limit of the stream to which other systems publish. With it, they cannot fill the disk that all streams
    /// share.
    pub intake_max_bytes: Option<u64>,
    pub replicas: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            max_age: Duration::from_secs(7 * 24 * 3600),
            max_bytes: None,
            intake_max_bytes: None,
            replicas: 1,
        }
    }
}

impl NatsBus {
    /// Creates or updates the streams of these services. Idempotent; concurrent calls with equal
    /// configurations are harmless.
    pub(in crate::bus) async fn ensure_streams(&self, services: &[&str]) -> Result<()> {
        for service in services {
            self.ensure_stream(service).await?;
        }
        Ok(())
    }

    pub(super) async fn ensure_stream(&self, service: &str) -> Result<()> {
        if !crate::bus::is_literal(service) {
            return Err(Error::internal(format!("not a service: {service:?}")));
        }
        let limits = &self.0.config.streams;
        let (max_bytes, duplicate_window) = match service {
            intake::SERVICE => (limits.intake_max_bytes, INTAKE_DUPLICATE_WINDOW),
            _ => (limits.max_bytes, DUPLICATE_WINDOW),
        };
        let config = Config {
            name: self.stream_name(service),
            subjects: vec![format!("{}.{service}.>", self.0.config.namespace)],
            storage: StorageType::File,
            retention: RetentionPolicy::Limits,
            // Refusing keeps the event in the outbox; dropping the oldest could lose an unread one.
            discard: DiscardPolicy::New,
            max_age: limits.max_age,
            max_bytes: max_bytes.map_or(-1, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
            max_messages: -1,
            max_messages_per_subject: -1,
            num_replicas: limits.replicas,
            duplicate_window: duplicate_window.min(limits.max_age),
            ..Config::default()
        };
        self.0.context.create_or_update_stream(config).await.map_err(unavailable)?;
        self.0.services.lock().unwrap_or_else(PoisonError::into_inner).insert(service.to_owned());
        Ok(())
    }

    /// Returns when the stream of a service was created; `None` while there is none.
    pub(in crate::bus) async fn incarnation(&self, service: &str) -> Result<Option<String>> {
        match self.0.context.get_stream(self.stream_name(service)).await {
            Ok(stream) => Ok(Some(stream.cached_info().created.unix_timestamp_nanos().to_string())),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(unavailable(error)),
        }
    }

    pub(super) fn stream_name(&self, service: &str) -> String {
        format!("{}_{service}", self.0.config.namespace).to_uppercase()
    }
}

fn is_missing(error: &GetStreamError) -> bool {
    matches!(error.kind(), GetStreamErrorKind::JetStream(cause) if cause.error_code() == ErrorCode::STREAM_NOT_FOUND)
}
