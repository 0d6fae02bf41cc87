//! Signature and photos.

use krilla::tagging::Tag;

use super::font::{Line, Style};
use super::layout::{Flow, LABEL, MUTED, TEXT, VALUE, filled};
use super::picture::{self, Picture};
use super::sheet::{Area, BLACK, Paint, Part, WHOLE};
use super::{Evidence, EvidenceKind, Form, words};
use crate::domain::delivery::Status;

/// More are told by their number.
const MAX_PHOTOS: usize = 40;
const SIGNED: f32 = 240.0;
const GAP: f32 = 24.0;
/// Between photos.
const GUTTER: f32 = 8.0;
const PHOTO: f32 = 104.0;
const CORNER: f32 = 3.0;
/// From the top of a label to what it is about.
const BELOW: f32 = LABEL.leading + 4.0;
const CAPTION: Style = Style { size: 11.0, leading: 15.0, gray: 0x33, ..TEXT };

/// The evidence of a form, with its pictures decoded: that is done once, however often the form is
/// laid out.
pub struct Proofs<'a> {
    form: &'a Form,
    signature: Option<(&'a Evidence, Option<Picture>)>,
    photos: Vec<(&'a Evidence, Option<Picture>)>,
    /// Photos beyond what is shown.
    more: usize,
}

impl<'a> Proofs<'a> {
    pub fn of(form: &'a Form) -> Self {
        let is_signature = |evidence: &&Evidence| evidence.kind == EvidenceKind::Signature;
        let first = form.evidence.iter().position(|evidence| is_signature(&evidence));
        let signature = first.map(|at| &form.evidence[at]);
        let rest = || form.evidence.iter().enumerate().filter(|(at, _)| Some(*at) != first);
        Self {
            form,
            signature: signature.map(|evidence| (evidence, picture::signature(&evidence.bytes))),
            photos: rest()
                .take(MAX_PHOTOS)
                .map(|(_, evidence)| (evidence, picture::photo(&evidence.bytes)))
                .collect(),
            more: rest().count().saturating_sub(MAX_PHOTOS),
        }
    }

    /// Signature and the first photos side by side, the other photos below.
    pub fn lay(&self, flow: &mut Flow) {
        let is_signed = self.has_place_to_sign();
        if !is_signed && self.form.outcome.is_none() && self.photos.is_empty() {
            return;
        }
        flow.y += flow.density.block + 4.0;
        let part = flow.sheet.part(WHOLE, Tag::Section);
        let left = if is_signed { flow.left + SIGNED + GAP } else { flow.left };
        let columns = if is_signed { 3 } else { 5 };
        let beside = self.photos.len().min(columns);
        let first = self.captions(flow, 0, beside, columns, left);
        let height = first.height.max(if is_signed { 141.0 } else { 0.0 });
        flow.room(BELOW + height);

        let top = flow.y;
        let signed = if is_signed { self.signed(flow, part, top) } else { top };
        if self.form.outcome.is_some() || !self.photos.is_empty() {
            let label = flow.sheet.part(part, Tag::P);
            flow.sheet.text(Some(label), left, top, flow.fonts.line("Photos", LABEL));
            if self.photos.is_empty() {
                let none = flow.fonts.line(words::NONE, VALUE.gray(MUTED));
                flow.sheet.text(Some(label), left, top + LABEL.leading, none);
            }
        }
        flow.y = top + BELOW;
        self.strip(flow, part, first);
        flow.y = flow.y.max(signed);

        let mut shown = beside;
        while shown < self.photos.len() {
            let end = (shown + 5).min(self.photos.len());
            let strip = self.captions(flow, shown, end, 5, flow.left);
            flow.y += GUTTER;
            flow.room(strip.height);
            self.strip(flow, part, strip);
            shown = end;
        }
        if self.more > 0 {
            flow.room(VALUE.leading);
            let text = format!("{} more are kept with the delivery.", self.more);
            let more = flow.sheet.part(part, Tag::P);
            flow.sheet.text(Some(more), flow.left, flow.y, flow.fonts.line(&text, TEXT));
            flow.y += VALUE.leading;
        }
    }

    /// Somebody signed or took the goods, or still is to.
    fn has_place_to_sign(&self) -> bool {
        let received = self.form.outcome.as_ref().and_then(|outcome| filled(&outcome.received_by));
        match self.form.status {
            Status::Pending | Status::CompleteNoVariance | Status::CompleteWithVariance => true,
            Status::Undelivered | Status::Rejected => self.signature.is_some() || received.is_some(),
        }
    }

    /// Tells where it ends.
    fn signed(&self, flow: &mut Flow, part: Part, top: f32) -> f32 {
        let fonts = flow.fonts;
        let form = self.form;
        let block = flow.sheet.part(part, Tag::P);
        let label = match form.status {
            Status::Undelivered | Status::Rejected => "Signature",
            _ => "Received in the quantities above",
        };
        flow.sheet.text(Some(block), flow.left, top, fonts.line(label, LABEL));
        let line = top + BELOW + 92.0;
        let name = form.outcome.as_ref().and_then(|outcome| filled(&outcome.received_by));
        match &self.signature {
            Some((_, Some(picture))) => {
                let alt = format!("Signature of {}", name.unwrap_or("the recipient"));
                let figure = flow.sheet.part(part, Tag::Figure(Some(alt)));
                let (width, height) = picture.fit(SIGNED - 24.0, 84.0, 1.0);
                let (left, top) = (flow.left + (SIGNED - width) / 2.0, line - 4.0 - height);
                let area = Area { left, top, width, height };
                flow.sheet.picture(Some(figure), area, picture.image.clone());
            }
            Some((_, None)) => {
                let area = Area { left: flow.left, top: line - 86.0, width: SIGNED, height: 80.0 };
                unshown(flow, part, area, "This signature cannot be shown");
            }
            // Room for a pen.
            None if form.outcome.is_none() => {}
            None => {
                let none = fonts.line("No signature", VALUE.gray(MUTED));
                flow.sheet.text(Some(block), flow.left, line - 24.0, none);
            }
        }
        flow.sheet.rule(flow.left, flow.left + SIGNED, line, 1.0, BLACK);
        let mut y = line + 6.0;
        let who = flow.sheet.part(part, Tag::P);
        let Some(outcome) = &form.outcome else {
            let hint = fonts.line("Name, signature, date and time", LABEL);
            flow.sheet.text(Some(who), flow.left, y, hint);
            return y + LABEL.leading;
        };
        let lines = match name {
            Some(name) => fonts.wrap_most(name, TEXT.strong(), SIGNED, 3),
            None => vec![fonts.line(words::NONE, VALUE.gray(MUTED))],
        };
        y = flow.sheet.lines(Some(who), flow.left, y, lines) + 1.0;
        let zone = form.time_zone;
        let signed = self.signature.as_ref().map(|(evidence, _)| {
            let at = evidence.captured_at.unwrap_or(evidence.received_at);
            format!("signed {}", words::date_time(at, zone))
        });
        let relation = outcome.relation.map(|relation| words::relation(relation).to_owned());
        let said: Vec<_> = [relation, signed].into_iter().flatten().collect();
        y = flow.sheet.lines(Some(who), flow.left, y, fonts.wrap(&said.join(" · "), CAPTION, SIGNED));
        if let Some((evidence, _)) = &self.signature
            && evidence.added_after_completion
        {
            y = added_later(flow, who, flow.left, y, evidence, SIGNED);
        }
        y
    }

    /// What is below each of those photos, measured.
    fn captions(&self, flow: &Flow, from: usize, to: usize, columns: usize, left: f32) -> Strip {
        let width = (flow.right - left - GUTTER * (columns as f32 - 1.0)) / columns as f32;
        let day = self.form.scheduledatetime;
        let mut captions = Vec::new();
        let mut height = 0.0_f32;
        for (at, (evidence, _)) in self.photos[from..to].iter().enumerate() {
            let what = filled(&evidence.caption).unwrap_or(match evidence.kind {
                EvidenceKind::Photo => "Photo",
                EvidenceKind::Document => "Document",
                EvidenceKind::Signature => "Signature",
            });
            let when = evidence
                .captured_at
                .map_or(words::NONE.to_owned(), |taken| words::time_beside(taken, day, self.form.time_zone));
            let text = format!("{}. {what}, {when}", from + at + 1);
            let lines = flow.fonts.wrap_most(&text, CAPTION, width, 4);
            let mut below = lines.len() as f32 * CAPTION.leading;
            if evidence.added_after_completion {
                below += 18.0 + CAPTION.leading * 2.0;
            }
            height = height.max(below);
            captions.push(lines);
        }
        let height = if captions.is_empty() { VALUE.leading } else { PHOTO + 4.0 + height };
        Strip { from, left, width, captions, height }
    }

    fn strip(&self, flow: &mut Flow, part: Part, strip: Strip) {
        let top = flow.y;
        let Strip { from, mut left, width, captions, height } = strip;
        for (at, lines) in captions.into_iter().enumerate() {
            let (evidence, picture) = &self.photos[from + at];
            let frame = Area { left, top, width, height: PHOTO };
            match picture {
                Some(picture) => {
                    let (width, height) = picture.fit(frame.width, frame.height, 2.0);
                    flow.sheet.frame(frame, CORNER, Paint::Fill(0xf2));
                    let alt = lines.iter().map(Line::written).collect();
                    let figure = flow.sheet.part(part, Tag::Figure(Some(alt)));
                    let left = frame.left + (frame.width - width) / 2.0;
                    let top = frame.top + (frame.height - height) / 2.0;
                    let area = Area { left, top, width, height };
                    flow.sheet.picture_within(Some(figure), area, picture.image.clone(), frame, CORNER);
                }
                None => {
                    let text = match evidence.kind {
                        EvidenceKind::Photo => "This photo cannot be shown",
                        EvidenceKind::Document => "This document cannot be shown",
                        EvidenceKind::Signature => "This signature cannot be shown",
                    };
                    unshown(flow, part, frame, text);
                }
            }
            let caption = flow.sheet.part(part, Tag::P);
            let y = flow.sheet.lines(Some(caption), left, top + PHOTO + 4.0, lines);
            if evidence.added_after_completion {
                added_later(flow, caption, left, y, evidence, width);
            }
            left += width + GUTTER;
        }
        flow.y = top + height;
    }
}

/// Photos beside each other.
struct Strip {
    /// Which is the first.
    from: usize,
    left: f32,
    /// Of one.
    width: f32,
    captions: Vec<Vec<Line>>,
    height: f32,
}

/// A mark and when the server got it; tells where it ends.
fn added_later(flow: &mut Flow, part: Part, left: f32, top: f32, evidence: &Evidence, width: f32) -> f32 {
    flow.mark(part, left, top + 2.0, "Added later");
    let received = words::date_time(evidence.received_at, flow.form.time_zone);
    let lines = flow.fonts.wrap_most(&format!("Received {received}"), CAPTION, width, 2);
    flow.sheet.lines(Some(part), left, top + 18.0, lines)
}

/// A box in place of a picture.
fn unshown(flow: &mut Flow, part: Part, area: Area, text: &str) {
    let Area { left, top, width, height } = area;
    flow.sheet.frame(area, CORNER, Paint::Stroke { width: 1.0, gray: 0xb0 });
    let owner = flow.sheet.part(part, Tag::P);
    let lines = flow.fonts.wrap(text, CAPTION, width - 20.0);
    let mut y = top + (height - lines.len() as f32 * CAPTION.leading) / 2.0;
    for line in lines {
        let x = left + (width - line.width) / 2.0;
        let leading = line.style.leading;
        flow.sheet.text(Some(owner), x, y, line);
        y += leading;
    }
}
