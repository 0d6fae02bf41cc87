//! Signature and photos.

use krilla::tagging::Tag;

use super::font::{Line, Style};
use super::layout::{Flow, LABEL, MUTED, TEXT, VALUE, filled};
use super::sheet::{Area, BLACK, Paint, Part, WHOLE};
use super::{Evidence, EvidenceKind, Form, words};
use crate::domain::delivery::Status;

/// More are told by their number.
pub const MAX_PHOTOS: usize = 20;
const SIGNED: f32 = 240.0;
/// Above the line that is signed on.
const INK: f32 = 92.0;
const GAP: f32 = 24.0;
/// Between photos.
const GUTTER: f32 = 8.0;
const PHOTO: f32 = 104.0;
const CORNER: f32 = 3.0;
/// From the top of a label to what it is about.
const BELOW: f32 = LABEL.leading + 4.0;
const CAPTION: Style = Style { size: 11.0, leading: 15.0, gray: 0x33, ..TEXT };
/// What it takes to say that something was added later.
const LATER: f32 = 18.0 + 2.0 * CAPTION.leading;

/// The evidence of a form, sorted.
pub struct Proofs<'a> {
    form: &'a Form,
    signature: Option<&'a Evidence>,
    photos: Vec<&'a Evidence>,
    /// Photos beyond what is shown.
    more: usize,
}

