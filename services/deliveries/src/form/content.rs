//! Converts the frozen content of a form version to what is printed.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use kit::{Error, Result};
use proto::deliveries::v1 as wire;

use super::{
    Counted, Customer, Driver, File, Form, Item, Organization, Outcome, ShownAttachment, ShownKind,
    Successor, Unshown, Variance, Without, words,
};
use crate::domain::attachment::Kind;
use crate::domain::delivery::{ScanMode, Status};
use crate::domain::line::Condition;
use crate::domain::state::Relation;

/// The data of a form version that is not part of its content.
#[derive(Debug, Clone)]
pub struct Issued {
    pub form_version: i32,
    pub issued_at: DateTime<Utc>,
    pub superseded_by: Option<Successor>,
    pub verification_code: String,
    /// Hexadecimal.
    pub content_hash: String,
    /// The address in the QR code.
    pub url: String,
}

/// Returns how an attachment is shown as a picture; `None` if it is only listed. Identity cards are only
/// listed, because the form leaves the company.
pub fn shown(attachment: &wire::Attachment) -> Option<ShownKind> {
    match kind(attachment) {
        Kind::Signature => Some(ShownKind::Signature),
        Kind::Photo => Some(ShownKind::Photo),
        Kind::Document | Kind::BarcodeImage | Kind::IdCheck | Kind::Other => None,
    }
}

/// Builds a form without its pictures, which are read later.
pub fn form(
    content: wire::FormContent,
    issued: Issued,
    organization: Organization,
    time_zone: Tz,
    without: Without,
) -> Result<Form> {
    let delivery = content.delivery.ok_or_else(|| Error::internal("a form without its delivery"))?;
    let status = Status::try_from(delivery.deliverystatus()).map_err(Error::internal)?;
    let outcome = (status != Status::Pending).then(|| outcome(&delivery, content.reason, &issued));
    let items = items(content.items, &content.variances, status != Status::Pending);
    let whole = content.variances.into_iter().filter(|variance| variance.item_number.is_none());
    let variances = whole.map(|variance| Variance {
        reason: variance.reason.or(variance.reason_code),
        note: variance.note,
        difference: variance.difference_thousandths,
    });
    // The outcome's reason is also recorded as a variance. Leave that variance out, so that the reason is
    // shown once.
    let told = |it: &Variance| {
        it.difference == 0
            && it.note.is_none()
            && it.reason == outcome.as_ref().and_then(|it| it.reason.clone())
    };
    let variances = variances.filter(|it| !told(it)).collect();
    let (pictures, files) = attachments(content.attachments, issued.issued_at);
    Ok(Form {
        organization,
        time_zone,
        status,
        attempt: delivery.attempt,
        max_attempts: delivery.max_attempts,
        form_version: issued.form_version,
        issued_at: issued.issued_at,
        correction_reason: content.correction_reason.filter(|reason| !reason.trim().is_empty()),
        superseded_by: issued.superseded_by,
        shipmentnumber: delivery.shipmentnumber,
        referencedoc: delivery.referencedoc,
        trucker: delivery.trucker,
        driver: delivery.driver_id.map(|id| Driver { id, name: content.driver_name }),
        customer: Customer {
            name: delivery.customername,
            address: delivery.customeraddress,
            contact_name: delivery.contact_name,
            contact_phone: delivery.contact_phone,
        },
        scheduledatetime: instant(delivery.scheduledatetime)
            .ok_or_else(|| Error::internal("a form without a dispatch time"))?,
        delivery_id: delivery.id,
        outcome,
        items,
        variances,
        pictures,
        files,
        verification_code: issued.verification_code,
        content_hash: issued.content_hash,
        url: issued.url,
        without,
    })
}

fn outcome(delivery: &wire::Delivery, reason: Option<String>, issued: &Issued) -> Outcome {
    let processed_at = instant(delivery.deliverydatetime).unwrap_or(issued.issued_at);
    Outcome {
        processed_at,
        occurred_at: instant(delivery.outcome_occurred_at).unwrap_or(processed_at),
        received_at: instant(delivery.outcome_received_at).unwrap_or(issued.issued_at),
        late: delivery.late,
        scanmode: ScanMode::try_from(delivery.scanmode()).unwrap_or(ScanMode::No),
        // If the content has no label for the reason, show the reason's code.
        reason: reason.or_else(|| delivery.outcome_reason.clone()),
        note: delivery.outcome_note.clone(),
        received_by: delivery.received_by.clone(),
        relation: delivery
            .received_by_relation
            .and_then(|it| Relation::try_from(wire::Relation::try_from(it).ok()?).ok()),
        distance: delivery.outcome_distance_m,
        accuracy: delivery.outcome_point.and_then(|point| point.accuracy),
    }
}

/// Returns the items, with counts once there is an outcome.
fn items(items: Vec<wire::DeliveryItem>, variances: &[wire::Variance], is_counted: bool) -> Vec<Item> {
    let of_line = |variance: &wire::Variance| Some((variance.item_number.clone()?, variance.reason.clone()));
    let mut reasons: HashMap<String, Option<String>> = variances.iter().filter_map(of_line).collect();
    let items = items.into_iter().map(|item| Item {
        counted: is_counted.then(|| Counted {
            delivered: item.delivered_thousandths,
            rejected: item.rejected_thousandths,
            condition: Condition::try_from(item.condition()).unwrap_or(Condition::Ok),
            reason: reasons.remove(&item.item_number).flatten().or(item.variance_reason.clone()),
            note: item.variance_note.clone(),
        }),
        item_number: item.item_number,
        sku: item.sku,
        description: item.description,
        unit: item.unit,
        expected: item.quantity_thousandths,
    });
    items.collect()
}

/// Splits attachments into pictures and files that are only listed.
fn attachments(
    attachments: Vec<wire::Attachment>,
    issued_at: DateTime<Utc>,
) -> (Vec<ShownAttachment>, Vec<File>) {
    let (mut pictures, mut files) = (Vec::new(), Vec::new());
    for attachment in attachments {
        let received_at = instant(attachment.received_at).unwrap_or(issued_at);
        let added_after_completion = attachment.added_after_completion;
        match shown(&attachment) {
            Some(kind) => pictures.push(ShownAttachment {
                id: attachment.id,
                url: attachment.url,
                content_type: attachment.content_type,
                kind,
                picture: Err(Unshown::Unreadable),
                item: attachment.item_number,
                note: attachment.note,
                captured_at: instant(attachment.captured_at).unwrap_or(received_at),
                received_at,
                added_after_completion,
            }),
            None => files.push(File {
                kind: words::file(kind(&attachment)),
                filename: attachment.filename,
                received_at,
                added_after_completion,
            }),
        }
    }
    (pictures, files)
}

fn instant(at: Option<prost_types::Timestamp>) -> Option<DateTime<Utc>> {
    proto::instant(at?)
}

fn kind(attachment: &wire::Attachment) -> Kind {
    attachment.kind.parse().unwrap_or(Kind::Other)
}
