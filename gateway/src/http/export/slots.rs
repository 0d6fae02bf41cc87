//! Limits exports to one per person and two per process.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kit::{Error, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The label of these responses in metrics.
pub(super) const STREAM: &str = "export";
const AT_ONCE: usize = 2;
const LATER: Duration = Duration::from_secs(30);

/// Running exports of this process.
pub struct Exports {
    free: Arc<Semaphore>,
    people: Arc<Mutex<HashSet<String>>>,
}

impl Default for Exports {
    fn default() -> Self {
        kit::metrics::streams_broken(STREAM, 0);
        Self { free: Arc::new(Semaphore::new(AT_ONCE)), people: Arc::default() }
    }
}

impl Exports {
    pub(super) fn take(&self, user: &str) -> Result<Slot> {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        if people.contains(user) {
            return Err(Error::rate_limited(
                "EXPORT_RUNNING",
                "You already have an export running. Wait for its file, or cancel it.",
                LATER,
            ));
        }
        let permit = self.free.clone().try_acquire_owned();
        let busy = |_| {
            Error::rate_limited("EXPORTS_BUSY", "Too many exports are running. Try again in a minute.", LATER)
        };
        let permit = permit.map_err(busy)?;
        people.insert(user.to_owned());
        Ok(Slot { people: self.people.clone(), user: user.to_owned(), _permit: permit })
    }
}

/// A running export; dropping it makes room for another.
pub(super) struct Slot {
    people: Arc<Mutex<HashSet<String>>>,
    user: String,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.people.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.user);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_for_each_and_two_in_all() {
        let exports = Exports::default();
        let reason = |user: &str| exports.take(user).err().map(|error| error.reason);
        let a = exports.take("a").unwrap();
        assert_eq!(reason("a").as_deref(), Some("EXPORT_RUNNING"));
        let b = exports.take("b").unwrap();
        assert_eq!(reason("c").as_deref(), Some("EXPORTS_BUSY"));
        assert_eq!(reason("a").as_deref(), Some("EXPORT_RUNNING"));
        drop(a);
        assert!(exports.take("c").is_ok());
        drop(b);
        assert!(exports.take("b").is_ok());
    }
}
