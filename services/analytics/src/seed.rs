//! Demo data is written into the tables of its owners without events, so analytics has to read it.

use ::store::Db;
use chrono::{DateTime, Utc};
use kit::Result;

use crate::rebuild;

/// Has the service read everything when it starts.
pub async fn request_rebuild(db: &Db, by: &str, now: DateTime<Utc>) -> Result<()> {
    let tx = db.begin().await?;
    rebuild::request(&tx, by, now).await?;
    tx.commit().await
}
