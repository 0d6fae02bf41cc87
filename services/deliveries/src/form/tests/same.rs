//! The PDF contains the description's texts, in every script. The frontend's tests use the same descriptions.

use proto::deliveries::v1::*;
use serde_json::{Value, json};

use super::extract;
use super::page::FONTS;
use super::sample::{at, attachment, differing, form, item, photo, signature};
use crate::domain::delivery::Status;
use crate::domain::line::Condition;
use crate::form::layout::unprintable;
use crate::form::{Form, Paper, ShownKind, Successor, Without, describe, layout, pdf};

/// A name, a sentence and a thing in each script, as people write them.
const SCRIPTS: &[(&str, &str, &str)] = &[
    ("José Muñoz Übermäßig", "Die Kiste war naß, ansonsten alles in Ordnung.", "Crème brûlée 12 × 100 g"),
    ("Ελένη Παπαδοπούλου", "Το κιβώτιο ήταν βρεγμένο.", "Ελαιόλαδο 1 L"),
    ("Сергей Ёлкин", "Коробка была мокрой, остальное в порядке.", "Гречка 900 г"),
    ("شركة النور للتجارة 24", "الصندوق مبلل، والباقي سليم (٣ قطع).", "أرز بسمتي 5 كغ"),
    ("שלום כהן, קומה 3", "הארגז היה רטוב, השאר תקין.", "מים מינרליים 6 × 1.5"),
    ("ร้านข้าวมันไก่ ถนนสุขุมวิท 11", "กล่องเปียกน้ำ ที่เหลือเรียบร้อยดี", "น้ำดื่ม 600 มล."),
    ("राम प्रसाद शर्मा", "डिब्बा गीला था, बाकी सब ठीक है।", "बासमती चावल 5 किग्रा"),
    ("株式会社ひかり物流", "箱が濡れていましたが、他は問題ありません。", "緑茶500ml×24本"),
    ("上海市浦东新区世纪大道100号", "箱子湿了，其余完好。", "大米 5 公斤"),
    ("주식회사 한빛물류", "상자가 젖었고 나머지는 괜찮습니다.", "생수 2L 6병"),
];

/// Pseudo-random numbers that depend only on the seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn is(&mut self) -> bool {
        self.below(2) == 0
    }
}

fn random(number: usize) -> Form {
    let mut dice = Dice(number as u64);
    let (name, sentence, thing) = SCRIPTS[number % SCRIPTS.len()];
    let other = dice.one_of(SCRIPTS);
    let mut form = form();
    form.status = dice.one_of(&[
        Status::CompleteNoVariance,
        Status::CompleteWithVariance,
        Status::Undelivered,
        Status::Rejected,
    ]);
    form.delivery_id = format!("DR-{}", 1_000_000 + dice.below(900_000));
    form.referencedoc = dice.is().then(|| format!("{} {number}", thing.split(' ').next().unwrap()));
    form.customer.name = name.to_owned();
    form.customer.address = format!("{sentence}\n{}", other.1);
    form.customer.contact_name = dice.is().then(|| other.0.to_owned());
    form.organization.name = other.0.to_owned();
    form.trucker = other.2.to_owned();
    if let Some(driver) = &mut form.driver {
        driver.name = dice.is().then(|| name.to_owned());
    }
    let units = ["box", "bag", "ขวด", "箱"];
    form.items = (0..1 + dice.below(40))
        .map(|at| {
            let (expected, delivered) = (dice.below(2_000) as i64, dice.below(2_000) as i64);
            let thing = format!("{} {at}", dice.one_of(SCRIPTS).2);
            let item = item(&format!("{}", at * 10), &thing, dice.one_of(&units), expected, delivered);
            let item =
                differing(item, dice.one_of(SCRIPTS).1, dice.one_of(&[Condition::Ok, Condition::Damaged]));
            if dice.is() {
                item
            } else {
                super::sample::item(&format!("{}", at * 10), &thing, "box", expected, expected)
            }
        })
        .collect();
    if let Some(counted) = &mut form.items[0].counted {
        counted.note = Some(sentence.to_owned());
        counted.rejected = dice.below(3) as i64 * 500;
    }
    let outcome = form.outcome.as_mut().unwrap();
    outcome.note = Some([sentence, other.1].join(" "));
    outcome.reason = dice.is().then(|| sentence.to_owned());
    outcome.received_by = dice.is().then(|| name.to_owned());
    outcome.distance = dice.is().then(|| dice.below(3_000) as f64);
    outcome.late = dice.is();
    for attachment in &mut form.pictures {
        attachment.note = Some(name.to_owned());
        attachment.added_after_completion = dice.is();
    }
    form.correction_reason = dice.is().then(|| sentence.to_owned());
    form.form_version = 2;
    let issued_at = at("2026-11-22T01:00:00Z");
    form.superseded_by = dice.is().then_some(Successor { form_version: 3, issued_at, attempt: 1 });
    form.without = Without { photos: dice.is(), distance: dice.is(), notes: dice.is() && dice.is() };
    form
}

