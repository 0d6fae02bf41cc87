//! Makes analytics read demo data, which is written to its owners' tables without events.

use ::store::Db;
use chrono::{DateTime, Utc};
use kit::Result;

use crate::rebuild;

/// Requests a rebuild, so that the service reads everything at its start.
pub async fn request_rebuild(db: &Db, by: &str, now: DateTime<Utc>) -> Result<()> {
    let tx = db.begin().await?;
    rebuild::request(&tx, by, now).await?;
    tx.commit().await
}
