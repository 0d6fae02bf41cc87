//! Signature, photos, and files that are only listed.

use chrono::TimeDelta;
use proto::deliveries::v1 as wire;

use super::{filled, notice, short};
use crate::domain::delivery::Status;
use crate::form::{Form, ShownAttachment, ShownKind, words};

/// Maximum number of photos that are shown; further photos are only counted.
const MAX_PHOTOS: usize = 20;
/// Maximum characters of a note below a photo.
const MAX_CAPTION: usize = 120;
/// A file received more than this after it was captured is late. Outcomes have the same limit.
const LATE: TimeDelta = TimeDelta::minutes(30);

/// Splits pictures into the latest signature, which is the valid one, and the photos. Earlier signatures are
/// among the photos, so that none is hidden. Without an outcome, no signature is valid.
fn sorted(form: &Form) -> (Option<&ShownAttachment>, Vec<&ShownAttachment>) {
    let last = form.pictures.iter().rposition(|it| it.kind == ShownKind::Signature);
    let last = last.filter(|_| form.outcome.is_some());
    let others = form.pictures.iter().enumerate().filter(|(at, _)| Some(*at) != last);
    (last.map(|at| &form.pictures[at]), others.map(|(_, it)| it).collect())
}

pub fn has_photos(form: &Form) -> bool {
    !sorted(form).1.is_empty()
}

/// Returns whether a note is the caption of a photo.
pub fn has_notes(form: &Form) -> bool {
    sorted(form).1.iter().take(MAX_PHOTOS).any(|it| filled(it.note.as_deref()).is_some())
}

pub fn pictures(form: &Form) -> (Option<wire::FormSignature>, Option<wire::FormPictures>) {
    let (signature, photos) = sorted(form);
    let shown = photos.iter().take(MAX_PHOTOS).zip(1..).map(|(it, number)| photo(form, it, number)).collect();
    let more = photos.len().saturating_sub(MAX_PHOTOS);
    let photos = (!photos.is_empty()).then(|| wire::FormPictures {
        label: "Photos".to_owned(),
        pictures: shown,
        more: if more > 0 { format!("{more} more are kept with the delivery.") } else { String::new() },
    });
    (signed(form, signature), photos)
}

/// Describes the signature; `None` for a failed attempt with neither signature nor recipient.
fn signed(form: &Form, signature: Option<&ShownAttachment>) -> Option<wire::FormSignature> {
    let outcome = form.outcome.as_ref();
    let name = outcome.and_then(|it| filled(it.received_by.as_deref()));
    let label = match form.status {
        Status::Pending | Status::CompleteNoVariance | Status::CompleteWithVariance => {
            "Received in the quantities above"
        }
        Status::Undelivered | Status::Rejected if signature.is_none() && name.is_none() => return None,
        Status::Undelivered | Status::Rejected => "Signature",
    };
    let Some(outcome) = outcome else {
        // Room to sign the printed form with a pen.
        let details = vec!["Name, signature, date and time".to_owned()];
        return Some(wire::FormSignature { label: label.to_owned(), details, ..Default::default() });
    };
    let at = signature.map(|it| format!("signed {}", words::date_time(it.captured_at, form.time_zone)));
    let relation = outcome.relation.map(|it| words::relation(it).to_owned());
    let said: Vec<_> = [relation, at].into_iter().flatten().collect();
    let mut details = Vec::new();
    if !said.is_empty() {
        details.push(said.join(" · "));
    }
    details.extend(signature.and_then(|it| received(form, it)));
    let alt = format!("Signature of {}", name.unwrap_or("the recipient"));
    Some(wire::FormSignature {
        label: label.to_owned(),
        absent: if signature.is_none() { "No signature".to_owned() } else { String::new() },
        picture: signature.map(|it| wire::FormPicture { alt, ..picture(it) }),
        name: name.unwrap_or("No recipient recorded").to_owned(),
        details,
        marks: signature.map(marks).unwrap_or_default(),
    })
}

fn photo(form: &Form, attachment: &ShownAttachment, number: usize) -> wire::FormPicture {
    let note = filled(attachment.note.as_deref()).filter(|_| !form.without.notes).map(str::to_owned);
    let item = || filled(attachment.item.as_deref()).map(|it| format!("Item {it}"));
    let what = note.or_else(item).unwrap_or_else(|| match attachment.kind {
        ShownKind::Photo => "Photo".to_owned(),
        ShownKind::Signature => "Earlier signature".to_owned(),
    });
    let time = words::time_beside(attachment.captured_at, form.scheduledatetime, form.time_zone);
    let caption = format!("{number}. {}", short(&what, MAX_CAPTION));
    let details = [Some(time), received(form, attachment)].into_iter().flatten().collect();
    wire::FormPicture {
        alt: caption.clone(),
        caption,
        details,
        marks: marks(attachment),
        ..picture(attachment)
    }
}

fn picture(attachment: &ShownAttachment) -> wire::FormPicture {
    let what = match attachment.kind {
        ShownKind::Photo => "photo",
        ShownKind::Signature => "signature",
    };
    wire::FormPicture {
        attachment_id: attachment.id.clone(),
        url: attachment.url.clone(),
        content_type: attachment.content_type.clone(),
        unreadable: format!("This {what} can't be shown"),
        damaged: format!("This {what} was changed after it was added"),
        ..Default::default()
    }
}

fn is_late(attachment: &ShownAttachment) -> bool {
    attachment.received_at - attachment.captured_at > LATE
}

fn marks(attachment: &ShownAttachment) -> Vec<String> {
    let marks = [(attachment.added_after_completion, "Added later"), (is_late(attachment), "Uploaded late")];
    marks.into_iter().filter(|(is_shown, _)| *is_shown).map(|(_, word)| word.to_owned()).collect()
}

/// Returns when the file was received, if it came late or after the outcome.
fn received(form: &Form, attachment: &ShownAttachment) -> Option<String> {
    (attachment.added_after_completion || is_late(attachment))
        .then(|| format!("Received {}", words::date_time(attachment.received_at, form.time_zone)))
}

/// Lists further files. Pictures of identity cards are among them, because the form leaves the company.
pub fn files(form: &Form) -> Option<wire::FormFiles> {
    let named = form.files.iter().map(|file| {
        let lead = match file.added_after_completion {
            true => {
                format!("{}, added later {}.", file.kind, words::date_time(file.received_at, form.time_zone))
            }
            false => format!("{}.", file.kind),
        };
        notice(&lead, file.filename.clone(), false)
    });
    let files: Vec<_> = named.collect();
    (!files.is_empty()).then(|| wire::FormFiles { label: "Also kept with the delivery".to_owned(), files })
}
