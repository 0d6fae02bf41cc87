//! Removes what nothing refers to, once it is a day old: uploads that nobody made a logo of, logos that
//! no setting shows or has shown lately.
//!
//! A row is deleted with its object in between, and the transaction commits last. Dying anywhere leaves the row,
//! and the next time does it all again.

use ::store::Tx;
use chrono::{DateTime, TimeDelta, Utc};
use kit::Result;
use kit::blob::Key;

use super::value::{self, Logo};
use super::{key_of, store};
use crate::Context;

/// What is younger may be on its way into the setting.
const KEPT: TimeDelta = TimeDelta::hours(24);

/// One round; the number of objects that went.
pub async fn sweep(context: &Context) -> Result<usize> {
    let before = context.clock.now() - KEPT;
    let mut gone = 0;
    for upload in store::old_uploads(&context.db, before).await? {
        gone += usize::from(remove_upload(context, &upload.object_key).await?);
    }
    for logo in store::old_logos(&context.db, before).await? {
        gone += usize::from(remove_logo(context, &logo.file, before).await?);
    }
    Ok(gone)
}

/// The link has long ended, so nothing comes after this. What the setting names as the place of its upload
/// keeps its row: asking for it goes on giving the logo.
async fn remove_upload(context: &Context, object_key: &str) -> Result<bool> {
    context.blob.delete(&Key::parse(object_key)?).await?;
    let tx = context.db.begin().await?;
    // Before the look: whoever saves it holds the row, and is waited for here.
    store::forget_upload(&tx, object_key).await?;
    let is_it = |url: &str| context.blob.key_of(url).is_ok_and(|key| key.as_str() == object_key);
    if references(&tx).await?.iter().any(|logo| is_it(&logo.url_object)) {
        return Ok(false);
    }
    tx.commit().await?;
    Ok(true)
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
