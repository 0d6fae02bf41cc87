//! Remembers which events a consumer has dealt with, in the transaction of their effect.

use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use uuid::Uuid;

use crate::{Tx, db};

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

/// True the first time; false when this consumer dealt with the event before.
pub async fn once(tx: &Tx, consumer: &str, event_id: Uuid, now: DateTime<Utc>) -> Result<bool> {
    let row = inbox_event::ActiveModel {
        consumer: Set(consumer.to_owned()),
        event_id: Set(event_id),
        handled_at: Set(now),
    };
    let rows = inbox_event::Entity::insert(row)
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .exec_without_returning(&**tx)
        .await
        .map_err(db)?;
    Ok(rows == 1)
}

/// Forgets what no bus can deliver again.
pub async fn prune<C: ConnectionTrait>(connection: &C, before: DateTime<Utc>) -> Result<u64> {
    let done = inbox_event::Entity::delete_many()
        .filter(inbox_event::Column::HandledAt.lt(before))
        .exec(connection)
        .await
        .map_err(db)?;
    Ok(done.rows_affected)
}
