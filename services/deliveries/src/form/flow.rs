//! The current page, and page breaks.

use proto::deliveries::v1::FormDescription;

use super::font::{Fonts, Style, Weight};
use super::qr::Code;
use super::sheet::{BLACK, Sheet};
use super::{Form, Paper};

pub const MUTED: u8 = 0x55;
pub const HAIR: u8 = 0xcc;
const SIDE: f32 = 52.0;
pub const TOP: f32 = 48.0;
const FOOT: f32 = 36.0;

pub const LABEL: Style =
    Style { size: 11.0, leading: 16.0, weight: Weight::Regular, gray: MUTED, tabular: false };
pub const VALUE: Style =
    Style { size: 12.5, leading: 17.0, weight: Weight::Regular, gray: BLACK, tabular: true };
/// The style of sentences, whose digits need not align.
pub const TEXT: Style = Style { tabular: false, ..VALUE };
pub const SMALL: Style = Style { size: 11.5, leading: 16.0, gray: 0x33, ..TEXT };

/// Spacing of a layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Density {
    /// Space above and below the text of a row.
    pub row: f32,
    /// Space between blocks.
    pub block: f32,
}

/// The layout in progress.
pub struct Flow<'a> {
    /// Used only for pictures and icons: all text comes from `words`.
    pub form: &'a Form,
    pub words: &'a FormDescription,
    pub fonts: &'a Fonts,
    pub code: &'a Code,
    pub density: Density,
    pub sheet: Sheet,
    pub left: f32,
    pub right: f32,
    /// The y at which the next block goes.
    pub y: f32,
    /// The y at which the footer begins.
    pub bottom: f32,
}

impl<'a> Flow<'a> {
    pub fn new(
        form: &'a Form,
        words: &'a FormDescription,
        fonts: &'a Fonts,
        code: &'a Code,
        paper: Paper,
        density: Density,
    ) -> Self {
        let (width, height) = paper.size();
        let (left, right) = (SIDE, width - SIDE);
        let sheet = Sheet::new((width, height));
        let mut flow = Self { form, words, fonts, code, density, sheet, left, right, y: TOP, bottom: 0.0 };
        flow.bottom = height - FOOT - flow.foot_height() - 13.0;
        flow
    }

    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Starts a new page if this height does not fit on the current one; returns whether it started one.
    pub fn room(&mut self, height: f32) -> bool {
        let turns = self.y + height > self.bottom - 10.0;
        if turns {
            self.turn();
        }
        turns
    }

    pub fn turn(&mut self) {
        let words = self.words;
        self.sheet.turn();
        let status = self.fonts.line(&words.status, VALUE.strong());
        let beside = self.fonts.line(&format!("{}, continued", words.title), LABEL);
        let room = self.width() - status.width - beside.width - 40.0;
        let number = self.fonts.wrap_most(&words.delivery_id, VALUE.strong(), room, 1);
        let after = self.left + number.first().map_or(0.0, |line| line.width + 10.0);
        self.sheet.lines(None, self.left, TOP, number);
        self.sheet.text(None, after, TOP + 1.0, beside);
        self.sheet.text_right(None, self.right, TOP, status);
        self.sheet.rule(self.left, self.right, TOP + 27.0, 1.0, HAIR);
        self.y = TOP + 27.0 + self.density.block;
    }

    pub fn rule(&mut self, width: f32, gray: u8) {
        self.sheet.rule(self.left, self.right, self.y, width, gray);
    }
}
