//! Prepares uploaded pictures for a page: decoded within limits, upright, small.
//!
//! The format is detected by the bytes, whatever the sender called it. Truncated pictures are not shown,
//! because half a proof proves nothing.

use std::io::Cursor;
use std::sync::Arc;

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};
use krilla::image::{BitsPerComponent, CustomImage, Image, ImageColorspace};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree};

/// Maximum number of pixels, more than a phone's photo has. A pixel takes up to four bytes of memory, or
/// sixteen if the picture has a high color depth.
const MAX_PIXELS: u64 = 50_000_000;
const MAX_MEMORY: u64 = 256 << 20;

/// Maximum side of a JPEG that is embedded unchanged, in pixels.
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
        return Image::from_jpeg(bytes.to_vec().into(), false).ok().map(Picture::of);
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
    let (mut picture, orientation) = open(bytes)?.decode()?;
    picture = on_white(picture);
    picture.apply_orientation(orientation);
    let gray = picture.into_luma8();
    let (left, top, width, height) = inked(&gray);
    let ink = DynamicImage::ImageLuma8(gray).crop_imm(left, top, width, height);
    raw(shrunk(ink, SIGNATURE.0, SIGNATURE.1))
}

/// Renders an SVG logo to pixels. Returns `None` for a logo with text, because its font is unknown here and a
/// logo in another font would be wrong.
pub fn drawing(bytes: &[u8]) -> Option<Picture> {
    let text = std::str::from_utf8(bytes).ok()?;
    if text.contains("<text") || text.contains(":text") {
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
        ImageFormat::WebP if is_whole_webp(bytes) => "image/webp",
        _ => return None,
    };
    let opened = open(bytes)?;
    let (width, height) = opened.decoder.dimensions();
    let is_turned = matches!(
        opened.orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    Some(if is_turned { (content_type, height, width) } else { (content_type, width, height) })
}

/// A picture whose header was read and is within limits.
struct Opened<'a> {
    decoder: Box<dyn ImageDecoder + 'a>,
    /// Number of channels of a JPEG.
    channels: Option<u8>,
    orientation: Orientation,
}

fn open(bytes: &[u8]) -> Option<Opened<'_>> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    let channels = match reader.format()? {
        ImageFormat::Jpeg => Some(channels_of_whole_jpeg(bytes)?),
        _ => None,
    };
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return None;
    }
    let orientation = decoder.orientation().ok()?;
    Some(Opened { decoder: Box::new(decoder), channels, orientation })
}

impl Opened<'_> {
    /// Returns whether the picture can be embedded unchanged: it is upright, small, and in a supported color
    /// space.
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

/// Returns the number of channels of a JPEG; `None` if its end is missing, because the decoder would invent
/// the rest.
fn channels_of_whole_jpeg(bytes: &[u8]) -> Option<u8> {
    let (mut at, mut channels) = (2, None);
    loop {
        // Find the next marker. In image data FF is written as FF 00, and restart markers do not end the
        // data.
        let is_marker = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff);
        at += bytes.get(at..)?.windows(2).position(is_marker)?;
        match bytes[at + 1] {
            0xd9 => return channels,
            // A frame header of any kind: its ninth byte is the number of channels.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => channels = bytes.get(at + 9).copied(),
            _ => {}
        }
        // Skip the content of segments, because a thumbnail has an end marker, too.
        let &[high, low] = bytes.get(at + 2..at + 4)? else { return None };
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
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

fn is_whole_webp(bytes: &[u8]) -> bool {
    let length = |head: &[u8]| u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
    bytes.get(..8).is_some_and(|head| length(head).saturating_add(8) <= bytes.len())
}

/// Puts a white background behind transparent pixels.
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
