//! The cache of one process.
//!
//! Counters have a capacity of their own: a rush of values must not evict rate limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use moka::Expiry;
use moka::future::Cache;

use super::CacheKey;

/// Maximum number of counters; beyond it the least used ones are evicted first.
const COUNTERS: u64 = 100_000;

#[derive(Clone)]
pub(super) struct MemoryCache {
    values: Cache<CacheKey, Value>,
    counters: Cache<CacheKey, Counter>,
}

#[derive(Clone)]
struct Value {
    bytes: Bytes,
    ttl: Duration,
}

#[derive(Clone)]
struct Counter {
    count: Arc<AtomicU64>,
    window: Duration,
}

/// Gives each entry its own lifetime, which restarts when the entry is written again.
struct Own;

impl Expiry<CacheKey, Value> for Own {
    fn expire_after_create(&self, _: &CacheKey, value: &Value, _: Instant) -> Option<Duration> {
        Some(value.ttl)
    }

    fn expire_after_update(
        &self,
        _: &CacheKey,
        value: &Value,
        _: Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        Some(value.ttl)
    }
}

impl Expiry<CacheKey, Counter> for Own {
    fn expire_after_create(&self, _: &CacheKey, counter: &Counter, _: Instant) -> Option<Duration> {
        Some(counter.window)
    }
}

impl MemoryCache {
    pub(super) fn new(max_bytes: u64) -> Self {
        let weigh = |key: &CacheKey, value: &Value| {
            // Approximate overhead of an entry besides its content.
            u32::try_from(key.id.len() + value.bytes.len() + 128).unwrap_or(u32::MAX)
        };
        Self {
            values: Cache::builder().max_capacity(max_bytes).weigher(weigh).expire_after(Own).build(),
            counters: Cache::builder().max_capacity(COUNTERS).expire_after(Own).build(),
        }
    }

    pub(super) async fn get(&self, key: &CacheKey) -> Option<Bytes> {
        self.values.get(key).await.map(|value| value.bytes)
    }

    pub(super) async fn set(&self, key: &CacheKey, bytes: Vec<u8>, ttl: Duration) {
        self.values.insert(key.clone(), Value { bytes: bytes.into(), ttl }).await;
    }

    pub(super) async fn delete(&self, key: &CacheKey) {
        // Remove both, because in Redis a value and a counter of the same key are one entry, and the two
        // caches must behave alike.
        self.values.invalidate(key).await;
        self.counters.invalidate(key).await;
    }

    pub(super) async fn increment(&self, key: &CacheKey, window: Duration) -> u64 {
        let counter =
            self.counters.get_with_by_ref(key, async { Counter { count: Arc::default(), window } }).await;
        counter.count.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Returns the total weight of values after pending evictions.
    #[cfg(test)]
    pub(super) async fn settled_bytes(&self) -> u64 {
        self.values.run_pending_tasks().await;
        self.values.weighted_size()
    }
}
