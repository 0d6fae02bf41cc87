//! What a form shows and omits: signatures, totals, copies without some parts, and unprintable characters.

use super::page::{sheet, whole};
use super::sample::{attachment, form, item, signature};
use crate::domain::delivery::Status;
use crate::form::sheet::Ink;
use crate::form::{Paper, ShownKind, Without};

#[test]
fn a_character_that_no_font_has_is_named() {
    let mut form = form();
    form.customer.name = "Carla \u{10fff0}\u{10fff1} Tan".to_owned();
    let text = whole(&form);
    assert!(text.contains("Carla \u{10fff0}\u{10fff1} Tan"), "a search still finds it: {text}");
    assert!(
        text.contains(
            "Characters that can't be printed. The server has no font with U+10FFF0, U+10FFF1. Each of"
        ),
        "{text}"
    );
    let sheet = sheet(&form, Paper::A4);
    let runs = sheet.pages.iter().flatten().filter_map(|piece| match &piece.ink {
        Ink::Text { run, .. } if !run.missing.is_empty() => Some(run.text.as_str()),
        _ => None,
    });
    assert_eq!(runs.collect::<Vec<_>>(), ["??"]);
}

#[test]
fn a_copy_that_goes_without_something_says_so() {
    let mut form = form();
    form.items[1].counted.as_mut().unwrap().note = Some("Leaked".to_owned());
    form.without = Without { photos: true, distance: true, notes: true };
    let text = whole(&form);
    for said in [
        "Complete with variance Incomplete copy",
        "Incomplete copy. Left out here: photos, the distance and notes. The complete form is at the address below.",
        "Damaged in transit Condition: Damaged 30",
        "Carla Tan Colleague · signed",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
    for unsaid in ["Leaked", "Two cases", "38 m", "Goods", "Photos"] {
        assert!(!text.contains(unsaid), "{unsaid:?} in {text}");
    }
    // Parts that the form never had are not listed as omitted.
    form.pictures.truncate(1);
    form.without = Without { photos: true, ..Without::default() };
    assert!(!whole(&form).contains("Incomplete copy"));
}

#[test]
fn a_copy_without_notes_has_no_notes_of_photos() {
    let mut form = form();
    form.outcome.as_mut().unwrap().note = None;
    form.pictures[3].note = None;
    assert!(whole(&form).contains("1. Goods 10:58 AM 2. Item 20 11:01 AM 3. Photo 11:06 AM"));
    form.without = Without { notes: true, ..Without::default() };
    let text = whole(&form);
    assert!(text.contains("1. Photo 10:58 AM 2. Item 20 11:01 AM 3. Photo 11:06 AM"), "{text}");
    assert!(text.contains("Left out here: notes. The complete form"), "{text}");
    // A signature's note is not printed anyway.
    form.pictures.truncate(1);
    form.pictures[0].note = Some("Signed for a colleague".to_owned());
    assert!(!whole(&form).contains("Incomplete copy"));
}

#[test]
fn the_latest_signature_counts_and_earlier_ones_are_not_hidden() {
    let mut form = form();
    let again = attachment(ShownKind::Signature, signature(), None, "2026-11-20T03:09:30Z");
    form.pictures.push(again);
    let text = whole(&form);
    assert!(text.contains("Colleague · signed Nov 20, 2026 11:09 AM"), "{text}");
    assert!(text.contains("Photos 1. Earlier signature 11:07 AM 2. Goods"), "{text}");
}

#[test]
fn a_corrected_delivery_without_an_outcome_shows_its_signatures() {
    let mut form = form();
    (form.status, form.outcome) = (Status::Pending, None);
    let text = whole(&form);
    assert!(text.contains("Photos 1. Earlier signature 11:07 AM 2. Goods"), "{text}");
}

#[test]
fn units_have_totals_of_their_own() {
    let mut form = form();
    form.items = vec![item("10", "Rice", "bag", 26, 25), item("20", "Oil", "Pallet", 3, 3)];
    form.items.push(item("30", "Milk", "pallet ", 1, 1));
    let text = whole(&form);
    assert!(text.contains("Total, 1 line bag 26 25 −1 Total, 2 lines Pallet 4 4 0 "), "{text}");
    assert!(!text.contains("30 29"), "{text}");
}
