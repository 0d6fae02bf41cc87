//! Prepares uploaded pictures for a page: decoded within limits, upright, small.
//!
//! The format is detected by the bytes, whatever the sender called it. Truncated pictures are not shown,
//! because half a proof proves nothing.

use std::io::Cursor;
use std::sync::Arc;

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{
    DynamicImage, GrayImage, ImageBuffer, ImageDecoder, ImageFormat, ImageReader, Limits, Primitive, RgbImage,
};
use krilla::image::{BitsPerComponent, CustomImage, Image, ImageColorspace};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree};

use super::jpeg;

/// Maximum number of pixels, more than a phone's photo has.
const MAX_PIXELS: u64 = 50_000_000;
/// Maximum memory for decoding and converting pictures, in bytes: for one picture, and for all that are
/// converted at the same time. Enough for [`MAX_PIXELS`] of four bytes.
const MAX_MEMORY: u64 = 256 << 20;
/// Number of parts of that memory; see [`shares`].
pub const SHARES: usize = 4;
/// Maximum memory for the metadata of a PNG.
const MAX_METADATA: u64 = 32 << 20;

/// Maximum side of a JPEG whose image data is embedded unchanged, in pixels.
const PASSED: u32 = 1200;
const PASSED_BYTES: usize = 400 << 10;
/// Size to which other photos are scaled, in pixels. A photo in a strip is 36 mm wide, so this is 560 dots
/// per inch, enough to zoom in a little. The original stays with the delivery.
const PHOTO: u32 = 800;
const PHOTO_QUALITY: u8 = 75;
const SIGNATURE: (u32, u32) = (720, 240);
/// Maximum size of a rendered SVG logo in pixels, four times its size on the page.
const DRAWING: (f32, f32) = (800.0, 168.0);
/// Pixels lighter than this are paper, not ink.
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

    /// Returns the largest size that fits this box, but at most `most` times the picture's own size.
    pub fn fit(&self, width: f32, height: f32, most: f32) -> (f32, f32) {
        let scale = (width / self.width).min(height / self.height).min(most);
        (self.width * scale, self.height * scale)
    }
}

/// Converts a photo to a small JPEG.
pub fn photo(bytes: &[u8]) -> Option<Picture> {
    let opened = open(bytes)?;
    if opened.goes_as_it_is(bytes) {
        // The form leaves the company, and a photo's metadata says more than the photo shows.
        return Image::from_jpeg(jpeg::without_metadata(bytes)?.into(), false).ok().map(Picture::of);
    }
    let (picture, orientation) = opened.decode()?;
    let mut picture = shrunk(on_white(picture), PHOTO, PHOTO);
    picture.apply_orientation(orientation);
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, PHOTO_QUALITY).encode_image(&picture.into_rgb8()).ok()?;
    Image::from_jpeg(jpeg.into(), false).ok().map(Picture::of)
}

/// Crops a signature to its ink.
pub fn signature(bytes: &[u8]) -> Option<Picture> {
    let (picture, orientation) = open(bytes)?.decode()?;
    let gray = on_white(picture).into_luma8();
    let (left, top, width, height) = inked(&gray);
    let ink = DynamicImage::ImageLuma8(gray).crop_imm(left, top, width, height);
    let (width, height) = SIGNATURE;
    let (width, height) = if is_turned(orientation) { (height, width) } else { (width, height) };
    // Turned last, when it is small, because turning takes a second copy.
    let mut ink = shrunk(ink, width, height);
    ink.apply_orientation(orientation);
    raw(ink)
}

/// Returns for how many of [`SHARES`] parts of the memory the picture counts while [`photo`] or [`signature`]
/// converts it; `None` if it cannot be converted.
pub fn shares(bytes: &[u8]) -> Option<usize> {
    let shares = open(bytes)?.memory.div_ceil(MAX_MEMORY / SHARES as u64);
    usize::try_from(shares).ok()
}

