//! Data that may be lost: looked-up values with a lifetime, and counters for rate limits.
//!
//! Contract:
//! - Disposable: a miss is always possible, even right after a `set`. Nothing here is the only copy of
//!   anything, and no access decision may depend on it.
//! - Values are JSON. A value that does not fit its type, because another version wrote it, is a miss.
//! - Redis answers within two seconds or the call fails as unavailable; the caller decides how to continue
//!   without it. Redis may be down when the process starts.
//!
//! Deliberately absent: scanning, invalidation by pattern, locks, publish and subscribe.

mod memory;
mod redis;
#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::health::Check;
use crate::{Error, Result};
use memory::MemoryCache;
use redis::RedisCache;
pub use redis::RedisConfig;

/// First part of every key in Redis, unless the configuration sets another.
pub const PREFIX: &str = "waybill";

/// The key of an entry: its kind, and its id among the entries of that kind.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CacheKey {
    kind: &'static str,
    id: String,
}

impl CacheKey {
    pub fn new(kind: &'static str, id: impl Into<String>) -> Self {
        Self { kind, id: id.into() }
    }

    /// Formats the key, as in `waybill:session:<id>`. Kinds have no colon, so two keys never collide.
    fn text(&self, prefix: &str) -> String {
        format!("{prefix}:{}:{}", self.kind, self.id)
    }
}

/// Omits the id, which may be a session id or a person's address.
impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CacheKey({}:…)", self.kind)
    }
}

#[derive(Clone)]
pub struct Cache(Store);

/// Information that a Redis server reports about itself.
#[derive(Debug, Clone)]
pub struct About {
    pub version: String,
    /// The server's eviction policy.
    pub policy: String,
    /// Whether the server has no memory limit.
    pub is_unbounded: bool,
}

#[derive(Clone)]
enum Store {
    Memory(MemoryCache),
    Redis(RedisCache),
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Store::Memory(_) => "Cache(memory)",
            Store::Redis(_) => "Cache(redis)",
        })
    }
}

impl Cache {
    /// Creates a cache in the memory of this process that holds about `max_bytes`.
    pub fn memory(max_bytes: u64) -> Self {
        Self(Store::Memory(MemoryCache::new(max_bytes)))
    }

    /// Creates a cache shared by all processes. Connects on first use, and again when the connection is
    /// lost.
    pub fn redis(config: &RedisConfig) -> Result<Self> {
        Ok(Self(Store::Redis(RedisCache::new(config)?)))
    }

    pub async fn get<T: DeserializeOwned>(&self, key: &CacheKey) -> Result<Option<T>> {
        let found = match &self.0 {
            Store::Memory(memory) => memory.get(key).await,
            Store::Redis(redis) => redis.get(key).await?,
        };
        Ok(found.and_then(|bytes| match serde_json::from_slice(&bytes) {
            Ok(value) => Some(value),
            Err(_) => {
                tracing::debug!(cache.kind = key.kind, "cached value does not fit, ignored");
                None
            }
        }))
    }

    /// Stores a value for `ttl` at most; a zero `ttl` stores nothing.
    pub async fn set<T: Serialize>(&self, key: &CacheKey, value: &T, ttl: Duration) -> Result<()> {
        let bytes = serde_json::to_vec(value).map_err(Error::internal)?;
        if ttl.as_millis() == 0 {
            return self.delete(key).await;
        }
        match &self.0 {
            Store::Memory(memory) => memory.set(key, bytes, ttl).await,
            Store::Redis(redis) => return redis.set(key, bytes, ttl).await,
        }
        Ok(())
    }

    pub async fn delete(&self, key: &CacheKey) -> Result<()> {
        match &self.0 {
            Store::Memory(memory) => memory.delete(key).await,
            Store::Redis(redis) => return redis.delete(key).await,
        }
        Ok(())
    }

    /// Increments a counter and returns the count. The counter's window begins with the first increment.
    pub async fn increment(&self, key: &CacheKey, window: Duration) -> Result<u64> {
        let window = window.max(Duration::from_millis(1));
        match &self.0 {
            Store::Memory(memory) => Ok(memory.increment(key, window).await),
            Store::Redis(redis) => redis.increment(key, window).await,
        }
    }

    pub async fn ready(&self) -> Result<()> {
        match &self.0 {
            Store::Memory(_) => Ok(()),
            Store::Redis(redis) => redis.ready().await,
        }
    }

    /// Returns the server's information about itself; `None` for a cache in memory.
    pub async fn about(&self) -> Result<Option<About>> {
        match &self.0 {
            Store::Memory(_) => Ok(None),
            Store::Redis(redis) => redis.about().await.map(Some),
        }
    }

    /// Returns the readiness check "cache". Its failure does not make the process unready, because the
    /// process can run without the cache for a while.
    pub fn check(&self) -> Check {
        let this = self.clone();
        Check::shown("cache", move || {
            let this = this.clone();
            async move { this.ready().await }
        })
    }
}
