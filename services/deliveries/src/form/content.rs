//! From the frozen content of a version to what is printed of it.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use kit::{Error, Result};
use proto::deliveries::v1 as wire;

use super::picture::Picture;
use super::{
    Counted, Customer, Evidence, EvidenceKind, File, Form, Item, Organization, Outcome, Successor, Unshown,
    Variance, words,
};
use crate::domain::attachment::Kind;
use crate::domain::delivery::{ScanMode, Status};
use crate::domain::line::Condition;
use crate::domain::state::{Place, Relation};

/// What is known of a version beside its content.
#[derive(Debug, Clone)]
pub struct Issued {
    pub form_version: i32,
    pub issued_at: DateTime<Utc>,
    pub superseded_by: Option<Successor>,
    pub verification_code: String,
    /// What the QR code opens.
    pub url: String,
}

/// Pictures by the id of their attachment.
pub type Pictures = HashMap<String, Result<Picture, Unshown>>;

/// Whether an attachment is shown as a picture, and as which. An identity card is named and not
/// shown: the form leaves the house.
pub fn shown(attachment: &wire::Attachment) -> Option<EvidenceKind> {
    match kind(attachment) {
        Kind::Signature => Some(EvidenceKind::Signature),
        Kind::Photo => Some(EvidenceKind::Photo),
        Kind::Document | Kind::BarcodeImage | Kind::IdCheck | Kind::Other => None,
    }
}

pub fn form(
    content: wire::FormContent,
    issued: Issued,
    mut pictures: Pictures,
    organization: Organization,
    time_zone: Tz,
) -> Result<Form> {
    let delivery = content.delivery.ok_or_else(|| Error::internal("a form without its delivery"))?;
    let status = Status::try_from(delivery.deliverystatus()).map_err(Error::internal)?;
    let instant = |at: Option<_>| at.and_then(proto::instant);
    let outcome = (status != Status::Pending).then(|| {
        let processed_at = instant(delivery.deliverydatetime).unwrap_or(issued.issued_at);
        Outcome {
            processed_at,
            occurred_at: instant(delivery.outcome_occurred_at).unwrap_or(processed_at),
            received_at: instant(delivery.outcome_received_at).unwrap_or(issued.issued_at),
            late: delivery.late,
            scanmode: ScanMode::try_from(delivery.scanmode()).unwrap_or(ScanMode::No),
            // The code says something, where nobody froze the label.
            reason: content.reason.or_else(|| delivery.outcome_reason.clone()),
            note: delivery.outcome_note.clone(),
            received_by: delivery.received_by.clone(),
            relation: delivery
                .received_by_relation
                .and_then(|it| Relation::try_from(wire::Relation::try_from(it).ok()?).ok()),
            place: delivery.outcome_point.and_then(place),
            distance: delivery.outcome_distance_m,
        }
    });
    let of_line = |variance: &wire::Variance| Some((variance.item_number.clone()?, variance.reason.clone()));
    let mut reasons: HashMap<String, Option<String>> = content.variances.iter().filter_map(of_line).collect();
    let items = content.items.into_iter().map(|item| Item {
        counted: (status != Status::Pending).then(|| Counted {
            delivered: item.delivered_thousandths,
            rejected: item.rejected_thousandths,
            condition: Condition::try_from(item.condition()).unwrap_or(Condition::Ok),
            reason: reasons.remove(&item.item_number).flatten().or(item.variance_reason.clone()),
            note: item.variance_note.clone(),
        }),
        item_number: item.item_number,
        description: item.description,
        unit: item.unit,
        expected: item.quantity_thousandths,
    });
    let items = items.collect();
    let whole = content.variances.into_iter().filter(|variance| variance.item_number.is_none());
    let variances = whole.map(|variance| Variance {
        reason: variance.reason.or(variance.reason_code),
        note: variance.note,
        difference: variance.difference_thousandths,
    });
    // The reason of the outcome stands as a variance too, and is told once.
    let told = |it: &Variance| {
        it.difference == 0
            && it.note.is_none()
            && it.reason == outcome.as_ref().and_then(|it| it.reason.clone())
    };
    let variances = variances.filter(|it| !told(it)).collect();
    let (mut evidence, mut files) = (Vec::new(), Vec::new());
    for attachment in content.attachments {
        let received_at = instant(attachment.received_at).unwrap_or(issued.issued_at);
        let added_after_completion = attachment.added_after_completion;
        match shown(&attachment) {
            Some(kind) => evidence.push(Evidence {
                kind,
                picture: pictures.remove(&attachment.id).unwrap_or(Err(Unshown::LeftOut)),
                caption: attachment.note.or_else(|| attachment.item_number.map(|it| format!("Item {it}"))),
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
        driver: delivery.driver_id,
        customer: Customer {
            name: delivery.customername,
            address: delivery.customeraddress,
            contact_name: delivery.contact_name,
            contact_phone: delivery.contact_phone,
            place: delivery.address_point.and_then(place),
        },
        scheduledatetime: instant(delivery.scheduledatetime)
            .ok_or_else(|| Error::internal("a form without a dispatch time"))?,
        delivery_id: delivery.id,
        outcome,
        items,
        variances,
        evidence,
        files,
        verification_code: issued.verification_code,
        url: issued.url,
    })
}

fn kind(attachment: &wire::Attachment) -> Kind {
    attachment.kind.parse().unwrap_or(Kind::Other)
}

fn place(point: wire::GeoPoint) -> Option<Place> {
    Some(Place::from(point)).filter(|place| place.is_on_earth())
}
