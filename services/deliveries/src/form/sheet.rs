//! Pages with what is drawn on them, and the structure that a screen reader walks.
//!
//! Positions are in pixels from the top left corner of a page.

use krilla::geom::{Path, PathBuilder, Rect};
use krilla::image::Image;
use krilla::tagging::{Tag, TagKind};

use super::font::Line;

pub const BLACK: u8 = 0x11;

/// What is drawn.
pub enum Ink {
    Text { left: f32, baseline: f32, line: Line },
    Path { path: Path, paint: Paint },
    Picture { left: f32, top: f32, width: f32, height: f32, image: Image },
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

/// Where a click opens the form; on the first page.
#[derive(Debug, Clone, Copy)]
pub struct Link {
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
    pub link: Option<Link>,
    /// The page that is drawn on.
    pub page: usize,
}

impl Sheet {
    pub fn new((width, height): (f32, f32)) -> Self {
        let whole = Node { tag: Tag::Part.into(), children: Vec::new() };
        let pages = vec![Vec::new()];
        Self { width, height, pages, nodes: vec![whole], marks: 0, link: None, page: 0 }
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

    pub fn link(&mut self, part: Part, link: Link) {
        self.nodes[part.0].children.push(Child::Link);
        self.link = Some(link);
    }

    /// A line of text, by its top left corner.
    pub fn text(&mut self, owner: Owner, left: f32, top: f32, line: Line) {
        if !line.glyphs.is_empty() {
            self.draw(owner, Ink::Text { left, baseline: top + line.style.baseline(), line });
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

    pub fn frame(&mut self, left: f32, top: f32, width: f32, height: f32, radius: f32, paint: Paint) {
        self.path(None, rounded(left, top, width, height, radius), paint);
    }

    pub fn path(&mut self, owner: Owner, path: PathBuilder, paint: Paint) {
        if let Some(path) = path.finish() {
            self.draw(owner, Ink::Path { path, paint });
        }
    }

    pub fn picture(&mut self, owner: Owner, left: f32, top: f32, (width, height): (f32, f32), image: Image) {
        self.draw(owner, Ink::Picture { left, top, width, height, image });
    }
}

/// How far the handles of a curve reach that stands for a quarter of a circle.
const ROUND: f32 = 0.5523;

pub fn rounded(left: f32, top: f32, width: f32, height: f32, radius: f32) -> PathBuilder {
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
