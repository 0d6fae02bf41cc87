//! Objects: uploaded files and logos, in a local directory or in S3, reached by signed links.
//!
//! Contract:
//! - A link is good for one object, one method and at most five minutes.
//! - `key_of` turns a link without its query back into the key, and refuses any address that is not, byte for
//!   byte, one of ours. Store keys, not addresses: an address ends when the public host changes.
//! - The caller bounds reads: an object above the bound is an error and does not fill memory.
//! - A local upload creates and never replaces, has one writer and at most the size that its link allows; an
//!   aborted upload leaves nothing. On S3 a presigned PUT promises none of that, so keys for uploads are
//!   unguessable and fresh, and files to keep are copied to a key that no link can write to.
//! - Links serve objects as downloads, whatever content type the uploader gave them. The signature covers the name
//!   under which a download is saved.
//!
//! Deliberately absent: metadata, access rules (callers check those), multipart uploads, and listing except
//! for backups. Start at [`Blob`].

mod incoming;
mod key;
pub mod local;
pub mod s3;
mod unfinished;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use chrono::{DateTime, Utc};
use futures::StreamExt;
use futures::stream::BoxStream;
use object_store::path::Path as ObjectPath;
use object_store::{GetResult, ObjectStore, ObjectStoreExt, PutMode};
use ring::digest::{SHA256, digest};
use tokio::io::AsyncWriteExt;
use tokio::task::spawn_blocking;

use crate::health::Check;
use crate::{Error, Kind, Result};
pub use key::Key;
pub use local::{Link, LocalBlob, LocalConfig, SignedName};
pub use s3::{S3Blob, S3Config};
use unfinished::RemoveOnDrop;

/// Default and maximum lifetime of a link.
pub const LINK_TTL: Duration = Duration::from_secs(300);

/// Maximum size of an uploaded logo.
pub const MAX_LOGO_BYTES: u64 = 2 << 20;
/// Maximum size of a published logo, which may be larger than its upload, because the pictures in an SVG are
/// encoded anew. Defined here because both the writer and the readers of `logos/` check it.
pub const MAX_PUBLISHED_LOGO_BYTES: u64 = 2 * MAX_LOGO_BYTES;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectInfo {
    pub size: u64,
    pub modified: DateTime<Utc>,
    pub etag: Option<String>,
}

/// The content of an object, as a stream.
pub type Content = BoxStream<'static, Result<Bytes>>;

#[derive(Clone, Debug)]
pub enum Blob {
    Local(LocalBlob),
    S3(S3Blob),
}

impl Blob {
    fn store(&self) -> &dyn ObjectStore {
        match self {
            Blob::Local(local) => local.store(),
            Blob::S3(s3) => s3.store(),
        }
    }

    fn writer(&self) -> &dyn ObjectStore {
        match self {
            Blob::Local(local) => local.store(),
            Blob::S3(s3) => s3.writer(),
        }
    }

    /// Writes an object; an existing one of the same key is replaced atomically.
    pub async fn put(&self, key: &Key, bytes: Bytes) -> Result<()> {
        self.writer().put(&path(key), bytes.into()).await.map_err(failed)?;
        Ok(())
    }

    /// Writes an object unless there is one of the same key.
    ///
    /// # Errors
    ///
    /// `OBJECT_EXISTS` when there is; it stays as it is, and its name is on disk.
    pub async fn create(&self, key: &Key, bytes: Bytes) -> Result<()> {
        let created = self.writer().put_opts(&path(key), bytes.into(), PutMode::Create.into()).await;
        let created = created.map(|_| ()).map_err(failed);
        match self {
            Blob::Local(local) => local.settled(key, created).await,
            Blob::S3(_) => created,
        }
    }

    /// Returns the object, if it has no more than `max_bytes`.
    pub async fn get(&self, key: &Key, max_bytes: u64) -> Result<Bytes> {
        let found = self.open(key, max_bytes).await?;
        let mut bytes = BytesMut::with_capacity(usize::try_from(found.meta.size).unwrap_or(0));
        let mut stream = found.into_stream();
        while let Some(chunk) = stream.next().await {
            bytes.extend_from_slice(&chunk.map_err(failed)?);
            if bytes.len() as u64 > max_bytes {
                return Err(too_large(max_bytes));
            }
        }
        Ok(bytes.freeze())
    }

