//! The databases of the services: one for each.

use kit::Result;
use kit::config::{Config, Target};
use store::Db;

use crate::target::{self, Row};

/// Opens the databases of a target's services. A single process upgrades them. A service that runs alone refuses
/// an older database, because other processes may still be using it.
pub async fn open(config: &Config, target: Target) -> Result<Vec<(&'static Row, Db)>> {
    let rows: Vec<&'static Row> = target::services(target).collect();
    // Connecting takes many round trips, so do it at once. An upgrade needs room on the disk, and looks for it
    // before it begins, so upgrade one after the other.
    let connecting = rows.iter().map(|row| connect(config, row));
    let databases: Vec<_> =
        rows.iter().copied().zip(futures::future::try_join_all(connecting).await?).collect();
    if target == Target::All {
        upgrade(&databases).await?;
        return Ok(databases);
    }
    for (row, db) in &databases {
        row.migrations.require_current(db, row.name).await?;
    }
    Ok(databases)
}

async fn upgrade(databases: &[(&'static Row, Db)]) -> Result<()> {
    let all: Vec<_> = databases.iter().map(|(row, db)| (row.migrations, db)).collect();
    store::migrate::up_together(&all).await
}

/// Connects to the database. Fails with a server with which the program cannot work or that can lose data; see
/// [`Db::require_sessions`] and [`Db::require_durable`].
async fn connect(config: &Config, row: &Row) -> Result<Db> {
    let db = Db::connect(&row.database(config), &config.database).await?;
    db.require_sessions(&config.database).await?;
    db.require_durable(&config.database, row.name).await?;
    Ok(db)
}

/// Opens (and upgrades) a service's database for a command, as `Target::All` does.
pub async fn open_named(config: &Config, service: &str) -> Result<Db> {
    let row = target::service(service)?;
    let db = connect(config, row).await?;
    row.migrations.up(&db).await?;
    Ok(db)
}

/// Upgrades the databases of a target.
pub async fn migrate(config: &Config, target: Target) -> Result<()> {
    let mut databases = Vec::new();
    for row in target::services(target) {
        databases.push((row, connect(config, row).await?));
    }
    let upgraded = upgrade(&databases).await;
    for (row, db) in &databases {
        db.close().await;
        if upgraded.is_ok() {
            tracing::info!(service = row.name, "the database is up to date");
        }
    }
    upgraded
}
