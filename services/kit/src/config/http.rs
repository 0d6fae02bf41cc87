//! The public port: its address, and limits of requests and connections.

use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http {
    pub host: String,
    pub port: u16,
    pub public_url: String,
    pub allowed_origins: Vec<String>,
    pub timeout_seconds: u64,
    pub body_timeout_seconds: u64,
    pub max_in_flight: usize,
    pub max_anonymous_in_flight: usize,
    pub max_transfers: usize,
    pub max_export_bytes: u64,
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    pub header_timeout_seconds: u64,
    pub idle_timeout_seconds: u64,
    pub write_timeout_seconds: u64,
    pub trusted_proxies: usize,
}

/// Returns whether a host name or address always refers to the machine that uses it, like `localhost`.
pub fn is_this_machine(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost"
        || host.ends_with(".localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

impl Http {
    /// Returns whether only this machine is meant to reach the port: it listens on loopback, and the
    /// configuration names neither a proxy nor a public address.
    pub fn is_local(&self) -> bool {
        let public = self.public_url.parse::<http::Uri>().ok();
        let public_is_here = public.as_ref().and_then(http::Uri::host).is_none_or(is_this_machine);
        is_this_machine(&self.host) && public_is_here && self.trusted_proxies == 0
    }

    /// Returns the public address, for mails and printed forms. It never comes from a request, because the
    /// sender of a request chooses the host.
    pub fn base(&self) -> String {
        if !self.public_url.is_empty() {
            return self.public_url.trim_end_matches('/').to_owned();
        }
        let host = match self.host.parse::<std::net::IpAddr>() {
            Ok(address) if address.is_unspecified() => "localhost".to_owned(),
            Ok(std::net::IpAddr::V6(address)) => format!("[{address}]"),
            _ => self.host.clone(),
        };
        format!("http://{host}:{}", self.port)
    }

    /// Returns the limits that are out of range. With a limit of zero nobody would be served.
    pub(super) fn check(&self) -> Vec<String> {
        let limits = [
            ("timeout_seconds", self.timeout_seconds),
            ("body_timeout_seconds", self.body_timeout_seconds),
            ("header_timeout_seconds", self.header_timeout_seconds),
            ("idle_timeout_seconds", self.idle_timeout_seconds),
            ("write_timeout_seconds", self.write_timeout_seconds),
            ("max_in_flight", self.max_in_flight as u64),
            ("max_anonymous_in_flight", self.max_anonymous_in_flight as u64),
            ("max_transfers", self.max_transfers as u64),
            ("max_connections", self.max_connections as u64),
            ("max_connections_per_address", self.max_connections_per_address as u64),
        ];
        let wrong = |(_, limit): &(&str, u64)| !(1..=1_000_000).contains(limit);
        let too_small =
            (self.max_export_bytes < 1 << 20).then(|| "http.max_export_bytes: at least 1048576".to_owned());
        let limits = limits.into_iter().filter(wrong).map(|(key, _)| format!("http.{key}: 1 to 1000000"));
        limits.chain(too_small).collect()
    }
}
