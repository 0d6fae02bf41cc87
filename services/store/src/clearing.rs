//! Deletes expired rows, and keeps a wrong clock from emptying a table.
//!
//! A machine's clock may be wrong by days or years. So deletion uses the earlier of two clocks, and an
//! implausibly large deletion waits for a day: long enough for somebody to read the error in the log, and
//! harmless if the clock was right, since nothing relies on expired rows being deleted.
//!
//! The day is 24 hours in which the program runs. The database stores how much of it has passed, because a
//! computer that is switched off every evening never runs for a day at a stretch.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use kit::Result;
use kit::clock::Clock;
use kit::service::{FirstRun, Task};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, Condition, DbBackend, EntityTrait, Iterable, Order, PaginatorTrait, PrimaryKeyToColumn,
    QueryFilter, QueryOrder, QuerySelect, Statement,
};

use crate::{Db, counter, db};

const HOLD: Duration = Duration::from_secs(24 * 3600);
const LOG_EVERY: Duration = Duration::from_secs(3600);
/// A deletion of up to this many rows is always plausible.
const FEW: u64 = 100;
/// Tables are cleared at least hourly, so a row is normally deleted within this time after it expired.
const USUAL: TimeDelta = TimeDelta::hours(3);
/// Number of rows deleted per transaction, so that other writers do not wait long.
const STEP: u64 = 1_000;

/// Returns the current time for deciding which rows have expired: the earlier of this machine's clock and the
/// database server's. A fixed clock, as in tests, replaces both.
pub async fn now(db_: &Db, clock: &Clock) -> Result<DateTime<Utc>> {
    use sea_orm::ConnectionTrait;
    let ours = clock.now();
    if !db_.is_postgres() || !clock.is_running() {
        return Ok(ours);
    }
    let ask = Statement::from_string(DbBackend::Postgres, "SELECT clock_timestamp() AS now");
    let row = db_.read().query_one_raw(ask).await.map_err(db)?;
    let theirs: Option<DateTime<Utc>> = row.map(|row| row.try_get("", "now").map_err(db)).transpose()?;
    Ok(theirs.map_or(ours, |theirs| Ord::min(ours, theirs)))
}

/// Deletes rows, `STEP` in each transaction; returns how many were deleted. `which` has the condition and the order of
/// the rows, without columns and table. In a table that may be large, the condition needs an index.
pub async fn delete_in_steps<E: EntityTrait>(db_: &Db, mut which: SelectStatement) -> Result<u64> {
    let keys = || E::PrimaryKey::iter().map(|key| key.into_column());
    let key = Expr::tuple(keys().map(Expr::col));
    which.columns(keys()).from(E::default()).limit(STEP);
    let mut gone = 0;
    loop {
        let tx = db_.begin().await?;
        let rows = E::delete_many().filter(key.clone().in_subquery(which.clone()));
        let step = rows.exec(&*tx).await.map_err(db)?.rows_affected;
        tx.commit().await?;
        gone += step;
        if step < STEP {
            return Ok(gone);
        }
    }
}

