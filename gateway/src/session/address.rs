//! The network address of a browser.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use http::{Extensions, HeaderMap};

use crate::state::{App, forwarded};

/// Returns the browser's address: the one that a trusted proxy reports or, without one, the connection's.
/// Empty if unknown.
pub fn address(app: &App, headers: &HeaderMap, extensions: &Extensions) -> String {
    // Canonical, so that an IPv4 address mapped to IPv6 is the same as the IPv4 address.
    ip(app, headers, extensions).map(|ip| ip.to_canonical().to_string()).unwrap_or_default()
}

/// Returns the network of the browser's address, the key by which [`kit::shares`] limits a caller.
pub fn network(app: &App, headers: &HeaderMap, extensions: &Extensions) -> String {
    ip(app, headers, extensions).map(|ip| kit::shares::network(ip).to_string()).unwrap_or_default()
}

fn ip(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Option<IpAddr> {
    let said = forwarded(headers, "x-forwarded-for", app.config.http.trusted_proxies).and_then(parse);
    said.or_else(|| extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip()))
}

fn parse(entry: &str) -> Option<IpAddr> {
    entry.parse::<IpAddr>().ok().or_else(|| entry.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}