    /// Returns the object, if its digest matches.
    ///
    /// # Errors
    ///
    /// `OBJECT_DAMAGED` when it differs; none of its bytes are returned.
    pub async fn get_verified(&self, key: &Key, sha256: &[u8], max_bytes: u64) -> Result<Bytes> {
        let bytes = match self.get(key, max_bytes).await {
            Err(error) if error.reason == "OBJECT_TOO_LARGE" => return Err(damaged(key)),
            read => read?,
        };
        let hashed = spawn_blocking(move || (digest(&SHA256, &bytes), bytes));
        let (found, bytes) = hashed.await.map_err(Error::internal)?;
        match found.as_ref() == sha256 {
            true => Ok(bytes),
            false => Err(damaged(key)),
        }
    }

    /// Downloads an object to a file; returns its size. Removes the file on error.
    pub async fn download(&self, key: &Key, to: &Path, max_bytes: u64) -> Result<u64> {
        let mut stream = self.open(key, max_bytes).await?.into_stream();
        let mut file = tokio::fs::File::create(to).await.map_err(io)?;
        let unfinished = RemoveOnDrop::new(to.to_owned());
        let mut size = 0;
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(failed)?;
            size += chunk.len() as u64;
            if size > max_bytes {
                return Err(too_large(max_bytes));
            }
            file.write_all(&chunk).await.map_err(io)?;
        }
        file.flush().await.map_err(io)?;
        unfinished.keep();
        Ok(size)
    }

    /// Returns the object as a stream, with its metadata.
    pub async fn read(&self, key: &Key) -> Result<(ObjectInfo, Content)> {
        let found = self.store().get(&path(key)).await.map_err(failed)?;
        let info = info(&found.meta);
        Ok((info, found.into_stream().map(|chunk| chunk.map_err(failed)).boxed()))
    }

    /// Lists the keys of all objects with their sizes in bytes, unordered, for backups; files that are not objects are left
    /// out.
    pub fn list(&self) -> BoxStream<'_, Result<(Key, u64)>> {
        let listed = self.store().list(None);
        let ours = |found: object_store::Result<object_store::ObjectMeta>| async move {
            match found {
                Ok(found) => Key::parse(found.location.as_ref()).ok().map(|key| Ok((key, found.size))),
                Err(error) => Some(Err(failed(error))),
            }
        };
        listed.filter_map(ours).boxed()
    }

    /// Returns the object's metadata, or `None` if there is no such object.
    pub async fn head(&self, key: &Key) -> Result<Option<ObjectInfo>> {
        match self.store().head(&path(key)).await {
            Ok(meta) => Ok(Some(info(&meta))),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Removes the object. A missing object is no error.
    pub async fn delete(&self, key: &Key) -> Result<()> {
        match self.writer().delete(&path(key)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }

    /// Signs a link that accepts one upload to this key. The local store enforces `max_bytes`; S3 cannot,
    /// so whoever uses the object has to check its size.
    pub async fn presign_put(&self, key: &Key, ttl: Duration, max_bytes: u64) -> Result<String> {
        let ttl = bounded(ttl);
        match self {
            Blob::Local(local) => Ok(local.presign_put(key, ttl, max_bytes)),
            Blob::S3(s3) => s3.presign_put(key, ttl).await,
        }
    }

    /// Signs a link that downloads this object under a name, which may be any text.
    pub async fn presign_get(&self, key: &Key, name: &str, ttl: Duration) -> Result<String> {
        let ttl = bounded(ttl);
        match self {
            Blob::Local(local) => Ok(local.presign_get(key, name, ttl)),
            Blob::S3(s3) => s3.presign_get(key, name, ttl).await,
        }
    }

    /// Returns the object's present address: a link without its query.
    pub fn url_of(&self, key: &Key) -> String {
        let base = match self {
            Blob::Local(local) => local.base(),
            Blob::S3(s3) => s3.base(),
        };
        format!("{base}{key}")
    }

    /// Returns the key behind a link without its query.
    pub fn key_of(&self, url: &str) -> Result<Key> {
        let rest = match self {
            Blob::Local(local) => local.strip(url),
            Blob::S3(s3) => s3.strip(url),
        };
        rest.and_then(|key| Key::parse(key).ok()).ok_or_else(|| {
            Error::invalid("OBJECT_URL_INVALID", "This is not the address of an uploaded file.")
        })
    }

    /// Checks that objects can be reached, for readiness. On S3 this requests an object that never exists.
    /// Our account needs the right to list, because without it S3 answers "forbidden" whether or not an
    /// object exists.
    pub async fn ready(&self) -> Result<()> {
        let s3 = match self {
            Blob::Local(local) => return local.ready().await,
            Blob::S3(s3) => s3.store(),
        };
        // Not `head`: only an answer with a body tells a missing bucket from a missing object.
        match s3.get(&path(&Key::parse("readiness/probe")?)).await.map_err(failed) {
            Err(error) if error.kind == Kind::NotFound => Ok(()),
            answer => answer.map(|_| ()),
        }
    }

    /// Returns the readiness check "objects". The process can run without objects for a while.
    pub fn check(&self) -> Check {
        let this = self.clone();
        Check::shown("objects", move || {
            let this = this.clone();
            async move { this.ready().await }
        })
    }

    async fn open(&self, key: &Key, max_bytes: u64) -> Result<GetResult> {
        let found = self.store().get(&path(key)).await.map_err(failed)?;
        match found.meta.size > max_bytes {
            true => Err(too_large(max_bytes)),
            false => Ok(found),
        }
    }
}

fn bounded(ttl: Duration) -> Duration {
    ttl.clamp(Duration::from_secs(1), LINK_TTL)
}

fn path(key: &Key) -> ObjectPath {
    // No re-encoding happens: a key has no character that an object path escapes.
    ObjectPath::from(key.as_str())
}

fn info(meta: &object_store::ObjectMeta) -> ObjectInfo {
    ObjectInfo { size: meta.size, modified: meta.last_modified, etag: meta.e_tag.clone() }
}

fn failed(error: object_store::Error) -> Error {
    match error {
        _ if lacks_bucket(&error) => unavailable().with_source(error),
        object_store::Error::NotFound { .. } => {
            Error::not_found("OBJECT_NOT_FOUND", "The file does not exist.").with_source(error)
        }
        object_store::Error::AlreadyExists { .. } => exists().with_source(error),
        _ if is_full(&error) => full(error),
        _ => unavailable().with_source(error),
    }
}

/// Returns whether S3 answered that there is no such bucket. Answers without a body do not say so.
fn lacks_bucket(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::NotFound { source, .. } if source.to_string().contains("NoSuchBucket"))
}

/// Returns the error for a storage that does not answer.
pub fn unavailable() -> Error {
    Error::unavailable("OBJECTS_UNAVAILABLE", "Files are not available right now. Try again in a moment.")
}

/// Converts an error of a local folder: `STORAGE_FULL` if its disk is full, otherwise an internal error.
pub fn io(error: std::io::Error) -> Error {
    if is_full(&error) { full(error) } else { Error::internal(error) }
}

/// Returns whether a full disk is the root cause.
fn is_full(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source())
        .filter_map(|error| error.downcast_ref::<std::io::Error>())
        .any(crate::disk::is_full)
}

fn full(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let text = "There is no space left for files. Free some space or ask an administrator, then try again.";
    Error::storage_full("STORAGE_FULL", text).with_source(error)
}

fn exists() -> Error {
    Error::already_exists("OBJECT_EXISTS", "The file has been uploaded already.")
}

fn damaged(key: &Key) -> Error {
    let text = "This file was damaged in storage. Ask an administrator to restore it from a backup.";
    tracing::error!(%key, "the bytes of an object are not the ones that were stored");
    Error::precondition("OBJECT_DAMAGED", text)
}

fn too_large(max_bytes: u64) -> Error {
    Error::new(Kind::InvalidInput, "OBJECT_TOO_LARGE", "The file is too large.")
        .with_source(format!("more than {max_bytes} bytes"))
}
