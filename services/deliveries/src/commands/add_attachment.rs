//! Adds a file to a delivery.
//!
//! `rpc::proof` checks and stores the file; `attachments` handles file types and storage.

use ::store::filter::fold;
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use proto::events::DeliveryChangeKind;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};

use crate::Context;
use crate::commands::write;
use crate::domain::actor::Actor;
use crate::domain::allowed::{self, Action};
use crate::domain::attachment::{Kind, Origin};
use crate::domain::driver::require_own;
use crate::domain::proof::added_after_completion;
use crate::domain::state::Place;
use crate::entity::{attachment, delivery, item};
use crate::events::change::Changed;
use crate::events::emit;
use crate::queries::reasons;
use crate::tables::attachment_links::{self, Link};
use crate::tables::attachments::by_object;
use crate::tables::{deliveries, drivers, shipments, variances};

/// A checked file to store as proof.
#[derive(Debug, Clone)]
pub struct New {
    pub object_key: String,
    /// Id of the user who uploads the file.
    pub uploaded_by: String,
    /// The attempt that the file proves; `None` means the current one.
    pub attempt: Option<u32>,
    pub url: String,
    pub filename: String,
    pub content_type: &'static str,
    pub size_bytes: usize,
    pub sha256: Vec<u8>,
    pub size: Option<(u32, u32)>,
    pub kind: Kind,
    pub item_number: Option<String>,
    /// When the file was made, by the device's clock; `None` means now.
    pub captured_at: Option<DateTime<Utc>>,
    pub place: Option<Place>,
    pub note: Option<String>,
    pub actor: Actor,
}

/// Adds a file to an attempt of a delivery. Adding the same object again returns the same attachment.
pub async fn add(context: &Context, delivery_id: &str, new: &New) -> Result<attachment::Model> {
    write(&context.db, |tx| async move {
        let kept = add_in(&tx, context, delivery_id, new).await?;
        Ok((tx, kept))
    })
    .await
}

async fn add_in(tx: &Tx, context: &Context, delivery_id: &str, new: &New) -> Result<attachment::Model> {
    use attachment::Column as C;
    // Lock the delivery until the transaction ends: the count of files must stay right, and an outcome must
    // come either before or after this file.
    let (delivery, items) = deliveries::lock(tx, delivery_id).await?;
    let now = context.clock.now();
    drivers::require_permitted(&**tx, &new.actor).await?;
    require_own(delivery_id, delivery.driver_id.as_deref(), &new.actor)?;
    allowed::require(Action::AddEvidence, &delivery.id, &delivery, &new.actor)?;
    if let Some(known) = by_object(&**tx, &new.object_key).await? {
        return of_delivery(known, &delivery.id_key);
    }
    let attempt = attempt_of(&delivery, new.attempt)?;
    let made_at = new.captured_at.filter(|_| new.actor.is_driver());
    let rules = made_at.map_or_else(|| context.rules(), |at| context.rules_at(at));
    let most = rules.max_attachments;
    let of_attempt =
        attachment::Entity::find().filter(C::DeliveryKey.eq(&delivery.id_key)).filter(C::Attempt.eq(attempt));
    if of_attempt.count(&**tx).await.map_err(db)? >= most {
        let text =
            format!("Attempt {attempt} of {} has {most} files already, which is the maximum", delivery.id);
        return Err(Error::precondition("ATTACHMENTS_FULL", text));
    }
    let item = match &new.item_number {
        Some(number) => Some(item_of(&delivery, &items, number)?),
        None => None,
    };
    let link = Link { object_key: &new.object_key, delivery_key: &delivery.id_key, by: &new.uploaded_by };
    attachment_links::use_up(tx, link).await?;
    let row = row_of(&delivery, attempt, item, new, now)?;
    attachment::Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    let kept = by_object(&**tx, &new.object_key).await?;
    let kept = kept.ok_or_else(|| Error::internal("an attachment vanished"))?;
    notify(tx, context, &delivery, new, now).await?;
    Ok(kept)
}

