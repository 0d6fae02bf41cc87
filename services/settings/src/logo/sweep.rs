//! Removes what nothing refers to: uploads that nobody made a logo of in time, logos that no setting shows or
//! has shown lately.
//!
//! A row is deleted with its object in between, and the transaction commits last. Dying anywhere leaves the row,
//! and the next time does it all again.

use ::store::Tx;
use ::store::links::{self, KEPT, Needed, Referrer};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::Result;
use kit::blob::Blob;

use super::value::{self, Logo};
use super::{key_of, store};
use crate::Context;
use crate::entity::logo_upload;

/// One round; the number of uploads and logos that went.
pub async fn sweep(context: &Context) -> Result<usize> {
    let Context { db, blob, .. } = context;
    let mut gone = links::sweep::<logo_upload::Entity>(db, blob, &Uploads(blob)).await?;
    // What is younger may be on its way into the setting.
    let before = links::now(db.read()).await? - KEPT;
    for logo in store::old_logos(db, before).await? {
        gone += usize::from(remove_logo(context, &logo.file, before).await?);
    }
    Ok(gone)
}

struct Uploads<'a>(&'a Blob);

#[async_trait]
impl Referrer for Uploads<'_> {
    /// What was uploaded has done its duty. What the setting names as the place of its upload keeps its
    /// row: asking for it goes on giving the logo.
    async fn needed(&self, tx: &Tx, object_key: &str) -> Result<Needed> {
        let is_it = |url: &str| self.0.key_of(url).is_ok_and(|key| key.as_str() == object_key);
        let link = references(tx).await?.iter().any(|logo| is_it(&logo.url_object));
        Ok(Needed { link, object: false })
    }
}

async fn remove_logo(context: &Context, file: &str, before: DateTime<Utc>) -> Result<bool> {
    let tx = context.db.begin().await?;
    // Whoever saves it holds the row and has it wanted: we wait for them here, and then find nothing to delete.
    if !store::forget_logo(&tx, file, before).await? {
        return Ok(false);
    }
    if references(&tx).await?.iter().any(|logo| logo.file == file) {
        return Ok(false);
    }
    context.blob.delete(&key_of(file)?).await?;
    tx.commit().await?;
    Ok(true)
}

/// What the setting shows and showed.
async fn references(tx: &Tx) -> Result<Vec<Logo>> {
    let texts = store::values(tx).await?;
    Ok(texts.iter().filter_map(|text| value::referred(text)).collect())
}
