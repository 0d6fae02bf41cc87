//! Folds names by NFKC, and stores the form of each account's name that reveals easily confused names.

use ::store::migrate::bytewise_text;
use ::store::refold::{Keys, refold};
use sea_orm::ConnectionTrait;
use sea_orm_migration::prelude::*;
use uuid::Uuid;

use crate::entity::user::{Column as C, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0004_names"
    }
}

/// The folded columns. The audit log is not among them, because its entries must stay unchanged.
const KEYS: &[Keys] = &[
    Keys::identity("users", "username_key", "username"),
    Keys::identity("users", "driver_id_key", "driver_id"),
    Keys::shared("users", "display_name_key"),
    Keys::shared("users", "email_key"),
];
const INDEX: &str = "user_look";
/// Number of accounts read per query.
const PAGE: u64 = 1_000;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        refold(manager, KEYS).await?;
        let look =
            bytewise_text(C::UsernameLook, manager.get_database_backend()).not_null().default("").take();
        manager.alter_table(Table::alter().table(Entity).add_column(look).to_owned()).await?;
        fill(manager.get_connection()).await?;
        let index = Index::create().name(INDEX).table(Entity).col(C::UsernameLook).to_owned();
        manager.create_index(index).await
    }

    /// Keeps the new keys: the old ones are not stored, and most are equal.
    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(Index::drop().name(INDEX).table(Entity).to_owned()).await?;
        manager.alter_table(Table::alter().table(Entity).drop_column(C::UsernameLook).to_owned()).await
    }
}

async fn fill(connection: &impl ConnectionTrait) -> Result<(), DbErr> {
    let mut after = String::new();
    loop {
        let page = Query::select()
            .columns([C::Id, C::UsernameKey])
            .from(Entity)
            .and_where(Expr::col(C::UsernameKey).gt(after.as_str()))
            .order_by(C::UsernameKey, Order::Asc)
            .limit(PAGE)
            .to_owned();
        let rows = connection.query_all(&page).await?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in rows {
            let id: Uuid = row.try_get("", "id")?;
            after = row.try_get("", "username_key")?;
            let look = Query::update()
                .table(Entity)
                .value(C::UsernameLook, kit::username::look(&after))
                .and_where(Expr::col(C::Id).eq(id))
                .to_owned();
            connection.execute(&look).await?;
        }
    }
}
