//! The QR code of a form.

use kit::{Error, Result};
use qrcodegen::{QrCode, QrCodeEcc};

use super::sheet::{Area, Pen};

/// Minimum size of a printed module in pixels, a third of a millimeter: smaller modules are hard to scan.
const MODULE: f32 = 1.25;
const LEAST: f32 = 76.0;
const MOST: f32 = 150.0;

pub struct Code(QrCode);

impl Code {
    pub fn new(text: &str) -> Result<Self> {
        QrCode::encode_text(text, QrCodeEcc::Medium).map(Self).map_err(Error::internal)
    }

    /// Returns the side length without a quiet zone, because the page around the code is white.
    pub fn size(&self) -> f32 {
        (self.0.size() as f32 * MODULE).clamp(LEAST, MOST)
    }

    /// Draws the dark modules, adjacent ones as one shape, so that no viewer shows seams.
    pub fn drawn(&self, left: f32, top: f32) -> Pen {
        let count = self.0.size();
        let module = self.size() / count as f32;
        let mut pen = Pen::default();
        for row in 0..count {
            let mut column = 0;
            while column < count {
                let run = (column..count).take_while(|&at| self.0.get_module(at, row)).count() as i32;
                if run > 0 {
                    let (left, top) = (left + column as f32 * module, top + row as f32 * module);
                    pen.rect(Area { left, top, width: run as f32 * module, height: module });
                }
                column += run.max(1);
            }
        }
        pen
    }
}
