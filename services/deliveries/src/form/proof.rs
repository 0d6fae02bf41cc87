//! Draws signature, photos, and the list of other files.

use krilla::tagging::Tag;
use proto::deliveries::v1::{FormNotice, FormPicture, FormSignature};

use super::flow::{Flow, LABEL, TEXT};
use super::font::{Line, Style};
use super::picture::Picture;
use super::sheet::{Area, BLACK, Paint, Part, WHOLE};
use super::{Form, Unshown};

const SIGNED: f32 = 240.0;
/// Room above the signature line.
const INK: f32 = 92.0;
const GAP: f32 = 24.0;
/// Space between photos.
const GUTTER: f32 = 8.0;
const PHOTO: f32 = 104.0;
const CORNER: f32 = 3.0;
/// Distance from the top of a label to its content.
const BELOW: f32 = LABEL.leading + 4.0;
const CAPTION: Style = Style { size: 11.0, leading: 15.0, gray: 0x33, ..TEXT };
/// Height of a mark.
const MARKED: f32 = 18.0;
/// Maximum number of lines of a caption; more than any caption fills.
const MAX_LINES: usize = 16;

/// Draws the signature and the first photos side by side, the other photos below, then the files.
pub fn lay(flow: &mut Flow) {
    let words = flow.words;
    let photos = words.photos.as_ref();
    let shown: &[FormPicture] = photos.map_or(&[], |it| &it.pictures);
    if words.signature.is_some() || photos.is_some() {
        flow.y += flow.density.block + 4.0;
        let part = flow.sheet.part(WHOLE, Tag::Section);
        let beside = first(flow, part, shown);
        for photos in shown[beside..].chunks(5) {
            let strip = Strip::of(flow, photos, 5, flow.left);
            flow.y += GUTTER;
            flow.room(strip.height);
            strip.draw(flow, part);
        }
        let more = photos.map_or("", |it| it.more.as_str());
        for line in flow.fonts.wrap(more, TEXT, flow.width()) {
            flow.room(TEXT.leading);
            let more = flow.sheet.part(part, Tag::P);
            flow.sheet.text(Some(more), flow.left, flow.y, line);
            flow.y += TEXT.leading;
        }
    }
    if let Some(files) = &words.files {
        let label = FormNotice { lead: files.label.clone(), ..Default::default() };
        let notices: Vec<_> = std::iter::once(label).chain(files.files.iter().cloned()).collect();
        flow.y += flow.density.block;
        flow.boxed(&notices, 1.0, 0xb0);
    }
}

/// Draws the signature and the photos beside it; returns the number of these photos.
fn first(flow: &mut Flow, part: Part, shown: &[FormPicture]) -> usize {
    let words = flow.words;
    let signature = words.signature.as_ref();
    let left = if signature.is_some() { flow.left + SIGNED + GAP } else { flow.left };
    let columns = if signature.is_some() { 3 } else { 5 };
    let beside = shown.len().min(columns);
    let strip = Strip::of(flow, &shown[..beside], columns, left);
    let who = signature.map(|signature| (signature, Who::of(flow, signature)));
    let height = who.as_ref().map_or(0.0, |(_, who)| INK + 6.0 + who.height);
    flow.room(BELOW + strip.height.max(height));
    let top = flow.y;
    let end = who.map_or(top, |(signature, who)| signed(flow, part, top, signature, who));
    if let Some(photos) = &words.photos {
        let label = flow.sheet.part(part, Tag::P);
        flow.sheet.text(Some(label), left, top, flow.fonts.line(&photos.label, LABEL));
        flow.y = top + BELOW;
        strip.draw(flow, part);
    }
    flow.y = flow.y.max(end);
    beside
}

/// Returns the picture, or the text to show in its place.
fn found<'a>(form: &'a Form, words: &'a FormPicture) -> Result<&'a Picture, &'a str> {
    let attachment = form.pictures.iter().find(|it| it.id == words.attachment_id);
    match attachment.map(|it| &it.picture) {
        Some(Ok(picture)) => Ok(picture),
        Some(Err(Unshown::Changed)) => Err(&words.damaged),
        Some(Err(Unshown::Unreadable)) | None => Err(&words.unreadable),
    }
}

/// The measured text below the signature line.
struct Who {
    lines: Vec<Line>,
    height: f32,
}

