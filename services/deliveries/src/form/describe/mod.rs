//! The texts of the delivery form, in reading order.
//!
//! The screen, its print and the PDF show exactly this description, so they cannot differ. A value that is
//! unknown has no row. `items` builds the table, `proof` the signature, photos and files.

mod items;
mod proof;

use proto::deliveries::v1 as wire;

use super::{Form, Outcome, words};
use crate::domain::delivery::{ScanMode, Status};

/// Distance in meters beyond which the location is marked as far away.
const FAR: f64 = 500.0;
/// Maximum length of a printed address: nobody types a longer one, and the QR code contains it.
const MAX_ADDRESS: usize = 120;

pub fn describe(form: &Form) -> wire::FormDescription {
    let (signature, photos) = proof::pictures(form);
    let left_out = left_out(form);
    wire::FormDescription {
        title: "Delivery form".to_owned(),
        delivery_id: form.delivery_id.clone(),
        status: words::status(form.status).to_owned(),
        marks: marks(form, left_out.is_some()),
        organization: form.organization.name.clone(),
        organization_lines: form.organization.lines.iter().filter(|line| !is_blank(line)).cloned().collect(),
        logo_url: form.organization.logo_url.clone(),
        notices: notices(form, left_out),
        sections: vec![dispatch(form), place(form)],
        items: Some(items::table(form)),
        notes: notes(form),
        signature,
        photos: photos.filter(|_| !form.without.photos),
        files: proof::files(form),
        qr_code: "QR code that opens this form".to_owned(),
        url: form.url.clone(),
        checks: checks(form),
    }
}

fn marks(form: &Form, is_incomplete: bool) -> Vec<String> {
    let marks = [
        form.correction_reason.as_ref().map(|_| "Corrected"),
        form.superseded_by.map(|_| "Replaced"),
        is_incomplete.then_some("Incomplete copy"),
    ];
    marks.into_iter().flatten().map(str::to_owned).collect()
}

/// Lists the parts of the form that this copy omits.
fn left_out(form: &Form) -> Option<String> {
    let outcome = form.outcome.as_ref();
    let has_note = outcome.is_some_and(|it| filled(it.note.as_deref()).is_some())
        || form.variances.iter().any(|it| filled(it.note.as_deref()).is_some())
        || form
            .items
            .iter()
            .filter_map(|it| it.counted.as_ref())
            .any(|it| filled(it.note.as_deref()).is_some())
        || (!form.without.photos && proof::has_notes(form));
    let parts = [
        ("photos", form.without.photos && proof::has_photos(form)),
        ("the distance", form.without.distance && outcome.is_some_and(|it| it.distance.is_some())),
        ("notes", form.without.notes && has_note),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|(_, is_left)| *is_left).map(|(part, _)| part).collect();
    let (last, others) = parts.split_last()?;
    let named =
        if others.is_empty() { (*last).to_owned() } else { format!("{} and {last}", others.join(", ")) };
    Some(format!("Left out here: {named}. The complete form is at the address below."))
}

/// Returns notices about a later version, the reason for this one, and omissions.
fn notices(form: &Form, left_out: Option<String>) -> Vec<wire::FormNotice> {
    let mut notices = Vec::new();
    if let Some(successor) = form.superseded_by {
        let issued = words::date_time(successor.issued_at, form.time_zone);
        let version = successor.form_version;
        let text = match successor.attempt == form.attempt {
            true => format!("Version {version}, issued {issued}, has replaced this form."),
            false => format!("Version {version}, issued {issued}, is about attempt {}.", successor.attempt),
        };
        notices.push(notice("Out of date.", text, true));
    }
    if let Some(reason) = &form.correction_reason {
        let lead = format!("Version {}, replaces {}:", form.form_version, form.form_version - 1);
        notices.push(notice(&lead, reason.clone(), false));
    }
    notices.extend(left_out.map(|text| notice("Incomplete copy.", text, true)));
    notices
}

fn notice(lead: &str, text: String, urgent: bool) -> wire::FormNotice {
    wire::FormNotice { lead: lead.to_owned(), text, urgent }
}

/// Describes what was to be delivered, when and by whom. Labels equal those on screens.
fn dispatch(form: &Form) -> wire::FormSection {
    let (at, zone) = (form.scheduledatetime, form.time_zone);
    let driver = form.driver.as_ref().map(|driver| match filled(driver.name.as_deref()) {
        Some(name) => wire::FormFact { details: vec![driver.id.clone()], ..fact("Driver", name) },
        None => fact("Driver", &driver.id),
    });
    let facts = [
        Some(wire::FormFact { strong: true, ..fact("Delivery Doc", &form.delivery_id) }),
        Some(fact("Dispatch Date and Time", words::date_time(at, zone))),
        Some(fact("Dispatch Date", words::date(at, zone))),
        Some(fact("Dispatch Time", words::time(at, zone))),
        form.referencedoc.as_ref().map(|it| fact("Reference Doc", it)),
        Some(fact("Shipment no.", &form.shipmentnumber)),
        driver,
        Some(fact("Trucker", &form.trucker)),
    ];
    section("Dispatch", facts)
}

