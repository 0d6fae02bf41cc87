//! Truckers, by the beginning of their name.

use ::store::filter::{fold, starts_with};
use ::store::page::Window;
use ::store::{Db, db};
use kit::Result;
use sea_orm::sea_query::Expr;
use sea_orm::{EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::entity::trucker::{Column, Entity};

/// Returns names by prefix, ignoring case, in order.
pub async fn by_prefix(db_: &Db, prefix: &str, window: Window) -> Result<Vec<String>> {
    Entity::find()
        .select_only()
        .column(Column::Name)
        .filter(starts_with(Expr::col(Column::NameKey), &fold(prefix)))
        .order_by_asc(Column::NameKey)
        .limit(window.limit)
        .offset(window.offset)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)
}
