//! What proves an outcome: attachments, and the versions of the delivery form.
//!
//! Rows are only ever added. A change of a delivery asks [`given`] what there is of proof, and calls
//! [`issue_form`] when `domain::transition` says that a version is to be issued, both in its own
//! transaction. A version is replaced by the next one being there.

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use prost::Message;
use proto::deliveries::v1::FormContent;
use proto::events::DeliveryChangeKind;
use ring::digest::{SHA256, digest};
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::attachment_links::{self, Link};
use super::{deliveries, drivers, reasons, shipments, variances, write};
use crate::Context;
use crate::domain::actor::Actor;
use crate::domain::allowed::{self, Action};
use crate::domain::attachment::{Kind, Origin};
use crate::domain::delivery::Status;
use crate::domain::driver::require_own;
use crate::domain::proof::added_after_completion;
use crate::domain::state::Place;
use crate::entity::{attachment, delivery, form, item};
use crate::events::change::Changed;
use crate::events::emit;
use ::store::filter::fold;
use ::store::{Db, Tx, db};

/// Rows of one attempt that are read at most; fewer can be added.
const MAX_OF_ATTEMPT: u64 = 1_000;
/// Rows that one batch of deliveries may bring along.
const MAX_CHILDREN: u64 = 100_000;

/// What an attempt is proved with so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    pub signature: bool,
    pub photo: bool,
}

pub async fn given(tx: &Tx, delivery_key: &str, attempt: i32) -> Result<Given> {
    use attachment::Column as C;
    let kinds: Vec<Kind> = attachment::Entity::find()
        .select_only()
        .column(C::Kind)
        .distinct()
        .filter(C::DeliveryKey.eq(delivery_key))
        .filter(C::Attempt.eq(attempt))
        .into_tuple()
        .all(&**tx)
        .await
        .map_err(db)?;
    Ok(Given { signature: kinds.contains(&Kind::Signature), photo: kinds.contains(&Kind::Photo) })
}

/// A file that was looked at and is to be kept as proof.
#[derive(Debug, Clone)]
pub struct New {
    pub object_key: String,
    /// Id of a user.
    pub uploaded_by: String,
    pub url: String,
    pub filename: String,
    pub content_type: &'static str,
    pub size_bytes: usize,
    pub sha256: Vec<u8>,
    pub size: Option<(u32, u32)>,
    pub kind: Kind,
    pub item_number: Option<String>,
    /// As the device says; absent: now.
    pub captured_at: Option<DateTime<Utc>>,
    pub place: Option<Place>,
    pub note: Option<String>,
    pub actor: Actor,
}

/// Adds a file to the present attempt of a delivery. The same object again gives the same attachment.
pub async fn add(context: &Context, delivery_id: &str, new: &New) -> Result<attachment::Model> {
    write(&context.db, |tx| async move {
        let kept = add_in(&tx, context, delivery_id, new).await?;
        Ok((tx, kept))
    })
    .await
}

async fn add_in(tx: &Tx, context: &Context, delivery_id: &str, new: &New) -> Result<attachment::Model> {
    use attachment::Column as C;
    // Held to the end: so the count stays true, and an outcome comes before or after, not between.
    let (delivery, items) = deliveries::lock(tx, delivery_id).await?;
    let now = context.clock.now();
    drivers::require_permitted(&**tx, &new.actor).await?;
    require_own(delivery_id, delivery.driver_id.as_deref(), &new.actor)?;
    allowed::require(Action::AddEvidence, &delivery.id, &delivery, &new.actor)?;
    if let Some(known) = by_object(&**tx, &new.object_key).await? {
        return of_delivery(known, &delivery.id_key);
    }
    let most = context.rules().max_attachments;
    let of_attempt = attachment::Entity::find()
        .filter(C::DeliveryKey.eq(&delivery.id_key))
        .filter(C::Attempt.eq(delivery.attempt));
    if of_attempt.count(&**tx).await.map_err(db)? >= most {
        let text = format!(
            "Attempt {} of {} has {most} files, and no more are taken",
            delivery.attempt, delivery.id
        );
        return Err(Error::precondition("ATTACHMENTS_FULL", text));
    }
    let item = match &new.item_number {
        Some(number) => Some(item_of(&delivery, &items, number)?),
        None => None,
    };
    let link = Link { object_key: &new.object_key, delivery_key: &delivery.id_key, by: &new.uploaded_by };
    attachment_links::use_up(tx, link).await?;
    let row = row_of(&delivery, item, new, now)?;
    attachment::Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    let kept = by_object(&**tx, &new.object_key).await?;
    let kept = kept.ok_or_else(|| Error::internal("an attachment vanished"))?;
    tell(tx, context, &delivery, new, now).await?;
    Ok(kept)
}

