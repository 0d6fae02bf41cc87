//! The only source of time, of time-ordered ids and of ids that follow from texts. Tests can stop the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, SubsecRound, Utc};
use ring::digest::{Context, SHA256};
use uuid::{Builder, Uuid};

/// Gives the time to the microsecond, the precision in which PostgreSQL and SQLite store it.
#[derive(Debug, Clone, Default)]
pub struct Clock(Source);

#[derive(Debug, Clone, Default)]
enum Source {
    #[default]
    Machine,
    /// The machine's clock plus this many microseconds.
    Shifted(i64),
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// Creates a clock that follows the machine's.
    pub fn system() -> Self {
        Self(Source::Machine)
    }

    /// Creates a wrong clock that differs from the machine's by `by`.
    pub fn shifted(by: chrono::Duration) -> Self {
        Self(Source::Shifted(by.num_microseconds().unwrap_or(0)))
    }

    /// Creates a clock that stands at `at` until it is moved.
    pub fn fixed(at: DateTime<Utc>) -> Self {
        Self(Source::Fixed(Arc::new(AtomicI64::new(at.timestamp_micros()))))
    }

    /// Returns whether this clock runs in real time. A fixed clock cannot be compared with a database's.
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

    /// Moves a fixed clock forward; other clocks ignore this.
    pub fn advance(&self, by: chrono::Duration) {
        if let Source::Fixed(micros) = &self.0 {
            micros.fetch_add(by.num_microseconds().unwrap_or(0), Ordering::SeqCst);
        }
    }
}

/// Creates a time-ordered id.
#[allow(clippy::disallowed_methods)]
pub fn new_id() -> Uuid {
    Uuid::now_v7()
}

/// Derives an id from texts: the same for the same texts in the same order.
pub fn derived_id(texts: &[&str]) -> Uuid {
    let mut context = Context::new(&SHA256);
    for text in texts {
        context.update(&(text.len() as u64).to_be_bytes());
        context.update(text.as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&context.finish().as_ref()[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}
