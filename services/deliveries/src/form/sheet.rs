//! Pages and what is drawn on them, and the structure for screen readers.
//!
//! Positions are in pixels from the top left corner of a page.

use std::collections::BTreeSet;

use krilla::geom::{Path, PathBuilder, Rect};
use krilla::image::Image;
use krilla::tagging::{Tag, TagKind};

use super::font::{Line, Run, Style};

pub const BLACK: u8 = 0x11;

/// A drawn element.
pub enum Ink {
    Text {
        left: f32,
        baseline: f32,
        style: Style,
        run: Run,
    },
    Path {
        path: Path,
        #[cfg_attr(not(test), expect(dead_code, reason = "tests look at where ink is"))]
        bounds: Area,
        paint: Paint,
    },
    /// A picture. `within` is the path that clips it, with the path's bounding box.
    Picture {
        area: Area,
        image: Image,
        within: Option<(Path, Area)>,
    },
}

#[derive(Debug, Clone, Copy)]
pub enum Paint {
    Fill(u8),
    Stroke { width: f32, gray: u8 },
}

/// A node of the structure for screen readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part(usize);

/// The root of the structure.
pub const WHOLE: Part = Part(0);

/// The node that a drawn element belongs to; decoration belongs to none.
pub type Owner = Option<Part>;

pub struct Node {
    pub tag: TagKind,
    pub children: Vec<Child>,
}

pub enum Child {
    Node(usize),
    /// The drawn [`Piece`] with this `mark`.
    Mark(usize),
    /// The link.
    Link,
}

pub struct Piece {
    pub ink: Ink,
    pub mark: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
pub struct Area {
    pub left: f32,
    pub top: f32,
    pub width: f32,
    pub height: f32,
}

pub struct Sheet {
    pub width: f32,
    pub height: f32,
    pub pages: Vec<Vec<Piece>>,
    pub nodes: Vec<Node>,
    pub marks: usize,
    /// The area that links to the form, on the first page.
    pub link: Option<Area>,
    /// The page being drawn on.
    pub page: usize,
    /// Characters that no font has.
    pub missing: BTreeSet<char>,
}

impl Sheet {
    pub fn new((width, height): (f32, f32)) -> Self {
        let whole = Node { tag: Tag::Part.into(), children: Vec::new() };
        let (pages, nodes, missing) = (vec![Vec::new()], vec![whole], BTreeSet::new());
        Self { width, height, pages, nodes, marks: 0, link: None, page: 0, missing }
    }

    pub fn turn(&mut self) {
        self.pages.push(Vec::new());
        self.page = self.pages.len() - 1;
    }

    pub fn part(&mut self, of: Part, tag: impl Into<TagKind>) -> Part {
        let part = self.nodes.len();
        self.nodes.push(Node { tag: tag.into(), children: Vec::new() });
        self.nodes[of.0].children.push(Child::Node(part));
        Part(part)
    }

    pub fn draw(&mut self, owner: Owner, ink: Ink) {
        let mark = owner.map(|part| {
            self.nodes[part.0].children.push(Child::Mark(self.marks));
            self.marks += 1;
            self.marks - 1
        });
        self.pages[self.page].push(Piece { ink, mark });
    }

    pub fn link(&mut self, part: Part, link: Area) {
        self.nodes[part.0].children.push(Child::Link);
        self.link = Some(link);
    }

    /// Draws a line of text from its top left corner.
    pub fn text(&mut self, owner: Owner, left: f32, top: f32, line: Line) {
        let Line { style, runs, width: _ } = line;
        let baseline = top + style.baseline();
        for run in runs {
            self.missing.extend(&run.missing);
            if run.glyphs.is_empty() {
                continue;
            }
            self.draw(owner, Ink::Text { left: left + run.left, baseline, style, run });
        }
    }

    /// Draws a line of text from its top right corner.
    pub fn text_right(&mut self, owner: Owner, right: f32, top: f32, line: Line) {
        self.text(owner, right - line.width, top, line);
    }