fn row_of(
    delivery: &delivery::Model,
    item: Option<&item::Model>,
    new: &New,
    now: DateTime<Utc>,
) -> Result<attachment::ActiveModel> {
    let New {
        object_key,
        uploaded_by: _,
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
    Ok(attachment::ActiveModel {
        id: Set(new_id()),
        delivery_key: Set(delivery.id_key.clone()),
        delivery_id: Set(delivery.id.clone()),
        attempt: Set(delivery.attempt),
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
        added_after_completion: Set(added_after_completion(delivery.outcome_received_at, now)),
        note: Set(note),
    })
}

/// Whoever looks at the delivery sees the file; the delivery stays as it is, its version too.
async fn tell(
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

/// The attachment that an object is.
pub async fn by_object(
    connection: &impl ConnectionTrait,
    object_key: &str,
) -> Result<Option<attachment::Model>> {
    let found = attachment::Entity::find().filter(attachment::Column::ObjectKey.eq(object_key));
    found.one(connection).await.map_err(db)
}

/// Refuses an attachment of another delivery.
pub fn of_delivery(attachment: attachment::Model, delivery_key: &str) -> Result<attachment::Model> {
    if attachment.delivery_key == delivery_key {
        return Ok(attachment);
    }
    let text = "The file belongs to another delivery. Upload it again.";
    Err(Error::already_exists("ATTACHMENT_EXISTS", text).field("url", text))
}

/// Attachments of several deliveries, oldest first.
pub async fn attachments(db_: &Db, ids: &[String]) -> Result<Vec<attachment::Model>> {
    use attachment::Column as C;
    attachment::Entity::find()
        .filter(C::DeliveryKey.is_in(ids.iter().map(|id| fold(id))))
        .order_by_asc(C::ReceivedAt)
        .order_by_asc(C::Id)
        .limit(MAX_CHILDREN)
        .all(db_.read())
        .await
        .map_err(db)
}

/// Freezes what is known of an outcome as a version of the form. The attachments are those that the
/// attempt has now.
pub async fn issue_form(
    tx: &Tx,
    mut content: FormContent,
    form_version: i32,
    issued_by: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    let delivery = content.delivery.as_ref().ok_or_else(|| Error::internal("a form without its delivery"))?;
    let attempt = i32::try_from(delivery.attempt).map_err(Error::internal)?;
    let attachments = of_attempt(&**tx, &fold(&delivery.id), attempt).await?;
    content.attachments = attachments.into_iter().map(Into::into).collect();
    let row = form_row(content, form_version, issued_by, now)?;
    form::Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

/// A version with its content as it is; what is for nobody but the office, or true of the caller
/// alone, is left out.
pub fn form_row(
    mut content: FormContent,
    form_version: i32,
    issued_by: &str,
    now: DateTime<Utc>,
) -> Result<form::ActiveModel> {
    let delivery = content.delivery.as_mut().ok_or_else(|| Error::internal("a form without its delivery"))?;
    delivery.allowed_actions.clear();
    delivery.internal_note = None;
    let status = Status::try_from(delivery.deliverystatus()).map_err(Error::internal)?;
    let attempt = i32::try_from(delivery.attempt).map_err(Error::internal)?;
    let (delivery_id, delivery_key) = (delivery.id.clone(), fold(&delivery.id));
    let content = content.encode_to_vec();
    Ok(form::ActiveModel {
        delivery_key: Set(delivery_key),
        form_version: Set(form_version),
        delivery_id: Set(delivery_id),
        attempt: Set(attempt),
        status: Set(status),
        issued_at: Set(now),
        issued_by: Set(issued_by.to_owned()),
        content_hash: Set(digest(&SHA256, &content).as_ref().to_vec()),
        content: Set(content),
    })
}

/// A version without its content.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Heading {
    pub delivery_key: String,
    pub form_version: i32,
    pub delivery_id: String,
    pub attempt: i32,
    pub status: Status,
    pub issued_at: DateTime<Utc>,
    pub issued_by: String,
    pub content_hash: Vec<u8>,
}

impl Heading {
    /// Takes the content away.
    fn of(row: form::Model) -> (Self, Vec<u8>) {
        let form::Model {
            delivery_key,
            form_version,
            delivery_id,
            attempt,
            status,
            issued_at,
            issued_by,
            content,
            content_hash,
        } = row;
        let heading = Self {
            delivery_key,
            form_version,
            delivery_id,
            attempt,
            status,
            issued_at,
            issued_by,
            content_hash,
        };
        (heading, content)
    }
}

/// The versions of the forms of several deliveries, newest first.
pub async fn headings(db_: &Db, ids: &[String]) -> Result<Vec<Heading>> {
    use form::Column as C;
    let columns = [
        C::DeliveryKey,
        C::FormVersion,
        C::DeliveryId,
        C::Attempt,
        C::Status,
        C::IssuedAt,
        C::IssuedBy,
        C::ContentHash,
    ];
    form::Entity::find()
        .select_only()
        .columns(columns)
        .filter(C::DeliveryKey.is_in(ids.iter().map(|id| fold(id))))
        .order_by_asc(C::DeliveryKey)
        .order_by_desc(C::FormVersion)
        .limit(MAX_CHILDREN)
        .into_model()
        .all(db_.read())
        .await
        .map_err(db)
}

/// A version as it was issued, and what came after it.
#[derive(Debug, Clone)]
pub struct Issued {
    pub heading: Heading,
    pub content: FormContent,
    /// The next version.
    pub successor: Option<Heading>,
}

/// One version, or the newest. Attachments that came later are among the frozen ones, and marked.
pub async fn form(db_: &Db, delivery_id: &str, form_version: u32) -> Result<Issued> {
    use form::Column as C;
    let versions = headings(db_, &[delivery_id.to_owned()]).await?;
    let Some(newest) = versions.first() else {
        // Says that there is no such delivery, when there is none.
        let delivery = deliveries::get(db_, delivery_id).await?;
        let text = format!("{} has no form yet: one is issued with its outcome", delivery.id);
        return Err(Error::not_found("FORM_NOT_FOUND", text));
    };
    let wanted = match form_version {
        0 => newest.form_version,
        version => i32::try_from(version).unwrap_or(i32::MAX),
    };
    let unknown = || {
        let text = format!(
            "The form of {} has no version {wanted}; its newest is {}",
            newest.delivery_id, newest.form_version
        );
        Error::not_found("FORM_NOT_FOUND", text)
    };
    let form = form::Entity::find()
        .filter(C::DeliveryKey.eq(&newest.delivery_key))
        .filter(C::FormVersion.eq(wanted))
        .one(db_.read())
        .await
        .map_err(db)?
        .ok_or_else(unknown)?;
    let (heading, content) = Heading::of(form);
    let mut content = FormContent::decode(content.as_slice()).map_err(Error::internal)?;
    let later = of_attempt(db_.read(), &heading.delivery_key, heading.attempt).await?.into_iter();
    let later = later.filter(|row| content.attachments.iter().all(|frozen| frozen.id != row.id.to_string()));
    let later: Vec<_> =
        later.map(|row| attachment::Model { added_after_completion: true, ..row }.into()).collect();
    content.attachments.extend(later);
    let successor = versions.into_iter().find(|version| version.form_version == wanted + 1);
    Ok(Issued { heading, content, successor })
}

/// Oldest first.
async fn of_attempt(
    connection: &impl ConnectionTrait,
    delivery_key: &str,
    attempt: i32,
) -> Result<Vec<attachment::Model>> {
    use attachment::Column as C;
    attachment::Entity::find()
        .filter(C::DeliveryKey.eq(delivery_key))
        .filter(C::Attempt.eq(attempt))
        .order_by_asc(C::ReceivedAt)
        .order_by_asc(C::Id)
        .limit(MAX_OF_ATTEMPT)
        .all(connection)
        .await
        .map_err(db)
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
