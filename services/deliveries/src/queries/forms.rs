//! Versions of delivery forms. A later version replaces the one before it.

use ::store::filter::fold;
use ::store::{Db, db};
use chrono::{DateTime, Utc};
use kit::blob::Blob;
use kit::{Error, Result};
use prost::Message;
use proto::deliveries::v1::{Attachment, FormContent};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};

use crate::attachments::storage;
use crate::domain::delivery::Status;
use crate::entity::form;
use crate::queries::{MAX_CHILDREN, deliveries};
use crate::tables::attachments::of_attempt;

/// A form version without its content.
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
    /// Splits a row into heading and content.
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

/// Returns the form versions of several deliveries, newest first.
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
        .limit(MAX_CHILDREN as u64)
        .into_model()
        .all(db_.read())
        .await
        .map_err(db)
}

/// A form version as issued, and the version that replaced it.
#[derive(Debug, Clone)]
pub struct Issued {
    pub heading: Heading,
    pub content: FormContent,
    /// The version that replaced this one, if any.
    pub successor: Option<Heading>,
}

/// Returns one version, or the newest one if `form_version` is 0. Includes attachments that were added later,
/// marked as such. All have their present URLs.
pub async fn get(db_: &Db, blob: &Blob, delivery_id: &str, form_version: u32) -> Result<Issued> {
    use form::Column as C;
    let versions = headings(db_, &[delivery_id.to_owned()]).await?;
    let Some(newest) = versions.first() else {
        // Fails here if the delivery does not exist.
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
    let successor = versions.into_iter().find(|version| version.form_version == wanted + 1);
    // What came after the next version of the same attempt belongs to that version.
    let next = successor.as_ref().filter(|it| it.attempt == heading.attempt).map(|it| it.issued_at);
    for row in of_attempt(db_.read(), &heading.delivery_key, heading.attempt).await? {
        let is_later = next.is_some_and(|next| row.received_at > next);
        if is_later {
            continue;
        }
        let present = storage::to_wire(blob, row)?;
        match content.attachments.iter_mut().find(|frozen| frozen.id == present.id) {
            Some(frozen) => frozen.url = present.url,
            None => content.attachments.push(Attachment { added_after_completion: true, ..present }),
        }
    }
    Ok(Issued { heading, content, successor })
}