    /// Draws lines below each other; returns the y of the next one.
    pub fn lines(&mut self, owner: Owner, left: f32, mut top: f32, lines: Vec<Line>) -> f32 {
        for line in lines {
            let leading = line.style.leading;
            self.text(owner, left, top, line);
            top += leading;
        }
        top
    }

    pub fn rule(&mut self, left: f32, right: f32, y: f32, width: f32, gray: u8) {
        let mut pen = Pen::default();
        pen.move_to(left, y);
        pen.line_to(right, y);
        self.path(None, pen, Paint::Stroke { width, gray });
    }

    pub fn frame(&mut self, area: Area, radius: f32, paint: Paint) {
        self.path(None, rounded(area, radius), paint);
    }

    pub fn path(&mut self, owner: Owner, pen: Pen, paint: Paint) {
        if let Some((path, bounds)) = pen.finish() {
            self.draw(owner, Ink::Path { path, bounds, paint });
        }
    }

    pub fn picture(&mut self, owner: Owner, area: Area, image: Image) {
        self.draw(owner, Ink::Picture { area, image, within: None });
    }

    /// Draws a picture like [`picture`](Self::picture), clipped to the rounded corners of a frame.
    pub fn picture_within(&mut self, owner: Owner, area: Area, image: Image, frame: Area, radius: f32) {
        self.draw(owner, Ink::Picture { area, image, within: rounded(frame, radius).finish() });
    }
}

/// Builds a path and its bounding box.
#[derive(Default)]
pub struct Pen {
    path: PathBuilder,
    /// Bounding box of the path: left, top, right and bottom.
    reach: Option<(f32, f32, f32, f32)>,
}

impl Pen {
    pub fn move_to(&mut self, x: f32, y: f32) {
        self.touch(x, y);
        self.path.move_to(x, y);
    }

    pub fn line_to(&mut self, x: f32, y: f32) {
        self.touch(x, y);
        self.path.line_to(x, y);
    }

    /// Adds a quarter of a circle or ellipse to `end`, curved towards `corner`.
    fn turn_to(&mut self, from: (f32, f32), corner: (f32, f32), end: (f32, f32)) {
        let bent = |at: (f32, f32)| (at.0 + (corner.0 - at.0) * ROUND, at.1 + (corner.1 - at.1) * ROUND);
        let ((x1, y1), (x2, y2)) = (bent(from), bent(end));
        self.touch(end.0, end.1);
        self.path.cubic_to(x1, y1, x2, y2, end.0, end.1);
    }

    pub fn rect(&mut self, area: Area) {
        let Area { left, top, width, height } = area;
        if let Some(rect) = Rect::from_xywh(left, top, width, height) {
            self.touch(left, top);
            self.touch(left + width, top + height);
            self.path.push_rect(rect);
        }
    }

    pub fn close(&mut self) {
        self.path.close();
    }

    fn touch(&mut self, x: f32, y: f32) {
        let (left, top, right, bottom) = self.reach.unwrap_or((x, y, x, y));
        self.reach = Some((left.min(x), top.min(y), right.max(x), bottom.max(y)));
    }

    pub fn finish(self) -> Option<(Path, Area)> {
        let (left, top, right, bottom) = self.reach?;
        Some((self.path.finish()?, Area { left, top, width: right - left, height: bottom - top }))
    }
}

/// Length of the Bézier handles for a quarter circle.
const ROUND: f32 = 0.5523;

pub fn rounded(area: Area, radius: f32) -> Pen {
    let Area { left, top, width, height } = area;
    let mut pen = Pen::default();
    let (right, bottom) = (left + width, top + height);
    let r = radius.min(width / 2.0).min(height / 2.0);
    if r <= 0.0 {
        pen.rect(area);
        return pen;
    }
    pen.move_to(left + r, top);
    pen.line_to(right - r, top);
    pen.turn_to((right - r, top), (right, top), (right, top + r));
    pen.line_to(right, bottom - r);
    pen.turn_to((right, bottom - r), (right, bottom), (right - r, bottom));
    pen.line_to(left + r, bottom);
    pen.turn_to((left + r, bottom), (left, bottom), (left, bottom - r));
    pen.line_to(left, top + r);
    pen.turn_to((left, top + r), (left, top), (left + r, top));
    pen.close();
    pen
}