/// Returns every text of a description in reading order, and separately those of the footer.
fn words(it: &FormDescription) -> (Vec<String>, Vec<String>) {
    let notices = |all: &[FormNotice]| -> Vec<String> {
        all.iter().flat_map(|it| [it.lead.clone(), it.text.clone()]).collect()
    };
    let fact = |it: &FormFact| -> Vec<String> {
        [[it.label.clone(), it.value.clone()].as_slice(), it.details.as_slice(), it.marks.as_slice()].concat()
    };
    let row = |it: &FormRow| [it.cells.as_slice(), it.notes.as_slice()].concat();
    let mut words = vec![it.organization.clone()];
    words.extend(it.organization_lines.clone());
    words.extend([it.title.clone(), it.delivery_id.clone(), it.status.clone()]);
    words.extend(it.marks.clone());
    words.extend(notices(&it.notices));
    words.extend(it.sections.iter().flat_map(|section| &section.facts).flat_map(fact));
    if let Some(table) = &it.items {
        match table.rows.is_empty() {
            true => words.push(table.empty.clone()),
            false => words.extend(table.columns.iter().map(|column| column.title.clone())),
        }
        words.extend(table.rows.iter().chain(&table.totals).flat_map(row));
    }
    words.extend(notices(&it.notes));
    if let Some(signature) = &it.signature {
        words.push(signature.label.clone());
        words.extend(signature.picture.is_none().then(|| signature.absent.clone()));
        words.push(signature.name.clone());
        words.extend([signature.details.as_slice(), signature.marks.as_slice()].concat());
    }
    if let Some(photos) = &it.photos {
        words.push(photos.label.clone());
        for photo in &photos.pictures {
            words.push(photo.caption.clone());
            words.extend([photo.details.as_slice(), photo.marks.as_slice()].concat());
        }
        words.push(photos.more.clone());
    }
    if let Some(files) = &it.files {
        words.push(files.label.clone());
        words.extend(notices(&files.files));
    }
    words.retain(|word| !word.is_empty());
    (words, it.checks.iter().flat_map(fact).filter(|word| !word.is_empty()).collect())
}

/// Removes white space: lines break differently on paper and on screen.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn the_pdf_says_what_the_description_says_in_every_script() {
    let pictures = (photo(64, 48, 1), signature());
    for number in 0..if kit::testing::long() { 100 } else { 12 } {
        let mut form = random(number);
        for it in &mut form.pictures {
            let bytes = if it.kind == ShownKind::Photo { &pictures.0 } else { &pictures.1 };
            let seen = it.captured_at.to_rfc3339();
            it.picture = attachment(it.kind, bytes.clone(), None, &seen).picture;
        }
        let (mut expected, checks) = words(&describe(&form));
        let missing = layout::sheet(&form, &FONTS, Paper::A4).unwrap().missing;
        // If `WAYBILL_FONTS` is set, the tests provide all fonts, so no character may be missing.
        assert!(missing.is_empty() || std::env::var_os("WAYBILL_FONTS").is_none(), "{number}: {missing:?}");
        if !missing.is_empty() {
            let notice = unprintable(&missing);
            expected.extend([notice.lead, notice.text]);
        }
        let mut pages = extract::pages(&pdf(&form, &FONTS, Paper::A4).unwrap());
        // Only the first page's footer is tagged, so its text occurs once, at the end of that page.
        let foot = squeezed(&checks.concat());
        pages[0] = squeezed(&pages[0])
            .strip_suffix(&foot)
            .unwrap_or_else(|| panic!("{number}: {}", pages[0]))
            .to_owned();
        assert_eq!(squeezed(&pages.concat()), squeezed(&expected.concat()), "form {number}");
    }
}

