//! The table of truckers' names, for lookups.

use ::store::db;
use ::store::filter::fold;
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ConnectionTrait, EntityTrait};

use crate::entity::trucker::{ActiveModel, Column, Entity};

/// Inserts missing names.
pub async fn create_missing(connection: &impl ConnectionTrait, names: Vec<String>) -> Result<()> {
    let rows = names.into_iter().map(|name| ActiveModel { name_key: Set(fold(&name)), name: Set(name) });
    Entity::insert_many(rows)
        .on_conflict(OnConflict::column(Column::NameKey).do_nothing().to_owned())
        .exec_without_returning(connection)
        .await
        .map_err(db)?;
    Ok(())
}
