//! The foot of each page: QR code, where and with which code the form is checked, and the page number.

use krilla::tagging::Tag;

use super::font::Line;
use super::layout::{Flow, SMALL};
use super::sheet::{Area, BLACK, Owner, Paint, Part, WHOLE};
use super::words;
use crate::domain::delivery::ScanMode;

/// Between two texts on a line.
const WORD: f32 = 4.0;

impl Flow<'_> {
    /// On every page, once their number is known.
    pub fn feet(&mut self) {
        let pages = self.sheet.pages.len();
        for page in 0..pages {
            self.sheet.page = page;
            // On the first page it is read aloud, on the others it is decoration.
            let part = (page == 0).then(|| self.sheet.part(WHOLE, Tag::Section));
            self.foot(part, &format!("Page {} of {pages}", page + 1));
        }
    }

    fn foot(&mut self, part: Option<Part>, number: &str) {
        let fonts = self.fonts;
        let size = self.code.size();
        let top = self.bottom + 13.0;
        self.sheet.rule(self.left, self.right, self.bottom, 1.0, BLACK);
        let alt = "QR code that opens this form".to_owned();
        let figure = part.map(|part| self.sheet.part(part, Tag::Figure(Some(alt))));
        self.sheet.path(figure, self.code.drawn(self.left, top), Paint::Fill(0));
        let page = fonts.line(number, SMALL);
        let left = self.left + size + 14.0;
        let width = self.right - left - page.width - 20.0;

        let check = fonts.line("Check this document at", SMALL);
        let mut address = fonts.wrap_after(check.width + WORD, self.shown(), SMALL.strong(), width);
        address.truncate(2);
        let issued = fonts.wrap_most(&self.issued(), SMALL, width, 2);
        let count = address.len() + 1 + issued.len();
        let y = top + ((size - count as f32 * SMALL.leading) / 2.0).max(0.0);

        let y = self.address(part, (left, y, width), check, address);
        let owner = self.paragraph(part);
        let lead = fonts.line("Verification code", SMALL);
        let code = fonts.line(&self.form.verification_code, SMALL.strong().tabular());
        let after = left + lead.width + WORD;
        self.sheet.text(owner, left, y, lead);
        self.sheet.text(owner, after, y, code);
        let owner = self.paragraph(part);
        self.sheet.lines(owner, left, y + SMALL.leading, issued);
        self.sheet.text_right(None, self.right, top + size - SMALL.leading, page);
    }

    fn paragraph(&mut self, part: Option<Part>) -> Owner {
        part.map(|part| self.sheet.part(part, Tag::P))
    }

    /// The address, which can be clicked on; tells where it ends.
    fn address(
        &mut self,
        part: Option<Part>,
        (left, top, width): (f32, f32, f32),
        lead: Line,
        address: Vec<Line>,
    ) -> f32 {
        let height = SMALL.leading * address.len() as f32;
        let indent = lead.width + WORD;
        let owner = self.paragraph(part);
        self.sheet.text(owner, left, top, lead);
        let anchor = owner.map(|owner| self.sheet.part(owner, Tag::Link));
        let mut lines = address.into_iter();
        if let Some(first) = lines.next() {
            self.sheet.text(anchor, left + indent, top, first);
        }
        self.sheet.lines(anchor, left, top + SMALL.leading, lines.collect());
        if let Some(anchor) = anchor {
            self.sheet.link(anchor, Area { left, top, width, height });
        }
        top + height
    }

    /// The address as a person types it: the code has a line of its own.
    fn shown(&self) -> &str {
        let url = self.form.url.as_str();
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        rest.split(['?', '#']).next().unwrap_or(rest)
    }

    fn issued(&self) -> String {
        let form = self.form;
        let at = words::date_time(form.issued_at, form.time_zone);
        let corrected = if form.correction_reason.is_some() { " (corrected)" } else { "" };
        let scanned = match form.outcome.as_ref().map(|outcome| outcome.scanmode) {
            Some(ScanMode::Yes) => " Confirmed by scanning (Scan Mode Yes).",
            Some(ScanMode::No) => " Not confirmed by scanning (Scan Mode No).",
            None => "",
        };
        format!("Version {}{corrected}, issued {at}.{scanned}", form.form_version)
    }
}
