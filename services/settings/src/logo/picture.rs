//! Turns an upload into a picture that can do nothing but be shown.
//!
//! The type is recognized by the bytes, whatever the file's name. Nothing is passed on unchanged: pixels are
//! decoded within limits and encoded anew, drawings go through [`svg`](super::svg).

use bytes::Bytes;
use image::ImageFormat;
use kit::Result;

use super::pixels::{MAX_PIXELS, invalid, png};
use super::svg;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Png,
    Svg,
}

impl Format {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Picture {
    pub format: Format,
    pub bytes: Bytes,
}

/// Returns the picture. Uses much processor time, so do not call it on an async thread.
pub fn of(bytes: &[u8]) -> Result<Picture> {
    match image::guess_format(bytes) {
        Ok(ImageFormat::Png | ImageFormat::Jpeg) => {
            Ok(Picture { format: Format::Png, bytes: png(bytes, MAX_PIXELS)?.into() })
        }
        Ok(_) => Err(invalid("Choose an SVG, JPEG or PNG file.")),
        Err(_) => Ok(Picture { format: Format::Svg, bytes: svg::clean(bytes)?.into() }),
    }
}
