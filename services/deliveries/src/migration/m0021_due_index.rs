//! An index of open deliveries by when they are due: the end of the time window, otherwise the dispatch time.

use ::store::migrate::{drop_index, drop_unfinished};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use sea_orm_migration::prelude::*;

const NAME: &str = "delivery_by_due";

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0021_due_index"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    // Written by hand, because the schema builder has no expressions in indexes for SQLite. The expression must equal
    // the one in `store::filter`.
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        if manager.get_database_backend() == DbBackend::Postgres {
            drop_unfinished(manager, NAME).await?;
            let index = format!(
                "CREATE INDEX CONCURRENTLY IF NOT EXISTS {NAME} \
                 ON delivery (coalesce(time_window_end, scheduledatetime), id_key) WHERE deliverystatus = 'Pending'"
            );
            connection.execute_unprepared(&index).await?;
            return Ok(());
        }
        // SQLite prefers the index by status to one of Pending deliveries only.
        let index = format!(
            "CREATE INDEX IF NOT EXISTS {NAME} \
             ON delivery (deliverystatus, coalesce(time_window_end, scheduledatetime), id_key)"
        );
        connection.execute_unprepared(&index).await?;
        // Until an index is measured, SQLite assumes that it finds ten rows, and would prefer it for every filter by
        // status.
        let any = Statement::from_string(DbBackend::Sqlite, "SELECT 1 FROM delivery LIMIT 1");
        if connection.query_one_raw(any).await?.is_some() {
            connection.execute_unprepared("ANALYZE delivery").await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_index(manager, NAME).await
    }
}
