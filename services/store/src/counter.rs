//! Stored numbers: one row for each, updated in the same transaction as the rows that the number counts or
//! orders.
//!
//! Some are row counts of tables, because counting without filters would read every row each time. Others are
//! sequences that order transactions, or the seconds for which deletions were held back (`clearing`).

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

/// Adds to a count. Call it last in a transaction, because all writers lock this one row until they commit.
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

/// Returns the next number of a sequence, from 1. Waits until the transaction that took the previous number
/// has ended, so the order of the numbers is the order of commits. Call it last in a transaction, because
/// other transactions wait for its end.
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

/// Raises a stored number to at least `to`.
pub(crate) async fn raise<C: ConnectionTrait>(connection: &C, name: &str, to: u64) -> Result<()> {
    let to = i64::try_from(to).unwrap_or(i64::MAX);
    let row = row_count::ActiveModel { name: Set(name.to_owned()), rows: Set(to) };
    row_count::Entity::insert(row)
        .on_conflict(
            OnConflict::column(row_count::Column::Name)
                .update_column(row_count::Column::Rows)
                .action_and_where(Expr::col((row_count::Entity, row_count::Column::Rows)).lt(to))
                .to_owned(),
        )
        .exec_without_returning(connection)
        .await
        .map_err(db)?;
    Ok(())
}

/// Deletes a stored number, which is 0 from then on.
pub(crate) async fn remove<C: ConnectionTrait>(connection: &C, name: &str) -> Result<()> {
    row_count::Entity::delete_by_id(name.to_owned()).exec(connection).await.map_err(db)?;
    Ok(())
}

/// Returns the current count.
pub async fn get<C: ConnectionTrait>(connection: &C, name: &str) -> Result<u64> {
    let row = row_count::Entity::find_by_id(name.to_owned()).one(connection).await.map_err(db)?;
    Ok(row.map_or(0, |row| u64::try_from(row.rows).unwrap_or(0)))
}
