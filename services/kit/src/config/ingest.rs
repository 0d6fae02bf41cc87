//! The port that devices send positions to, and its limits.

use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ingest {
    pub enabled: bool,
    pub host: String,
    pub port: u16,
    pub path: String,
    pub public_url: String,
    pub on_public_port: bool,
    pub trusted_proxies: usize,
    pub requests_per_minute: u32,
    pub max_in_flight: usize,
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    pub max_body_bytes: usize,
}

impl Ingest {
    /// Returns the problems of this section of the configuration.
    pub(super) fn check(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut want = |good: bool, text: &str| {
            if !good {
                problems.push(format!("ingest.{text}"));
            }
        };
        want(!self.host.is_empty(), "host: must not be empty");
        want(self.port > 0, "port: a port is 1 to 65535");
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'.' | b'~');
        want(
            self.path.starts_with('/') && self.path.len() <= 200 && self.path.bytes().all(plain),
            "path: / and then letters, digits, - _ . ~ and / only",
        );
        let public = self.public_url.parse::<http::Uri>().ok();
        let scheme = public.as_ref().and_then(http::Uri::scheme_str);
        want(
            self.public_url.is_empty()
                || (matches!(scheme, Some("http" | "https"))
                    && public.as_ref().is_some_and(|url| url.host().is_some() && url.query().is_none())),
            "public_url: must begin with http:// or https://, without a query",
        );
        want(self.requests_per_minute > 0, "requests_per_minute: must be positive");
        want((1..=65_536).contains(&self.max_in_flight), "max_in_flight: 1 to 65536");
        want(self.max_connections > 0, "max_connections: must be positive");
        want(self.max_connections_per_address > 0, "max_connections_per_address: must be positive");
        want((1_024..=16_777_216).contains(&self.max_body_bytes), "max_body_bytes: 1024 to 16777216");
        problems
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Flags, Target, load};

    fn problems(text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("waybill.toml");
        std::fs::write(&file, format!("[ingest]\n{text}")).unwrap();
        match load(&Flags { file: Some(file), ..Flags::default() }, Target::All) {
            Ok(_) => String::new(),
            Err(problems) => problems.to_string(),
        }
    }

    #[test]
    fn devices_are_off_the_public_port_by_default() {
        let config = load(&Flags::default(), Target::All).unwrap().config;
        assert!(config.ingest.enabled && !config.ingest.on_public_port);
        assert_eq!((config.ingest.port, config.ingest.path.as_str()), (5055, "/"));
    }

    #[test]
    fn a_path_is_plain() {
        for good in [
            "path = \"/\"",
            "path = \"/gps/in\"",
            "port = 1",
            "max_body_bytes = 1024",
            "public_url = \"https://trackers.example.com:8443/in\"",
        ] {
            assert_eq!(problems(good), "", "{good}");
        }
        for (bad, what) in [
            ("path = \"gps\"", "ingest.path"),
            ("path = \"/{id}\"", "ingest.path"),
            ("path = \"/a b\"", "ingest.path"),
            ("port = 0", "ingest.port"),
            ("public_url = \"trackers.example.com\"", "ingest.public_url"),
            ("public_url = \"https://trackers.example.com/?id=1\"", "ingest.public_url"),
            ("requests_per_minute = 0", "ingest.requests_per_minute"),
            ("max_in_flight = 0", "ingest.max_in_flight"),
            ("max_body_bytes = 0", "ingest.max_body_bytes"),
        ] {
            assert!(problems(bad).contains(what), "{bad}: {}", problems(bad));
        }
    }
}
