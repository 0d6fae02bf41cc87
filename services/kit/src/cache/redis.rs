//! The cache of a cluster, over one multiplexed connection.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{AsyncCommands, ErrorKind, IntoConnectionInfo, RedisError, RedisResult, Script, ServerErrorKind};
use secrecy::{ExposeSecret, SecretString};

use super::{About, CacheKey, PREFIX};
use crate::{Error, Result};

/// Time limit for connecting, and for each response.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Time limit for a whole call, which may have to connect first.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);
/// Number of calls in a row without a response after which the connection is replaced.
const MAX_TIMEOUTS: u32 = 3;
/// Age from which a connection to a server that accepts no changes is replaced. A younger one shows that new
/// connections do not reach another server yet.
const REPLACED: Duration = Duration::from_secs(3);
/// Lifetime of the key that readiness checks write.
const READY_FOR: Duration = Duration::from_secs(5);

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
    client: redis::Client,
    link: Arc<Mutex<Arc<Link>>>,
    prefix: String,
    /// INCR and PEXPIRE in one step: a crash between them would leave a counter that never expires.
    increment: Script,
}

/// A connection that reconnects when it breaks, but not when it only stops responding.
struct Link {
    connection: ConnectionManager,
    /// Number of calls since the last response.
    timeouts: AtomicU32,
    since: Instant,
}

impl Link {
    /// Connects with the first call.
    fn new(client: redis::Client) -> RedisResult<Self> {
        let settings = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(TIMEOUT))
            .set_response_timeout(Some(TIMEOUT))
            .set_number_of_retries(1)
            .set_min_delay(Duration::from_millis(50))
            .set_max_delay(Duration::from_millis(200));
        let connection = ConnectionManager::new_lazy_with_config(client, settings)?;
        Ok(Self { connection, timeouts: AtomicU32::new(0), since: Instant::now() })
    }
}

impl RedisCache {
    pub(super) fn new(config: &RedisConfig) -> Result<Self> {
        crate::install_crypto();
        // Finds out that the server vanished while no call is waiting for it.
        let keepalive = TcpKeepalive::new()
            .with_time(Duration::from_secs(5))
            .with_interval(Duration::from_secs(2))
            .with_retries(3);
        let tcp = TcpSettings::default().set_keepalive(keepalive);
        let info = config.url.expose_secret().into_connection_info();
        let client = info
            .and_then(|it| redis::Client::open(it.set_tcp_settings(tcp)))
            // Drop the error: it may quote the address, including its password.
            .map_err(|_| Error::internal("the address of redis is not valid"))?;
        let link = Link::new(client.clone()).map_err(failed)?;
        let script = "local n = redis.call('INCR', KEYS[1]) \
             if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end \
             return n";
        Ok(Self {
            client,
            link: Arc::new(Mutex::new(Arc::new(link))),
            prefix: config.prefix.clone(),
            increment: Script::new(script),
        })
    }

    pub(super) async fn get(&self, key: &CacheKey) -> Result<Option<Bytes>> {
        let (link, mut connection) = self.link();
        let found: Option<Vec<u8>> = self.call(&link, connection.get(key.text(&self.prefix))).await?;
        Ok(found.map(Bytes::from))
    }

    pub(super) async fn set(&self, key: &CacheKey, bytes: Vec<u8>, ttl: Duration) -> Result<()> {
        let (link, mut connection) = self.link();
        self.call(&link, connection.pset_ex(key.text(&self.prefix), bytes, millis(ttl))).await
    }

    pub(super) async fn delete(&self, key: &CacheKey) -> Result<()> {
        let (link, mut connection) = self.link();
        self.call(&link, connection.del(key.text(&self.prefix))).await
    }

    pub(super) async fn increment(&self, key: &CacheKey, window: Duration) -> Result<u64> {
        let (link, mut connection) = self.link();
        let mut counting = self.increment.key(key.text(&self.prefix));
        counting.arg(millis(window));
        self.call(&link, counting.invoke_async(&mut connection)).await
    }

    pub(super) async fn about(&self) -> Result<About> {
        let (link, mut connection) = self.link();
        let text: String = self.call(&link, redis::cmd("INFO").query_async(&mut connection)).await?;
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.unwrap_or("unknown").to_owned()
        };
        let is_unbounded = of("maxmemory") == "0";
        Ok(About { version: of("redis_version"), policy: of("maxmemory_policy"), is_unbounded })
    }

    /// Writes a key, because a server that was demoted or is full still answers a ping.
    pub(super) async fn ready(&self) -> Result<()> {
        let (link, mut connection) = self.link();
        let key = format!("{}:ready", self.prefix);
        self.call(&link, connection.pset_ex(key, 1, millis(READY_FOR))).await
    }

    /// Returns the current link, and its connection for one call.
    fn link(&self) -> (Arc<Link>, ConnectionManager) {
        let link = self.link.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let connection = link.connection.clone();
        (link, connection)
    }

    /// Waits for the response to a call over `link`. Replaces a link that has stopped responding, or whose server accepts
    /// no changes any more: the address may lead to another one by now.
    async fn call<T>(&self, link: &Arc<Link>, asking: impl Future<Output = RedisResult<T>>) -> Result<T> {
        let answer = tokio::time::timeout(CALL_TIMEOUT, asking).await;
        let timed_out = match &answer {
            Ok(answer) => answer.as_ref().is_err_and(RedisError::is_timeout),
            Err(_) => true,
        };
        if !timed_out {
            link.timeouts.store(0, Ordering::Relaxed);
        } else if link.timeouts.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_TIMEOUTS {
            self.replace(link);
        }
        if matches!(&answer, Ok(Err(error)) if is_read_only(error)) && link.since.elapsed() >= REPLACED {
            self.replace(link);
        }
        match answer {
            Ok(answer) => answer.map_err(failed),
            Err(_) => Err(unavailable("no answer in time")),
        }
    }

    /// Replaces a link, unless another call has already done so.
    fn replace(&self, old: &Arc<Link>) {
        let mut guard = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        let current: &mut Arc<Link> = &mut guard;
        if !Arc::ptr_eq(current, old) {
            return;
        }
        match Link::new(self.client.clone()) {
            Ok(link) => *current = Arc::new(link),
            Err(error) => tracing::warn!("the connection to redis cannot be replaced: {error}"),
        }
    }
}

fn is_read_only(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).min(i64::MAX as u64 / 2)
}

fn failed(error: RedisError) -> Error {
    unavailable(error)
}

fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::unavailable("CACHE_UNAVAILABLE", "The service is not available right now. Try again in a moment.")
        .with_source(source)
}
