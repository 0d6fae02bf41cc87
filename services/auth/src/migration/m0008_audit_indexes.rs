//! One index for each filter and sort of the audit log, which ends in the time and the key as the list does.

use ::store::migrate::{build_index, drop_index};
use sea_orm_migration::prelude::*;

use crate::entity::audit_entry::{Column as C, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0008_audit_indexes"
    }
}

const INDEXES: [(&str, C); 5] = [
    ("audit_by_actor", C::ActorKey),
    ("audit_by_action", C::Action),
    ("audit_by_entity", C::Entity),
    ("audit_by_entity_name", C::EntityNameKey),
    ("audit_by_address", C::Address),
];
/// The indexes without the key, which the new ones replace.
const REPLACED: [(&str, C); 2] = [("audit_actor", C::ActorKey), ("audit_name", C::EntityNameKey)];

fn index(name: &str, column: C) -> IndexCreateStatement {
    Index::create().name(name).table(Entity).col(column).col(C::At).to_owned()
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, column) in INDEXES {
            build_index(manager, index(name, column).col(C::Id).to_owned()).await?;
        }
        for (name, _) in REPLACED {
            drop_index(manager, name).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, column) in REPLACED {
            build_index(manager, index(name, column)).await?;
        }
        for (name, _) in INDEXES {
            drop_index(manager, name).await?;
        }
        Ok(())
    }
}
