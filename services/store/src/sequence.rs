//! Numbers the events about each aggregate.
//!
//! A number rises with every event about one delivery, driver, setting, announcement or import, whatever its
//! version does. It is taken in the transaction of the event; the row stays locked until the commit, so a higher
//! number always was committed later. An aggregate that had no event since this table came begins at 1.

use std::collections::BTreeMap;

use kit::{Error, Result};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveValue::Set, EntityTrait};

use crate::bulk::chunk;
use crate::filter::fold;
use crate::{Tx, db};

pub mod event_sequence {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "event_sequence")]
    pub struct Model {
        /// Its kind, as the registry of events names it.
        #[sea_orm(primary_key, auto_increment = false)]
        pub aggregate: String,
        /// Folded.
        #[sea_orm(primary_key, auto_increment = false)]
        pub id_key: String,
        /// The number of the newest event.
        pub last: i64,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use event_sequence::{ActiveModel, Column, Entity};

/// The next number of one aggregate.
pub(crate) async fn next(tx: &Tx, aggregate: &str, id: &str) -> Result<u64> {
    let numbers = next_each(tx, aggregate, [id]).await?;
    let number = numbers.into_values().next();
    number.ok_or_else(|| Error::internal("an aggregate without the number of its event"))
}

/// The next number of each of several aggregates, by folded id; for an event that is about all of them. Their rows
/// are locked in the order of the ids.
pub async fn next_each<'a>(
    tx: &Tx,
    aggregate: &str,
    ids: impl IntoIterator<Item = &'a str>,
) -> Result<BTreeMap<String, u64>> {
    let mut rows: Vec<(String, ActiveModel)> = Vec::new();
    for id in ids {
        let id_key = fold(id);
        let row =
            ActiveModel { aggregate: Set(aggregate.to_owned()), id_key: Set(id_key.clone()), last: Set(1) };
        rows.push((id_key, row));
    }
    rows.sort_by(|one, other| one.0.cmp(&other.0));
    rows.dedup_by(|one, other| one.0 == other.0);
    let mut numbers = BTreeMap::new();
    for some in rows.chunks(chunk::<Entity>()) {
        let raised = Expr::col((Entity, Column::Last)).add(1);
        let over =
            OnConflict::columns([Column::Aggregate, Column::IdKey]).value(Column::Last, raised).to_owned();
        let numbered = Entity::insert_many(some.iter().map(|(_, row)| row.clone()))
            .on_conflict(over)
            .exec_with_returning(&**tx)
            .await
            .map_err(db)?;
        numbers.extend(numbered.into_iter().map(|row| (row.id_key, row.last.unsigned_abs())));
    }
    Ok(numbers)
}
