//! Retention: previous values of imports, and removed deliveries, are kept for thirty days.

use chrono::{DateTime, Duration, Utc};
use kit::Result;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};

use crate::entity::{import_change, removed_delivery};
use ::store::clearing::Doubts;
use ::store::{Db, db};

/// How long previous values are kept. An administrator may undo an import later, but only the deliveries that
/// it created.
const KEPT: Duration = Duration::days(30);
const AT_ONCE: u64 = 1_000;

/// Clears records older than `KEPT`, unless there are implausibly many: cleared values cannot be recovered.
/// Returns the number of deliveries.
pub async fn clear(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    Ok(notes(db_, now - KEPT, doubts).await? + removed(db_, now - KEPT, doubts).await?)
}

async fn notes(db_: &Db, before: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    use import_change::{Column as C, Entity};
    let with_image = Condition::all().add(C::Image.is_not_null());
    if !doubts.allow_old::<Entity>(db_, C::ChangedAt, with_image.clone(), before).await? {
        return Ok(0);
    }
    let mut cleared = 0;
    loop {
        let old = Query::select()
            .columns([C::UploadLogId, C::DeliveryKey])
            .from(Entity)
            .cond_where(with_image.clone().add(C::ChangedAt.lt(before)))
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
        cleared += done.rows_affected;
        if done.rows_affected < AT_ONCE {
            return Ok(cleared);
        }
    }
}

async fn removed(db_: &Db, before: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    use removed_delivery::{Column as C, Entity};
    let with_image = Condition::all().add(C::Image.is_not_null());
    if !doubts.allow_old::<Entity>(db_, C::RemovedAt, with_image.clone(), before).await? {
        return Ok(0);
    }
    let mut cleared = 0;
    loop {
        let old = Query::select()
            .column(C::DeliveryKey)
            .from(Entity)
            .cond_where(with_image.clone().add(C::RemovedAt.lt(before)))
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
        cleared += done.rows_affected;
        if done.rows_affected < AT_ONCE {
            return Ok(cleared);
        }
    }
}
