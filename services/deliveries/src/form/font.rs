//! Text into glyphs, and glyphs into lines.
//!
//! The fonts carry Latin, Greek and Cyrillic. Any other letter is drawn as a box, one for one, while
//! the file still says what was written: a search finds it and a screen reader speaks it.

use std::ops::Range;

use harfrust::{Direction, Feature, FontRef, ShapeOptions, ShaperData, Tag, UnicodeBuffer, script};
use kit::{Error, Result};
use krilla::text::{Font, GlyphId, KrillaGlyph};

static REGULAR: &[u8] = include_bytes!("../../assets/Inter-Regular.ttf");
static STRONG: &[u8] = include_bytes!("../../assets/Inter-SemiBold.ttf");

/// What is drawn for a letter that the fonts lack.
const REPLACEMENT: char = '□';
/// A longer text ends in an ellipsis.
const MAX_CHARS: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    Regular,
    Strong,
}

/// How a text looks. Sizes are in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    pub size: f32,
    /// From one line to the next.
    pub leading: f32,
    pub weight: Weight,
    /// 0 is black.
    pub gray: u8,
    /// Figures of one width, so that columns of them align.
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

    /// From the top of a line to the foot of its letters.
    pub fn baseline(self) -> f32 {
        // Ascender and descender of Inter.
        (self.leading + self.size * (0.969 - 0.241)) / 2.0
    }
}

/// One line of text.
#[derive(Debug, Clone)]
pub struct Line {
    pub style: Style,
    pub runs: Vec<Run>,
    /// In pixels, without space at the end.
    pub width: f32,
}

/// Letters that the fonts have, or boxes for those that they lack.
#[derive(Debug, Clone)]
pub struct Run {
    /// From the start of the line, in pixels.
    pub left: f32,
    pub is_boxed: bool,
    pub text: String,
    /// What is read instead of the text.
    pub spoken: Option<String>,
    /// Measured in ems.
    pub glyphs: Vec<KrillaGlyph>,
}

impl Run {
    /// Takes the first box off, as one that stands for itself. In a file a glyph stands for what it was
    /// first used for, and all boxes would be read as that letter where a viewer knows no better.
    pub fn split_box(&mut self, style: Style) -> Self {
        let end = self.glyphs[0].text_range.end;
        let count = self.glyphs.iter().take_while(|glyph| glyph.text_range.end == end).count();
        let mut glyphs: Vec<_> = self.glyphs.drain(..count).collect();
        let text = REPLACEMENT.to_string();
        glyphs.iter_mut().for_each(|glyph| glyph.text_range = 0..text.len());
        let first = Self {
            left: self.left,
            is_boxed: true,
            text,
            spoken: Some(self.text.drain(..end).collect()),
            glyphs,
        };
        self.left += first.glyphs.iter().map(|glyph| glyph.x_advance * style.size).sum::<f32>();
        for glyph in &mut self.glyphs {
            glyph.text_range = glyph.text_range.start - end..glyph.text_range.end - end;
        }
        first
    }
}

impl Line {
    /// As somebody wrote it.
    pub fn written(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }
}

pub struct Fonts {
    regular: Face,
    strong: Face,
}

struct Face {
    font: Font,
    raw: FontRef<'static>,
    shaper: ShaperData,
    replacement: Glyph,
}

/// Measured in ems.
#[derive(Debug, Clone, Copy)]
struct Glyph {
    id: u32,
    /// Where its cluster starts in the text.
    start: usize,
    advance: f32,
    x: f32,
    y: f32,
}

/// What is never torn apart, such as a letter and its accent.
struct Cluster {
    start: usize,
    end: usize,
    glyphs: Range<usize>,
    first: char,
    /// Nothing but space: an accent on a space is none.
    is_space: bool,
    /// From the start of the paragraph to the end of the cluster, in ems.
    reach: f32,
}

impl Fonts {
    pub fn new() -> Result<Self> {
        Ok(Self { regular: Face::new(REGULAR)?, strong: Face::new(STRONG)? })
    }

    pub fn font(&self, weight: Weight) -> Font {
        self.face(weight).font.clone()
    }

    /// On one line, however long.
    pub fn line(&self, text: &str, style: Style) -> Line {
        self.face(style.weight).lines(&one_line(text), style, 0.0, f32::MAX).remove(0)
    }

    /// Broken at spaces, and within words that are too long. An empty text has no lines; an empty
    /// paragraph in a text is one.
    pub fn wrap(&self, text: &str, style: Style, width: f32) -> Vec<Line> {
        self.wrap_after(0.0, text, style, width)
    }

    /// The same, where the first line begins after something else.
    pub fn wrap_after(&self, indent: f32, text: &str, style: Style, width: f32) -> Vec<Line> {
        let text = clean(text);
        if text.is_empty() {
            return Vec::new();
        }
        let face = self.face(style.weight);
        let indents = std::iter::once(indent).chain(std::iter::repeat(0.0));
        let paragraphs = text.split('\n').zip(indents);
        paragraphs.flat_map(|(paragraph, indent)| face.lines(paragraph, style, indent, width)).collect()
    }

    /// The same, and an ellipsis where lines are left out.
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

    /// The line with an ellipsis at its end, within the width.
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

    fn face(&self, weight: Weight) -> &Face {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Strong => &self.strong,
        }
    }
}

