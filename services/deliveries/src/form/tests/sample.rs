//! Forms and pictures for tests.

use std::io::Cursor;
use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

use crate::domain::delivery::{ScanMode, Status};
use crate::domain::line::Condition;
use crate::domain::state::Relation;
use crate::form::{
    Counted, Customer, Driver, Form, Item, Organization, Outcome, ShownAttachment, ShownKind, Unshown,
    Without, picture,
};

pub fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// A complete delivery with two variances, as recorded by a driver: signed, three photos.
pub fn form() -> Form {
    static FORM: LazyLock<Form> = LazyLock::new(made);
    FORM.clone()
}

fn made() -> Form {
    Form {
        organization: Organization {
            name: "Habagat Logistics".to_owned(),
            lines: vec![
                "28 Pioneer Street, Mandaluyong City".to_owned(),
                "+63 2 8555 0147 · dispatch@habagat.example".to_owned(),
            ],
            logo_url: None,
            logo: None,
        },
        time_zone: chrono_tz::Asia::Manila,
        delivery_id: "DR-1184102".to_owned(),
        status: Status::CompleteWithVariance,
        attempt: 1,
        max_attempts: 3,
        form_version: 1,
        issued_at: at("2026-11-20T03:09:00Z"),
        correction_reason: None,
        superseded_by: None,
        shipmentnumber: "SH-26147".to_owned(),
        referencedoc: Some("SI-880417".to_owned()),
        trucker: "Habagat Fleet".to_owned(),
        driver: Some(Driver { id: "DRV-014".to_owned(), name: Some("Rico Santos".to_owned()) }),
        customer: Customer {
            name: "Bayan Mart Makati".to_owned(),
            address: "6780 Ayala Avenue, Makati City".to_owned(),
            contact_name: Some("Carla Tan".to_owned()),
            contact_phone: Some("+63 917 555 0132".to_owned()),
        },
        scheduledatetime: at("2026-11-20T01:30:00Z"),
        outcome: Some(Outcome {
            processed_at: at("2026-11-20T03:08:00Z"),
            occurred_at: at("2026-11-20T03:08:00Z"),
            received_at: at("2026-11-20T03:08:04Z"),
            late: false,
            scanmode: ScanMode::Yes,
            reason: None,
            note: Some(
                "Two cases of coconut oil leaked on the lower layer. Store accepted the rest and asks for a \
                 credit memo. Soy sauce was three cases short on loading."
                    .to_owned(),
            ),
            received_by: Some("Carla Tan".to_owned()),
            relation: Some(Relation::Colleague),
            distance: Some(38.2),
            accuracy: Some(12.0),
        }),
        items: vec![
            item("10", "Well-milled rice 25 kg", "bag", 40, 40),
            differing(
                item("20", "Coconut oil 1 L × 12", "box", 24, 22),
                "Damaged in transit",
                Condition::Damaged,
            ),
            item("30", "Sardines 155 g × 48", "box", 18, 18),
            differing(item("40", "Soy sauce 500 ml × 24", "box", 12, 9), "Short shipped", Condition::Ok),
            item("50", "Detergent powder 2 kg × 6", "box", 30, 30),
            item("60", "Bottled water 500 ml × 24", "box", 60, 60),
        ],
        variances: Vec::new(),
        files: Vec::new(),
        pictures: vec![
            attachment(ShownKind::Signature, signature(), None, "2026-11-20T03:07:00Z"),
            attachment(ShownKind::Photo, photo(400, 300, 1), Some("Goods"), "2026-11-20T02:58:00Z"),
            ShownAttachment {
                item: Some("20".to_owned()),
                ..attachment(ShownKind::Photo, photo(400, 300, 2), None, "2026-11-20T03:01:00Z")
            },
            attachment(ShownKind::Photo, photo(400, 300, 3), Some("Receipt"), "2026-11-20T03:06:00Z"),
        ],
        verification_code: "7KQ2-M4XD".to_owned(),
        content_hash: "c0ffee".repeat(10) + "0123",
        url: "https://waybill.habagat.example/forms/DR-1184102?formVersion=1&code=7KQ2-M4XD".to_owned(),
        without: Without::default(),
    }
}