/// Returns the attempt that a file proves. A device that was offline may know an earlier one than the office.
fn attempt_of(delivery: &delivery::Model, named: Option<u32>) -> Result<i32> {
    let Some(named) = named else { return Ok(delivery.attempt) };
    let known = i32::try_from(named).ok().filter(|attempt| (1..=delivery.attempt).contains(attempt));
    known.ok_or_else(|| {
        Error::invalid_field("attempt", format!("Attempt must be between 1 and {}", delivery.attempt))
    })
}

fn row_of(
    delivery: &delivery::Model,
    attempt: i32,
    item: Option<&item::Model>,
    new: &New,
    now: DateTime<Utc>,
) -> Result<attachment::ActiveModel> {
    let New {
        object_key,
        uploaded_by: _,
        attempt: _,
        url,
        filename,
        content_type,
        size_bytes,
        sha256,
        size,
        kind,
        item_number: _,
        captured_at,
        place,
        note,
        actor,
    } = new.clone();
    // An earlier attempt is over, and the outcome of the present one says nothing about it.
    let is_later = attempt < delivery.attempt || added_after_completion(delivery.outcome_received_at, now);
    Ok(attachment::ActiveModel {
        id: Set(new_id()),
        delivery_key: Set(delivery.id_key.clone()),
        delivery_id: Set(delivery.id.clone()),
        attempt: Set(attempt),
        item_key: Set(item.map(|item| item.item_key.clone())),
        item_number: Set(item.map(|item| item.item_number.clone())),
        kind: Set(kind),
        object_key: Set(object_key),
        url: Set(url),
        filename: Set(filename),
        content_type: Set(content_type.to_owned()),
        size_bytes: Set(i64::try_from(size_bytes).map_err(Error::internal)?),
        sha256: Set(sha256),
        width: Set(size.and_then(|(width, _)| width.try_into().ok())),
        height: Set(size.and_then(|(_, height)| height.try_into().ok())),
        captured_at: Set(captured_at.unwrap_or(now)),
        received_at: Set(now),
        lat: Set(place.map(|place| place.lat)),
        lng: Set(place.map(|place| place.lng)),
        accuracy: Set(place.and_then(|place| place.accuracy)),
        captured_by: Set(actor.name().to_owned()),
        source: Set(Origin::of(actor.kind())),
        added_after_completion: Set(is_later),
        note: Set(note),
    })
}

/// Emits the event for open screens; the delivery and its version stay unchanged.
async fn notify(
    tx: &Tx,
    context: &Context,
    delivery: &delivery::Model,
    new: &New,
    now: DateTime<Utc>,
) -> Result<()> {
    let catalogue = reasons::catalogue(&**tx).await?;
    let numbers = [delivery.shipmentnumber.clone()];
    let shipments = shipments::roll_up(tx, &numbers, context.rules().undelivered_is_final).await?;
    let changed = Changed {
        delivery,
        kind: DeliveryChangeKind::AttachmentAdded,
        actor: new.actor.name(),
        variances: &variances::of_attempt(tx, delivery).await?,
        shipments: &shipments,
        left: None,
        before: Some(delivery),
    };
    emit::delivery_changed(tx, changed, &catalogue, now).await
}

/// Returns whether the actor is the one who added this attachment to the delivery, and so repeats the request.
pub fn is_repeated(known: &attachment::Model, delivery_id: &str, actor: &Actor) -> bool {
    known.delivery_key == fold(delivery_id) && known.captured_by == actor.name()
}

/// Refuses an attachment of another delivery.
pub fn of_delivery(attachment: attachment::Model, delivery_key: &str) -> Result<attachment::Model> {
    if attachment.delivery_key == delivery_key {
        return Ok(attachment);
    }
    let text = "The file belongs to another delivery. Upload it again.";
    Err(Error::already_exists("ATTACHMENT_EXISTS", text).field("url", text))
}

fn item_of<'a>(
    delivery: &delivery::Model,
    items: &'a [item::Model],
    number: &str,
) -> Result<&'a item::Model> {
    let key = fold(number);
    let found = items.iter().find(|item| item.item_key == key);
    found.ok_or_else(|| Error::invalid_field("itemNumber", format!("{} has no item {number}", delivery.id)))
}
