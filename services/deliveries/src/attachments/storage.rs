//! Storage of attachment files.
//!
//! A file is uploaded to a key that a link can write to. Once the file is checked, a copy is stored under a
//! key that no link can write to, so an added file never changes; the upload is removed with its link. Files
//! that earlier releases added stay where they were uploaded.

use ::store::clearing::Doubts;
use ::store::links::{self, Needed, Referrer};
use ::store::{Db, Tx};
use async_trait::async_trait;
use bytes::Bytes;
use kit::blob::{Blob, Key};
use kit::{Error, Result};
use proto::deliveries::v1 as wire;

use crate::entity::{attachment, attachment_link};
use crate::tables::attachments;

/// Prefix of uploads.
pub const UPLOADED: &str = "proof/";
const KEPT: &str = "attachments/";

/// Returns a new, unguessable key for an upload.
pub fn new_key(plain_name: &str) -> Result<Key> {
    Key::parse(&format!("{UPLOADED}{}/{plain_name}", kit::random::id()?))
}

/// Returns the key of an upload.
pub fn uploaded(blob: &Blob, url: &str) -> Option<Key> {
    blob.key_of(url).ok().filter(|key| key.as_str().starts_with(UPLOADED))
}

/// Returns the key for the copy of an upload.
pub fn kept(uploaded: &Key) -> Result<Key> {
    let rest = uploaded.as_str().strip_prefix(UPLOADED);
    Key::parse(&format!("{KEPT}{}", rest.ok_or_else(|| Error::internal("no key of an upload"))?))
}

/// Stores the copy of an upload. Returns false if there is a copy of other bytes: in a bucket, the link can
/// replace an upload while two requests add it.
pub async fn keep(blob: &Blob, uploaded: &Key, bytes: Bytes) -> Result<bool> {
    let kept = kept(uploaded)?;
    match blob.create(&kept, bytes.clone()).await {
        Err(error) if error.reason == "OBJECT_EXISTS" => match blob.get(&kept, bytes.len() as u64).await {
            Err(error) if matches!(error.reason.as_str(), "OBJECT_TOO_LARGE" | "OBJECT_NOT_FOUND") => {
                Ok(false)
            }
            copy => Ok(copy? == bytes),
        },
        created => created.map(|()| true),
    }
}

/// Converts an attachment for callers, with its file's present URL. The stored URL has the host that the
/// product or the bucket had when the file was added.
pub fn to_wire(blob: &Blob, row: attachment::Model) -> Result<wire::Attachment> {
    let url = blob.url_of(&Key::parse(&row.object_key)?);
    Ok(wire::Attachment { url, ..row.into() })
}

/// Finds and reads the file of an attachment; fails unless it is the file that was added.
pub async fn find(blob: &Blob, uploaded: &Key, sha256: &[u8], size_bytes: u64) -> Result<(Key, Bytes)> {
    let kept = kept(uploaded)?;
    match blob.get_verified(&kept, sha256, size_bytes).await {
        Ok(bytes) => Ok((kept, bytes)),
        Err(error) if error.reason == "OBJECT_NOT_FOUND" => {
            let bytes = blob.get_verified(uploaded, sha256, size_bytes).await?;
            Ok((uploaded.clone(), bytes))
        }
        Err(error) => Err(error),
    }
}

/// Removes uploads that are not attachments, and uploads that have a copy; returns how many.
pub async fn sweep(db: &Db, blob: &Blob, doubts: &Doubts) -> Result<u64> {
    links::sweep::<attachment_link::Entity>(db, blob, &Attachments(blob), doubts).await
}

struct Attachments<'a>(&'a Blob);

#[async_trait]
impl Referrer for Attachments<'_> {
    async fn needed(&self, tx: &Tx, object_key: &str) -> Result<Needed> {
        let kept = kept(&Key::parse(object_key)?)?;
        let is_attachment = attachments::by_object(&**tx, object_key).await?.is_some();
        if !is_attachment {
            // If adding this file was interrupted, a copy may be left that nothing refers to.
            links::in_time(tx, self.0.delete(&kept)).await?;
        }
        // An attachment without a copy was added by an earlier release; keep its upload.
        let object = is_attachment && links::in_time(tx, self.0.head(&kept)).await?.is_none();
        Ok(Needed { link: false, object })
    }
}
