//! Text to glyphs, and glyphs to lines.
//!
//! Inter is compiled in, with Latin, Greek and Cyrillic. Other characters use a font of the system
//! (`system`). `face` shapes; `lines` splits a paragraph by direction, script and font, breaks it and puts
//! its runs into visual order. A character that no font has is drawn as a question mark and listed in
//! [`Run::missing`]; the file still contains the character for searches and screen readers.

mod face;
mod lines;
mod system;

use std::sync::{Arc, LazyLock};

use kit::{Error, Result};
use krilla::text::{Font, KrillaGlyph};

use face::Face;
use system::SystemFonts;

static REGULAR: &[u8] = include_bytes!("../../../assets/Inter-Regular.ttf");
static STRONG: &[u8] = include_bytes!("../../../assets/Inter-SemiBold.ttf");

/// One index and one copy of each font file, which all forms share.
static SYSTEM: LazyLock<SystemFonts> = LazyLock::new(SystemFonts::find);

/// Drawn for a character that no font has.
const REPLACEMENT: &str = "?";
/// Maximum length of a text in characters; a longer text is truncated with an ellipsis.
const MAX_CHARS: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    Regular,
    Strong,
}

/// The style of a text. Sizes are in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    pub size: f32,
    /// Distance between lines.
    pub leading: f32,
    pub weight: Weight,
    /// Shade of the text; 0 is black.
    pub gray: u8,
    /// Digits of equal width, so that columns of them align.
    pub tabular: bool,
}

impl Style {
    pub const fn strong(self) -> Self {
        Self { weight: Weight::Strong, ..self }
    }

    pub const fn tabular(self) -> Self {
        Self { tabular: true, ..self }
    }

    pub const fn gray(self, gray: u8) -> Self {
        Self { gray, ..self }
    }

    /// Returns the distance from the top of a line to its baseline.
    pub fn baseline(self) -> f32 {
        // Ascender and descender of Inter.
        (self.leading + self.size * (0.969 - 0.241)) / 2.0
    }
}

/// One line of text.
#[derive(Debug, Clone)]
pub struct Line {
    pub style: Style,
    /// The runs, in reading order.
    pub runs: Vec<Run>,
    /// Width in pixels, without trailing space.
    pub width: f32,
}

/// Adjacent glyphs of one font and one direction.
#[derive(Debug, Clone)]
pub struct Run {
    /// Distance from the start of the line, in pixels.
    pub left: f32,
    pub font: Font,
    pub text: String,
    /// Text for screen readers, if a viewer cannot derive it from the glyphs.
    pub spoken: Option<String>,
    /// Characters that no font has.
    pub missing: Vec<char>,
    /// The glyphs from left to right, measured in ems.
    pub glyphs: Vec<KrillaGlyph>,
}

impl Line {
    /// Returns the original text.
    pub fn written(&self) -> String {
        self.runs.iter().map(|run| run.spoken.as_deref().unwrap_or(&run.text)).collect()
    }
}

pub struct Fonts {
    regular: Arc<Face>,
    strong: Arc<Face>,
    system: &'static LazyLock<SystemFonts>,
}

impl Fonts {
    pub fn new() -> Result<Self> {
        let own = |bytes: &'static [u8]| {
            Face::new(Arc::new(bytes), 0).ok_or_else(|| Error::internal("the font cannot be read"))
        };
        Ok(Self { regular: Arc::new(own(REGULAR)?), strong: Arc::new(own(STRONG)?), system: &SYSTEM })
    }

    /// Lays out a text on one line, however long.
    pub fn line(&self, text: &str, style: Style) -> Line {
        self.lines(&one_line(text), style, 0.0, f32::MAX).remove(0)
    }

    /// Breaks a text at spaces, and within words that are too long. An empty text has no lines; an empty
    /// paragraph within a text has one.
    pub fn wrap(&self, text: &str, style: Style, width: f32) -> Vec<Line> {
        self.wrap_after(0.0, text, style, width)
    }

    /// Breaks a text like [`wrap`](Self::wrap), with an indented first line.
    pub fn wrap_after(&self, indent: f32, text: &str, style: Style, width: f32) -> Vec<Line> {
        let text = clean(text);
        if text.is_empty() {
            return Vec::new();
        }
        let indents = std::iter::once(indent).chain(std::iter::repeat(0.0));
        let paragraphs = text.split('\n').zip(indents);
        paragraphs.flat_map(|(paragraph, indent)| self.lines(paragraph, style, indent, width)).collect()
    }

    /// Breaks a text like [`wrap`](Self::wrap), up to a number of lines, with an ellipsis if some are left
    /// out.
    pub fn wrap_most(&self, text: &str, style: Style, width: f32, most: usize) -> Vec<Line> {
        let mut lines = self.wrap(text, style, width);
        if lines.len() > most {
            lines.truncate(most);
            if let Some(last) = lines.last_mut() {
                *last = self.cut_short(last, width);
            }
        }
        lines
    }

    /// Truncates a line to the width, with an ellipsis.
    fn cut_short(&self, line: &Line, width: f32) -> Line {
        let written = line.written();
        let mut text = written.trim_end();
        loop {
            let short = self.line(&format!("{text}…"), line.style);
            let Some((last, _)) = text.char_indices().next_back().filter(|_| short.width > width) else {
                return short;
            };
            text = text[..last].trim_end();
        }
    }

    fn own(&self, weight: Weight) -> &Arc<Face> {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Strong => &self.strong,
        }
    }
}

/// Replaces line breaks by spaces.
pub fn one_line(text: &str) -> String {
    clean(text).replace('\n', " ")
}

/// Normalizes line breaks and removes invisible characters: control characters, and those that hide or
/// reorder text. Joiners stay, because Persian, Hindi and other scripts need them.
fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len().min(4 * MAX_CHARS));
    let mut letters = text.trim_end().chars().peekable();
    for count in 0.. {
        let Some(c) = letters.next() else { break };
        if count == MAX_CHARS {
            clean.push('…');
            break;
        }
        match c {
            '\r' if letters.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => clean.push('\n'),
            '\t' => clean.push(' '),
            _ if c.is_control() || is_hidden(c) => {}
            _ => clean.push(c),
        }
    }
    clean
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
