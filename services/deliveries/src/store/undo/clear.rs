//! Retention: what was there before an import, and removed deliveries, are kept for thirty days.

use chrono::{DateTime, Duration, Utc};
use kit::Result;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};

use crate::entity::{import_change, removed_delivery};
use ::store::{Db, db};

/// An administrator may undo later than that, but only what needs no previous values.
const KEPT: Duration = Duration::days(30);
const AT_ONCE: u64 = 1_000;

/// Clears what is older; returns of how many deliveries.
pub async fn clear(db_: &Db, now: DateTime<Utc>) -> Result<u64> {
    let mut cleared = 0;
    loop {
        let some = notes(db_, now - KEPT).await? + removed(db_, now - KEPT).await?;
        cleared += some;
        if some == 0 {
            return Ok(cleared);
        }
    }
}

async fn notes(db_: &Db, before: DateTime<Utc>) -> Result<u64> {
    use import_change::{Column as C, Entity};
    let old = Query::select()
        .columns([C::UploadLogId, C::DeliveryKey])
        .from(Entity)
        .cond_where(Condition::all().add(C::Image.is_not_null()).add(C::ChangedAt.lt(before)))
        .limit(AT_ONCE)
        .to_owned();
    let keys = Expr::tuple([Expr::col(C::UploadLogId), Expr::col(C::DeliveryKey)]);
    let tx = db_.begin().await?;
    let done = Entity::update_many()
        .col_expr(C::Image, Expr::value(None::<String>))
        .filter(keys.in_subquery(old))
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await?;
    Ok(done.rows_affected)
}

async fn removed(db_: &Db, before: DateTime<Utc>) -> Result<u64> {
    use removed_delivery::{Column as C, Entity};
    let old = Query::select()
        .column(C::DeliveryKey)
        .from(Entity)
        .cond_where(Condition::all().add(C::Image.is_not_null()).add(C::RemovedAt.lt(before)))
        .limit(AT_ONCE)
        .to_owned();
    let tx = db_.begin().await?;
    let done = Entity::update_many()
        .col_expr(C::Image, Expr::value(None::<String>))
        .filter(Expr::col(C::DeliveryKey).in_subquery(old))
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await?;
    Ok(done.rows_affected)
}
