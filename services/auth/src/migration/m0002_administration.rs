use ::store::filter::fold;
use ::store::migrate::bytewise_text;
use kit::Role;
use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{binary, integer, text, timestamp_with_time_zone, uuid};

use crate::domain::role_list;
use crate::entity::{audit_entry, reset_token, sign_in_address, throttle, user, user_role};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0002_administration"
    }
}

/// Returns a foreign key that deletes rows of `table` with their account.
fn of_user(name: &str, table: impl IntoTableRef, column: impl IntoIden) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .name(name)
        .from(table, column)
        .to(user::Entity, user::Column::Id)
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}

const USER_COLUMNS: [user::Column; 7] = [
    user::Column::DisplayName,
    user::Column::DisplayNameKey,
    user::Column::EmailKey,
    user::Column::RoleList,
    user::Column::DriverId,
    user::Column::DriverIdKey,
    user::Column::DriverVersion,
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    #[allow(clippy::too_many_lines)] // released, so never edited again
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let key = |column: DynIden| bytewise_text(column, backend).not_null().to_owned();
        {
            use user::Column as C;
            let empty_key = |column: DynIden| key(column).default("").to_owned();
            let columns = [
                text(C::DisplayName).default("").to_owned(),
                empty_key(C::DisplayNameKey.into_iden()),
                empty_key(C::EmailKey.into_iden()),
                empty_key(C::RoleList.into_iden()),
                ColumnDef::new(C::DriverId).text().to_owned(),
                bytewise_text(C::DriverIdKey, backend),
                ColumnDef::new(C::DriverVersion).big_integer().not_null().default(0).to_owned(),
            ];
            // SQLite supports one change per ALTER TABLE.
            for column in columns {
                manager.alter_table(Table::alter().table(user::Entity).add_column(column).to_owned()).await?;
            }
            let index = Index::create()
                .name("user_driver")
                .table(user::Entity)
                .col(C::DriverIdKey)
                .unique()
                .to_owned();
            manager.create_index(index).await?;
            fill(manager).await?;
        }
        {
            use reset_token::Column as C;
            let table = Table::create()
                .table(reset_token::Entity)
                .col(uuid(C::UserId).primary_key())
                .col(binary(C::TokenHash).unique_key())
                .col(timestamp_with_time_zone(C::CreatedAt))
                .col(timestamp_with_time_zone(C::ExpiresAt))
                .foreign_key(&mut of_user("reset_token_user", reset_token::Entity, C::UserId))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use throttle::Column as C;
            let table = Table::create()
                .table(throttle::Entity)
                .col(binary(C::Key).primary_key())
                .col(integer(C::Count))
                .col(timestamp_with_time_zone(C::OpenAt))
                .col(timestamp_with_time_zone(C::ExpiresAt))
                .to_owned();
            manager.create_table(table).await?;
            let index =
                Index::create().name("throttle_expiry").table(throttle::Entity).col(C::ExpiresAt).to_owned();
            manager.create_index(index).await?;
        }
        {
            use sign_in_address::Column as C;
            let table = Table::create()
                .table(sign_in_address::Entity)
                .col(uuid(C::UserId))
                .col(text(C::Address))
                .col(timestamp_with_time_zone(C::LastUsedAt))
                .primary_key(Index::create().col(C::UserId).col(C::Address))
                .foreign_key(&mut of_user("sign_in_address_user", sign_in_address::Entity, C::UserId))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use audit_entry::Column as C;
            let table = Table::create()
                .table(audit_entry::Entity)
                .col(uuid(C::Id).primary_key())
                .col(timestamp_with_time_zone(C::At))
                .col(text(C::Actor))
                .col(key(C::ActorKey.into_iden()))
                .col(key(C::Address.into_iden()))
                .col(key(C::Action.into_iden()))
                .col(key(C::Entity.into_iden()))
                .col(text(C::EntityId))
                .col(text(C::EntityName))
                .col(key(C::EntityNameKey.into_iden()))
                .col(text(C::BeforeJson))
                .col(text(C::AfterJson))
                .col(text(C::RequestId))
                .to_owned();
            manager.create_table(table).await?;
            for (name, columns) in [
                ("audit_time", [C::At, C::Id]),
                ("audit_actor", [C::ActorKey, C::At]),
                ("audit_name", [C::EntityNameKey, C::At]),
            ] {
                let index = Index::create()
                    .name(name)
                    .table(audit_entry::Entity)
                    .col(columns[0])
                    .col(columns[1])
                    .to_owned();
                manager.create_index(index).await?;
            }
            let connection = manager.get_connection();
            for statement in append_only(backend) {
                connection.execute_unprepared(statement).await?;
            }
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(audit_entry::Entity).to_owned()).await?;
        if manager.get_database_backend() == DbBackend::Postgres {
            manager.get_connection().execute_unprepared("DROP FUNCTION audit_entry_is_kept()").await?;
        }
        manager.drop_table(Table::drop().table(sign_in_address::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(throttle::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(reset_token::Entity).to_owned()).await?;
        manager.drop_index(Index::drop().name("user_driver").table(user::Entity).to_owned()).await?;
        for column in USER_COLUMNS {
            manager.alter_table(Table::alter().table(user::Entity).drop_column(column).to_owned()).await?;
        }
        Ok(())
    }
}

/// Fills the new columns of existing accounts. So far there is at most one, the first admin's.
async fn fill(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    use user::Column as C;
    let connection = manager.get_connection();
    let made = Query::select().columns([C::Id, C::Email]).from(user::Entity).to_owned();
    for row in connection.query_all(&made).await? {
        let (id, email): (uuid::Uuid, String) = (row.try_get("", "id")?, row.try_get("", "email")?);
        let roles = Query::select()
            .column(user_role::Column::Role)
            .from(user_role::Entity)
            .and_where(Expr::col(user_role::Column::UserId).eq(id))
            .to_owned();
        let roles = connection.query_all(&roles).await?;
        let roles = roles.iter().map(|row| row.try_get("", "role")).collect::<Result<Vec<String>, _>>()?;
        let roles: Vec<Role> = roles.iter().filter_map(|role| role.parse().ok()).collect();
        let role_list = role_list(&roles);
        let update = Query::update()
            .table(user::Entity)
            .values([(C::EmailKey, fold(&email).into()), (C::RoleList, role_list.into())])
            .and_where(Expr::col(C::Id).eq(id))
            .to_owned();
        manager.execute(update).await?;
    }
    Ok(())
}

/// Makes the database refuse to change or delete entries of the audit log.
fn append_only(backend: DbBackend) -> &'static [&'static str] {
    match backend {
        DbBackend::Postgres => &[
            "CREATE FUNCTION audit_entry_is_kept() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'audit entries are never changed or deleted'; END $$",
            "CREATE TRIGGER audit_entry_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry \
             FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_is_kept()",
        ],
        _ => &[
            "CREATE TRIGGER audit_entry_not_updated BEFORE UPDATE ON audit_entry \
             BEGIN SELECT RAISE(ABORT, 'audit entries are never changed or deleted'); END",
            "CREATE TRIGGER audit_entry_not_deleted BEFORE DELETE ON audit_entry \
             BEGIN SELECT RAISE(ABORT, 'audit entries are never changed or deleted'); END",
        ],
    }
}
