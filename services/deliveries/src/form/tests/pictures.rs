//! Pictures: broken, too large, rotated, many.

use std::time::{Duration, Instant};

use image::{ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

use super::page::{pages, pictures, sheet, whole};
use super::sample::{self, encoded, form};
use crate::form::picture::{drawing, photo, signature};
use crate::form::{Evidence, Paper, Unshown};

/// Returns width and height of a converted photo.
fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    photo(bytes).map(|picture| picture.image.size())
}

#[test]
fn a_picture_that_cannot_be_read_is_none() {
    let whole = sample::photo(800, 600, 1);
    let nothing = [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &[0; 13], b"\0\0\0\0"].concat();
    let png = encoded(RgbImage::new(80, 80), ImageFormat::Png);
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("no picture", b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec()),
        ("a document", b"%PDF-1.7".to_vec()),
        ("a truncated jpeg", whole[..whole.len() / 2].to_vec()),
        ("a jpeg without its end", whole[..whole.len() - 2].to_vec()),
        ("a header alone", whole[..20].to_vec()),
        ("a png of no size", nothing),
        ("a truncated png", png[..png.len() / 2].to_vec()),
    ] {
        assert!(photo(&bytes).is_none(), "{what}");
        assert!(signature(&bytes).is_none(), "{what}");
    }
    assert!(photo(&whole).is_some() && signature(&whole).is_some());
}

#[test]
fn a_picture_that_would_take_all_memory_is_not_opened() {
    // A header that announces sixteen gigabytes.
    let mut header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\x06\0\0\0".to_vec();
    header.extend(sample::crc(&header[12..]).to_be_bytes());
    header.extend(b"\0\0\0\0IDAT\x35\xaf\x06\x1e\0\0\0\0IEND\xae\x42\x60\x82");
    let started = Instant::now();
    assert_eq!(size(&header), None);
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_small_jpeg_goes_as_it_is_and_any_other_becomes_one() {
    assert_eq!(size(&sample::photo(1200, 900, 1)), Some((1200, 900)));
    assert_eq!(size(&sample::photo(1600, 1200, 1)), Some((800, 600)));
    // The content type says JPEG, but the file is not one.
    let picture = RgbImage::from_pixel(300, 200, Rgb([200, 10, 10]));
    for format in [ImageFormat::Png, ImageFormat::WebP] {
        assert_eq!(size(&encoded(picture.clone(), format)), Some((300, 200)), "{format:?}");
    }
}

#[test]
fn a_photo_stands_upright() {
    let landscape = sample::photo(900, 600, 1);
    assert_eq!(size(&landscape), Some((900, 600)));
    // Rotated by a quarter turn, as a phone held upright records a photo.
    let exif = b"\xff\xe1\0\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let turned = [&landscape[..2], exif, &landscape[2..]].concat();
    assert_eq!(size(&turned), Some((533, 800)));
}

#[test]
fn a_signature_is_its_ink_on_white() {
    let mut picture = RgbaImage::new(600, 300);
    for (x, y) in (200..300).flat_map(|x| (100..140).map(move |y| (x, y))) {
        picture.put_pixel(x, y, Rgba([0, 0, 60, 255]));
    }
    let ink = signature(&encoded(picture, ImageFormat::Png)).unwrap();
    assert_eq!(ink.image.size(), (100, 40));
    let empty = signature(&encoded(RgbaImage::new(600, 300), ImageFormat::Png)).unwrap();
    assert_eq!(empty.image.size(), (480, 240), "an empty one is as empty as it was");
}

#[test]
fn many_photos_go_on_in_rows_and_none_is_forgotten() {
    let mut form = form();
    let photo = Evidence {
        picture: photo(&sample::photo(200, 150, 1)).ok_or(Unshown::Unreadable),
        ..form.evidence[1].clone()
    };
    form.evidence = (0..45).map(|at| Evidence { id: at.to_string(), ..photo.clone() }).collect();
    form.evidence[7].picture = Err(Unshown::Unreadable);
    let text = whole(&form);
    assert!(text.contains("20. Goods 10:58 AM 25 more are kept with the delivery."), "{text}");
    assert!(text.contains("This photo can't be shown 8. Goods 10:58 AM"), "{text}");
    assert_eq!(pictures(&form).len(), 19);
}

#[test]
fn the_logo_stands_in_for_mark_and_name_and_is_told_by_it() {
    let mut form = form();
    let without = pictures(&form);
    let logo = encoded(RgbImage::new(360, 90), ImageFormat::Png);
    form.organization.logo = Some(photo(&logo).unwrap());
    assert_eq!(pictures(&form), [vec![(360, 90)], without].concat());
    let printed = whole(&form);
    assert!(!printed.contains("Habagat Logistics"), "{printed}");
    assert!(printed.starts_with("28 Pioneer Street, Mandaluyong City"), "{printed}");
    let sheet = sheet(&form, Paper::A4);
    let told = sheet.nodes.iter().filter(|node| format!("{:?}", node.tag).contains("Habagat Logistics"));
    assert_eq!(told.count(), 1);
    assert_eq!(pages(&form).len(), 1);
    assert!(super::pdf(&form, Paper::A4).starts_with(b"%PDF"));
}

#[test]
fn a_drawn_logo_is_printed_unless_it_needs_a_font_or_another_file() {
    let svg = |inner: &str| {
        let head = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 25'>";
        drawing(format!("{head}{inner}</svg>").as_bytes()).map(|it| it.image.size())
    };
    let square = "<rect width='25' height='25' fill='#0a6'/>";
    assert_eq!(svg(square), Some((672, 168)));
    assert_eq!(svg(&format!("{square}<text x='30' y='20'>Habagat</text>")), None);
    let linked = format!("{square}<image href='/etc/hostname' width='9' height='9'/>");
    assert_eq!(svg(&linked), Some((672, 168)), "what lies elsewhere is not read");
    for bad in ["", "<svg", "no drawing", "<html/>"] {
        assert!(drawing(bad.as_bytes()).is_none(), "{bad}");
    }
    let mut form = form();
    form.organization.logo = drawing(
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='50' height='50'>{square}</svg>").as_bytes(),
    );
    assert_eq!(pictures(&form)[0], (168, 168));
    assert!(!whole(&form).contains("Habagat Logistics"));
}
