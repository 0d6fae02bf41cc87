//! The content of a sheet as a person reads it: which texts and pictures are on which page, and where.

use std::sync::LazyLock;

use crate::form::font::{Fonts, Weight};
use crate::form::layout;
use crate::form::sheet::{Area, Ink, Piece, Sheet};
use crate::form::{Form, Paper};

pub static FONTS: LazyLock<Fonts> = LazyLock::new(|| Fonts::new().unwrap());

#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    pub text: String,
    pub size: f32,
    pub is_strong: bool,
}

pub fn sheet(form: &Form, paper: Paper) -> Sheet {
    layout::sheet(form, &FONTS, paper).unwrap()
}

pub fn pages(form: &Form) -> Vec<Vec<Text>> {
    sheet(form, Paper::A4).pages.iter().map(|pieces| texts_of(pieces)).collect()
}

pub fn texts(page: &[Text]) -> Vec<&str> {
    page.iter().map(|text| text.text.as_str()).collect()
}

/// Returns all texts in sequence.
pub fn whole(form: &Form) -> String {
    let pages = pages(form);
    let texts = pages.iter().flat_map(|page| texts(page));
    texts.map(str::trim_end).collect::<Vec<_>>().join(" ")
}

/// Returns the sizes of the pictures in pixels, in order.
pub fn pictures(form: &Form) -> Vec<(u32, u32)> {
    let sheet = sheet(form, Paper::A4);
    let pieces = sheet.pages.iter().flatten();
    pieces
        .filter_map(
            |piece| if let Ink::Picture { image, .. } = &piece.ink { Some(image.size()) } else { None },
        )
        .collect()
}

/// Joins the runs of a line, as a search would.
fn texts_of(pieces: &[Piece]) -> Vec<Text> {
    let mut texts: Vec<(Text, f32, f32)> = Vec::new();
    for piece in pieces {
        let Ink::Text { left, baseline, style, run } = &piece.ink else { continue };
        let text = run.spoken.as_deref().unwrap_or(&run.text);
        let end = left + run.glyphs.iter().map(|glyph| glyph.x_advance * style.size).sum::<f32>();
        match texts.last_mut() {
            Some((last, right, line)) if (*right - left).abs() < 0.01 && *line == *baseline => {
                last.text.push_str(text);
                *right = end;
            }
            _ => {
                let is_strong = style.weight == Weight::Strong;
                texts.push((Text { text: text.to_owned(), size: style.size, is_strong }, end, *baseline));
            }
        }
    }
    texts.into_iter().map(|(text, ..)| text).collect()
}

/// Returns the area of a piece.
pub fn reach(piece: &Piece) -> Area {
    match &piece.ink {
        Ink::Text { left, baseline, style, run } => {
            // The space at a line break is not ink.
            let inked = run.text.trim_end().len();
            let glyphs = run.glyphs.iter().filter(|glyph| glyph.text_range.start < inked);
            let width = glyphs.map(|glyph| glyph.x_advance * style.size).sum();
            Area { left: *left, top: baseline - style.size * 0.76, width, height: style.size }
        }
        Ink::Path { bounds, .. } => *bounds,
        Ink::Picture { area, within, .. } => within.as_ref().map_or(*area, |(_, frame)| *frame),
    }
}
