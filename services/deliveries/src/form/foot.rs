//! The footer of each page: QR code, how to verify the form, and the page number.

use krilla::tagging::Tag;

use super::flow::{Flow, SMALL};
use super::font::Line;
use super::sheet::{Area, BLACK, Paint, Part, WHOLE};

/// Space between two texts on a line.
const WORD: f32 = 4.0;
/// Space between the QR code and the text, and between the text and the page number.
const BESIDE: f32 = 14.0;
const NUMBER: f32 = 90.0;
/// Maximum number of lines of one check.
const MAX_LINES: usize = 3;

/// A measured label and its text.
struct Check {
    lead: Line,
    lines: Vec<Line>,
}

impl Flow<'_> {
    pub fn foot_height(&self) -> f32 {
        let lines: usize = self.checks().iter().map(|check| check.lines.len()).sum();
        self.code.size().max(lines as f32 * SMALL.leading)
    }

    fn checks(&self) -> Vec<Check> {
        let width = self.width() - self.code.size() - BESIDE - NUMBER;
        let checks = self.words.checks.iter().map(|check| {
            let lead = self.fonts.line(&check.label, SMALL);
            let style = if check.strong { SMALL.strong().tabular() } else { SMALL };
            let mut lines = self.fonts.wrap_after(lead.width + WORD, &check.value, style, width);
            lines.truncate(MAX_LINES);
            Check { lead, lines }
        });
        checks.collect()
    }

    /// Draws the footer on every page, once the number of pages is known.
    pub fn feet(&mut self) {
        let pages = self.sheet.pages.len();
        for page in 0..pages {
            self.sheet.page = page;
            // Tag only the first page's footer, so that screen readers read it once.
            let part = (page == 0).then(|| self.sheet.part(WHOLE, Tag::Section));
            self.foot(part, &format!("Page {} of {pages}", page + 1));
        }
    }

    fn foot(&mut self, part: Option<Part>, number: &str) {
        let size = self.code.size();
        let top = self.bottom + 13.0;
        self.sheet.rule(self.left, self.right, self.bottom, 1.0, BLACK);
        let figure = part.map(|part| self.sheet.part(part, Tag::Figure(Some(self.words.qr_code.clone()))));
        self.sheet.path(figure, self.code.drawn(self.left, top), Paint::Fill(0));
        let checks = self.checks();
        let lines: usize = checks.iter().map(|check| check.lines.len()).sum();
        let left = self.left + size + BESIDE;
        let mut y = top + ((size - lines as f32 * SMALL.leading) / 2.0).max(0.0);
        for (at, check) in checks.into_iter().enumerate() {
            // The first check is the address, which is a link.
            y = self.check(part, left, y, check, at == 0);
        }
        let page = self.fonts.line(number, SMALL);
        self.sheet.text_right(None, self.right, top + size - SMALL.leading, page);
    }

    /// Draws a check; returns the y of its bottom.
    fn check(&mut self, part: Option<Part>, left: f32, top: f32, check: Check, is_link: bool) -> f32 {
        let Check { lead, lines } = check;
        let width = lead.width + WORD + lines.iter().map(|line| line.width).fold(0.0, f32::max);
        let height = SMALL.leading * lines.len() as f32;
        let owner = part.map(|part| self.sheet.part(part, Tag::P));
        let indent = lead.width + WORD;
        self.sheet.text(owner, left, top, lead);
        let anchor = match owner {
            Some(owner) if is_link => Some(self.sheet.part(owner, Tag::Link)),
            owner => owner,
        };
        let mut lines = lines.into_iter();
        if let Some(first) = lines.next() {
            self.sheet.text(anchor, left + indent, top, first);
        }
        self.sheet.lines(anchor, left, top + SMALL.leading, lines.collect());
        if let Some(anchor) = anchor.filter(|_| is_link) {
            self.sheet.link(anchor, Area { left, top, width, height });
        }
        top + height
    }
}
