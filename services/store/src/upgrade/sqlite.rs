//! An upgrade on SQLite: one transaction.

use std::time::Duration;

use kit::{Kind, Result};
use sea_orm_migration::prelude::*;

use super::{Found, WaitFor, Waiting};
use crate::{Db, Tx, db};

/// Upgrades in one transaction, so that the upgrade is atomic and other processes wait for it.
pub async fn up<M: MigratorTrait>(db_: &Db, patience: Duration) -> Result<()> {
    let tx = begin(db_, patience).await?;
    // Another process may have upgraded in the meantime.
    let found = Found::read::<M, _>(&*tx).await?;
    if found.is_current()? {
        return Ok(());
    }
    M::up(&*tx, None).await.map_err(db)?;
    kit::fail_point("store.upgrade.applied");
    tx.commit().await
}

async fn begin(db_: &Db, patience: Duration) -> Result<Tx> {
    let mut waiting = Waiting::new(WaitFor::Upgrade, patience);
    loop {
        match db_.begin().await {
            Err(error) if error.kind == Kind::Unavailable => waiting.pause().await?,
            begun => return begun,
        }
    }
}
