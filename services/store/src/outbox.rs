//! The outbox: the only way for events to leave a service, written in the transaction of the change.
//!
//! `add` inserts the event in the caller's transaction; the [`relay`](crate::relay) publishes it after the
//! commit. In one process this table **is** the durable queue: the bus in memory acknowledges an event only
//! after every consumer has committed. Between processes, this table recovers the events that the broker lost
//! ([`published`](crate::published)).

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{Envelope, SHIPMENT};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, Select};
use uuid::Uuid;

use crate::filter::fold;
use crate::{Db, Tx, db, sequence};

/// Maximum size of an event with its envelope: half of the default limit of a NATS server. Payloads that can
/// grow are cut or split earlier, so no user ever reaches this limit.
pub const MAX_BYTES: usize = 512 << 10;

pub mod outbox_event {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "outbox")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub subject: String,
        pub envelope: Vec<u8>,
        pub created_at: DateTimeUtc,
        pub claimed_until: Option<DateTimeUtc>,
        pub published_at: Option<DateTimeUtc>,
        /// How often a relay claimed the event for publishing.
        pub claims: i32,
        /// When the event was refused because it can never be published as it is.
        pub refused_at: Option<DateTimeUtc>,
        pub refusal: Option<String>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use outbox_event::{ActiveModel, Column, Entity};

/// What an event says, what it is about and who caused it; the input of [`add`].
#[derive(Debug, Clone)]
pub struct NewEvent<'a> {
    pub service: &'a str,
    pub actor: &'a str,
    pub aggregate_id: &'a str,
    pub aggregate_version: u64,
    pub occurred_at: DateTime<Utc>,
    pub payload: Payload,
}

/// Adds an event to the transaction, with the next sequence of its aggregate. The event is published after
/// the commit.
///
/// # Errors
///
/// `EVENT_TOO_LARGE` if no bus would accept the event; the caller must not commit the change then. An
/// internal error if the registry does not list the service as an owner of the event.
pub async fn add(tx: &Tx, event: NewEvent<'_>) -> Result<Uuid> {
    let id = new_id();
    insert(tx, id, event).await?;
    Ok(id)
}

/// Like [`add`], under an id that the caller chooses. Returns false if an event with this id exists, which stays
/// unchanged. Events are cleared some time after they were published, so their consumers have to know ids longer.
///
/// Only for events without an aggregate: a repeated event would take a sequence, and copies find waiting events by the
/// time in their ids.
pub async fn add_once(tx: &Tx, id: Uuid, event: NewEvent<'_>) -> Result<bool> {
    if event.payload.entry().aggregate.is_some() {
        return Err(Error::internal(format!("{} has an aggregate", event.payload.entry().name)));
    }
    insert(tx, id, event).await
}

async fn insert(tx: &Tx, id: Uuid, mut event: NewEvent<'_>) -> Result<bool> {
    let entry = event.payload.entry();
    if !entry.owners.contains(&event.service) {
        return Err(Error::internal(format!("{} is not an event of {}", entry.name, event.service)));
    }
    let sequence = number(tx, entry.aggregate, &mut event).await?;
    let envelope = Envelope {
        id: id.to_string(),
        subject: entry.subject(event.service),
        occurred_at: Some(proto::timestamp(event.occurred_at)),
        actor: event.actor.to_owned(),
        aggregate_id: event.aggregate_id.to_owned(),
        aggregate_version: event.aggregate_version,
        traceparent: kit::trace::parent(),
        sequence,
        payload: Some(event.payload),
    };
    let bytes = envelope.encode_to_vec();
    if bytes.len() > MAX_BYTES {
        let size = format!("{} has {} bytes", envelope.subject, bytes.len());
        return Err(Error::invalid(
            "EVENT_TOO_LARGE",
            "This change is too large to save at once. Make it in smaller steps.",
        )
        .with_source(size));
    }
    let row = ActiveModel {
        id: Set(id),
        subject: Set(envelope.subject),
        envelope: Set(bytes),
        created_at: Set(event.occurred_at),
        claimed_until: Set(None),
        published_at: Set(None),
        claims: Set(0),
        refused_at: Set(None),
        refusal: Set(None),
    };
    let once = OnConflict::column(Column::Id).do_nothing().to_owned();
    let added = Entity::insert(row).on_conflict(once).exec_without_returning(&**tx).await.map_err(db)?;
    kit::fail_point("store.outbox.added");
    tx.events.store(true, std::sync::atomic::Ordering::Relaxed);
    Ok(added == 1)
}

/// Takes the next sequences of the event's aggregate and of the shipments that the event carries, in one
/// statement.
async fn number(tx: &Tx, aggregate: Option<&'static str>, event: &mut NewEvent<'_>) -> Result<u64> {
    let Some(aggregate) = aggregate else { return Ok(0) };
    let shipments = event.payload.shipments();
    let others = shipments.iter().map(|number| (SHIPMENT, number.as_str()));
    let abouts = [(aggregate, event.aggregate_id)].into_iter().chain(others);
    let numbers = sequence::next_each(tx, abouts).await?;
    let of = |aggregate, id: &str| {
        let number = numbers.get(&(aggregate, fold(id))).copied();
        number.ok_or_else(|| Error::internal("an aggregate without the number of its event"))
    };
    let sequence = of(aggregate, event.aggregate_id)?;
    let of_shipments: Vec<u64> =
        shipments.iter().map(|number| of(SHIPMENT, number)).collect::<Result<_>>()?;
    event.payload.set_sequence(sequence);
    event.payload.set_shipment_sequences(&of_shipments);
    Ok(sequence)
}

/// Returns how many events wait to be published.
pub async fn waiting(db_: &Db) -> Result<u64> {
    let waiting = Entity::find().filter(Column::PublishedAt.is_null()).filter(Column::RefusedAt.is_null());
    waiting.count(db_.read()).await.map_err(db)
}

/// Returns how many events can never be published as they are. They are kept until an administrator
/// decides.
pub async fn refused(db_: &Db) -> Result<u64> {
    refusals().count(db_.read()).await.map_err(db)
}

/// Selects the events that [`refused`] counts.
pub(crate) fn refusals() -> Select<Entity> {
    Entity::find().filter(Column::PublishedAt.is_null()).filter(Column::RefusedAt.is_not_null())
}
