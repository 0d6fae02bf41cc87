//! Numbers that are kept, not computed: a row each, changed with what they count.
//!
//! Counts of tables, because where no filter is set an exact count would read every row each time; and
//! numbers that order transactions.

use kit::Result;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveValue::Set, ConnectionTrait};

use crate::db;

pub mod row_count {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "row_count")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub name: String,
        pub rows: i64,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

/// Adds to a count. Call it last in a transaction: the row is shared by all writers.
pub async fn add<C: ConnectionTrait>(connection: &C, name: &str, by: i64) -> Result<()> {
    if by == 0 {
        return Ok(());
    }
    let row = row_count::ActiveModel { name: Set(name.to_owned()), rows: Set(by) };
    row_count::Entity::insert(row)
        .on_conflict(
            OnConflict::column(row_count::Column::Name)
                .value(
                    row_count::Column::Rows,
                    Expr::col((row_count::Entity, row_count::Column::Rows)).add(by),
                )
                .to_owned(),
        )
        .exec_without_returning(connection)
        .await
        .map_err(db)?;
    Ok(())
}

/// The next number of a sequence, from 1. Whoever took the one before has committed or rolled back, so the
/// numbers are in the order of the commits. Call it last in a transaction: others wait for its end.
pub async fn next<C: ConnectionTrait>(connection: &C, name: &str) -> Result<i64> {
    let row = row_count::ActiveModel { name: Set(name.to_owned()), rows: Set(1) };
    let row = row_count::Entity::insert(row)
        .on_conflict(
            OnConflict::column(row_count::Column::Name)
                .value(
                    row_count::Column::Rows,
                    Expr::col((row_count::Entity, row_count::Column::Rows)).add(1),
                )
                .to_owned(),
        )
        .exec_with_returning(connection)
        .await
        .map_err(db)?;
    Ok(row.rows)
}

/// The count as it stands.
pub async fn get<C: ConnectionTrait>(connection: &C, name: &str) -> Result<u64> {
    let row = row_count::Entity::find_by_id(name.to_owned()).one(connection).await.map_err(db)?;
    Ok(row.map_or(0, |row| u64::try_from(row.rows).unwrap_or(0)))
}
