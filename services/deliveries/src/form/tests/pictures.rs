//! Pictures: broken, too large, turned, many.

use super::*;

#[test]
fn a_picture_that_cannot_be_read_is_a_box_that_says_so() {
    let photo = sample::photo(800, 600, 1);
    let nothing = [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &[0; 13], b"\0\0\0\0"].concat();
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("no picture", b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec()),
        ("a truncated jpeg", photo[..photo.len() / 2].to_vec()),
        ("a jpeg without its end", photo[..photo.len() - 2].to_vec()),
        ("a header alone", photo[..20].to_vec()),
        ("a png of no size", nothing),
        ("a truncated png", sample::logo()[..300].to_vec()),
    ] {
        let pdf = read(&with_photo(bytes), Paper::A4);
        assert!(texts(&pdf.pages()[0]).contains(&UNSHOWN), "{what}");
        assert_eq!(pdf.pictures(), [], "{what}");
    }
    let pdf = read(&with_photo(photo), Paper::A4);
    assert!(!texts(&pdf.pages()[0]).contains(&UNSHOWN));
    assert_eq!(pdf.pictures(), [(640, 480)]);
}

#[test]
fn a_signature_or_a_logo_that_cannot_be_read_breaks_nothing() {
    let mut form = form();
    form.organization.logo = Some(b"GIF89a".to_vec());
    form.evidence[0].bytes.truncate(100);
    let text = whole(&form);
    assert!(text.contains("Habagat Logistics 28 Pioneer Street"), "{text}");
    assert!(text.contains("This signature cannot be shown"), "{text}");
}

#[test]
fn a_picture_that_would_take_all_memory_is_not_opened() {
    // Sixteen gigabytes in a header.
    let mut header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\x06\0\0\0".to_vec();
    header.extend(crc(&header[12..]).to_be_bytes());
    header.extend(b"\0\0\0\0IDAT\x35\xaf\x06\x1e\0\0\0\0IEND\xae\x42\x60\x82");
    let started = Instant::now();
    assert_eq!(read(&with_photo(header), Paper::A4).pictures(), []);
    assert!(started.elapsed() < Duration::from_secs(5));
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1)))
    };
    !bytes.iter().fold(!0, step)
}

#[test]
fn a_photo_stands_upright_and_is_what_its_bytes_say() {
    let landscape = sample::photo(900, 600, 1);
    assert_eq!(read(&with_photo(landscape.clone()), Paper::A4).pictures(), [(640, 427)]);
    // Turned by a quarter, as a phone that is held upright notes it.
    let exif = b"\xff\xe1\0\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let turned = [&landscape[..2], exif, &landscape[2..]].concat();
    assert_eq!(read(&with_photo(turned), Paper::A4).pictures(), [(427, 640)]);
    // Called a JPEG and none.
    let picture = RgbImage::from_pixel(300, 200, image::Rgb([200, 10, 10]));
    for format in [ImageFormat::Png, ImageFormat::WebP] {
        let bytes = sample::encoded(picture.clone(), format);
        assert_eq!(read(&with_photo(bytes), Paper::A4).pictures(), [(300, 200)], "{format:?}");
    }
}

#[test]
fn many_photos_go_on_in_rows_and_none_is_forgotten() {
    let mut form = form();
    let photo = Evidence { bytes: sample::photo(200, 150, 1), ..form.evidence[1].clone() };
    form.evidence = vec![photo; 45];
    form.evidence[7].kind = EvidenceKind::Document;
    form.evidence[7].caption = None;
    form.evidence[7].bytes = b"%PDF-1.7".to_vec();
    let text = whole(&form);
    assert!(text.contains("40. Goods, 10:58 AM 5 more are kept with the delivery."), "{text}");
    assert!(text.contains("This document cannot be shown 8. Document, 10:58 AM"), "{text}");
}
