//! Layered configuration: `defaults.toml` < file < environment < flags.
//!
//! Unknown keys and impossible values are refused at start, all of them at once. The struct is
//! passed down; there is no global accessor.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use figment::providers::{Env, Format, Serialized, Toml};
use figment::value::{Dict, Value};
use figment::{Figment, Profile};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

pub const DEFAULTS: &str = include_str!("../defaults.toml");
const ENV_PREFIX: &str = "WAYBILL__";
const AUTO: &str = "auto";

/// What runs in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    All,
    Gateway,
    Auth,
    Deliveries,
    Upload,
}

impl Target {
    pub const EACH: [Target; 4] =
        [Target::Auth, Target::Deliveries, Target::Upload, Target::Gateway];

    pub fn as_str(self) -> &'static str {
        match self {
            Target::All => "all",
            Target::Gateway => "gateway",
            Target::Auth => "auth",
            Target::Deliveries => "deliveries",
            Target::Upload => "upload",
        }
    }

    /// Whether this target contains the other.
    pub fn runs(self, other: Target) -> bool {
        self == Target::All || self == other
    }
}

impl std::str::FromStr for Target {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        [Target::All]
            .into_iter()
            .chain(Target::EACH)
            .find(|target| target.as_str() == text)
            .ok_or_else(|| {
                let known: Vec<_> = Target::EACH.iter().map(|target| target.as_str()).collect();
                format!("there is no target {text}; known are all, {}", known.join(", "))
            })
    }
}

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
    pub organization: Organization,
    pub imports: Imports,
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
    pub upload: String,
}

