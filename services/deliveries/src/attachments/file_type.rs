//! Detects the type of an uploaded file by its bytes, whatever its sender called it.
//!
//! Nothing is decoded: only the outer structure of a file must be valid, and pictures must be within limits.

use kit::{Error, Result};

use crate::domain::attachment::Kind;
use crate::form::picture;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Examined {
    pub content_type: &'static str,
    /// Size of a picture, in pixels.
    pub size: Option<(u32, u32)>,
}

/// Returns a file's content type and picture size. Refuses damaged files, and types that the kind does not
/// allow.
pub fn examine(bytes: &[u8], kind: Kind) -> Result<Examined> {
    if let Some((content_type, width, height)) = picture::examine(bytes) {
        return Ok(Examined { content_type, size: Some((width, height)) });
    }
    if is_heic(bytes) {
        return Ok(Examined { content_type: "image/heic", size: None });
    }
    match kind {
        Kind::Document | Kind::Other if is_pdf(bytes) => {
            Ok(Examined { content_type: "application/pdf", size: None })
        }
        Kind::Document | Kind::Other => {
            Err(invalid("Choose a PDF, or an undamaged JPEG, PNG, WebP or HEIC picture."))
        }
        Kind::Signature | Kind::Photo | Kind::BarcodeImage | Kind::IdCheck => {
            Err(invalid("Choose an undamaged JPEG, PNG, WebP or HEIC picture."))
        }
    }
}

fn invalid(advice: &str) -> Error {
    Error::invalid("INVALID_FILE", "Invalid file").field("url", advice)
}

/// Returns whether the bytes are HEIC, the picture format of phones: a box that lists brands, then a box with
/// the content.
fn is_heic(bytes: &[u8]) -> bool {
    let Some(head) = bytes.get(..8) else { return false };
    let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
    if &head[4..] != b"ftyp" || !(16..=256).contains(&length) || bytes.len() < length + 8 {
        return false;
    }
    // The first brand, a version, then further brands; skip the version.
    let brands = bytes[8..length].chunks_exact(4).enumerate().filter(|(at, _)| *at != 1);
    let known: [&[u8]; 4] = [b"heic", b"heix", b"heim", b"heis"];
    brands.into_iter().any(|(_, brand)| known.contains(&brand))
}

fn is_pdf(bytes: &[u8]) -> bool {
    let end = &bytes[bytes.len().saturating_sub(1024)..];
    bytes.starts_with(b"%PDF-") && end.windows(5).any(|window| window == b"%%EOF")
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, ImageFormat, RgbImage};

    use super::*;
    use crate::form::tests::sample::{crc, encoded, photo};

    const PDF: &[u8] = b"%PDF-1.7\n1 0 obj\nendobj\ntrailer\n%%EOF\n";

    fn heic(brands: &[u8]) -> Vec<u8> {
        let length = 8 + brands.len() as u32;
        [&length.to_be_bytes()[..], b"ftyp", brands, b"\0\0\0\x10meta\0\0\0\0\0\0\0\0"].concat()
    }

    #[test]
    fn a_file_is_what_its_bytes_say() {
        let picture = || DynamicImage::from(RgbImage::new(30, 20));
        for (bytes, content_type, size) in [
            (photo(30, 20, 1), "image/jpeg", Some((30, 20))),
            (encoded(picture(), ImageFormat::Png), "image/png", Some((30, 20))),
            (encoded(picture(), ImageFormat::WebP), "image/webp", Some((30, 20))),
            (heic(b"heic\0\0\0\0mif1heic"), "image/heic", None),
            (heic(b"mif1\0\0\0\0mif1heix"), "image/heic", None),
        ] {
            for kind in [Kind::Photo, Kind::Signature, Kind::Document] {
                assert_eq!(examine(&bytes, kind).unwrap(), Examined { content_type, size });
            }
        }
        for kind in [Kind::Document, Kind::Other] {
            assert_eq!(examine(PDF, kind).unwrap().content_type, "application/pdf");
        }
    }

    #[test]
    fn anything_else_is_an_invalid_file() {
        let jpeg = photo(200, 200, 1);
        let png = encoded(DynamicImage::from(RgbImage::new(90, 90)), ImageFormat::Png);
        let webp = encoded(DynamicImage::from(RgbImage::new(90, 90)), ImageFormat::WebP);
        let mut bomb = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\x06\0\0\0".to_vec();
        bomb.extend(crc(&bomb[12..]).to_be_bytes());
        bomb.extend(b"\0\0\0\0IDAT\x35\xaf\x06\x1e\0\0\0\0IEND\xae\x42\x60\x82");
        let gif = b"GIF89a\x01\0\x01\0\0\0\0;".to_vec();
        for (what, bytes) in [
            ("nothing", Vec::new()),
            ("svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec()),
            ("html", b"<!doctype html><script>".to_vec()),
            ("a program", b"MZ\x90\0".to_vec()),
            ("a gif", gif),
            ("a document as a photo", PDF.to_vec()),
            ("a picture of four gigapixels", bomb),
            ("half a jpeg", jpeg[..jpeg.len() / 2].to_vec()),
            ("a jpeg without its end", jpeg[..jpeg.len() - 2].to_vec()),
            ("half a png", png[..png.len() / 2].to_vec()),
            ("half a webp", webp[..webp.len() / 2].to_vec()),
            ("avif", heic(b"avif\0\0\0\0mif1miaf")),
            ("a film", heic(b"isom\0\0\0\0mp41mp42")),
            ("the start of a heic", heic(b"heic\0\0\0\0mif1heic")[..12].to_vec()),
        ] {
            let error = examine(&bytes, Kind::Photo).err().unwrap_or_else(|| panic!("{what}"));
            assert_eq!((error.reason.as_str(), error.message.as_str()), ("INVALID_FILE", "Invalid file"));
            assert_eq!(error.fields["url"].len(), 1, "{what}");
        }
        assert!(examine(&PDF[..PDF.len() - 6], Kind::Document).is_err(), "a document without its end");
    }
}
