//! Generated signatures and photos for demo data.

use std::io::Cursor;

use bytes::Bytes;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use kit::{Error, Result};
use ring::digest::{SHA256, digest};

use super::chance::Chance;

const SIGNATURES: u64 = 8;
const PHOTOS: u64 = 6;
const PAPER: Rgb<u8> = Rgb([255, 255, 255]);
const INK: Rgb<u8> = Rgb([24, 34, 84]);

/// A generated file.
pub struct Picture {
    pub bytes: Bytes,
    pub sha256: Vec<u8>,
    pub content_type: &'static str,
    pub width: i32,
    pub height: i32,
}

/// A few pictures of each kind, which many deliveries share.
pub struct Pictures {
    pub signatures: Vec<Picture>,
    pub photos: Vec<Picture>,
}

impl Pictures {
    pub fn draw() -> Result<Self> {
        let signatures = (0..SIGNATURES).map(|number| picture(signature(number), ImageFormat::Png));
        let photos = (0..PHOTOS).map(|number| picture(photo(number), ImageFormat::Jpeg));
        Ok(Self { signatures: signatures.collect::<Result<_>>()?, photos: photos.collect::<Result<_>>()? })
    }
}

fn picture(drawn: RgbImage, format: ImageFormat) -> Result<Picture> {
    let size = |pixels: u32| i32::try_from(pixels).map_err(Error::internal);
    let (width, height) = (size(drawn.width())?, size(drawn.height())?);
    let mut bytes = Vec::new();
    let drawn = DynamicImage::from(drawn);
    drawn.write_to(&mut Cursor::new(&mut bytes), format).map_err(Error::internal)?;
    Ok(Picture {
        sha256: digest(&SHA256, &bytes).as_ref().to_vec(),
        bytes: bytes.into(),
        content_type: format.to_mime_type(),
        width,
        height,
    })
}

/// Draws loops that get smaller towards the end of the name, and a line below.
fn signature(number: u64) -> RgbImage {
    let mut chance = Chance::of(11, number);
    let mut paper = RgbImage::from_pixel(420, 160, PAPER);
    let loops = chance.between(4, 7) as f64;
    let (lean, height) = (0.4 + chance.unit(), 26.0 + 26.0 * chance.unit());
    for step in 0..2_400_u32 {
        let gone = f64::from(step) / 2_400.0;
        let turn = gone * loops * std::f64::consts::TAU;
        let size = height * (1.0 - 0.7 * gone);
        let x = 36.0 + gone * 320.0 + size * 0.5 * (turn * lean).sin();
        let y = 80.0 - gone * 14.0 + size * turn.cos();
        dot(&mut paper, x, y, 2);
    }
    for x in 40..350_u32 {
        dot(&mut paper, f64::from(x), 124.0 - f64::from(x) * 0.05, 1);
    }
    paper
}

fn dot(paper: &mut RgbImage, x: f64, y: f64, radius: i32) {
    for (dx, dy) in (-radius..=radius).flat_map(|dx| (-radius..=radius).map(move |dy| (dx, dy))) {
        let (x, y) = (x as i32 + dx, y as i32 + dy);
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { continue };
        if let Some(pixel) = paper.get_pixel_mut_checked(x, y) {
            *pixel = INK;
        }
    }
}

/// Draws cartons in front of a shutter.
fn photo(number: u64) -> RgbImage {
    let mut chance = Chance::of(12, number);
    let wall = chance.between(120, 190) as u8;
    let mut scene = RgbImage::from_fn(640, 480, |_, y| match y {
        0..330 if y % 22 < 3 => Rgb([wall - 30, wall - 26, wall - 20]),
        0..330 => Rgb([wall, wall + 6, wall + 12]),
        _ => Rgb([96, 92, 88]),
    });
    let cartons = chance.between(2, 5) as u32;
    for carton in 0..cartons {
        let (width, height) = (chance.between(90, 130) as u32, chance.between(70, 150) as u32);
        let (left, top) = (40 + carton * 112, 400 - height + chance.between(0, 30) as u32);
        let shade = chance.between(0, 40) as u8;
        for (x, y) in (left..left + width).flat_map(|x| (top..top + height).map(move |y| (x, y))) {
            let edge = x - left < 3 || y - top < 3 || left + width - x < 4 || top + height - y < 4;
            let tape = (x - left).abs_diff(width / 2) < 6;
            let colour = match (edge, tape) {
                (true, _) => Rgb([104, 74, 44]),
                (_, true) => Rgb([214, 196, 150]),
                _ => Rgb([186 - shade, 142 - shade, 92 - shade]),
            };
            if let Some(pixel) = scene.get_pixel_mut_checked(x, y) {
                *pixel = colour;
            }
        }
    }
    scene
}
