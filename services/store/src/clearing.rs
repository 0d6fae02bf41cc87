//! Deleting what is over, without a wrong clock emptying a table.
//!
//! Whether a row is over is a matter of the time, and a machine can be wrong about that by a day or by
//! years. So deletion goes by the earlier one of two clocks, and what would delete implausibly much at
//! once is held back for a day: long enough for somebody to read the error in the log, and no harm when
//! the clock was right, as nobody counts on what is over to be gone.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::Clock;
use sea_orm::{Condition, DbBackend, EntityTrait, PaginatorTrait, QueryFilter, Statement};

use crate::{Db, db};

const HOLD: Duration = Duration::from_secs(24 * 3600);
/// So few rows may always go.
const FEW: u64 = 100;

/// The time that deletion goes by: the earlier of this machine's and the database server's. A fixed clock
/// stands for both.
pub async fn now(db_: &Db, clock: &Clock) -> Result<DateTime<Utc>> {
    use sea_orm::ConnectionTrait;
    let ours = clock.now();
    if !db_.is_postgres() || !clock.is_running() {
        return Ok(ours);
    }
    let ask = Statement::from_string(DbBackend::Postgres, "SELECT clock_timestamp() AS now");
    let row = db_.read().query_one_raw(ask).await.map_err(db)?;
    let theirs: Option<DateTime<Utc>> = row.map(|row| row.try_get("", "now").map_err(db)).transpose()?;
    Ok(theirs.map_or(ours, |theirs| ours.min(theirs)))
}

/// Deletions that are held back, and since when by a clock that cannot be set.
#[derive(Debug)]
pub struct Doubts {
    hold: Duration,
    since: Mutex<HashMap<&'static str, Instant>>,
}

impl Default for Doubts {
    fn default() -> Self {
        Self::holding(HOLD)
    }
}

impl Doubts {
    /// Doubts that are given up after `hold`.
    pub fn holding(hold: Duration) -> Self {
        Self { hold, since: Mutex::default() }
    }

    /// Whether a deletion may happen: it is plausible, or it has looked the same for long enough. `size`
    /// says in the log how much it is.
    pub fn allow(&self, what: &'static str, plausible: bool, size: &str) -> bool {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if plausible {
            since.remove(what);
            return true;
        }
        let held = since.entry(what).or_insert_with(Instant::now).elapsed();
        if held >= self.hold {
            since.remove(what);
            tracing::warn!(what, size, "a large deletion that was held back happens now");
            return true;
        }
        let hours = (self.hold - held).as_secs().div_ceil(3600);
        tracing::error!(
            what,
            size,
            hours,
            "a deletion is held back: so much at once looks like a wrong clock. Check the time of this machine; the \
             deletion happens when this lasts for so many hours"
        );
        false
    }

    /// Whether the rows of a condition may be deleted: they are few, or at most half of all.
    pub async fn allow_rows<E>(&self, db_: &Db, what: &'static str, over: Condition) -> Result<bool>
    where
        E: EntityTrait,
        E::Model: Send + Sync,
    {
        let over = E::find().filter(over).count(db_.read()).await.map_err(db)?;
        if over <= FEW {
            return Ok(self.allow(what, true, ""));
        }
        let all = E::find().count(db_.read()).await.map_err(db)?;
        Ok(self.allow(what, over <= all / 2, &format!("{over} of {all}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_implausible_is_held_back_and_happens_later() {
        let doubts = Doubts::holding(Duration::from_millis(50));
        assert!(doubts.allow("sessions", true, ""));
        assert!(!doubts.allow("sessions", false, "200 of 200"));
        assert!(!doubts.allow("links", false, "200 of 200"), "each has its own time");
        // A clock that was put right ends the doubt.
        assert!(doubts.allow("sessions", true, ""));
        assert!(!doubts.allow("sessions", false, "200 of 200"));
        std::thread::sleep(Duration::from_millis(60));
        assert!(doubts.allow("sessions", false, "200 of 200"));
        assert!(!doubts.allow("sessions", false, "200 of 200"), "the next one is looked at anew");
    }
}
