//! Layered configuration: `defaults.toml` < file < environment < flags.
//!
//! Unknown keys and impossible values are refused at start, and all of them are reported together. The
//! configuration is passed as a value; there is no global accessor.

mod auth;
mod check;
mod deliveries;
mod drivers;
mod environment;
mod geocoding;
mod grpc;
mod http;
mod ingest;
mod map;
mod peers;
mod secrets;
mod show;
mod storage;
mod target;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use figment::providers::{Format, Serialized, Toml};
use figment::value::{Dict, Value};
use figment::{Figment, Profile};
use serde::Deserialize;

use environment::Environment;

pub use auth::{Auth, Mail, SetupToken, SignUp};
pub use deliveries::{DateOrder, Deliveries, FailedAttemptProof, Imports, Proof};
pub use drivers::Drivers;
pub use geocoding::{Geocoder, Geocoding};
pub use grpc::Grpc;
pub use http::{Http, is_this_machine};
pub use ingest::Ingest;
pub use map::Map;
pub use peers::Peers;
pub use secrets::private_dir;
pub use storage::{Blob, BlobKind, Bus, Cache, Database, absolute, sqlite_file, sqlite_url};
pub use target::{Part, Target};

pub const DEFAULTS: &str = include_str!("../../defaults.toml");
const AUTO: &str = "auto";

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub data: PathBuf,
    pub http: Http,
    pub grpc: Grpc,
    pub ops: Ops,
    pub peers: Peers,
    pub database: Database,
    pub bus: Bus,
    pub blob: Blob,
    pub cache: Cache,
    pub auth: Auth,
    pub mail: Mail,
    pub organization: Organization,
    pub deliveries: Deliveries,
    pub drivers: Drivers,
    pub ingest: Ingest,
    pub imports: Imports,
    pub geocoding: Geocoding,
    pub map: Map,
    pub graphql: Graphql,
    pub telemetry: Telemetry,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ops {
    pub host: String,
    pub port: u16,
    pub stop_delay_seconds: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Organization {
    pub name: String,
    pub timezone: String,
}

impl Organization {
    /// Returns the time zone, which the check of the configuration has validated.
    pub fn zone(&self) -> chrono_tz::Tz {
        self.timezone.parse().unwrap_or(chrono_tz::UTC)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graphql {
    pub max_depth: usize,
    pub max_complexity: usize,
    pub max_aliases: usize,
    pub max_root_fields: usize,
    pub max_directives: usize,
    pub max_tokens: usize,
    pub max_body_bytes: usize,
    pub introspection: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    pub log_format: LogFormat,
    pub log: String,
    pub otlp_endpoint: String,
}

/// Values from the command line; they override files and environment.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    pub file: Option<PathBuf>,
    pub data: Option<PathBuf>,
    /// The host and number of the public port.
    pub listen: Option<(String, u16)>,
    /// The names of all services. Each name may be a key under `peers`.
    pub services: Vec<&'static str>,
}

/// All problems of a configuration, one per line.
#[derive(Debug)]
pub struct Problems(pub Vec<String>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration is not right:")?;
        for problem in &self.0 {
            write!(f, "\n  - {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// The configuration and, for `config show`, the origin of each value.
pub struct Loaded {
    pub config: Config,
    figment: Figment,
}

// Written by hand to leave out the layers, which contain secrets in plain text.
impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(f)
    }
}

pub fn load(flags: &Flags, target: Target) -> Result<Loaded, Problems> {
    let mut figment = Figment::from(Toml::string(DEFAULTS));
    let defaults = leaves(&figment);
    if let Some(file) = &flags.file {
        if matches!(file.try_exists(), Ok(false)) {
            return Err(Problems(vec![format!("there is no file {}", file.display())]));
        }
        figment = figment.merge(Toml::file_exact(file));
    }
    figment = figment.merge(Environment::new(&defaults));
    if let Some(data) = &flags.data {
        figment = figment.merge(Serialized::default("data", data));
    }
    if let Some((host, port)) = &flags.listen {
        figment = figment
            .merge(Serialized::default("http.host", host))
            .merge(Serialized::default("http.port", port));
    }

    let mut problems = unknown_keys(&figment, &defaults, &flags.services);
    let mut config: Config = match figment.extract() {
        Ok(config) => config,
        Err(errors) => {
            // Unknown keys have been reported already, in our own words.
            let others = errors
                .into_iter()
                .filter(|error| !matches!(error.kind, figment::error::Kind::UnknownField(..)));
            problems.extend(others.map(|error| described(&error)));
            return Err(Problems(problems));
        }
    };
    problems.extend(config.read_secret_files());
    problems.extend(config.check(target));
    if problems.is_empty() { Ok(Loaded { config, figment }) } else { Err(Problems(problems)) }
}

/// Describes an error without a value that may be a secret.
fn described(error: &figment::Error) -> String {
    let key = error.path.join(".");
    let origin = show::origin_in_full(error.metadata.as_ref(), &key);
    if show::may_be_secret(&key) {
        return format!("{key}: wrong type (from {origin}); the value isn't shown, it may be a secret");
    }
    let text = error.kind.to_string();
    if !key.is_empty() {
        return format!("{key}: {text} (from {origin})");
    }
    // A file that can't be read or isn't TOML. The parser quotes the line, which may have a secret.
    let is_number = |c: char| c == ' ' || c.is_ascii_digit();
    let lines = text.lines().filter(|line| !line.trim_start_matches(is_number).starts_with('|'));
    format!("{origin}: {}", lines.map(str::trim).collect::<Vec<_>>().join("; "))
}

/// Returns the values of a configuration by key, such as `http.port`.
fn leaves(figment: &Figment) -> BTreeMap<String, Value> {
    fn flatten(prefix: &str, dict: &Dict, into: &mut BTreeMap<String, Value>) {
        for (key, value) in dict {
            let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            match value {
                Value::Dict(_, inner) => flatten(&path, inner, into),
                other => {
                    into.insert(path, other.clone());
                }
            }
        }
    }
    let mut into = BTreeMap::new();
    if let Ok(data) = figment::Provider::data(figment)
        && let Some(dict) = data.get(&Profile::Default)
    {
        flatten("", dict, &mut into);
    }
    into
}

fn unknown_keys(figment: &Figment, known: &BTreeMap<String, Value>, services: &[&str]) -> Vec<String> {
    let is_peer = |key: &str| key.strip_prefix("peers.").is_some_and(|name| services.contains(&name));
    leaves(figment)
        .into_keys()
        .filter(|key| !known.contains_key(key) && !is_peer(key))
        .map(|key| {
            let origin = show::origin_in_full(figment.find_metadata(&key), &key);
            format!("unknown key {key} (from {origin})")
        })
        .collect()
}

#[cfg(test)]
mod tests;
