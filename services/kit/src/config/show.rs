//! The configuration as `waybill config show` prints it.

use figment::value::Value;
use figment::{Metadata, Source};

use super::Loaded;
use super::environment::variable;

/// The keys whose values are secrets.
const SECRET: [&str; 9] = [
    "database.url",
    "bus.url",
    "blob.access_key",
    "blob.secret_key",
    "blob.link_key",
    "cache.url",
    "auth.service_secret",
    "mail.smtp_url",
    "geocoding.key",
];

const MASK: &str = "********";
const ENVIRONMENT: &str = "environment";

/// Returns whether a key names a secret, a part of one, or a section that has one.
pub(super) fn may_be_secret(key: &str) -> bool {
    let is_in = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|it| it.starts_with('.'));
    SECRET.into_iter().any(|secret| key == secret || is_in(key, secret) || is_in(secret, key))
}

/// Returns where a value comes from: a file, `environment`, `default` or `flag`.
fn origin(from: Option<&Metadata>) -> String {
    match from {
        Some(Metadata { source: Some(Source::File(path)), .. }) => path.display().to_string(),
        Some(from) if from.name.contains("environment") => ENVIRONMENT.to_owned(),
        Some(from) if from.name.contains("TOML") => "default".to_owned(),
        _ => "flag".to_owned(),
    }
}

/// Returns where the value of a key comes from, with the name of the variable.
pub(super) fn origin_in_full(from: Option<&Metadata>, key: &str) -> String {
    let origin = origin(from);
    if origin == ENVIRONMENT { format!("{origin} variable {}", variable(key)) } else { origin }
}

impl Loaded {
    /// Returns each key with its value and origin, secrets masked: `(key, value, origin)`.
    pub fn show(&self) -> Vec<(String, String, String)> {
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
                    let texts: Vec<_> = items
                        .iter()
                        .filter_map(|item| item.as_str())
                        .map(|text| format!("{text:?}"))
                        .collect();
                    rows.push((prefix.to_owned(), format!("[{}]", texts.join(", "))));
                }
                Value::Bool(_, yes) => rows.push((prefix.to_owned(), yes.to_string())),
                Value::Num(_, number) => rows.push((
                    prefix.to_owned(),
                    number
                        .to_i128()
                        .map(|n| n.to_string())
                        .or_else(|| number.to_f64().map(|n| n.to_string()))
                        .unwrap_or_default(),
                )),
                _ => {}
            }
        }
        let mut plain = Vec::new();
        walk("", &value, &mut plain);
        for (key, text) in plain {
            let is_secret = SECRET.contains(&key.as_str());
            if let Some(file) = self.file_of(&key).filter(|_| is_secret) {
                rows.push((key, MASK.to_owned(), file));
                continue;
            }
            let masked = is_secret && text != "\"auto\"" && text != "\"\"";
            let origin = origin(self.figment.find_metadata(&key));
            rows.push((key, if masked { MASK.to_owned() } else { text }, origin));
        }
        rows
    }

    /// Returns the file that a secret is read from, if it is.
    fn file_of(&self, key: &str) -> Option<String> {
        let file: String = self.figment.extract_inner(&format!("{key}_file")).ok()?;
        (!file.is_empty()).then_some(file)
    }
}