impl<'a> Proofs<'a> {
    /// The first signature is the one that counts; others are shown as photos are, so that none is hidden.
    pub fn of(form: &'a Form) -> Self {
        let is_signature = |evidence: &Evidence| evidence.kind == EvidenceKind::Signature;
        let first = form.evidence.iter().position(is_signature);
        let rest: Vec<_> =
            form.evidence.iter().enumerate().filter(|(at, _)| Some(*at) != first).map(|(_, it)| it).collect();
        Self {
            form,
            signature: first.map(|at| &form.evidence[at]),
            more: rest.len().saturating_sub(MAX_PHOTOS),
            photos: rest.into_iter().take(MAX_PHOTOS).collect(),
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
        let signed = is_signed.then(|| self.who(flow));
        let height = signed.as_ref().map_or(0.0, |who| INK + 6.0 + who.height);
        flow.room(BELOW + first.height.max(height));

        let top = flow.y;
        let signed = signed.map_or(top, |who| self.signed(flow, part, top, who));
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

    /// Files that are named only.
    pub fn files(&self, flow: &mut Flow) {
        if self.form.files.is_empty() {
            return;
        }
        let named = self.form.files.iter().map(|file| {
            let later = match file.added_after_completion {
                true => format!(", added later {}", words::date_time(file.received_at, self.form.time_zone)),
                false => String::new(),
            };
            format!("{} ({}{later})", file.filename, file.kind)
        });
        let text = named.collect::<Vec<_>>().join("; ");
        flow.y += flow.density.block;
        flow.boxed(&[("Also kept with the delivery.", text)], 1.0, 0xb0);
    }

    /// Somebody signed or took the goods, or still is to.
    fn has_place_to_sign(&self) -> bool {
        let received = self.form.outcome.as_ref().and_then(|outcome| filled(&outcome.received_by));
        match self.form.status {
            Status::Pending | Status::CompleteNoVariance | Status::CompleteWithVariance => true,
            Status::Undelivered | Status::Rejected => self.signature.is_some() || received.is_some(),
        }
    }

    /// Who signed, below the line.
    fn who(&self, flow: &Flow) -> Who {
        let fonts = flow.fonts;
        let Some(outcome) = &self.form.outcome else {
            let lines = vec![fonts.line("Name, signature, date and time", LABEL)];
            return Who { lines, later: None, height: LABEL.leading };
        };
        let mut lines = match filled(&outcome.received_by) {
            Some(name) => fonts.wrap_most(name, TEXT.strong(), SIGNED, 3),
            None => vec![fonts.line(words::NONE, VALUE.gray(MUTED))],
        };
        let zone = self.form.time_zone;
        let signed = self.signature.map(|it| format!("signed {}", words::date_time(it.captured_at, zone)));
        let relation = outcome.relation.map(|relation| words::relation(relation).to_owned());
        let said: Vec<_> = [relation, signed].into_iter().flatten().collect();
        lines.extend(fonts.wrap_most(&said.join(" · "), CAPTION, SIGNED, 3));
        let later = self.signature.filter(|it| it.added_after_completion).cloned();
        let height = lines.iter().map(|line| line.style.leading).sum::<f32>();
        let height = height + if later.is_some() { LATER } else { 0.0 };
        Who { lines, later, height }
    }

    /// Tells where it ends.
    fn signed(&self, flow: &mut Flow, part: Part, top: f32, who: Who) -> f32 {
        let fonts = flow.fonts;
        let form = self.form;
        let block = flow.sheet.part(part, Tag::P);
        let label = match form.status {
            Status::Undelivered | Status::Rejected => "Signature",
            _ => "Received in the quantities above",
        };
        flow.sheet.text(Some(block), flow.left, top, fonts.line(label, LABEL));
        let line = top + BELOW + INK;
        match self.signature.map(|evidence| &evidence.picture) {
            Some(Ok(picture)) => {
                let name = form.outcome.as_ref().and_then(|outcome| filled(&outcome.received_by));
                let alt = format!("Signature of {}", name.unwrap_or("the recipient"));
                let figure = flow.sheet.part(part, Tag::Figure(Some(alt)));
                let (width, height) = picture.fit(SIGNED - 24.0, INK - 8.0, 1.0);
                let (left, top) = (flow.left + (SIGNED - width) / 2.0, line - 4.0 - height);
                let area = Area { left, top, width, height };
                flow.sheet.picture(Some(figure), area, picture.image.clone());
            }
            Some(Err(unshown)) => {
                let area = Area { left: flow.left, top: line - 86.0, width: SIGNED, height: 80.0 };
                empty(flow, part, area, &words::unshown(EvidenceKind::Signature, *unshown));
            }
            // Room for a pen.
            None if form.outcome.is_none() => {}
            None => {
                let none = fonts.line("No signature", VALUE.gray(MUTED));
                flow.sheet.text(Some(block), flow.left, line - 24.0, none);
            }
        }
        flow.sheet.rule(flow.left, flow.left + SIGNED, line, 1.0, BLACK);
        let owner = flow.sheet.part(part, Tag::P);
        let y = flow.sheet.lines(Some(owner), flow.left, line + 6.0, who.lines);
        match who.later {
            Some(evidence) => added_later(flow, owner, flow.left, y, &evidence, SIGNED),
            None => y,
        }
    }

    /// What is below each of those photos, measured.
    fn captions(&self, flow: &Flow, from: usize, to: usize, columns: usize, left: f32) -> Strip {
        let width = (flow.right - left - GUTTER * (columns as f32 - 1.0)) / columns as f32;
        let day = self.form.scheduledatetime;
        let mut captions = Vec::new();
        let mut height = 0.0_f32;
        for (at, evidence) in self.photos[from..to].iter().enumerate() {
            let what = filled(&evidence.caption).unwrap_or(match evidence.kind {
                EvidenceKind::Photo => "Photo",
                EvidenceKind::Signature => "Signature",
            });
            let when = words::time_beside(evidence.captured_at, day, self.form.time_zone);
            let text = format!("{}. {what}, {when}", from + at + 1);
            let lines = flow.fonts.wrap_most(&text, CAPTION, width, 4);
            let mut below = lines.len() as f32 * CAPTION.leading;
            if evidence.added_after_completion {
                below += LATER;
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
            let evidence = self.photos[from + at];
            let frame = Area { left, top, width, height: PHOTO };
            match &evidence.picture {
                Ok(picture) => {
                    let (width, height) = picture.fit(frame.width, frame.height, 2.0);
                    flow.sheet.frame(frame, CORNER, Paint::Fill(0xf2));
                    let alt = lines.iter().map(Line::written).collect();
                    let figure = flow.sheet.part(part, Tag::Figure(Some(alt)));
                    let left = frame.left + (frame.width - width) / 2.0;
                    let top = frame.top + (frame.height - height) / 2.0;
                    let area = Area { left, top, width, height };
                    flow.sheet.picture_within(Some(figure), area, picture.image.clone(), frame, CORNER);
                }
                Err(unshown) => empty(flow, part, frame, &words::unshown(evidence.kind, *unshown)),
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

/// Who signed, measured.
struct Who {
    lines: Vec<Line>,
    /// A signature that came later.
    later: Option<Evidence>,
    height: f32,
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
fn empty(flow: &mut Flow, part: Part, area: Area, text: &str) {
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
