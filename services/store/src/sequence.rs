//! Numbers the events about each aggregate.
//!
//! The sequence of a delivery, source, driver, setting, announcement or import rises with every event about
//! it, even if its version does not. The sequence of a shipment rises with every event that carries its
//! status. A number is taken in the event's transaction and its row stays locked until the commit, so a
//! higher number was committed later. Numbers begin at 1, also for aggregates that are older than this table.
//! [`next_of`] adds what [`jump`] skipped.

use std::collections::{BTreeMap, BTreeSet};

use kit::Result;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use crate::bulk;
use crate::filter::fold;
use crate::{Tx, db};

pub mod event_sequence {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "event_sequence")]
    pub struct Model {
        /// The aggregate's kind, as named in the registry of events.
        #[sea_orm(primary_key, auto_increment = false)]
        pub aggregate: String,
        /// The aggregate's folded id.
        #[sea_orm(primary_key, auto_increment = false)]
        pub id_key: String,
        /// The newest event's number.
        pub last: i64,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use event_sequence::{ActiveModel, Column, Entity};

/// Stands in place of the kind in rows that hold how many numbers a kind skips; their id is the kind.
const SKIPPED: &str = "skipped";

/// Returns the next sequence of several aggregates, given by kind and id; the result is keyed by kind and
/// folded id. Locks the rows in the order of kinds and ids.
pub async fn next_each<'a>(
    tx: &Tx,
    abouts: impl IntoIterator<Item = (&'static str, &'a str)>,
) -> Result<BTreeMap<(&'static str, String), u64>> {
    let abouts: BTreeSet<(&'static str, String)> =
        abouts.into_iter().map(|(aggregate, id)| (aggregate, fold(id))).collect();
    let kinds: BTreeSet<&'static str> = abouts.iter().map(|(aggregate, _)| *aggregate).collect();
    let raised = Expr::col((Entity, Column::Last)).add(1);
    let over = OnConflict::columns([Column::Aggregate, Column::IdKey]).value(Column::Last, raised).to_owned();
    let rows = abouts.into_iter().map(|(aggregate, id_key)| ActiveModel {
        aggregate: Set(aggregate.to_owned()),
        id_key: Set(id_key),
        last: Set(1),
    });
    let numbered = bulk::upsert_returning(&**tx, rows.collect(), &over).await?;
    let numbers = numbered.into_iter().filter_map(|row| {
        let kind = kinds.get(row.aggregate.as_str())?;
        Some(((*kind, row.id_key), row.last.unsigned_abs()))
    });
    Ok(numbers.collect())
}

/// Returns the next sequence of several aggregates of a kind whose numbers may [`jump`], by folded id.
pub async fn next_of<'a>(
    tx: &Tx,
    aggregate: &'static str,
    ids: impl IntoIterator<Item = &'a str>,
) -> Result<BTreeMap<String, u64>> {
    let abouts: Vec<(&'static str, &'a str)> = ids.into_iter().map(|id| (aggregate, id)).collect();
    let numbers = next_each(tx, abouts).await?;
    let row = Entity::find_by_id((SKIPPED.to_owned(), aggregate.to_owned())).one(&**tx).await.map_err(db)?;
    let skipped = row.map_or(0, |row| row.last.unsigned_abs());
    Ok(numbers.into_iter().map(|((_, id_key), number)| (id_key, number.saturating_add(skipped))).collect())
}

/// Skips numbers of a kind that is numbered by [`next_of`], also for aggregates without a number. Writes one
/// row, however many aggregates there are.
pub async fn jump(tx: &Tx, aggregate: &'static str, by: u32) -> Result<()> {
    let raised = Expr::col((Entity, Column::Last)).add(i64::from(by));
    let over = OnConflict::columns([Column::Aggregate, Column::IdKey]).value(Column::Last, raised).to_owned();
    let row = ActiveModel {
        aggregate: Set(SKIPPED.to_owned()),
        id_key: Set(aggregate.to_owned()),
        last: Set(i64::from(by)),
    };
    bulk::upsert(&**tx, vec![row], &over).await?;
    Ok(())
}

/// Returns the next folded ids after this one, in order, of a kind's aggregates that had events. Includes
/// aggregates that no longer exist.
pub async fn keys_after(
    connection: &impl ConnectionTrait,
    aggregate: &str,
    after: &str,
    limit: u64,
) -> Result<Vec<String>> {
    Entity::find()
        .select_only()
        .column(Column::IdKey)
        .filter(Column::Aggregate.eq(aggregate))
        .filter(Column::IdKey.gt(after))
        .order_by_asc(Column::IdKey)
        .limit(limit)
        .into_tuple()
        .all(connection)
        .await
        .map_err(db)
}

/// Returns the newest sequence of each aggregate of a kind, by folded id; omits those without events.
pub async fn last_of(
    connection: &impl ConnectionTrait,
    aggregate: &str,
    keys: &[String],
) -> Result<BTreeMap<String, u64>> {
    let mut numbers = BTreeMap::new();
    for some in bulk::chunks::<Entity, _>(keys) {
        let rows = Entity::find()
            .filter(Column::Aggregate.eq(aggregate))
            .filter(Column::IdKey.is_in(some.iter().map(String::as_str)))
            .all(connection)
            .await
            .map_err(db)?;
        numbers.extend(rows.into_iter().map(|row| (row.id_key, row.last.unsigned_abs())));
    }
    Ok(numbers)
}
