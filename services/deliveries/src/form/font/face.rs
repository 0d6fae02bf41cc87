//! One font: its characters and their shaping.

use std::sync::Arc;

use harfrust::{Direction, Feature, FontRef, ShapeOptions, ShaperData, Tag, UnicodeBuffer};
use krilla::text::Font;
use read_fonts::TableProvider;

/// The bytes of a font file, shared by all users.
pub type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

pub struct Face {
    pub font: Font,
    bytes: Bytes,
    /// Index of the font within a collection file.
    index: u32,
    shaper: ShaperData,
}

/// A shaped glyph, measured in ems.
#[derive(Debug, Clone, Copy)]
pub struct Glyph {
    pub id: u32,
    /// Where the glyph's cluster starts in the text.
    pub start: usize,
    pub advance: f32,
    pub x: f32,
    pub y: f32,
}

impl Face {
    /// Parses a font; `None` when the bytes are not a font.
    pub fn new(bytes: Bytes, index: u32) -> Option<Self> {
        let font = Font::new(bytes.clone().into(), index)?;
        let shaper = ShaperData::new(&FontRef::from_index((*bytes).as_ref(), index).ok()?);
        Some(Self { font, bytes, index, shaper })
    }

    /// Returns whether the font has all of these characters.
    pub fn has(&self, letters: &str) -> bool {
        let font = FontRef::from_index((*self.bytes).as_ref(), self.index);
        let Some(map) = font.ok().and_then(|font| font.cmap().ok()) else { return false };
        letters.chars().all(|c| is_joiner(c) || map.map_codepoint(c).is_some_and(|glyph| glyph.to_u32() != 0))
    }

    /// Shapes text of one script; returns glyphs from left to right.
    pub fn shape(&self, text: &str, is_rtl: bool, tabular: bool) -> Vec<Glyph> {
        let Ok(font) = FontRef::from_index((*self.bytes).as_ref(), self.index) else { return Vec::new() };
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.guess_segment_properties();
        buffer.set_direction(if is_rtl { Direction::RightToLeft } else { Direction::LeftToRight });
        let features = [Feature::new(Tag::new(b"tnum"), u32::from(tabular), ..)];
        let shaper = self.shaper.shaper(&font).build();
        let em = shaper.units_per_em() as f32;
        let shaped = shaper.shape(buffer, ShapeOptions::new().features(&features));
        let glyphs = shaped.glyph_infos().iter().zip(shaped.glyph_positions());
        let glyph = |(info, position): (&harfrust::GlyphInfo, &harfrust::GlyphPosition)| Glyph {
            id: info.glyph_id,
            start: info.cluster as usize,
            advance: position.x_advance as f32 / em,
            x: position.x_offset as f32 / em,
            y: position.y_offset as f32 / em,
        };
        glyphs.map(glyph).collect()
    }
}

/// Returns whether the character only affects how its neighbors are written.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}
