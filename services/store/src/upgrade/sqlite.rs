//! An upgrade on SQLite: one transaction, after a copy of the file.

use std::time::Duration;

use kit::{Kind, Result};
use sea_orm_migration::prelude::*;

use super::{Found, Waiting, copy};
use crate::{Db, Tx, db};

/// The transaction is what other processes wait for, and what makes the upgrade happen as a whole.
pub async fn up<M: MigratorTrait>(db_: &Db, patience: Duration) -> Result<()> {
    let tx = begin(db_, patience).await?;
    // Another process may have done it meanwhile.
    let found = Found::read::<M, _>(&*tx).await?;
    if found.is_current()? {
        return Ok(());
    }
    if !found.is_empty {
        copy::before_upgrade(db_).await?;
    }
    M::up(&*tx, None).await.map_err(db)?;
    tx.commit().await
}

async fn begin(db_: &Db, patience: Duration) -> Result<Tx> {
    let mut waiting = Waiting::new(patience);
    loop {
        match db_.begin().await {
            Err(error) if error.kind == Kind::Unavailable => waiting.pause().await?,
            begun => return begun,
        }
    }
}
