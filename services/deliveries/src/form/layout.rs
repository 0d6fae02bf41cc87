//! What stands where on a form: the head, the facts, and how pages follow.
//!
//! A form is laid out with room first. When that takes more than one page it is tried again closer
//! together, and the one with fewer pages counts.

use kit::Result;
use krilla::tagging::Tag;

use super::font::{Fonts, Line, Style, Weight};
use super::proof::Proofs;
use super::qr::Code;
use super::sheet::{Area, BLACK, Paint, Part, Sheet, WHOLE};
use super::{Form, Paper, chips, items, picture, words};
use crate::domain::delivery::Status;

pub const MUTED: u8 = 0x55;
pub const HAIR: u8 = 0xcc;
const SIDE: f32 = 52.0;
const TOP: f32 = 48.0;
const FOOT: f32 = 36.0;
/// Facts stand in so many columns.
const COLUMNS: f32 = 4.0;
const GAP: f32 = 18.0;

pub const LABEL: Style =
    Style { size: 11.0, leading: 16.0, weight: Weight::Regular, gray: MUTED, tabular: false };
pub const VALUE: Style =
    Style { size: 12.5, leading: 17.0, weight: Weight::Regular, gray: BLACK, tabular: true };
/// Sentences, not figures in columns.
pub const TEXT: Style = Style { tabular: false, ..VALUE };
pub const SMALL: Style = Style { size: 11.5, leading: 16.0, gray: 0x33, ..TEXT };
const NUMBER: Style =
    Style { size: 28.0, leading: 34.0, weight: Weight::Strong, gray: BLACK, tabular: false };

/// How close together things stand.
#[derive(Debug, Clone, Copy)]
pub struct Density {
    /// Above and below the text of a row.
    pub row: f32,
    /// Between blocks.
    pub block: f32,
}

const ROOMY: Density = Density { row: 6.0, block: 16.0 };
const CLOSE: Density = Density { row: 3.0, block: 11.0 };

pub fn sheet(form: &Form, fonts: &Fonts, paper: Paper) -> Result<Sheet> {
    let proofs = Proofs::of(form);
    let code = Code::new(&form.url)?;
    let lay = |density| Flow::new(form, fonts, &code, paper, density).whole(&proofs);
    let roomy = lay(ROOMY);
    if roomy.pages.len() == 1 {
        return Ok(roomy);
    }
    let close = lay(CLOSE);
    Ok(if close.pages.len() < roomy.pages.len() { close } else { roomy })
}

/// The page under way.
pub struct Flow<'a> {
    pub form: &'a Form,
    pub fonts: &'a Fonts,
    pub code: &'a Code,
    pub density: Density,
    pub sheet: Sheet,
    pub left: f32,
    pub right: f32,
    /// Where the next thing goes.
    pub y: f32,
    /// Where the foot begins.
    pub bottom: f32,
}

/// A label with what it says.
struct Fact<'t> {
    label: &'t str,
    /// Absent: in words.
    value: Result<String, &'static str>,
    strong: bool,
    mark: Option<&'static str>,
}

impl<'t> Fact<'t> {
    fn new(label: &'t str, value: impl Into<String>) -> Self {
        Self { label, value: Ok(value.into()), strong: false, mark: None }
    }

