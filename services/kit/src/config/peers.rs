//! Addresses of services in other processes.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The addresses of services: `url` is a pattern for all of them, `each` has the exceptions.
#[derive(Debug, Clone, Deserialize)]
pub struct Peers {
    pub url: String,
    /// The addresses of single services, by service name.
    #[serde(flatten)]
    pub each: BTreeMap<String, String>,
}

impl Peers {
    /// Returns the address of a service that runs in another process.
    pub fn of(&self, service: &str) -> String {
        self.each.get(service).unwrap_or(&self.url).replace("{service}", service)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::load_toml;
    use super::super::{Target, load};

    #[test]
    fn a_service_is_at_the_address_of_all_or_at_its_own() {
        let text = "[peers]\nurl = \"http://{service}:8081\"\nupload = \"http://10.0.0.7:9000\"";
        let peers = load_toml(text, Target::All).unwrap().config.peers;
        assert_eq!(peers.of("auth"), "http://auth:8081");
        assert_eq!(peers.of("upload"), "http://10.0.0.7:9000");
        let default = load(&Default::default(), Target::All).unwrap().config.peers;
        assert_eq!(default.of("drivers"), "http://127.0.0.1:8081");
    }

    #[test]
    fn an_address_of_a_service_that_is_none_is_refused() {
        let problems = load_toml("[peers]\nuplaod = \"http://10.0.0.7:9000\"", Target::All).unwrap_err().0;
        assert!(problems.len() == 1 && problems[0].contains("peers.uplaod"), "{problems:?}");
    }
}
