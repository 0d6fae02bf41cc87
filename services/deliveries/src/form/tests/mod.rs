mod choices;
mod content;
mod extract;
mod hostile;
mod page;
mod pictures;
mod same;
pub mod sample;
mod speed;

use self::page::{FONTS, pages, sheet, texts, whole};
use self::sample::{at, differing, form, item, pending, typical};
use super::{Customer, File, Form, Paper, Successor, Unshown, Variance};
use crate::domain::delivery::Status;
use crate::domain::line::Condition;

fn pdf(form: &Form, paper: Paper) -> Vec<u8> {
    super::pdf(form, &FONTS, paper).unwrap()
}

/// The first texts of the sample.
const BEGIN: [&str; 57] = [
    "Habagat Logistics",
    "28 Pioneer Street, Mandaluyong City",
    "+63 2 8555 0147 · dispatch@habagat.example",
    "Delivery form",
    "DR-1184102",
    "Complete with variance",
    "Delivery Doc",
    "DR-1184102",
    "Dispatch Date and Time",
    "Nov 20, 2026 9:30 AM",
    "Dispatch Date",
    "Nov 20, 2026",
    "Dispatch Time",
    "9:30 AM",
    "Reference Doc",
    "SI-880417",
    "Shipment no.",
    "SH-26147",
    "Driver",
    "Rico Santos",
    "DRV-014",
    "Trucker",
    "Habagat Fleet",
    "Delivered to",
    "Bayan Mart Makati",
    "6780 Ayala Avenue, Makati City",
    "Contact: Carla Tan",
    "+63 917 555 0132",
    "Processed at",
    "Nov 20, 2026 11:08 AM",
    "Received by the server",
    "Nov 20, 2026 11:08 AM",
    "Distance from address",
    "38 m ± 12 m",
    "Attempt",
    "1 of 3",
    "Item",
    "Description",
    "Unit",
    "Expected",
    "Delivered",
    "Variance",
    "Reason",
    "10",
    "Well-milled rice 25 kg",
    "bag",
    "40",
    "40",
    "0",
    "20",
    "Coconut oil 1 L × 12",
    "box",
    "24",
    "22",
    "−2",
    "Damaged in transit",
    "Condition: Damaged",
];

/// The last texts of the sample.
const END: [&str; 32] = [
    "Total, 1 line",
    "bag",
    "40",
    "40",
    "0",
    "Total, 5 lines",
    "box",
    "144",
    "139",
    "−5",
    "Note.",
    "Two cases of coconut oil leaked on the lower layer. Store accepted the rest and asks for a credit memo. ",
    "Soy sauce was three cases short on loading.",
    "Received in the quantities above",
    "Carla Tan",
    "Colleague · signed Nov 20, 2026 11:07 AM",
    "Photos",
    "1. Goods",
    "10:58 AM",
    "2. Item 20",
    "11:01 AM",
    "3. Receipt",
    "11:06 AM",
    "Check this document at",
    "waybill.habagat.example/forms/DR-1184102",
    "Verification code",
    "7KQ2-M4XD",
    "Version",
    "1, issued Nov 20, 2026 11:09 AM. Confirmed by scanning (Scan Mode Yes).",
    "SHA-256",
    "c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffee0123",
    "Page 1 of 1",
];

#[test]
fn a_form_is_one_page_that_says_everything_in_order() {
    let pages = pages(&form());
    assert_eq!(pages.len(), 1);
    let texts = texts(&pages[0]);
    assert_eq!(texts[..BEGIN.len()], BEGIN);
    assert_eq!(texts[texts.len() - END.len()..], END);
}

