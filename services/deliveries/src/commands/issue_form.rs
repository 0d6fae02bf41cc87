//! Issues a version of the delivery form when `domain::transition` requires one, in the transaction of the
//! change. Versions are never changed or deleted.

use ::store::filter::fold;
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::{Error, Result};
use prost::Message;
use proto::deliveries::v1::FormContent;
use ring::digest::{SHA256, digest};
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;

use crate::domain::delivery::Status;
use crate::entity::form;
use crate::tables::attachments::of_attempt;

/// Stores a delivery and its outcome as a version of the form, with the attempt's current attachments.
pub async fn issue(
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

/// Returns the row of a version with its encoded content, without data that only the office may see or that
/// depends on the caller.
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

#[cfg(test)]
mod tests {
    use proto::deliveries::v1::{Delivery, DeliveryStatus};

    use super::*;

    #[test]
    fn a_form_leaves_out_what_only_the_office_or_the_caller_may_see() {
        let delivery = Delivery {
            id: "DR-1".into(),
            deliverystatus: DeliveryStatus::Rejected.into(),
            attempt: 1,
            ..Delivery::default()
        };
        let seen = Delivery {
            internal_note: Some("Pays late".into()),
            allowed_actions: vec!["add_evidence".into()],
            ..delivery.clone()
        };
        let content = FormContent { delivery: Some(seen), ..FormContent::default() };
        let row = form_row(content, 1, "ana", DateTime::UNIX_EPOCH).unwrap();
        let stored = FormContent::decode(row.content.unwrap().as_slice()).unwrap();
        assert_eq!(stored.delivery, Some(delivery));
    }
}
