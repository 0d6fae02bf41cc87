//! Accounts that were just found closed, so that a flood of attempts on one does not become a flood of
//! queries. What is noted holds for a second, and is forgotten here when the account is opened here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use super::counters::Key;

const HOLDS: Duration = Duration::from_secs(1);
/// Accounts that are noted at once. When there are more, it is no flood on one of them.
const MOST: usize = 10_000;

/// Cheap to clone; clones share what they note.
#[derive(Clone, Default)]
pub struct Lately(Arc<Mutex<HashMap<Key, Closed>>>);

struct Closed {
    until: DateTime<Utc>,
    /// From where it is not.
    known: Vec<String>,
    noted: Instant,
}

impl Lately {
    /// Until when the account is closed to this network, as far as is known here.
    pub fn closed_until(
        &self,
        account: &Key,
        network: Option<&str>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = all.get(account).filter(|it| it.noted.elapsed() < HOLDS && now < it.until)?;
        let known = network.is_some_and(|network| closed.known.iter().any(|known| known == network));
        (!known).then_some(closed.until)
    }

    pub fn note(&self, account: Key, until: DateTime<Utc>, known: Vec<String>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(account, Closed { until, known, noted: Instant::now() });
    }

    pub fn forget(&self, account: &Key) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(account);
    }
}
