//! The status history. The database refuses to change or delete a row.

use ::store::filter::fold;
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::new_id;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::domain::state::Step;
use crate::entity::history::{ActiveModel, Column, Entity};
use crate::entity::{delivery, edit};

/// Appends a step to the history of a locked delivery. Thanks to the lock, the numbers of steps are unique
/// and without gaps.
pub async fn append(tx: &Tx, delivery: &delivery::Model, step: &Step) -> Result<()> {
    let last: Option<i32> = of(delivery)
        .column(Column::Step)
        .order_by_desc(Column::Step)
        .limit(1)
        .into_tuple()
        .one(&**tx)
        .await
        .map_err(db)?;
    let corrected: Option<Uuid> = match step.correction {
        false => None,
        true => of(delivery)
            .column(Column::Id)
            .filter(Column::Superseded.eq(false))
            .order_by_desc(Column::Step)
            .limit(1)
            .into_tuple()
            .one(&**tx)
            .await
            .map_err(db)?,
    };
    let row = ActiveModel {
        delivery_key: Set(delivery.id_key.clone()),
        step: Set(last.unwrap_or(0) + 1),
        id: Set(new_id()),
        delivery_id: Set(delivery.id.clone()),
        shipmentnumber: Set(delivery.shipmentnumber.clone()),
        from_status: Set(step.from),
        to_status: Set(step.to),
        attempt: Set(step.attempt),
        occurred_at: Set(step.occurred_at),
        received_at: Set(step.received_at),
        actor_type: Set(step.actor),
        actor_name_key: Set(Some(fold(&step.actor_name))),
        actor_name: Set(step.actor_name.clone()),
        note: Set(step.note.clone()),
        upload_log_id: Set(None),
        reason_code: Set(step.reason.clone()),
        lat: Set(step.place.map(|it| it.lat)),
        lng: Set(step.place.map(|it| it.lng)),
        accuracy: Set(step.place.and_then(|it| it.accuracy)),
        late: Set(step.late),
        superseded: Set(step.superseded),
        correction_of: Set(corrected),
        changes: Set(match step.changes.is_empty() {
            true => None,
            false => Some(edit::write(&step.changes)?),
        }),
        client_event_id: Set(step.client_event_id),
    };
    Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

/// Returns when the current attempt of a delivery began, by the server's clock.
pub async fn attempt_began(tx: &Tx, delivery: &delivery::Model) -> Result<Option<DateTime<Utc>>> {
    let first = of(delivery)
        .column(Column::ReceivedAt)
        .filter(Column::Attempt.eq(delivery.attempt))
        .filter(Column::Superseded.eq(false))
        .order_by_asc(Column::Step)
        .limit(1);
    first.into_tuple::<DateTime<Utc>>().one(&**tx).await.map_err(db)
}

fn of(delivery: &delivery::Model) -> sea_orm::Select<Entity> {
    Entity::find().select_only().filter(Column::DeliveryKey.eq(delivery.id_key.as_str()))
}
