//! Decides which programs can work with the tables of a later release.
//!
//! Nearly every migration only adds, and older programs keep working. A migration that removes something
//! records in the database which earlier migration a program must know to work without the removed part.

use async_trait::async_trait;
use kit::Result;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ConnectionTrait, EntityTrait};
use sea_orm_migration::prelude::{
    ColumnDef, DbErr, MigrationName, MigrationTrait, OnConflict, Query, SchemaManager, Table as SqlStatement,
};

use super::SqlTable;
use crate::db;

mod row {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "schema_compatibility")]
    pub struct Model {
        /// The migration that removed something.
        #[sea_orm(primary_key, auto_increment = false)]
        pub migration: String,
        /// The earlier migration that a program must know from then on.
        pub compatible_from: String,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use row::{Column, Entity};

/// Records that from now on only programs that know the migration `compatible_from` can work with the tables.
/// Migrations that remove something call this; their `down` passes `None` to withdraw the requirement.
pub async fn compatible_from(
    manager: &SchemaManager<'_>,
    migration: &str,
    compatible_from: Option<&str>,
) -> Result<(), DbErr> {
    let Some(from) = compatible_from else {
        let delete = Query::delete()
            .from_table(Entity)
            .and_where(Expr::col(Column::Migration).eq(migration))
            .to_owned();
        return manager.execute(delete).await;
    };
    let mut insert = Query::insert();
    insert
        .into_table(Entity)
        .columns([Column::Migration, Column::CompatibleFrom])
        .values([migration.into(), from.into()])
        .map_err(|error| DbErr::Custom(error.to_string()))?
        .on_conflict(OnConflict::column(Column::Migration).update_column(Column::CompatibleFrom).to_owned());
    manager.execute(insert).await
}

/// Returns the migrations that a program must know.
pub(super) async fn required<C: ConnectionTrait>(connection: &C) -> Result<Vec<String>> {
    // Databases of older releases do not have this table.
    if !SqlTable("schema_compatibility".to_owned()).exists(connection).await? {
        return Ok(Vec::new());
    }
    let rows = Entity::find().all(connection).await.map_err(db)?;
    Ok(rows.into_iter().map(|row| row.compatible_from).collect())
}

/// The migration that creates the table of requirements.
pub struct Table;

impl MigrationName for Table {
    fn name(&self) -> &str {
        "m0003_schema_compatibility"
    }
}

#[async_trait]
impl MigrationTrait for Table {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = SqlStatement::create()
            .table(Entity)
            .col(ColumnDef::new(Column::Migration).string().not_null().primary_key())
            .col(ColumnDef::new(Column::CompatibleFrom).string().not_null())
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(SqlStatement::drop().table(Entity).to_owned()).await
    }
}