/// Creates a task that deletes old rows by the time of [`now`], with a `Doubts` of its own. `clear` returns
/// how many rows it deleted.
pub fn task<F, Fut>(name: &'static str, period: Duration, db_: &Db, clock: &Clock, clear: F) -> Task
where
    F: Fn(Db, DateTime<Utc>, Arc<Doubts>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<u64>> + Send + 'static,
{
    let (db_, clock) = (db_.clone(), clock.clone());
    let (clear, doubts) = (Arc::new(clear), Arc::new(Doubts::default()));
    Task::every(name, period, FirstRun::AtStart, move || {
        let (db_, clock, clear, doubts) = (db_.clone(), clock.clone(), clear.clone(), doubts.clone());
        async move {
            let now = now(&db_, &clock).await?;
            let rows = clear(db_, now, doubts).await?;
            if rows > 0 {
                tracing::debug!(task = name, rows, "what was too old was deleted");
            }
            Ok(())
        }
    })
}

/// The deletions that this process holds back, with the time by a monotonic clock.
#[derive(Debug)]
pub struct Doubts {
    hold: Duration,
    held: Mutex<HashMap<&'static str, Held>>,
}

#[derive(Debug)]
struct Held {
    /// For how long earlier processes held it back.
    before: Duration,
    since: Instant,
    /// When it was last logged; `None` if it was not yet.
    logged: Option<Instant>,
}

/// Returns the name of the counter of seconds for which a deletion has been held back. It starts at 1, since 0 means
/// that the deletion is not held back.
fn stored(what: &str) -> String {
    format!("held back: {what}")
}

impl Default for Doubts {
    fn default() -> Self {
        Self::holding(HOLD)
    }
}

impl Doubts {
    /// Creates `Doubts` that hold a deletion back for `hold`.
    pub fn holding(hold: Duration) -> Self {
        Self { hold, held: Mutex::default() }
    }

    /// Returns whether a deletion may happen: it is plausible, or has been held back long enough, also by earlier
    /// processes. A deletion that was held back long enough stays allowed in this process until a plausible one
    /// follows, so a deletion in several rounds waits only once. `size` describes the deletion in the log.
    pub async fn allow(&self, db_: &Db, what: &'static str, plausible: bool, size: &str) -> Result<bool> {
        let name = stored(what);
        let seconds = counter::get(db_.read(), &name).await?;
        if plausible {
            self.held().remove(what);
            if seconds > 0 {
                counter::remove(&db_.writer, &name).await?;
            }
            return Ok(true);
        }
        let (lasted, log) = self.hold(what, Duration::from_secs(seconds));
        if lasted >= self.hold {
            // The next doubt begins from zero, also if this process ends before a plausible deletion.
            if seconds > 0 {
                counter::remove(&db_.writer, &name).await?;
            }
            tracing::warn!(what, size, "a large deletion that was held back happens now");
            return Ok(true);
        }
        if log {
            let hours = (self.hold - lasted).as_secs().div_ceil(3600);
            tracing::error!(
                what,
                size,
                hours,
                "a deletion is held back: so much at once looks like a wrong clock. Check the time of this machine; \
                 if it is right, the deletion happens once Waybill has run for so many hours more"
            );
        }
        let held_for = Ord::max(lasted.as_secs(), 1);
        if held_for > seconds {
            counter::raise(&db_.writer, &name, held_for).await?;
        }
        Ok(false)
    }

    /// Holds a deletion back; `before` is how long earlier processes did. Returns how long it has been held back in
    /// all, and whether to log that now.
    fn hold(&self, what: &'static str, before: Duration) -> (Duration, bool) {
        let now = Instant::now();
        let mut all = self.held();
        let held = all.entry(what).or_insert(Held { before, since: now, logged: None });
        let log = held.logged.is_none_or(|logged| now - logged >= LOG_EVERY);
        if log {
            held.logged = Some(now);
        }
        (held.before + (now - held.since), log)
    }

    fn held(&self) -> MutexGuard<'_, HashMap<&'static str, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a deletion is held back, also if an earlier process did it last.
    async fn holds(&self, db_: &Db, what: &str) -> Result<bool> {
        let here = self.held().contains_key(what);
        Ok(here || counter::get(db_.read(), &stored(what)).await? > 0)
    }

    /// Returns whether the rows that meet a condition and are older than `before` may be deleted: the
    /// oldest of them expired recently, or at least as many rows stay as are deleted. The second case
    /// covers a pause of the program that is short compared to the retention. Unlike
    /// [`Doubts::allow_rows`], this makes no exception for few rows: use it where deleted rows cannot be
    /// recovered.
    ///
    /// In a table that is cleared regularly this reads one index entry.
    pub async fn allow_old<E>(
        &self,
        db_: &Db,
        time: E::Column,
        among: Condition,
        before: DateTime<Utc>,
    ) -> Result<bool>
    where
        E: EntityTrait,
        E::Model: Send + Sync,
    {
        self.allow_old_or_few::<E>(db_, time, among, before, 0).await
    }

    /// Returns what [`Doubts::allow_old`] does, except that up to `few` rows may always be deleted.
    pub async fn allow_old_or_few<E>(
        &self,
        db_: &Db,
        time: E::Column,
        among: Condition,
        before: DateTime<Utc>,
        few: u64,
    ) -> Result<bool>
    where
        E: EntityTrait,
        E::Model: Send + Sync,
    {
        let what = E::default().table_name();
        let of = |age: Condition| E::find().select_only().column(time).filter(among.clone()).filter(age);
        let over = || of(Condition::all().add(time.lt(before)));
        let oldest: Option<DateTime<Utc>> =
            over().order_by_asc(time).limit(1).into_tuple().one(db_.read()).await.map_err(db)?;
        let Some(oldest) = oldest.filter(|oldest| before - *oldest > USUAL) else {
            return self.allow(db_, what, true, "").await;
        };
        let going = over().count(db_.read()).await.map_err(db)?;
        if going <= few {
            return self.allow(db_, what, true, "").await;
        }
        // Count no further than necessary: most rows of a large table are not old.
        let stay = of(Condition::all().add(time.gte(before))).offset(going.saturating_sub(1)).limit(1);
        let as_many_stay = stay.into_tuple::<DateTime<Utc>>().one(db_.read()).await.map_err(db)?.is_some();
        // Rows written while the clock is wrong count as recent; they must not end the doubt about earlier
        // rows.
        let plausible = as_many_stay && !self.holds(db_, what).await?;
        self.allow(db_, what, plausible, &format!("{going} rows back to {oldest}")).await
    }

    /// Deletes the rows that are older than `before`, if [`Doubts::allow_old`] allows it, `STEP` in each transaction.
    /// Returns how many were deleted. In a table that may be large, the time needs an index.
    pub async fn delete_old<E>(&self, db_: &Db, time: E::Column, before: DateTime<Utc>) -> Result<u64>
    where
        E: EntityTrait,
        E::Model: Send + Sync,
    {
        if !self.allow_old::<E>(db_, time, Condition::all(), before).await? {
            return Ok(0);
        }
        let oldest = Query::select().and_where(time.lt(before)).order_by(time, Order::Asc).take();
        delete_in_steps::<E>(db_, oldest).await
    }

    /// Returns whether the rows that meet a condition may be deleted: they are few, or at most half of the
    /// table.
    pub async fn allow_rows<E>(&self, db_: &Db, what: &'static str, over: Condition) -> Result<bool>
    where
        E: EntityTrait,
        E::Model: Send + Sync,
    {
        let over = E::find().filter(over).count(db_.read()).await.map_err(db)?;
        if over <= FEW {
            return self.allow(db_, what, true, "").await;
        }
        let all = E::find().count(db_.read()).await.map_err(db)?;
        self.allow(db_, what, over <= all / 2, &format!("{over} of {all}")).await
    }
}
