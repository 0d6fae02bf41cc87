use ::store::migrate::bytewise_text;
use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

use crate::entity::{attachment, form};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0004_proof"
    }
}

fn text(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).text().to_owned()
}

fn required(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).text().not_null().to_owned()
}

fn instant(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).timestamp_with_time_zone().not_null().to_owned()
}

fn number(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).integer().not_null().to_owned()
}

fn bytes(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).binary().not_null().to_owned()
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let key = |column: DynIden| bytewise_text(column, backend).not_null().to_owned();
        {
            use attachment::Column as C;
            let table = Table::create()
                .table(attachment::Entity)
                .col(ColumnDef::new(C::Id).uuid().not_null().primary_key())
                .col(key(C::DeliveryKey.into_iden()))
                .col(required(C::DeliveryId))
                .col(number(C::Attempt))
                .col(bytewise_text(C::ItemKey, backend))
                .col(text(C::ItemNumber))
                .col(required(C::Kind))
                .col(key(C::ObjectKey.into_iden()).unique_key())
                .col(required(C::Url))
                .col(required(C::Filename))
                .col(required(C::ContentType))
                .col(ColumnDef::new(C::SizeBytes).big_integer().not_null())
                .col(bytes(C::Sha256))
                .col(ColumnDef::new(C::Width).integer())
                .col(ColumnDef::new(C::Height).integer())
                .col(instant(C::CapturedAt))
                .col(instant(C::ReceivedAt))
                .col(ColumnDef::new(C::Lat).double())
                .col(ColumnDef::new(C::Lng).double())
                .col(ColumnDef::new(C::Accuracy).double())
                .col(required(C::CapturedBy))
                .col(required(C::Source))
                .col(ColumnDef::new(C::AddedAfterCompletion).boolean().not_null())
                .col(text(C::Note))
                .to_owned();
            manager.create_table(table).await?;
            let index = Index::create()
                .name("attachment_by_delivery")
                .table(attachment::Entity)
                .col(C::DeliveryKey)
                .col(C::Attempt)
                .to_owned();
            manager.create_index(index).await?;
        }
        {
            use form::Column as C;
            let table = Table::create()
                .table(form::Entity)
                .col(key(C::DeliveryKey.into_iden()))
                .col(number(C::FormVersion))
                .col(required(C::DeliveryId))
                .col(number(C::Attempt))
                .col(required(C::Status))
                .col(instant(C::IssuedAt))
                .col(required(C::IssuedBy))
                .col(bytes(C::Content))
                .col(bytes(C::ContentHash))
                .primary_key(Index::create().col(C::DeliveryKey).col(C::FormVersion))
                .to_owned();
            manager.create_table(table).await?;
        }
        let connection = manager.get_connection();
        for statement in append_only(backend) {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(form::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(attachment::Entity).to_owned()).await?;
        if manager.get_database_backend() == DbBackend::Postgres {
            manager.get_connection().execute_unprepared("DROP FUNCTION proof_is_kept()").await?;
        }
        Ok(())
    }
}

/// What makes the database itself refuse to change or delete what proves an outcome.
fn append_only(backend: DbBackend) -> &'static [&'static str] {
    match backend {
        DbBackend::Postgres => &[
            "CREATE FUNCTION proof_is_kept() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'proof is never changed or deleted'; END $$",
            "CREATE TRIGGER attachment_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON attachment \
             FOR EACH STATEMENT EXECUTE FUNCTION proof_is_kept()",
            "CREATE TRIGGER form_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON form \
             FOR EACH STATEMENT EXECUTE FUNCTION proof_is_kept()",
        ],
        _ => &[
            "CREATE TRIGGER attachment_not_updated BEFORE UPDATE ON attachment \
             BEGIN SELECT RAISE(ABORT, 'proof is never changed or deleted'); END",
            "CREATE TRIGGER attachment_not_deleted BEFORE DELETE ON attachment \
             BEGIN SELECT RAISE(ABORT, 'proof is never changed or deleted'); END",
            "CREATE TRIGGER form_not_updated BEFORE UPDATE ON form \
             BEGIN SELECT RAISE(ABORT, 'proof is never changed or deleted'); END",
            "CREATE TRIGGER form_not_deleted BEFORE DELETE ON form \
             BEGIN SELECT RAISE(ABORT, 'proof is never changed or deleted'); END",
        ],
    }
}
