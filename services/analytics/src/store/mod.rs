//! Writes the facts. Every write first locks the single row of `data_version`, so that writes are sequential:
//! each one subtracts from roll-ups exactly what an earlier one added, and a rebuild can distinguish rows
//! that were written since it began.

pub mod deliveries;
pub mod parties;
mod removed;
pub mod rollups;
pub mod shipments;
pub mod stops;
pub mod sweep;

use ::store::{Tx, db};
use kit::{Error, Result};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::entity::data_version::{Column, Entity, Model, ONLY};

/// Where a new state comes from, which decides whether it replaces a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// From an event. Replaces a row with a lower sequence.
    Event,
    /// Just read from the owner by a refresh. Replaces a row, unless the row's sequence is higher.
    Refresh,
    /// Read from the owner by this rebuild. Replaces all rows from before the rebuild, even those with a
    /// higher sequence: an owner that was restored from a backup continues with lower sequences.
    Rebuild { run: i64 },
}

/// The sequence of a row, and the last rebuild that saw it.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    pub sequence: i64,
    pub run: i64,
}

impl Origin {
    /// Returns whether a state with this sequence replaces the row.
    pub fn replaces(self, row: Seen, sequence: i64) -> bool {
        match self {
            Self::Event => sequence > row.sequence,
            Self::Refresh => sequence >= row.sequence,
            Self::Rebuild { run } => row.run < run || sequence >= row.sequence,
        }
    }
}

/// A write of facts. Other writes wait until its transaction ends.
pub struct Write<'a> {
    pub tx: &'a Tx,
    pub origin: Origin,
    /// Number of the rebuild that was started last.
    run: i64,
    changed: bool,
}

impl<'a> Write<'a> {
    pub async fn begin(tx: &'a Tx, origin: Origin) -> Result<Self> {
        let run = lock(tx).await?.run;
        Ok(Self { tx, origin, run, changed: false })
    }

    /// Like [`Self::begin`], for a write of many rows. Their statements look for many keys at once, and a plan
    /// from when the tables were empty would read whole tables.
    pub async fn begin_many(tx: &'a Tx, origin: Origin) -> Result<Self> {
        tx.plan_for_keys().await?;
        Self::begin(tx, origin).await
    }

    /// Returns the run to mark a row with. A row that an event writes counts as seen by the running rebuild,
    /// too.
    fn mark(&self, before: Option<i64>) -> i64 {
        let now = match self.origin {
            Origin::Rebuild { run } => run,
            Origin::Event | Origin::Refresh => self.run,
        };
        before.map_or(now, |before| Ord::max(before, now))
    }

    /// Records that the data has changed, so that cached answers become invalid.
    fn note_change(&mut self) {
        self.changed = true;
    }

    /// Increments the version of the data if anything has changed.
    pub async fn finish(self) -> Result<()> {
        if self.changed {
            let raise = Entity::update_many()
                .col_expr(Column::Version, Expr::col(Column::Version).add(1))
                .filter(Column::Id.eq(ONLY));
            raise.exec(&**self.tx).await.map_err(db)?;
        }
        Ok(())
    }
}

async fn lock(tx: &Tx) -> Result<Model> {
    let row = Entity::find_by_id(ONLY).lock_exclusive().one(&**tx).await.map_err(db)?;
    row.ok_or_else(|| Error::internal("the version of the data is missing"))
}

/// Starts a rebuild; returns its number.
pub async fn begin_run(tx: &Tx) -> Result<i64> {
    let run = lock(tx).await?.run + 1;
    let update = Entity::update_many().col_expr(Column::Run, Expr::value(run)).filter(Column::Id.eq(ONLY));
    update.exec(&**tx).await.map_err(db)?;
    Ok(run)
}

/// Records that a rebuild is complete.
pub async fn end_run(tx: &Tx, run: i64) -> Result<()> {
    let update = Entity::update_many()
        .col_expr(Column::CompleteRun, Expr::value(run))
        .filter(Column::Id.eq(ONLY))
        .filter(Column::CompleteRun.lt(run));
    update.exec(&**tx).await.map_err(db)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_replaces_what() {
        let row = Seen { sequence: 5, run: 2 };
        let replaced = |origin: Origin| [4, 5, 6].map(|sequence| origin.replaces(row, sequence));
        assert_eq!(replaced(Origin::Event), [false, false, true]);
        assert_eq!(replaced(Origin::Refresh), [false, true, true]);
        assert_eq!(replaced(Origin::Rebuild { run: 2 }), [false, true, true], "written since it began");
        assert_eq!(replaced(Origin::Rebuild { run: 3 }), [true, true, true], "there before it began");
    }
}
