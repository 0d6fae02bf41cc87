//! Pictures: broken, too large, rotated, many.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

use super::page::{pages, pictures, sheet, whole};
use super::sample::{self, announced, encoded, form};
use crate::form::jpeg::without_metadata;
use crate::form::picture::{SHARES, drawing, examine, photo, shares, signature};
use crate::form::{Paper, ShownAttachment, Unshown};

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
    let header = announced(0xffff, 0xffff, 8, 6);
    let started = Instant::now();
    assert_eq!(size(&header), None);
    assert!(started.elapsed() < Duration::from_secs(5));
}

/// Returns a JPEG that announces this size, with these bytes after its first segment.
fn jpeg(width: u16, height: u16, frame: u8, stray: &[u8]) -> Vec<u8> {
    let mut bytes = sample::photo(64, 48, 1);
    let at = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    bytes[at + 1] = frame;
    bytes[at + 5..at + 7].copy_from_slice(&height.to_be_bytes());
    bytes[at + 7..at + 9].copy_from_slice(&width.to_be_bytes());
    [&bytes[..20], stray, &bytes[20..]].concat()
}

/// Returns a lossless WebP that announces this size and has no pixels.
fn webp(width: u32, height: u32) -> Vec<u8> {
    let size = (width - 1) | ((height - 1) << 14);
    [&b"RIFF\x12\0\0\0WEBPVP8L\x05\0\0\0\x2f"[..], &size.to_le_bytes(), b"\0"].concat()
}