impl Face {
    fn new(bytes: &'static [u8]) -> Result<Self> {
        let font = Font::new(bytes.into(), 0).ok_or_else(|| Error::internal("the font cannot be read"))?;
        let raw = FontRef::new(bytes).map_err(Error::internal)?;
        let shaper = ShaperData::new(&raw);
        let missing = Glyph { id: 0, start: 0, advance: 0.0, x: 0.0, y: 0.0 };
        let mut this = Self { font, raw, shaper, replacement: missing };
        this.replacement = this.shape(REPLACEMENT.encode_utf8(&mut [0; 4]), false)[0];
        Ok(this)
    }

    /// From left to right, as Latin: scripts with rules of their own are not in the fonts.
    fn shape(&self, text: &str, tabular: bool) -> Vec<Glyph> {
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.set_script(script::LATIN);
        buffer.set_direction(Direction::LeftToRight);
        let features = [Feature::new(Tag::new(b"tnum"), u32::from(tabular), ..)];
        let shaper = self.shaper.shaper(&self.raw).build();
        let em = shaper.units_per_em() as f32;
        let shaped = shaper.shape(buffer, ShapeOptions::new().features(&features));
        let mut glyphs: Vec<Glyph> = Vec::with_capacity(shaped.len());
        for (info, position) in shaped.glyph_infos().iter().zip(shaped.glyph_positions()) {
            let start = info.cluster as usize;
            if info.glyph_id == 0 {
                // One box for what people take for one sign.
                if glyphs.last().is_none_or(|last| last.start != start) {
                    glyphs.push(Glyph { start, ..self.replacement });
                }
                continue;
            }
            glyphs.push(Glyph {
                id: info.glyph_id,
                start,
                advance: position.x_advance as f32 / em,
                x: position.x_offset as f32 / em,
                y: position.y_offset as f32 / em,
            });
        }
        glyphs
    }

    /// At least one.
    fn lines(&self, text: &str, style: Style, indent: f32, width: f32) -> Vec<Line> {
        let glyphs = self.shape(text, style.tabular);
        let clusters = clusters(text, &glyphs);
        let room = width / style.size;
        let mut lines = Vec::new();
        // The line under way starts at `from` and can end at `to`.
        let (mut from, mut to) = (0, None);
        let (mut at, mut before) = (0, -indent / style.size);
        while let Some(cluster) = clusters.get(at) {
            if cluster.reach - before > room && (at > from || before < 0.0) && !cluster.is_space {
                let end = to.take().unwrap_or(at);
                lines.push(self.cut(text, &glyphs, &clusters[from..end], style));
                before = end.checked_sub(1).map_or(0.0, |last| clusters[last].reach);
                (from, at) = (end, end);
                continue;
            }
            at += 1;
            if cluster.is_space || matches!(cluster.first, '-' | '/' | '–' | '—') {
                to = Some(at);
            }
        }
        lines.push(self.cut(text, &glyphs, &clusters[from..], style));
        lines
    }

    fn cut(&self, text: &str, glyphs: &[Glyph], clusters: &[Cluster], style: Style) -> Line {
        let inked = clusters.iter().rposition(|it| !it.is_space).map_or(0, |last| last + 1);
        let mut line = Line { style, runs: Vec::new(), width: 0.0 };
        let mut left = 0.0;
        // The space at which a line breaks stays, or its words would grow together in a search.
        for (at, cluster) in clusters.iter().take(inked + 1).enumerate() {
            let written = &text[cluster.start..cluster.end];
            let glyphs = &glyphs[cluster.glyphs.clone()];
            let is_boxed = glyphs.iter().any(|glyph| glyph.id == self.replacement.id);
            let run = match line.runs.last_mut() {
                Some(run) if run.is_boxed == is_boxed => run,
                _ => {
                    let (text, glyphs) = (String::new(), Vec::new());
                    line.runs.push(Run { left, is_boxed, text, spoken: None, glyphs });
                    let last = line.runs.len() - 1;
                    &mut line.runs[last]
                }
            };
            let start = run.text.len();
            run.text.push_str(written);
            for glyph in glyphs {
                left += glyph.advance * style.size;
                run.glyphs.push(KrillaGlyph {
                    glyph_id: GlyphId::new(glyph.id),
                    text_range: start..run.text.len(),
                    x_advance: glyph.advance,
                    x_offset: glyph.x,
                    y_offset: glyph.y,
                    y_advance: 0.0,
                    location: None,
                });
            }
            if at < inked {
                line.width = left;
            }
        }
        line
    }
}

fn clusters(text: &str, glyphs: &[Glyph]) -> Vec<Cluster> {
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut reach = 0.0;
    for (at, glyph) in glyphs.iter().enumerate() {
        reach += glyph.advance;
        if let Some(last) = clusters.last_mut() {
            if last.start == glyph.start {
                last.glyphs.end = at + 1;
                last.reach = reach;
                continue;
            }
            last.end = glyph.start;
        }
        let first = text[glyph.start..].chars().next().unwrap_or(' ');
        let end = text.len();
        clusters.push(Cluster { start: glyph.start, end, glyphs: at..at + 1, first, is_space: false, reach });
    }
    for cluster in &mut clusters {
        cluster.is_space = text[cluster.start..cluster.end].chars().all(is_space);
    }
    clusters
}

/// Where a line may break. A space that ties two words together is none.
fn is_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}')
}

/// Without line breaks.
pub fn one_line(text: &str) -> String {
    clean(text).replace('\n', " ")
}

/// With line breaks of one kind, and without what has no look of its own: controls, and what hides
/// or reorders text.
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
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
