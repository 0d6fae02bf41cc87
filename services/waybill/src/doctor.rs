//! `waybill doctor`: looks at what this configuration stands on, and says what is wrong. It changes nothing.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use kit::bus::Bus;
use kit::clock::Clock;
use kit::config::{BlobKind, Config, Geocoder, Target, is_this_machine};
use kit::findings::{Findings, Level};
use secrecy::ExposeSecret;
use store::Db;
use store::inspect::inspect;

use crate::{plumbing, target};

/// Years in which a clock may be right.
const YEARS: std::ops::RangeInclusive<i32> = 2026..=2100;

/// Looks at everything, whatever is away.
pub async fn look(config: &Config, clock: &Clock) -> Findings {
    let mut found = Findings::default();
    machine(config, clock, &mut found);
    for row in target::services(Target::All) {
        let url = row.database(config);
        if url.strip_prefix("sqlite://").is_some_and(|file| !Path::new(file).exists()) {
            found.look(format!("database of {}: not there yet; the first start makes it", row.name));
            continue;
        }
        match Db::connect(&url, &config.database).await {
            Ok(db) => {
                let usable = async {
                    db.require_sessions(&config.database).await?;
                    row.migrations.require_current(&db, row.name).await
                };
                match usable.await {
                    Ok(()) => found.append(inspect(&db, row.name).await),
                    Err(error) => found.wrong(format!("database of {}: {}", row.name, error.message)),
                }
                db.close().await;
            }
            Err(error) => found.wrong(format!("database of {}: {error:#}", row.name)),
        }
    }
    servers(config, clock, &mut found).await;
    network(config, &mut found);
    found
}

fn machine(config: &Config, clock: &Clock, found: &mut Findings) {
    let now = clock.now();
    let year = chrono::Datelike::year(&now);
    found.expect(
        YEARS.contains(&year),
        Level::Wrong,
        format!("clock: {}", now.to_rfc3339()),
        format!("clock: {now} cannot be right. Set it, by NTP if possible."),
    );
    for (name, path) in [("data folder", config.data.clone()), ("secrets", config.data.join("secrets"))] {
        let Ok(folder) = fs::metadata(&path) else { continue };
        let mode = folder.permissions().mode() & 0o777;
        let text =
            format!("{name} {}: others on this machine may read it ({mode:o}). chmod 700", path.display());
        found.expect(
            mode & 0o077 == 0,
            Level::Look,
            format!("{name} {}: its owner's alone", path.display()),
            text,
        );
    }
}

async fn servers(config: &Config, clock: &Clock, found: &mut Findings) {
    match plumbing::bus(config, &[]).await {
        Ok(Bus::Memory(_)) => found.good("events: in this process"),
        Ok(Bus::Nats(nats)) => match nats.about().await {
            Ok(about) => found.expect(
                about.has_streams,
                Level::Wrong,
                format!("NATS {}, with JetStream", about.version),
                format!(
                    "NATS {}: JetStream is off, so no event goes anywhere. Start it with -js.",
                    about.version
                ),
            ),
            Err(error) => found.wrong(format!("NATS: {error:#}")),
        },
        Err(error) => found.wrong(format!("NATS: {error:#}")),
    }
    match plumbing::cache(config) {
        Ok(cache) => match cache.about().await {
            Ok(None) => found.good("cache: in this process"),
            Ok(Some(about)) => {
                let text = format!(
                    "Redis {}: maxmemory-policy is {}. It is a cache: with a limit of memory, let it evict (allkeys-lru).",
                    about.version, about.policy
                );
                let good = format!("Redis {}, {}", about.version, about.policy);
                found.expect(
                    about.is_unbounded || about.policy.starts_with("allkeys"),
                    Level::Look,
                    good,
                    text,
                );
            }
            Err(error) => found.look(format!(
                "Redis: {error:#}. Waybill works without, but looks up no addresses at a provider."
            )),
        },
        Err(error) => found.wrong(format!("cache: {error:#}")),
    }
    let mut config = config.clone();
    if config.blob.kind == BlobKind::Auto && !config.data.join("objects").exists() {
        found.look("objects: not there yet; the first start makes their folder");
        return;
    }
    if config.blob.kind == BlobKind::Auto && config.generate_secrets().is_err() {
        found.wrong("secrets: cannot be read or made under the data folder");
        return;
    }
    let ready = async { plumbing::blob(&config, clock)?.ready().await };
    match ready.await {
        Ok(()) => found.good("objects: can be written"),
        Err(error) => found.wrong(format!("objects: {error:#}")),
    }
}

fn network(config: &Config, found: &mut Findings) {
    let http = &config.http;
    let is_open = !is_this_machine(&http.host);
    let https = http.public_url.starts_with("https://");
    let text = format!(
        "http: {}:{} is open to the network without TLS. Put a proxy with TLS in front and set http.public_url to https://…, http.trusted_proxies to 1.",
        http.host, http.port
    );
    found.expect(!is_open || https, Level::Look, format!("http: {}:{}", http.host, http.port), text);
    let text = "http: public_url is https, and trusted_proxies is 0: everybody has the address of the proxy";
    found.expect(
        !https || http.trusted_proxies > 0,
        Level::Look,
        "http: addresses of clients are known",
        text,
    );
    let ops = &config.ops;
    let text = format!(
        "operations: {}:{} is open to the network. Only probes and Prometheus should reach it.",
        ops.host, ops.port
    );
    found.expect(
        is_this_machine(&ops.host),
        Level::Look,
        format!("operations: {}:{}", ops.host, ops.port),
        text,
    );
    for (name, host, port) in [("http", &http.host, http.port), ("ops", &ops.host, ops.port)] {
        match TcpListener::bind((host.as_str(), port)) {
            Ok(_) => found.good(format!("port {port} ({name}): free, no Waybill runs here")),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
                found.good(format!("port {port} ({name}): taken, by a running Waybill or something else"))
            }
            Err(error) => found.wrong(format!("port {port} ({name}): {error}")),
        }
    }
    leaving(config, found);
}

/// Every address outside that this configuration makes the program, or browsers, call.
fn leaving(config: &Config, found: &mut Findings) {
    let mut leave = Vec::new();
    if config.geocoding.provider != Geocoder::None {
        leave.push(format!("geocoding: {}", config.geocoding.address()));
    }
    for (name, url) in [("map.style_url", &config.map.style_url), ("map.tile_url", &config.map.tile_url)] {
        if !url.is_empty() {
            leave.push(format!("{name}, from browsers: {url}"));
        }
    }
    if !config.telemetry.otlp_endpoint.is_empty() {
        leave.push(format!("telemetry: {}", config.telemetry.otlp_endpoint));
    }
    if !config.mail.smtp_url.expose_secret().is_empty() {
        leave.push("mail.smtp_url: links for new passwords".to_owned());
    }
    if leave.is_empty() {
        found.good("links that leave: none, but endpoints that administrators enter for webhooks");
    }
    for it in leave {
        found.look(format!("links that leave: {it}"));
    }
}
