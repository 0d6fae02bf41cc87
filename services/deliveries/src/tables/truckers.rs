//! The table of truckers' names, for lookups.

use ::store::bulk;
use ::store::filter::fold;
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::ConnectionTrait;
use sea_orm::sea_query::OnConflict;

use crate::entity::trucker::{ActiveModel, Column};

/// Inserts missing names.
pub async fn create_missing(connection: &impl ConnectionTrait, names: Vec<String>) -> Result<()> {
    let rows = names.into_iter().map(|name| ActiveModel { name_key: Set(fold(&name)), name: Set(name) });
    let keep = OnConflict::column(Column::NameKey).do_nothing().to_owned();
    bulk::upsert(connection, rows.collect(), &keep).await?;
    Ok(())
}
