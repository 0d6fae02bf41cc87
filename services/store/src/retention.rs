//! Deletes events and dead letters that are no longer needed.
//!
//! Each statement finds its rows by an index and deletes at most `ROWS` of them, so that it is short and
//! writers do not wait long. Ages are measured by [`clearing::now`].

use chrono::{DateTime, Duration, Utc};
use kit::Result;
use kit::clock::Clock;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{Condition, EntityTrait, Order, QueryFilter};

use crate::clearing::{self, Doubts};
use crate::dead_letters::dead_letter;
use crate::inbox::inbox_event;
use crate::outbox::outbox_event::{Column, Entity};
use crate::{Db, db, dead_letters, inbox};

const ROWS: u64 = 1_000;
/// Maximum number of batches per run; the next run follows a minute later.
const BATCHES: u32 = 20;
/// How long published events are kept for inspection.
const KEEP_PUBLISHED: Duration = Duration::hours(24);
/// How long published events are kept where the bus can lose them: as long as its streams keep them.
const KEEP_LOSABLE: Duration = Duration::days(7);
/// How long handled events are kept in the inbox: longer than any stream or outbox keeps published ones, so
/// that repeated events are recognized.
const KEEP_HANDLED: Duration = Duration::days(9);
/// How long handled and discarded dead letters are kept after they were raised, for questions about them. It is longer
/// than `KEEP_HANDLED`, because a letter also keeps its event from being handled again.
const KEEP_CLOSED_LETTERS: Duration = Duration::days(90);

/// Clears outbox, inbox and dead letters; returns how many rows were deleted. A deletion that looks like the result of a
/// wrong clock is held back: an event that the inbox has forgotten would take effect twice, and a consumer may still
/// ask the outbox for what the bus lost.
pub async fn clear(db_: &Db, losable: bool, doubts: &Doubts) -> Result<u64> {
    let now = clearing::now(db_, &Clock::system()).await?;
    let published = now - if losable { KEEP_LOSABLE } else { KEEP_PUBLISHED };
    let handled = now - KEEP_HANDLED;
    let of_outbox =
        !losable || doubts.allow_old::<Entity>(db_, Column::PublishedAt, Condition::all(), published).await?;
    let of_inbox = doubts
        .allow_old::<inbox_event::Entity>(db_, inbox_event::Column::HandledAt, Condition::all(), handled)
        .await?;
    let closed = now - KEEP_CLOSED_LETTERS;
    let of_letters = doubts
        .allow_rows::<dead_letter::Entity>(db_, "closed dead letters", dead_letters::closed(closed))
        .await?;
    let mut gone = 0;
    for _ in 0..BATCHES {
        let sent = if of_outbox { prune(db_, published).await? } else { 0 };
        let seen = if of_inbox { inbox::prune(&db_.writer, handled, ROWS).await? } else { 0 };
        let letters = if of_letters { dead_letters::prune(db_, closed, ROWS).await? } else { 0 };
        gone += sent + seen + letters;
        if sent < ROWS && seen < ROWS && letters < ROWS {
            break;
        }
    }
    dead_letters::forget_attempts(db_, handled, doubts).await?;
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
