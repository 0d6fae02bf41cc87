//! Breaks a paragraph into lines: splits it by direction, script and font, shapes it, breaks it, and puts
//! each line into visual order.

use std::ops::Range;
use std::sync::Arc;

use krilla::text::{GlyphId, KrillaGlyph};
use unicode_bidi::{BidiInfo, Level};
use unicode_script::{Script, UnicodeScript};

use super::face::{Face, Glyph, is_joiner};
use super::{Fonts, Line, REPLACEMENT, Run, Style, Weight};

/// Text of one direction, script and font. `face` is `None` if no font has the characters.
struct Span {
    range: Range<usize>,
    level: Level,
    face: Option<Arc<Face>>,
}

/// A unit that is never broken, such as a letter with its accent.
struct Cluster {
    start: usize,
    end: usize,
    span: usize,
    glyphs: Vec<Glyph>,
    first: char,
    /// Whether the cluster is only white space; an accent on a space is not.
    is_space: bool,
    advance: f32,
    /// Distance from the start of the paragraph to the end of the cluster, in ems.
    reach: f32,
}

/// A paragraph that is ready for line breaking.
struct Paragraph<'a> {
    text: &'a str,
    bidi: BidiInfo<'a>,
    spans: Vec<Span>,
    clusters: Vec<Cluster>,
    own: &'a Arc<Face>,
    style: Style,
}

impl Fonts {
    /// Breaks a text into at least one line.
    pub(super) fn lines(&self, text: &str, style: Style, indent: f32, width: f32) -> Vec<Line> {
        let paragraph = self.paragraph(text, style);
        let clusters = &paragraph.clusters;
        let room = width / style.size;
        let mut lines = Vec::new();
        // The current line starts at `from`; `to` is the last place where it can end.
        let (mut from, mut to) = (0, None);
        let (mut at, mut before) = (0, -indent / style.size);
        while let Some(cluster) = clusters.get(at) {
            if cluster.reach - before > room && (at > from || before < 0.0) && !cluster.is_space {
                let end = to.take().unwrap_or(at);
                lines.push(paragraph.line(from..end));
                before = end.checked_sub(1).map_or(0.0, |last| clusters[last].reach);
                (from, at) = (end, end);
                continue;
            }
            at += 1;
            if cluster.is_space || breaks_between(cluster.first, clusters.get(at).map(|next| next.first)) {
                to = Some(at);
            }
        }
        lines.push(paragraph.line(from..clusters.len()));
        lines
    }

    fn paragraph<'a>(&'a self, text: &'a str, style: Style) -> Paragraph<'a> {
        let bidi = BidiInfo::new(text, None);
        let spans = self.spans(text, &bidi.levels, style.weight);
        let own = self.own(style.weight);
        let mut clusters: Vec<Cluster> = Vec::new();
        for (at, span) in spans.iter().enumerate() {
            clusters.extend(clusters_of(text, at, span, own, style.tabular));
        }
        let mut reach = 0.0;
        for cluster in &mut clusters {
            reach += cluster.advance;
            cluster.reach = reach;
        }
        Paragraph { text, bidi, spans, clusters, own, style }
    }

    fn spans(&self, text: &str, levels: &[Level], weight: Weight) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        let mut script = Script::Common;
        for letter in letters(text) {
            let written = &text[letter.clone()];
            let own_script = script_of(written);
            let level = levels.get(letter.start).copied().unwrap_or(Level::ltr());
            let goes_on = |last: &Span| {
                last.level == level && (is_shared(own_script) || is_shared(script) || own_script == script)
            };
            if let Some(last) = spans.last_mut().filter(|last| goes_on(last))
                && self.stays(last.face.as_ref(), written, weight)
            {
                last.range.end = letter.end;
            } else {
                let own = self.own(weight);
                let face =
                    if has(own, written) { Some(own.clone()) } else { self.system.face(written, weight) };
                match spans.last_mut().filter(|last| goes_on(last) && same(last.face.as_ref(), face.as_ref()))
                {
                    Some(last) => last.range.end = letter.end,
                    None => {
                        script = Script::Common;
                        spans.push(Span { range: letter, level, face });
                    }
                }
            }
            if !is_shared(own_script) {
                script = own_script;
            }
        }
        spans
    }

    /// Returns whether `written` keeps `face`, the font of the character before it. A space after Arabic
    /// does. Latin letters do not: they use Inter, even if the other font has them.
    fn stays(&self, face: Option<&Arc<Face>>, written: &str, weight: Weight) -> bool {
        face.is_some_and(|face| {
            let is_own = Arc::ptr_eq(face, self.own(weight));
            let is_space = written.chars().all(char::is_whitespace);
            if is_own { has(face, written) } else { is_space && face.has(written) }
        })
    }
}

