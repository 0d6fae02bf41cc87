//! Deletes the answers to batches that nobody can repeat any more.

use ::store::clearing::Doubts;
use ::store::{Db, db};
use chrono::{DateTime, Duration, Utc};
use kit::Result;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};

use crate::entity::import_batch::{Column, Entity};

/// An import that was interrupted repeats at most its last batch, once a process of uploads runs again.
const KEPT: Duration = Duration::days(30);
/// Answers per transaction. Each may have some ten thousand bytes.
const CLEARED: u64 = 200;

/// Deletes expired answers, unless there are implausibly many; returns how many.
pub async fn clear(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    if !doubts.allow_old::<Entity>(db_, Column::CreatedAt, Condition::all(), now - KEPT).await? {
        return Ok(0);
    }
    let mut gone = 0;
    loop {
        let old = Query::select()
            .columns([Column::UploadLogId, Column::Batch])
            .from(Entity)
            .cond_where(Column::CreatedAt.lt(now - KEPT))
            .limit(CLEARED)
            .to_owned();
        let keys = Expr::tuple([Expr::col(Column::UploadLogId), Expr::col(Column::Batch)]);
        let tx = db_.begin().await?;
        let deleted = Entity::delete_many().filter(keys.in_subquery(old)).exec(&*tx).await.map_err(db)?;
        tx.commit().await?;
        gone += deleted.rows_affected;
        if deleted.rows_affected < CLEARED {
            return Ok(gone);
        }
    }
}
