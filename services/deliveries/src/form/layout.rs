//! What stands where on a form: the head, the facts, and how pages follow.
//!
//! A form is laid out with room first. When that takes more than one page it is tried again closer
//! together, and the one with the fewest pages counts.

use kit::Result;
use krilla::tagging::Tag;

use super::blocks::{Fact, GAP};
use super::font::{Fonts, Line, Style, Weight};
use super::proof::Proofs;
use super::qr::Code;
use super::sheet::{Area, BLACK, Part, Sheet, WHOLE};
use super::{Form, Paper, chips, items, words};
use crate::domain::delivery::Status;

pub const MUTED: u8 = 0x55;
pub const HAIR: u8 = 0xcc;
const SIDE: f32 = 52.0;
const TOP: f32 = 48.0;
const FOOT: f32 = 36.0;

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
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Density {
    /// Above and below the text of a row.
    pub row: f32,
    /// Between blocks.
    pub block: f32,
}

const ROOMY: Density = Density { row: 6.0, block: 16.0 };
const CLOSE: Density = Density { row: 3.0, block: 11.0 };
const TIGHT: Density = Density { row: 1.5, block: 8.0 };

pub fn sheet(form: &Form, fonts: &Fonts, paper: Paper) -> Result<Sheet> {
    let proofs = Proofs::of(form);
    let code = Code::new(&form.url)?;
    let lay = |density| Flow::new(form, fonts, &code, paper, density).whole(&proofs);
    let mut best = lay(ROOMY);
    for density in [CLOSE, TIGHT] {
        // A page more or less is nothing to somebody who leafs through ten.
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
        proofs.files(&mut self);
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
        if form.correction_reason.is_some() {
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
        let mut y = TOP;
        match &organization.logo {
            Some(logo) => {
                let name = organization.name.clone();
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
                let lines = fonts.wrap_most(&organization.name, style, width - beside, 2);
                let end = self.sheet.lines(Some(name), self.left + beside, y + 2.0, lines);
                y = end.max(y + MARK) + 6.0;
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

    /// That there is a later version, and why there was an earlier one.
    fn notice(&mut self) {
        let form = self.form;
        if let Some(successor) = form.superseded_by {
            let issued = words::date_time(successor.issued_at, form.time_zone);
            let version = successor.form_version;
            let text = match successor.attempt == form.attempt {
                true => format!("Version {version}, issued {issued}, has replaced this form."),
                false => {
                    format!("Version {version}, issued {issued}, is about attempt {}.", successor.attempt)
                }
            };
            self.y += self.density.block;
            self.boxed(&[("Out of date.", text)], 1.5, BLACK);
        }
        if let Some(reason) = &form.correction_reason {
            let lead = format!("Version {}, replaces {}:", form.form_version, form.form_version - 1);
            self.y += self.density.block;
            self.boxed(&[(&lead, reason.clone())], 1.0, 0xb0);
        }
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
        let trucker = Some(form.trucker.clone());
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
                Fact::maybe("Trucker", trucker, words::NONE),
            ],
        ] {
            self.room(self.row_height(&row));
            self.y = self.row(part, 0.0, self.y, &row) + self.density.block - 1.0;
        }
        self.rule(1.0, HAIR);
    }

    /// The customer at the left, times and places at the right.
    fn delivered_to(&mut self) {
        self.y += self.density.block - 1.0;
        let customer = self.customer();
        let rows = self.times();
        let gap = self.density.block * 0.6;
        let left = customer.iter().map(|line| line.style.leading).sum::<f32>();
        let right = rows.iter().map(|row| self.row_height(row) + gap).sum::<f32>() - gap;
        self.room(left.max(right));
        let part = self.sheet.part(WHOLE, Tag::Section);
        let owner = self.sheet.part(part, Tag::P);
        let end = self.sheet.lines(Some(owner), self.left, self.y, customer);
        let mut y = self.y;
        for row in &rows {
            y = self.row(part, 2.0, y, row) + gap;
        }
        self.y = end.max(y - gap) + self.density.block + 2.0;
    }

    fn customer(&self) -> Vec<Line> {
        let Self { form, fonts, .. } = *self;
        let width = (self.width() + GAP) / 2.0 - 2.0 * GAP;
        let label = match form.status {
            Status::CompleteNoVariance | Status::CompleteWithVariance => "Delivered to",
            Status::Pending | Status::Undelivered | Status::Rejected => "Deliver to",
        };
        let contact = match (filled(&form.customer.contact_name), filled(&form.customer.contact_phone)) {
            (Some(name), Some(phone)) => Some(format!("{name}, {phone}")),
            (name, phone) => name.or(phone).map(str::to_owned),
        };
        let place = form.customer.place.map_or(words::NONE.to_owned(), words::place);
        let contact = contact.unwrap_or_else(|| words::NONE.to_owned());
        let mut lines = vec![fonts.line(label, LABEL)];
        for (text, style, most) in [
            (form.customer.name.as_str(), VALUE.strong(), 3),
            (form.customer.address.as_str(), VALUE, 6),
            (&format!("Contact: {contact}"), VALUE, 3),
            (&format!("Planned point: {place}"), VALUE, 2),
        ] {
            match text.trim().is_empty() {
                true => lines.push(fonts.line(words::NONE, style.gray(MUTED))),
                false => lines.extend(fonts.wrap_most(text, style, width, most)),
            }
        }
        lines
    }

    fn times(&self) -> Vec<Vec<Fact<'static>>> {
        let form = self.form;
        let at = |time| words::date_time(time, form.time_zone);
        let outcome = form.outcome.as_ref();
        let absent = words::NONE;
        let mut processed = Fact::maybe("Processed at", outcome.map(|it| at(it.processed_at)), absent);
        processed.mark = outcome.filter(|it| it.late).map(|_| "Late");
        let received = Fact::maybe("Received by the server", outcome.map(|it| at(it.received_at)), absent);
        let place = outcome.and_then(|it| it.place);
        let accuracy = place.and_then(|it| it.accuracy);
        let distance = outcome.and_then(|it| it.distance).map(|metres| words::distance(metres, accuracy));
        let attempt = match form.attempt <= form.max_attempts {
            true => format!("{} of {}", form.attempt, form.max_attempts),
            false => form.attempt.to_string(),
        };
        let mut places = vec![Fact::maybe("Outcome point", place.map(words::place), absent)];
        // A clock that is ahead does not count.
        if let Some(outcome) = outcome.filter(|it| it.occurred_at != it.processed_at) {
            places.push(Fact::new("Clock of the device", at(outcome.occurred_at)));
        }
        vec![
            vec![processed, received],
            vec![Fact::maybe("Distance from address", distance, absent), Fact::new("Attempt", attempt)],
            places,
        ]
    }

    /// Why, what was noted, and what differs of the whole.
    fn note(&mut self) {
        let form = self.form;
        let said = form.outcome.as_ref().map(|it| [("Reason.", &it.reason), ("Note.", &it.note)]);
        let said = said.into_iter().flatten();
        let mut said: Vec<_> =
            said.filter_map(|(lead, text)| Some((lead, filled(text)?.to_owned()))).collect();
        for variance in &form.variances {
            let difference = Some(variance.difference).filter(|it| *it != 0);
            let parts = [
                difference.map(|it| words::difference(it.into())),
                filled(&variance.reason).map(str::to_owned),
                filled(&variance.note).map(str::to_owned),
            ];
            said.push(("Variance.", parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")));
        }
        if !said.is_empty() {
            self.y += self.density.block;
            self.boxed(&said, 1.0, 0xb0);
        }
    }
}

pub fn filled(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}
