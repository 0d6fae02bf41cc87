//! Hauliers: a table of their names, for the drill-down.

use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::entity::trucker::{ActiveModel, Column, Entity};
use ::store::filter::{fold, starts_with};
use ::store::{Db, db};

/// Makes the names known that are not yet.
pub async fn create_missing(connection: &impl ConnectionTrait, names: Vec<String>) -> Result<()> {
    let rows = names.into_iter().map(|name| ActiveModel { name_key: Set(fold(&name)), name: Set(name) });
    Entity::insert_many(rows)
        .on_conflict(OnConflict::column(Column::NameKey).do_nothing().to_owned())
        .exec_without_returning(connection)
        .await
        .map_err(db)?;
    Ok(())
}

/// Names by prefix, ignoring case, in order.
pub async fn by_prefix(db_: &Db, prefix: &str, limit: u64) -> Result<Vec<String>> {
    Entity::find()
        .select_only()
        .column(Column::Name)
        .filter(starts_with(Expr::col(Column::NameKey), &fold(prefix)))
        .order_by_asc(Column::NameKey)
        .limit(limit)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)
}