impl Peers {
    /// Address of a service that is not in this process.
    pub fn of(&self, target: Target) -> &str {
        match target {
            Target::Auth => &self.auth,
            Target::Deliveries => &self.deliveries,
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
        if let Ok(data) = figment::Provider::data(figment) {
            if let Some(dict) = data.get(&Profile::Default) {
                flatten("", dict, &mut into);
            }
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

impl Config {
    fn read_secret_files(&mut self) -> Vec<String> {
        let pairs: [(&mut SecretString, &str, &str); 7] = [
            (&mut self.database.url, &self.database.url_file, "database.url_file"),
            (&mut self.bus.url, &self.bus.url_file, "bus.url_file"),
            (&mut self.blob.access_key, &self.blob.access_key_file, "blob.access_key_file"),
            (&mut self.blob.secret_key, &self.blob.secret_key_file, "blob.secret_key_file"),
            (&mut self.blob.link_key, &self.blob.link_key_file, "blob.link_key_file"),
            (&mut self.cache.url, &self.cache.url_file, "cache.url_file"),
            (&mut self.auth.service_secret, &self.auth.service_secret_file, "auth.service_secret_file"),
        ];
        let mut problems = Vec::new();
        for (secret, file, key) in pairs {
            if file.is_empty() {
                continue;
            }
            match std::fs::read_to_string(file) {
                Ok(text) => *secret = text.trim().to_owned().into(),
                Err(error) => problems.push(format!("{key}: cannot read {file}: {error}")),
            }
        }
        problems
    }

    /// What is wrong with the values, for a process that runs `target`.
    fn check(&self, target: Target) -> Vec<String> {
        let mut problems = Vec::new();
        let mut want = |good: bool, text: &str| {
            if !good {
                problems.push(text.to_owned());
            }
        };
        want(self.http.port > 0, "http.port: a port is 1 to 65535");
        want(self.grpc.port > 0, "grpc.port: a port is 1 to 65535");
        want(self.ops.port > 0, "ops.port: a port is 1 to 65535");
        want(self.organization.timezone.parse::<chrono_tz::Tz>().is_ok(), "organization.timezone: not a zone of the tz database, e.g. Asia/Manila");
        want(!self.organization.name.trim().is_empty(), "organization.name: must not be empty");
        want((1..=300).contains(&self.auth.token_seconds), "auth.token_seconds: 1 to 300");
        want(self.auth.session_idle_seconds > 0, "auth.session_idle_seconds: must be positive");
        want(self.auth.session_absolute_seconds >= self.auth.session_idle_seconds, "auth.session_absolute_seconds: must not be less than session_idle_seconds");
        want((1..=64).contains(&self.auth.hash_workers), "auth.hash_workers: 1 to 64");
        want((1..=64).contains(&self.imports.workers), "imports.workers: 1 to 64");
        want(self.imports.max_file_bytes > 0 && self.imports.max_rows > 0 && self.imports.max_columns > 0, "imports: limits must be positive");
        want(self.http.timeout_seconds > 0 && self.grpc.timeout_seconds > 0, "timeout_seconds: must be positive");
        want(self.http.max_in_flight > 0, "http.max_in_flight: must be positive");
        want(self.database.max_connections > 0, "database.max_connections: must be positive");
        want(self.graphql.max_depth > 0 && self.graphql.max_complexity > 0 && self.graphql.max_body_bytes > 0, "graphql: limits must be positive");
        let namespace = &self.bus.namespace;
        want(!namespace.is_empty() && namespace.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "bus.namespace: lower-case letters, digits and _ only");
        for (key, url) in [("http.public_url", &self.http.public_url), ("blob.endpoint", &self.blob.endpoint), ("blob.public_endpoint", &self.blob.public_endpoint), ("telemetry.otlp_endpoint", &self.telemetry.otlp_endpoint)] {
            want(url.is_empty() || is_http(url), &format!("{key}: must begin with http:// or https://"));
        }
        for origin in &self.http.allowed_origins {
            want(is_http(origin) && !origin.ends_with('/') && origin != "*", "http.allowed_origins: exact origins such as https://app.example.com");
        }
        let database = self.database.url.expose_secret();
        want([AUTO, ""].contains(&database) || database.starts_with("postgres://") || database.starts_with("postgresql://") || database.starts_with("sqlite://"), "database.url: auto, postgres://… or sqlite://…");
        want(self.bus.nats().is_none_or(|url| url.starts_with("nats://") || url.starts_with("tls://")), "bus.url: auto or nats://…");
        want(self.cache.redis().is_none_or(|url| url.starts_with("redis://") || url.starts_with("rediss://")), "cache.url: auto or redis://…");
        if self.blob.kind == BlobKind::S3 {
            want(!self.blob.endpoint.is_empty() && !self.blob.bucket.is_empty(), "blob: s3 needs endpoint and bucket");
            want(!self.blob.access_key.expose_secret().is_empty() && !self.blob.secret_key.expose_secret().is_empty(), "blob: s3 needs access_key and secret_key");
        }
        if target != Target::All {
            let alone = format!("for target {}", target.as_str());
            want(self.auth.service_secret.expose_secret() != AUTO, &format!("auth.service_secret: must be given {alone}, the same for every service"));
            if target == Target::Gateway {
                want(self.blob.kind == BlobKind::S3 || self.blob.link_key.expose_secret() != AUTO, &format!("blob.kind: must be s3 {alone}"));
                want(self.cache.redis().is_some(), &format!("cache.url: must be a redis:// address {alone}"));
            } else {
                want(database != AUTO, &format!("database.url: must be given {alone}"));
                want(self.bus.nats().is_some(), &format!("bus.url: must be a nats:// address {alone}"));
            }
            if target == Target::Upload {
                want(self.blob.kind == BlobKind::S3 || self.blob.link_key.expose_secret() != AUTO, &format!("blob.kind: must be s3 {alone}"));
            }
        }
        let secret = self.auth.service_secret.expose_secret();
        want(secret == AUTO || secret.len() >= 32, "auth.service_secret: at least 32 characters");
        problems
    }

    /// Fills secrets that are "auto" from files under the data folder, made on first use with
    /// mode 600. Only for one process: others could not know them.
    pub fn generate_secrets(&mut self) -> std::io::Result<()> {
        for (secret, name) in [
            (&mut self.auth.service_secret, "service_secret"),
            (&mut self.blob.link_key, "link_key"),
        ] {
            if secret.expose_secret() == AUTO {
                *secret = secret_file(&self.data.join("secrets").join(name))?.into();
            }
        }
        Ok(())
    }
}

fn is_http(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

/// Makes a folder that only its owner may enter.
pub fn private_dir(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))
}

fn secret_file(path: &Path) -> std::io::Result<String> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    if let Ok(text) = std::fs::read_to_string(path) {
        if !text.trim().is_empty() {
            return Ok(text.trim().to_owned());
        }
    }
    if let Some(parent) = path.parent() {
        private_dir(parent)?;
    }
    let mut bytes = [0u8; 32];
    ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes)
        .map_err(|_| std::io::Error::other("no randomness"))?;
    let text = hex::encode(bytes);
    let mut file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    Ok(text)
}

impl Loaded {
    /// Each key with its value and origin, secrets masked: `(key, value, origin)`.
    pub fn show(&self) -> Vec<(String, String, String)> {
        const SECRET: [&str; 7] = ["database.url", "bus.url", "blob.access_key", "blob.secret_key", "blob.link_key", "cache.url", "auth.service_secret"];
        let mut rows = Vec::new();
        let Ok(value) = self.figment.extract::<Value>() else { return rows };
        fn walk(prefix: &str, value: &Value, rows: &mut Vec<(String, String)>) {
            match value {
                Value::Dict(_, dict) => {
                    for (key, inner) in dict {
                        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                        walk(&path, inner, rows);
                    }
                }
                Value::String(_, text) => rows.push((prefix.to_owned(), format!("{text:?}"))),
                Value::Array(_, items) => {
                    let texts: Vec<_> = items.iter().filter_map(|item| item.as_str()).map(|text| format!("{text:?}")).collect();
                    rows.push((prefix.to_owned(), format!("[{}]", texts.join(", "))));
                }
                Value::Bool(_, yes) => rows.push((prefix.to_owned(), yes.to_string())),
                Value::Num(_, number) => rows.push((
                    prefix.to_owned(),
                    number.to_i128().map(|n| n.to_string()).or_else(|| number.to_f64().map(|n| n.to_string())).unwrap_or_default(),
                )),
                _ => {}
            }
        }
        let mut plain = Vec::new();
        walk("", &value, &mut plain);
        for (key, text) in plain {
            let masked = SECRET.contains(&key.as_str()) && text != "\"auto\"" && text != "\"\"";
            let origin = self.figment.find_metadata(&key).map_or_else(|| "flag".to_owned(), |from| match &from.source {
                Some(figment::Source::File(path)) => path.display().to_string(),
                _ if from.name.contains("environment") => "environment".to_owned(),
                _ if from.name.contains("TOML") => "default".to_owned(),
                _ => "flag".to_owned(),
            });
            rows.push((key, if masked { "********".to_owned() } else { text }, origin));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_toml(text: &str, target: Target) -> Result<Loaded, Problems> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("waybill.toml");
        std::fs::write(&file, text).unwrap();
        load(&Flags { file: Some(file), ..Flags::default() }, target)
    }

    #[test]
    fn the_defaults_run_everything_in_one_process() {
        let loaded = load_toml("", Target::All).unwrap();
        assert_eq!(loaded.config.http.port, 8080);
        assert_eq!(loaded.config.database.address(Path::new("d"), "auth"), "sqlite://d/auth.db");
    }

    #[test]
    fn unknown_keys_are_all_named() {
        let problems = load_toml("[http]\nprot = 1\n[auth]\nsecrets = 2", Target::All).unwrap_err().0;
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("auth.secrets") && problems[1].contains("http.prot"));
    }

