//! Outlined words: the status and other important marks.

use super::flow::{Flow, TEXT};
use super::font::{Style, Weight};
use super::sheet::{Area, BLACK, Paint, Part, Pen, Sheet, rounded};
use crate::domain::delivery::Status;

pub const HEIGHT: f32 = 22.0;
const INSET: f32 = 10.0;
const ICON: f32 = 12.0;
const MARK: Style = Style { size: 10.0, leading: 15.0, weight: Weight::Strong, gray: BLACK, tabular: false };
const LINE: Paint = Paint::Stroke { width: 1.0, gray: BLACK };

impl Flow<'_> {
    /// Draws the status, right-aligned; returns the x of its left edge.
    pub fn status_chip(&mut self, part: Part, right: f32, top: f32) -> f32 {
        let status = self.form.status;
        let left = self.outlined(part, right, top, &self.words.status, ICON + 5.0);
        status_icon(&mut self.sheet, status, left + INSET + ICON / 2.0, top + HEIGHT / 2.0);
        left
    }

    pub fn chip(&mut self, part: Part, right: f32, top: f32, word: &str) -> f32 {
        self.outlined(part, right, top, word, 0.0)
    }

    pub fn chip_width(&self, word: &str) -> f32 {
        self.fonts.line(word, TEXT.strong()).width + 2.0 * INSET
    }

    /// Draws a word in an outline, leaving `before` as room to its left.
    fn outlined(&mut self, part: Part, right: f32, top: f32, word: &str, before: f32) -> f32 {
        let line = self.fonts.line(word, TEXT.strong());
        let width = line.width + before + 2.0 * INSET;
        let left = right - width;
        self.sheet.frame(Area { left, top, width, height: HEIGHT }, HEIGHT / 2.0, LINE);
        let inner = top + (HEIGHT - line.style.leading) / 2.0;
        self.sheet.text(Some(part), left + INSET + before, inner, line);
        left
    }

    /// Draws a small mark beside or below its subject; returns its width.
    pub fn mark(&mut self, part: Part, left: f32, top: f32, word: &str) -> f32 {
        let line = self.fonts.line(word, MARK);
        let width = line.width + 10.0;
        self.sheet.frame(Area { left, top, width, height: MARK.leading }, 3.0, LINE);
        self.sheet.text(Some(part), left + 5.0, top, line);
        width
    }
}

/// Draws an icon with this center.
fn status_icon(sheet: &mut Sheet, status: Status, x: f32, y: f32) {
    let around = match status {
        Status::CompleteWithVariance => {
            let mut pen = Pen::default();
            pen.move_to(x, y - 5.0);
            pen.line_to(x + 5.8, y + 5.0);
            pen.line_to(x - 5.8, y + 5.0);
            pen.close();
            pen
        }
        _ => rounded(Area { left: x - 5.4, top: y - 5.4, width: 10.8, height: 10.8 }, 5.4),
    };
    let strokes: &[&[(f32, f32)]] = match status {
        Status::Pending => &[&[(0.0, -3.0), (0.0, 0.3), (2.2, 1.6)]],
        Status::CompleteNoVariance => &[&[(-2.4, 0.2), (-0.7, 2.0), (2.5, -1.7)]],
        Status::CompleteWithVariance => &[&[(0.0, -1.5), (0.0, 1.3)], &[(0.0, 3.0), (0.0, 3.2)]],
        Status::Undelivered => &[&[(-3.6, 3.6), (3.6, -3.6)]],
        Status::Rejected => &[&[(-2.0, -2.0), (2.0, 2.0)], &[(-2.0, 2.0), (2.0, -2.0)]],
    };
    let mut inside = Pen::default();
    for stroke in strokes {
        for (at, (dx, dy)) in stroke.iter().enumerate() {
            match at {
                0 => inside.move_to(x + dx, y + dy),
                _ => inside.line_to(x + dx, y + dy),
            }
        }
    }
    let paint = Paint::Stroke { width: 1.2, gray: BLACK };
    sheet.path(None, around, paint);
    sheet.path(None, inside, paint);
}

/// Draws Waybill's mark: a W that ends in a check.
pub fn waybill_mark(sheet: &mut Sheet, left: f32, top: f32, size: f32) {
    let unit = size / 24.0;
    sheet.frame(Area { left, top, width: size, height: size }, 6.0 * unit, Paint::Fill(BLACK));
    let mut pen = Pen::default();
    let points = [(5.0, 8.6), (8.6, 16.2), (11.6, 10.6), (14.4, 16.2), (19.2, 6.6)];
    for (at, (x, y)) in points.into_iter().enumerate() {
        match at {
            0 => pen.move_to(left + x * unit, top + y * unit),
            _ => pen.line_to(left + x * unit, top + y * unit),
        }
    }
    sheet.path(None, pen, Paint::Stroke { width: 2.3 * unit, gray: 0xff });
}
