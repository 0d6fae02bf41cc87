use ::store::migrate::bytewise_text;
use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, binary, boolean, double_null, integer, integer_null, text, text_null,
    timestamp_with_time_zone,
};

use crate::entity::{attachment, form};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0004_proof"
    }
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
                .col(text(C::DeliveryId))
                .col(integer(C::Attempt))
                .col(bytewise_text(C::ItemKey, backend))
                .col(text_null(C::ItemNumber))
                .col(text(C::Kind))
                .col(key(C::ObjectKey.into_iden()).unique_key())
                .col(text(C::Url))
                .col(text(C::Filename))
                .col(text(C::ContentType))
                .col(big_integer(C::SizeBytes))
                .col(binary(C::Sha256))
                .col(integer_null(C::Width))
                .col(integer_null(C::Height))
                .col(timestamp_with_time_zone(C::CapturedAt))
                .col(timestamp_with_time_zone(C::ReceivedAt))
                .col(double_null(C::Lat))
                .col(double_null(C::Lng))
                .col(double_null(C::Accuracy))
                .col(text(C::CapturedBy))
                .col(text(C::Source))
                .col(boolean(C::AddedAfterCompletion))
                .col(text_null(C::Note))
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
                .col(integer(C::FormVersion))
                .col(text(C::DeliveryId))
                .col(integer(C::Attempt))
                .col(text(C::Status))
                .col(timestamp_with_time_zone(C::IssuedAt))
                .col(text(C::IssuedBy))
                .col(binary(C::Content))
                .col(binary(C::ContentHash))
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

/// Makes the database refuse to change or delete proof.
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
