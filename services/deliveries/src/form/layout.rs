//! The layout of a form: the head, the facts, and the blocks below them.
//!
//! A form is first laid out with ample spacing. If that takes more than one page, tighter spacing is tried,
//! and the layout with the fewest pages is used.

use std::collections::BTreeSet;

use kit::Result;
use krilla::tagging::Tag;

use proto::deliveries::v1::FormNotice;

use super::flow::{Density, Flow, LABEL, MUTED, SMALL, TEXT, TOP};
use super::font::{Fonts, Line, Style, Weight};
use super::qr::Code;
use super::sheet::{Area, BLACK, Part, Sheet, WHOLE};
use super::{Form, Paper, chips, describe, items, proof};

const NUMBER: Style =
    Style { size: 28.0, leading: 34.0, weight: Weight::Strong, gray: BLACK, tabular: false };

const ROOMY: Density = Density { row: 6.0, block: 16.0 };
const CLOSE: Density = Density { row: 3.0, block: 11.0 };
const TIGHT: Density = Density { row: 1.5, block: 8.0 };

pub fn sheet(form: &Form, fonts: &Fonts, paper: Paper) -> Result<Sheet> {
    let words = describe(form);
    let code = Code::new(&words.url)?;
    let lay = |density| Flow::new(form, &words, fonts, &code, paper, density).whole();
    let mut best = lay(ROOMY);
    for density in [CLOSE, TIGHT] {
        // From three pages on, one page fewer is not worth tight spacing.
        if best.pages.len() == 1 || (density == TIGHT && best.pages.len() > 2) {
            break;
        }
        let closer = lay(density);
        if closer.pages.len() < best.pages.len() {
            best = closer;
        }
    }
    Ok(best)
}

impl Flow<'_> {
    fn whole(mut self) -> Sheet {
        self.head();
        self.notices();
        for section in &self.words.sections {
            self.section(section);
        }
        items::table(&mut self);
        self.boxes(&self.words.notes);
        proof::lay(&mut self);
        self.missing();
        self.feet();
        self.sheet
    }

    fn head(&mut self) {
        let Self { words, fonts, .. } = *self;
        let part = self.sheet.part(WHOLE, Tag::Section);
        let half = self.width() / 2.0 - 12.0;
        let left = self.issuer(part, half);

        let name = self.sheet.part(part, Tag::P);
        let style = Style { size: 13.0, leading: 18.0, ..LABEL };
        self.sheet.text_right(Some(name), self.right, TOP - 2.0, fonts.line(&words.title, style));
        let title = format!("{} {}", words.title, words.delivery_id);
        let heading = self.sheet.part(part, Tag::Hn(std::num::NonZeroU16::MIN, Some(title)));
        let mut y = TOP + 16.0;
        for line in self.number(half) {
            let leading = line.style.leading;
            self.sheet.text_right(Some(heading), self.right, y, line);
            y += leading;
        }
        let chips = self.sheet.part(part, Tag::P);
        y = self.chips(chips, y + 4.0, half);
        self.y = y.max(left) + self.density.block + 10.0;
        self.rule(1.0, BLACK);
    }

    /// Draws the status and other important marks; returns the y of their bottom.
    fn chips(&mut self, part: Part, mut top: f32, width: f32) -> f32 {
        let mut right = self.status_chip(part, self.right, top) - 8.0;
        for word in &self.words.marks {
            if right - self.chip_width(word) < self.right - width {
                right = self.right;
                top += chips::HEIGHT + 6.0;
            }
            right = self.chip(part, right, top, word) - 8.0;
        }
        top + chips::HEIGHT
    }

    /// Draws the issuer; returns the y of its bottom.
    fn issuer(&mut self, part: Part, width: f32) -> f32 {
        let Self { form, words, fonts, .. } = *self;
        let mut y = TOP;
        match &form.organization.logo {
            Some(logo) => {
                let name = words.organization.clone();
                let figure = self.sheet.part(part, Tag::Figure(Some(name)));
                let (width, height) = logo.fit(200.0, 42.0, 1.0);
                let area = Area { left: self.left, top: y, width, height };
                self.sheet.picture(Some(figure), area, logo.image.clone());
                y += height + 9.0;
            }
            None => {
                const MARK: f32 = 32.0;
                chips::waybill_mark(&mut self.sheet, self.left, y, MARK);
                let style = Style { size: 22.0, leading: 28.0, ..TEXT }.strong();
                let name = self.sheet.part(part, Tag::P);
                let beside = MARK + 12.0;
                let mut lines = fonts.wrap(&words.organization, style, width - beside);
                if lines.len() > 2 {
                    lines = fonts.wrap_most(&words.organization, TEXT.strong(), width - beside, 10);
                }
                let end = self.sheet.lines(Some(name), self.left + beside, y + 2.0, lines);
                y = end.max(y + MARK) + 6.0;
            }
        }
        let lines = self.sheet.part(part, Tag::P);
        for line in words.organization_lines.iter().take(4) {
            let line = fonts.wrap_most(line, Style { gray: MUTED, ..SMALL }, width, 6);
            y = self.sheet.lines(Some(lines), self.left, y, line);
        }
        y
    }

    /// Lays out the document number, in a smaller size if it is too long for its line.
    fn number(&self, width: f32) -> Vec<Line> {
        let number = &self.words.delivery_id;
        for size in [NUMBER.size, 22.0, 18.0] {
            let style = Style { size, leading: size + 6.0, ..NUMBER };
            let lines = self.fonts.wrap(number, style, width);
            if lines.len() <= 1 {
                return lines;
            }
        }
        self.fonts.wrap_most(number, Style { size: 16.0, leading: 21.0, ..NUMBER }, width, 5)
    }

    /// Draws each notice in its own frame.
    fn notices(&mut self) {
        for notice in &self.words.notices {
            let (width, gray) = if notice.urgent { (1.5, BLACK) } else { (1.0, 0xb0) };
            self.y += self.density.block;
            self.boxed(std::slice::from_ref(notice), width, gray);
        }
    }

    /// Draws all notices in one frame.
    fn boxes(&mut self, notices: &[FormNotice]) {
        if !notices.is_empty() {
            self.y += self.density.block;
            self.boxed(notices, 1.0, 0xb0);
        }
    }

    /// Draws the notice about missing characters. Only paper needs it, because paper uses the server's fonts.
    fn missing(&mut self) {
        if !self.sheet.missing.is_empty() {
            let notice = unprintable(&self.sheet.missing);
            self.boxes(&[notice]);
        }
    }
}

/// Returns the notice that lists unprintable characters.
pub fn unprintable(missing: &BTreeSet<char>) -> FormNotice {
    const MOST: usize = 12;
    let codes: Vec<_> = missing.iter().take(MOST).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more = if missing.len() > MOST { " and more" } else { "" };
    let text = format!(
        "The server has no font with {}{more}. Each of these characters is printed as a question mark; the \
         form on screen shows them.",
        codes.join(", ")
    );
    FormNotice { lead: "Characters that can't be printed.".to_owned(), text, urgent: false }
}
