//! Which programs can work with the tables of a later release.
//!
//! Nearly every migration only adds, and programs that do not know it go on working. One that takes
//! something away says, in the database, which earlier migration a program must know to bear that.

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
        /// The migration that took something away.
        #[sea_orm(primary_key, auto_increment = false)]
        pub migration: String,
        /// What a program must know since.
        pub compatible_from: String,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use row::{Column, Entity};

/// To be called by a migration that takes something away: only programs that know the migration
/// `compatible_from` work with the tables afterwards. `down` passes nothing, and takes the demand back.
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

/// The migrations that a program must know.
pub(super) async fn required<C: ConnectionTrait>(connection: &C) -> Result<Vec<String>> {
    // Not there before the release that brought this table.
    if !SqlTable("schema_compatibility".to_owned()).exists(connection).await? {
        return Ok(Vec::new());
    }
    let rows = Entity::find().all(connection).await.map_err(db)?;
    Ok(rows.into_iter().map(|row| row.compatible_from).collect())
}

/// Where the demands are kept.
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