    fn maybe(label: &'t str, value: Option<String>, absent: &'static str) -> Self {
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

impl<'a> Flow<'a> {
    fn new(form: &'a Form, fonts: &'a Fonts, code: &'a Code, paper: Paper, density: Density) -> Self {
        let (width, height) = paper.size();
        Self {
            form,
            fonts,
            code,
            density,
            sheet: Sheet::new((width, height)),
            left: SIDE,
            right: width - SIDE,
            y: TOP,
            bottom: height - FOOT - code.size() - 13.0,
        }
    }

    fn whole(mut self, proofs: &Proofs) -> Sheet {
        self.head();
        self.notice();
        self.facts();
        self.delivered_to();
        items::table(&mut self);
        self.note();
        proofs.lay(&mut self);
        self.feet();
        self.sheet
    }

    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Turns the page when so much does not fit on it any more.
    pub fn room(&mut self, height: f32) -> bool {
        let turns = self.y + height > self.bottom - 10.0;
        if turns {
            self.turn();
        }
        turns
    }

    pub fn turn(&mut self) {
        self.sheet.turn();
        let status = self.fonts.line(words::status(self.form.status), VALUE.strong());
        let beside = self.fonts.line("Delivery form, continued", LABEL);
        let room = self.width() - status.width - beside.width - 40.0;
        let number = self.fonts.wrap_most(&self.form.delivery_id, VALUE.strong(), room, 1);
        let after = self.left + number.first().map_or(0.0, |line| line.width + 10.0);
        self.sheet.lines(None, self.left, TOP, number);
        self.sheet.text(None, after, TOP + 1.0, beside);
        self.sheet.text_right(None, self.right, TOP, status);
        self.sheet.rule(self.left, self.right, TOP + 27.0, 1.0, HAIR);
        self.y = TOP + 27.0 + self.density.block;
    }

    fn head(&mut self) {
        let Self { form, fonts, .. } = *self;
        let part = self.sheet.part(WHOLE, Tag::Section);
        let half = self.width() / 2.0 - 12.0;
        let left = self.issuer(part, half);

        let name = self.sheet.part(part, Tag::P);
        let style = Style { size: 13.0, leading: 18.0, ..LABEL };
        self.sheet.text_right(Some(name), self.right, TOP - 2.0, fonts.line("Delivery form", style));
        let title = format!("Delivery form {}", form.delivery_id);
        let heading = self.sheet.part(part, Tag::Hn(std::num::NonZeroU16::MIN, Some(title)));
        let mut y = TOP + 16.0;
        for line in self.number(half) {
            let leading = line.style.leading;
            self.sheet.text_right(Some(heading), self.right, y, line);
            y += leading;
        }
        let chips = self.sheet.part(part, Tag::P);
        let mut right = self.status_chip(chips, self.right, y + 4.0) - 8.0;
        if form.corrected {
            right = self.chip(chips, right, y + 4.0, "Corrected") - 8.0;
        }
        if form.superseded_by.is_some() {
            self.chip(chips, right, y + 4.0, "Replaced");
        }
        self.y = (y + 4.0 + chips::HEIGHT).max(left) + self.density.block + 10.0;
        self.rule(1.0, BLACK);
    }

    /// Who issues the form; tells where that ends.
    fn issuer(&mut self, part: Part, width: f32) -> f32 {
        let Self { form, fonts, .. } = *self;
        let organization = &form.organization;
        let logo = organization.logo.as_deref().and_then(picture::logo);
        let mut y = TOP;
        match logo {
            Some(logo) => {
                let name = organization.name.clone();
                let figure = self.sheet.part(part, Tag::Figure(Some(name)));
                let (width, height) = logo.fit(200.0, 42.0, 1.0);
                let area = Area { left: self.left, top: y, width, height };
                self.sheet.picture(Some(figure), area, logo.image);
                y += height + 9.0;
            }
            None => {
                let style = Style { size: 20.0, leading: 26.0, ..TEXT }.strong();
                let name = self.sheet.part(part, Tag::P);
                let lines = fonts.wrap_most(&organization.name, style, width, 2);
                y = self.sheet.lines(Some(name), self.left, y, lines) + 4.0;
            }
        }
        let lines = self.sheet.part(part, Tag::P);
        for line in organization.lines.iter().take(4) {
            let line = fonts.wrap_most(line, Style { gray: MUTED, ..SMALL }, width, 2);
            y = self.sheet.lines(Some(lines), self.left, y, line);
        }
        y
    }

    /// The document number, smaller when it is too long for its line.
    fn number(&self, width: f32) -> Vec<Line> {
        for size in [NUMBER.size, 22.0, 18.0] {
            let style = Style { size, leading: size + 6.0, ..NUMBER };
            let lines = self.fonts.wrap(&self.form.delivery_id, style, width);
            if lines.len() <= 1 {
                return lines;
            }
        }
        self.fonts.wrap_most(&self.form.delivery_id, Style { size: 16.0, leading: 21.0, ..NUMBER }, width, 4)
    }

    pub fn rule(&mut self, width: f32, gray: u8) {
        self.sheet.rule(self.left, self.right, self.y, width, gray);
    }

    fn notice(&mut self) {
        let Some(successor) = self.form.superseded_by else { return };
        self.y += self.density.block;
        let issued = words::date_time(successor.issued_at, self.form.time_zone);
        let text = format!("Version {}, issued {issued}, has replaced this form.", successor.form_version);
        self.boxed(&[("Out of date.", text)], 1.5, BLACK);
    }

    fn facts(&mut self) {
        let form = self.form;
        let zone = form.time_zone;
        let at = form.scheduledatetime;
        let part = self.sheet.part(WHOLE, Tag::Section);
        self.y += self.density.block - 1.0;
        let mut number = Fact::new("Delivery Doc", form.delivery_id.as_str());
        number.strong = true;
        let shipment = Some(form.shipmentnumber.clone());
        for row in [
            [
                number,
                Fact::new("Dispatch Date and Time", words::date_time(at, zone)),
                Fact::new("Dispatch Date", words::date(at, zone)),
                Fact::new("Dispatch Time", words::time(at, zone)),
            ],
            [
                Fact::maybe("Reference Doc", form.referencedoc.clone(), words::NONE),
                Fact::maybe("Shipment no.", shipment, words::NONE),
                Fact::maybe("Driver", form.driver.clone(), words::UNASSIGNED),
                Fact::maybe("Trucker", form.trucker.clone(), words::NONE),
            ],
        ] {
            self.y = self.row(part, 0.0, self.y, &row) + self.density.block - 1.0;
        }
        self.rule(1.0, HAIR);
    }

    /// Facts beside each other from that column on; tells where they end.
    fn row(&mut self, part: Part, column: f32, top: f32, facts: &[Fact]) -> f32 {
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
                bottom += 17.0;
            }
            end = end.max(bottom);
        }
        end
    }

