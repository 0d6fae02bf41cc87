//! The databases of the services: one for each.

use kit::config::{Config, Target, sqlite_file};
use kit::{Error, Result};
use store::Db;
use store::connect::is_there;

use crate::target::{self, Row};

/// Opens the databases of a target's services. A single process upgrades them. A service that runs alone refuses
/// an older database, because other processes may still be using it.
pub async fn open(config: &Config, target: Target) -> Result<Vec<(&'static Row, Db)>> {
    let rows: Vec<&'static Row> = target::services(target).collect();
    require_each(config, rows.len())?;
    // Connecting takes many round trips, so do it at once.
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

/// Connects to the database. Fails if its restore is unfinished, or if the server is unsuitable or can lose data; see
/// [`Db::connect_restored`], [`Db::require_sessions`] and [`Db::require_durable`].
async fn connect(config: &Config, row: &Row) -> Result<Db> {
    let db = Db::connect_restored(&row.database(config), &config.database).await?;
    db.require_sessions(&config.database).await?;
    db.require_durable(&config.database, row.name).await?;
    Ok(db)
}

/// Opens a service's database for a command that may run before the first start. Creates the tables of a new database.
/// Never upgrades: only `waybill migrate` and a start first copy all databases.
///
/// # Errors
///
/// Those of [`create_or_require_current`](store::migrate::Migrations::create_or_require_current).
pub async fn open_or_create(config: &Config, service: &str) -> Result<Db> {
    let row = target::service(service)?;
    let db = connect(config, row).await?;
    row.migrations.create_or_require_current(&db, row.name).await?;
    Ok(db)
}

/// Checks that a configuration has a database for each of several services.
///
/// # Errors
///
/// `DATABASE_OF_ONE_SERVICE` with the configuration of a service that runs separately.
pub fn require_each(config: &Config, services: usize) -> Result<()> {
    if services < 2 || !config.database.is_of_one_service() {
        return Ok(());
    }
    Err(Error::precondition(
        "DATABASE_OF_ONE_SERVICE",
        format!(
            "database.url has no {{service}}, so all {services} services would share one database. To work on \
             one service, use migrate, rebuild, serve or doctor with --target. Otherwise give an address with \
             {{service}}."
        ),
    ))
}

/// Refuses a data folder without the database of a service, for commands that use what is there. Connecting would create
/// the file.
///
/// # Errors
///
/// `DATABASE_MISSING`; those of [`is_there`]. Servers are not asked.
pub fn require_present(config: &Config, row: &Row) -> Result<()> {
    let file = |row: &Row| sqlite_file(&row.database(config));
    let Some(missing) = file(row) else { return Ok(()) };
    if is_there(&missing)? {
        return Ok(());
    }
    for other in target::services(Target::All).filter_map(file) {
        if is_there(&other)? {
            return Err(Error::precondition(
                "DATABASE_MISSING",
                format!(
                    "The database {} is missing, and others are there. Restore a backup; if this release of Waybill \
                     added the database, run `waybill migrate` first.",
                    missing.display()
                ),
            ));
        }
    }
    let folder = missing.parent().unwrap_or(&missing).display();
    Err(Error::precondition(
        "DATABASE_MISSING",
        format!(
            "There is no Waybill data in {folder}. Give the folder that has it: --data, or WAYBILL__DATA."
        ),
    ))
}

/// Opens several databases like [`open_one`], or none of them if one cannot be used.
///
/// # Errors
///
/// Those of [`require_each`] and [`open_one`].
pub async fn open_current(config: &Config, rows: &[&'static Row]) -> Result<Vec<(&'static Row, Db)>> {
    require_each(config, rows.len())?;
    let mut opened = Vec::new();
    for row in rows {
        match open_one(config, row).await {
            Ok(db) => opened.push((*row, db)),
            Err(error) => {
                close(&opened).await;
                return Err(error);
            }
        }
    }
    Ok(opened)
}

/// Opens a service's database for a command that may run beside the service. Neither upgrades it nor uses one
/// that does not fit the program.
///
/// # Errors
///
/// `DATABASE_OF_ONE_SERVICE` for what may be the database of another service; those of [`require_present`],
/// [`Db::connect_restored`] and [`require_current`](store::migrate::Migrations::require_current).
pub async fn open_one(config: &Config, row: &Row) -> Result<Db> {
    require_present(config, row)?;
    let db = Db::connect_restored(&row.database(config), &config.database).await?;
    let Err(error) = row.migrations.require_current(&db, row.name).await else { return Ok(db) };
    db.close().await;
    // To a service, migrations of another service look like those of a later release.
    if error.reason != "DATABASE_TOO_NEW" || !config.database.is_of_one_service() {
        return Err(error);
    }
    let name = row.name;
    Err(Error::precondition(
        "DATABASE_OF_ONE_SERVICE",
        format!(
            "This isn't the database of {name}, or a later release of Waybill upgraded it. Use the configuration \
             of {name}, or an address with {{service}}."
        ),
    ))
}

/// Closes databases.
pub async fn close(databases: &[(&'static Row, Db)]) {
    for (_, db) in databases {
        db.close().await;
    }
}

/// Upgrades the databases of a target.
pub async fn migrate(config: &Config, target: Target) -> Result<()> {
    require_each(config, target::services(target).count())?;
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
