//! Deletes old finished jobs.

use chrono::Duration;
use kit::Result;
use kit::clock::Clock;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter};

use super::State;
use super::table::job::{Column, Entity};
use crate::clearing::{self, Doubts};
use crate::{Db, db};

const KEEP: Duration = Duration::days(30);
/// Failed jobs are kept longer, so that somebody can find out what went wrong.
const KEEP_FAILED: Duration = Duration::days(90);
const ROWS: u64 = 1_000;

/// Deletes jobs that ended long ago, a thousand per transaction; returns how many.
pub async fn clear(db_: &Db, clock: &Clock, doubts: &Doubts) -> Result<u64> {
    let now = clearing::now(db_, clock).await?;
    let failed = Column::State.eq(State::Failed);
    let over = Condition::any()
        .add(Condition::all().add(failed.clone().not()).add(Column::FinishedAt.lt(now - KEEP)))
        .add(Condition::all().add(failed).add(Column::FinishedAt.lt(now - KEEP_FAILED)));
    if !doubts.allow_rows::<Entity>(db_, "finished jobs", over.clone()).await? {
        return Ok(0);
    }
    let mut gone = 0;
    loop {
        let mut oldest = Query::select();
        oldest
            .column(Column::Id)
            .from(Entity)
            .cond_where(over.clone())
            .order_by(Column::FinishedAt, Order::Asc)
            .limit(ROWS);
        let tx = db_.begin().await?;
        let old = Entity::delete_many().filter(Expr::col(Column::Id).in_subquery(oldest));
        let deleted = old.exec(&*tx).await.map_err(db)?.rows_affected;
        tx.commit().await?;
        gone += deleted;
        if deleted < ROWS {
            return Ok(gone);
        }
    }
}
