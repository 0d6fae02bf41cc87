//! Building blocks of a page: a fact with its label, a section of facts, a frame with text.

use krilla::tagging::Tag;
use proto::deliveries::v1::{FormFact, FormNotice, FormSection};

use super::flow::{Flow, HAIR, LABEL, MUTED, TEXT, VALUE};
use super::font::Line;
use super::sheet::{Area, Paint, Part, WHOLE};

/// Number of columns for facts.
const COLUMNS: usize = 4;
const GAP: f32 = 18.0;
/// Height of a mark below a fact.
const MARKED: f32 = 17.0;
/// Maximum lines of a fact, which is never split across pages. No field needs more.
const MAX_LINES: usize = 40;

impl Flow<'_> {
    /// Draws facts in four columns. A wide fact at the start has the left half to itself, for its whole
    /// height.
    pub fn section(&mut self, section: &FormSection) {
        self.y += self.density.block - 1.0;
        let part = self.sheet.part(WHOLE, Tag::Section);
        let (wide, facts) = match section.facts.split_first() {
            Some((first, rest)) if first.wide => (Some(first), rest),
            _ => (None, section.facts.as_slice()),
        };
        let columns = if wide.is_some() { COLUMNS / 2 } else { COLUMNS };
        let gap = if wide.is_some() { self.density.block * 0.6 } else { self.density.block - 1.0 };
        let rows: Vec<_> = facts.chunks(columns).collect();
        let heights: Vec<_> = rows.iter().map(|row| self.row_height(row)).collect();
        let mut end = self.y;
        if let Some(wide) = wide {
            let height = heights.iter().map(|height| height + gap).sum::<f32>() - gap;
            self.room(self.fact_height(wide, self.span(2)).max(height));
            end = self.fact(part, self.left, self.y, wide, self.span(2));
        }
        for (row, height) in rows.into_iter().zip(heights) {
            if self.room(height) {
                end = self.y;
            }
            let first = COLUMNS - columns;
            for (fact, at) in row.iter().zip(first..) {
                let left = self.left + self.pitch() * at as f32;
                end = end.max(self.fact(part, left, self.y, fact, self.span(1)));
            }
            self.y += height + gap;
        }
        self.y = end.max(self.y - gap) + self.density.block - 1.0;
        if wide.is_none() {
            self.rule(1.0, HAIR);
        } else {
            self.y += 3.0;
        }
    }

    /// Returns the distance from one column to the next.
    fn pitch(&self) -> f32 {
        (self.width() + GAP) / COLUMNS as f32
    }

    /// Returns the width of this many columns.
    fn span(&self, columns: u8) -> f32 {
        self.pitch() * f32::from(columns) - if columns > 1 { 2.0 * GAP } else { GAP }
    }

    fn row_height(&self, facts: &[FormFact]) -> f32 {
        facts.iter().map(|fact| self.fact_height(fact, self.span(1))).fold(0.0, f32::max)
    }

    fn fact_height(&self, fact: &FormFact, width: f32) -> f32 {
        let lines = self.fact_lines(fact, width).len() as f32 * VALUE.leading;
        LABEL.leading + lines + fact.marks.len() as f32 * MARKED
    }

    fn fact_lines(&self, fact: &FormFact, width: f32) -> Vec<Line> {
        let style = if fact.strong { VALUE.strong() } else { VALUE };
        let mut lines = self.fonts.wrap_most(&fact.value, style, width, MAX_LINES / 2);
        for detail in &fact.details {
            let most = (MAX_LINES - lines.len()).min(MAX_LINES / 2);
            lines.extend(self.fonts.wrap_most(detail, VALUE.gray(MUTED), width, most));
        }
        lines
    }

    /// Draws a fact; returns the y of its bottom.
    fn fact(&mut self, part: Part, left: f32, top: f32, fact: &FormFact, width: f32) -> f32 {
        let owner = self.sheet.part(part, Tag::P);
        self.sheet.text(Some(owner), left, top, self.fonts.line(&fact.label, LABEL));
        let lines = self.fact_lines(fact, width);
        let mut bottom = self.sheet.lines(Some(owner), left, top + LABEL.leading, lines);
        for word in &fact.marks {
            self.mark(owner, left, bottom + 1.0, word);
            bottom += MARKED;
        }
        bottom
    }

    /// Draws texts in a frame, each after its title. A frame that does not fit continues on the next page.
    pub fn boxed(&mut self, texts: &[FormNotice], width: f32, gray: u8) {
        const INSET: f32 = 12.0;
        const PADDING: f32 = 8.0;
        let fonts = self.fonts;
        let part = self.sheet.part(WHOLE, Tag::P);
        let mut lines = Vec::new();
        for FormNotice { lead, text, .. } in texts {
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