/// A form with twelve items, the size for which the time limit holds.
pub fn typical() -> Form {
    let mut form = form();
    for number in 7..=12 {
        form.items.push(item(&format!("{number}0"), "Evaporated milk 370 ml × 48", "box", 15, 15));
    }
    form
}

/// A form of a delivery that nobody has attempted yet.
pub fn pending() -> Form {
    let mut form = form();
    form.status = Status::Pending;
    form.outcome = None;
    form.pictures.clear();
    form.items.iter_mut().for_each(|item| item.counted = None);
    form
}

pub fn item(number: &str, description: &str, unit: &str, expected: i64, delivered: i64) -> Item {
    let counted = Counted {
        delivered: delivered * 1000,
        rejected: 0,
        condition: Condition::Ok,
        reason: None,
        note: None,
    };
    Item {
        item_number: number.to_owned(),
        sku: None,
        description: Some(description.to_owned()),
        unit: Some(unit.to_owned()),
        expected: expected * 1000,
        counted: Some(counted),
    }
}

pub fn differing(mut item: Item, reason: &str, condition: Condition) -> Item {
    let counted = item.counted.as_mut().unwrap();
    counted.reason = Some(reason.to_owned());
    counted.condition = condition;
    item
}

pub fn attachment(kind: ShownKind, bytes: Vec<u8>, note: Option<&str>, captured: &str) -> ShownAttachment {
    ShownAttachment {
        id: format!("{kind:?} {captured}"),
        url: format!("/objects/proof/{captured}"),
        content_type: "image/jpeg".to_owned(),
        kind,
        picture: match kind {
            ShownKind::Signature => picture::signature(&bytes),
            ShownKind::Photo => picture::photo(&bytes),
        }
        .ok_or(Unshown::Unreadable),
        item: None,
        note: note.map(str::to_owned),
        captured_at: at(captured),
        received_at: at(captured),
        added_after_completion: false,
    }
}

pub fn encoded(picture: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.into().write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Returns a photo that is neither flat nor noise, so that it is as hard to compress as a camera's picture.
pub fn photo(width: u32, height: u32, seed: u32) -> Vec<u8> {
    let grain = |x: u32, y: u32| {
        (x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca6b) ^ seed.wrapping_mul(0xc2b2_ae35)) >> 28
    };
    let picture = RgbImage::from_fn(width, height, |x, y| {
        let shade = 60 + (x * 90 / width) + (y * 60 / height) + grain(x, y);
        let is_crate = (x / 130 + y / 110 + seed).is_multiple_of(3);
        let value = if is_crate { shade } else { shade / 2 };
        Rgb([value as u8, (value * 4 / 5) as u8, (value * 3 / 5) as u8])
    });
    encoded(picture, ImageFormat::Jpeg)
}

/// Returns black strokes on a transparent background.
pub fn signature() -> Vec<u8> {
    let mut picture = RgbaImage::new(900, 400);
    for step in 0..4000_u32 {
        let t = step as f32 / 4000.0;
        let (x, y) = (140.0 + 600.0 * t, 200.0 + 90.0 * (t * 38.0).sin() * (1.0 - t));
        for (dx, dy) in (0..49).map(|at| (at % 7, at / 7)) {
            picture.put_pixel(x as u32 + dx, y as u32 + dy, Rgba([0, 0, 0, 255]));
        }
    }
    encoded(picture, ImageFormat::Png)
}

/// Returns a PNG that has only a header.
pub fn announced(width: u32, height: u32, depth: u8, color: u8) -> Vec<u8> {
    let (width, height) = (width.to_be_bytes(), height.to_be_bytes());
    let header = [&b"IHDR"[..], &width, &height, &[depth, color, 0, 0, 0]].concat();
    let checksum = crc(&header).to_be_bytes();
    let end = b"\0\0\0\0IDAT\x35\xaf\x06\x1e\0\0\0\0IEND\xae\x42\x60\x82";
    [&b"\x89PNG\r\n\x1a\n\0\0\0\r"[..], &header, &checksum, end].concat()
}

/// Returns the checksum of a PNG chunk.
pub fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1)))
    };
    !bytes.iter().fold(!0, step)
}
