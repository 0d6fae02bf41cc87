//! The servers beside the databases: NATS, Redis, the store of objects.

use axum::http::Uri;
use kit::bus::Bus;
use kit::clock::Clock;
use kit::config::{BlobKind, Config, Target, is_this_machine};
use kit::findings::{Findings, Level};
use kit::{bus, cache};

use crate::plumbing;

/// The oldest versions that tests run on, as major and minor.
const NATS: (u32, u32) = (2, 9);
const REDIS: (u32, u32) = (7, 0);
/// The oldest version of NATS that accepts `sync_interval: always`; older ones refuse to start with it.
const NATS_SYNCS: (u32, u32) = (2, 10);
/// The default maximum size of a NATS message, in bytes. Tests run with this limit.
const PAYLOAD: usize = 1 << 20;

pub async fn look(config: &Config, target: Target, clock: &Clock, found: &mut Findings) {
    match plumbing::bus(config, &[]).await {
        Ok(Bus::Memory(_)) => found.good("events: in this process"),
        Ok(Bus::Nats(nats)) => match nats.about().await {
            Ok(about) => nats_server(config, &about, found),
            Err(error) => found.wrong(format!("NATS: {error:#}")),
        },
        Err(error) => found.wrong(format!("NATS: {error:#}")),
    }
    if target.runs_gateway() {
        cache(config, found).await;
    }
    if target.runs_gateway() || target.keeps_objects() {
        objects(config, clock, found).await;
    }
}

async fn cache(config: &Config, found: &mut Findings) {
    match plumbing::cache(config) {
        Ok(cache) => match cache.about().await {
            Ok(None) => found.good("cache: in this process"),
            Ok(Some(about)) => redis_server(config, &about, found),
            Err(error) => found.look(format!(
                "Redis: {error:#}. Waybill works without it, but can't look up addresses at a provider."
            )),
        },
        Err(error) => found.wrong(format!("cache: {error:#}")),
    }
}

fn nats_server(config: &Config, about: &bus::nats::About, found: &mut Findings) {
    let name = format!("NATS {}", about.version);
    found.expect(
        about.has_streams,
        Level::Wrong,
        format!("{name}, with JetStream"),
        format!("{name}: JetStream is off, so no event goes anywhere. Start it with -js."),
    );
    version(&name, &about.version, NATS, found);
    found.expect(
        is_at_least(&about.version, NATS_SYNCS),
        Level::Look,
        format!("{name}: supports sync_interval: always, and doesn't say whether it is set (docs/intake.md)"),
        format!(
            "{name}: a power cut can lose dead letters that other systems published in the last minutes. Where that matters, \
             use 2.10 or newer with sync_interval: always (docs/intake.md)."
        ),
    );
    found.expect(
        about.max_payload >= PAYLOAD,
        Level::Wrong,
        format!("{name}: messages of up to {} KiB", about.max_payload >> 10),
        format!(
            "{name}: max_payload is {} bytes, so larger events are never published. Set it to {PAYLOAD} or more.",
            about.max_payload
        ),
    );
    let replicas = config.bus.replicas;
    found.expect(
        replicas == 1 || about.is_clustered,
        Level::Wrong,
        format!("{name}: streams on {replicas} server(s)"),
        format!(
            "{name}: bus.replicas is {replicas}, and this server is in no cluster, so streams cannot be made."
        ),
    );
    if let Some((used, limit)) = about.storage {
        found.expect(
            used < limit / 5 * 4,
            Level::Wrong,
            format!("{name}: {} of {} MiB of streams used", used >> 20, limit >> 20),
            format!(
                "{name}: streams have {} of {} MiB. Once they are full, events wait in the databases. Raise max_file_store, or \
                 the account's limit.",
                used >> 20,
                limit >> 20
            ),
        );
    }
    encrypted("NATS", config.bus.nats(), "tls", found);
}

fn redis_server(config: &Config, about: &cache::About, found: &mut Findings) {
    let name = format!("Redis {}", about.version);
    found.expect(
        about.is_unbounded || about.policy.starts_with("allkeys"),
        Level::Look,
        format!("{name}, {}", about.policy),
        format!(
            "{name}: maxmemory-policy is {}. It is a cache: with a limit of memory, let it evict (allkeys-lru).",
            about.policy
        ),
    );
    version(&name, &about.version, REDIS, found);
    encrypted("Redis", config.cache.redis(), "rediss", found);
}

/// Compares a version with the oldest one that tests run on.
fn version(name: &str, version: &str, oldest: (u32, u32), found: &mut Findings) {
    if !is_at_least(version, oldest) {
        let (major, minor) = oldest;
        found.look(format!("{name}: nothing older than {major}.{minor} was tried"));
    }
}

fn is_at_least(version: &str, (major, minor): (u32, u32)) -> bool {
    let mut numbers = version.split('.').map_while(|it| it.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(major), Some(minor))
}

/// Looks for passwords and data that would cross a network in the clear.
fn encrypted(name: &str, url: Option<&str>, scheme: &str, found: &mut Findings) {
    let servers = url.unwrap_or_default().split(',').filter_map(|it| it.trim().parse::<Uri>().ok());
    let is_open = |it: &Uri| it.scheme_str() != Some(scheme) && !it.host().is_some_and(is_this_machine);
    if servers.into_iter().any(|it| is_open(&it)) {
        found.look(format!(
            "{name}: on another machine, without TLS. Use an address with {scheme}://, unless its network is encrypted."
        ));
    }
}

async fn objects(config: &Config, clock: &Clock, found: &mut Findings) {
    let mut config = config.clone();
    if config.blob.kind == BlobKind::Auto {
        let folder = config.data.join("objects");
        match folder.try_exists() {
            Ok(true) => {}
            Ok(false) => return found.look("objects: not there yet; the first start makes their folder"),
            Err(error) => return found.wrong(format!("objects: {}: {error}", folder.display())),
        }
        if let Err(error) = config.generate_secrets() {
            return found.wrong(format!("secrets: {error:#}"));
        }
    }
    let ready = async { plumbing::blob(&config, clock)?.ready().await };
    match ready.await {
        Ok(()) => found.good("objects: they can be reached"),
        Err(error) => found.wrong(format!("objects: {error:#}")),
    }
}
