//! The cache of a cluster, over one multiplexed connection.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands, RedisError, RedisResult, Script};
use secrecy::{ExposeSecret, SecretString};

use super::{About, CacheKey, PREFIX};
use crate::{Error, Result};

/// Time limit for connecting, and for each response.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Time limit for a whole call, which may have to connect first.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct RedisConfig {
    /// The server's address. It may contain a password, so never log it.
    pub url: SecretString,
    /// First part of every key.
    pub prefix: String,
}

impl RedisConfig {
    pub fn new(url: impl Into<SecretString>) -> Self {
        Self { url: url.into(), prefix: PREFIX.to_owned() }
    }
}

impl fmt::Debug for RedisConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisConfig").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

#[derive(Clone)]
pub(super) struct RedisCache {
    connection: ConnectionManager,
    prefix: String,
    /// INCR and PEXPIRE in one step: a crash between them would leave a counter that never expires.
    increment: Script,
}

impl RedisCache {
    pub(super) fn new(config: &RedisConfig) -> Result<Self> {
        crate::install_crypto();
        let client = redis::Client::open(config.url.expose_secret())
            // Drop the error: it may quote the address, including its password.
            .map_err(|_| Error::internal("the address of redis is not valid"))?;
        let settings = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(TIMEOUT))
            .set_response_timeout(Some(TIMEOUT))
            .set_number_of_retries(1)
            .set_min_delay(Duration::from_millis(50))
            .set_max_delay(Duration::from_millis(200));
        let connection = ConnectionManager::new_lazy_with_config(client, settings).map_err(failed)?;
        let script = "local n = redis.call('INCR', KEYS[1]) \
             if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end \
             return n";
        Ok(Self { connection, prefix: config.prefix.clone(), increment: Script::new(script) })
    }

    pub(super) async fn get(&self, key: &CacheKey) -> Result<Option<Bytes>> {
        let mut connection = self.connection.clone();
        let found: Option<Vec<u8>> = call(connection.get(key.text(&self.prefix))).await?;
        Ok(found.map(Bytes::from))
    }

    pub(super) async fn set(&self, key: &CacheKey, bytes: Vec<u8>, ttl: Duration) -> Result<()> {
        let mut connection = self.connection.clone();
        call(connection.pset_ex(key.text(&self.prefix), bytes, millis(ttl))).await
    }

    pub(super) async fn delete(&self, key: &CacheKey) -> Result<()> {
        let mut connection = self.connection.clone();
        call(connection.del(key.text(&self.prefix))).await
    }

    pub(super) async fn increment(&self, key: &CacheKey, window: Duration) -> Result<u64> {
        let mut connection = self.connection.clone();
        let mut counting = self.increment.key(key.text(&self.prefix));
        counting.arg(millis(window));
        call(counting.invoke_async(&mut connection)).await
    }

    pub(super) async fn about(&self) -> Result<About> {
        let mut connection = self.connection.clone();
        let text: String = call(redis::cmd("INFO").query_async(&mut connection)).await?;
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.unwrap_or("unknown").to_owned()
        };
        let is_unbounded = of("maxmemory") == "0";
        Ok(About { version: of("redis_version"), policy: of("maxmemory_policy"), is_unbounded })
    }

    pub(super) async fn ready(&self) -> Result<()> {
        let mut connection = self.connection.clone();
        call(redis::cmd("PING").exec_async(&mut connection)).await
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).min(i64::MAX as u64 / 2)
}

async fn call<T>(asking: impl Future<Output = RedisResult<T>>) -> Result<T> {
    match tokio::time::timeout(CALL_TIMEOUT, asking).await {
        Ok(answer) => answer.map_err(failed),
        Err(_) => Err(unavailable("no answer in time")),
    }
}

fn failed(error: RedisError) -> Error {
    unavailable(error)
}

fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::unavailable("CACHE_UNAVAILABLE", "The service is not available right now. Try again in a moment.")
        .with_source(source)
}