#[test]
fn the_screen_is_tried_on_the_same_descriptions() {
    let mut incomplete = random(3);
    incomplete.without = Without { photos: true, distance: true, notes: true };
    let mut all = form();
    all.pictures[1].added_after_completion = true;
    all.items[1].counted.as_mut().unwrap().rejected = 2_000;
    let forms = [all, random(7), incomplete].map(|form| {
        let description = describe(&form);
        let (words, checks) = words(&description);
        let words = [words, checks].concat();
        json!({ "description": graph(&description), "words": words })
    });
    let recorded = serde_json::to_string_pretty(&forms).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../frontend/src/test/form-descriptions.json");
    if std::env::var_os("WAYBILL_WRITE_FORMS").is_some() {
        std::fs::write(path, &recorded).unwrap();
    }
    let known = std::fs::read_to_string(path).unwrap();
    assert!(known == recorded, "forms read otherwise now: run this test with WAYBILL_WRITE_FORMS=1");
}

/// Returns the description as GraphQL does.
fn graph(it: &FormDescription) -> Value {
    let notice = |it: &FormNotice| json!({ "lead": it.lead, "text": it.text, "urgent": it.urgent });
    let notices = |all: &[FormNotice]| all.iter().map(notice).collect::<Vec<_>>();
    let fact = |it: &FormFact| {
        json!({ "label": it.label, "value": it.value, "details": it.details, "marks": it.marks,
            "strong": it.strong, "wide": it.wide })
    };
    let facts = |all: &[FormFact]| all.iter().map(fact).collect::<Vec<_>>();
    let section = |it: &FormSection| json!({ "title": it.title, "facts": facts(&it.facts) });
    let row = |it: &FormRow| json!({ "cells": it.cells, "notes": it.notes, "strong": it.strong });
    let rows = |all: &[FormRow]| all.iter().map(row).collect::<Vec<_>>();
    let kind =
        |it: &FormColumn| it.kind().as_str_name().trim_start_matches("FORM_COLUMN_KIND_").to_lowercase();
    let column = |it: &FormColumn| json!({ "kind": kind(it), "title": it.title });
    let picture = |it: &FormPicture| {
        json!({ "attachmentId": it.attachment_id, "url": it.url, "contentType": it.content_type, "alt": it.alt,
            "caption": it.caption, "details": it.details, "marks": it.marks, "unreadable": it.unreadable,
            "damaged": it.damaged })
    };
    let table = it.items.as_ref().unwrap();
    json!({
        "title": it.title, "deliveryId": it.delivery_id, "status": it.status, "marks": it.marks,
        "organization": it.organization, "organizationLines": it.organization_lines, "logoUrl": it.logo_url,
        "notices": notices(&it.notices), "sections": it.sections.iter().map(section).collect::<Vec<_>>(),
        "items": { "title": table.title, "columns": table.columns.iter().map(column).collect::<Vec<_>>(),
            "rows": rows(&table.rows), "totals": rows(&table.totals), "empty": table.empty },
        "notes": notices(&it.notes),
        "signature": it.signature.as_ref().map(|it| json!({ "label": it.label,
            "picture": it.picture.as_ref().map(picture), "absent": it.absent, "name": it.name,
            "details": it.details, "marks": it.marks })),
        "photos": it.photos.as_ref().map(|it| json!({ "label": it.label,
            "pictures": it.pictures.iter().map(picture).collect::<Vec<_>>(), "more": it.more })),
        "files": it.files.as_ref().map(|it| json!({ "label": it.label, "files": notices(&it.files) })),
        "qrCode": it.qr_code, "url": it.url, "checks": facts(&it.checks),
    })
}