#[test]
fn the_document_number_is_28_pixels_and_variances_are_bold() {
    let page = pages(&form()).remove(0);
    let find = |text: &str| page.iter().filter(|it| it.text == text).cloned().collect::<Vec<_>>();
    let number = &find("DR-1184102")[0];
    assert_eq!((number.size, number.is_strong), (28.0, true));
    for (text, is_bold) in [
        ("Coconut oil 1 L × 12", true),
        ("−2", true),
        ("Damaged in transit", true),
        ("Short shipped", true),
        ("Well-milled rice 25 kg", false),
        ("Sardines 155 g × 48", false),
    ] {
        let found = find(text);
        assert!(!found.is_empty(), "{text}");
        assert!(found.iter().all(|it| it.is_strong == is_bold), "{text}: {found:?}");
    }
}

#[test]
fn the_same_form_is_the_same_file() {
    let first = pdf(&typical(), Paper::Letter);
    assert!(first == pdf(&typical(), Paper::Letter));
    let mut other = typical();
    other.form_version = 2;
    assert!(first != pdf(&other, Paper::Letter));
}

#[test]
fn every_status_fits_on_a_page_of_either_paper() {
    for (status, word) in [
        (Status::Pending, "Pending"),
        (Status::CompleteNoVariance, "Complete no variance"),
        (Status::CompleteWithVariance, "Complete with variance"),
        (Status::Undelivered, "Undelivered"),
        (Status::Rejected, "Rejected"),
    ] {
        let mut form = if status == Status::Pending { pending() } else { typical() };
        form.status = status;
        for paper in [Paper::A4, Paper::Letter] {
            let sheet = sheet(&form, paper);
            assert_eq!(sheet.pages.len(), 1, "{word} {paper:?}");
            assert!(texts(&pages(&form)[0]).contains(&word), "{word} {paper:?}");
            let bytes = super::render::strict(&form, &sheet).unwrap();
            assert!(bytes.starts_with(b"%PDF-1."), "{word} {paper:?}");
        }
    }
}