/// Describes the recipient and the outcome.
fn place(form: &Form) -> wire::FormSection {
    let attempt = match form.attempt <= form.max_attempts {
        true => format!("{} of {}", form.attempt, form.max_attempts),
        false => form.attempt.to_string(),
    };
    let outcome = form.outcome.as_ref();
    let mut facts = vec![Some(customer(form))];
    facts.extend(outcome.map(|it| times(form, it)).into_iter().flatten());
    facts.push(outcome.filter(|_| !form.without.distance).and_then(distance));
    facts.push(Some(fact("Attempt", attempt)));
    section("Recipient and outcome", facts)
}

fn customer(form: &Form) -> wire::FormFact {
    let label = match form.status {
        Status::CompleteNoVariance | Status::CompleteWithVariance => "Delivered to",
        Status::Pending | Status::Undelivered | Status::Rejected => "Deliver to",
    };
    let customer = &form.customer;
    let contact = filled(customer.contact_name.as_deref()).map(|name| format!("Contact: {name}"));
    let details = [Some(customer.address.clone()), contact, customer.contact_phone.clone()];
    let details = details.into_iter().flatten().filter(|it| !is_blank(it)).collect();
    wire::FormFact { strong: true, wide: true, details, ..fact(label, &customer.name) }
}

fn times(form: &Form, outcome: &Outcome) -> Vec<Option<wire::FormFact>> {
    let at = |time| words::date_time(time, form.time_zone);
    let marks = if outcome.late { vec!["Recorded late".to_owned()] } else { Vec::new() };
    // Show the device's time only if it differs from the time that counts as processed.
    let device = (outcome.occurred_at != outcome.processed_at).then(|| at(outcome.occurred_at));
    vec![
        Some(wire::FormFact { marks, ..fact("Processed at", at(outcome.processed_at)) }),
        Some(fact("Received by the server", at(outcome.received_at))),
        device.map(|time| fact("Device time", time)),
    ]
}

fn distance(outcome: &Outcome) -> Option<wire::FormFact> {
    let metres = outcome.distance?;
    let marks = if metres > FAR { vec!["Far away".to_owned()] } else { Vec::new() };
    let text = words::distance(metres, outcome.accuracy);
    Some(wire::FormFact { marks, ..fact("Distance from address", text) })
}

/// Describes the reason, notes, and variances of the whole delivery.
fn notes(form: &Form) -> Vec<wire::FormNotice> {
    let has_notes = !form.without.notes;
    let mut notes = Vec::new();
    let mut say =
        |lead: &str, text: Option<&str>| notes.extend(text.map(|text| notice(lead, text.to_owned(), false)));
    if let Some(outcome) = &form.outcome {
        say("Reason.", filled(outcome.reason.as_deref()));
        say("Note.", filled(outcome.note.as_deref()).filter(|_| has_notes));
    }
    for variance in &form.variances {
        let difference = Some(variance.difference).filter(|it| *it != 0);
        let parts = [
            difference.map(|it| words::difference(it.into())),
            filled(variance.reason.as_deref()).map(str::to_owned),
            filled(variance.note.as_deref()).filter(|_| has_notes).map(str::to_owned),
        ];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
        say("Variance.", filled(Some(&text)));
    }
    notes
}

/// Describes how to verify the form.
fn checks(form: &Form) -> Vec<wire::FormFact> {
    let issued = words::date_time(form.issued_at, form.time_zone);
    let corrected = if form.correction_reason.is_some() { " (corrected)" } else { "" };
    let scanned = match form.outcome.as_ref().map(|outcome| outcome.scanmode) {
        Some(ScanMode::Yes) => " Confirmed by scanning (Scan Mode Yes).",
        Some(ScanMode::No) => " Not confirmed by scanning (Scan Mode No).",
        None => "",
    };
    vec![
        wire::FormFact {
            strong: true,
            ..fact("Check this document at", short(address(&form.url), MAX_ADDRESS))
        },
        wire::FormFact { strong: true, ..fact("Verification code", &form.verification_code) },
        fact("Version", format!("{}{corrected}, issued {issued}.{scanned}", form.form_version)),
        fact("SHA-256", &form.content_hash),
    ]
}

/// Returns the address to type, without the code, which has its own line.
fn address(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['?', '#']).next().unwrap_or(rest)
}

fn section(title: &str, facts: impl IntoIterator<Item = Option<wire::FormFact>>) -> wire::FormSection {
    let facts = facts.into_iter().flatten().filter(|it| !is_blank(&it.value) || !it.details.is_empty());
    wire::FormSection { title: title.to_owned(), facts: facts.collect() }
}

fn fact(label: &str, value: impl Into<String>) -> wire::FormFact {
    wire::FormFact { label: label.to_owned(), value: value.into(), ..Default::default() }
}

/// Truncates a text to this many characters, ending with an ellipsis if it was longer.
fn short(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Returns the trimmed text, if there is any.
fn filled(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
