//! Writes a sheet as a PDF: tagged for screen readers (PDF/UA-1), and suitable for archiving (PDF/A-2a).

use chrono::{Datelike, Timelike};
use kit::{Error, Result};
use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::luma;
use krilla::configure::{Accessibility, Archival, Configuration, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::geom::{Point, Rect, Size, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::{Page, PageSettings};
use krilla::paint::{Fill, FillRule, LineCap, LineJoin, Stroke};
use krilla::surface::Surface;
use krilla::tagging::{Artifact, ContentTag, Identifier, SpanTag, TagGroup, TagTree};
use krilla::{Document, SerializeSettings};

use super::Form;
use super::font::one_line;
use super::sheet::{Area, Child, Ink, Node, Paint, Piece, Sheet};

/// Points per pixel.
const POINTS: f32 = 0.75;
const LANGUAGE: &str = "en";

pub fn render(form: &Form, sheet: &Sheet) -> Result<Vec<u8>> {
    // Texts that people typed can violate a rule of PDF/UA-1 or PDF/A-2a. A plain PDF is better than none.
    strict(form, sheet).or_else(|error| {
        tracing::warn!("a form is printed as a plain PDF: {error:#}");
        write(form, sheet, ConfigurationBuilder::new().finish().map_err(refused)?)
    })
}

/// Writes the PDF; fails if it violates a rule of PDF/UA-1 or PDF/A-2a.
pub fn strict(form: &Form, sheet: &Sheet) -> Result<Vec<u8>> {
    let configuration = ConfigurationBuilder::new()
        .with_archival_validator(Archival::A2_A)
        .with_accessibility_validator(Accessibility::UA1)
        .finish()
        .map_err(refused)?;
    write(form, sheet, configuration)
}

fn refused(error: impl std::fmt::Debug) -> Error {
    Error::internal(format!("{error:?}"))
}

fn write(form: &Form, sheet: &Sheet, configuration: Configuration) -> Result<Vec<u8>> {
    let mut document = Document::new_with(SerializeSettings { configuration, ..Default::default() });
    let mut drawn: Vec<Option<Identifier>> = vec![None; sheet.marks];
    let mut linked = None;
    for (number, pieces) in sheet.pages.iter().enumerate() {
        let settings = PageSettings::from_wh(sheet.width * POINTS, sheet.height * POINTS)
            .ok_or_else(|| Error::internal("the paper has no size"))?;
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        surface.push_transform(&Transform::from_scale(POINTS, POINTS));
        for piece in pieces {
            draw(&mut surface, piece, &mut drawn);
        }
        surface.pop();
        surface.finish();
        if let (0, Some(link)) = (number, sheet.link) {
            linked = annotate(&mut page, link, &form.url);
        }
        page.finish();
    }

    let mut tree = TagTree::new().with_lang(Some(LANGUAGE.to_owned()));
    for child in &sheet.nodes[0].children {
        if let Child::Node(node) = child {
            tree.push(group(&sheet.nodes, *node, &drawn, linked));
        }
    }
    document.set_tag_tree(tree);
    let title = title(form);
    let mut outline = Outline::new();
    outline.push_child(OutlineNode::new(title.clone(), XyzDestination::new(0, Point::from_xy(0.0, 0.0))));
    document.set_outline(outline);
    document.set_metadata(metadata(form, title));
    document.finish().map_err(refused)
}

fn draw(surface: &mut Surface, piece: &Piece, drawn: &mut [Option<Identifier>]) {
    let tag = match (&piece.mark, &piece.ink) {
        (None, _) => ContentTag::Artifact(Artifact::default()),
        (Some(_), Ink::Text { run, .. }) => {
            ContentTag::Span(SpanTag::empty().with_actual_text(run.spoken.as_deref()))
        }
        (Some(_), _) => ContentTag::Other,
    };
    let identifier = surface.start_tagged(tag);
    if let Some(mark) = piece.mark {
        drawn[mark] = Some(identifier);
    }
    match &piece.ink {
        Ink::Text { left, baseline, style, run } => {
            surface.set_fill(Some(fill(style.gray)));
            surface.set_stroke(None);
            let start = Point::from_xy(*left, *baseline);
            surface.draw_glyphs(start, &run.glyphs, run.font.clone(), &run.text, style.size, false);
        }
        Ink::Path { path, paint, .. } => {
            match *paint {
                Paint::Fill(gray) => {
                    surface.set_fill(Some(fill(gray)));
                    surface.set_stroke(None);
                }
                Paint::Stroke { width, gray } => {
                    let paint = luma::Color::new(gray).into();
                    surface.set_fill(None);
                    let (line_cap, line_join) = (LineCap::Round, LineJoin::Round);
                    surface.set_stroke(Some(Stroke {
                        paint,
                        width,
                        line_cap,
                        line_join,
                        ..Default::default()
                    }));
                }
            }
            surface.draw_path(path);
        }
        Ink::Picture { area, image, within } => {
            if let Some((within, _)) = within {
                surface.push_clip_path(within, &FillRule::NonZero);
            }
            if let Some(size) = Size::from_wh(area.width, area.height) {
                surface.push_transform(&Transform::from_translate(area.left, area.top));
                surface.draw_image(image.clone(), size);
                surface.pop();
            }
            if within.is_some() {
                surface.pop();
            }
        }
    }
    surface.end_tagged();
}

fn fill(gray: u8) -> Fill {
    Fill { paint: luma::Color::new(gray).into(), ..Default::default() }
}

fn annotate(page: &mut Page, link: Area, url: &str) -> Option<Identifier> {
    let Area { left, top, width, height } = link;
    let area = Rect::from_xywh(left * POINTS, top * POINTS, width * POINTS, height * POINTS)?;
    let target = Target::Action(Action::Link(LinkAction::new(url.to_owned())));
    let alt = "Opens this form".to_owned();
    Some(page.add_tagged_annotation(Annotation::new_link(LinkAnnotation::new(area, target), Some(alt))))
}

fn group(nodes: &[Node], node: usize, drawn: &[Option<Identifier>], linked: Option<Identifier>) -> TagGroup {
    let mut group = TagGroup::new(nodes[node].tag.clone());
    for child in &nodes[node].children {
        match child {
            Child::Node(child) => group.push(self::group(nodes, *child, drawn, linked)),
            Child::Mark(mark) => drawn[*mark].into_iter().for_each(|mark| group.push(mark)),
            Child::Link => linked.into_iter().for_each(|link| group.push(link)),
        }
    }
    group
}

fn title(form: &Form) -> String {
    format!("Delivery form {}, version {}", one_line(&form.delivery_id), form.form_version)
}

/// Returns the metadata. All times come from the form, none from a clock.
fn metadata(form: &Form, title: String) -> Metadata {
    let at = form.issued_at;
    let created = DateTime::new(at.year().clamp(0, 9999) as u16)
        .month(at.month() as u8)
        .day(at.day() as u8)
        .hour(at.hour() as u8)
        .minute(at.minute() as u8)
        .second(at.second() as u8)
        .utc_offset_hour(0)
        .utc_offset_minute(0);
    Metadata::new()
        .title(title)
        .language(LANGUAGE.to_owned())
        .authors(vec![one_line(&form.organization.name)])
        .creator("Waybill".to_owned())
        .producer("Waybill".to_owned())
        .creation_date(created)
        .document_id(format!("{}/{}", one_line(&form.delivery_id), form.form_version))
}
