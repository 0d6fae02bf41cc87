//! Objects in a local directory, behind links that we sign ourselves.
//!
//! The gateway serves the links: it calls [`LocalBlob::verify_put`], then [`LocalBlob::write_stream`], or
//! [`LocalBlob::verify_get`], then [`super::Blob::read`]. A file appears under its key only when it is
//! complete and synced to disk.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::{Stream, StreamExt};
use object_store::local::LocalFileSystem;
use object_store::{ObjectStore, ObjectStoreExt};
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};
use tokio::io::AsyncWriteExt;
use tokio::task::spawn_blocking;

use super::incoming::Incoming;
use super::{Key, exists, failed, io, path, too_large, unavailable};
use crate::clock::Clock;
use crate::download::encoded;
use crate::{Error, Kind, Result, folder};

const ROUTE: &str = "/objects/";

#[derive(Debug, Clone)]
pub struct LocalConfig {
    pub root: PathBuf,
    /// Public address, for example `https://waybill.example`. With `None`, links are relative to the page
    /// that shows them.
    pub public_url: Option<String>,
    /// The secret that signs links; at least 32 characters.
    pub secret: SecretString,
}

#[derive(Clone)]
pub struct LocalBlob(Arc<Shared>);

struct Shared {
    store: LocalFileSystem,
    root: PathBuf,
    incoming: Incoming,
    /// Prefix of all links: `https://waybill.example/objects/` or `/objects/`.
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
    /// Opens the directory, creating it if needed, and removes uploads that a crash cut off. Uploads of
    /// other processes continue.
    pub fn new(config: LocalConfig, clock: Clock) -> Result<Self> {
        let secret = config.secret.expose_secret().as_bytes();
        if secret.len() < 32 {
            return Err(Error::internal("the secret of object links needs 32 characters at least"));
        }
        let incoming = Incoming::open(&config.root).map_err(Error::internal)?;
        let store = LocalFileSystem::new_with_prefix(&config.root).map_err(failed)?.with_fsync(true);
        // Each upload has a folder of its own, which goes with it.
        let store = store.with_automatic_cleanup(true);
        let public = config.public_url.as_deref().unwrap_or_default().trim_end_matches('/');
        Ok(Self(Arc::new(Shared {
            store,
            root: config.root,
            incoming,
            base: format!("{public}{ROUTE}"),
            key: hmac::Key::new(hmac::HMAC_SHA256, secret),
            clock,
        })))
    }

    pub(super) fn store(&self) -> &dyn ObjectStore {
        &self.0.store
    }

    /// Signs the name apart from the rest, because a gateway of the release before opens the link without knowing
    /// names.
    pub(super) fn presign_get(&self, key: &Key, name: &str, ttl: Duration) -> String {
        let (link, signature) = self.presign("GET", key, ttl, None);
        let of_name = self.sign(&signed_name(&signature, name));
        format!("{link}&name={}&name_signature={of_name}", encoded(name))
    }

    pub(super) fn presign_put(&self, key: &Key, ttl: Duration, max_bytes: u64) -> String {
        self.presign("PUT", key, ttl, Some(max_bytes)).0
    }

    /// Returns a link and its signature.
    fn presign(&self, method: &str, key: &Key, ttl: Duration, max: Option<u64>) -> (String, String) {
        let ttl = i64::try_from(ttl.as_secs()).unwrap_or(0);
        let expires = self.0.clock.now().timestamp() + ttl;
        let signature = self.sign(&signed(method, key, expires, max));
        let max = max.map(|max| format!("&max={max}")).unwrap_or_default();
        let link =
            format!("{}{key}?expires={expires}{max}&method={method}&signature={signature}", self.0.base);
        (link, signature)
    }

    fn sign(&self, content: &[u8]) -> String {
        hex::encode(hmac::sign(&self.0.key, content))
    }

    /// Checks a link for reading an object.
    pub fn verify_get(&self, key: &Key, link: &Link<'_>, now: DateTime<Utc>) -> Result<()> {
        self.verify("GET", key, link, now)
    }

    /// Checks a link for uploading an object; returns the maximum size of the upload in bytes.
    pub fn verify_put(&self, key: &Key, link: &Link<'_>, now: DateTime<Utc>) -> Result<u64> {
        self.verify("PUT", key, link, now)?;
        link.max.ok_or_else(|| Error::forbidden("LINK_INVALID"))
    }

    fn verify(&self, method: &str, key: &Key, link: &Link<'_>, now: DateTime<Utc>) -> Result<()> {
        let Link { expires, max, signature, name } = *link;
        self.verify_signature(&signed(method, key, expires, max), signature)?;
        if let Some(SignedName { name, signature: of_name }) = name {
            self.verify_signature(&signed_name(signature, name), of_name)?;
        }
        if now.timestamp() >= expires {
            return Err(Error::new(
                Kind::Forbidden,
                "LINK_EXPIRED",
                "This link has expired. Open or upload the file again in Waybill.",
            ));
        }
        Ok(())
    }

