//! Malicious content: nothing may break a form or go beyond its page.

use proptest::prelude::*;

use super::page::{FONTS, pages, reach, sheet, whole};
use super::sample::{at, form, item};
use crate::domain::delivery::Status;
use crate::form::sheet::{Ink, Sheet};
use crate::form::{Driver, File, Form, Paper, Successor, Variance, pdf};

/// The margin of `layout`, minus half a pixel for the width of a line.
const SIDE: f32 = 51.5;
const TOP: f32 = 45.5;
const FOOT: f32 = 35.5;

/// Returns what goes beyond the page or overlaps its footer.
fn astray(sheet: &Sheet) -> Option<String> {
    for (at, page) in sheet.pages.iter().enumerate() {
        let full = sheet.width - 2.0 * SIDE - 2.0;
        let is_rule = |ink: &Ink| matches!(ink, Ink::Path { bounds, .. } if bounds.height == 0.0 && bounds.width >= full);
        let foot = page.iter().rposition(|piece| is_rule(&piece.ink)).unwrap();
        let bottom = reach(&page[foot]).top;
        for (index, piece) in page.iter().enumerate() {
            let area = reach(piece);
            let (right, end) = (area.left + area.width, area.top + area.height);
            let lowest = if index < foot { bottom } else { sheet.height - FOOT };
            if area.left < SIDE || right > sheet.width - SIDE || area.top < TOP || end > lowest {
                let what = match &piece.ink {
                    Ink::Text { run, .. } => format!("text {:?}", run.text),
                    Ink::Path { .. } => "path".to_owned(),
                    Ink::Picture { .. } => "picture".to_owned(),
                };
                return Some(format!("{what} on page {}: {area:?}, lowest {lowest}", at + 1));
            }
        }
    }
    None
}

fn check(form: &Form) {
    for paper in [Paper::A4, Paper::Letter] {
        assert_eq!(astray(&sheet(form, paper)), None, "{paper:?}");
    }
}

#[test]
fn ordinary_forms_stay_within_their_margins() {
    check(&form());
    check(&super::typical());
    check(&super::pending());
}

#[test]
fn long_words_and_large_quantities_stay_on_the_page() {
    let mut form = form();
    let word = "Supercalifragilisticexpialidocious".repeat(8);
    form.delivery_id = "D".repeat(64);
    form.customer.address = word.clone();
    form.driver = Some(Driver { id: word.clone(), name: Some(word.clone()) });
    form.organization.lines = vec![word.clone(); 9];
    form.url = format!("https://waybill.habagat.example/forms/{}", "D".repeat(64));
    form.items[0] = item("I".repeat(64).as_str(), &word, "crate", 1_000_000_000, 0);
    form.items[1].counted.as_mut().unwrap().rejected = 1_000_000_000_000;
    let text = whole(&form);
    assert!(text.contains("1,000,000,000"), "{text}");
    assert!(text.contains("Total, 1 line crate 1,000,000,000"), "{text}");
    // The quantities leave no room for a column of reasons, so each reason is below its row.
    assert!(text.contains("Damaged in transit Condition: Damaged"), "{text}");
    check(&form);
}

#[test]
fn everything_at_its_longest_goes_on_on_further_pages() {
    let mut form = form();
    let long = |letters: usize| "a word or two ".repeat(letters / 14);
    form.status = Status::Rejected;
    form.delivery_id = "W".repeat(64);
    form.correction_reason = Some(long(2000));
    form.superseded_by =
        Some(Successor { form_version: 9, issued_at: at("2026-11-22T01:00:00Z"), attempt: 2 });
    form.customer.name = long(200);
    form.customer.address = long(500);
    form.customer.contact_name = Some(long(200));
    let outcome = form.outcome.as_mut().unwrap();
    outcome.note = Some(long(2000));
    outcome.received_by = Some(long(200));
    outcome.late = true;
    form.variances = vec![Variance { reason: Some(long(200)), note: Some(long(2000)), difference: -1 }; 3];
    for attachment in &mut form.pictures {
        attachment.added_after_completion = true;
        attachment.note = Some(long(2000));
    }
    let file = File {
        kind: "document",
        filename: long(255),
        received_at: at("2026-11-21T01:00:00Z"),
        added_after_completion: true,
    };
    form.files = vec![file; 20];
    check(&form);
    assert!(pdf(&form, &FONTS, Paper::Letter).is_ok());
}

#[test]
fn a_thousand_items_go_on_without_leaving_a_page() {
    let mut form = form();
    form.items = (1..=1000).map(|at| item(&format!("N{at}"), "Instant noodles", "box", at, at)).collect();
    check(&form);
    let pages = pages(&form);
    assert!((20..=36).contains(&pages.len()), "{}", pages.len());
    let numbers = pages.iter().flatten().filter_map(|text| text.text.strip_prefix('N')?.parse::<u32>().ok());
    assert!(numbers.eq(1..=1000));
    assert!(pdf(&form, &FONTS, Paper::A4).is_ok());
}

#[test]
fn letters_of_every_script_break_nothing() {
    let mut form = form();
    form.customer.name = "محمد العربي שלום עולם हिन्दी ไทย 漢字かな交じり文 한국어 🚚👨‍👩‍👧".repeat(6);
    form.outcome.as_mut().unwrap().note = Some("e\u{301}\u{302}\u{303}".repeat(400));
    form.items[0].description = Some("\u{202e}abc\u{2066}\u{200f}\u{fffe}\u{e000}\u{10ffff}".to_owned());
    check(&form);
    assert!(pdf(&form, &FONTS, Paper::A4).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_content_leaves_its_page(
        // Few words and few cases: random characters from all of Unicode need many fonts, and loading them is
        // slow.
        words in proptest::collection::vec(any::<String>(), 17),
        repeat in 1_usize..8,
        items in 0_usize..8,
        quantities in proptest::collection::vec(any::<i64>(), 3),
        place in any::<(f64, f64)>(),
        status in 0_usize..5,
    ) {
        let mut form = form();
        let mut words = words.into_iter().map(|word| word.repeat(repeat));
        let mut word = || words.next().unwrap();
        form.status = [
            Status::Pending,
            Status::CompleteNoVariance,
            Status::CompleteWithVariance,
            Status::Undelivered,
            Status::Rejected,
        ][status];
        form.delivery_id = word().chars().take(64).collect();
        form.organization.name = word();
        form.organization.lines = vec![word()];
        form.customer.name = word();
        form.customer.address = word();
        form.customer.contact_phone = Some(word());
        form.driver = Some(Driver { id: word(), name: Some(word()) });
        form.shipmentnumber = word();
        form.correction_reason = Some(word());
        form.items[0].item_number = word();
        form.items[0].description = Some(word());
        form.items[0].unit = Some(word());
        form.items[0].expected = quantities[0];
        let counted = form.items[0].counted.as_mut().unwrap();
        counted.delivered = quantities[1];
        counted.rejected = quantities[2];
        counted.note = Some(word());
        let more = vec![form.items[0].clone(); items];
        form.items.extend(more);
        form.pictures[1].note = Some(word());
        let outcome = form.outcome.as_mut().unwrap();
        outcome.note = Some(word());
        outcome.received_by = Some(word());
        outcome.distance = Some(place.0);
        outcome.accuracy = Some(place.1);
        if status == 0 {
            form.outcome = None;
        }
        for paper in [Paper::A4, Paper::Letter] {
            prop_assert_eq!(astray(&sheet(&form, paper)), None, "{:?}", paper);
        }
        prop_assert!(pdf(&form, &FONTS, Paper::Letter).is_ok());
    }
}