    /// The customer at the left, times and places at the right.
    fn delivered_to(&mut self) {
        let Self { form, fonts, .. } = *self;
        let part = self.sheet.part(WHOLE, Tag::Section);
        self.y += self.density.block - 1.0;
        let top = self.y;
        let width = (self.width() + GAP) / 2.0 - 2.0 * GAP;
        let customer = self.sheet.part(part, Tag::P);
        let owner = Some(customer);
        let label = match form.status {
            Status::CompleteNoVariance | Status::CompleteWithVariance => "Delivered to",
            Status::Pending | Status::Undelivered | Status::Rejected => "Deliver to",
        };
        self.sheet.text(owner, self.left, top, fonts.line(label, LABEL));
        let mut y = top + LABEL.leading;
        let contact = match (filled(&form.customer.contact_name), filled(&form.customer.contact_phone)) {
            (Some(name), Some(phone)) => Some(format!("{name}, {phone}")),
            (name, phone) => name.or(phone).map(str::to_owned),
        };
        let place = form.customer.place.map_or(words::NONE.to_owned(), words::place);
        let contact = contact.unwrap_or_else(|| words::NONE.to_owned());
        for (text, style, most) in [
            (form.customer.name.as_str(), VALUE.strong(), 3),
            (form.customer.address.as_str(), VALUE, 6),
            (&format!("Contact: {contact}"), VALUE, 3),
            (&format!("Planned point: {place}"), VALUE, 1),
        ] {
            let lines = match text.trim().is_empty() {
                true => vec![fonts.line(words::NONE, style.gray(MUTED))],
                false => fonts.wrap_most(text, style, width, most),
            };
            y = self.sheet.lines(owner, self.left, y, lines);
        }
        let end = self.times(part, top);
        self.y = y.max(end) + self.density.block + 2.0;
    }

    fn times(&mut self, part: Part, top: f32) -> f32 {
        let form = self.form;
        let at = |time| words::date_time(time, form.time_zone);
        let outcome = form.outcome.as_ref();
        let absent = words::NONE;
        let mut processed =
            Fact::maybe("Processed at", outcome.map(|outcome| at(outcome.occurred_at)), absent);
        processed.mark = outcome.filter(|outcome| outcome.late).map(|_| "Late");
        let received = outcome.map(|outcome| at(outcome.received_at));
        let distance = outcome.and_then(|outcome| outcome.distance);
        let place = outcome.and_then(|outcome| outcome.place);
        let distance = distance.map(|metres| words::distance(metres, place.and_then(|place| place.accuracy)));
        let mut y = top;
        for row in [
            [Fact::maybe("Arrived", form.arrived_at.map(at), absent), processed],
            [
                Fact::maybe("Received by the server", received, absent),
                Fact::new("Attempt", format!("{} of {}", form.attempt, form.max_attempts)),
            ],
            [
                Fact::maybe("Distance from address", distance, absent),
                Fact::maybe("Outcome point", place.map(words::place), absent),
            ],
        ] {
            y = self.row(part, 2.0, y, &row) + self.density.block * 0.6;
        }
        y - self.density.block * 0.6
    }

    /// Why, and what was noted.
    fn note(&mut self) {
        let Some(outcome) = &self.form.outcome else { return };
        let said = [("Reason.", &outcome.reason), ("Note.", &outcome.note)];
        let said: Vec<_> =
            said.into_iter().filter_map(|(lead, text)| Some((lead, filled(text)?.to_owned()))).collect();
        if !said.is_empty() {
            self.y += self.density.block;
            self.boxed(&said, 1.0, 0xb0);
        }
    }

    /// Texts in a frame, each after a word of its own. A frame that does not fit goes on on the next
    /// page.
    fn boxed(&mut self, texts: &[(&str, String)], width: f32, gray: u8) {
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

pub fn filled(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}