    fn verify_signature(&self, content: &[u8], signature: &str) -> Result<()> {
        let invalid = || Error::forbidden("LINK_INVALID");
        // Accept lower-case hex only, so that each signature has a single spelling.
        if signature.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(invalid());
        }
        let tag = hex::decode(signature).map_err(|_| invalid())?;
        hmac::verify(&self.0.key, content, &tag).map_err(|_| invalid())
    }

    /// Stores an upload and returns its size in bytes. Never replaces an object: an upload is refused once
    /// the object exists, and while another upload to the same key is in progress. An upload that breaks off
    /// or grows too large leaves nothing behind.
    pub async fn write_stream<E>(
        &self,
        key: &Key,
        content: impl Stream<Item = Result<Bytes, E>>,
        max_bytes: u64,
    ) -> Result<u64>
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        // Refuse early, before the client sends a whole file in vain. The hard link below is the check that
        // counts.
        if tokio::fs::try_exists(self.0.root.join(key.as_str())).await.map_err(Error::internal)? {
            return self.settled(key, Err(exists())).await;
        }
        let mut upload = self.0.incoming.begin(key).await?;
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
            upload.file.write_all(&chunk).await.map_err(io)?;
        }
        crate::fail_point("kit.object.written");
        upload.file.flush().await.map_err(io)?;
        upload.file.sync_all().await.map_err(io)?;
        crate::fail_point("kit.object.synced");
        // A rename would replace an object that was stored in the meantime; a hard link does not. This call
        // also syncs the new name and any new folders above it.
        let linked = self.0.store.copy_if_not_exists(upload.path(), &path(key)).await.map_err(failed);
        self.settled(key, linked).await?;
        crate::fail_point("kit.object.linked");
        Ok(size)
    }

    /// Syncs the name of an object that `written` reports as existing, and returns `written`. The earlier write may have
    /// failed or died before its own sync, and a caller that repeats a write takes `OBJECT_EXISTS` for success.
    pub(super) async fn settled<T>(&self, key: &Key, written: Result<T>) -> Result<T> {
        if written.as_ref().is_err_and(|error| error.reason == "OBJECT_EXISTS") {
            let (root, object) = (self.0.root.clone(), self.0.root.join(key.as_str()));
            let synced = spawn_blocking(move || {
                let mut folders = object.ancestors().skip(1).take_while(|it| it.starts_with(&root));
                folders.try_for_each(folder::sync)
            });
            let synced = synced.await.map_err(Error::internal)?;
            synced.map_err(|error| unavailable().with_source(error))?;
        }
        written
    }

    pub(super) fn base(&self) -> &str {
        &self.0.base
    }

    /// Returns the part of `url` after the `base` of our links or, in a relative URL, after `ROUTE`.
    pub(super) fn strip<'a>(&self, url: &'a str) -> Option<&'a str> {
        url.strip_prefix(&self.0.base).or_else(|| url.strip_prefix(ROUTE))
    }

    /// Fails with `DISK_UNSUITABLE` if the disk has no hard links or no file locks, so that no upload could be stored.
    pub fn require_links(&self) -> Result<()> {
        self.0.incoming.require_links()
    }

    pub(super) async fn ready(&self) -> Result<()> {
        let unavailable = || Error::unavailable("OBJECTS_UNAVAILABLE", "Files cannot be stored right now.");
        match self.0.incoming.is_writable().await {
            Ok(true) => Ok(()),
            Ok(false) => Err(unavailable()),
            Err(error) => Err(unavailable().with_source(error)),
        }
    }
}

/// The query parameters of a link. Its method and key are separate.
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    pub expires: i64,
    /// Maximum size of the upload, in bytes.
    pub max: Option<u64>,
    pub signature: &'a str,
    /// `None` in a link that a release without names signed.
    pub name: Option<SignedName<'a>>,
}

/// The name under which an object is saved.
#[derive(Debug, Clone, Copy)]
pub struct SignedName<'a> {
    pub name: &'a str,
    pub signature: &'a str,
}

/// Returns the bytes to sign: the parts of a link, separated by line breaks, which no part can contain.
fn signed(method: &str, key: &Key, expires: i64, max: Option<u64>) -> Vec<u8> {
    let max = max.map(|max| max.to_string()).unwrap_or_default();
    format!("waybill object link v2\n{method}\n{key}\n{expires}\n{max}").into_bytes()
}

/// Returns the bytes to sign for the name of a link. The name is last, because it may contain line breaks.
fn signed_name(signature: &str, name: &str) -> Vec<u8> {
    format!("waybill object name v1\n{signature}\n{name}").into_bytes()
}
