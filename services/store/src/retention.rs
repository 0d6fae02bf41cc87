//! Deletes events that nobody can ask for any more.
//!
//! A few thousand rows at a time, by an index and by the database's clock: however many have gathered, each
//! statement is short, and nobody who writes waits for long.

use chrono::{DateTime, Duration, Utc};
use kit::Result;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{EntityTrait, Order, QueryFilter};

use crate::outbox::outbox_event::{Column, Entity};
use crate::{Db, db, dead_letters, inbox};

const ROWS: u64 = 1_000;
/// A minute later the rest is looked at.
const BATCHES: u32 = 20;
/// For a look at what was sent.
const KEEP_PUBLISHED: Duration = Duration::hours(24);
/// Where the bus can lose events: as long as its streams keep them.
const KEEP_LOSABLE: Duration = Duration::days(7);
/// Longer than any stream or outbox keeps an event that was published: what comes again is known.
const KEEP_HANDLED: Duration = Duration::days(9);

/// Clears outbox and inbox; returns how many rows are gone.
pub async fn clear(db_: &Db, losable: bool) -> Result<u64> {
    let now = db_.now().await?;
    let published = now - if losable { KEEP_LOSABLE } else { KEEP_PUBLISHED };
    let handled = now - KEEP_HANDLED;
    let mut gone = 0;
    for _ in 0..BATCHES {
        let (sent, seen) = (prune(db_, published).await?, inbox::prune(&db_.writer, handled, ROWS).await?);
        gone += sent + seen;
        if sent < ROWS && seen < ROWS {
            break;
        }
    }
    dead_letters::forget_attempts(db_, handled).await?;
    Ok(gone)
}

async fn prune(db_: &Db, before: DateTime<Utc>) -> Result<u64> {
    let mut oldest = Query::select();
    oldest
        .column(Column::Id)
        .from(Entity)
        .and_where(Expr::col(Column::PublishedAt).lt(before))
        .order_by(Column::PublishedAt, Order::Asc)
        .limit(ROWS);
    let old = Entity::delete_many().filter(Expr::col(Column::Id).in_subquery(oldest));
    Ok(old.exec(&db_.writer).await.map_err(db)?.rows_affected)
}
