//! Attachments of deliveries.

use ::store::filter::fold;
use ::store::{Db, db};
use kit::Result;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::entity::attachment;
use crate::queries::MAX_CHILDREN;

/// Returns attachments of several deliveries, oldest first.
pub async fn by_deliveries(db_: &Db, ids: &[String]) -> Result<Vec<attachment::Model>> {
    use attachment::Column as C;
    attachment::Entity::find()
        .filter(C::DeliveryKey.is_in(ids.iter().map(|id| fold(id))))
        .order_by_asc(C::ReceivedAt)
        .order_by_asc(C::Id)
        .limit(MAX_CHILDREN as u64)
        .all(db_.read())
        .await
        .map_err(db)
}
