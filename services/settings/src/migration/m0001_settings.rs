use ::store::migrate::bytewise_text;
use sea_orm::{ConnectionTrait, DbBackend};
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, text, text_null, timestamp_with_time_zone, timestamp_with_time_zone_null,
};

use crate::entity::{setting, setting_history};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0001_settings"
    }
}

fn settings(backend: DbBackend) -> TableCreateStatement {
    use setting::Column as C;
    Table::create()
        .table(setting::Entity)
        .col(bytewise_text(C::Id, backend).not_null().primary_key())
        .col(text(C::Name))
        .col(bytewise_text(C::NameKey, backend).not_null())
        .col(text(C::Type))
        .col(text(C::Grouping))
        .col(bytewise_text(C::GroupingKey, backend).not_null())
        .col(text(C::Description))
        .col(text_null(C::Value))
        .col(text(C::Readers))
        .col(text(C::Editors))
        .col(timestamp_with_time_zone_null(C::UpdatedAt))
        .col(text_null(C::UpdatedBy))
        .col(bytewise_text(C::UpdatedByKey, backend))
        .col(big_integer(C::Version))
        .to_owned()
}

fn history(backend: DbBackend) -> TableCreateStatement {
    use setting_history::Column as C;
    Table::create()
        .table(setting_history::Entity)
        .col(bytewise_text(C::SettingId, backend).not_null())
        .col(big_integer(C::Version))
        .col(timestamp_with_time_zone(C::At))
        .col(text(C::Actor))
        .col(text(C::Before))
        .col(text(C::After))
        .primary_key(Index::create().col(C::SettingId).col(C::Version))
        .to_owned()
}

/// Makes the database refuse to change or delete recorded changes.
fn append_only(backend: DbBackend) -> &'static [&'static str] {
    match backend {
        DbBackend::Postgres => &[
            "CREATE FUNCTION record_is_kept() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'what was recorded is never changed or deleted'; END $$",
            "CREATE TRIGGER setting_history_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON setting_history \
             FOR EACH STATEMENT EXECUTE FUNCTION record_is_kept()",
        ],
        _ => &[
            "CREATE TRIGGER setting_history_not_updated BEFORE UPDATE ON setting_history \
             BEGIN SELECT RAISE(ABORT, 'what was recorded is never changed or deleted'); END",
            "CREATE TRIGGER setting_history_not_deleted BEFORE DELETE ON setting_history \
             BEGIN SELECT RAISE(ABORT, 'what was recorded is never changed or deleted'); END",
        ],
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        manager.create_table(settings(backend)).await?;
        manager.create_table(history(backend)).await?;
        for statement in append_only(backend) {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Dropping the table also drops its triggers.
        manager.drop_table(Table::drop().table(setting_history::Entity).to_owned()).await?;
        if manager.get_database_backend() == DbBackend::Postgres {
            manager.get_connection().execute_unprepared("DROP FUNCTION record_is_kept()").await?;
        }
        manager.drop_table(Table::drop().table(setting::Entity).to_owned()).await
    }
}
