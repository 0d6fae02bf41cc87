//! Records which events a consumer has handled, in the transaction of their effect.
//!
//! Every event leaves a row, even one without an effect: [`reconcile`](crate::reconcile) skips events that
//! have a row here. Only [`consume`](mod@crate::consume) writes rows, and [`replay`](crate::replay) for an event that an
//! administrator discarded.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::{Db, Tx, db, now};

pub mod inbox_event {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "inbox")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub consumer: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub event_id: Uuid,
        pub handled_at: DateTimeUtc,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use inbox_event::{Column, Entity};

/// Notes an event; returns true the first time, false when this consumer handled the event before.
pub(crate) async fn once(tx: &Tx, consumer: &str, event_id: Uuid) -> Result<bool> {
    let mut row = Query::insert();
    row.into_table(Entity)
        .columns([Column::Consumer, Column::EventId, Column::HandledAt])
        .values_panic([consumer.into(), event_id.into(), now::expr(tx.get_database_backend())])
        .on_conflict(OnConflict::new().do_nothing().to_owned());
    let done = tx.execute(&row).await.map_err(db)?;
    kit::fail_point("store.inbox.noted");
    Ok(done.rows_affected() == 1)
}

/// Returns which of these events the consumer has handled.
pub(crate) async fn handled(db_: &Db, consumer: &str, ids: Vec<Uuid>) -> Result<HashSet<Uuid>> {
    let found = Entity::find()
        .select_only()
        .column(Column::EventId)
        .filter(Column::Consumer.eq(consumer))
        .filter(Column::EventId.is_in(ids))
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    Ok(found.into_iter().collect())
}

/// Deletes at most `limit` rows that are older than `before`, oldest first; returns how many. No bus may be
/// able to deliver their events again.
pub async fn prune<C: ConnectionTrait>(connection: &C, before: DateTime<Utc>, limit: u64) -> Result<u64> {
    let mut oldest = Query::select();
    oldest
        .columns([Column::Consumer, Column::EventId])
        .from(Entity)
        .and_where(Expr::col(Column::HandledAt).lt(before))
        .order_by(Column::HandledAt, Order::Asc)
        .limit(limit);
    let key = Expr::tuple([Expr::col(Column::Consumer), Expr::col(Column::EventId)]);
    let done = Entity::delete_many().filter(key.in_subquery(oldest)).exec(connection).await.map_err(db)?;
    Ok(done.rows_affected)
}
