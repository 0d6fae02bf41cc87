//! Objects in a directory of this machine, behind links that we sign ourselves.
//!
//! The gateway serves the links: it calls [`LocalBlob::verify`], then [`LocalBlob::write_stream`]
//! or [`super::Blob::read`]. A file appears under its key only when it is whole and on disk.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::{Stream, StreamExt};
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};
use tokio::io::AsyncWriteExt;

use super::{Key, exists, failed, too_large};
use crate::clock::Clock;
use crate::{Error, Result};

/// Uploads under way. No key can start with a dot, so no link reaches in here.
const INCOMING: &str = ".incoming";
const ROUTE: &str = "/objects/";

#[derive(Debug, Clone)]
pub struct LocalConfig {
    pub root: PathBuf,
    /// `https://waybill.example`; without it links are relative to whoever shows them.
    pub public_url: Option<String>,
    /// Signs the links; 32 characters at least.
    pub secret: SecretString,
}

#[derive(Clone)]
pub struct LocalBlob(Arc<Shared>);

struct Shared {
    store: LocalFileSystem,
    root: PathBuf,
    /// What links begin with: `https://waybill.example/objects/` or `/objects/`.
    base: String,
    key: hmac::Key,
    clock: Clock,
}

impl fmt::Debug for LocalBlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalBlob").field("root", &self.0.root).finish_non_exhaustive()
    }
}

impl LocalBlob {
    /// Opens the directory, making it if needed, and removes uploads that a crash cut off. One
    /// process owns the directory.
    pub fn new(config: LocalConfig, clock: Clock) -> Result<Self> {
        let secret = config.secret.expose_secret().as_bytes();
        if secret.len() < 32 {
            return Err(Error::internal("the secret of object links needs 32 characters at least"));
        }
        let incoming = config.root.join(INCOMING);
        match std::fs::remove_dir_all(&incoming) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::internal(error));
            }
            _ => {}
        }
        std::fs::create_dir_all(&incoming).map_err(Error::internal)?;
        let store = LocalFileSystem::new_with_prefix(&config.root).map_err(failed)?.with_fsync(true);
        let public = config.public_url.as_deref().unwrap_or_default().trim_end_matches('/');
        Ok(Self(Arc::new(Shared {
            store,
            root: config.root,
            base: format!("{public}{ROUTE}"),
            key: hmac::Key::new(hmac::HMAC_SHA256, secret),
            clock,
        })))
    }

    pub(super) fn store(&self) -> &dyn ObjectStore {
        &self.0.store
    }

    pub(super) fn presign(&self, method: &str, key: &Key, ttl: Duration) -> String {
        let ttl = i64::try_from(ttl.as_secs()).unwrap_or(0);
        let expires = self.0.clock.now().timestamp() + ttl;
        let tag = hmac::sign(&self.0.key, &signed(method, key, expires));
        let signature = hex::encode(tag);
        format!("{}{key}?expires={expires}&method={method}&signature={signature}", self.0.base)
    }

    /// Checks what a link says, before anything else is done with it.
    pub fn verify(
        &self,
        method: &str,
        key: &Key,
        expires: i64,
        signature: &str,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let invalid = || Error::forbidden("LINK_INVALID");
        // One spelling only: a link has no twins.
        if signature.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(invalid());
        }
        let tag = hex::decode(signature).map_err(|_| invalid())?;
        hmac::verify(&self.0.key, &signed(method, key, expires), &tag).map_err(|_| invalid())?;
        if now.timestamp() >= expires {
            return Err(Error::forbidden("LINK_EXPIRED"));
        }
        Ok(())
    }

    /// Stores an upload and answers its size. Creates only: a second upload to the key is refused,
    /// and one that breaks off or grows too large leaves nothing.
    pub async fn write_stream<E>(
        &self,
        key: &Key,
        content: impl Stream<Item = Result<Bytes, E>>,
        max_bytes: u64,
    ) -> Result<u64>
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let target = self.0.root.join(key.as_str());
        // Early, so that nobody sends a whole file for nothing; the link below decides.
        if tokio::fs::try_exists(&target).await.map_err(Error::internal)? {
            return Err(exists());
        }
        let name = crate::clock::new_id().simple().to_string();
        let temporary = RemoveOnDrop::new(self.0.root.join(INCOMING).join(name));
        let mut file = tokio::fs::File::create_new(temporary.path()).await.map_err(Error::internal)?;
        let mut content = std::pin::pin!(content);
        let mut size = 0;
        while let Some(chunk) = content.next().await {
            let chunk = chunk.map_err(|error| {
                Error::invalid("UPLOAD_INTERRUPTED", "The upload was interrupted.").with_source(error)
            })?;
            size += chunk.len() as u64;
            if size > max_bytes {
                return Err(too_large(max_bytes));
            }
            file.write_all(&chunk).await.map_err(Error::internal)?;
        }
        file.flush().await.map_err(Error::internal)?;
        file.sync_all().await.map_err(Error::internal)?;
        let folder = target.parent().unwrap_or(&self.0.root).to_owned();
        tokio::fs::create_dir_all(&folder).await.map_err(Error::internal)?;
        // A rename would replace an object that came in meanwhile; a link refuses to.
        match tokio::fs::hard_link(temporary.path(), &target).await {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists()),
            Err(error) => return Err(Error::internal(error)),
        }
        // Without this a power cut may forget the name although the bytes are safe.
        let folder = tokio::fs::File::open(&folder).await.map_err(Error::internal)?;
        folder.sync_all().await.map_err(Error::internal)?;
        Ok(size)
    }

    /// What follows our base in an address; relative ones are ours as well.
    pub(super) fn strip<'a>(&self, url: &'a str) -> Option<&'a str> {
        url.strip_prefix(&self.0.base).or_else(|| url.strip_prefix(ROUTE))
    }

    pub(super) async fn ready(&self) -> Result<()> {
        match tokio::fs::metadata(self.0.root.join(INCOMING)).await {
            Ok(found) if found.is_dir() && !found.permissions().readonly() => Ok(()),
            Ok(_) => Err(Error::unavailable("OBJECTS_UNAVAILABLE", "Files cannot be stored right now.")),
            Err(error) => Err(Error::unavailable("OBJECTS_UNAVAILABLE", "Files cannot be stored right now.")
                .with_source(error)),
        }
    }
}

/// The bytes under the signature. Line breaks separate, and occur in no part.
fn signed(method: &str, key: &Key, expires: i64) -> Vec<u8> {
    format!("waybill object link v1\n{method}\n{key}\n{expires}").into_bytes()
}

/// A file that goes away unless it is kept, also when the task writing it is cancelled.
pub(super) struct RemoveOnDrop(Option<PathBuf>);

impl RemoveOnDrop {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(Some(path))
    }

    fn path(&self) -> &Path {
        self.0.as_deref().unwrap_or(Path::new(""))
    }

    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let _ = std::fs::remove_file(path);
        }
    }
}
