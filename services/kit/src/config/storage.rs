//! Where data, events and files are stored.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::AUTO;
use super::check::Problems;

/// Stands for the name of a service in addresses.
const SERVICE: &str = "{service}";
const SQLITE: &str = "sqlite://";
/// Characters of a path that an address cannot have as they are.
const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// Returns the absolute form of a path, which need not exist.
pub fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.components().collect()
}

/// Returns the address of a SQLite file, which [`sqlite_file`] reverses. The path in it is absolute: the first part of a
/// relative one would be read as a host.
pub fn sqlite_url(file: &Path) -> String {
    format!("{SQLITE}{}", percent_encode(absolute(file).as_os_str().as_bytes(), RESERVED))
}

/// Returns the file of a SQLite address, or `None` for the address of a server.
pub fn sqlite_file(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix(SQLITE)?;
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    Some(OsString::from_vec(percent_decode_str(path).collect()).into())
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    pub url: SecretString,
    pub url_file: String,
    pub max_connections: u32,
    pub statement_timeout_seconds: u64,
    pub require_durable: bool,
}

impl Database {
    /// Returns the address of one service's database.
    pub fn address(&self, data: &Path, service: &str) -> String {
        match self.url.expose_secret() {
            AUTO => sqlite_url(&data.join(format!("{service}.db"))),
            url => url.replace(SERVICE, service),
        }
    }

    /// Returns whether only one service can use the configured address.
    pub fn is_of_one_service(&self) -> bool {
        let url = self.url.expose_secret();
        url.contains("://") && !url.contains(SERVICE)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bus {
    pub url: SecretString,
    pub url_file: String,
    pub namespace: String,
    pub replicas: usize,
    pub intake_max_bytes: u64,
}

impl Bus {
    /// Returns the address of the NATS servers; `None` for the bus in memory.
    pub fn nats(&self) -> Option<&str> {
        configured(&self.url)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlobKind {
    Auto,
    S3,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blob {
    pub kind: BlobKind,
    pub endpoint: String,
    pub region: String,
    pub bucket: String,
    pub access_key: SecretString,
    pub access_key_file: String,
    pub secret_key: SecretString,
    pub secret_key_file: String,
    pub public_endpoint: String,
    pub link_key: SecretString,
    pub link_key_file: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    pub url: SecretString,
    pub url_file: String,
}

impl Cache {
    /// Returns the address of Redis; `None` for the cache in memory.
    pub fn redis(&self) -> Option<&str> {
        configured(&self.url)
    }
}

impl Database {
    pub(super) fn check(&self, problems: &mut Problems) {
        let url = self.url.expose_secret();
        let known =
            ["postgres://", "postgresql://", "sqlite://"].iter().any(|scheme| url.starts_with(scheme));
        problems.want(known || url == AUTO, "database.url: auto, postgres://… or sqlite://…");
        problems.want(self.max_connections > 0, "database.max_connections: must be positive");
    }
}

impl Bus {
    pub(super) fn check(&self, problems: &mut Problems) {
        let nats = self.nats().is_none_or(|url| url.starts_with("nats://") || url.starts_with("tls://"));
        problems.want(nats, "bus.url: auto or nats://…");
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        let named = !self.namespace.is_empty() && self.namespace.bytes().all(plain);
        problems.want(named, "bus.namespace: lower-case letters, digits and _ only");
        problems.range("bus.intake_max_bytes", self.intake_max_bytes, 1 << 20..=1 << 40);
    }
}

impl Blob {
    pub(super) fn check(&self, problems: &mut Problems) {
        if self.kind != BlobKind::S3 {
            return;
        }
        let place = !self.endpoint.is_empty() && !self.bucket.is_empty();
        problems.want(place, "blob: s3 needs endpoint and bucket");
        let keys = [&self.access_key, &self.secret_key];
        let given = keys.iter().all(|key| !key.expose_secret().is_empty());
        problems.want(given, "blob: s3 needs access_key and secret_key");
    }

    /// Returns whether other processes can use the same stored files.
    pub(super) fn is_shared(&self) -> bool {
        self.kind == BlobKind::S3 || self.link_key.expose_secret() != AUTO
    }
}

impl Cache {
    pub(super) fn check(&self, problems: &mut Problems) {
        let url = self.redis().unwrap_or("redis://");
        // A fragment such as `#insecure` would turn off TLS checks.
        let is_checked = !url.contains('#');
        let is_redis = url.starts_with("redis://") || url.starts_with("rediss://");
        problems.want(is_redis && is_checked, "cache.url: auto, redis://… or rediss://…, without #…");
    }
}

fn configured(secret: &SecretString) -> Option<&str> {
    match secret.expose_secret() {
        AUTO => None,
        url => Some(url),
    }
}
