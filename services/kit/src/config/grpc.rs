//! Calls between services: where a service listens, and the certificate that encrypts calls.

use serde::Deserialize;

use super::Peers;
use super::check::Problems;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grpc {
    pub host: String,
    pub port: u16,
    pub timeout_seconds: u64,
    /// The certificate of this process, its key, and the authority that signed it and those of all others.
    /// All of them are empty when calls are not encrypted.
    pub certificate_file: String,
    pub key_file: String,
    pub authority_file: String,
    pub allow_plaintext: bool,
}

impl Grpc {
    /// Returns whether calls between services are encrypted.
    pub fn is_encrypted(&self) -> bool {
        !self.certificate_file.is_empty()
    }

    pub(super) fn check(&self, problems: &mut Problems) {
        problems.want(self.timeout_seconds > 0, "grpc.timeout_seconds: must be positive");
        let files = [&self.certificate_file, &self.key_file, &self.authority_file];
        let given = files.iter().filter(|file| !file.is_empty()).count();
        problems.want(
            given == 0 || given == files.len(),
            "grpc: certificate_file, key_file and authority_file belong together. Set all three to encrypt calls \
             between services, or none.",
        );
    }

    /// Checks that the addresses of peers agree with the encryption. An address that silently did without
    /// would send tokens in the clear.
    pub(super) fn check_peers(&self, peers: &Peers, problems: &mut Problems) {
        let each = peers.each.iter().map(|(name, url)| (name.as_str(), url));
        for (name, url) in [("url", &peers.url)].into_iter().chain(each) {
            let (http, https) = (url.starts_with("http://"), url.starts_with("https://"));
            problems.want(http || https, format!("peers.{name}: must begin with http:// or https://"));
            problems.want(
                !https || self.is_encrypted(),
                format!(
                    "peers.{name}: https:// needs grpc.certificate_file, grpc.key_file and grpc.authority_file"
                ),
            );
            problems.want(
                !http || !self.is_encrypted() || self.allow_plaintext,
                format!(
                    "peers.{name}: must begin with https://, because grpc.certificate_file encrypts calls between \
                     services"
                ),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::load_toml;
    use super::super::{Part, Target};

    const FILES: &str = "certificate_file = \"c\"\nkey_file = \"k\"\nauthority_file = \"a\"\n";
    const ALONE: Target = Target::Service(Part { name: "auth", keeps_objects: false });

    /// Returns what is wrong with the configuration of a service that runs alone.
    fn problems(grpc: &str, peers: &str) -> Vec<String> {
        let text = format!(
            "[auth]\nservice_secret = \"{}\"\n[database]\nurl = \"postgres://db\"\n[bus]\nurl = \"nats://bus\"\n\
             [grpc]\n{grpc}\n[peers]\n{peers}",
            "x".repeat(64)
        );
        load_toml(&text, ALONE).err().map_or_else(Vec::new, |problems| problems.0)
    }

    #[test]
    fn a_certificate_has_its_key_and_its_authority() {
        let files: Vec<&str> = FILES.lines().collect();
        for left_out in 0..files.len() {
            let some = files.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, line)| *line);
            let text = format!("[grpc]\n{}", some.collect::<Vec<_>>().join("\n"));
            let problems = load_toml(&text, Target::All).unwrap_err().to_string();
            assert!(problems.contains("Set all three"), "{problems}");
        }
        assert!(load_toml(&format!("[grpc]\n{FILES}"), Target::All).is_ok());
    }

    #[test]
    fn addresses_of_peers_are_encrypted_exactly_if_there_is_a_certificate() {
        let (http, https) = ("url = \"http://{service}:8081\"", "url = \"https://{service}:8081\"");
        assert_eq!(problems("", http), [""; 0]);
        assert_eq!(problems(FILES, https), [""; 0]);
        for (grpc, peers, key, advice) in [
            (FILES, http, "peers.url", "must begin with https://"),
            ("", https, "peers.url", "needs grpc.certificate_file"),
            (FILES, &format!("{https}\nupload = \"http://10.0.0.7:9000\""), "peers.upload", "https://"),
            ("", "url = \"{service}:8081\"", "peers.url", "http:// or https://"),
        ] {
            let found = problems(grpc, peers);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(key) && found[0].contains(advice), "{found:?}");
        }
        // While encryption is being turned on, callers may still do without.
        assert_eq!(problems(&format!("{FILES}allow_plaintext = true"), http), [""; 0]);
    }
}
