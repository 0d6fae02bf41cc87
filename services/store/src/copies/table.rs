//! Copies that are a table with one row per aggregate.

use kit::Result;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{Known, Reported};
use crate::bulk;
use crate::consume::Revision;
use crate::{Db, Tx, db};

/// The columns of a copy's table. Keys are compared by their bytes.
pub struct Columns<E: EntityTrait> {
    pub key: E::Column,
    pub version: E::Column,
    pub sequence: E::Column,
    /// Further columns that events update.
    pub content: &'static [E::Column],
}

impl<E: EntityTrait> Columns<E> {
    /// Returns the rows after a key, in order.
    pub async fn known(&self, db_: &Db, after: &str, limit: usize) -> Result<Vec<Known>> {
        let rows: Vec<(String, i64, i64)> = E::find()
            .select_only()
            .columns([self.key, self.version, self.sequence])
            .filter(self.key.gt(after))
            .order_by_asc(self.key)
            .limit(limit as u64)
            .into_tuple()
            .all(db_.read())
            .await
            .map_err(db)?;
        let known = |(key, version, sequence)| Known { key, revision: Revision { version, sequence } };
        Ok(rows.into_iter().map(known).collect())
    }

    /// Writes rows that are new or newer than the stored ones.
    pub async fn keep<A>(&self, tx: &Tx, rows: Vec<A>) -> Result<()>
    where
        A: ActiveModelTrait<Entity = E> + Send,
    {
        let new = |column| Expr::col((Alias::new("excluded"), column));
        let old = |column| Expr::col((E::default(), column));
        let same = old(self.version).eq(new(self.version)).and(old(self.sequence).lt(new(self.sequence)));
        let over = OnConflict::column(self.key)
            .update_columns([self.version, self.sequence])
            .update_columns(self.content.iter().copied())
            .action_and_where(old(self.version).lt(new(self.version)).or(same))
            .to_owned();
        bulk::upsert(&**tx, rows.into_iter().collect(), &over).await?;
        Ok(())
    }

    /// Sets the version to -1 in rows that have not changed since the owner was asked. So any answer of the
    /// owner replaces them.
    pub async fn yield_to<T>(
        &self,
        tx: &Tx,
        reported: &[Reported<T>],
        key: impl Fn(&Reported<T>) -> String,
    ) -> Result<()> {
        let were = reported.iter().filter_map(|it| Some(Known { key: key(it), revision: it.was? }));
        let were: Vec<Known> = were.collect();
        for some in were.chunks(CHUNK) {
            E::update_many()
                .col_expr(self.version, Expr::value(-1))
                .filter(self.still(some))
                .exec(&**tx)
                .await
                .map_err(db)?;
        }
        Ok(())
    }

    /// Removes the rows in `gone`, except those that have changed since they were read.
    pub async fn remove(&self, tx: &Tx, gone: &[Known]) -> Result<()> {
        for some in gone.chunks(CHUNK) {
            E::delete_many().filter(self.still(some)).exec(&**tx).await.map_err(db)?;
        }
        Ok(())
    }

    fn still(&self, rows: &[Known]) -> Expr {
        let columns = [self.key, self.version, self.sequence].map(Expr::col);
        let rows = rows.iter().map(|it| (it.key.clone(), it.revision.version, it.revision.sequence));
        Expr::tuple(columns).in_tuples(rows)
    }
}

/// Rows per statement; each row binds three values.
const CHUNK: usize = 1_000;
