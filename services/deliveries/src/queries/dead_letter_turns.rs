//! The place of a message among the messages of its delivery: the one before it, and those that wait for it.

use ::store::{Db, db};
use kit::Result;
use proto::deliveries::v1::DeadLetterTurn;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

use crate::entity::dead_letter::{Column, Entity, Model};

/// Maximum number of waiting messages that are listed.
const NAMED: u64 = 20;

#[derive(Debug, Default)]
pub struct Turns {
    /// The message that is sent before this one; `None` if this message is next.
    pub before: Option<DeadLetterTurn>,
    /// The first of the messages that wait for this one.
    pub behind: Vec<DeadLetterTurn>,
    pub behind_count: u64,
}

/// Returns the messages before and behind a message; none if it does not wait or has no endpoint.
pub async fn of(db_: &Db, row: &Model) -> Result<Turns> {
    let Some(endpoint) = row.endpoint_id.filter(|_| row.next_attempt_at.is_some()) else {
        return Ok(Turns::default());
    };
    let later = || {
        let tie = Column::Position.eq(row.position).and(Column::Id.gt(row.id));
        waiting(endpoint, row, Condition::any().add(Column::Position.gt(row.position)).add(tie))
    };
    let before = before(endpoint, row).one(db_.read()).await.map_err(db)?;
    let behind_count = later().count(db_.read()).await.map_err(db)?;
    let behind = match behind_count {
        0 => Vec::new(),
        _ => later().limit(NAMED).all(db_.read()).await.map_err(db)?,
    };
    Ok(Turns { before: before.map(turn), behind: behind.into_iter().map(turn).collect(), behind_count })
}

/// Selects the messages to the endpoint that are sent before this one, in their order.
pub fn before(endpoint: Uuid, row: &Model) -> Select<Entity> {
    let tie = Column::Position.eq(row.position).and(Column::Id.lt(row.id));
    waiting(endpoint, row, Condition::any().add(Column::Position.lt(row.position)).add(tie))
}

/// Selects the waiting messages to the endpoint about the same delivery that meet the condition.
fn waiting(endpoint: Uuid, row: &Model, than: Condition) -> Select<Entity> {
    Entity::find()
        .filter(Column::EndpointId.eq(endpoint))
        .filter(Column::DeliveryKey.eq(row.delivery_key.as_str()))
        .filter(Column::NextAttemptAt.is_not_null())
        .filter(than)
        .order_by_asc(Column::Position)
        .order_by_asc(Column::Id)
}

fn turn(row: Model) -> DeadLetterTurn {
    DeadLetterTurn {
        id: row.id.to_string(),
        method: row.method.as_str().to_owned(),
        state: row.state.as_str().to_owned(),
        queued_at: Some(proto::timestamp(row.queued_at)),
        next_attempt_at: row.next_attempt_at.map(proto::timestamp),
    }
}