/// Renders an SVG logo to pixels. Returns `None` for a logo with text, because its font is unknown here and a
/// logo in another font would be wrong, and for one with pictures, which are not decoded here.
pub fn drawing(bytes: &[u8]) -> Option<Picture> {
    let text = std::str::from_utf8(bytes).ok()?;
    // The name of an element may have a prefix.
    let has = |name: &str| text.contains(&format!("<{name}")) || text.contains(&format!(":{name}"));
    if ["text", "image", "feImage"].into_iter().any(has) {
        return None;
    }
    // Loads nothing from outside of the file.
    let image_href_resolver =
        ImageHrefResolver { resolve_data: Box::new(|_, _, _| None), resolve_string: Box::new(|_, _| None) };
    let tree = Tree::from_str(text, &Options { image_href_resolver, ..Options::default() }).ok()?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = (DRAWING.0 / width).min(DRAWING.1 / height);
    let mut pixels = Pixmap::new((width * scale).round() as u32, (height * scale).round() as u32)?;
    pixels.fill(resvg::tiny_skia::Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    let (width, height) = (pixels.width(), pixels.height());
    let opaque = pixels.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    raw(DynamicImage::ImageRgb8(RgbImage::from_raw(width, height, opaque)?))
}

/// Returns content type, width and height of a picture that is complete and within limits, without decoding
/// it.
pub fn examine(bytes: &[u8]) -> Option<(&'static str, u32, u32)> {
    let content_type = match image::guess_format(bytes).ok()? {
        ImageFormat::Jpeg => "image/jpeg",
        ImageFormat::Png if is_whole_png(bytes) => "image/png",
        ImageFormat::WebP => "image/webp",
        _ => return None,
    };
    let opened = open(bytes)?;
    let (width, height) = opened.decoder.dimensions();
    let is_turned = is_turned(opened.orientation);
    Some(if is_turned { (content_type, height, width) } else { (content_type, width, height) })
}

fn is_turned(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

/// A picture whose header was read and is within limits.
struct Opened<'a> {
    decoder: Box<dyn ImageDecoder + 'a>,
    /// Number of channels of a JPEG.
    channels: Option<u8>,
    orientation: Orientation,
    /// Maximum memory for decoding and converting, in bytes.
    memory: u64,
}

fn open(bytes: &[u8]) -> Option<Opened<'_>> {
    let format = image::guess_format(bytes).ok()?;
    let (bytes, frame) = match format {
        ImageFormat::Jpeg => (bytes, Some(jpeg::frame(bytes)?)),
        ImageFormat::WebP => (whole_webp(bytes)?, None),
        _ => (bytes, None),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    // Bounds little: neither the decoded picture nor what most decoders need beside it.
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_METADATA);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > MAX_PIXELS {
        return None;
    }
    let (width, height) = (u64::from(width), u64::from(height));
    // What the decoder needs beside the decoded picture.
    let working = match (&frame, format) {
        // If unknown, two bytes for each of four channels, in blocks of up to 32 pixels.
        (Some(frame), _) => frame.coefficients.unwrap_or((width + 31) * (height + 31) * 8),
        (None, ImageFormat::WebP) if bytes[12..].starts_with(b"VP8 ") => (width + 15) * (height + 15) * 2,
        // Canvas and frame of an animation, or planes for color and transparency.
        (None, ImageFormat::WebP) => pixels * 8,
        _ => 0,
    };
    // Converting a signature takes a byte per pixel, when the decoder is gone.
    let memory = decoder.total_bytes() + working.max(pixels);
    if memory > MAX_MEMORY {
        return None;
    }
    let orientation = decoder.orientation().ok()?;
    let channels = frame.map(|frame| frame.channels);
    Some(Opened { decoder: Box::new(decoder), channels, orientation, memory })
}

impl Opened<'_> {
    /// Returns whether the image data can be embedded unchanged: it is upright, small, and in a supported
    /// color space.
    fn goes_as_it_is(&self, bytes: &[u8]) -> bool {
        let (width, height) = self.decoder.dimensions();
        matches!(self.channels, Some(1 | 3))
            && self.orientation == Orientation::NoTransforms
            && width.max(height) <= PASSED
            && bytes.len() <= PASSED_BYTES
    }

    fn decode(self) -> Option<(DynamicImage, Orientation)> {
        Some((DynamicImage::from_decoder(self.decoder).ok()?, self.orientation))
    }
}