    #[test]
    fn ports_outside_their_range_are_refused() {
        for port in ["0", "65536", "-1", "\"many\""] {
            let problems = load_toml(&format!("[http]\nport = {port}"), Target::All).unwrap_err();
            assert!(problems.to_string().contains("port"), "{problems}");
        }
        assert!(load_toml("[http]\nport = 65535", Target::All).is_ok());
    }

    #[test]
    fn every_wrong_value_is_reported_at_once() {
        let text = "[organization]\ntimezone = \"Manila\"\n[auth]\ntoken_seconds = 900\n[bus]\nnamespace = \"A b\"";
        assert_eq!(load_toml(text, Target::All).unwrap_err().0.len(), 3);
    }

    #[test]
    fn a_service_alone_needs_its_neighbours() {
        let problems = load_toml("", Target::Upload).unwrap_err().to_string();
        for key in ["database.url", "bus.url", "blob.kind", "auth.service_secret"] {
            assert!(problems.contains(key), "{key} in {problems}");
        }
    }

    #[test]
    fn secrets_are_masked_and_files_read() {
        let dir = tempfile::tempdir().unwrap();
        let secret = dir.path().join("secret");
        std::fs::write(&secret, "0123456789abcdef0123456789abcdef\n").unwrap();
        let text = format!("[auth]\nservice_secret_file = {:?}\n[cache]\nurl = \"redis://:pw@h\"", secret.display().to_string());
        let loaded = load_toml(&text, Target::All).unwrap();
        assert_eq!(loaded.config.auth.service_secret.expose_secret().len(), 32);
        let shown = loaded.show();
        assert!(shown.iter().any(|(key, value, _)| key == "cache.url" && value == "********"));
        assert!(!format!("{shown:?}{loaded:?}").contains(":pw@"), "a secret is shown");
    }

    #[test]
    fn generated_secrets_stay_and_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let make = || {
            let mut config = load_toml("", Target::All).unwrap().config;
            config.data = dir.path().to_owned();
            config.generate_secrets().unwrap();
            config.auth.service_secret.expose_secret().to_owned()
        };
        let first = make();
        assert_eq!(first.len(), 64);
        assert_eq!(first, make());
        let mode = std::fs::metadata(dir.path().join("secrets/service_secret")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
