//! The one source of time and ids, so that tests can hold both still.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, SubsecRound, Utc};
use uuid::Uuid;

/// Tells the time, to the microsecond: both databases keep exactly that.
#[derive(Debug, Clone, Default)]
pub struct Clock(Option<Arc<AtomicI64>>);

impl Clock {
    /// The clock of the machine.
    pub fn system() -> Self {
        Self(None)
    }

    /// A clock that stands at `at` until told otherwise.
    pub fn fixed(at: DateTime<Utc>) -> Self {
        Self(Some(Arc::new(AtomicI64::new(at.timestamp_micros()))))
    }

    #[allow(clippy::disallowed_methods)]
    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            Some(micros) => {
                DateTime::from_timestamp_micros(micros.load(Ordering::SeqCst)).unwrap_or_default()
            }
            None => Utc::now().trunc_subsecs(6),
        }
    }

    /// Moves a fixed clock; the machine's clock stays as it is.
    pub fn advance(&self, by: chrono::Duration) {
        if let Some(micros) = &self.0 {
            micros.fetch_add(by.num_microseconds().unwrap_or(0), Ordering::SeqCst);
        }
    }
}

/// A time-ordered id.
#[allow(clippy::disallowed_methods)]
pub fn new_id() -> Uuid {
    Uuid::now_v7()
}
