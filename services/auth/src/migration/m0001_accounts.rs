use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, binary, text, timestamp_with_time_zone, timestamp_with_time_zone_null, uuid,
};

use crate::entity::secret::Hidden;
use crate::entity::{session, setup, signing_key, user, user_role};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0001_accounts"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    #[allow(clippy::too_many_lines)] // released, so never edited again
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        {
            use user::Column as C;
            let table = Table::create()
                .table(user::Entity)
                .col(uuid(C::Id).primary_key())
                .col(text(C::Username))
                .col(bytewise_text(C::UsernameKey, backend).not_null().unique_key())
                .col(text(C::Email))
                .col(text(C::PasswordHash))
                .col(text(C::Status))
                .col(timestamp_with_time_zone(C::CreatedAt))
                .col(text(C::CreatedBy))
                .col(timestamp_with_time_zone(C::UpdatedAt))
                .col(text(C::UpdatedBy))
                .col(big_integer(C::Version))
                .col(timestamp_with_time_zone_null(C::LastLoginAt))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use user_role::Column as C;
            let table = Table::create()
                .table(user_role::Entity)
                .col(uuid(C::UserId))
                .col(text(C::Role))
                .primary_key(Index::create().col(C::UserId).col(C::Role))
                .foreign_key(
                    ForeignKey::create()
                        .name("user_role_user")
                        .from(user_role::Entity, C::UserId)
                        .to(user::Entity, user::Column::Id)
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use session::Column as C;
            let table = Table::create()
                .table(session::Entity)
                .col(uuid(C::Id).primary_key())
                .col(binary(C::SecretHash).unique_key())
                .col(uuid(C::UserId))
                .col(timestamp_with_time_zone(C::CreatedAt))
                .col(timestamp_with_time_zone(C::LastUsedAt))
                .col(timestamp_with_time_zone(C::ExpiresAt))
                .col(text(C::Address))
                .col(text(C::UserAgent))
                .foreign_key(
                    ForeignKey::create()
                        .name("session_user")
                        .from(session::Entity, C::UserId)
                        .to(user::Entity, user::Column::Id)
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned();
            manager.create_table(table).await?;
            for (name, column) in [("session_of_user", C::UserId), ("session_expiry", C::ExpiresAt)] {
                let index = Index::create().name(name).table(session::Entity).col(column).to_owned();
                manager.create_index(index).await?;
            }
        }
        {
            use signing_key::Column as C;
            let table = Table::create()
                .table(signing_key::Entity)
                .col(text(C::Id).primary_key())
                .col(binary(C::Pkcs8))
                .col(binary(C::PublicKey))
                .col(timestamp_with_time_zone(C::CreatedAt))
                .col(timestamp_with_time_zone_null(C::RetireAt))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use setup::Column as C;
            let table = Table::create()
                .table(setup::Entity)
                .col(ColumnDef::new(C::Id).integer().not_null().primary_key())
                .col(binary(C::Salt))
                .col(timestamp_with_time_zone_null(C::DoneAt))
                .to_owned();
            manager.create_table(table).await?;
            let salt = crate::random::bytes::<32>().map_err(|error| DbErr::Custom(format!("{error:#}")))?;
            let row = Query::insert()
                .into_table(setup::Entity)
                .columns([C::Id, C::Salt])
                .values_panic([setup::ROW.into(), Hidden(salt.to_vec()).into()])
                .to_owned();
            manager.execute(row).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(setup::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(signing_key::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(session::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(user_role::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(user::Entity).to_owned()).await
    }
}
