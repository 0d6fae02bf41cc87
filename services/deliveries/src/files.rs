//! Where the files of attachments lie.
//!
//! A file is uploaded to a key that a link writes to. Once it was looked at, a copy is kept under a key that no
//! link writes to, so what was added stays what it was; what was uploaded goes with its link. Files that
//! earlier releases added lie where they were uploaded.

use ::store::links::{self, Needed, Referrer};
use ::store::{Db, Tx};
use async_trait::async_trait;
use bytes::Bytes;
use kit::blob::{Blob, Key};
use kit::{Error, Result};

use crate::entity::attachment_link;
use crate::store::proof;

/// Uploads lie under this prefix.
pub const UPLOADED: &str = "proof/";
const KEPT: &str = "attachments/";

/// A fresh key for an upload. Nobody guesses it.
pub fn new_key(plain_name: &str) -> Result<Key> {
    Key::parse(&format!("{UPLOADED}{}/{plain_name}", kit::random::id()?))
}

/// The key of an upload.
pub fn uploaded(blob: &Blob, url: &str) -> Option<Key> {
    blob.key_of(url).ok().filter(|key| key.as_str().starts_with(UPLOADED))
}

/// Where the copy of an upload is kept.
pub fn kept(uploaded: &Key) -> Result<Key> {
    let rest = uploaded.as_str().strip_prefix(UPLOADED);
    Key::parse(&format!("{KEPT}{}", rest.ok_or_else(|| Error::internal("no key of an upload"))?))
}

/// Finds the file of an attachment, and reads it: it is what was added, or an error.
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

/// Removes uploads that are no attachments, and those whose copy is kept; answers how many.
pub async fn sweep(db: &Db, blob: &Blob) -> Result<usize> {
    links::sweep::<attachment_link::Entity>(db, blob, &Attachments(blob)).await
}

struct Attachments<'a>(&'a Blob);

#[async_trait]
impl Referrer for Attachments<'_> {
    async fn needed(&self, tx: &Tx, object_key: &str) -> Result<Needed> {
        let kept = kept(&Key::parse(object_key)?)?;
        let is_attachment = proof::by_object(&**tx, object_key).await?.is_some();
        if !is_attachment {
            // Adding it broke off before anything referred to the copy.
            self.0.delete(&kept).await?;
        }
        // An attachment without a copy is of an earlier release.
        let object = is_attachment && self.0.head(&kept).await?.is_none();
        Ok(Needed { link: false, object })
    }
}
