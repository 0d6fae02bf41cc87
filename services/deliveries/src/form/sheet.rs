//! Pages with what is drawn on them, and the structure that a screen reader walks.
//!
//! Positions are in pixels from the top left corner of a page.

use krilla::geom::{Path, PathBuilder, Rect};
use krilla::image::Image;
use krilla::tagging::{Tag, TagKind};

use super::font::{Line, Run, Style};

pub const BLACK: u8 = 0x11;

/// What is drawn.
pub enum Ink {
    Text { left: f32, baseline: f32, style: Style, run: Run },
    Path { path: Path, paint: Paint },
    Picture { area: Area, image: Image, within: Option<Path> },
}

#[derive(Debug, Clone, Copy)]
pub enum Paint {
    Fill(u8),
    Stroke { width: f32, gray: u8 },
}

/// A part of the structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part(usize);

/// Everything hangs on it.
pub const WHOLE: Part = Part(0);

/// What something drawn belongs to; decoration belongs to nothing.
pub type Owner = Option<Part>;

pub struct Node {
    pub tag: TagKind,
    pub children: Vec<Child>,
}

pub enum Child {
    Node(usize),
    /// What is drawn under that number.
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
    /// Where a click opens the form; on the first page.
    pub link: Option<Area>,
    /// The page that is drawn on.
    pub page: usize,
    /// Whether there is a box in that weight.
    boxed: [bool; 2],
}

impl Sheet {
    pub fn new((width, height): (f32, f32)) -> Self {
        let whole = Node { tag: Tag::Part.into(), children: Vec::new() };
        let pages = vec![Vec::new()];
        Self { width, height, pages, nodes: vec![whole], marks: 0, link: None, page: 0, boxed: [false; 2] }
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

    /// A line of text, by its top left corner.
    pub fn text(&mut self, owner: Owner, left: f32, top: f32, line: Line) {
        let Line { style, runs, width: _ } = line;
        let baseline = top + style.baseline();
        for mut run in runs {
            if run.is_boxed && !std::mem::replace(&mut self.boxed[style.weight as usize], true) {
                let run = run.split_box(style);
                self.draw(owner, Ink::Text { left: left + run.left, baseline, style, run });
            }
            if run.glyphs.is_empty() {
                continue;
            }
            self.draw(owner, Ink::Text { left: left + run.left, baseline, style, run });
        }
    }

    /// A line of text, by its top right corner.
    pub fn text_right(&mut self, owner: Owner, right: f32, top: f32, line: Line) {
        self.text(owner, right - line.width, top, line);
    }

    /// Lines below each other; tells where the next one would be.
    pub fn lines(&mut self, owner: Owner, left: f32, mut top: f32, lines: Vec<Line>) -> f32 {
        for line in lines {
            let leading = line.style.leading;
            self.text(owner, left, top, line);
            top += leading;
        }
        top
    }

    pub fn rule(&mut self, left: f32, right: f32, y: f32, width: f32, gray: u8) {
        let mut path = PathBuilder::new();
        path.move_to(left, y);
        path.line_to(right, y);
        self.path(None, path, Paint::Stroke { width, gray });
    }

    pub fn frame(&mut self, area: Area, radius: f32, paint: Paint) {
        self.path(None, rounded(area, radius), paint);
    }

    pub fn path(&mut self, owner: Owner, path: PathBuilder, paint: Paint) {
        if let Some(path) = path.finish() {
            self.draw(owner, Ink::Path { path, paint });
        }
    }

    pub fn picture(&mut self, owner: Owner, area: Area, image: Image) {
        self.draw(owner, Ink::Picture { area, image, within: None });
    }

    /// The same, cut off at the rounded corners of a frame.
    pub fn picture_within(&mut self, owner: Owner, area: Area, image: Image, frame: Area, radius: f32) {
        self.draw(owner, Ink::Picture { area, image, within: rounded(frame, radius).finish() });
    }
}

/// How far the handles of a curve reach that stands for a quarter of a circle.
const ROUND: f32 = 0.5523;

pub fn rounded(area: Area, radius: f32) -> PathBuilder {
    let Area { left, top, width, height } = area;
    let mut path = PathBuilder::new();
    let (right, bottom) = (left + width, top + height);
    let r = radius.min(width / 2.0).min(height / 2.0);
    if r <= 0.0 {
        if let Some(rect) = Rect::from_ltrb(left, top, right, bottom) {
            path.push_rect(rect);
        }
        return path;
    }
    let k = r * (1.0 - ROUND);
    path.move_to(left + r, top);
    path.line_to(right - r, top);
    path.cubic_to(right - k, top, right, top + k, right, top + r);
    path.line_to(right, bottom - r);
    path.cubic_to(right, bottom - k, right - k, bottom, right - r, bottom);
    path.line_to(left + r, bottom);
    path.cubic_to(left + k, bottom, left, bottom - k, left, bottom - r);
    path.line_to(left, top + r);
    path.cubic_to(left, top + k, left + k, top, left + r, top);
    path.close();
    path
}