/// Returns whether a PNG has its last chunk.
fn is_whole_png(bytes: &[u8]) -> bool {
    let mut at = 8;
    while let Some(&[a, b, c, d, ref kind @ ..]) = bytes.get(at..at + 8) {
        let end = at.saturating_add(u32::from_be_bytes([a, b, c, d]) as usize).saturating_add(12);
        if kind == b"IEND" {
            return end <= bytes.len();
        }
        at = end;
    }
    false
}

/// Returns a WebP without bytes after its end; `None` if a chunk is longer than the file. The decoder would
/// reserve as much memory as a chunk claims to need.
fn whole_webp(bytes: &[u8]) -> Option<&[u8]> {
    let whole = bytes.get(..riff_length(bytes)?.saturating_add(8))?;
    are_whole(whole.get(12..)?, true).then_some(whole)
}

/// Returns whether these chunks, and those within frames of an animation, have all of their content.
fn are_whole(mut chunks: &[u8], has_frames: bool) -> bool {
    while let Some(length) = riff_length(chunks) {
        let Some(content) = chunks.get(8..length.saturating_add(8)) else { return false };
        if has_frames && chunks.starts_with(b"ANMF") {
            // A frame's chunks follow its position, size and duration.
            let is_whole = content.get(16..).is_some_and(|chunks| are_whole(chunks, false));
            if !is_whole {
                return false;
            }
        }
        // A chunk of odd length is followed by a byte of padding.
        chunks = chunks.get(8 + length + length % 2..).unwrap_or_default();
    }
    true
}

fn riff_length(chunk: &[u8]) -> Option<usize> {
    let &[_, _, _, _, a, b, c, d, ..] = chunk else { return None };
    Some(u32::from_le_bytes([a, b, c, d]) as usize)
}

/// Puts a white background behind transparent pixels.
fn on_white(picture: DynamicImage) -> DynamicImage {
    let (width, height) = (picture.width(), picture.height());
    let flat = match picture {
        DynamicImage::ImageLumaA8(it) => {
            ImageBuffer::from_raw(width, height, opaque(it.into_raw(), 2)).map(DynamicImage::ImageLuma8)
        }
        DynamicImage::ImageLumaA16(it) => {
            ImageBuffer::from_raw(width, height, opaque(it.into_raw(), 2)).map(DynamicImage::ImageLuma16)
        }
        DynamicImage::ImageRgba8(it) => {
            ImageBuffer::from_raw(width, height, opaque(it.into_raw(), 4)).map(DynamicImage::ImageRgb8)
        }
        DynamicImage::ImageRgba16(it) => {
            ImageBuffer::from_raw(width, height, opaque(it.into_raw(), 4)).map(DynamicImage::ImageRgb16)
        }
        it => Some(it),
    };
    flat.unwrap_or_default()
}

/// Mixes pixels with white and drops their last channel, the opacity. Works in place, because a second copy
/// of the picture would take too much memory.
fn opaque<T: Primitive + Into<u32> + TryFrom<u32>>(mut samples: Vec<T>, channels: usize) -> Vec<T> {
    let white: u32 = T::DEFAULT_MAX_VALUE.into();
    let (pixels, kept) = (samples.len() / channels, channels - 1);
    for pixel in 0..pixels {
        let alpha: u32 = samples[pixel * channels + kept].into();
        for channel in 0..kept {
            let value: u32 = samples[pixel * channels + channel].into();
            let mixed = (value * alpha + white * (white - alpha) + white / 2) / white;
            samples[pixel * kept + channel] = T::try_from(mixed).unwrap_or(T::DEFAULT_MAX_VALUE);
        }
    }
    samples.truncate(pixels * kept);
    samples
}

fn shrunk(picture: DynamicImage, width: u32, height: u32) -> DynamicImage {
    if picture.width() <= width && picture.height() <= height {
        return picture;
    }
    picture.thumbnail(width, height)
}

/// Returns left, top, width and height of the dark area; of the whole picture if nothing is dark.
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

/// Embeds the pixels without lossy compression.
fn raw(picture: DynamicImage) -> Option<Picture> {
    let size = (picture.width(), picture.height());
    let color_space = if picture.color().has_color() { ImageColorspace::Rgb } else { ImageColorspace::Luma };
    let pixels = Pixels { bytes: Arc::new(picture.into_bytes()), size, color_space };
    Image::from_custom(pixels, false).ok().map(Picture::of)
}

/// Eight bits per channel.
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