impl Paragraph<'_> {
    fn line(&self, range: Range<usize>) -> Line {
        let clusters = &self.clusters[range];
        let mut line = Line { style: self.style, runs: Vec::new(), width: 0.0 };
        let Some((first, last)) = clusters.first().zip(clusters.last()) else { return line };
        let inked = clusters.iter().rposition(|it| !it.is_space).map_or(0, |last| last + 1);
        let levels = match self.bidi.paragraphs.first() {
            Some(paragraph) => self.bidi.reordered_levels(paragraph, first.start..last.end),
            None => Vec::new(),
        };
        let level = |cluster: &Cluster| levels.get(cluster.start).copied().unwrap_or(Level::ltr());
        let seen: Vec<Level> = clusters[..inked].iter().map(level).collect();
        let mut order = BidiInfo::reorder_visual(&seen);
        // Keep the space at a line break, because without it a search would find two words as one.
        order.extend((inked < clusters.len()).then_some(inked));

        let mut left = 0.0;
        let mut at = 0;
        let mut runs = Vec::new();
        while at < order.len() {
            let is_rtl = order[at] < inked && level(&clusters[order[at]]).is_rtl();
            let step = |one: usize, next: usize| if is_rtl { next + 1 == one } else { one + 1 == next };
            let mut end = at + 1;
            while end < order.len()
                && (order[end] == inked || level(&clusters[order[end]]).is_rtl() == is_rtl)
                && step(order[end - 1], order[end])
                && self.goes_with(&clusters[order[at]], &clusters[order[end]])
            {
                end += 1;
            }
            let run = self.run(clusters, &order[at..end], is_rtl, left);
            for cluster in &order[at..end] {
                left += clusters[*cluster].advance * self.style.size;
                if *cluster < inked {
                    line.width = left;
                }
            }
            let first = order[at..end].iter().min().copied().unwrap_or_default();
            runs.push((first, run));
            at = end;
        }
        runs.sort_by_key(|(first, _)| *first);
        line.runs = runs.into_iter().map(|(_, run)| run).collect();
        line
    }

    /// Returns whether both have the same font.
    fn goes_with(&self, one: &Cluster, other: &Cluster) -> bool {
        same(self.spans[one.span].face.as_ref(), self.spans[other.span].face.as_ref())
    }

    /// Builds a run from clusters that are visually adjacent, from left to right.
    fn run(&self, clusters: &[Cluster], seen: &[usize], is_rtl: bool, left: f32) -> Run {
        let face = self.spans[clusters[seen[0]].span].face.as_ref();
        let first = seen.iter().min().map_or(0, |at| clusters[*at].start);
        let last = seen.iter().max().map_or(0, |at| clusters[*at].end);
        let written = &self.text[first..last];
        let mut text = String::new();
        let mut glyphs = Vec::new();
        for cluster in seen.iter().map(|at| &clusters[*at]) {
            let text_range = match face {
                Some(_) => cluster.start - first..cluster.end - first,
                None => {
                    text.push_str(REPLACEMENT);
                    text.len() - REPLACEMENT.len()..text.len()
                }
            };
            glyphs.extend(cluster.glyphs.iter().map(|glyph| KrillaGlyph {
                glyph_id: GlyphId::new(glyph.id),
                text_range: text_range.clone(),
                x_advance: glyph.advance,
                x_offset: glyph.x,
                y_offset: glyph.y,
                y_advance: 0.0,
                location: None,
            }));
        }
        let font = face.unwrap_or(self.own).font.clone();
        match face {
            Some(_) => {
                let spoken = is_rtl.then(|| written.to_owned());
                Run { left, font, text: written.to_owned(), spoken, missing: Vec::new(), glyphs }
            }
            None => {
                let missing = written.chars().filter(|c| !is_joiner(*c)).collect();
                Run { left, font, text, spoken: Some(written.to_owned()), missing, glyphs }
            }
        }
    }
}

