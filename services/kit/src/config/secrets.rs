//! Secrets: read from files that a platform mounts, or generated for a single process.

use std::io::{self, ErrorKind};
use std::path::Path;

use secrecy::{ExposeSecret, SecretString};

use super::{AUTO, Config};
use crate::service_secret::ServiceSecret;
use crate::{Error, Result, disk, folder};

/// Minimum length of a secret, in characters. Generated ones have 64.
pub(super) const SHORTEST: usize = 32;

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
    ///
    /// # Errors
    ///
    /// `SECRET_UNREADABLE` when a file is there and cannot be used: a new secret would make unreadable what was sealed
    /// with the old one. `STORAGE_FULL`, `DATA_FOLDER_UNUSABLE`. All name the path.
    pub fn generate_secrets(&mut self) -> Result<()> {
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

/// Returns the secret in a file, which is generated if it does not exist.
fn secret_file(path: &Path) -> Result<String> {
    match std::fs::read(path) {
        Ok(bytes) => usable(bytes).map_err(|why| unreadable(path, why)),
        Err(error) if error.kind() == ErrorKind::NotFound => generated(path),
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

/// Returns the secret that a file contains, or why it cannot be one. A damaged file may be cut off, or full of zeros.
fn usable(bytes: Vec<u8>) -> std::result::Result<String, &'static str> {
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).ok_or("it isn't text")?;
    let text = text.trim();
    let secret = ServiceSecret::from(text);
    if secret.first().len() < SHORTEST || secret.all().any(|one| one.len() < SHORTEST) {
        return Err("it has fewer than 32 characters");
    }
    Ok(text.to_owned())
}

/// Writes a new secret to a file, atomically: a part of it would be refused at the next start.
fn generated(path: &Path) -> Result<String> {
    let text = hex::encode(crate::random::bytes::<32>()?);
    let parent = path.parent().unwrap_or(Path::new("."));
    let unfinished = path.with_extension("unfinished");
    private_dir(parent)
        .and_then(|()| folder::write_private(&unfinished, format!("{text}\n").as_bytes()))
        .and_then(|()| std::fs::rename(&unfinished, path))
        .and_then(|()| folder::sync(parent))
        .map_err(|error| unwritable(path, &error))?;
    Ok(text)
}

fn unreadable(path: &Path, why: &str) -> Error {
    Error::precondition(
        "SECRET_UNREADABLE",
        format!(
            "The secret in {} cannot be used: {why}. Put the file back from a backup. docs/secrets.md says what is lost \
             without it.",
            path.display()
        ),
    )
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    disk::full(path, error).unwrap_or_else(|| {
        Error::precondition(
            "DATA_FOLDER_UNUSABLE",
            format!(
                "{} cannot be written: {error}. Make the data folder writable for the user who runs Waybill.",
                path.display()
            ),
        )
    })
}
