//! Building blocks for migrations: this crate's tables, and features that the portable schema builder lacks.
//! The module `upgrade` runs migrations.

mod m0002_failed_events;
mod m0004_event_sequence;
mod m0005_event_indexes;

use sea_orm::{ConnectionTrait, DbBackend, Statement};
use sea_orm_migration::prelude::*;

pub use crate::upgrade::{Migrations, clear_copies, compatible_from, require_current, up, up_together};

/// Returns the migrations for this crate's tables; each service puts them first in its own list.
pub fn migrations() -> Vec<Box<dyn MigrationTrait>> {
    vec![
        Box::new(Events),
        Box::new(m0002_failed_events::Migration),
        Box::new(crate::upgrade::compatibility::Table),
        Box::new(m0004_event_sequence::Migration),
        Box::new(m0005_event_indexes::Migration),
    ]
}

struct Events;

impl MigrationName for Events {
    fn name(&self) -> &str {
        "m0001_events"
    }
}

/// Returns a text column that sorts and compares by bytes on both databases, as folded columns must.
pub fn bytewise_text(column: impl IntoIden, backend: DbBackend) -> ColumnDef {
    let mut definition = ColumnDef::new(column);
    match backend {
        DbBackend::Postgres => definition.custom(Alias::new("text COLLATE \"C\"")),
        _ => definition.text(),
    };
    definition
}

/// Enables trigram indexes on Postgres. The database owner may enable them, provided that the extension is
/// installed.
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

/// Builds an index, on Postgres concurrently, which requires a migration without a transaction.
pub async fn build_index(manager: &SchemaManager<'_>, mut index: IndexCreateStatement) -> Result<(), DbErr> {
    if manager.get_database_backend() == DbBackend::Postgres {
        if let Some(name) = index.get_index_spec().get_name() {
            drop_unfinished(manager, name).await?;
        }
        index.concurrently();
    }
    manager.create_index(index.if_not_exists().take()).await
}

/// Drops an index if it exists.
pub async fn drop_index(manager: &SchemaManager<'_>, name: &str) -> Result<(), DbErr> {
    manager.drop_index(Index::drop().name(name).if_exists().to_owned()).await
}

/// Drops the invalid index that an interrupted concurrent build leaves under its name. Postgres only.
pub async fn drop_unfinished(manager: &SchemaManager<'_>, name: &str) -> Result<(), DbErr> {
    let broken = Statement::from_sql_and_values(
        DbBackend::Postgres,
        "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid",
        [name.into()],
    );
    if manager.get_connection().query_one_raw(broken).await?.is_some() {
        drop_index(manager, name).await?;
    }
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
