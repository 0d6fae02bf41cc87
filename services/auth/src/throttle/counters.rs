//! The counters, as rows that are checked and changed in one statement.
//!
//! Admitting an attempt and counting it are one step, so that concurrent calls are admitted no more often
//! than sequential ones. The rule is part of the statement. There are few distinct waits, so the statement
//! lists them and no database has to calculate with times.
//!
//! A time further in the future than any rule sets was written while the clock was ahead. It counts as past;
//! otherwise, attempts would be refused until that time.

use ::store::clearing::Doubts;
use ::store::{Db, Tx, db};
use chrono::{DateTime, Duration, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, OnConflict, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect,
};

use super::rule::{Next, Rule};
use crate::entity::throttle::{ActiveModel, Column, Entity};

/// Maximum number of rows. Beyond it, rows with the fewest attempts are deleted first, because attackers who
/// try many names and addresses fill the table with such rows.
const MOST: u64 = 1_000_000;
/// Number of rows deleted per statement, so that SQLite's only writer is not blocked for long.
const AT_ONCE: u64 = 5_000;

pub type Key = Vec<u8>;

/// Counts an attempt if it is allowed now; returns whether it was.
pub async fn take(tx: &Tx, key: &Key, rule: Rule, now: DateTime<Utc>) -> Result<bool> {
    let old = |column: Column| Expr::col((Entity, column));
    let (memory, anew) = rule.memory();
    let past = |column: Column, longest| old(column).lte(now).or(old(column).gt(farthest(now, longest)));
    let forgotten = || past(Column::ExpiresAt, memory);
    let fresh_end = now + memory;
    let first = match rule.next(1) {
        Next::After(wait) => now + wait,
        Next::WhenForgotten => fresh_end,
    };
    let row =
        ActiveModel { key: Set(key.clone()), count: Set(1), open_at: Set(first), expires_at: Set(fresh_end) };
    let one_more = CaseStatement::new().case(forgotten(), Expr::value(1)).finally(old(Column::Count).add(1));
    let end = match anew {
        true => Expr::value(fresh_end),
        false => CaseStatement::new()
            .case(forgotten(), Expr::value(fresh_end))
            .finally(old(Column::ExpiresAt))
            .into(),
    };
    let opens = |next: Next| -> SimpleExpr {
        match next {
            Next::After(wait) => Expr::value(now + wait),
            Next::WhenForgotten if anew => Expr::value(fresh_end),
            Next::WhenForgotten => old(Column::ExpiresAt),
        }
    };
    let mut steps = rule.steps();
    let last = steps.pop().map_or(Next::After(Duration::zero()), |(_, next)| next);
    let mut ladder = CaseStatement::new().case(forgotten(), Expr::value(first));
    for (to, next) in steps {
        // This step applies while there are at most `to` attempts, including this one.
        ladder = ladder.case(old(Column::Count).lt(i64::from(to)), opens(next));
    }
    let rows = Entity::insert(row)
        .on_conflict(
            OnConflict::column(Column::Key)
                .value(Column::Count, one_more)
                .value(Column::OpenAt, ladder.finally(opens(last)))
                .value(Column::ExpiresAt, end)
                .action_and_where(forgotten().or(past(Column::OpenAt, rule.longest_wait())))
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await
        .map_err(db)?;
    Ok(rows == 1)
}

/// Takes back one count; only for rules with a window.
pub async fn give_back(tx: &Tx, key: &Key, now: DateTime<Utc>) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::Count, Expr::col(Column::Count).sub(1))
        .col_expr(Column::OpenAt, Expr::value(now))
        .filter(Column::Key.eq(key.clone()))
        .filter(Column::Count.gt(0))
        .filter(Column::ExpiresAt.gt(now))
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}

/// Deletes these counters.
pub async fn forget(tx: &Tx, keys: Vec<Key>) -> Result<()> {
    Entity::delete_many().filter(Column::Key.is_in(keys)).exec(&**tx).await.map_err(db)?;
    Ok(())
}

/// Returns when a counter allows an attempt again; `None` if it does now.
pub async fn closed_until<C: ConnectionTrait>(
    connection: &C,
    key: &Key,
    rule: Rule,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let ahead = |column: Column, longest| column.gt(now).and(column.lte(farthest(now, longest)));
    Entity::find()
        .select_only()
        .column(Column::OpenAt)
        .filter(Column::Key.eq(key.clone()))
        .filter(ahead(Column::OpenAt, rule.longest_wait()))
        .filter(ahead(Column::ExpiresAt, rule.memory().0))
        .into_tuple()
        .one(connection)
        .await
        .map_err(db)
}

/// Returns the latest time that counts as future. `longest` is the furthest ahead that a rule sets a time; twice that
/// is allowed, for replicas whose clocks differ.
fn farthest(now: DateTime<Utc>, longest: Duration) -> DateTime<Utc> {
    now + longest + longest
}

/// Deletes expired counters, and keeps the table from growing without limit.
pub async fn prune(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<()> {
    prune_to(db_, now, MOST, doubts).await
}

pub(super) async fn prune_to(db_: &Db, now: DateTime<Utc>, most: u64, doubts: &Doubts) -> Result<()> {
    let forgotten = Condition::all().add(Column::ExpiresAt.lte(now));
    if doubts.allow_rows::<Entity>(db_, "counts of attempts", forgotten).await? {
        let mut some = Query::select();
        some.column(Column::Key).from(Entity).and_where(Expr::col(Column::ExpiresAt).lte(now)).limit(AT_ONCE);
        while delete(db_, &some).await? == AT_ONCE {}
    }
    let mut over = Entity::find().count(db_.read()).await.map_err(db)?.saturating_sub(most);
    while over > 0 {
        let mut some = Query::select();
        some.column(Column::Key)
            .from(Entity)
            .order_by(Column::Count, sea_orm::Order::Asc)
            .order_by(Column::ExpiresAt, sea_orm::Order::Asc)
            .limit(Ord::min(AT_ONCE, over));
        let gone = delete(db_, &some).await?;
        if gone == 0 {
            break;
        }
        over = over.saturating_sub(gone);
    }
    Ok(())
}

async fn delete(db_: &Db, keys: &sea_orm::sea_query::SelectStatement) -> Result<u64> {
    let tx = db_.begin().await?;
    let gone = Entity::delete_many()
        .filter(Expr::col(Column::Key).in_subquery(keys.clone()))
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await?;
    Ok(gone.rows_affected)
}