#[test]
fn what_is_unknown_has_no_row() {
    let mut form = pending();
    form.organization.lines.clear();
    form.referencedoc = None;
    form.driver = None;
    form.trucker = " ".to_owned();
    form.customer = Customer { name: "Bayan Mart".to_owned(), ..Default::default() };
    form.items[0].description = None;
    form.items[0].unit = None;
    let text = whole(&form);
    for said in [
        "Habagat Logistics Delivery form",
        "Dispatch Time 9:30 AM Shipment no. SH-26147 Deliver to Bayan Mart Attempt 1 of 3 Item",
        "10 40 – –",
        "Name, signature, date and time",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
    for unsaid in ["None", "Unassigned", "Reference Doc", "Driver", "Trucker", "Contact", "Distance", "point"]
    {
        assert!(!text.contains(unsaid), "{unsaid:?} in {text}");
    }
    form.items.clear();
    assert!(whole(&form).contains("This delivery has no items."), "{}", whole(&form));
}

#[test]
fn an_outcome_without_proof_says_so() {
    let mut form = form();
    form.pictures.clear();
    let outcome = form.outcome.as_mut().unwrap();
    outcome.received_by = None;
    outcome.relation = None;
    let text = whole(&form);
    assert!(
        text.contains("Received in the quantities above No signature No recipient recorded Check"),
        "{text}"
    );
    form.status = Status::Undelivered;
    form.outcome.as_mut().unwrap().reason = Some("Recipient absent".to_owned());
    let text = whole(&form);
    assert!(text.contains("Reason. Recipient absent Note."), "{text}");
    assert!(!text.contains("Received in the quantities"), "{text}");
}

#[test]
fn late_corrected_added_later_and_replaced_are_marked() {
    let plain = whole(&form());
    for mark in
        ["Recorded late", "Uploaded late", "Corrected", "corrected", "Added later", "Replaced", "Out of date"]
    {
        assert!(!plain.contains(mark), "{mark}");
    }
    let mut form = form();
    form.correction_reason = Some("Counted again with the customer".to_owned());
    form.form_version = 2;
    let issued_at = at("2026-11-22T01:00:00Z");
    form.superseded_by = Some(Successor { form_version: 3, issued_at, attempt: 1 });
    let outcome = form.outcome.as_mut().unwrap();
    outcome.late = true;
    outcome.received_at = at("2026-11-20T06:10:00Z");
    for attachment in &mut form.pictures[..2] {
        attachment.added_after_completion = true;
        attachment.received_at = at("2026-11-21T01:00:00Z");
    }
    let text = whole(&form);
    for said in [
        "Complete with variance Corrected Replaced",
        "Out of date. Version 3, issued Nov 22, 2026 9:00 AM, has replaced this form.",
        "Version 2, replaces 1: Counted again with the customer",
        "Processed at Nov 20, 2026 11:08 AM Recorded late Received by the server Nov 20, 2026 2:10 PM",
        "signed Nov 20, 2026 11:07 AM Received Nov 21, 2026 9:00 AM Added later Uploaded late",
        "1. Goods 10:58 AM Received Nov 21, 2026 9:00 AM Added later Uploaded late",
        "Version 2 (corrected), issued Nov 20, 2026 11:09 AM.",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
    assert_eq!(text.matches("Added later").count(), 2);
    form.superseded_by = Some(Successor { form_version: 3, issued_at, attempt: 2 });
    assert!(
        whole(&form).contains("Out of date. Version 3, issued Nov 22, 2026 9:00 AM, is about attempt 2.")
    );
}

#[test]
fn a_clock_that_is_ahead_is_told_beside_the_time_that_counts() {
    let mut form = form();
    assert!(!whole(&form).contains("Device time"));
    form.outcome.as_mut().unwrap().occurred_at = at("2026-11-20T05:00:00Z");
    let text = whole(&form);
    assert!(text.contains("Processed at Nov 20, 2026 11:08 AM"), "{text}");
    assert!(text.contains("Device time Nov 20, 2026 1:00 PM"), "{text}");
}

#[test]
fn what_differs_of_the_whole_is_told() {
    let mut form = form();
    let variance = |reason: Option<&str>, note: Option<&str>, difference| Variance {
        reason: reason.map(str::to_owned),
        note: note.map(str::to_owned),
        difference,
    };
    form.variances = vec![
        variance(Some("Price or document mismatch"), Some("No invoice"), 0),
        variance(None, None, -2_000),
    ];
    let text = whole(&form);
    assert!(text.contains("Variance. Price or document mismatch · No invoice Variance. −2"), "{text}");
}

#[test]
fn files_that_are_not_shown_are_named() {
    let mut form = form();
    let file = |kind, filename: &str, added_after_completion| File {
        kind,
        filename: filename.to_owned(),
        received_at: at("2026-11-21T01:00:00Z"),
        added_after_completion,
    };
    form.files = vec![file("Document", "Договор 7.pdf", false), file("ID check", "id.jpg", true)];
    let text = whole(&form);
    let said = "Also kept with the delivery Document. Договор 7.pdf ID check, added later Nov 21, 2026 9:00 AM. id.jpg";
    assert!(text.contains(said), "{text}");
}

#[test]
fn a_picture_that_is_not_shown_says_why() {
    let mut form = form();
    form.pictures[0].picture = Err(Unshown::Unreadable);
    form.pictures[1].picture = Err(Unshown::Changed);
    let text = whole(&form);
    for said in ["This signature can't be shown", "This photo was changed after it was added"] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
}

#[test]
fn rejected_quantities_and_notes_of_items_are_shown_where_there_are_any() {
    let mut form = form();
    let counted = form.items[1].counted.as_mut().unwrap();
    counted.rejected = 2_000;
    counted.note = Some("The pallet was wet.".to_owned());
    let text = whole(&form);
    for said in [
        "Expected Delivered Rejected Variance Reason",
        "20 Coconut oil 1 L × 12 box 24 22 2 −2 Damaged in transit Condition: Damaged The pallet was wet.",
        "Total, 5 lines box 144 139 2 −5",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
}

#[test]
fn five_hundred_items_go_on_under_the_same_header() {
    let mut form = form();
    form.items = (1..=500).map(|at| item(&format!("N{at}"), "Instant noodles", "box", at, at)).collect();
    form.items[499] =
        differing(item("N500", "Instant noodles", "box", 500, 499), "Short shipped", Condition::Ok);
    let pages = pages(&form);
    let count = pages.len();
    assert!((10..=16).contains(&count), "{count}");
    let mut numbers = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        let texts = texts(page);
        assert_eq!(texts.last(), Some(&format!("Page {} of {count}", at + 1).as_str()));
        assert!(texts.contains(&"7KQ2-M4XD"), "page {}", at + 1);
        assert!(
            texts.contains(&"Variance") == texts.iter().any(|text| text.starts_with('N')),
            "page {}",
            at + 1
        );
        assert!(texts.contains(&"Delivery form, continued") == (at > 0), "page {}", at + 1);
        numbers.extend(texts.iter().filter_map(|text| text.strip_prefix('N')?.parse::<u32>().ok()));
    }
    assert!(numbers.iter().copied().eq(1..=500), "{numbers:?}");
    let text = whole(&form);
    assert!(text.contains("Total, 500 lines box 125,250 125,249 −1"), "sum");
}

#[test]
fn letters_of_the_languages_are_written() {
    let mut form = form();
    let known = "Señor Ñoño, lechón; ng̃a; café d’Été à Œuvre; Überstraße ÄÖÜ ẞ; ₱1,234.50 €99 – — … “ok” Łódź Иван Ελένη";
    form.outcome.as_mut().unwrap().note = Some(known.to_owned());
    let text = whole(&form);
    assert!(text.contains(known), "{text}");
    assert!(!text.contains("can't be printed"), "{text}");
}

#[test]
fn controls_and_what_hides_text_are_left_out() {
    let mut form = form();
    form.customer.name = "A\0B\u{202e}C\u{200b}D\u{feff}E\tF\u{7}".to_owned();
    form.outcome.as_mut().unwrap().note = Some("one\r\ntwo\u{2028}three".to_owned());
    let text = whole(&form);
    assert!(text.contains("ABCDE F "), "{text}");
    assert!(text.contains("Note. one two three"), "{text}");
}

#[test]
fn a_note_of_ten_thousand_letters_is_there_to_its_end() {
    let mut form = form();
    let words: Vec<String> = (0..1500).map(|at| format!("w{at:05}")).collect();
    form.outcome.as_mut().unwrap().note = Some(words.join(" "));
    let pages = pages(&form);
    assert!((2..=4).contains(&pages.len()), "{}", pages.len());
    let found: Vec<_> = pages
        .iter()
        .flat_map(|page| page.iter().flat_map(|text| text.text.split_whitespace()))
        .filter(|word| word.len() == 6 && word.starts_with('w'))
        .collect();
    assert_eq!(found, words);
}

#[test]
fn a_screen_reader_finds_a_table_a_heading_and_what_pictures_show() {
    let sheet = sheet(&form(), Paper::A4);
    let tags: Vec<String> = sheet.nodes.iter().map(|node| format!("{:?}", node.tag)).collect();
    let count = |name: &str| tags.iter().filter(|tag| tag.starts_with(&format!("{name}("))).count();
    // The header, six items and two totals are nine rows; there are seven titles, and no cell is missing.
    for (tag, expected) in [("Table", 1), ("TR", 9), ("TH", 7), ("TD", 8 * 7), ("Hn", 1), ("Link", 1)] {
        assert_eq!(count(tag), expected, "{tag}: {tags:?}");
    }
    for alt in ["Signature of Carla Tan", "1. Goods", "QR code that opens this form"] {
        assert_eq!(tags.iter().filter(|tag| tag.contains(alt)).count(), 1, "{alt}");
    }
}

#[test]
fn an_address_that_is_too_long_for_a_code_is_an_error() {
    let mut form = form();
    form.url = "x".repeat(4000);
    assert!(super::pdf(&form, &FONTS, Paper::A4).is_err());
}
