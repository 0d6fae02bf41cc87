//! The provider that finds locations by address, and which hosts may be called for it.
//!
//! The address of the provider comes from the configuration alone, and its host must also be in the list
//! `geocoding.hosts`. So nothing that a person types can make us call another host.

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use crate::outbound;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Geocoder {
    None,
    Nominatim,
    Google,
}

impl Geocoder {
    /// Returns the provider's own public address.
    pub fn public_url(self) -> &'static str {
        match self {
            Geocoder::None => "",
            Geocoder::Nominatim => "https://nominatim.openstreetmap.org/search",
            Geocoder::Google => "https://maps.googleapis.com/maps/api/geocode/json",
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Geocoding {
    pub provider: Geocoder,
    pub url: String,
    pub hosts: Vec<String>,
    pub key: SecretString,
    pub key_file: String,
    pub requests_per_minute: u64,
    pub cache_seconds: u64,
}

impl Geocoding {
    /// Returns the address to call; empty without a provider.
    pub fn address(&self) -> &str {
        if self.url.is_empty() { self.provider.public_url() } else { &self.url }
    }

    pub fn key(&self) -> &str {
        self.key.expose_secret()
    }

    /// Returns the problems of this section of the configuration.
    pub(super) fn check(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut want = |good: bool, text: &str| {
            if !good {
                problems.push(format!("geocoding.{text}"));
            }
        };
        want((1..=10_000).contains(&self.requests_per_minute), "requests_per_minute: 1 to 10000");
        want(self.cache_seconds <= 31_536_000, "cache_seconds: 31536000 at most");
        want(self.provider != Geocoder::Google || !self.key().is_empty(), "key: must be given for google");
        if self.provider == Geocoder::None {
            return problems;
        }
        let Ok(url) = Url::parse(self.address()) else {
            want(false, "url: must begin with http:// or https://");
            return problems;
        };
        want(
            outbound::may_be_called(&url),
            "url: must begin with https:// and be no private address; only loopback may be plain",
        );
        let host = url.host_str().unwrap_or_default();
        want(
            self.hosts.iter().any(|named| named.eq_ignore_ascii_case(host)),
            &format!("hosts: must name {host}, as geocoding.url does"),
        );
        problems
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Flags, Loaded, Problems, Target};

    fn load(text: &str) -> Result<Loaded, Problems> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("waybill.toml");
        std::fs::write(&file, text).unwrap();
        crate::config::load(&Flags { file: Some(file), ..Flags::default() }, Target::All)
    }

    #[test]
    fn geocoding_asks_only_hosts_that_are_named() {
        let problems = |text: &str| match load(&format!("[geocoding]\n{text}")) {
            Ok(_) => String::new(),
            Err(problems) => problems.to_string(),
        };
        for good in [
            "",
            "provider = \"nominatim\"",
            "provider = \"google\"\nkey = \"k\"",
            "provider = \"nominatim\"\nurl = \"http://127.0.0.1:9/x\"\nhosts = [\"127.0.0.1\"]",
            "provider = \"nominatim\"\nurl = \"https://maps.example.com/x\"\nhosts = [\"maps.example.com\"]",
        ] {
            assert_eq!(problems(good), "", "{good}");
        }
        for (bad, what) in [
            ("provider = \"google\"", "geocoding.key"),
            ("provider = \"nominatim\"\nurl = \"https://maps.example.com/x\"", "geocoding.hosts"),
            ("provider = \"nominatim\"\nurl = \"http://127.0.0.1/x\"", "geocoding.hosts"),
            (
                "provider = \"nominatim\"\nurl = \"http://maps.example.com\"\nhosts = [\"maps.example.com\"]",
                "geocoding.url",
            ),
            (
                "provider = \"nominatim\"\nurl = \"https://10.0.0.1/x\"\nhosts = [\"10.0.0.1\"]",
                "geocoding.url",
            ),
            ("provider = \"nominatim\"\nurl = \"nonsense\"", "geocoding.url"),
            ("requests_per_minute = 0", "geocoding.requests_per_minute"),
            ("provider = \"bing\"", "provider"),
        ] {
            assert!(problems(bad).contains(what), "{bad}: {}", problems(bad));
        }
    }
}
