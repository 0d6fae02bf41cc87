//! Secrets: read from files that a platform mounts, or generated for a single process.

use std::path::Path;

use secrecy::{ExposeSecret, SecretString};

use super::{AUTO, Config};
use crate::folder;

impl Config {
    pub(super) fn read_secret_files(&mut self) -> Vec<String> {
        let pairs: [(&mut SecretString, &str, &str); 9] = [
            (&mut self.database.url, &self.database.url_file, "database.url_file"),
            (&mut self.bus.url, &self.bus.url_file, "bus.url_file"),
            (&mut self.blob.access_key, &self.blob.access_key_file, "blob.access_key_file"),
            (&mut self.blob.secret_key, &self.blob.secret_key_file, "blob.secret_key_file"),
            (&mut self.blob.link_key, &self.blob.link_key_file, "blob.link_key_file"),
            (&mut self.cache.url, &self.cache.url_file, "cache.url_file"),
            (&mut self.auth.service_secret.0, &self.auth.service_secret_file, "auth.service_secret_file"),
            (&mut self.mail.smtp_url, &self.mail.smtp_url_file, "mail.smtp_url_file"),
            (&mut self.geocoding.key, &self.geocoding.key_file, "geocoding.key_file"),
        ];
        let mut problems = Vec::new();
        for (secret, file, key) in pairs {
            if file.is_empty() {
                continue;
            }
            match std::fs::read_to_string(file) {
                // An empty secret would turn off what it is for, such as mail.
                Ok(text) if text.trim().is_empty() => problems.push(format!("{key}: {file} is empty")),
                Ok(text) => *secret = text.trim().to_owned().into(),
                Err(error) => problems.push(format!("{key}: cannot read {file}: {error:#}")),
            }
        }
        problems
    }

    /// Replaces each secret that is "auto" by the content of a file in the data folder. The file is generated
    /// on first use, with mode 600. Only for a single process: other processes would not have the secret.
    pub fn generate_secrets(&mut self) -> std::io::Result<()> {
        for (secret, name) in
            [(&mut self.auth.service_secret.0, "service_secret"), (&mut self.blob.link_key, "link_key")]
        {
            if secret.expose_secret() == AUTO {
                *secret = secret_file(&self.data.join("secrets").join(name))?.into();
            }
        }
        Ok(())
    }
}

/// Creates a folder that only its owner may enter. An existing folder keeps its permissions: it may belong
/// to somebody else, like `/srv`. The error names the path.
pub fn private_dir(path: &Path) -> std::io::Result<()> {
    let named = |error: std::io::Error| {
        std::io::Error::new(error.kind(), format!("cannot make the folder {}: {error:#}", path.display()))
    };
    folder::create(path, 0o700).map_err(named)
}

fn secret_file(path: &Path) -> std::io::Result<String> {
    if let Ok(text) = std::fs::read_to_string(path)
        && !text.trim().is_empty()
    {
        return Ok(text.trim().to_owned());
    }
    let parent = path.parent().unwrap_or(Path::new("."));
    private_dir(parent)?;
    let text = hex::encode(crate::random::bytes::<32>().map_err(std::io::Error::other)?);
    let named = |error: std::io::Error| {
        std::io::Error::new(error.kind(), format!("cannot write {}: {error:#}", path.display()))
    };
    folder::write_private(path, format!("{text}\n").as_bytes()).map_err(named)?;
    folder::sync(parent)?;
    Ok(text)
}
