//! Chains the entries of the audit log, existing ones included.
//!
//! After this migration, a program of the previous release cannot add entries: otherwise anybody could add
//! one outside of the chain. Acts that need an entry fail there until the program is replaced.
//!
//! Entries are read and hashed by the current code. Before adding a column to entries, copy their current
//! entity and hash into this file; the test of old entries fails until then.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbBackend, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set,
};
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, binary, integer};

use crate::audit::chain::{NOTHING, hash};
use crate::entity::audit_entry::{self, Column as C};
use crate::entity::audit_head;

/// Number of entries read per query.
const PAGE: u64 = 1_000;
const COLUMNS: [C; 3] = [C::Number, C::PreviousHash, C::Hash];
const INDEX: &str = "audit_number";

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0003_audit_chain"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    // Use a transaction on SQLite, too: half a migration would leave the entries open to changes.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        let backend = manager.get_database_backend();
        let columns = [
            big_integer(C::Number).default(0).to_owned(),
            binary(C::PreviousHash).default(Vec::<u8>::new()).to_owned(),
            binary(C::Hash).default(Vec::<u8>::new()).to_owned(),
        ];
        for column in columns {
            let table = Table::alter().table(audit_entry::Entity).add_column(column).to_owned();
            manager.alter_table(table).await?;
        }
        for statement in lift(backend) {
            connection.execute_unprepared(statement).await?;
        }
        let (number, hash) = chain(manager).await?;
        for statement in hold(backend) {
            connection.execute_unprepared(statement).await?;
        }
        let index = Index::create().name(INDEX).table(audit_entry::Entity).col(C::Number).unique().to_owned();
        manager.create_index(index).await?;
        let head = Table::create()
            .table(audit_head::Entity)
            .col(integer(audit_head::Column::Id).primary_key())
            .col(big_integer(audit_head::Column::Number))
            .col(binary(audit_head::Column::Hash))
            .to_owned();
        manager.create_table(head).await?;
        let head = audit_head::ActiveModel { id: Set(audit_head::ROW), number: Set(number), hash: Set(hash) };
        audit_head::Entity::insert(head).exec_without_returning(connection).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(audit_head::Entity).to_owned()).await?;
        manager.drop_index(Index::drop().name(INDEX).table(audit_entry::Entity).to_owned()).await?;
        for column in COLUMNS {
            let table = Table::alter().table(audit_entry::Entity).drop_column(column).to_owned();
            manager.alter_table(table).await?;
        }
        Ok(())
    }
}

/// Chains the existing entries in the order of their ids, which is the order of their creation; returns
/// number and hash of the last. There are few entries, because so far only acts on accounts are recorded.
async fn chain(manager: &SchemaManager<'_>) -> Result<(i64, Vec<u8>), DbErr> {
    let connection = manager.get_connection();
    let (mut number, mut last, mut after) = (0, NOTHING.to_vec(), None);
    loop {
        let mut page = audit_entry::Entity::find().order_by_asc(C::Id).limit(PAGE);
        if let Some(after) = after {
            page = page.filter(C::Id.gt(after));
        }
        let rows = page.all(connection).await?;
        if rows.is_empty() {
            return Ok((number, last));
        }
        for mut row in rows {
            number += 1;
            row.number = number;
            row.previous_hash = last;
            row.hash = hash(&row);
            last = row.hash.clone();
            after = Some(row.id);
            let row = audit_entry::ActiveModel {
                number: Set(row.number),
                previous_hash: Set(row.previous_hash),
                hash: Set(row.hash),
                id: sea_orm::Unchanged(row.id),
                ..Default::default()
            };
            row.update(connection).await?;
        }
    }
}

/// Returns statements that allow changing entries, which `m0002_administration` forbids.
fn lift(backend: DbBackend) -> &'static [&'static str] {
    match backend {
        DbBackend::Postgres => &["ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_kept"],
        _ => &["DROP TRIGGER audit_entry_not_updated"],
    }
}

/// Returns statements that forbid changing entries again. On Postgres they also drop the new columns'
/// defaults, so that older programs cannot add entries. SQLite cannot drop a default, and no older program
/// runs beside it.
fn hold(backend: DbBackend) -> &'static [&'static str] {
    match backend {
        DbBackend::Postgres => &[
            "ALTER TABLE audit_entry ENABLE TRIGGER audit_entry_kept",
            "ALTER TABLE audit_entry ALTER COLUMN number DROP DEFAULT, \
             ALTER COLUMN previous_hash DROP DEFAULT, ALTER COLUMN hash DROP DEFAULT",
        ],
        _ => &["CREATE TRIGGER audit_entry_not_updated BEFORE UPDATE ON audit_entry \
             BEGIN SELECT RAISE(ABORT, 'audit entries are never changed or deleted'); END"],
    }
}
