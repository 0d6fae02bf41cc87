//! Variances of deliveries.

use ::store::filter::fold;
use ::store::{Db, db};
use kit::Result;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::entity::variance::{Column, Entity, Model};
use crate::queries::{MAX_CHILDREN, require_all};
use crate::tables::variances::sort;

/// Returns the variances of several deliveries, in the order of attempts and items.
pub async fn by_deliveries(db_: &Db, ids: &[String]) -> Result<Vec<Model>> {
    let keys = ids.iter().map(|id| fold(id));
    let some = Entity::find().filter(Column::DeliveryKey.is_in(keys)).limit(MAX_CHILDREN as u64 + 1);
    let mut rows = some.all(db_.read()).await.map_err(db)?;
    require_all(&rows, "variances")?;
    sort(&mut rows);
    Ok(rows)
}
