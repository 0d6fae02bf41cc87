//! Removes unreferenced files: uploads that were not used in time, and logos that are neither in the setting
//! nor in its recent history.
//!
//! A row is deleted, then its object is removed, and then the transaction commits. A crash anywhere leaves
//! the row, and the next sweep repeats everything.

use ::store::Tx;
use ::store::clearing::{self, Doubts};
use ::store::links::{self, KEPT, Needed, Referrer};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::Result;
use kit::blob::Blob;
use kit::clock::Clock;

use super::value::{self, Logo};
use super::{key_of, store};
use crate::Context;
use crate::entity::logo_upload;

/// Runs one sweep; returns the number of removed uploads and logos.
pub async fn sweep(context: &Context, doubts: &Doubts) -> Result<u64> {
    let Context { db, blob, .. } = context;
    let mut gone = links::sweep::<logo_upload::Entity>(db, blob, &Uploads(blob), doubts).await?;
    // Keep logos that are younger than [`KEPT`]: they may be about to be saved in the setting. A wrong clock
    // can remove only such logos, which then have to be uploaded again.
    let before = clearing::now(db, &Clock::system()).await? - KEPT;
    for logo in store::old_logos(db, before).await? {
        gone += u64::from(remove_logo(context, &logo.file, before).await?);
    }
    Ok(gone)
}

struct Uploads<'a>(&'a Blob);

#[async_trait]
impl Referrer for Uploads<'_> {
    /// Returns what to keep of an old upload: never its file, because a used one was copied. Its row is kept
    /// while the setting or its history names it, so that publishing it again still returns the logo.
    async fn needed(&self, tx: &Tx, object_key: &str) -> Result<Needed> {
        let is_it = |url: &str| self.0.key_of(url).is_ok_and(|key| key.as_str() == object_key);
        let link = references(tx).await?.iter().any(|logo| is_it(&logo.url_object));
        Ok(Needed { link, object: false })
    }
}

async fn remove_logo(context: &Context, file: &str, before: DateTime<Utc>) -> Result<bool> {
    let tx = context.db.begin().await?;
    // If the setting is being saved with this logo, the logo's row is locked. This call then waits for the
    // save, and deletes nothing, because the save has marked the logo as wanted.
    if !store::forget_logo(&tx, file, before).await? {
        return Ok(false);
    }
    if references(&tx).await?.iter().any(|logo| logo.file == file) {
        return Ok(false);
    }
    links::in_time(&tx, context.blob.delete(&key_of(file)?)).await?;
    tx.commit().await?;
    Ok(true)
}

/// Returns the logos in the current value of the setting and in those of its history.
async fn references(tx: &Tx) -> Result<Vec<Logo>> {
    let texts = store::values(tx).await?;
    Ok(texts.iter().filter_map(|text| value::referred(text)).collect())
}
