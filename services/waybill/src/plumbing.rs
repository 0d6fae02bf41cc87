//! The infrastructure of a process, according to its configuration: objects, events and the cache.

use kit::Result;
use kit::blob::{Blob, LocalBlob, LocalConfig, S3Blob, S3Config};
use kit::bus::{Bus, MemoryBus, NatsBus, NatsConfig, Retry};
use kit::cache::{Cache, RedisConfig};
use kit::clock::Clock;
use kit::config::{BlobKind, Config};
use secrecy::ExposeSecret;

/// Capacity of the in-memory cache.
const CACHE_BYTES: u64 = 16 << 20;

/// Returns the object storage.
///
/// # Errors
///
/// `DISK_UNSUITABLE` when it is a folder on a disk that cannot store uploads.
pub fn blob(config: &Config, clock: &Clock) -> Result<Blob> {
    let blob = open_blob(config, clock)?;
    if let Blob::Local(local) = &blob {
        local.require_links()?;
    }
    Ok(blob)
}

fn open_blob(config: &Config, clock: &Clock) -> Result<Blob> {
    let it = &config.blob;
    let some = |text: &String| (!text.is_empty()).then(|| text.clone());
    Ok(match it.kind {
        BlobKind::Auto => Blob::Local(LocalBlob::new(
            LocalConfig {
                root: config.data.join("objects"),
                public_url: some(&config.http.public_url),
                secret: it.link_key.clone(),
            },
            clock.clone(),
        )?),
        BlobKind::S3 => Blob::S3(S3Blob::new(&S3Config {
            endpoint: some(&it.endpoint),
            public_endpoint: some(&it.public_endpoint),
            region: it.region.clone(),
            bucket: it.bucket.clone(),
            access_key: it.access_key.expose_secret().to_owned(),
            secret_key: it.secret_key.clone(),
        })?),
    })
}

/// Returns the object storage for a command that runs beside the program. Commands make no links, so the key that signs
/// them is a random one: generating the program's here would write it into a wrong data folder. Any disk will do, because a
/// backup is the way off one that cannot store uploads.
pub fn blob_of_command(config: &Config, clock: &Clock) -> Result<Blob> {
    let mut config = config.clone();
    config.blob.link_key = kit::random::suffix()?.into();
    open_blob(&config, clock)
}

/// Connects the bus of a process in which these services emit events.
pub async fn bus(config: &Config, emitting: &[&str]) -> Result<Bus> {
    let Some(url) = config.bus.nats() else {
        return Ok(Bus::Memory(MemoryBus::new(Retry::default())));
    };
    let mut nats = NatsConfig::new(url);
    // A gateway alone only watches events, and is useful without a bus.
    nats.needed = !emitting.is_empty();
    nats.namespace = config.bus.namespace.clone();
    nats.streams.replicas = config.bus.replicas;
    nats.streams.intake_max_bytes = Some(config.bus.intake_max_bytes);
    let bus = Bus::Nats(NatsBus::connect(nats).await?);
    bus.ensure_streams(emitting).await?;
    Ok(bus)
}

pub fn cache(config: &Config) -> Result<Cache> {
    match config.cache.redis() {
        Some(url) => Cache::redis(&RedisConfig::new(url.to_owned())),
        None => Ok(Cache::memory(CACHE_BYTES)),
    }
}
