//! What a page is built of: a fact with its label, a row of facts, a frame with text.

use krilla::tagging::Tag;

use super::font::{Fonts, Line};
use super::layout::{Flow, LABEL, MUTED, TEXT, VALUE};
use super::sheet::{Area, Paint, Part, WHOLE};

/// Facts stand in so many columns.
const COLUMNS: f32 = 4.0;
pub const GAP: f32 = 18.0;
/// What a mark below a fact takes.
const MARKED: f32 = 17.0;

/// A label with what it says.
pub struct Fact<'t> {
    label: &'t str,
    /// Absent: in words.
    value: Result<String, &'static str>,
    pub strong: bool,
    pub mark: Option<&'static str>,
}

impl<'t> Fact<'t> {
    pub fn new(label: &'t str, value: impl Into<String>) -> Self {
        Self { label, value: Ok(value.into()), strong: false, mark: None }
    }

    pub fn maybe(label: &'t str, value: Option<String>, absent: &'static str) -> Self {
        let value = value.filter(|value| !value.trim().is_empty()).ok_or(absent);
        Self { label, value, strong: false, mark: None }
    }

    fn lines(&self, fonts: &Fonts, width: f32) -> Vec<Line> {
        let style = if self.strong { VALUE.strong() } else { VALUE };
        match &self.value {
            Ok(value) => fonts.wrap_most(value, style, width, 6),
            Err(absent) => vec![fonts.line(absent, style.gray(MUTED))],
        }
    }
}

impl Flow<'_> {
    /// How high a row of facts is.
    pub fn row_height(&self, facts: &[Fact]) -> f32 {
        let width = (self.width() + GAP) / COLUMNS - GAP;
        let lines = |fact: &Fact| fact.lines(self.fonts, width).len() as f32 * VALUE.leading;
        let heights = facts.iter().map(|fact| lines(fact) + if fact.mark.is_some() { MARKED } else { 0.0 });
        LABEL.leading + heights.fold(VALUE.leading, f32::max)
    }

    /// Facts beside each other from that column on; tells where they end.
    pub fn row(&mut self, part: Part, column: f32, top: f32, facts: &[Fact]) -> f32 {
        let pitch = (self.width() + GAP) / COLUMNS;
        let mut end = top;
        for (fact, at) in facts.iter().zip(0_u8..) {
            let left = self.left + pitch * (column + f32::from(at));
            let owner = self.sheet.part(part, Tag::P);
            self.sheet.text(Some(owner), left, top, self.fonts.line(fact.label, LABEL));
            let lines = fact.lines(self.fonts, pitch - GAP);
            let mut bottom = self.sheet.lines(Some(owner), left, top + LABEL.leading, lines);
            if let Some(word) = fact.mark {
                self.mark(owner, left, bottom + 1.0, word);
                bottom += MARKED;
            }
            end = end.max(bottom);
        }
        end
    }

    /// Texts in a frame, each after a word of its own. A frame that does not fit goes on on the next
    /// page.
    pub fn boxed(&mut self, texts: &[(&str, String)], width: f32, gray: u8) {
        const INSET: f32 = 12.0;
        const PADDING: f32 = 8.0;
        let fonts = self.fonts;
        let part = self.sheet.part(WHOLE, Tag::P);
        let mut lines = Vec::new();
        for (lead, text) in texts {
            let lead = fonts.line(lead, TEXT.strong());
            let indent = lead.width + 4.0;
            let wrapped = fonts.wrap_after(indent, text, TEXT, self.width() - 2.0 * INSET);
            let mut wrapped = wrapped.into_iter();
            lines.push((Some(lead), wrapped.next(), indent));
            lines.extend(wrapped.map(|line| (None, Some(line), 0.0)));
        }
        let mut lines = lines.into_iter().peekable();
        while lines.peek().is_some() {
            self.room(2.0 * PADDING + 2.0 * TEXT.leading);
            let top = self.y;
            self.y += PADDING;
            while self.y + TEXT.leading + PADDING <= self.bottom - 10.0 {
                let Some((lead, line, indent)) = lines.next() else { break };
                let left = self.left + INSET;
                for (line, left) in [(lead, left), (line, left + indent)] {
                    if let Some(line) = line {
                        self.sheet.text(Some(part), left, self.y, line);
                    }
                }
                self.y += TEXT.leading;
            }
            self.y += PADDING;
            let area = Area { left: self.left, top, width: self.width(), height: self.y - top };
            self.sheet.frame(area, 4.0, Paint::Stroke { width, gray });
        }
    }
}
