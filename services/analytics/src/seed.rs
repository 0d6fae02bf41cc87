//! Makes analytics read demo data, which is written to the tables of other services without events.

use ::store::Db;
use chrono::{DateTime, Utc};
use kit::Result;

use crate::rebuild;

/// Requests a rebuild, so that the service reads all data when it starts.
pub async fn request_rebuild(db: &Db, by: &str, now: DateTime<Utc>) -> Result<()> {
    let tx = db.begin().await?;
    rebuild::request(&tx, by, now).await?;
    tx.commit().await
}
