//! A cache of accounts that have to wait, so that a flood of attempts on one account does not become a flood
//! of queries. Entries last a second, and are dropped when this process resets the account's counter.

use std::time::Duration;

use chrono::{DateTime, Utc};
use moka::sync::Cache;

use super::counters::Key;

const HOLDS: Duration = Duration::from_secs(1);
/// Maximum number of entries. This cache does not help against a flood of attempts on more accounts.
const MOST: u64 = 10_000;

/// Cheap to clone; clones share their entries.
#[derive(Clone)]
pub struct Lately(Cache<Key, Closed>);

#[derive(Clone)]
struct Closed {
    until: DateTime<Utc>,
    /// Networks from which the account recently signed in. Attempts from them need not wait.
    known: Vec<String>,
}

impl Default for Lately {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MOST).time_to_live(HOLDS).build())
    }
}

impl Lately {
    /// Returns until when attempts from this network have to wait; `None` if this cache contains no such
    /// wait.
    pub fn closed_until(
        &self,
        account: &Key,
        network: Option<&str>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let closed = self.0.get(account).filter(|it| now < it.until)?;
        let known = network.is_some_and(|network| closed.known.iter().any(|known| known == network));
        (!known).then_some(closed.until)
    }

    pub fn note(&self, account: Key, until: DateTime<Utc>, known: Vec<String>) {
        self.0.insert(account, Closed { until, known });
    }

    pub fn forget(&self, account: &Key) {
        self.0.invalidate(account);
    }
}