/// Returns the clusters of a span in reading order.
fn clusters_of(text: &str, at: usize, span: &Span, own: &Arc<Face>, tabular: bool) -> Vec<Cluster> {
    let written = &text[span.range.clone()];
    let cluster = |range: Range<usize>, glyphs: Vec<Glyph>| Cluster {
        start: range.start,
        end: range.end,
        span: at,
        first: text[range.clone()].chars().next().unwrap_or(' '),
        is_space: text[range].chars().all(is_space),
        advance: glyphs.iter().map(|glyph| glyph.advance).sum(),
        glyphs,
        reach: 0.0,
    };
    let start = span.range.start;
    let Some(face) = &span.face else {
        let missing = own.shape(REPLACEMENT, false, tabular);
        let letters = letters(written).map(|it| start + it.start..start + it.end);
        return letters.map(|range| cluster(range, missing.clone())).collect();
    };
    let mut groups: Vec<(usize, Vec<Glyph>)> = Vec::new();
    for glyph in face.shape(written, span.level.is_rtl(), tabular) {
        match groups.last_mut() {
            // A joiner that the font lacks is invisible, not missing.
            _ if glyph.id == 0 => {}
            Some((start, group)) if *start == glyph.start => group.push(glyph),
            _ => groups.push((glyph.start, vec![glyph])),
        }
    }
    if span.level.is_rtl() {
        groups.reverse();
    }
    if let Some((first, _)) = groups.first_mut() {
        *first = 0;
    }
    let ends: Vec<usize> = groups.iter().skip(1).map(|(next, _)| *next).chain([written.len()]).collect();
    let ranged = groups.into_iter().zip(ends);
    ranged.map(|((from, glyphs), to)| cluster(start + from..start + to, glyphs)).collect()
}

/// Returns whether Inter has these characters. ASCII needs no lookup.
fn has(own: &Face, letters: &str) -> bool {
    letters.is_ascii() || own.has(letters)
}

/// Splits a text into approximate grapheme clusters: a letter with its accents, and characters that are
/// joined.
fn letters(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.next()?;
        let mut end = start + first.len_utf8();
        let mut before = first;
        while let Some(&(at, c)) = chars.peek() {
            let joins =
                c.script() == Script::Inherited || is_joiner(c) || before == '\u{200d}' || is_modifier(c);
            if !joins {
                break;
            }
            end = at + c.len_utf8();
            before = c;
            chars.next();
        }
        Some(start..end)
    })
}

/// Returns whether it is a skin tone modifier of an emoji.
fn is_modifier(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

fn script_of(written: &str) -> Script {
    written.chars().map(|c| c.script()).find(|script| !is_shared(*script)).unwrap_or(Script::Common)
}

/// Returns whether the script's characters, such as digits, occur in text of any other script.
fn is_shared(script: Script) -> bool {
    matches!(script, Script::Common | Script::Inherited | Script::Unknown)
}

fn same(one: Option<&Arc<Face>>, other: Option<&Arc<Face>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}

/// Returns whether a line may break here. Chinese and Japanese break between any two characters, but not
/// before closing punctuation.
fn breaks_between(c: char, next: Option<char>) -> bool {
    let is_free = |c: char| matches!(c.script(), Script::Han | Script::Hiragana | Script::Katakana);
    matches!(c, '-' | '/' | '–' | '—') || (is_free(c) && next.is_some_and(is_free))
}

/// Returns whether the character is white space at which a line may break; no-break spaces are not.
fn is_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}')
}
