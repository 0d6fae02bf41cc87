//! `waybill doctor`: checks everything that this configuration depends on, and reports problems. Changes
//! nothing.

mod servers;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use kit::Result;
use kit::clock::Clock;
use kit::config::{Config, Geocoder, Http, Target, is_this_machine, sqlite_file};
use kit::findings::{Findings, Level};
use kit::tls::Tls;
use secrecy::ExposeSecret;
use store::Db;
use store::backup::require_restored;
use store::connect::is_there;
use store::inspect::inspect;

use crate::target::Row;
use crate::{database, target};

/// The years in which a clock is plausible.
const YEARS: std::ops::RangeInclusive<i32> = 2026..=2100;

/// Checks everything that this configuration of a target depends on, even if parts of the product are down.
pub async fn look(config: &Config, target: Target, clock: &Clock) -> Findings {
    let mut found = Findings::default();
    machine(config, clock, &mut found);
    databases(config, target, &mut found).await;
    servers::look(config, target, clock, &mut found).await;
    network(config, target, &mut found);
    calls(config, clock, &mut found);
    found
}

async fn databases(config: &Config, target: Target, found: &mut Findings) {
    let services: Vec<_> = target::services(target).collect();
    if let Err(error) = database::require_each(config, services.len()) {
        found.look(format!("databases: {}", error.message));
    }
    // Each process also has a connection that checks readiness.
    let each = config.database.max_connections.saturating_add(1);
    let connections = each.saturating_mul(u32::try_from(services.len()).unwrap_or(u32::MAX));
    for row in services {
        if let Err(error) = one_database(config, row, connections, found).await {
            found.wrong(format!("database of {}: {error:#}", row.name));
        }
    }
}

/// Checks the database of a service. Returns the error that makes it unusable.
async fn one_database(config: &Config, row: &Row, connections: u32, found: &mut Findings) -> Result<()> {
    let url = row.database(config);
    if let Some(file) = sqlite_file(&url)
        && !is_there(&file)?
    {
        require_restored(&file)?;
        found.look(format!("database of {}: not there yet; the first start makes it", row.name));
        return Ok(());
    }
    let db = Db::connect_restored(&url, &config.database).await?;
    let usable = match db.require_sessions(&config.database).await {
        Ok(()) => {
            // Before the migrations are read: a damaged page may be theirs.
            found.append(inspect(&db, row.name, connections).await);
            row.migrations.require_current(&db, row.name).await
        }
        refused => refused,
    };
    db.close().await;
    usable
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

fn network(config: &Config, target: Target, found: &mut Findings) {
    if target.runs_gateway() {
        public(&config.http, found);
    }
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
    port("ops", &ops.host, ops.port, found);
    leaving(config, found);
}

/// Checks the port for browsers.
fn public(http: &Http, found: &mut Findings) {
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
    let text = format!(
        "http: public_url is empty, so the address and QR code on printed forms are {}, which other machines can't open",
        http.base()
    );
    found.expect(
        !is_open || !http.public_url.is_empty() || !http.base().starts_with("http://localhost:"),
        Level::Look,
        "http: printed forms have an address",
        text,
    );
    port("http", &http.host, http.port, found);
}

/// Checks whether a port can be opened.
fn port(name: &str, host: &str, port: u16, found: &mut Findings) {
    match TcpListener::bind((host, port)) {
        Ok(_) => found.good(format!("port {port} ({name}): free, no Waybill runs here")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            found.good(format!("port {port} ({name}): taken, by a running Waybill or something else"))
        }
        Err(error) => found.wrong(format!("port {port} ({name}): {error}")),
    }
}

/// How long a certificate must be valid at least; the same as in the alert.
const CERTIFICATE_LEFT: chrono::Duration = chrono::Duration::days(14);

/// Reports whether calls between separate services are encrypted, and for how long.
fn calls(config: &Config, clock: &Clock, found: &mut Findings) {
    let (host, port) = (&config.grpc.host, config.grpc.port);
    let validity = match Tls::open(&config.grpc, clock) {
        Ok(Some(tls)) => tls.validity(),
        Ok(None) => {
            found.expect(
                is_this_machine(host),
                Level::Look,
                format!("calls between services: {host}:{port}, not encrypted"),
                format!(
                    "calls between services: {host}:{port} is open to the network without TLS. Set \
                     grpc.certificate_file, grpc.key_file and grpc.authority_file, unless its network is encrypted."
                ),
            );
            return;
        }
        Err(error) => return found.wrong(format!("calls between services: {}", error.message)),
    };
    for (name, until) in [("this certificate", validity.certificate), ("its authority", validity.authority)] {
        let day = until.format("%Y-%m-%d");
        found.expect(
            until - clock.now() >= CERTIFICATE_LEFT,
            Level::Look,
            format!("calls between services: encrypted, {name} until {day}"),
            format!("calls between services: encrypted, and {name} expires on {day}. Renew it."),
        );
    }
    if config.grpc.allow_plaintext {
        found.look(
            "calls between services: calls without TLS are accepted as well. Once every peer is https://, set \
             grpc.allow_plaintext to false.",
        );
    }
}

/// Lists every external address that this configuration makes the program or browsers call.
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
        leave.push("mail.smtp_url: links for new passwords, reports".to_owned());
    }
    if leave.is_empty() {
        found.good("links that leave: none, but endpoints that administrators enter for webhooks");
    }
    for it in leave {
        found.look(format!("links that leave: {it}"));
    }
}
