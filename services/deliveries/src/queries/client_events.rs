//! What accepted client events recorded.

use ::store::{Db, db};
use kit::Result;
use sea_orm::EntityTrait;
use uuid::Uuid;

use super::histories;
use crate::domain::command::Effect;
use crate::entity::{client_event, delivery, history};

/// An accepted event.
pub struct Recorded {
    pub effect: Effect,
    /// The delivery's version after the event.
    pub version: i64,
    /// The step of the event or, for an event that changed nothing, the last one before it.
    pub step: history::Model,
}

/// Returns what an event of the delivery recorded; `None` if the event is unknown.
pub async fn recorded(db_: &Db, delivery: &delivery::Model, event: Uuid) -> Result<Option<Recorded>> {
    let id = (delivery.id_key.clone(), event);
    let Some(event) = client_event::Entity::find_by_id(id).one(db_.read()).await.map_err(db)? else {
        return Ok(None);
    };
    let client_event::Model { client_event_id, effect, version, at, .. } = event;
    let mut steps = histories::by_deliveries(db_, std::slice::from_ref(&delivery.id)).await?;
    let own = steps.iter().rposition(|step| step.client_event_id == Some(client_event_id));
    let last = || steps.iter().rposition(|step| step.received_at <= at && !step.superseded);
    let place = own.or_else(last);
    Ok(place.map(|place| Recorded { effect, version, step: steps.swap_remove(place) }))
}