impl Who {
    fn of(flow: &Flow, signature: &FormSignature) -> Self {
        let mut lines = flow.fonts.wrap_most(&signature.name, TEXT.strong(), SIGNED, MAX_LINES);
        for detail in &signature.details {
            lines.extend(flow.fonts.wrap_most(detail, CAPTION, SIGNED, 4));
        }
        let height = lines.iter().map(|line| line.style.leading).sum::<f32>();
        Self { lines, height: height + signature.marks.len() as f32 * MARKED }
    }
}

/// Draws the signature; returns the y of its bottom.
fn signed(flow: &mut Flow, part: Part, top: f32, signature: &FormSignature, who: Who) -> f32 {
    let (fonts, form) = (flow.fonts, flow.form);
    let block = flow.sheet.part(part, Tag::P);
    flow.sheet.text(Some(block), flow.left, top, fonts.line(&signature.label, LABEL));
    let line = top + BELOW + INK;
    match signature.picture.as_ref().map(|words| (words, found(form, words))) {
        Some((words, Ok(picture))) => {
            let figure = flow.sheet.part(part, Tag::Figure(Some(words.alt.clone())));
            let (width, height) = picture.fit(SIGNED - 24.0, INK - 8.0, 1.0);
            let (left, top) = (flow.left + (SIGNED - width) / 2.0, line - 4.0 - height);
            let area = Area { left, top, width, height };
            flow.sheet.picture(Some(figure), area, picture.image.clone());
        }
        Some((_, Err(text))) => {
            let area = Area { left: flow.left, top: line - 86.0, width: SIGNED, height: 80.0 };
            empty(flow, part, area, text);
        }
        None => {
            let absent = fonts.line(&signature.absent, TEXT.gray(super::flow::MUTED));
            flow.sheet.text(Some(block), flow.left, line - 24.0, absent);
        }
    }
    flow.sheet.rule(flow.left, flow.left + SIGNED, line, 1.0, BLACK);
    let owner = flow.sheet.part(part, Tag::P);
    let y = flow.sheet.lines(Some(owner), flow.left, line + 6.0, who.lines);
    marks(flow, owner, flow.left, y, &signature.marks)
}

/// Measured photos that are drawn side by side.
struct Strip<'a> {
    photos: &'a [FormPicture],
    left: f32,
    /// Width of one photo.
    width: f32,
    captions: Vec<Vec<Line>>,
    height: f32,
}

impl<'a> Strip<'a> {
    fn of(flow: &Flow, photos: &'a [FormPicture], columns: usize, left: f32) -> Self {
        let width = (flow.right - left - GUTTER * (columns as f32 - 1.0)) / columns as f32;
        let mut captions = Vec::new();
        let mut height = 0.0_f32;
        for photo in photos {
            let texts = std::iter::once(&photo.caption).chain(&photo.details);
            let lines: Vec<_> =
                texts.flat_map(|text| flow.fonts.wrap_most(text, CAPTION, width, MAX_LINES)).collect();
            let marks = photo.marks.len() as f32 * MARKED;
            height = height.max(PHOTO + 4.0 + lines.len() as f32 * CAPTION.leading + marks);
            captions.push(lines);
        }
        Self { photos, left, width, captions, height }
    }

    fn draw(self, flow: &mut Flow, part: Part) {
        let top = flow.y;
        let Self { photos, mut left, width, captions, height } = self;
        let form = flow.form;
        for (photo, lines) in photos.iter().zip(captions) {
            let frame = Area { left, top, width, height: PHOTO };
            match found(form, photo) {
                Ok(picture) => {
                    let (width, height) = picture.fit(frame.width, frame.height, 2.0);
                    flow.sheet.frame(frame, CORNER, Paint::Fill(0xf2));
                    let figure = flow.sheet.part(part, Tag::Figure(Some(photo.alt.clone())));
                    let left = frame.left + (frame.width - width) / 2.0;
                    let top = frame.top + (frame.height - height) / 2.0;
                    let area = Area { left, top, width, height };
                    flow.sheet.picture_within(Some(figure), area, picture.image.clone(), frame, CORNER);
                }
                Err(text) => empty(flow, part, frame, text),
            }
            let caption = flow.sheet.part(part, Tag::P);
            let y = flow.sheet.lines(Some(caption), left, top + PHOTO + 4.0, lines);
            marks(flow, caption, left, y, &photo.marks);
            left += width + GUTTER;
        }
        flow.y = top + height;
    }
}

/// Draws marks below each other; returns the y of their bottom.
fn marks(flow: &mut Flow, part: Part, left: f32, mut top: f32, marks: &[String]) -> f32 {
    for word in marks {
        flow.mark(part, left, top + 2.0, word);
        top += MARKED;
    }
    top
}

/// Draws a box in place of a picture.
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
