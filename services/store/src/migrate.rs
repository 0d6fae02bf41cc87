//! Runs a service's migrations, one process at a time, and tells whether some are pending.

use std::time::Duration;

use kit::{Error, Result};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};
use sea_orm_migration::prelude::*;

use crate::{Db, db, no_delay};

/// "waybill" as a number: what migrating processes wait for on Postgres.
const LOCK: i64 = 0x0077_6179_6269_6c6c;
const AGAIN: Duration = Duration::from_millis(100);

/// Brings the database up to date. Without the lock two processes that start at once on an
/// empty database would both make the same table, and one would fail.
pub async fn up<M: MigratorTrait>(db_: &Db) -> Result<()> {
    if !db_.is_postgres() {
        return M::up(&db_.writer, None).await.map_err(db);
    }
    // Nearly every start finds nothing to do, and needs neither the lock nor a connection for it.
    if is_current::<M>(db_).await? {
        return Ok(());
    }
    // The lock belongs to a connection, so this one does the work as well. Unlike those of the
    // pool it lets a statement take its time: an index of a large table does.
    let mut options = sea_orm::ConnectOptions::new(db_.url());
    options.max_connections(1).sqlx_logging(false);
    let connection = no_delay::connecting(sea_orm::Database::connect(options)).await.map_err(db)?;
    take_lock(&connection).await?;
    let done = M::up(&connection, None).await.map_err(db);
    let closed = connection.close().await.map_err(db);
    done.and(closed)
}

/// By asking again and again: a statement that waits for the lock would be a transaction that
/// `CREATE INDEX CONCURRENTLY` of the holder waits for in turn.
async fn take_lock(connection: &DatabaseConnection) -> Result<()> {
    loop {
        let ask = Statement::from_sql_and_values(
            DbBackend::Postgres,
            "SELECT pg_try_advisory_lock($1) AS mine",
            [LOCK.into()],
        );
        let row = connection.query_one_raw(ask).await.map_err(db)?;
        if row.is_some_and(|row| row.try_get("", "mine").unwrap_or(false)) {
            return Ok(());
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Refuses to go on while the database is older than the program.
pub async fn require_current<M: MigratorTrait>(db_: &Db, service: &str) -> Result<()> {
    if is_current::<M>(db_).await? {
        return Ok(());
    }
    Err(Error::precondition(
        "MIGRATIONS_PENDING",
        format!(
            "the database of {service} is older than this program; run `waybill migrate --target {service}` first"
        ),
    ))
}

async fn is_current<M: MigratorTrait>(db_: &Db) -> Result<bool> {
    Ok(M::get_pending_migrations_read_only(db_.read()).await.map_err(db)?.is_empty())
}

/// The tables of this crate; each service puts them first in its own list.
pub fn migrations() -> Vec<Box<dyn MigrationTrait>> {
    vec![Box::new(Events)]
}

struct Events;

impl MigrationName for Events {
    fn name(&self) -> &str {
        "m0001_events"
    }
}

/// Text that sorts and compares by its bytes on both databases, as folded columns must.
pub fn bytewise_text(column: impl IntoIden, backend: DbBackend) -> ColumnDef {
    let mut definition = ColumnDef::new(column);
    match backend {
        DbBackend::Postgres => definition.custom(Alias::new("text COLLATE \"C\"")),
        _ => definition.text(),
    };
    definition
}

/// Makes indexes of trigrams possible on Postgres. Whoever owns the database may, where the extension
/// is installed.
pub async fn trigrams(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    let there =
        Statement::from_string(DbBackend::Postgres, "SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'");
    if connection.query_one_raw(there).await?.is_some() {
        return Ok(());
    }
    connection.execute_unprepared("CREATE EXTENSION IF NOT EXISTS pg_trgm").await.map_err(|error| {
        let text = "this database lacks the extension pg_trgm, which finds parts of texts. Have an administrator \
                    of Postgres run CREATE EXTENSION pg_trgm in it (it is part of Postgres; some systems keep it in \
                    a package named postgresql-contrib), then migrate again";
        DbErr::Migration(format!("{text}: {error}"))
    })?;
    Ok(())
}

#[async_trait::async_trait]
impl MigrationTrait for Events {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use crate::counter::row_count as counts;
        use crate::inbox::inbox_event as inbox;
        use crate::outbox::outbox_event as outbox;
        manager
            .create_table(
                Table::create()
                    .table(outbox::Entity)
                    .col(ColumnDef::new(outbox::Column::Id).uuid().not_null().primary_key())
                    .col(ColumnDef::new(outbox::Column::Subject).string().not_null())
                    .col(ColumnDef::new(outbox::Column::Envelope).binary().not_null())
                    .col(ColumnDef::new(outbox::Column::CreatedAt).timestamp_with_time_zone().not_null())
                    .col(ColumnDef::new(outbox::Column::ClaimedUntil).timestamp_with_time_zone())
                    .col(ColumnDef::new(outbox::Column::PublishedAt).timestamp_with_time_zone())
                    .to_owned(),
            )
            .await?;
        manager
            .create_index(
                Index::create()
                    .name("outbox_waiting")
                    .table(outbox::Entity)
                    .col(outbox::Column::Id)
                    .and_where(Expr::col(outbox::Column::PublishedAt).is_null())
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table(inbox::Entity)
                    .col(ColumnDef::new(inbox::Column::Consumer).string().not_null())
                    .col(ColumnDef::new(inbox::Column::EventId).uuid().not_null())
                    .col(ColumnDef::new(inbox::Column::HandledAt).timestamp_with_time_zone().not_null())
                    .primary_key(Index::create().col(inbox::Column::Consumer).col(inbox::Column::EventId))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table(counts::Entity)
                    .col(ColumnDef::new(counts::Column::Name).string().not_null().primary_key())
                    .col(ColumnDef::new(counts::Column::Rows).big_integer().not_null())
                    .to_owned(),
            )
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(crate::counter::row_count::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(crate::inbox::inbox_event::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(crate::outbox::outbox_event::Entity).to_owned()).await
    }
}