#[test]
fn a_picture_is_accepted_if_the_memory_for_it_is_bounded() {
    const SEQUENTIAL: u8 = 0xc0;
    const PROGRESSIVE: u8 = 0xc2;
    for (what, bytes, parts) in [
        ("a small png", announced(640, 480, 8, 2), Some(1)),
        ("a photo of 12 megapixels", jpeg(4000, 3000, SEQUENTIAL, b""), Some(1)),
        ("a png of 50 megapixels", announced(7000, 7000, 8, 6), Some(SHARES)),
        ("a png with a high color depth", announced(7000, 7000, 16, 6), None),
        ("a jpeg of 50 megapixels", jpeg(7000, 7000, SEQUENTIAL, b""), Some(3)),
        ("a small progressive jpeg", jpeg(640, 480, PROGRESSIVE, b""), Some(1)),
        ("a progressive jpeg of 50 megapixels", jpeg(7000, 7000, PROGRESSIVE, b""), None),
        ("a small jpeg with stray bytes", jpeg(640, 480, SEQUENTIAL, b"\0\0"), Some(1)),
        ("a jpeg of 50 megapixels with stray bytes", jpeg(7000, 7000, SEQUENTIAL, b"\0\0"), None),
        ("a webp of 16 megapixels", webp(4000, 4000), Some(3)),
        ("a webp of 25 megapixels", webp(5000, 5000), None),
    ] {
        assert_eq!(shares(&bytes), parts, "{what}");
        assert_eq!(examine(&bytes).is_some(), parts.is_some(), "{what}");
    }
    // The chunk claims to be longer than the file.
    let mut bytes = webp(64, 48);
    bytes[16] = 60;
    assert_eq!(examine(&bytes), None);
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
fn metadata_of_a_photo_is_not_in_the_file() {
    let plain = sample::photo(200, 150, 1);
    let segment = |marker: u8, content: &[u8]| {
        let length = u16::try_from(content.len() + 2).unwrap().to_be_bytes();
        [&[0xff, marker][..], &length, content].concat()
    };
    let color = segment(0xe2, b"ICC_PROFILE\0\x01\x02incomplete");
    let metadata = [
        segment(0xe0, b"JFXX\0\x10secret thumbnail"),
        segment(0xe1, b"Exif\0\0MM\0\x2a\0\0\0\x08\0\0 secret position"),
        segment(0xe2, b"MPF\0secret preview"),
        segment(0xed, b"Photoshop 3.0\0secret place"),
        segment(0xfe, b"secret comment"),
    ];
    let photo_of = |before: &[u8], after: &[u8]| [&plain[..2], before, &plain[2..], after].concat();
    let full = photo_of(&[&color[..], &metadata.concat()].concat(), b"secret video");
    assert_eq!(without_metadata(&full), Some(photo_of(&color, b"")));
    let mut form = form();
    form.pictures[1].picture = photo(&full).ok_or(Unshown::Unreadable);
    let pdf = super::pdf(&form, Paper::A4);
    let has = |text: &[u8]| pdf.windows(text.len()).any(|window| window == text);
    assert!(has(&plain[plain.len() - 200..]), "the photo is embedded");
    assert!(!has(b"secret") && !has(b"Exif"));
}

/// Returns a JPEG that a viewer turns by a quarter, as a phone held upright records it.
fn turned(jpeg: &[u8]) -> Vec<u8> {
    let exif = b"\xff\xe1\0\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    [&jpeg[..2], exif, &jpeg[2..]].concat()
}

#[test]
fn a_picture_stands_upright() {
    let landscape = sample::photo(900, 600, 1);
    assert_eq!(size(&landscape), Some((900, 600)));
    assert_eq!(size(&turned(&landscape)), Some((533, 800)));
    let mut strokes = RgbImage::from_pixel(1600, 400, Rgb([255; 3]));
    for (x, y) in (80..1520).flat_map(|x| (160..240).map(move |y| (x, y))) {
        strokes.put_pixel(x, y, Rgb([0; 3]));
    }
    let strokes = encoded(strokes, ImageFormat::Jpeg);
    assert_eq!(signature(&strokes).unwrap().image.size(), (720, 40));
    assert_eq!(signature(&turned(&strokes)).unwrap().image.size(), (13, 240));
}

#[test]
fn a_signature_is_its_ink_on_white() {
    let mut picture = RgbaImage::new(600, 300);
    for (x, y) in (200..300).flat_map(|x| (100..140).map(move |y| (x, y))) {
        picture.put_pixel(x, y, Rgba([0, 0, 60, 255]));
    }
    let picture = DynamicImage::from(picture);
    for (what, bytes) in [
        ("color", encoded(picture.clone(), ImageFormat::Png)),
        ("color, 16 bits", encoded(picture.to_rgba16(), ImageFormat::Png)),
        ("gray", encoded(picture.to_luma_alpha8(), ImageFormat::Png)),
        ("gray, 16 bits", encoded(picture.to_luma_alpha16(), ImageFormat::Png)),
    ] {
        assert_eq!(signature(&bytes).unwrap().image.size(), (100, 40), "{what}");
        assert_eq!(size(&bytes), Some((600, 300)), "{what}");
    }
    let empty = signature(&encoded(RgbaImage::new(600, 300), ImageFormat::Png)).unwrap();
    assert_eq!(empty.image.size(), (480, 240), "an empty one is as empty as it was");
}

#[test]
fn many_photos_go_on_in_rows_and_none_is_forgotten() {
    let mut form = form();
    let photo = ShownAttachment {
        picture: photo(&sample::photo(200, 150, 1)).ok_or(Unshown::Unreadable),
        ..form.pictures[1].clone()
    };
    form.pictures = (0..45).map(|at| ShownAttachment { id: at.to_string(), ..photo.clone() }).collect();
    form.pictures[7].picture = Err(Unshown::Unreadable);
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
fn a_drawn_logo_is_printed_unless_it_needs_a_font_or_a_picture() {
    let svg = |inner: &str| {
        let head = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 25'>";
        drawing(format!("{head}{inner}</svg>").as_bytes()).map(|it| it.image.size())
    };
    let square = "<rect width='25' height='25' fill='#0a6'/>";
    assert_eq!(svg(square), Some((672, 168)));
    assert_eq!(svg(&format!("{square}<text x='30' y='20'>Habagat</text>")), None);
    let png = STANDARD.encode(encoded(RgbImage::new(9, 9), ImageFormat::Png));
    for href in ["/etc/hostname".to_owned(), format!("data:image/png;base64,{png}")] {
        let image = format!("<image href='{href}' width='9' height='9'/>");
        assert_eq!(svg(&image), None, "{href}");
        let pattern = format!("<pattern id='a' width='1' height='1'>{image}</pattern>");
        let filled = format!("<defs>{pattern}</defs><rect width='9' height='9' fill='url(#a)'/>");
        assert_eq!(svg(&filled), None, "{href}");
    }
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
