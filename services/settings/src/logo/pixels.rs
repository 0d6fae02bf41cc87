//! Raster pictures: decoded within limits and encoded anew.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use kit::{Error, Result};

/// Maximum side in pixels: four times the largest displayed size, for high-resolution screens.
const MOST: u32 = 520;
pub(super) const MAX_PIXELS: u64 = 16_000_000;
const MAX_SIDE: u32 = 16_384;
/// Maximum memory for decoding: enough for four channels of sixteen bits.
const MAX_MEMORY: u64 = MAX_PIXELS * 8;

/// Converts a PNG or JPEG to an upright PNG without metadata, with sides of at most [`MOST`] pixels.
pub(super) fn png(bytes: &[u8], most_pixels: u64) -> Result<Vec<u8>> {
    let broken = |_| invalid("The picture cannot be read. Save it again as PNG.");
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(Error::internal)?;
    match reader.format() {
        Some(ImageFormat::Png) => {}
        Some(ImageFormat::Jpeg) if is_whole_jpeg(bytes) => {}
        _ => return Err(invalid("The picture is incomplete. Upload it again.")),
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| match error {
        image::ImageError::Limits(_) => too_large(),
        error => broken(error),
    })?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > most_pixels || width.max(height) > MAX_SIDE {
        return Err(too_large());
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|error| match error {
        image::ImageError::Limits(_) => too_large(),
        error => broken(error),
    })?;
    if picture.width() > MOST || picture.height() > MOST {
        picture = picture.thumbnail(MOST, MOST);
    }
    picture.apply_orientation(orientation);
    let picture = match picture.color().has_alpha() {
        true => DynamicImage::ImageRgba8(picture.into_rgba8()),
        false => DynamicImage::ImageRgb8(picture.into_rgb8()),
    };
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, ImageFormat::Png).map_err(Error::internal)?;
    Ok(out.into_inner())
}

/// Returns whether the last scan of a JPEG has an end. If it has none, the decoder would invent the missing
/// data.
fn is_whole_jpeg(bytes: &[u8]) -> bool {
    let last = |marker: u8| bytes.windows(2).rposition(|pair| pair == [0xff, marker]);
    last(0xda).zip(last(0xd9)).is_some_and(|(scan, end)| scan < end)
}

pub(super) fn invalid(advice: &str) -> Error {
    Error::invalid("FILE_TYPE_INVALID", "Invalid file").field("url", advice)
}

fn too_large() -> Error {
    let text = "The picture has more than 16 megapixels, or a side of more than 16,384 pixels. Choose a smaller one.";
    Error::invalid("PICTURE_TOO_LARGE", text).field("url", text)
}
