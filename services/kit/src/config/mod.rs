//! Layered configuration: `defaults.toml` < file < environment < flags.
//!
//! Unknown keys and impossible values are refused at start, all of them at once. The struct is
//! passed down; there is no global accessor.

mod check;
mod drivers;
mod geocoding;
mod ingest;
mod map;
mod secrets;
mod show;
mod target;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use figment::providers::{Env, Format, Serialized, Toml};
use figment::value::{Dict, Value};
use figment::{Figment, Profile};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

pub use drivers::Drivers;
pub use geocoding::{Geocoder, Geocoding};
pub use ingest::Ingest;
pub use map::Map;
pub use secrets::private_dir;
pub use target::Target;

pub const DEFAULTS: &str = include_str!("../../defaults.toml");
const ENV_PREFIX: &str = "WAYBILL__";
const AUTO: &str = "auto";

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub data: PathBuf,
    pub http: Http,
    pub grpc: Grpc,
    pub ops: Listen,
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
pub struct Http {
    pub host: String,
    pub port: u16,
    pub public_url: String,
    pub allowed_origins: Vec<String>,
    pub timeout_seconds: u64,
    pub max_in_flight: usize,
    pub trusted_proxies: usize,
}

impl Http {
    /// Where people reach us, for what is sent and printed. Never from a request: whoever sends one
    /// chooses its host.
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
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grpc {
    pub host: String,
    pub port: u16,
    pub timeout_seconds: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listen {
    pub host: String,
    pub port: u16,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peers {
    pub auth: String,
    pub deliveries: String,
    pub drivers: String,
    pub settings: String,
    pub upload: String,
}

impl Peers {
    /// Address of a service that is not in this process.
    pub fn of(&self, target: Target) -> &str {
        match target {
            Target::Auth => &self.auth,
            Target::Deliveries => &self.deliveries,
            Target::Drivers => &self.drivers,
            Target::Settings => &self.settings,
            Target::Upload => &self.upload,
            Target::All | Target::Gateway => "",
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    pub url: SecretString,
    pub url_file: String,
    pub max_connections: u32,
    pub statement_timeout_seconds: u64,
}

impl Database {
    /// Address of one service's database.
    pub fn address(&self, data: &Path, service: &str) -> String {
        match self.url.expose_secret() {
            AUTO => format!("sqlite://{}", data.join(format!("{service}.db")).display()),
            url => url.replace("{service}", service),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bus {
    pub url: SecretString,
    pub url_file: String,
    pub namespace: String,
    pub replicas: usize,
}

impl Bus {
    /// Address of the NATS servers, or nothing for the bus in memory.
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
    /// Address of Redis, or nothing for the cache in memory.
    pub fn redis(&self) -> Option<&str> {
        configured(&self.url)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SetupToken {
    Auto,
    Yes,
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignUp {
    Off,
    Pending,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    pub service_secret: SecretString,
    pub service_secret_file: String,
    pub session_idle_seconds: i64,
    pub session_absolute_seconds: i64,
    pub token_seconds: i64,
    pub setup_token: SetupToken,
    pub hash_workers: usize,
    pub hash_queue: usize,
    pub sign_up: SignUp,
    pub reset_token_seconds: i64,
    pub reset_link_seconds: i64,
    pub free_attempts: u32,
    pub max_wait_seconds: u32,
    pub address_attempts: u32,
    pub driver_resets_per_day: u32,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    pub smtp_url: SecretString,
    pub smtp_url_file: String,
    pub from: String,
    pub sink: bool,
}

impl Mail {
    /// Address of the SMTP server, or nothing when there is none.
    pub fn smtp(&self) -> Option<&str> {
        let url = self.smtp_url.expose_secret();
        (!url.is_empty()).then_some(url)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Organization {
    pub name: String,
    pub timezone: String,
}

impl Organization {
    /// The zone, known to be good once the configuration was checked.
    pub fn zone(&self) -> chrono_tz::Tz {
        self.timezone.parse().unwrap_or(chrono_tz::UTC)
    }
}

/// What can prove an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Proof {
    Signature,
    Photo,
    RecipientName,
    Scan,
    Location,
    Note,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailedAttemptProof {
    PhotoOrNote,
    Photo,
    Note,
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deliveries {
    pub allow_over_delivery: bool,
    pub pod_requirement: Vec<Proof>,
    pub failed_attempt_proof: FailedAttemptProof,
    pub max_attempts: i32,
    pub undelivered_is_final: bool,
    pub max_attachments: u64,
    pub max_attachment_bytes: u64,
}

impl Default for Deliveries {
    /// As in the defaults of the configuration; a test holds the two together.
    fn default() -> Self {
        Self {
            allow_over_delivery: false,
            pod_requirement: Vec::new(),
            failed_attempt_proof: FailedAttemptProof::PhotoOrNote,
            max_attempts: 3,
            undelivered_is_final: false,
            max_attachments: 20,
            max_attachment_bytes: 10_485_760,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    Mdy,
    Dmy,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Imports {
    pub date_order: DateOrder,
    pub max_file_bytes: u64,
    pub max_rows: u32,
    pub max_columns: usize,
    pub max_unpacked_bytes: u64,
    pub workers: usize,
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

fn configured(secret: &SecretString) -> Option<&str> {
    match secret.expose_secret() {
        AUTO => None,
        url => Some(url),
    }
}

/// What was typed on the command line.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    pub file: Option<PathBuf>,
    pub data: Option<PathBuf>,
    /// Address and port of the public side.
    pub listen: Option<(String, u16)>,
}

/// Everything that is wrong, a line each.
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

/// The configuration with, for `config show`, the origin of each value.
pub struct Loaded {
    pub config: Config,
    figment: Figment,
}

// By hand: the layers hold secrets in the clear.
impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(f)
    }
}

pub fn load(flags: &Flags, target: Target) -> Result<Loaded, Problems> {
    let mut figment = Figment::from(Toml::string(DEFAULTS));
    if let Some(file) = &flags.file {
        if !file.is_file() {
            return Err(Problems(vec![format!("there is no file {}", file.display())]));
        }
        figment = figment.merge(Toml::file_exact(file));
    }
    figment = figment.merge(Env::prefixed(ENV_PREFIX).split("__"));
    if let Some(data) = &flags.data {
        figment = figment.merge(Serialized::default("data", data));
    }
    if let Some((host, port)) = &flags.listen {
        figment = figment
            .merge(Serialized::default("http.host", host))
            .merge(Serialized::default("http.port", port));
    }

    let mut problems = unknown_keys(&figment);
    let mut config: Config = match figment.extract() {
        Ok(config) => config,
        Err(errors) => {
            // Unknown keys are in the list already, in our own words.
            let others = errors
                .into_iter()
                .filter(|error| !matches!(error.kind, figment::error::Kind::UnknownField(..)));
            problems.extend(others.map(|error| error.to_string()));
            return Err(Problems(problems));
        }
    };
    problems.extend(config.read_secret_files());
    problems.extend(config.check(target));
    if problems.is_empty() { Ok(Loaded { config, figment }) } else { Err(Problems(problems)) }
}

fn unknown_keys(figment: &Figment) -> Vec<String> {
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
    let keys = |figment: &Figment| {
        let mut into = BTreeMap::new();
        if let Ok(data) = figment::Provider::data(figment)
            && let Some(dict) = data.get(&Profile::Default)
        {
            flatten("", dict, &mut into);
        }
        into
    };
    let known = keys(&Figment::from(Toml::string(DEFAULTS)));
    keys(figment)
        .into_keys()
        .filter(|key| !known.contains_key(key))
        .map(|key| {
            let origin = figment.find_metadata(&key).map(|from| from.name.to_string());
            format!("unknown key {key} (from {})", origin.unwrap_or_else(|| "a flag".into()))
        })
        .collect()
}

#[cfg(test)]
mod tests;
