//! The one source of time and ids, so that tests can hold both still.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, SubsecRound, Utc};
use uuid::Uuid;

/// Tells the time, to the microsecond: both databases keep exactly that.
#[derive(Debug, Clone, Default)]
pub struct Clock(Source);

#[derive(Debug, Clone, Default)]
enum Source {
    #[default]
    Machine,
    /// The machine's clock, off by so many microseconds.
    Shifted(i64),
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// The clock of the machine.
    pub fn system() -> Self {
        Self(Source::Machine)
    }

    /// A clock that is wrong: `by` ahead of the machine's, or behind it.
    pub fn shifted(by: chrono::Duration) -> Self {
        Self(Source::Shifted(by.num_microseconds().unwrap_or(0)))
    }

    /// A clock that stands at `at` until told otherwise.
    pub fn fixed(at: DateTime<Utc>) -> Self {
        Self(Source::Fixed(Arc::new(AtomicI64::new(at.timestamp_micros()))))
    }

    /// Whether this clock runs with real time. A fixed one cannot be compared with a database's.
    pub fn is_running(&self) -> bool {
        !matches!(self.0, Source::Fixed(_))
    }

    #[allow(clippy::disallowed_methods)]
    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            Source::Machine => Utc::now().trunc_subsecs(6),
            Source::Shifted(by) => Utc::now().trunc_subsecs(6) + chrono::Duration::microseconds(*by),
            Source::Fixed(micros) => {
                DateTime::from_timestamp_micros(micros.load(Ordering::SeqCst)).unwrap_or_default()
            }
        }
    }

    /// Moves a fixed clock; the others stay as they are.
    pub fn advance(&self, by: chrono::Duration) {
        if let Source::Fixed(micros) = &self.0 {
            micros.fetch_add(by.num_microseconds().unwrap_or(0), Ordering::SeqCst);
        }
    }
}

/// A time-ordered id.
#[allow(clippy::disallowed_methods)]
pub fn new_id() -> Uuid {
    Uuid::now_v7()
}
