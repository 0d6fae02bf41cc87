//! Pictures of others, made fit for a page: decoded within bounds, upright, small.
//!
//! What a picture is, its bytes say; what its sender called it counts for nothing. One that breaks off
//! is not shown: half of a proof is none.

use std::io::Cursor;
use std::sync::Arc;

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};
use krilla::image::{BitsPerComponent, CustomImage, Image, ImageColorspace};

/// More than any phone takes. A pixel costs up to four bytes of memory, sixteen in a deep picture.
const MAX_PIXELS: u64 = 50_000_000;
const MAX_MEMORY: u64 = 256 << 20;

/// In a strip, a photo is 36 mm wide: 450 dots per inch, so that a person can zoom in somewhat. The
/// original stays with the delivery.
const PHOTO: u32 = 640;
const PHOTO_QUALITY: u8 = 75;
const SIGNATURE: (u32, u32) = (720, 240);
const LOGO: (u32, u32) = (600, 160);
/// What is lighter is no ink.
const PAPER: u8 = 215;

#[derive(Debug, Clone)]
pub struct Picture {
    pub image: Image,
    pub width: f32,
    pub height: f32,
}

impl Picture {
    fn of(image: Image) -> Self {
        let (width, height) = image.size();
        Self { image, width: width as f32, height: height as f32 }
    }

    /// As large as it can be in that room, and no larger than `most` times its pixels.
    pub fn fit(&self, width: f32, height: f32, most: f32) -> (f32, f32) {
        let scale = (width / self.width).min(height / self.height).min(most);
        (self.width * scale, self.height * scale)
    }
}

/// A photo, as a small JPEG.
pub fn photo(bytes: &[u8]) -> Option<Picture> {
    let (picture, orientation) = decode(bytes)?;
    let mut picture = shrunk(on_white(picture), PHOTO, PHOTO);
    picture.apply_orientation(orientation);
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, PHOTO_QUALITY).encode_image(&picture.into_rgb8()).ok()?;
    Image::from_jpeg(jpeg.into(), false).ok().map(Picture::of)
}

/// The ink of a signature, without the empty paper around it.
pub fn signature(bytes: &[u8]) -> Option<Picture> {
    let (mut picture, orientation) = decode(bytes)?;
    picture = on_white(picture);
    picture.apply_orientation(orientation);
    let gray = picture.into_luma8();
    let (left, top, width, height) = inked(&gray);
    let ink = DynamicImage::ImageLuma8(gray).crop_imm(left, top, width, height);
    raw(shrunk(ink, SIGNATURE.0, SIGNATURE.1))
}

/// A logo, in its colours.
pub fn logo(bytes: &[u8]) -> Option<Picture> {
    let (picture, orientation) = decode(bytes)?;
    let mut picture = shrunk(on_white(picture), LOGO.0, LOGO.1);
    picture.apply_orientation(orientation);
    raw(DynamicImage::ImageRgb8(picture.into_rgb8()))
}

fn decode(bytes: &[u8]) -> Option<(DynamicImage, Orientation)> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    if reader.format()? == ImageFormat::Jpeg && !is_whole_jpeg(bytes) {
        return None;
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return None;
    }
    let orientation = decoder.orientation().ok()?;
    Some((DynamicImage::from_decoder(decoder).ok()?, orientation))
}

/// Whether the end of the image is there. The decoder makes up what is missing.
fn is_whole_jpeg(bytes: &[u8]) -> bool {
    let mut at = 2;
    loop {
        // Up to the next marker. In the image itself FF is written FF 00, and restarts mark no end.
        at += match bytes
            .get(at..)
            .unwrap_or_default()
            .windows(2)
            .position(|pair| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff))
        {
            Some(offset) => offset,
            None => return false,
        };
        if bytes[at + 1] == 0xd9 {
            return true;
        }
        // Thumbnails end too: what is in a segment is stepped over.
        let Some(&[high, low]) = bytes.get(at + 2..at + 4) else { return false };
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
    }
}

/// Without transparency, which paper does not have.
fn on_white(picture: DynamicImage) -> DynamicImage {
    if !picture.color().has_alpha() {
        return picture;
    }
    let picture = picture.into_rgba8();
    let (width, height) = picture.dimensions();
    let mut flat = Vec::with_capacity(picture.len() / 4 * 3);
    for pixel in picture.as_raw().chunks_exact(4) {
        let alpha = u32::from(pixel[3]);
        let over = |channel: u8| ((u32::from(channel) * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
        flat.extend([over(pixel[0]), over(pixel[1]), over(pixel[2])]);
    }
    RgbImage::from_raw(width, height, flat).map_or_else(DynamicImage::default, DynamicImage::ImageRgb8)
}

fn shrunk(picture: DynamicImage, width: u32, height: u32) -> DynamicImage {
    if picture.width() <= width && picture.height() <= height {
        return picture;
    }
    picture.thumbnail(width, height)
}

/// Left, top, width and height of what is dark; everything when nothing is.
fn inked(gray: &GrayImage) -> (u32, u32, u32, u32) {
    let (width, height) = gray.dimensions();
    let (mut left, mut right) = (width, 0);
    let (mut top, mut bottom) = (height, 0);
    for (y, row) in (0..).zip(gray.as_raw().chunks_exact(width as usize)) {
        let Some(first) = row.iter().position(|&value| value < PAPER) else { continue };
        let last = row.iter().rposition(|&value| value < PAPER).unwrap_or(first);
        left = left.min(first as u32);
        right = right.max(last as u32 + 1);
        top = top.min(y);
        bottom = y + 1;
    }
    if left < right { (left, top, right - left, bottom - top) } else { (0, 0, width, height) }
}

/// Every pixel as it is.
fn raw(picture: DynamicImage) -> Option<Picture> {
    let size = (picture.width(), picture.height());
    let color_space = if picture.color().has_color() { ImageColorspace::Rgb } else { ImageColorspace::Luma };
    let pixels = Pixels { bytes: Arc::new(picture.into_bytes()), size, color_space };
    Image::from_custom(pixels, false).ok().map(Picture::of)
}

/// Eight bits a channel.
#[derive(Clone, Hash)]
struct Pixels {
    bytes: Arc<Vec<u8>>,
    size: (u32, u32),
    color_space: ImageColorspace,
}

impl CustomImage for Pixels {
    fn color_channel(&self) -> &[u8] {
        &self.bytes
    }

    fn alpha_channel(&self) -> Option<&[u8]> {
        None
    }

    fn bits_per_component(&self) -> BitsPerComponent {
        BitsPerComponent::Eight
    }

    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn icc_profile(&self) -> Option<&[u8]> {
        None
    }

    fn color_space(&self) -> ImageColorspace {
        self.color_space
    }
}
